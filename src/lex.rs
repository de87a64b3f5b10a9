//! Tokens, and the lexer that makes them from text, comments attached.

use crate::source::Span;
use crate::symbol::Symbol;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TokenKind {
    /// Identifier or keyword: `Token::text` tells which.
    Ident,
    /// Integer literal, with its suffix, in `Token::text`.
    Int,
    /// Floating-point literal, with its suffix, in `Token::text`.
    Float,
    /// String literal, with quotes and escapes, in `Token::text`.
    String,
    /// Character literal, with quotes, in `Token::text`.
    Char,
    /// Punctuation or operator, longest match (`<<=`, `->`, `::`, `...`), spelled in `Token::text`. `>` is never joined
    /// to a following `>` or `=`: `>>`, `>=` and `>>=` come as single `>` with `joined` set, for generic argument lists.
    Punct,
    /// A line end (only before preprocessing).
    Newline,
    /// End of the input.
    Eof,
}

/// A range in [`TokenStream::comments`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CommentRange {
    /// First comment.
    pub start: u32,
    /// How many.
    pub count: u32,
}

/// One token.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its spelling.
    pub text: Symbol,
    /// Where it stands.
    pub span: Span,
    /// First on its line.
    pub line_start: bool,
    /// White space or a comment before it.
    pub space_before: bool,
    /// Follows the previous token with nothing between (for `>` `>`, and `#` `define F(`).
    pub joined: bool,
    /// A blank line stands right before it (after the comments between, if any).
    pub blank_before: bool,
    /// Comments between the previous token and this one.
    pub comments: CommentRange,
}

/// A comment, as written, with its delimiters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text, `//...` or `/*...*/`, without line ends around it.
    pub text: Symbol,
    /// Where it stands.
    pub span: Span,
    /// Stands on the same line as the token before it (`int x; // metres`).
    pub trailing: bool,
    /// Blank lines before it, at most 1.
    pub blank_before: bool,
}

/// The tokens of one translation unit after preprocessing, ended by one `Eof`.
#[derive(Clone, Debug, Default)]
pub struct TokenStream {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The comments that tokens point into.
    pub comments: Vec<Comment>,
    /// `#pragma pack_matrix(row_major|column_major)`: (index of the first token it applies to, row-major?).
    pub pack_matrix: Vec<(u32, bool)>,
}
