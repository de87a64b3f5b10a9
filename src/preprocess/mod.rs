//! Tokens to tokens: includes, macros, conditionals.
//!
//! The preprocessor works on tokens, never on text: each file is lexed once (a [`TokenCache`] shares that between
//! programs), and a stack of [`Frame`]s says where the next token comes from: a file, or the replacement list of a
//! macro that is being expanded. A macro is disabled while its frame is on the stack; a name that meets its own
//! disabled macro is painted and never expanded again, as the C standard wants.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | the driver: frames, where comments go, limits |
//! | `directive.rs` | `#include`, `#define`, `#if` groups, `#pragma`, ... |
//! | `condition.rs` | the integer expressions of `#if` |
//! | `macros.rs` | definitions, arguments, substitution, `#` and `##` |
//!
//! Comments go with the tokens they stand before; those of a macro's name go to the first token that it expands to,
//! and those of a directive to the next token that is left.

mod condition;
mod directive;
mod macros;
mod named;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::lex::{AskedMacro, Comment, CommentRange, NamedTokens, Token, TokenKind, TokenStream, lex};
use crate::limits::Limits;
use crate::source::{FileId, LoadError, Loaded, Loader, Places, Sources, Span};
use crate::symbol::Symbol;
use directive::{AboveIf, Condition};
use macros::Macro;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::{Arc, OnceLock, RwLock};

/// Macro calls nest in the arguments of macro calls at most this deeply.
const MAX_ARGUMENT_DEPTH: u32 = 200;

/// The name of the text that macros of the command line are defined in.
pub const COMMAND_LINE: &str = "<command line>";

/// The input language, which decides on predefined macros.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Language {
    /// HLSL as DXC reads it.
    Hlsl,
    /// Slang as slangc reads it.
    Slang,
}

impl Language {
    /// By the file name's extension: `.slang` is Slang, everything else HLSL.
    pub fn of(name: &str) -> Language {
        if name.ends_with(".slang") { Language::Slang } else { Language::Hlsl }
    }
}

/// What a run of the preprocessor depends on apart from the text.
#[derive(Clone, Debug, Default)]
pub struct Preprocess {
    /// `-D NAME=VALUE`, in order; without a value the macro is `1`. `NAME(a,b)` defines a function-like macro.
    pub defines: Vec<(String, Option<String>)>,
    /// The language; `None` goes by the main file's extension.
    pub language: Option<Language>,
    /// What DXC's macros say of the profile.
    pub target: ShaderTarget,
    /// How much there may be.
    pub limits: Limits,
    /// Tokens of files that other programs of the batch have lexed already.
    pub cache: Option<Arc<TokenCache>>,
    /// Tokens of the main file and of macros that no file defines, which other variants of the program have lexed already.
    pub own_cache: Option<Arc<TokenCache>>,
    /// Macros of which [`TokenStream::asked`] tells whether the text asks for them.
    pub watched: Arc<[Symbol]>,
}

/// What `__SHADER_TARGET_MAJOR`, `__SHADER_TARGET_MINOR` and `__SHADER_TARGET_STAGE` are in HLSL.
#[derive(Clone, Copy, Debug)]
pub struct ShaderTarget {
    /// The shader model.
    pub model: (u32, u32),
    /// DXIL's name of the stage; that of a library where a file has entry points of several.
    pub stage: &'static str,
}

impl Default for ShaderTarget {
    fn default() -> Self {
        ShaderTarget { model: (6, 6), stage: "LIBRARY" }
    }
}

/// A file's tokens, independent of the program that uses them: the `file` of every span is to be replaced.
#[derive(Debug)]
struct Lexed {
    text: Arc<str>,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    /// Where the comments are.
    places: Places,
    problems: Vec<Diagnostic>,
}

impl Lexed {
    fn new(text: Arc<str>) -> Lexed {
        let (mut comments, mut diags) = (Vec::new(), Diagnostics::default());
        let tokens = lex(FileId::default(), &text, &mut comments, &mut diags);
        let places = comments.iter().map(|comment| (comment.span.start, comment.span.end)).collect();
        Lexed { text, tokens, comments, places, problems: diags.take() }
    }

    /// The text as a string slice of bytes `start..end`.
    fn slice(&self, start: u32, end: u32) -> &str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }
}

/// Tokens by file, shared by the programs and threads of a batch, so that a header is lexed once.
#[derive(Debug, Default)]
pub struct TokenCache {
    files: RwLock<FxHashMap<String, Arc<Lexed>>>,
}

impl TokenCache {
    /// The tokens of a file, from a cache if there is one.
    fn lexed(cache: Option<&TokenCache>, loaded: &Loaded) -> Arc<Lexed> {
        cache.map_or_else(|| Arc::new(Lexed::new(loaded.text.clone())), |cache| cache.get(loaded))
    }

    /// The tokens of a file; lexed anew if its text is not what it was.
    fn get(&self, loaded: &Loaded) -> Arc<Lexed> {
        let files = self.files.read().unwrap_or_else(|e| e.into_inner());
        if let Some(lexed) = files.get(&loaded.name)
            && (Arc::ptr_eq(&lexed.text, &loaded.text) || lexed.text == loaded.text)
        {
            return lexed.clone();
        }
        drop(files);
        let mut lexed = Lexed::new(loaded.text.clone());
        lexed.tokens.shrink_to_fit();
        let lexed = Arc::new(lexed);
        self.files.write().unwrap_or_else(|e| e.into_inner()).insert(loaded.name.clone(), lexed.clone());
        lexed
    }
}

/// Preprocesses the source named `main`. The stream always ends with one `Eof`. When the main source cannot be loaded,
/// the error is in `diags` and the stream is empty but for its `Eof`.
pub fn preprocess(
    loader: &dyn Loader,
    main: &str,
    options: &Preprocess,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> TokenStream {
    let mut processor = Processor::new(loader, sources, diags, options);
    match loader.source(main) {
        Ok(loaded) => processor.run(loaded, main, options),
        Err(error) => {
            let diagnostic = processor.load_error(None, main, error);
            processor.diags.push(diagnostic);
            processor.out.incomplete = true;
        }
    }
    processor.finish()
}

/// A token on its way through expansion.
#[derive(Clone, Copy, Debug)]
struct Item {
    token: Token,
    /// Met its own macro while that was being expanded: never expanded again.
    painted: bool,
}

/// Where tokens come from.
enum Frame {
    File(FileFrame),
    Expansion(ExpansionFrame),
    /// The end of an argument or `#if` line that is expanded on its own.
    Barrier,
}

struct FileFrame {
    lexed: Arc<Lexed>,
    id: FileId,
    pos: usize,
    conditions: Vec<Condition>,
}

struct ExpansionFrame {
    items: Vec<Item>,
    pos: usize,
    /// The macro that is disabled until this frame ends.
    disabled: Option<Rc<Macro>>,
}

/// What became of a name that might be a macro's.
enum Expanded {
    /// Its expansion is on the stack.
    Yes,
    /// It is no macro here; the token is to be used as it is.
    No(Item),
}

struct Processor<'a> {
    loader: &'a dyn Loader,
    sources: &'a mut Sources,
    diags: &'a mut Diagnostics,
    cache: Option<Arc<TokenCache>>,
    own_cache: Option<Arc<TokenCache>>,
    watched: Arc<[Symbol]>,
    /// What is asked for is asked by a directive.
    in_directive: bool,
    names: &'static Names,
    macros: FxHashMap<Symbol, Rc<Macro>>,
    /// Where the macros are defined that compilers define.
    predefined: Option<FileId>,
    /// Files of this program by canonical name.
    files: FxHashMap<String, (FileId, Arc<Lexed>)>,
    once: FxHashSet<FileId>,
    /// `#line`: by file, (physical line, the line it is said to be, the name the file is said to have).
    presumed: FxHashMap<FileId, (usize, u64, Option<Symbol>)>,
    frames: Vec<Frame>,
    out: TokenStream,
    /// Comments that wait for the next token that is left.
    pending: CommentRange,
    /// Those of them right above an `#if` that nothing but directives follow.
    above_if: Option<AboveIf>,
    /// An expansion ended: the next token must not count as joined to the one before.
    unjoin: bool,
    argument_depth: u32,
    includes: u32,
    expanded_tokens: u64,
    /// Uses of macros with parameters that begin and end with tokens of the macro: the first token, and the rest.
    calls: Vec<(Span, NamedTokens)>,
    /// Tokens of the arguments that are being expanded, one within the other.
    apart_tokens: u64,
    /// Bytes of the tokens that `#` and `##` made.
    spelled_bytes: u64,
    tokens_read: u64,
    counter: u64,
    /// A limit was hit; nothing more is read.
    aborted: bool,
    /// Of the main file.
    language: Language,
}

/// Names that the preprocessor knows.
struct Names {
    hash: Symbol,
    open: Symbol,
    close: Symbol,
    comma: Symbol,
    defined: Symbol,
    has_include: Symbol,
    va_args: Symbol,
    va_opt: Symbol,
    line: Symbol,
    file: Symbol,
    counter: Symbol,
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| Names {
        hash: Symbol::new("#"),
        open: Symbol::new("("),
        close: Symbol::new(")"),
        comma: Symbol::new(","),
        defined: Symbol::new("defined"),
        has_include: Symbol::new("__has_include"),
        va_args: Symbol::new("__VA_ARGS__"),
        va_opt: Symbol::new("__VA_OPT__"),
        line: Symbol::new("__LINE__"),
        file: Symbol::new("__FILE__"),
        counter: Symbol::new("__COUNTER__"),
    })
}

/// DXIL's numbers of stages, as DXC's `__SHADER_STAGE_*` have them.
const STAGES: &[(&str, u32)] = &[
    ("PIXEL", 0),
    ("VERTEX", 1),
    ("GEOMETRY", 2),
    ("HULL", 3),
    ("DOMAIN", 4),
    ("COMPUTE", 5),
    ("LIBRARY", 6),
    ("RAYGENERATION", 7),
    ("INTERSECTION", 8),
    ("ANYHIT", 9),
    ("CLOSESTHIT", 10),
    ("MISS", 11),
    ("CALLABLE", 12),
    ("MESH", 13),
    ("AMPLIFICATION", 14),
];

/// What the peers predefine: slangc 2026.10 and DXC 1.8, asked with `#ifdef`.
fn predefined(language: Language, target: ShaderTarget) -> String {
    match language {
        Language::Slang => "#define __SHADERPORT__ 1\n#define __HLSL_VERSION 2021\n#define __SLANG__ 1\n\
             #define __SLANG_COMPILER__ 1\n#define __HLSL__ 0\n"
            .to_owned(),
        Language::Hlsl => {
            let ShaderTarget { model: (major, minor), stage } = target;
            let stages: String =
                STAGES.iter().map(|(name, n)| format!("#define __SHADER_STAGE_{name} {n}\n")).collect();
            format!(
                "#define __SHADERPORT__ 1\n#define __HLSL_VERSION 2021\n#define __hlsl_dx_compiler 1\n\
                 #define __DXC_VERSION_MAJOR 1\n#define __DXC_VERSION_MINOR 8\n\
                 #define __SHADER_TARGET_MAJOR {major}\n#define __SHADER_TARGET_MINOR {minor}\n\
                 #define __SHADER_TARGET_STAGE __SHADER_STAGE_{stage}\n{stages}"
            )
        }
    }
}

/// Where the head of a file ends: at the last directive before its first declaration, or at a blank line right before that.
fn head_end(tokens: &[Token]) -> u32 {
    let (mut end, mut tokens) = (0, tokens.iter());
    while let Some(token) = tokens.find(|t| t.kind != TokenKind::Newline) {
        if !token.line_start || token.text != "#" {
            return if token.blank_before { token.span.start } else { end };
        }
        end = token.span.start;
        tokens.find(|t| matches!(t.kind, TokenKind::Newline | TokenKind::Eof));
    }
    end
}

impl<'a> Processor<'a> {
    fn new(loader: &'a dyn Loader, sources: &'a mut Sources, diags: &'a mut Diagnostics, options: &Preprocess) -> Self {
        Processor {
            loader,
            sources,
            diags,
            cache: options.cache.clone(),
            own_cache: options.own_cache.clone(),
            watched: options.watched.clone(),
            in_directive: false,
            names: names(),
            macros: FxHashMap::default(),
            predefined: None,
            files: FxHashMap::default(),
            once: FxHashSet::default(),
            presumed: FxHashMap::default(),
            frames: Vec::new(),
            out: TokenStream { limits: options.limits, ..TokenStream::default() },
            pending: CommentRange::default(),
            above_if: None,
            unjoin: false,
            argument_depth: 0,
            includes: 0,
            expanded_tokens: 0,
            calls: Vec::new(),
            apart_tokens: 0,
            spelled_bytes: 0,
            tokens_read: 0,
            counter: 0,
            aborted: false,
            language: Language::Slang,
        }
    }

    fn run(&mut self, main: Loaded, name: &str, options: &Preprocess) {
        let Some((id, lexed)) = self.add_file(&main, None) else { return };
        self.language = options.language.unwrap_or(Language::of(name));
        self.predefined = self.define_all("<predefined>", predefined(self.language, options.target));
        let command_line = self.command_line(&options.defines);
        self.define_all(COMMAND_LINE, command_line);
        // Definitions do not ask.
        self.out.asked.clear();
        self.out.tokens.reserve(lexed.tokens.len());
        self.out.head = head_end(&lexed.tokens);
        self.frames.push(Frame::File(FileFrame { lexed, id, pos: 0, conditions: Vec::new() }));
        while let Some(item) = self.pull() {
            if let Expanded::No(item) = self.expand(item) {
                self.emit(item.token);
            }
        }
    }

    /// Runs definitions that no file holds, so that they too have a place that diagnostics can show.
    fn define_all(&mut self, name: &str, text: String) -> Option<FileId> {
        if text.is_empty() {
            return None;
        }
        let loaded = Loaded { name: name.to_owned(), text: Arc::from(text) };
        let lexed = TokenCache::lexed(self.own_cache.as_deref(), &loaded);
        let id = self.sources.add(name, lexed.text.clone());
        self.frames.push(Frame::File(FileFrame { lexed, id, pos: 0, conditions: Vec::new() }));
        while self.pull().is_some() {}
        Some(id)
    }

    /// The `#define` lines of `-D` options.
    fn command_line(&mut self, defines: &[(String, Option<String>)]) -> String {
        let mut text = String::new();
        for (name, value) in defines {
            let value = value.as_deref().unwrap_or("1");
            let identifier = name.split('(').next().unwrap_or("");
            let proper = crate::lex::single_token(identifier) == Some(TokenKind::Ident);
            if !proper || name.contains(['\n', '\r']) || value.contains(['\n', '\r']) {
                let message = format!("`-D {name}={value}` does not define a macro");
                self.diags.push(Diagnostic::global(Code::BAD_OPTION, message).note("the form is `-D NAME[=VALUE]`"));
                continue;
            }
            text.push_str(&format!("#define {name} {value}\n"));
        }
        text
    }

    /// Notes that the text depends on a macro, or on that there is none of this name.
    fn ask(&mut self, name: Symbol) {
        if !self.watched.contains(&name) {
            return;
        }
        let decides = self.in_directive;
        match self.out.asked.iter_mut().find(|asked| asked.name == name) {
            Some(known) => known.decides |= decides,
            None => self.out.asked.push(AskedMacro { name, decides }),
        }
    }

    fn finish(mut self) -> TokenStream {
        // The main file comes first in `Sources` when there is one.
        let file = self.out.files.first().copied().unwrap_or_default();
        let end = self.sources.file(file).map_or(0, |f| f.text.len() as u32);
        let comments = std::mem::take(&mut self.pending);
        self.out.unused_numbers = self.unused_numbers();
        // What was read before a limit was hit would only be cut off somewhere, which says nothing new.
        if self.aborted {
            self.out.tokens.clear();
        }
        self.out.named = named::named(&self.out.tokens, self.sources);
        named::add_calls(std::mem::take(&mut self.calls), &mut self.out.named);
        let eof = Token { comments, ..Token::eof(Span { file, start: end, end }) };
        self.out.tokens.push(eof);
        self.out.incomplete |= self.aborted;
        self.out
    }

    /// Enters a loaded file into this program's tables; `None` (reported) if it is too large.
    fn add_file(&mut self, loaded: &Loaded, included_from: Option<Span>) -> Option<(FileId, Arc<Lexed>)> {
        if let Some((id, lexed)) = self.files.get(&loaded.name) {
            return Some((*id, lexed.clone()));
        }
        let limit = self.out.limits.file_bytes;
        if loaded.text.len() as u64 > limit {
            let reason = format!("it has {} bytes; the limit is {limit}", loaded.text.len());
            let diagnostic = self.load_error(included_from, &loaded.name, LoadError::Unreadable(reason));
            self.diags.push(diagnostic);
            self.out.incomplete = true;
            return None;
        }
        let cache = if included_from.is_some() { &self.cache } else { &self.own_cache };
        let lexed = TokenCache::lexed(cache.as_deref(), loaded);
        let id = self.sources.add(&loaded.name, loaded.text.clone());
        self.sources.set_comments(id, lexed.places.clone());
        self.out.files.push(id);
        if let Some(span) = included_from {
            self.sources.set_included_from(id, span);
        }
        for problem in &lexed.problems {
            let span = problem.span.map(|s| Span { file: id, ..s });
            self.diags.push(Diagnostic { span, ..problem.clone() });
        }
        self.files.insert(loaded.name.clone(), (id, lexed.clone()));
        Some((id, lexed))
    }

    fn load_error(&self, span: Option<Span>, path: &str, error: LoadError) -> Diagnostic {
        let (code, message, notes) = match error {
            LoadError::NotFound(tried) => {
                let notes = tried.iter().map(|t| format!("looked for `{t}`")).collect();
                (Code::FILE_NOT_FOUND, format!("`{path}` was not found"), notes)
            }
            LoadError::OtherCase(place) => {
                let notes = vec![format!("`{place}` differs in case alone; `{}` takes it", LoadError::ANY_CASE_OPTION)];
                (Code::FILE_NOT_FOUND, format!("`{path}` was not found"), notes)
            }
            LoadError::OutsideRoots(place) => {
                let notes = vec![format!("it leads to `{place}`; allow that with a further include directory (`-I`)")];
                (Code::OUTSIDE_ROOTS, format!("`{path}` is outside the allowed roots"), notes)
            }
            LoadError::Unreadable(reason) => {
                (Code::UNREADABLE, format!("`{path}` could not be read: {reason}"), Vec::new())
            }
        };
        let diagnostic = match span {
            Some(span) => Diagnostic::error(code, span, message),
            None => Diagnostic::global(code, message),
        };
        notes.into_iter().fold(diagnostic, Diagnostic::note)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diags.push(Diagnostic::error(code, span, message));
    }

    /// Reports a limit and stops reading.
    fn abort(&mut self, diagnostic: Diagnostic) {
        if !self.aborted {
            self.diags.push(diagnostic);
        }
        self.aborted = true;
    }

    /// The next token of the stack, not expanded, directives obeyed. `None` at the end of the input, of the argument
    /// that is being expanded, or (within the arguments of a call) of the file.
    fn pull(&mut self) -> Option<Item> {
        loop {
            if self.aborted {
                return None;
            }
            match self.frames.last_mut()? {
                Frame::Barrier => return None,
                Frame::Expansion(frame) => {
                    if let Some(item) = frame.items.get(frame.pos) {
                        let mut item = *item;
                        frame.pos += 1;
                        item.token.joined &= !std::mem::take(&mut self.unjoin);
                        return Some(item);
                    }
                    self.end_expansion();
                }
                Frame::File(frame) => {
                    let Some(token) = frame.lexed.tokens.get(frame.pos).copied() else {
                        if !self.end_file() {
                            return None;
                        }
                        continue;
                    };
                    match token.kind {
                        TokenKind::Eof => {
                            if !self.end_file() {
                                return None;
                            }
                        }
                        TokenKind::Newline => {
                            frame.pos += 1;
                            if token.comments.count > 0 {
                                let comments = self.take_comments(token.comments);
                                self.pending = self.merge(self.pending, comments);
                            }
                        }
                        _ if token.line_start && token.text == self.names.hash => self.directive(),
                        _ => {
                            frame.pos += 1;
                            return Some(self.adopt(token));
                        }
                    }
                }
            }
        }
    }

    /// A token of the file on top of the stack, made part of this program.
    fn adopt(&mut self, mut token: Token) -> Item {
        if let Some(Frame::File(frame)) = self.frames.last() {
            token.span.file = frame.id;
        }
        token.comments = match token.comments.count {
            0 => CommentRange::default(),
            _ => self.take_comments(token.comments),
        };
        token.joined &= !std::mem::take(&mut self.unjoin);
        self.tokens_read += 1;
        Item { token, painted: false }
    }

    fn end_expansion(&mut self) {
        if let Some(Frame::Expansion(frame)) = self.frames.pop()
            && let Some(definition) = frame.disabled
        {
            definition.disabled.set(false);
            self.unjoin = true;
        }
    }

    /// Leaves the file on top of the stack. False if that must not be, because the arguments of a macro call are being
    /// collected: a call does not go past the end of its file.
    fn end_file(&mut self) -> bool {
        if self.argument_depth > 0 {
            return false;
        }
        let Some(Frame::File(frame)) = self.frames.pop() else { return true };
        for condition in &frame.conditions {
            let message = format!("this `#{}` has no `#endif` in its file", condition.name);
            self.error(Code::UNTERMINATED, condition.span, message);
        }
        if let Some(eof) = frame.lexed.tokens.last()
            && eof.comments.count > 0
        {
            let comments = self.copy_comments(&frame.lexed, frame.id, eof.comments);
            self.pending = self.merge(self.pending, comments);
        }
        true
    }

    /// Copies comments of the file on top of the stack to the output.
    fn take_comments(&mut self, range: CommentRange) -> CommentRange {
        match self.frames.last() {
            Some(Frame::File(frame)) => {
                let (lexed, id) = (frame.lexed.clone(), frame.id);
                self.copy_comments(&lexed, id, range)
            }
            _ => CommentRange::default(),
        }
    }

    fn copy_comments(&mut self, lexed: &Lexed, id: FileId, range: CommentRange) -> CommentRange {
        let start = self.out.comments.len() as u32;
        let from = range.start as usize;
        let comments = lexed.comments.get(from..from + range.count as usize).unwrap_or_default();
        self.out.comments.extend(comments.iter().map(|c| Comment { span: Span { file: id, ..c.span }, ..c.clone() }));
        CommentRange { start, count: self.out.comments.len() as u32 - start }
    }

    /// Two ranges of output comments as one, copied together unless they are neighbours.
    fn merge(&mut self, first: CommentRange, second: CommentRange) -> CommentRange {
        if first.count == 0 || second.count == 0 {
            return if first.count == 0 { second } else { first };
        }
        if first.start + first.count != second.start {
            let start = self.out.comments.len() as u32;
            for range in [first, second] {
                let from = range.start as usize;
                self.out.comments.extend_from_within(from..from + range.count as usize);
            }
            return CommentRange { start, count: first.count + second.count };
        }
        CommentRange { start: first.start, count: first.count + second.count }
    }

    /// Puts a token out. What is no token is reported here, when no macro or conditional can use it any more.
    fn emit(&mut self, mut token: Token) {
        if self.pending.count > 0 {
            let pending = std::mem::take(&mut self.pending);
            self.above_if = None;
            token.comments = self.merge(pending, token.comments);
        }
        if token.kind == TokenKind::Other {
            match self.report_other(&token) {
                Some((kind, text)) => (token.kind, token.text) = (kind, Symbol::new(text)),
                None => {
                    self.pending = token.comments;
                    return;
                }
            }
        }
        self.out.tokens.push(token);
        let limit = self.out.limits.tokens;
        if self.tokens_read > limit {
            let message = format!("the program has more than {limit} tokens");
            self.abort(Diagnostic::error(Code::EXPANSION_LIMIT, token.span, message));
        }
    }

    /// Reports a malformed token, and says what to go on with in its place.
    fn report_other(&mut self, token: &Token) -> Option<(TokenKind, &'static str)> {
        let text = token.text.as_str();
        match text.chars().next() {
            Some('"') => {
                self.error(Code::UNTERMINATED, token.span, "this string is not closed on its line");
                Some((TokenKind::String, "\"\""))
            }
            Some('\'') => {
                self.error(Code::UNTERMINATED, token.span, "this character literal is not closed on its line");
                Some((TokenKind::Int, "0"))
            }
            Some('0'..='9' | '.') => {
                self.error(Code::BAD_LITERAL, token.span, format!("`{text}` is not a number"));
                Some((TokenKind::Int, "0"))
            }
            Some(first) if first == '_' || first.is_alphabetic() => {
                let message = format!("the name `{text}` has characters that are none of names");
                let note = "names are made of letters, digits and `_`";
                self.diags.push(Diagnostic::error(Code::BAD_CHARACTER, token.span, message).note(note));
                Some((TokenKind::Ident, text))
            }
            _ => {
                let shown: String = text.chars().take(8).flat_map(char::escape_debug).collect();
                self.error(Code::BAD_CHARACTER, token.span, format!("no token begins with `{shown}`"));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
