//! Directives: lines that begin with `#`.

use super::{FileFrame, Frame, Item, Language, Processor};
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::{CommentRange, Token, TokenKind};
use crate::limits::Limits;
use crate::source::{LoadError, Loaded, Remark, Span};
use crate::symbol::Symbol;

/// Names of the versions of Slang, with their years (Slang user guide, "Language Version"); 202c comes after 2026.
const SLANG_VERSIONS: &[(&str, u16)] = &[
    ("2018", 2018),
    ("default", 2018),
    ("legacy", 2018),
    ("2025", 2025),
    ("202a", 2025),
    ("2026", 2026),
    ("202b", 2026),
    ("latest", 2026),
    ("202c", 2027),
    ("next", 2027),
];

/// The comments right above an `#if`.
pub(super) struct AboveIf {
    remarks: Vec<Remark>,
    /// How many comments wait for the next token with them, which are the last.
    waiting: u32,
}

/// One open `#if` group of a file. Only the group's active branch is ever read; the others are skipped at once.
pub(super) struct Condition {
    /// The directive that opened it: `if`, `ifdef`, `ifndef`.
    pub name: &'static str,
    /// Where.
    pub span: Span,
    /// A branch was chosen already.
    taken: bool,
    /// `#else` was met.
    saw_else: bool,
}

/// The arguments of a directive: what follows its name on the line.
pub(super) struct Line {
    pub(super) tokens: Vec<Token>,
    /// The directive's name, or its `#` if it has none.
    pub(super) name: Token,
    /// Comments at the end of the line.
    comments: CommentRange,
    /// From the end of the name to the end of the line, in the file's text.
    start: u32,
    end: u32,
}

impl Line {
    /// The place of the arguments, or of the name if there are none.
    fn place(&self) -> Span {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => self.name.span,
        }
    }
}

impl Processor<'_> {
    /// Obeys the directive at whose `#` the file on top of the stack stands.
    pub(super) fn directive(&mut self) {
        let Some(hash) = self.file_token(0) else { return };
        let name = match self.file_token(1) {
            Some(name) if !matches!(name.kind, TokenKind::Newline | TokenKind::Eof) => name,
            _ => return self.keep_comments(&hash, 1),
        };
        let text = name.text.as_str();
        // Comments right above a definition are about the macro, which is gone afterwards; others are kept.
        let about_macro = matches!(text, "define" | "undef" | "pragma" | "line" | "error" | "warning");
        let comments = if about_macro { self.comments_before(&hash, text) } else { hash.comments };
        let above_if = self.above_if(&hash, text);
        self.keep_comments(&Token { comments, ..hash }, 2);
        let line = self.rest_of_line(name);
        let about =
            CommentRange { start: hash.comments.start + comments.count, count: hash.comments.count - comments.count };
        self.in_directive = true;
        match text {
            "include" => self.include(&line),
            "define" => {
                // A macro without a body is none that is written, as the guard of a file.
                let mut remarks = above_if.filter(|_| line.tokens.len() > 1).map_or_else(Vec::new, |of| self.taken(of));
                remarks.extend(self.remarks(about, false));
                remarks.extend(self.remarks(line.comments, true));
                self.define(&line, remarks);
            }
            "undef" => self.undef(&line),
            "if" => self.begin_if("if", &line, |p, l| p.evaluate(&l.tokens, l.name.span)),
            "ifdef" => self.begin_if("ifdef", &line, |p, l| p.asks_for_operand(l)),
            "ifndef" => self.begin_if("ifndef", &line, |p, l| !p.is_defined_operand(l)),
            "elif" | "elifdef" | "elifndef" => self.next_branch(&line, false),
            "else" => self.next_branch(&line, true),
            "endif" => self.end_if(&line),
            "line" => self.line(&line),
            "error" => self.user_message(&line, true),
            "warning" => self.user_message(&line, false),
            "pragma" => self.pragma(&line),
            "version" if line.tokens.first().is_none_or(|t| t.text != "slang") => self.out.glsl = true,
            "version" | "lang" | "language" => self.language(&line),
            // What GLSL's files ask of their compiler: not needed here.
            "extension" => {}
            _ if name.kind == TokenKind::Int => self.line_marker(&line),
            _ => self.error(Code::BAD_DIRECTIVE, name.span, format!("`#{text}` is not a directive")),
        }
        self.in_directive = false;
    }

    /// `#language slang 2026`: the version of Slang that a file is written in.
    fn language(&mut self, line: &Line) {
        let named = |t: &&Token| t.text != "slang";
        let Some(version) = line.tokens.iter().find(named) else { return };
        match SLANG_VERSIONS.iter().find(|(name, _)| version.text == *name) {
            Some((_, year)) => self.out.slang_version = *year,
            None => {
                let message = format!("there is no version `{}` of Slang", version.text);
                self.error(Code::BAD_DIRECTIVE, version.span, message);
            }
        }
    }

    fn file(&mut self) -> Option<&mut FileFrame> {
        match self.frames.last_mut() {
            Some(Frame::File(frame)) => Some(frame),
            _ => None,
        }
    }

    /// The raw token `ahead` of the position in the file on top of the stack.
    fn file_token(&mut self, ahead: usize) -> Option<Token> {
        let frame = self.file()?;
        let mut token = frame.lexed.tokens.get(frame.pos + ahead).copied()?;
        token.span.file = frame.id;
        Some(token)
    }

    /// Goes on by `skip` tokens, and gives the comments of the first to the next token that is left.
    fn keep_comments(&mut self, token: &Token, skip: usize) {
        if token.comments.count > 0 {
            let comments = self.take_comments(token.comments);
            self.pending = self.merge(self.pending, comments);
        }
        if let Some(frame) = self.file() {
            frame.pos += skip;
        }
    }

    /// The comments before a directive that are not about it.
    fn comments_before(&mut self, hash: &Token, directive: &str) -> CommentRange {
        let detached = self.detached_comments(hash);
        let has_own = matches!(directive, "define" | "undef") && detached.count > 0;
        if !has_own && self.is_about_file(hash, directive) { hash.comments } else { detached }
    }

    /// The comments above an `#if` are about the macro that is defined first in it: for `#define` those that wait for it. They go to
    /// the next token if one comes before, as others do.
    fn above_if(&mut self, hash: &Token, directive: &str) -> Option<AboveIf> {
        match directive {
            "if" | "ifdef" | "ifndef" if hash.comments.count > 0 => {
                let detached = self.detached_comments(hash).count;
                let Token { comments: CommentRange { start, count }, .. } = *hash;
                // The first of a file are about the file.
                let detached = if detached == 0 && self.is_about_file(hash, "pragma") { count } else { detached };
                let about = CommentRange { start: start + detached, count: count - detached };
                let remarks = self.remarks(about, false);
                let waiting = self.pending.count + count;
                self.above_if = (!remarks.is_empty()).then_some(AboveIf { remarks, waiting });
                None
            }
            "define" if hash.comments.count == 0 => self.above_if.take().filter(|of| of.waiting == self.pending.count),
            "if" | "ifdef" | "ifndef" | "elif" | "elifdef" | "elifndef" | "else" | "endif" => None,
            _ => {
                self.above_if = None;
                None
            }
        }
    }

    /// Comments that wait for the next token, taken for a macro.
    fn taken(&mut self, of: AboveIf) -> Vec<Remark> {
        self.pending.count -= of.remarks.len() as u32;
        of.remarks
    }

    /// Whether the comments before a directive are about the file that begins with them: all of the main file, and those before
    /// what is about the file, too.
    fn is_about_file(&mut self, hash: &Token, directive: &str) -> bool {
        let is_main = self.frames.len() == 1;
        let Some(frame) = self.file().filter(|_| is_main || directive == "pragma") else { return false };
        let is_first = |c: &crate::lex::Comment| {
            let before = frame.lexed.text.get(..c.span.start as usize);
            before.is_some_and(|text| text.trim_start_matches('\u{feff}').trim().is_empty())
        };
        frame.lexed.comments.get(hash.comments.start as usize).is_some_and(|c| hash.comments.count > 0 && is_first(c))
    }

    /// The comments before a token but for the last block of them, unless a blank line parts it from the token.
    fn detached_comments(&mut self, token: &Token) -> CommentRange {
        let range = token.comments;
        if token.blank_before || range.count == 0 {
            return range;
        }
        let Some(frame) = self.file() else { return range };
        let start = range.start as usize;
        let comments = frame.lexed.comments.get(start..start + range.count as usize).unwrap_or_default();
        let kept = comments.iter().rposition(|c| c.blank_before).unwrap_or(0);
        // A comment on the line of a token before the directive belongs to that token.
        let trailing = comments.iter().take_while(|c| c.trailing).count();
        CommentRange { count: kept.max(trailing) as u32, ..range }
    }

    /// Comments of the file on top of the stack as those about a macro.
    fn remarks(&mut self, range: CommentRange, trailing: bool) -> Vec<Remark> {
        let Some(frame) = self.file() else { return Vec::new() };
        let start = range.start as usize;
        let comments = frame.lexed.comments.get(start..start + range.count as usize).unwrap_or_default();
        comments.iter().map(|c| Remark { text: c.text, trailing, blank_before: c.blank_before }).collect()
    }

    /// The tokens up to the line's end, which is left in place for the comments on it to be dropped.
    fn rest_of_line(&mut self, name: Token) -> Line {
        let (start, end) = (name.span.end, name.span.end);
        let mut line = Line { tokens: Vec::new(), name, comments: CommentRange::default(), start, end };
        let Some(frame) = self.file() else { return line };
        let rest = frame.lexed.tokens.get(frame.pos..).unwrap_or_default();
        let length = rest.iter().position(|t| matches!(t.kind, TokenKind::Newline | TokenKind::Eof));
        let length = length.unwrap_or(rest.len());
        let id = frame.id;
        let strip = |t: &Token| Token { span: Span { file: id, ..t.span }, comments: CommentRange::default(), ..*t };
        line.tokens.extend(rest.iter().take(length).map(strip));
        if let Some(end) = rest.get(length) {
            line.end = end.span.start.max(line.start);
            line.comments = end.comments;
        }
        // Past the line end too: its comment is about the directive.
        let newline = rest.get(length).is_some_and(|t| t.kind == TokenKind::Newline);
        frame.pos += length + usize::from(newline);
        self.tokens_read += length as u64;
        line
    }

    /// The text of a line's arguments as written.
    fn raw_text(&mut self, line: &Line) -> String {
        let text = self.file().map(|f| f.lexed.slice(line.start, line.end).trim().to_owned());
        text.unwrap_or_default()
    }

    fn user_message(&mut self, line: &Line, error: bool) {
        let text = self.raw_text(line);
        let (name, place) = (if error { "error" } else { "warning" }, line.place());
        let message = if text.is_empty() { format!("`#{name}`") } else { format!("#{name}: {text}") };
        let make = if error { Diagnostic::error } else { Diagnostic::warning };
        self.diags.push(make(Code::USER_ERROR, line.name.span.to(place), message));
    }

    fn undef(&mut self, line: &Line) {
        match line.tokens.as_slice() {
            [name] if name.kind == TokenKind::Ident => {
                self.ask(name.text);
                self.macros.remove(&name.text);
            }
            _ => self.error(Code::BAD_DIRECTIVE, line.place(), "`#undef` takes one macro name"),
        }
    }

    // Conditionals ---------------------------------------------------------------------------------------------------

    fn begin_if(&mut self, name: &'static str, line: &Line, choose: fn(&mut Self, &Line) -> bool) {
        let taken = choose(self, line);
        if let Some(frame) = self.file() {
            frame.conditions.push(Condition { name, span: line.name.span, taken, saw_else: false });
        }
        if !taken {
            self.skip_branch();
        }
    }

    /// As [`Self::is_defined_operand`], where that is no question whether to define it.
    fn asks_for_operand(&mut self, line: &Line) -> bool {
        line.tokens.first().into_iter().for_each(|name| self.asks_for(name.text));
        self.is_defined_operand(line)
    }

    /// Notes that a condition asks whether a macro is defined.
    pub(super) fn asks_for(&self, name: Symbol) {
        self.macros.get(&name).into_iter().for_each(|known| known.is_asked.set(true));
    }

    fn is_defined_operand(&mut self, line: &Line) -> bool {
        let word = line.name.text;
        match line.tokens.as_slice() {
            [name, rest @ ..] if name.kind == TokenKind::Ident => {
                if let Some(extra) = rest.first() {
                    let message = format!("`#{word}` takes one name; what follows it is ignored");
                    self.diags.push(
                        Diagnostic::warning(Code::BAD_DIRECTIVE, extra.span, message)
                            .note("`#if defined(A) && defined(B)` asks for several"),
                    );
                }
                self.is_defined(name.text)
            }
            _ => {
                self.error(Code::BAD_DIRECTIVE, line.place(), format!("`#{word}` needs the name of a macro"));
                false
            }
        }
    }

    /// Whether `defined NAME` holds.
    pub(super) fn is_defined(&mut self, name: Symbol) -> bool {
        self.ask(name);
        let n = self.names;
        self.macros.contains_key(&name) || [n.has_include, n.line, n.file, n.counter].contains(&name)
    }

    /// `#elif`, `#else` met while reading, or while skipping and it may be the branch to take.
    fn next_branch(&mut self, line: &Line, is_else: bool) {
        let word = line.name.text;
        let Some(condition) = self.file().and_then(|f| f.conditions.last_mut()) else {
            let message = format!("`#{word}` without an `#if` before it");
            return self.error(Code::BAD_DIRECTIVE, line.name.span, message);
        };
        let (taken, again, opened) = (condition.taken, condition.saw_else, condition.span);
        condition.saw_else |= is_else;
        if again {
            let message = format!("`#{word}` after the `#else` of the same group");
            let label = Diagnostic::error(Code::BAD_DIRECTIVE, line.name.span, message).label(opened, "the group");
            self.diags.push(label);
        }
        let chosen = !taken
            && !again
            && match word.as_str() {
                "else" => true,
                "elifdef" => self.asks_for_operand(line),
                "elifndef" => !self.is_defined_operand(line),
                _ => self.evaluate(&line.tokens, line.name.span),
            };
        if let Some(condition) = self.file().and_then(|f| f.conditions.last_mut()) {
            condition.taken |= chosen;
        }
        if !chosen {
            self.skip_branch();
        }
    }

    fn end_if(&mut self, line: &Line) {
        if self.file().and_then(|f| f.conditions.pop()).is_none() {
            self.error(Code::BAD_DIRECTIVE, line.name.span, "`#endif` without an `#if` before it");
        }
    }

    /// Skips to the `#` of the directive that ends this branch of the group. Nested groups are skipped whole.
    fn skip_branch(&mut self) {
        let hash = self.names.hash;
        let Some(frame) = self.file() else { return };
        let lexed = frame.lexed.clone();
        let start = frame.pos;
        let mut nesting = 0u32;
        let rest = lexed.tokens.get(start..).unwrap_or_default();
        let mut end = rest.len().saturating_sub(1);
        for (index, pair) in rest.windows(2).enumerate() {
            let [token, name] = pair else { continue };
            if !token.line_start || token.text != hash {
                continue;
            }
            match name.text.as_str() {
                "if" | "ifdef" | "ifndef" => nesting += 1,
                "endif" if nesting > 0 => nesting -= 1,
                "elif" | "elifdef" | "elifndef" | "else" | "endif" if nesting == 0 => {
                    end = index;
                    break;
                }
                _ => {}
            }
        }
        frame.pos = start + end;
        self.tokens_read += end as u64;
    }

    // Includes -------------------------------------------------------------------------------------------------------

    fn include(&mut self, line: &Line) {
        if self.argument_depth > 0 {
            let message = "`#include` cannot stand within the arguments of a macro call";
            return self.error(Code::BAD_DIRECTIVE, line.name.span, message);
        }
        let Some((path, quoted)) = self.header_name(&line.tokens) else {
            return self.diags.push(
                Diagnostic::error(Code::BAD_DIRECTIVE, line.place(), "`#include` needs a file name")
                    .note("write `#include \"file\"` or `#include <file>`"),
            );
        };
        let loaded = match self.load_include(&path, quoted) {
            Ok(loaded) => loaded,
            Err(error) => {
                let diagnostic = self.load_error(Some(line.place()), &path, error);
                self.out.incomplete = true;
                return self.diags.push(diagnostic);
            }
        };
        let Some((id, lexed)) = self.add_file(&loaded, Some(line.place())) else { return };
        if self.once.contains(&id) {
            return;
        }
        self.includes += 1;
        let limits = self.out.limits;
        let too_many = u64::from(self.includes) > limits.includes || self.tokens_read > limits.tokens;
        if self.frames.len() as u64 >= limits.include_depth || too_many {
            return self.include_limit(line, &loaded.name);
        }
        self.frames.push(Frame::File(FileFrame { lexed, id, pos: 0, conditions: Vec::new() }));
    }

    /// The file that the header stands in: the include chain's last.
    /// What an include means. HLSL: what is neither beside the file nor in a root may be beside one of those that include the file,
    /// as for FXC and DXC.
    pub(super) fn load_include(&self, path: &str, quoted: bool) -> Result<Loaded, LoadError> {
        let files = self.frames.iter().rev().filter_map(|frame| match frame {
            Frame::File(file) => self.sources.file(file.id),
            _ => None,
        });
        let mut names: Vec<&str> = files.map(|file| file.name.as_str()).collect();
        if self.language != Language::Hlsl || !quoted {
            names.truncate(1);
        }
        let first = self.loader.include(path, quoted, names.first().copied().unwrap_or_default());
        let is_missing = |loaded: &Result<Loaded, LoadError>| loaded.as_ref().is_err_and(LoadError::is_missing);
        if !is_missing(&first) {
            return first;
        }
        let mut outer = names.iter().skip(1).map(|from| self.loader.include(path, quoted, from));
        outer.find(|loaded| !is_missing(loaded)).unwrap_or(first)
    }

    /// Too deep: by a cycle, if the file is being read already.
    fn include_limit(&mut self, line: &Line, name: &str) {
        let ids = self.frames.iter().filter_map(|f| match f {
            Frame::File(file) => Some(file.id),
            _ => None,
        });
        let chain: Vec<String> = ids.filter_map(|id| self.sources.file(id)).map(|f| f.name.clone()).collect();
        let place = line.place();
        let Limits { include_depth, includes, tokens, .. } = self.out.limits;
        let chain_is_deep = chain.len() as u64 >= include_depth;
        let diagnostic = match chain.iter().rposition(|n| n == name) {
            Some(first) => {
                let mut cycle: Vec<String> = chain.into_iter().skip(first).map(|n| format!("`{n}`")).collect();
                cycle.push(format!("`{name}`"));
                Diagnostic::error(Code::INCLUDE_CYCLE, place, format!("`{name}` includes itself without end"))
                    .note(format!("the cycle: {}", cycle.join(" includes ")))
                    .note("`#pragma once` at the top of the file ends it")
            }
            None if chain_is_deep => {
                let message = format!("includes are nested more than {include_depth} deep");
                Diagnostic::error(Code::INCLUDE_DEPTH, place, message)
            }
            None => {
                let message = format!("the program includes more than {includes} files or {tokens} tokens");
                Diagnostic::error(Code::INCLUDE_DEPTH, place, message)
            }
        };
        self.abort(diagnostic);
    }

    /// `"file"` or `<file>`, written or made by macros; `true` for quotes. Backslashes are taken as slashes.
    pub(super) fn header_name(&mut self, tokens: &[Token]) -> Option<(String, bool)> {
        let direct = self.written_header_name(tokens);
        let (path, quoted) = match direct {
            Some(found) => found,
            None => {
                let items = tokens.iter().map(|t| Item { token: *t, painted: false }).collect();
                let expanded: Vec<Token> = self.expand_apart(items, false).iter().map(|i| i.token).collect();
                self.written_header_name(&expanded)?
            }
        };
        (!path.is_empty()).then(|| (path.replace('\\', "/"), quoted))
    }

    fn written_header_name(&self, tokens: &[Token]) -> Option<(String, bool)> {
        let first = tokens.first()?;
        let text = first.text.as_str();
        if first.kind == TokenKind::String {
            return Some((text.trim_matches('"').to_owned(), true));
        }
        if text != "<" {
            return None;
        }
        let close = tokens.iter().position(|t| t.text == ">")?;
        let (start, end) = (first.span, tokens.get(close)?.span);
        // As written if it was: blanks and what looks like an operator or comment are part of the name.
        if start.file == end.file
            && !start.file.is_expansion()
            && let Some(file) = self.sources.file(start.file)
        {
            return file.text.get(start.end as usize..end.start as usize).map(|p| (p.to_owned(), false));
        }
        let mut path = String::new();
        for token in tokens.get(1..close)? {
            if token.space_before && !path.is_empty() {
                path.push(' ');
            }
            path.push_str(token.text.as_str());
        }
        Some((path, false))
    }

    // Lines and pragmas ----------------------------------------------------------------------------------------------

    fn line(&mut self, line: &Line) {
        let items = line.tokens.iter().map(|t| Item { token: *t, painted: false }).collect();
        let expanded: Vec<Token> = self.expand_apart(items, false).iter().map(|i| i.token).collect();
        self.set_line(line, &expanded);
    }

    /// `# 12 "file"`, as other preprocessors write it.
    fn line_marker(&mut self, line: &Line) {
        let tokens: Vec<Token> = std::iter::once(line.name).chain(line.tokens.iter().copied()).collect();
        self.set_line(line, &tokens);
    }

    fn set_line(&mut self, line: &Line, tokens: &[Token]) {
        let own = match tokens {
            [word] => word.text == "default",
            // Of Slang, C++ has a number there.
            [] => self.language == Language::Slang,
            _ => false,
        };
        if own {
            self.presumed.remove(&line.name.span.file);
            return;
        }
        let number = tokens.first().and_then(|t| t.text.as_str().parse::<u32>().ok());
        let name = tokens.get(1).filter(|t| t.kind == TokenKind::String).map(|t| t.text);
        match number {
            Some(number) if tokens.len() == 1 || name.is_some() => {
                let file = line.name.span.file;
                let (physical, _) = self.sources.line_column(file, line.name.span.start);
                let before = self.presumed.get(&file).and_then(|p| p.2);
                self.presumed.insert(file, (physical + 1, u64::from(number), name.or(before)));
            }
            _ => self.diags.push(
                Diagnostic::error(Code::BAD_DIRECTIVE, line.place(), "`#line` needs a line number")
                    .note("write `#line 12` or `#line 12 \"file\"`"),
            ),
        }
    }

    fn pragma(&mut self, line: &Line) {
        // The order of matrices may be named by a macro; of other pragmas nothing is expanded.
        let (plain, rest) = line.tokens.split_at(line.tokens.len().min(1));
        let expanded = match plain {
            [word] if word.text == "pack_matrix" => {
                let items = rest.iter().map(|t| Item { token: *t, painted: false }).collect();
                self.expand_apart(items, false).iter().map(|i| i.token).collect()
            }
            _ => rest.to_vec(),
        };
        let words: Vec<&str> = plain.iter().chain(&expanded).map(|t| t.text.as_str()).collect();
        match words.as_slice() {
            ["once", ..] => {
                if let Some(id) = self.file().map(|f| f.id) {
                    self.once.insert(id);
                }
            }
            ["pack_matrix", "(", order @ ("row_major" | "column_major"), ")", ..] => {
                self.out.pack_matrix.push((self.out.tokens.len() as u32, *order == "row_major"));
            }
            ["pack_matrix", ..] => self.diags.push(
                Diagnostic::error(Code::BAD_DIRECTIVE, line.place(), "`#pragma pack_matrix` does not name an order")
                    .note("write `#pragma pack_matrix(row_major)` or `#pragma pack_matrix(column_major)`"),
            ),
            // Warnings of other compilers, optimizer hints and the like mean nothing here.
            _ => {}
        }
    }
}
