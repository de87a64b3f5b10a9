//! Uses of macros with parameters: `SQUARE(a + b)`.
//!
//! An expression of all of a macro's tokens is written by its name where languages have macros. What the macro stands for is the
//! expression as it is printed, with a parameter for each part that comes from an argument as a whole. All uses with the same text
//! for it are written by the name, so that a preprocessor makes of them what is printed without it.

use super::expr::Exprs;
use super::marks::is_mark;
use super::named::{MARK, words};
use super::trivia::Trivia;
use crate::lex::{TokenKind, single_token};
use crate::source::{FileId, MacroCall, Span};
use crate::tree::{ExprId, ExprKind, Function, Member, Prec};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// The uses whose expansions are written now, one within the other; `None`: an argument is written as it is.
#[derive(Default)]
pub(super) struct Calls {
    open: RefCell<Vec<Option<OpenCall>>>,
    /// There is one.
    is_open: Cell<bool>,
}

/// A use whose expansion is written with parameters for its arguments.
struct OpenCall {
    expansion: FileId,
    call: Arc<MacroCall>,
    /// What stands for the parameters so far, with its text.
    args: Vec<Option<(ExprId, String)>>,
    /// It cannot be written by the name.
    is_lost: bool,
}

/// What a use is written as.
struct Written {
    /// What the macro stands for.
    text: String,
    args: Vec<ExprId>,
}

impl Calls {
    fn push(&self, call: Option<OpenCall>) {
        self.is_open.set(call.is_some());
        self.open.borrow_mut().push(call);
    }

    fn pop(&self) -> Option<OpenCall> {
        let mut open = self.open.borrow_mut();
        let last = open.pop().flatten();
        self.is_open.set(open.last().is_some_and(Option::is_some));
        last
    }

    /// Asks the use whose expansion is written.
    fn with<T>(&self, ask: impl FnOnce(&mut OpenCall) -> T) -> Option<T> {
        self.open.borrow_mut().last_mut()?.as_mut().map(ask)
    }
}

impl super::named::Macros<'_> {
    /// Whether the expansion of a use is written, with parameters for its arguments.
    pub(super) fn is_in_call(&self) -> bool {
        self.calls.is_open.get()
    }

    /// Whether a span is of tokens of an expansion, maybe through others in it.
    fn is_inside(&self, span: Span, expansion: FileId) -> bool {
        let mut file = span.file.plain();
        while file != expansion {
            match self.sources.expansion(file) {
                Some(outer) => file = outer.call_site.file.plain(),
                None => return false,
            }
        }
        true
    }

    /// The span of the name of a function in a call that begins with all of what a macro without parameters stands for.
    fn callee(&self, call: Span) -> Option<Span> {
        let expansion = self.sources.expansion(call.file).filter(|of| of.call.is_none() && !call.file.is_named())?;
        let name = self.sources.spelled(call);
        let Span { file, end, .. } = expansion.definition;
        let rest = self.sources.file(file)?.text.get(end as usize..)?.trim_start().strip_prefix(name)?;
        let line = rest.lines().next().unwrap_or_default().trim_start();
        let is_all = line.is_empty() || line.starts_with("//") || line.starts_with("/*") && line.ends_with("*/");
        (is_all && single_token(name) == Some(TokenKind::Ident)).then(|| Span { file: call.file.named(), ..call })
    }

    /// Writes a name that all of a macro of this span stands for.
    pub(super) fn write_name(&self, trivia: &Trivia, span: Span, name: &str, out: &mut String) {
        self.use_of(trivia, out, |out| {
            self.write(span, true, out, &|out| {
                out.push_str(name);
                Prec::Postfix
            })
        });
    }

    /// A span, or the use of a macro that it comes from, in a file or expansion.
    fn within(&self, span: Span, file: FileId) -> Option<Span> {
        let (mut span, file) = (span, file.plain());
        while span.file.plain() != file {
            span = self.sources.expansion(span.file)?.call_site;
        }
        Some(span)
    }
}

impl Exprs<'_> {
    /// Writes the use of a macro with parameters.
    pub(super) fn macro_call(&self, id: ExprId, span: Span, out: &mut String) -> Prec {
        let macros = &self.cx.macros;
        let Some((at, expansion)) = macros.of_use(span) else { return self.print_plain(id, out) };
        if macros.are_constants && !self.may_be_called(id) {
            return self.print_plain(id, out);
        }
        let Some(Written { text, args }) = self.expanded(id, span, true) else { return self.print_plain(id, out) };
        let value = || self.expanded(id, span, false).map(|written| written.text);
        if !macros.writes_call(at, &text, value) {
            return self.print_plain(id, out);
        }
        out.push(MARK);
        out.push_str(expansion.name.as_str());
        out.push('(');
        self.list(&args, out, &mut |_, arg, out| self.operand(arg, Prec::Assign, out));
        out.push(')');
        Prec::Postfix
    }

    /// Writes the name of the function that an expression calls.
    pub(super) fn callee(&self, call: ExprId, name: &str, out: &mut String) {
        let macros = &self.cx.macros;
        match macros.callee(self.arena[call].span) {
            Some(span) if macros.are_constants => self.forwarded(span, call, name, out),
            Some(span) => macros.write_name(&self.cx.trivia, span, name, out),
            None => out.push_str(name),
        }
    }

    /// The macro that the source has for the struct of a static function that it calls, and not for the function: `LAYOUT::make()`.
    pub(super) fn macro_of_struct(&self, callee: &Function, call: ExprId) -> Option<Span> {
        let macros = &self.cx.macros;
        let span = Some(self.arena[call].span).filter(|_| callee.member == Member::Static && !macros.are_constants)?;
        let is_other = |name: &Span| macros.sources.spelled(*name) != macros.sources.spelled(callee.span);
        macros.callee(span).filter(is_other)
    }

    /// What a use stands for, with parameters; without the names of macros in it if it is plain.
    fn expanded(&self, id: ExprId, span: Span, is_plain: bool) -> Option<Written> {
        let macros = &self.cx.macros;
        let call = macros.sources.expansion(span.file)?.call.clone().unwrap_or_default();
        let params = call.params.clone();
        let args = params.iter().map(|_| None).collect();
        macros.calls.push(Some(OpenCall {
            expansion: span.file.plain(),
            call,
            args,
            is_lost: self.is_of_no_macro(id),
        }));
        let mut text = String::new();
        let prec = self.cx.trivia.without(|| macros.plain(is_plain, || self.print_plain(id, &mut text)));
        let written = macros.calls.pop().filter(|written| !written.is_lost)?;
        text.retain(|c| !is_mark(c));
        if prec < Prec::Postfix && !macros.are_constants {
            text = format!("({text})");
        }
        // What is called like a parameter would be replaced, too.
        let names = words(&text);
        if params.iter().any(|param| names.contains(param.as_str())) {
            return None;
        }
        let args = written.args.into_iter().map(|arg| arg.map(|(id, _)| id)).collect::<Option<Vec<ExprId>>>()?;
        let text = if macros.are_constants { self.macro_function(id, (&params, &args), &text)? } else { text };
        Some(Written { text, args })
    }

    /// Writes a parameter for an expression that is an argument of the use which is written. Nothing if it is none.
    pub(super) fn argument_of_macro(&self, id: ExprId, out: &mut String) -> Option<Prec> {
        let macros = &self.cx.macros;
        if !macros.is_in_call() {
            return None;
        }
        let (expansion, call) = macros.calls.with(|open| (open.expansion, open.call.clone()))?;
        let Some(param) = self.param_of(id, expansion, &call) else {
            if self.is_of_no_macro(id) {
                macros.calls.with(|open| open.is_lost = true);
            }
            return None;
        };
        macros.calls.push(None);
        let mut text = String::new();
        macros.plain(true, || self.operand(id, Prec::Assign, &mut text));
        macros.calls.pop();
        text.retain(|c| !is_mark(c));
        let is_two = !macros.are_constants && has_bare_comma(&text);
        macros.calls.with(|open| {
            open.is_lost |= is_two;
            let known = open.args.get_mut(param);
            match known.map(|known| known.get_or_insert_with(|| (id, text.clone()))) {
                Some((_, known)) if *known == text => {}
                _ => open.is_lost = true,
            }
        });
        out.push(MARK);
        out.push_str(call.params.get(param)?.as_str());
        // A preprocessor puts the text of the argument there.
        Some(if macros.are_constants { Prec::Postfix } else { Prec::Assign })
    }

    /// The number of the argument that an expression is. Where one is only a part of an argument, the use is lost.
    fn param_of(&self, id: ExprId, expansion: FileId, call: &MacroCall) -> Option<usize> {
        let macros = &self.cx.macros;
        if self.arena.any_part(id, |part| macros.is_inside(self.arena[part].span, expansion)) {
            return None;
        }
        let span = self.arena[id].span;
        let holds = |span: Span, (begin, end): &(Span, Span)| {
            let found = macros.within(span, begin.file).filter(|_| span != Span::default());
            let is_before_end = |found: Span| match end.file.plain() == begin.file.plain() {
                true => found.start < end.end,
                false => found.start == begin.start,
            };
            found.is_some_and(|found| found.start >= begin.start && is_before_end(found))
        };
        let param_at = |span: Span| call.args.iter().position(|arg| holds(span, arg));
        let param = param_at(span)?;
        // `a + b` begins with an argument and has another one.
        if self.arena.any_part(id, |part| param_at(self.arena[part].span).is_some_and(|other| other != param)) {
            return None;
        }
        // `i * i` begins and ends with an argument, and is none.
        if call.args.get(param).is_some_and(|arg| self.has_twice(id, *arg)) {
            return None;
        }
        // A member that the macro names: the span is that of what it is a member of.
        let is_member =
            matches!(self.kind(id), ExprKind::Field(..) | ExprKind::Swizzle(..) | ExprKind::MatrixSwizzle(..));
        if is_member && !macros.sources.spelled(span).contains('.') && !self.is_own_member(id) {
            return None;
        }
        let is_whole = call.args.get(param).is_some_and(|arg| self.is_all_of(id, *arg));
        if !is_whole {
            macros.calls.with(|open| open.is_lost = true);
            return None;
        }
        Some(param)
    }

    /// Whether an expression is a member that the source names alone, as in methods and `cbuffer`s: what has it has the span of it.
    fn is_own_member(&self, id: ExprId) -> bool {
        let ExprKind::Field(of, _) = *self.kind(id) else { return false };
        let object = if let ExprKind::Contents(buffer) = *self.kind(of) { buffer } else { of };
        let declared = match *self.kind(object) {
            ExprKind::Local(local) => self.locals.map(|locals| locals[local].span),
            ExprKind::Global(global) => Some(self.cx.program.globals[global].span),
            _ => None,
        };
        let spelled = |span: Span| self.cx.macros.sources.spelled(span);
        let span = self.arena[id].span;
        self.arena[of].span == span && declared.is_some_and(|declared| spelled(declared) != spelled(span))
    }

    /// Whether each operand of an operator in an expression is all of one argument, which the macro has twice.
    fn has_twice(&self, id: ExprId, arg: (Span, Span)) -> bool {
        let span = |operand: ExprId| self.arena[operand].span;
        self.arena.any_part(id, |part| match *self.kind(part) {
            ExprKind::Binary(_, a, b) => span(a) == span(b) && span(a) != Span::default() && self.is_all_of(a, arg),
            _ => false,
        })
    }

    /// Whether an expression is all of what the source has from one token to another, besides parentheses.
    fn is_all_of(&self, id: ExprId, (begin, end): (Span, Span)) -> bool {
        let macros = &self.cx.macros;
        let (mut first, mut last) = (u32::MAX, 0);
        self.arena.any_part(id, |part| {
            let span = self.arena[part].span;
            let found = macros.within(span, begin.file).filter(|_| span != Span::default());
            if let Some(Span { start, end, .. }) = found {
                (first, last) = (first.min(start), last.max(end));
            }
            false
        });
        let between = |start: u32, end: u32| macros.sources.spelled(Span { start, end: end.max(start), ..begin });
        let is_bracket = |brackets: &str, text: &str| text.chars().all(|c| c.is_whitespace() || brackets.contains(c));
        is_bracket("(", between(begin.start, first))
            && (end.file.plain() != begin.file.plain() || is_bracket(")", between(last, end.end)))
    }
}

/// Whether a text would be two arguments: commas stand in no parentheses, as those of `vector<float, 3>`.
fn has_bare_comma(text: &str) -> bool {
    let mut depth = 0_usize;
    text.chars().any(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}
