//! Tokens, and the lexer that makes them from text, comments attached.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::limits::Limits;
use crate::source::{FileId, Remark, Span};
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;
use std::sync::Arc;

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
    /// What no token may be: a stray character, a number such as `2D`, a string without an end. Legal as long as macros
    /// or conditionals use it up (`Texture##2D`, `#error don't`); the preprocessor reports those that are left, so that
    /// none comes out of it.
    Other,
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

/// Tokens that are all of what a macro stands for where it is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedTokens {
    /// The last of them.
    pub last: Span,
    /// Their span, as that of an expression ([`FileId::is_named`]).
    pub span: Span,
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
    /// A blank line behind one that stands on lines of its own.
    pub blank_after: bool,
}

/// A macro that is a number, which nothing in a text asks for.
#[derive(Clone, Debug)]
pub struct UnusedNumber {
    /// Its name.
    pub name: Symbol,
    /// Where that is in the definition.
    pub definition: Span,
    /// All that it stands for.
    pub value: Span,
    /// The number in that, without its sign.
    pub number: Token,
    /// It has one.
    pub is_negative: bool,
    /// The comments at the definition.
    pub remarks: Arc<[Remark]>,
}

/// A macro that a text asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedMacro {
    /// Its name.
    pub name: Symbol,
    /// A directive asks for it: what else is in the text depends on it.
    pub decides: bool,
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
    /// `#version` was met: the file is written in GLSL's words.
    pub glsl: bool,
    /// The version of Slang that `#language` names, by its year; 0 is the first.
    pub slang_version: u16,
    /// Where the head of the main file ends: comments before it are about the file, not about what is declared first.
    pub head: u32,
    /// What macros without parameters stand for as a whole, by the first token.
    pub named: FxHashMap<Span, Vec<NamedTokens>>,
    /// Every file that took part, the main file first, then included ones in the order of first inclusion.
    pub files: Vec<FileId>,
    /// The limits that it was made under, which hold for what is made of it.
    pub limits: Limits,
    /// Those of the watched macros that the text asks for: it expands them, tests whether they are defined, or defines them.
    pub asked: Vec<AskedMacro>,
    /// Macros of files that are numbers and that nothing asks for, in the order of the files.
    pub unused_numbers: Vec<UnusedNumber>,
    /// An include is missing or a limit was hit, and it was reported: names that are missing later say nothing new.
    pub incomplete: bool,
}

impl Token {
    /// The token that ends a stream.
    pub fn eof(span: Span) -> Token {
        Token {
            kind: TokenKind::Eof,
            text: Symbol::new(""),
            span,
            line_start: true,
            space_before: false,
            joined: false,
            blank_before: false,
            comments: CommentRange::default(),
        }
    }
}

/// Splits a text into tokens. Line ends come as [`TokenKind::Newline`] (one for any number of them), the last token is
/// [`TokenKind::Eof`]. Comments are appended to `comments`; the token after a comment points at it (for a comment at
/// the end of a line that is the line's `Newline`). Only a comment without an end is an error here; what else is
/// malformed comes as [`TokenKind::Other`].
pub fn lex(file: FileId, text: &str, comments: &mut Vec<Comment>, diags: &mut Diagnostics) -> Vec<Token> {
    let lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        file,
        pos: if text.starts_with(BOM) { BOM.len() } else { 0 },
        tokens: Vec::with_capacity(text.len() / 4 + 2),
        first_comment: comments.len(),
        comments,
        diags,
        names: FxHashMap::default(),
        single: [None; 128],
        line_ends: 0,
        behind_comment: false,
        space: false,
        line_start: true,
        last_end: usize::MAX,
    };
    lexer.run()
}

/// The kind of the one token that `text` is; `None` if it is none, or more than one.
pub fn single_token(text: &str) -> Option<TokenKind> {
    let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
    let tokens = lex(FileId::default(), text, &mut comments, &mut diags);
    match tokens.as_slice() {
        [token, _newline, end]
            if end.kind == TokenKind::Eof && comments.is_empty() && token.span.end as usize == text.len() =>
        {
            Some(token.kind)
        }
        _ => None,
    }
}

const BOM: &str = "\u{feff}";

/// Operators of three and of two characters. None begins with `>`: see [`TokenKind::Punct`].
const PUNCT3: [&[u8]; 2] = [b"<<=", b"..."];
const PUNCT2: [&[u8]; 20] = [
    b"<<", b"<=", b"->", b"::", b"++", b"--", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"==", b"!=",
    b"&&", b"||", b"##", b"=>",
];

/// Whether an operator of several characters may go on with this one, perhaps on the next line.
fn is_operator(byte: u8) -> bool {
    matches!(byte, b'=' | b'<' | b'>' | b'+' | b'-' | b'&' | b'|' | b':' | b'#' | b'.' | b'\\')
}

/// `$` is a letter to DXC: decompilers write the names of D3D's own, `$Globals`.
fn is_ident(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Whether it is a part of a name, or is meant to be: `x²`.
fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || unicode_ident::is_xid_continue(c)
}

/// Whether names are made so: of letters, digits and marks of all scripts (Unicode Standard Annex #31; WGSL, "Identifiers").
fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let begins = |c: char| matches!(c, '_' | '$') || unicode_ident::is_xid_start(c);
    chars.next().is_some_and(begins) && chars.all(|c| c == '$' || unicode_ident::is_xid_continue(c))
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    file: FileId,
    pos: usize,
    tokens: Vec<Token>,
    comments: &'a mut Vec<Comment>,
    /// Comments from here on belong to the next token.
    first_comment: usize,
    diags: &'a mut Diagnostics,
    /// Spares the lock of the interner for names that were met before.
    names: FxHashMap<&'a str, Symbol>,
    /// The same for tokens of one ASCII character.
    single: [Option<Symbol>; 128],
    /// Line ends since the last token or comment.
    line_ends: u32,
    /// A comment on lines of its own was the last thing before.
    behind_comment: bool,
    space: bool,
    line_start: bool,
    /// Where the last token ended, if nothing came after it yet.
    last_end: usize,
}

impl<'a> Lexer<'a> {
    fn run(mut self) -> Vec<Token> {
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b' ' | b'\t' | 0x0b | 0x0c => {
                    self.pos += 1;
                    self.space = true;
                }
                b'\n' | b'\r' => self.newline(),
                b'/' if self.at(self.pos + 1) == b'/' => self.line_comment(),
                b'/' if self.at(self.pos + 1) == b'*' => self.block_comment(),
                b'\\' if self.loose_splice().is_some() => self.pos = self.loose_splice().unwrap_or(self.pos + 1),
                b'R' if self.raw_string_end().is_some() => self.raw_string(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.ident(),
                b'$' if self.is_dollar_name() => self.ident(),
                b'0'..=b'9' => self.number(),
                b'.' if self.at(self.pos + 1).is_ascii_digit() => self.number(),
                b'"' | b'\'' => self.quoted(byte),
                0x80.. => self.foreign(),
                _ => self.punct(),
            }
        }
        let end = self.text.len();
        self.push(TokenKind::Newline, "\n", end, end);
        self.push(TokenKind::Eof, "", end, end);
        self.tokens
    }

    /// The byte at a position; 0 after the end.
    fn at(&self, pos: usize) -> u8 {
        self.bytes.get(pos).copied().unwrap_or(0)
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    fn symbol(&mut self, text: &'a str) -> Symbol {
        *self.names.entry(text).or_insert_with(|| Symbol::new(text))
    }

    fn push(&mut self, kind: TokenKind, text: &'a str, start: usize, end: usize) {
        let symbol = self.symbol(text);
        self.push_symbol(kind, symbol, start, end);
    }

    fn push_symbol(&mut self, kind: TokenKind, text: Symbol, start: usize, end: usize) {
        // Comments on lines of their own go past the line end to the token that they describe.
        if kind == TokenKind::Newline && self.tokens.last().is_none_or(|t| t.kind == TokenKind::Newline) {
            return;
        }
        let range =
            CommentRange { start: self.first_comment as u32, count: (self.comments.len() - self.first_comment) as u32 };
        let span = Span { file: self.file, start: start as u32, end: end as u32 };
        self.tokens.push(Token {
            kind,
            text,
            span,
            line_start: self.line_start,
            space_before: self.space || self.line_start,
            joined: self.last_end == start,
            blank_before: self.line_ends >= 2,
            comments: range,
        });
        self.first_comment = self.comments.len();
        if kind != TokenKind::Newline {
            (self.line_ends, self.line_start, self.last_end) = (0, false, end);
            self.behind_comment = false;
        }
        self.space = false;
    }

    fn newline(&mut self) {
        let start = self.pos;
        self.pos += if self.slice(start, start + 2) == "\r\n" { 2 } else { 1 };
        self.push(TokenKind::Newline, "\n", start, self.pos);
        self.line_ends += 1;
        if self.line_ends == 2 && self.behind_comment {
            self.comments.last_mut().into_iter().for_each(|comment| comment.blank_after = true);
        }
        (self.line_start, self.space, self.last_end) = (true, false, usize::MAX);
    }

    /// If a backslash at `pos` joins this line to the next (several times perhaps): where the text goes on.
    fn splice(&self, pos: usize) -> Option<usize> {
        let mut next = pos;
        while self.at(next) == b'\\' {
            match (self.at(next + 1), self.at(next + 2)) {
                (b'\n', _) => next += 2,
                (b'\r', b'\n') => next += 3,
                _ => break,
            }
        }
        (next > pos).then_some(next)
    }

    /// Like [`Self::splice`] at the current position, but blanks may stand between backslash and line end: nobody can
    /// see them, and other compilers join such lines too.
    fn loose_splice(&self) -> Option<usize> {
        let blanks = self.bytes.iter().skip(self.pos + 1).take_while(|b| matches!(b, b' ' | b'\t')).count();
        let end = self.pos + 1 + blanks;
        match (self.at(end), self.at(end + 1)) {
            (b'\n', _) => Some(end + 1),
            (b'\r', b'\n') => Some(end + 2),
            _ => None,
        }
    }

    fn comment(&mut self, start: usize, end: usize) {
        let text = Symbol::new(self.slice(start, end).trim_end());
        let span = Span { file: self.file, start: start as u32, end: end as u32 };
        let trailing = self.line_ends == 0 && self.tokens.last().is_some_and(|t| t.kind != TokenKind::Newline);
        self.comments.push(Comment { text, span, trailing, blank_before: self.line_ends >= 2, blank_after: false });
        (self.space, self.line_ends, self.last_end) = (true, 0, usize::MAX);
        self.behind_comment = !trailing;
        self.pos = end;
    }

    fn line_comment(&mut self) {
        let start = self.pos;
        let mut end = start;
        loop {
            let rest = self.bytes.get(end..).unwrap_or_default();
            end += rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
            match self.splice(end.saturating_sub(1)) {
                Some(next) if end > start => end = next,
                _ => break,
            }
        }
        self.comment(start, end);
    }

    fn block_comment(&mut self) {
        let start = self.pos;
        let end = match self.slice(start + 2, self.text.len()).find("*/") {
            Some(length) => start + 2 + length + 2,
            None => {
                let span = Span { file: self.file, start: start as u32, end: start as u32 + 2 };
                self.diags.push(
                    Diagnostic::error(Code::UNTERMINATED, span, "this comment is never closed")
                        .note("the comment goes to the end of the file; end it with `*/`"),
                );
                self.text.len()
            }
        };
        self.comment(start, end);
    }

    fn ident(&mut self) {
        let start = self.pos;
        let end = self.skip(start, is_ident);
        if self.foreign_letter(end) {
            return self.foreign_name(start);
        }
        self.pos = end;
        match self.spliced(start, end) {
            Some(text) => self.push_symbol(TokenKind::Ident, text, start, self.pos),
            None => self.push(TokenKind::Ident, self.slice(start, end), start, end),
        }
    }

    /// Whether a name begins with the `$` here. `$for` of Slang is two tokens.
    fn is_dollar_name(&self) -> bool {
        let end = self.skip(self.pos, is_ident);
        end > self.pos + 1 && self.slice(self.pos, end) != "$for"
    }

    fn skip(&self, start: usize, accept: fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        start + rest.iter().position(|b| !accept(*b)).unwrap_or(rest.len())
    }

    /// A name or number that goes on after a joined line: its spelling, with the position set past it.
    fn spliced(&mut self, start: usize, end: usize) -> Option<Symbol> {
        let mut next = self.splice(end).filter(|n| is_ident(self.at(*n)))?;
        let mut text = self.slice(start, end).to_owned();
        loop {
            let stop = self.skip(next, is_ident);
            text.push_str(self.slice(next, stop));
            self.pos = stop;
            match self.splice(stop).filter(|n| is_ident(self.at(*n))) {
                Some(further) => next = further,
                None => return Some(Symbol::new(&text)),
            }
        }
    }

    fn number(&mut self) {
        let start = self.pos;
        let (length, kind) = scan_number(self.bytes.get(start..).unwrap_or_default());
        self.pos = start + length;
        match self.spliced(start, self.pos) {
            Some(text) => {
                let (length, kind) = scan_number(text.as_str().as_bytes());
                let kind = if length == text.as_str().len() { kind } else { TokenKind::Other };
                self.push_symbol(kind, text, start, self.pos);
            }
            None => self.push(kind, self.slice(start, self.pos), start, self.pos),
        }
    }

    /// Where the raw string that begins here ends, as `R"x(...)x"` of C++ (C++23, [lex.string]).
    fn raw_string_end(&self) -> Option<usize> {
        const LONGEST_DELIMITER: usize = 16;
        let rest = self.text.get(self.pos..)?.strip_prefix("R\"")?;
        let open = rest.bytes().take(LONGEST_DELIMITER + 1).position(|b| b == b'(')?;
        let (delimiter, inner) = (rest.get(..open)?, rest.get(open + 1..)?);
        if delimiter.contains(['"', '\\', ')']) || delimiter.contains(char::is_whitespace) {
            return None;
        }
        let close = format!("){delimiter}\"");
        let end = inner.find(&close)? + close.len();
        Some(self.text.len() - inner.len() + end)
    }

    fn raw_string(&mut self) {
        let start = self.pos;
        self.pos = self.raw_string_end().unwrap_or(start + 1);
        self.push(TokenKind::String, self.slice(start, self.pos), start, self.pos);
    }

    /// A string or character literal. One without an end takes the rest of its line.
    fn quoted(&mut self, quote: u8) {
        let start = self.pos;
        let mut end = start + 1;
        let mut clean: Option<String> = None;
        let mut copied = start;
        let mut kind = if quote == b'"' { TokenKind::String } else { TokenKind::Char };
        loop {
            match self.bytes.get(end) {
                None | Some(b'\n' | b'\r') => {
                    kind = TokenKind::Other;
                    break;
                }
                Some(b'\\') => match self.splice(end) {
                    Some(next) => {
                        clean.get_or_insert_default().push_str(self.slice(copied, end));
                        (copied, end) = (next, next);
                    }
                    None => end += if matches!(self.at(end + 1), b'\n' | b'\r' | 0) { 1 } else { 2 },
                },
                Some(&byte) => {
                    end += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        end = end.min(self.text.len());
        self.pos = end;
        match clean {
            Some(mut text) => {
                text.push_str(self.slice(copied, end));
                self.push_symbol(kind, Symbol::new(&text), start, end);
            }
            None => self.push(kind, self.slice(start, end), start, end),
        }
    }

    /// Text outside ASCII: a byte order mark in the middle is a blank, the rest no token.
    fn foreign(&mut self) {
        let start = self.pos;
        if self.slice(start, start + BOM.len()) == BOM {
            self.pos += BOM.len();
            self.space = true;
            return;
        }
        if self.foreign_letter(start) {
            return self.foreign_name(start);
        }
        self.pos = self.skip(start, |b| b >= 0x80);
        self.push(TokenKind::Other, self.slice(start, self.pos), start, self.pos);
    }

    /// Whether a letter or mark outside ASCII stands here.
    fn foreign_letter(&self, pos: usize) -> bool {
        self.at(pos) >= 0x80 && self.slice(pos, self.text.len()).starts_with(is_in_name)
    }

    /// A name with letters outside ASCII, which is one token, whether or not names are made of all its letters.
    fn foreign_name(&mut self, start: usize) {
        let rest = self.slice(start, self.text.len());
        let length = rest.find(|c| c != '$' && !is_in_name(c)).unwrap_or(rest.len());
        self.pos = start + length;
        let name = self.slice(start, self.pos);
        let kind = if is_name(name) { TokenKind::Ident } else { TokenKind::Other };
        self.push(kind, name, start, self.pos);
    }

    /// An operator that can only be of one character, because what follows it is in none.
    fn single(&mut self, byte: u8) {
        let start = self.pos;
        self.pos += 1;
        let known = self.single.get(byte as usize).copied().flatten();
        let symbol = known.unwrap_or_else(|| Symbol::new(self.slice(start, start + 1)));
        if let Some(slot) = self.single.get_mut(byte as usize) {
            *slot = Some(symbol);
        }
        self.push_symbol(TokenKind::Punct, symbol, start, start + 1);
    }

    fn punct(&mut self) {
        let start = self.pos;
        let byte = self.at(start);
        if !is_operator(self.at(start + 1)) && byte > b' ' && byte < 0x7f && !matches!(byte, b'\\' | b'`') {
            return self.single(byte);
        }
        // The next three characters, joined lines left out, with the position after each.
        let mut ends = [start; 3];
        let mut chars = [0u8; 3];
        let mut pos = start;
        for (char, end) in chars.iter_mut().zip(&mut ends) {
            pos = self.splice(pos).unwrap_or(pos);
            *char = self.at(pos);
            pos += 1;
            *end = pos;
        }
        let length = match chars {
            _ if PUNCT3.contains(&&chars[..]) => 3,
            [a, b, _] if PUNCT2.contains(&&[a, b][..]) => 2,
            _ => 1,
        };
        let kind = match chars[0] {
            b'\\' | b'`' | 0..b' ' | 0x7f => TokenKind::Other,
            _ => TokenKind::Punct,
        };
        let end = ends[length - 1];
        self.pos = end;
        if end - start == length {
            self.push(kind, self.slice(start, end), start, end);
        } else {
            let text = Symbol::new(std::str::from_utf8(&chars[..length]).unwrap_or(""));
            self.push_symbol(kind, text, start, end);
        }
    }
}

/// The length of the number that `bytes` begin with, and its kind: `Other` if it is malformed.
///
/// `1.xxx` and `1.0.xxx` are swizzled numbers: the second point is no part of them.
fn scan_number(bytes: &[u8]) -> (usize, TokenKind) {
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let run = |from: usize, accept: fn(&u8) -> bool| {
        from + bytes.get(from..).unwrap_or_default().iter().take_while(|b| accept(b)).count()
    };
    let hex = at(0) == b'0' && matches!(at(1), b'x' | b'X');
    let binary = at(0) == b'0' && matches!(at(1), b'b' | b'B');
    let digit: fn(&u8) -> bool = if hex { u8::is_ascii_hexdigit } else { u8::is_ascii_digit };
    let digits_start = if hex || binary { 2 } else { 0 };
    let mut end = run(digits_start, digit);
    let whole = end - digits_start;
    let infinity = |from: usize| {
        let of_infinity = !hex && bytes.get(from..).unwrap_or_default().starts_with(b"#INF");
        of_infinity.then(|| (run(from + 4, |b| matches!(b.to_ascii_lowercase(), b'f' | b'h' | b'l')), TokenKind::Float))
    };
    if let Some(found) = infinity(end).filter(|_| whole > 0) {
        return found;
    }
    let mut good = true;
    // Slang: `1_000`. The digits of a float have no such separators.
    let separated = whole > 0 && at(end) == b'_';
    if separated {
        end =
            run(end, if hex { |b| b.is_ascii_hexdigit() || *b == b'_' } else { |b| b.is_ascii_digit() || *b == b'_' });
        good = at(end) != b'.';
    }
    let mut float = false;
    let mut mantissa = whole;
    if at(end) == b'.' && !binary && !(whole > 0 && swizzle_follows(at(end + 1), hex)) {
        let fraction_end = run(end + 1, digit);
        mantissa += fraction_end - end - 1;
        (float, end) = (true, fraction_end);
        if let Some(found) = infinity(end) {
            return found;
        }
    }
    let exponent = if hex { matches!(at(end), b'p' | b'P') } else { !binary && matches!(at(end), b'e' | b'E') };
    if exponent {
        let sign = usize::from(matches!(at(end + 1), b'+' | b'-'));
        let exponent_end = run(end + 1 + sign, u8::is_ascii_digit);
        good &= exponent_end > end + 1 + sign;
        if good {
            (float, end) = (true, exponent_end);
        }
    }
    good &= mantissa > 0 && !(separated && float);
    let suffix_end = run(end, |b| is_ident(*b));
    let suffix = bytes.get(end..suffix_end).unwrap_or_default().to_ascii_lowercase();
    let digits = bytes.get(digits_start..end).unwrap_or_default();
    let kind = match suffix.as_slice() {
        b"" | b"l" if float => TokenKind::Float,
        b"f" | b"h" | b"lf" | b"hf" | b"fh" | b"fl" if !hex && !binary && !separated || float => TokenKind::Float,
        b"" | b"u" | b"l" | b"ul" | b"lu" | b"ll" | b"ull" | b"llu" | b"z" | b"uz" | b"zu" if !float => {
            good &= !binary || digits.iter().all(|b| matches!(b, b'0' | b'1' | b'_'));
            good &= hex || binary || at(0) != b'0' || digits.iter().all(|b| *b < b'8' || *b == b'_');
            TokenKind::Int
        }
        _ => TokenKind::Other,
    };
    (suffix_end, if good { kind } else { TokenKind::Other })
}

/// Whether the letter after `1.` begins a swizzle rather than a suffix or exponent.
fn swizzle_follows(letter: u8, hex: bool) -> bool {
    let of_any = matches!(letter, b'x' | b'y' | b'z' | b'w' | b'r' | b'g' | b's' | b't' | b'q');
    // `a` and `b` are digits there, and `p` begins an exponent.
    of_any || !hex && matches!(letter, b'b' | b'a' | b'p')
}

/// The codes of the characters between two quotes; an escape may give one that is no character of Unicode.
pub(crate) fn character_codes(text: &str, quote: char) -> Vec<u32> {
    let inner = text.strip_prefix(quote).unwrap_or(text);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    let mut chars = inner.chars().peekable();
    let mut out = Vec::with_capacity(inner.len());
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next() } else { None };
        out.push(match escaped {
            None => u32::from(c),
            Some('n') => 0xa,
            Some('t') => 0x9,
            Some('r') => 0xd,
            Some('a') => 0x7,
            Some('b') => 0x8,
            Some('f') => 0xc,
            Some('v') => 0xb,
            Some('x') => code(&mut chars, 16, 8, 0),
            Some('u') => code(&mut chars, 16, 4, 0),
            Some('U') => code(&mut chars, 16, 8, 0),
            Some(digit @ '0'..='7') => code(&mut chars, 8, 2, digit.to_digit(8).unwrap_or(0)),
            Some(other) => u32::from(other),
        });
    }
    out
}

/// Up to `count` digits as a character code.
fn code(chars: &mut std::iter::Peekable<std::str::Chars>, radix: u32, count: usize, first: u32) -> u32 {
    let mut value = first;
    for _ in 0..count {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        chars.next();
        value = value.wrapping_mul(radix).wrapping_add(digit);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> (Vec<Token>, Vec<Comment>) {
        let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
        let tokens = lex(FileId(7), text, &mut comments, &mut diags);
        assert!(diags.list().is_empty(), "{:?}", diags.list());
        (tokens, comments)
    }

    #[test]
    fn flags_and_places() {
        let (tokens, comments) = tokens("\n\na+=b; // c\r\n\r\n#x\n");
        let shown: Vec<(TokenKind, &str, u32, u32)> =
            tokens.iter().map(|t| (t.kind, t.text.as_str(), t.span.start, t.span.end)).collect();
        let expected = [
            (TokenKind::Ident, "a", 2, 3),
            (TokenKind::Punct, "+=", 3, 5),
            (TokenKind::Ident, "b", 5, 6),
            (TokenKind::Punct, ";", 6, 7),
            (TokenKind::Newline, "\n", 12, 14),
            (TokenKind::Punct, "#", 16, 17),
            (TokenKind::Ident, "x", 17, 18),
            (TokenKind::Newline, "\n", 18, 19),
            (TokenKind::Eof, "", 19, 19),
        ];
        assert_eq!(shown, expected);
        assert!(tokens.iter().all(|t| t.span.file == FileId(7)));
        let line_starts: Vec<&str> = tokens.iter().filter(|t| t.line_start).map(|t| t.text.as_str()).collect();
        assert_eq!(line_starts, ["a", "#", ""]);
        let joined: Vec<&str> =
            tokens.iter().filter(|t| t.joined && t.kind != TokenKind::Newline).map(|t| t.text.as_str()).collect();
        assert_eq!(joined, ["+=", "b", ";", "x"]);
        assert!(tokens[0].blank_before && tokens[5].blank_before && !tokens[1].blank_before);
        assert!(
            comments.len() == 1 && comments[0].trailing && tokens[4].comments == CommentRange { start: 0, count: 1 }
        );
    }

    #[test]
    fn longest_operators() {
        let (tokens, _) = tokens("a<<=b<<c<=d<e...f..g->h::i:j==k=>l&&m&n##o#p!=q^=r>>=s");
        let texts: Vec<&str> = tokens.iter().filter(|t| t.kind == TokenKind::Punct).map(|t| t.text.as_str()).collect();
        let expected = "<<= << <= < ... . . -> :: : == => && & ## # != ^= > > =";
        assert_eq!(texts.join(" "), expected);
    }

    #[test]
    fn an_open_comment_is_shown_where_it_begins() {
        let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
        let tokens = lex(FileId(0), "x /* y", &mut comments, &mut diags);
        assert_eq!((tokens.len(), comments.len()), (3, 1));
        let [diagnostic] = diags.list() else { panic!("{:?}", diags.list()) };
        assert_eq!((diagnostic.code, diagnostic.span.map(|s| s.start)), (Code::UNTERMINATED, Some(2)));
    }
}
