//! Macros: definition, the arguments of a call, substitution, `#` and `##`.

use super::directive::Line;
use super::{Expanded, ExpansionFrame, Frame, Item, MAX_ARGUMENT_DEPTH, Processor};
use crate::diagnostic::{Code, Diagnostic};
use crate::lex::{CommentRange, NamedTokens, Token, TokenKind, UnusedNumber, single_token};
use crate::source::{Expansion, FileId, MacroCall, Remark, Span};
use crate::symbol::Symbol;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// A macro.
pub(super) struct Macro {
    name: Symbol,
    /// Parameters of a function-like macro; the last one may be the variadic.
    params: Option<Vec<Symbol>>,
    variadic: bool,
    parts: Vec<Part>,
    /// The replacement list as written, to tell a harmless redefinition.
    body: Vec<Token>,
    span: Span,
    remarks: Arc<[Remark]>,
    /// It is being expanded.
    pub disabled: Cell<bool>,
    /// Something asks for it: it was expanded, or a condition holds because it is defined.
    pub is_asked: Cell<bool>,
}

/// A piece of a replacement list.
enum Part {
    Token(Token),
    /// A parameter, by index.
    Param(usize, Token),
    /// `#parameter`.
    Stringify(usize, Token),
    /// `##`.
    Paste(Token),
    /// `__VA_OPT__(...)`, and whether a blank stands before it.
    VaOpt(Vec<Part>, bool),
}

/// The arguments of one call, each as written and expanded.
struct Arguments {
    raw: Vec<Vec<Item>>,
    /// Made when first needed, if there is anything to expand.
    expanded: Vec<Option<Vec<Item>>>,
}

/// What substitution has produced so far, with what `##` needs to know.
struct Output {
    items: Vec<Item>,
    /// A `##` stands before the next part.
    paste: Option<Token>,
    /// The part before produced nothing.
    empty: bool,
    /// The next token stands right after an argument, and so is not joined to what is before it in the definition.
    unjoin: bool,
}

impl Processor<'_> {
    // Definition -----------------------------------------------------------------------------------------------------

    /// `#define NAME body`, `#define NAME(params) body`.
    pub(super) fn define(&mut self, line: &Line, remarks: Vec<Remark>) {
        let tokens = line.tokens.as_slice();
        let Some(name) = tokens.first().filter(|t| t.kind == TokenKind::Ident) else {
            let span = tokens.first().map_or(line.name.span, |t| t.span);
            return self.error(Code::BAD_DIRECTIVE, span, "`#define` needs a name");
        };
        let n = self.names;
        if [n.defined, n.has_include, n.va_args, n.va_opt, n.line, n.file, n.counter].contains(&name.text) {
            return self.error(Code::BAD_DIRECTIVE, name.span, format!("`{}` cannot be redefined", name.text));
        }
        let rest = tokens.get(1..).unwrap_or_default();
        let is_function = rest.first().is_some_and(|t| t.text == n.open && t.joined);
        let (params, variadic, body) = if is_function {
            let Some((params, variadic, used)) = self.parameters(rest) else { return };
            (Some(params), variadic, rest.get(used..).unwrap_or_default())
        } else {
            (None, false, rest)
        };
        let Some(parts) = self.parts(body, params.as_deref(), variadic) else { return };
        let (body, remarks) = (body.to_vec(), remarks.into());
        let (disabled, is_asked) = (Cell::new(false), Cell::new(false));
        let made =
            Macro { name: name.text, params, variadic, parts, body, span: name.span, remarks, disabled, is_asked };
        self.check_redefinition(&made);
        self.ask(name.text);
        self.macros.insert(name.text, Rc::new(made));
    }

    /// Macros of files that are numbers and that nothing asks for.
    pub(super) fn unused_numbers(&self) -> Vec<UnusedNumber> {
        #[expect(clippy::disallowed_methods, reason = "they are sorted by their places")]
        let unused = self.macros.values().filter(|of| !of.is_asked.get() && of.params.is_none());
        let of_files = unused.filter(|of| self.out.files.contains(&of.span.file));
        let mut numbers: Vec<UnusedNumber> = of_files.filter_map(|of| of.number()).collect();
        numbers.sort_by_key(|of| (of.definition.file, of.definition.start));
        numbers
    }

    fn check_redefinition(&mut self, made: &Macro) {
        let same = |a: &Macro, b: &Macro| {
            let texts = |m: &Macro| m.body.iter().map(|t| t.text).collect::<Vec<_>>();
            a.params == b.params && a.variadic == b.variadic && texts(a) == texts(b)
        };
        if let Some(old) = self.macros.get(&made.name)
            && !same(old, made)
        {
            let message = format!("macro `{}` is defined anew with another meaning", made.name);
            let warning = Diagnostic::warning(Code::REDECLARED, made.span, message);
            let warning = warning.label(old.span, "the definition that was valid up to here");
            self.diags.push(warning.note("`#undef` it first if that is meant"));
        }
    }

    /// `(a, b, ...)`: names, whether the last is variadic, and how many tokens that took.
    fn parameters(&mut self, tokens: &[Token]) -> Option<(Vec<Symbol>, bool, usize)> {
        let mut params: Vec<Symbol> = Vec::new();
        let mut variadic = false;
        let mut at = 1;
        if tokens.get(1).is_some_and(|t| t.text == self.names.close) {
            return Some((params, false, 2));
        }
        loop {
            let token = tokens.get(at);
            match token {
                Some(t) if t.text == "..." => {
                    (variadic, at) = (true, at + 1);
                    params.push(self.names.va_args);
                }
                Some(t) if t.kind == TokenKind::Ident && !params.contains(&t.text) => {
                    at += 1;
                    params.push(t.text);
                    if tokens.get(at).is_some_and(|t| t.text == "...") {
                        (variadic, at) = (true, at + 1);
                    }
                }
                _ => {
                    let span = token.or(tokens.last()).map_or_else(Span::default, |t| t.span);
                    let message = match token {
                        Some(t) if t.kind == TokenKind::Ident => format!("two parameters are named `{}`", t.text),
                        _ => "a macro parameter must be a name or `...`".to_owned(),
                    };
                    self.error(Code::BAD_DIRECTIVE, span, message);
                    return None;
                }
            }
            match tokens.get(at) {
                Some(t) if t.text == self.names.close => return Some((params, variadic, at + 1)),
                Some(t) if t.text == self.names.comma && !variadic => at += 1,
                found => {
                    let span = found.or(tokens.last()).map_or_else(Span::default, |t| t.span);
                    self.error(Code::BAD_DIRECTIVE, span, "the macro's parameter list is not closed");
                    return None;
                }
            }
        }
    }

    /// The pieces of a replacement list.
    fn parts(&mut self, body: &[Token], params: Option<&[Symbol]>, variadic: bool) -> Option<Vec<Part>> {
        let names = self.names;
        let param = |t: &Token| params?.iter().position(|p| *p == t.text).filter(|_| t.kind == TokenKind::Ident);
        let mut parts = Vec::with_capacity(body.len());
        let mut at = 0;
        while let Some(token) = body.get(at) {
            at += 1;
            if token.text == "##" {
                parts.push(Part::Paste(*token));
            } else if params.is_some() && token.text == names.hash {
                let Some((index, _)) = body.get(at).and_then(|t| Some((param(t)?, t))) else {
                    self.error(Code::BAD_DIRECTIVE, token.span, "`#` needs a parameter of the macro after it");
                    return None;
                };
                parts.push(Part::Stringify(index, *token));
                at += 1;
            } else if variadic && token.text == names.va_opt {
                let length = matching(body.get(at..).unwrap_or_default(), names.open, names.close);
                let Some(inner) = length.and_then(|n| body.get(at + 1..at + n - 1)) else {
                    self.error(Code::BAD_DIRECTIVE, token.span, "`__VA_OPT__` needs tokens in parentheses after it");
                    return None;
                };
                if let Some(nested) = inner.iter().find(|t| t.text == names.va_opt) {
                    self.error(Code::BAD_DIRECTIVE, nested.span, "`__VA_OPT__` cannot be nested");
                    return None;
                }
                at += inner.len() + 2;
                parts.push(Part::VaOpt(self.parts(inner, params, variadic)?, token.space_before));
            } else {
                parts.push(match param(token) {
                    Some(index) => Part::Param(index, *token),
                    None => Part::Token(*token),
                });
            }
        }
        let edge = [parts.first(), parts.last()].into_iter().flatten().find_map(|p| match p {
            Part::Paste(token) => Some(token.span),
            _ => None,
        });
        if let Some(span) = edge {
            self.error(Code::BAD_DIRECTIVE, span, "`##` needs something on both sides");
            return None;
        }
        Some(parts)
    }

    // Expansion ------------------------------------------------------------------------------------------------------

    /// Expands a token if it names a macro that may be expanded here: then its expansion is on the stack.
    pub(super) fn expand(&mut self, mut item: Item) -> Expanded {
        let token = item.token;
        if token.kind != TokenKind::Ident || item.painted {
            return Expanded::No(item);
        }
        self.ask(token.text);
        let Some(definition) = self.macros.get(&token.text) else { return self.expand_builtin(item) };
        if definition.disabled.get() {
            item.painted = true;
            return Expanded::No(item);
        }
        let definition = definition.clone();
        let mut call_site = token.span;
        let mut arguments = Arguments { raw: Vec::new(), expanded: Vec::new() };
        if let Some(params) = &definition.params {
            if !self.call_follows() {
                return Expanded::No(item);
            }
            let Some((raw, close)) = self.arguments(&token, params.len(), definition.variadic) else {
                return Expanded::No(item);
            };
            call_site = token.span.to(close);
            match self.fit(&definition, raw, call_site) {
                Some(raw) => arguments = Arguments { expanded: raw.iter().map(|_| None).collect(), raw },
                None => return Expanded::No(Item { painted: true, ..item }),
            }
        }
        definition.is_asked.set(true);
        self.push_expansion(definition, &token, call_site, arguments);
        Expanded::Yes
    }

    fn push_expansion(&mut self, definition: Rc<Macro>, name: &Token, call_site: Span, mut arguments: Arguments) {
        if definition.parts.is_empty() {
            self.pending = self.merge(self.pending, name.comments);
            self.unjoin = true;
            return;
        }
        let expansion = Expansion {
            call_site,
            definition: definition.span,
            name: definition.name,
            is_object: definition.params.is_none() && Some(definition.span.file) != self.predefined,
            remarks: definition.remarks.clone(),
            call: definition.call(&arguments).map(Arc::new),
        };
        let is_call = expansion.call.is_some();
        let file = self.sources.add_expansion(expansion);
        let mut out = Output { items: Vec::new(), paste: None, empty: true, unjoin: false };
        self.substitute(&definition, &definition.parts, file, &mut arguments, &mut out);
        let mut items = out.items;
        self.expanded_tokens += items.len() as u64 + 1;
        let limit = self.out.limits.expansion;
        if self.expanded_tokens > limit {
            let message = format!("macros expand to more than {limit} tokens");
            return self.abort(Diagnostic::error(Code::EXPANSION_LIMIT, call_site, message));
        }
        match items.first_mut() {
            Some(Item { token: first, .. }) => {
                first.space_before = name.space_before;
                first.line_start = name.line_start;
                first.blank_before = name.blank_before;
                first.joined = false;
                first.comments = self.merge(name.comments, first.comments);
            }
            None => self.pending = self.merge(self.pending, name.comments),
        }
        if let (true, Some(first), Some(last)) = (is_call, items.first(), items.last()) {
            let (first, last) = (first.token.span, last.token.span);
            let span = first.to(last);
            self.calls.push((first, NamedTokens { last, span: Span { file: file.named(), ..span } }));
        }
        definition.disabled.set(true);
        self.frames.push(Frame::Expansion(ExpansionFrame { items, pos: 0, disabled: Some(definition) }));
    }

    /// `__LINE__`, `__FILE__`, `__COUNTER__`.
    fn expand_builtin(&mut self, mut item: Item) -> Expanded {
        let token = &mut item.token;
        let names = self.names;
        if token.text == names.line {
            let (line, _) = self.presumed_place(token.span);
            (token.kind, token.text) = (TokenKind::Int, Symbol::new(&line.to_string()));
        } else if token.text == names.file {
            let (_, name) = self.presumed_place(token.span);
            (token.kind, token.text) = (TokenKind::String, Symbol::new(&name));
        } else if token.text == names.counter {
            (token.kind, token.text) = (TokenKind::Int, Symbol::new(&self.counter.to_string()));
            self.counter += 1;
        }
        Expanded::No(item)
    }

    /// Line (from 1) and quoted file name of a place, as `#line` has them.
    fn presumed_place(&self, span: Span) -> (u64, String) {
        let site = self.sources.use_site(span);
        let (line, _) = self.sources.line_column(site.file, site.start);
        // The name in sidecars: texts depend on neither the working directory nor the machine.
        let name = self.sources.file(site.file).map_or(String::new(), |f| self.loader.recorded_name(&f.name));
        let quoted = || format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
        match self.presumed.get(&site.file) {
            Some((physical, presumed, name)) => {
                let line = presumed.saturating_add(line.saturating_sub(*physical) as u64);
                (line, name.map_or_else(quoted, |n| n.as_str().to_owned()))
            }
            None => (line as u64 + 1, quoted()),
        }
    }

    /// Whether the next token, beyond the ends of expansions and lines, is `(`.
    fn call_follows(&self) -> bool {
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Barrier => return false,
                Frame::Expansion(frame) => {
                    if let Some(item) = frame.items.get(frame.pos) {
                        return item.token.text == self.names.open;
                    }
                }
                Frame::File(frame) => {
                    let rest = frame.lexed.tokens.get(frame.pos..).unwrap_or_default();
                    let next = rest.iter().find(|t| t.kind != TokenKind::Newline);
                    return next.is_some_and(|t| t.text == self.names.open);
                }
            }
        }
        false
    }

    /// Reads `( ... )` and splits it at commas; also gives the place of the `)`. Reports a call without an end.
    fn arguments(&mut self, name: &Token, params: usize, variadic: bool) -> Option<(Vec<Vec<Item>>, Span)> {
        let names = self.names;
        self.argument_depth += 1;
        let mut list: Vec<Vec<Item>> = vec![Vec::new()];
        let mut nesting = 0u32;
        let mut result = None;
        while let Some(mut item) = self.pull() {
            let text = item.token.text;
            if item.token.kind == TokenKind::Punct {
                if text == names.open {
                    nesting += 1;
                    if nesting == 1 {
                        continue;
                    }
                } else if text == names.close {
                    nesting = nesting.saturating_sub(1);
                    if nesting == 0 {
                        result = Some(item.token.span);
                        break;
                    }
                } else if text == names.comma && nesting == 1 && !(variadic && list.len() == params) {
                    list.push(Vec::new());
                    continue;
                }
            }
            item.token.line_start = false;
            if let Some(last) = list.last_mut() {
                item.token.joined &= !last.is_empty();
                last.push(item);
            }
        }
        self.argument_depth -= 1;
        if result.is_none() && !self.aborted {
            let message = format!("this use of macro `{}` has no closing `)`", name.text);
            self.error(Code::MACRO_ARGUMENTS, name.span, message);
        }
        result.map(|close| (list, close))
    }

    /// Checks the number of arguments, and makes it that of the parameters.
    fn fit(&mut self, definition: &Macro, mut raw: Vec<Vec<Item>>, call: Span) -> Option<Vec<Vec<Item>>> {
        let wanted = definition.params.as_ref().map_or(0, Vec::len);
        if wanted == 0 && raw.len() == 1 && raw.first().is_some_and(Vec::is_empty) {
            raw.clear();
        }
        if definition.variadic && raw.len() + 1 == wanted {
            raw.push(Vec::new());
        }
        if raw.len() == wanted {
            return Some(raw);
        }
        let least = if definition.variadic { format!("at least {}", wanted - 1) } else { wanted.to_string() };
        let message = format!("macro `{}` takes {least} argument(s), but {} are given", definition.name, raw.len());
        let diagnostic = Diagnostic::error(Code::MACRO_ARGUMENTS, call, message);
        self.diags.push(diagnostic.label(definition.span, "the macro is defined here"));
        None
    }

    // Substitution ---------------------------------------------------------------------------------------------------

    fn substitute(&mut self, m: &Macro, parts: &[Part], file: FileId, args: &mut Arguments, out: &mut Output) {
        for (index, part) in parts.iter().enumerate() {
            let pasted_after = matches!(parts.get(index + 1), Some(Part::Paste(_)));
            match part {
                Part::Token(token) => {
                    let drop_comma = token.text == self.names.comma
                        && pasted_after
                        && self.is_empty_variadic(m, parts.get(index + 2), args);
                    let item = Item { token: in_expansion(token, file), painted: false };
                    self.append(out, if drop_comma { &[] } else { std::slice::from_ref(&item) });
                }
                Part::Stringify(param, hash) => {
                    let raw = args.raw.get(*param).map_or(&[][..], Vec::as_slice);
                    // Each character may need a backslash.
                    let longest = raw.iter().map(|i| 2 * i.token.text.as_str().len() + 1).sum();
                    if !self.spells(longest, hash.span) {
                        return;
                    }
                    let text = Symbol::new(&stringify(raw));
                    let token = Token { kind: TokenKind::String, text, ..in_expansion(hash, file) };
                    self.append(out, &[Item { token, painted: false }]);
                }
                Part::Param(param, token) => {
                    // `, ##__VA_ARGS__` pastes nothing; it only drops the comma when there are no arguments.
                    if is_variadic_param(m, *param) && out.paste.is_some() && follows_comma(parts, index) {
                        out.paste = None;
                    }
                    let raw = out.paste.is_some() || pasted_after;
                    let pasted = out.paste.is_some() && !out.empty;
                    let start = out.items.len();
                    let items = if raw { args.raw.get(*param).map(Vec::as_slice) } else { self.expanded(args, *param) };
                    self.append(out, items.unwrap_or_default());
                    if let Some(first) = out.items.get_mut(start).filter(|_| !pasted) {
                        first.token.space_before = token.space_before;
                        first.token.joined = false;
                    }
                    out.unjoin = true;
                }
                Part::Paste(token) => out.paste = Some(in_expansion(token, file)),
                Part::VaOpt(inner, space) => self.substitute_optional(m, (inner, *space), file, args, out),
            }
            if out.items.len() as u64 + self.expanded_tokens > self.out.limits.expansion {
                return;
            }
        }
    }

    /// `__VA_OPT__(inner)`: nothing if the variadic argument expands to nothing.
    fn substitute_optional(
        &mut self,
        m: &Macro,
        (inner, space): (&[Part], bool),
        file: FileId,
        args: &mut Arguments,
        out: &mut Output,
    ) {
        let variadic = m.params.as_ref().map_or(0, Vec::len).saturating_sub(1);
        if self.expanded(args, variadic).is_none_or(<[Item]>::is_empty) {
            return self.append(out, &[]);
        }
        let paste = out.paste.take();
        let mut nested = Output { items: Vec::new(), paste: None, empty: true, unjoin: false };
        self.substitute(m, inner, file, args, &mut nested);
        if let Some(first) = nested.items.first_mut() {
            first.token.space_before = space;
        }
        out.paste = paste;
        self.append(out, &nested.items);
    }

    fn is_empty_variadic(&mut self, m: &Macro, part: Option<&Part>, args: &Arguments) -> bool {
        matches!(part, Some(Part::Param(index, _))
            if is_variadic_param(m, *index) && args.raw.get(*index).is_none_or(Vec::is_empty))
    }

    /// An argument expanded on its own, as it is substituted where neither `#` nor `##` touches it.
    fn expanded<'b>(&mut self, args: &'b mut Arguments, index: usize) -> Option<&'b [Item]> {
        let raw = args.raw.get(index)?;
        let slot = args.expanded.get_mut(index)?;
        let n = self.names;
        let is_macro = |i: &Item| {
            let text = i.token.text;
            let builtin = || [n.line, n.file, n.counter].contains(&text);
            i.token.kind == TokenKind::Ident && (self.macros.contains_key(&text) || builtin())
        };
        if slot.is_none() && raw.iter().any(is_macro) {
            *slot = Some(self.expand_apart(raw.clone(), false));
        }
        Some(slot.as_deref().unwrap_or(raw))
    }

    /// Expands tokens as if nothing came after them. `condition`: `defined X` and `__has_include(...)` are answered.
    pub(super) fn expand_apart(&mut self, items: Vec<Item>, condition: bool) -> Vec<Item> {
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            if let Some(first) = items.first() {
                let message = format!("macro calls are nested more than {MAX_ARGUMENT_DEPTH} deep");
                self.abort(Diagnostic::error(Code::EXPANSION_LIMIT, first.token.span, message));
            }
            return Vec::new();
        }
        let (read, limit) = (items.len() as u64, self.out.limits.expansion);
        self.apart_tokens += read;
        if self.apart_tokens > limit
            && let Some(first) = items.first()
        {
            let message =
                format!("the arguments of macro calls that are nested have more than {limit} tokens together");
            self.abort(Diagnostic::error(Code::EXPANSION_LIMIT, first.token.span, message));
        }
        self.argument_depth += 1;
        self.frames.push(Frame::Barrier);
        self.frames.push(Frame::Expansion(ExpansionFrame { items, pos: 0, disabled: None }));
        let mut out = Vec::new();
        while let Some(item) = self.pull() {
            if condition && let Some(answer) = self.condition_operator(&item.token) {
                out.push(answer);
                continue;
            }
            if let Expanded::No(item) = self.expand(item) {
                out.push(item);
            }
        }
        while let Some(frame) = self.frames.pop() {
            match frame {
                Frame::Barrier => break,
                Frame::Expansion(ExpansionFrame { disabled: Some(definition), .. }) => definition.disabled.set(false),
                _ => {}
            }
        }
        self.argument_depth -= 1;
        self.apart_tokens -= read;
        self.expanded_tokens += out.len() as u64;
        out
    }

    // Pasting --------------------------------------------------------------------------------------------------------

    /// Adds what a part has produced, pasted to what is there if `##` stands between.
    fn append(&mut self, out: &mut Output, items: &[Item]) {
        let before = out.items.len();
        match (out.paste.take(), items) {
            (Some(_), []) => return,
            (Some(paste), [first, rest @ ..]) if !out.empty => {
                self.paste(out, first, &paste);
                out.items.extend_from_slice(rest);
            }
            _ => out.items.extend_from_slice(items),
        }
        if std::mem::take(&mut out.unjoin)
            && let Some(first) = out.items.get_mut(before)
        {
            first.token.joined = false;
        }
        out.empty = items.is_empty();
    }

    /// Counts the bytes of a token that `#` or `##` makes; false if there are too many of them.
    fn spells(&mut self, bytes: usize, span: Span) -> bool {
        self.spelled_bytes += bytes as u64;
        let limit = self.out.limits.file_bytes;
        let fits = self.spelled_bytes <= limit;
        if !fits {
            let message = format!("the tokens that `#` and `##` make have more than {limit} bytes together");
            self.abort(Diagnostic::error(Code::EXPANSION_LIMIT, span, message));
        }
        fits
    }

    /// `left ## right`: the one token that both spell together.
    fn paste(&mut self, out: &mut Output, right: &Item, paste: &Token) {
        let lengths = out.items.last().map(|left| [left, right].map(|item| item.token.text.as_str().len()));
        if !lengths.is_some_and(|lengths| self.spells(lengths.iter().sum(), paste.span)) {
            return;
        }
        let Some(left) = out.items.last_mut() else { return };
        let text = format!("{}{}", left.token.text, right.token.text);
        if let Some(kind) = single_token(&text) {
            left.token = Token { kind, text: Symbol::new(&text), ..left.token };
            left.painted = false;
            return;
        }
        // Operators that begin with `>` stay apart (see `TokenKind::Punct`), and are joined by position.
        let mut token = right.token;
        token.space_before = false;
        token.joined = left.token.text == ">" && matches!(token.text.as_str(), ">" | "=");
        let joined = token.joined;
        let message = format!("`##` makes `{text}`, which is not a token");
        out.items.push(Item { token, ..*right });
        if !joined {
            let warning = Diagnostic::warning(Code::BAD_DIRECTIVE, paste.span, message);
            self.diags.push(warning.note("both sides are left as they are, side by side"));
        }
    }
}

impl Macro {
    /// What it is as a number, with a sign and in parentheses or not.
    fn number(&self) -> Option<UnusedNumber> {
        let (mut tokens, mut is_negative) = (self.body.as_slice(), false);
        let value = tokens.first()?.span.to(tokens.last()?.span);
        loop {
            match tokens {
                [open, inner @ .., close] if open.text == "(" && close.text == ")" => tokens = inner,
                [sign, inner @ ..] if sign.text == "-" && !is_negative => (tokens, is_negative) = (inner, true),
                _ => break,
            }
        }
        let [number] = tokens else { return None };
        let is_number = matches!(number.kind, TokenKind::Int | TokenKind::Float);
        let (definition, remarks) = (self.span, self.remarks.clone());
        let found = UnusedNumber { name: self.name, definition, value, number: *number, is_negative, remarks };
        is_number.then_some(found)
    }

    /// The use with these arguments, if its first and last token are its own and each argument is there as it is.
    fn call(&self, arguments: &Arguments) -> Option<MacroCall> {
        let params = self.params.as_ref().filter(|_| !self.variadic)?;
        let (Some(Part::Token(_)), Some(Part::Token(_))) = (self.parts.first(), self.parts.last()) else { return None };
        let is_plain = |part: &Part| matches!(part, Part::Token(_) | Part::Param(..));
        if !self.parts.iter().all(is_plain) {
            return None;
        }
        let ends = |raw: &Vec<Item>| Some((raw.first()?.token.span, raw.last()?.token.span));
        let args: Option<Vec<_>> = arguments.raw.iter().take(params.len()).map(ends).collect();
        args.filter(|args| args.len() == params.len()).map(|args| MacroCall { params: params.clone(), args })
    }
}

fn is_variadic_param(m: &Macro, index: usize) -> bool {
    m.variadic && m.params.as_ref().is_some_and(|p| p.len() == index + 1)
}

/// Whether the part at `index` stands after `, ##`.
fn follows_comma(parts: &[Part], index: usize) -> bool {
    let before = index.checked_sub(2).and_then(|i| parts.get(i));
    matches!(before, Some(Part::Token(t)) if t.text == ",")
}

/// A token of a replacement list as part of an expansion.
fn in_expansion(token: &Token, file: FileId) -> Token {
    Token { span: Span { file, ..token.span }, comments: CommentRange::default(), line_start: false, ..*token }
}

/// How many tokens `( ... )` takes, if `tokens` begin with one.
fn matching(tokens: &[Token], open: Symbol, close: Symbol) -> Option<usize> {
    let mut depth = 0u32;
    for (index, token) in tokens.iter().enumerate() {
        if token.text == open {
            depth += 1;
        } else if token.text == close {
            depth = depth.checked_sub(1)?;
        }
        if depth == 0 {
            return (index > 0).then_some(index + 1);
        }
    }
    None
}

/// `#argument`: the spelling in quotes, white space between tokens as one blank.
fn stringify(items: &[Item]) -> String {
    let mut text = String::from("\"");
    for (index, Item { token, .. }) in items.iter().enumerate() {
        if index > 0 && token.space_before {
            text.push(' ');
        }
        let quoted = matches!(token.kind, TokenKind::String | TokenKind::Char);
        for c in token.text.as_str().chars() {
            if quoted && matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    text
}
