//! Macros of the source that stand for values: an expression that comes from one macro as a whole is written by its name. Where
//! macros become constants, it is a constant expression. Sizes of arrays and arguments of attributes are among those.
//!
//! What a name stands for is what its macro is written as most often, and of equals what is shortest. That is known when the text
//! is printed: at first it is taken to be what the first use is written as, and the text is printed again if that was wrong. Names
//! that the text has otherwise, too, are left out another time.

use super::aliases;
use super::context::Context;
use super::expr::Exprs;
use super::macro_calls::Calls;
use super::macro_functions;
use super::macro_places::{self, Placed};
use super::marks::{self, Piece, PieceKind, is_mark};
use super::trivia::Trivia;
use super::writer::{Slot, Writer};
use crate::lex::{Comment, TokenKind};
use crate::source::{Expansion, Remark, Sources, Span};
use crate::symbol::Symbol;
use crate::target::reserved::Reserved;
use crate::target::{Language, Profile};
use crate::tree::{Alias, ExprId, ExprKind, GlobalKind, Literal, LocalId, Prec, Scalar, Type, UnaryOp};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Stands before the names of macros until it is known which of them the text has otherwise.
pub(super) const MARK: char = '\u{1}';

/// The macros of one text.
pub(super) struct Macros<'a> {
    pub(super) sources: &'a Sources,
    /// They become constants, not macros.
    pub(super) are_constants: bool,
    known: RefCell<Vec<Macro>>,
    /// Those by their definitions.
    places: RefCell<FxHashMap<Span, usize>>,
    mode: Cell<Mode>,
    /// What names must not be.
    reserved: &'static Reserved,
    /// No names are written now: it is asked how a text is without them.
    is_plain: Cell<bool>,
    /// The size of an array or the like is written now, which takes integers of any type.
    is_size: Cell<bool>,
    /// Calls whose expansions are written now.
    pub(super) calls: Calls,
}

/// What is done with the uses of macros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// They are noted, then written with what is known so far.
    Guess,
    /// It is noted what they are written as. No names are written.
    Note,
    /// They are written by the names that stand for them.
    Write,
}

/// A macro.
struct Macro {
    name: Symbol,
    /// It can be written by its name.
    is_legal: bool,
    /// If it has any.
    params: Option<Vec<Symbol>>,
    definition: Span,
    /// What it is written as.
    texts: Vec<Meaning>,
    /// What its name stands for, without other names.
    chosen: Option<String>,
    /// The same with names, once that is written.
    value: Option<String>,
    /// Its own value is being written.
    is_open: bool,
    remarks: Arc<[Remark]>,
    body: Body,
    /// It is the name of a type.
    is_type: bool,
    /// The name of the struct that it stands for.
    structure: Option<Span>,
}

/// What is in the definition of a macro.
#[derive(Clone, Copy, Debug)]
enum Body {
    Number(Number),
    /// A name, maybe of another macro, or `true`.
    Word(Symbol),
    Other,
}

impl Body {
    /// Of a span of all of it.
    fn of(sources: &Sources, span: Span) -> Body {
        let text = sources.spelled(span).trim_matches(['(', ')', ' ']);
        match crate::lex::single_token(text) {
            Some(TokenKind::Ident) => Body::Word(Symbol::new(text)),
            _ => Number::parse(text).map_or(Body::Other, Body::Number),
        }
    }
}

/// A number of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    value: f64,
    pub(super) is_integer: bool,
    pub(super) is_unsigned: bool,
}

impl Number {
    /// One with its sign.
    fn parse(text: &str) -> Option<Number> {
        let digits = text.trim_start_matches(['-', '+', ' ']);
        let is_integer = match crate::lex::single_token(digits)? {
            TokenKind::Int => true,
            TokenKind::Float => false,
            _ => return None,
        };
        let prefixed = |of: &[&str]| of.iter().find_map(|prefix| digits.strip_prefix(prefix));
        let hexadecimal = prefixed(&["0x", "0X"]).map(|digits| (digits, 16));
        let value = match hexadecimal.or_else(|| prefixed(&["0b", "0B"]).map(|digits| (digits, 2))) {
            Some((digits, base)) => {
                i64::from_str_radix(digits.trim_end_matches(['u', 'U', 'l', 'L']), base).ok()? as f64
            }
            None => digits.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?,
        };
        let is_unsigned = is_integer && digits.contains(['u', 'U']);
        Some(Number { value: if text.starts_with('-') { -value } else { value }, is_integer, is_unsigned })
    }
}

/// What a macro is written as somewhere.
struct Meaning {
    text: String,
    /// How often in its own type.
    as_is: usize,
    /// How often.
    count: usize,
}

/// Where a macro of several lines has the end of one.
pub(super) const BREAK: char = '\u{2028}';

impl<'a> Macros<'a> {
    /// None are known.
    pub(super) fn new(sources: &'a Sources, profile: &Profile) -> Macros<'a> {
        let are_constants = match profile.language {
            Language::Hlsl | Language::Glsl => false,
            Language::Wgsl => true,
        };
        let (known, places) = (RefCell::default(), RefCell::default());
        let (is_plain, is_size) = <(Cell<bool>, Cell<bool>)>::default();
        let (mode, reserved, calls) = (Cell::new(Mode::Guess), Reserved::of(profile), Calls::default());
        Macros { sources, are_constants, known, places, mode, reserved, is_plain, is_size, calls }
    }

    /// Writes a use with all that is in it.
    pub(super) fn use_of<T>(&self, trivia: &Trivia, out: &mut String, print: impl Fn(&mut String) -> T) -> T {
        if self.mode.get() != Mode::Guess || self.is_plain.get() {
            return print(out);
        }
        self.mode.set(Mode::Note);
        trivia.at_first(|| print(&mut String::new()));
        self.mode.set(Mode::Write);
        let printed = print(out);
        self.mode.set(Mode::Guess);
        printed
    }

    /// Whether names are written.
    fn are_written(&self) -> bool {
        self.mode.get() == Mode::Write && !self.is_plain.get()
    }

    /// Writes the size of an array or the like.
    pub(super) fn size<T>(&self, print: impl FnOnce() -> T) -> T {
        self.is_size.set(true);
        let text = print();
        self.is_size.set(false);
        text
    }

    /// Writes a constant expression of this span, by the name of its macro if that stands for it.
    pub(super) fn write(&self, span: Span, as_is: bool, out: &mut String, print: &dyn Fn(&mut String) -> Prec) -> Prec {
        let Some(at) = self.place(span).filter(|_| !self.is_plain.get()) else { return print(out) };
        if !self.are_written() {
            let start = out.len();
            let prec = print(out);
            self.note(at, out.get(start..).unwrap_or_default(), as_is);
            return prec;
        }
        let with = |change: &mut dyn FnMut(&mut Macro)| self.known.borrow_mut().get_mut(at).map(change);
        let mut wanted = None;
        with(&mut |known| wanted = known.chosen.clone().filter(|_| !known.is_open));
        let Some(wanted) = wanted else { return print(out) };
        self.is_plain.set(true);
        let mut text = String::new();
        print(&mut text);
        text.retain(|c| !is_mark(c));
        self.is_plain.set(false);
        if text != wanted {
            return print(out);
        }
        let mut is_new = false;
        with(&mut |known| (is_new, known.is_open) = (known.value.is_none(), known.value.is_none()));
        if is_new {
            let mut value = String::new();
            let prec = print(&mut value);
            let value = if prec < Prec::Postfix && !self.are_constants { format!("({value})") } else { value };
            with(&mut |known| (known.value, known.is_open) = (Some(value.clone()), false));
        }
        with(&mut |known| {
            out.push(MARK);
            out.push_str(known.name.as_str());
        });
        Prec::Postfix
    }

    /// The number that the macro of a span stands for, if it is nothing else.
    pub(super) fn number(&self, span: Span) -> Option<Number> {
        match self.place(span).and_then(|at| Some(self.known.borrow().get(at)?.body))? {
            Body::Number(number) => Some(number),
            Body::Word(_) | Body::Other => None,
        }
    }

    /// Whether a literal can be what the macro of a span stands for. One that a pass computed is not.
    pub(super) fn may_be(&self, span: Span, literal: Literal) -> bool {
        let body = self.place(span).and_then(|at| Some(self.known.borrow().get(at)?.body));
        match (body, literal) {
            (Some(Body::Word(_)), _) => true,
            (Some(Body::Other) | None, _) => false,
            // Unsigned numbers are held as their bits.
            (Some(Body::Number(Number { value, .. })), Literal::Int(of)) => {
                of as f64 == value || f64::from(of as u32) == value || of as f64 == f64::from(value as i64 as i32)
            }
            (Some(Body::Number(number)), Literal::Float(of)) => of == number.value || of as f32 == number.value as f32,
            (Some(Body::Number(number)), Literal::Bool(of)) => number.is_integer && of == (number.value != 0.0),
            (Some(Body::Number(_)), Literal::Text(_)) => false,
        }
    }

    /// Writes a type by a name that the source gives it, if that stands for it; `value` gives what the name is declared as.
    pub(super) fn alias(
        &self,
        (alias, structure): (&Alias, Option<Span>),
        text: String,
        value: &dyn Fn(String) -> String,
    ) -> String {
        if self.is_plain.get() {
            return text;
        }
        let (name, definition, remarks) = (alias.name, alias.definition, alias.remarks.clone());
        let at =
            self.place_at(definition, || Macro { is_type: true, structure, ..Macro::new(name, definition, remarks) });
        match self.writes_call(at, &text, || Some(value(text.clone()))) {
            true => format!("{MARK}{name}"),
            false => text,
        }
    }

    /// The macro of a span.
    fn place(&self, span: Span) -> Option<usize> {
        let expansion = self.sources.expansion(span.file).filter(|_| span.file.is_named())?;
        (expansion.call.is_none()).then(|| self.place_of(span, expansion))
    }

    fn place_of(&self, span: Span, expansion: &Expansion) -> usize {
        self.place_at(expansion.definition, || {
            let params = expansion.call.as_ref().map(|call| call.params.clone());
            let body = if params.is_some() { Body::Other } else { Body::of(self.sources, span) };
            let of = Macro::new(expansion.name, expansion.definition, expansion.remarks.clone());
            Macro { params, body, ..of }
        })
    }

    /// Whether the name can stand for something in the text.
    fn is_legal(&self, of: &Macro) -> bool {
        let name = of.name.as_str();
        let is_taken = self.reserved.is_builtin(name) || of.is_type && self.reserved.is_no_alias(name);
        name.chars().all(is_part) && self.reserved.respell(name) == name && !is_taken
    }

    /// What is defined in a place.
    fn place_at(&self, definition: Span, make: impl FnOnce() -> Macro) -> usize {
        let mut known = self.known.borrow_mut();
        *self.places.borrow_mut().entry(definition).or_insert_with(|| {
            let made = make();
            known.push(Macro { is_legal: self.is_legal(&made), ..made });
            known.len() - 1
        })
    }

    /// Whether a span is that of a use of a macro with parameters.
    pub(super) fn is_call(&self, span: Span) -> bool {
        self.sources.expansion(span.file).is_some_and(|expansion| expansion.call.is_some())
    }

    /// The macro of a use, with the use, if it may be written by its name.
    pub(super) fn of_use(&self, span: Span) -> Option<(usize, &'a Expansion)> {
        let expansion = self.sources.expansion(span.file).filter(|_| !self.is_plain.get())?;
        Some((self.place_of(span, expansion), expansion))
    }

    /// Writes without names of macros, or leaves that as it is.
    pub(super) fn plain<T>(&self, is_plain: bool, print: impl FnOnce() -> T) -> T {
        let before = self.is_plain.get();
        self.is_plain.set(before || is_plain);
        let printed = print();
        self.is_plain.set(before);
        printed
    }

    /// Whether a use of a macro with parameters is written by its name, if this is what it stands for; `value` gives that with the
    /// names of other macros.
    pub(super) fn writes_call(&self, at: usize, text: &str, value: impl FnOnce() -> Option<String>) -> bool {
        if self.mode.get() != Mode::Write {
            self.note(at, text, true);
        }
        if self.mode.get() == Mode::Note {
            return false;
        }
        let of = |know: &dyn Fn(&Macro) -> bool| self.known.borrow().get(at).is_some_and(know);
        if !of(&|known| known.chosen.as_deref() == Some(text) && !known.is_open) {
            return false;
        }
        if of(&|known| known.value.is_some()) {
            return true;
        }
        let open = |is_open: bool| self.known.borrow_mut().get_mut(at).into_iter().for_each(|of| of.is_open = is_open);
        open(true);
        let value = value();
        open(false);
        let is_known = value.is_some();
        self.known.borrow_mut().get_mut(at).into_iter().for_each(|known| known.value = value.clone());
        is_known
    }

    fn note(&self, at: usize, text: &str, as_is: bool) {
        // Comments would be in each use.
        if text.contains(['\n', '\r']) || text.contains("//") || text.contains("/*") {
            return;
        }
        let mut known = self.known.borrow_mut();
        let Some(known) = known.get_mut(at) else { return };
        let place = known.texts.iter().position(|known| known.text == text).unwrap_or_else(|| {
            known.texts.push(Meaning { text: text.to_owned(), as_is: 0, count: 0 });
            known.texts.len() - 1
        });
        if let Some(known) = known.texts.get_mut(place) {
            // Others say what type it has.
            known.count += usize::from(!self.is_size.get());
            known.as_is += usize::from(as_is);
        }
        if known.is_legal && known.chosen.is_none() {
            known.chosen = Some(text.to_owned());
        }
    }

    /// Whether names are written, and this is what the name of a span's macro stands for.
    pub(super) fn stands_for(&self, span: Span, text: &str) -> bool {
        let Some(at) = self.place(span).filter(|_| self.are_written()) else { return false };
        let known = self.known.borrow();
        known.get(at).is_some_and(|known| known.chosen.as_deref() == Some(text) && !known.is_open)
    }

    /// Chooses what names stand for. False: just what they were taken for.
    pub(super) fn choose(&self) -> bool {
        self.mode.set(Mode::Write);
        // Files of a program may have the same macro, each for itself.
        let mut meanings: BTreeMap<&str, &str> = BTreeMap::new();
        let mut is_other = false;
        let mut known = self.known.borrow_mut();
        for known in known.iter_mut() {
            let best = known.texts.iter().max_by_key(|known| (known.as_is, known.count, Reverse(known.text.len())));
            let best = best.filter(|_| known.is_legal).map(|best| best.text.as_str());
            let best = best.filter(|best| *meanings.entry(known.name.as_str()).or_insert(best) == *best);
            if known.chosen.as_deref() != best {
                known.chosen = best.map(str::to_owned);
                is_other = true;
            }
        }
        if is_other {
            known.iter_mut().for_each(|known| known.value = None);
        }
        is_other
    }

    /// Leaves out names that a text has otherwise, too. False: there are none.
    pub(super) fn leave_out(&self, text: &str) -> bool {
        let mut known = self.known.borrow_mut();
        // What macros stand for has names of others only where those are meant.
        let values: Vec<String> = known.iter().filter_map(|known| known.value.clone()).collect();
        let texts = || values.iter().map(String::as_str).chain([text]);
        // A name is nowhere else if it is nowhere without a mark.
        let stands_bare = |name: &str, text: &str| {
            let is_marked = |at: usize| text.get(..at).is_some_and(|before| before.ends_with(MARK));
            text.match_indices(name).any(|(at, _)| !is_marked(at))
        };
        let may_be_met = |name: &str| texts().any(|text| stands_bare(name, text));
        if !known.iter().any(|known| known.chosen.is_some() && may_be_met(known.name.as_str())) {
            return false;
        }
        let met: BTreeSet<&str> = texts().flat_map(words).collect();
        let is_met = |known: &&mut Macro| known.chosen.is_some() && met.contains(known.name.as_str());
        let met = known.iter_mut().filter(is_met).map(|known| known.chosen = None).count();
        if met > 0 {
            known.iter_mut().for_each(|known| known.value = None);
        }
        met > 0
    }

    /// A text with its macros, each declared where the source has it.
    fn declare(&self, (text, slots): (&str, &[Slot]), cx: &Context) -> String {
        let known = self.known.borrow();
        let mut known: Vec<_> = known.iter().filter(|known| known.value.is_some()).collect();
        if known.is_empty() {
            return text.to_owned();
        }
        known.sort_by_cached_key(|known| macro_places::source_order(known.definition, self.sources));
        let mut names = BTreeSet::new();
        known.retain(|known| names.insert(known.name.as_str()));
        let values: Vec<String> = known.iter().map(|of| of.declared_as(&known)).collect();
        let placed: Vec<Placed> = known.iter().zip(&values).map(|(of, value)| of.placed(value)).collect();
        let places = macro_places::of(&placed, (text, slots), self.sources);
        let (mut whole, mut done) = (String::with_capacity(text.len()), 0);
        for (slot, at) in slots.iter().map(|slot| slot.at).enumerate() {
            let here = known.iter().zip(&values).zip(&places).filter(|(_, place)| **place == slot);
            let block = self.declarations(here.map(|((of, value), _)| (*of, value.as_str())), cx);
            whole.push_str(text.get(done..at).unwrap_or_default());
            done = at;
            if block.is_empty() {
                continue;
            }
            if !whole.is_empty() && !whole.ends_with("\n\n") {
                whole.push('\n');
            }
            whole.push_str(&block);
            let rest = text.get(at..).unwrap_or_default();
            if !rest.starts_with('\n') {
                whole.push('\n');
            }
        }
        whole.push_str(text.get(done..).unwrap_or_default());
        whole.retain(|c| c != MARK);
        whole
    }

    /// The lines that declare macros, with their values, comments and the blank lines between them.
    fn declarations<'m>(&self, here: impl Iterator<Item = (&'m Macro, &'m str)>, cx: &Context) -> String {
        let mut w = Writer::new(cx.options, &cx.marks, cx.head_origin());
        let mut was_function = false;
        for (Macro { name, params, remarks, definition, is_type, .. }, value) in here {
            let params = params.as_ref().map(|params| params.iter().map(|name| name.as_str()).collect::<Vec<_>>());
            let params = params.map(|params| format!("({})", params.join(", "))).unwrap_or_default();
            let comment = |remark: &Remark| {
                let Remark { text, trailing, blank_before } = *remark;
                Comment { text, span: Span::default(), trailing, blank_before, blank_after: false }
            };
            let comments: Vec<Comment> = remarks.iter().map(comment).collect();
            let function = macro_functions::parts(value);
            let comments = match function {
                Some(_) => macro_functions::remarks(comments),
                None => comments,
            };
            if function.is_some() || was_function || cx.trivia.is_blank_before(*definition) {
                w.blank();
            }
            was_function = function.is_some();
            w.before(&comments);
            w.from((*definition, PieceKind::Macro));
            let alias = is_type.then(|| aliases::declaration(cx.profile.language, name.as_str(), value)).flatten();
            match (cx.profile.language, function) {
                _ if alias.is_some() => w.line(&alias.unwrap_or_default()),
                (Language::Hlsl | Language::Glsl, _) => {
                    let line = format!("#define {name}{params} {}", value.trim_start_matches(BREAK));
                    w.line(&line.replace(BREAK, " \\\n    "));
                }
                (Language::Wgsl, None) => w.line(&format!("const {name} = {value};")),
                (Language::Wgsl, Some((head, value))) => {
                    macro_functions::declare(&format!("fn {name}{head}"), value, &mut w)
                }
            }
            w.after(&comments);
        }
        w.finish().0
    }
}

impl Macro {
    /// What its declaration says: another macro of the text that says the same, if the source names that.
    fn declared_as(&self, all: &[&Macro]) -> String {
        let other = match self.body {
            Body::Word(other) => Some(other),
            Body::Number(_) | Body::Other => None,
        };
        let says_same = |known: &&Macro| known.chosen == self.chosen;
        match other.filter(|other| all.iter().filter(|known| known.name == *other).any(says_same)) {
            Some(other) => format!("{MARK}{}", other.as_str()),
            None => self.value.clone().unwrap_or_default(),
        }
    }

    /// One of which nothing is known but its definition.
    fn new(name: Symbol, definition: Span, remarks: Arc<[Remark]>) -> Macro {
        Macro {
            name,
            is_legal: false,
            params: None,
            definition,
            texts: Vec::new(),
            chosen: None,
            value: None,
            is_open: false,
            remarks,
            body: Body::Other,
            is_type: false,
            structure: None,
        }
    }

    /// What decides where it is declared.
    fn placed<'m>(&'m self, value: &'m str) -> Placed<'m> {
        Placed { name: self.name.as_str(), definition: self.definition, value, behind: self.structure }
    }
}

impl Exprs<'_> {
    /// A constant that is all of what a macro stands for.
    pub(super) fn macro_value(&self, id: ExprId, span: Span, out: &mut String) -> Prec {
        let print = |out: &mut String| self.print_plain(id, out);
        match (self.kind(id), self.literal_scalar(id)) {
            (ExprKind::Literal(..), Some(scalar)) => self.macro_literal(id, scalar, out, &print),
            (ExprKind::Unary(UnaryOp::Negate, _), _) => self.cx.macros.write(span, true, out, &print),
            // The number in it is the macro's.
            _ if self.cx.macros.number(span).is_some() => print(out),
            (ExprKind::Binary(..), Some(Scalar::U32)) if self.is_of_signed_macro(id, span) => {
                out.push_str(self.dialect.scalar_name(Scalar::U32));
                out.push('(');
                self.cx.macros.write(span, false, out, &|out| self.cx.whole_numbers(|| self.print_plain(id, out)));
                out.push(')');
                Prec::Postfix
            }
            _ => self.cx.macros.write(span, true, out, &print),
        }
    }

    /// Whether an operation on unsigned numbers is what a macro stands for that is one on signed numbers.
    fn is_of_signed_macro(&self, id: ExprId, span: Span) -> bool {
        if self.cx.are_numbers_whole() || !self.is_whole_operation(id) {
            return false;
        }
        let mut text = String::new();
        self.cx
            .macros
            .plain(true, || self.cx.trivia.at_first(|| self.cx.whole_numbers(|| self.print_plain(id, &mut text))));
        text.retain(|c| !is_mark(c));
        self.cx.macros.stands_for(span, &text)
    }

    /// A literal that a macro stands for, written in a type that may be another one than the source's.
    pub(super) fn macro_literal(
        &self,
        id: ExprId,
        scalar: Scalar,
        out: &mut String,
        print: &dyn Fn(&mut String) -> Prec,
    ) -> Prec {
        let span = self.arena[id].span;
        let ExprKind::Literal(literal, spelling) = *self.kind(id) else {
            return self.cx.macros.write(span, false, out, print);
        };
        let spelling = spelling.map(|s| s.as_str());
        let number = self.cx.macros.number(span);
        if !self.cx.macros.may_be(span, literal) {
            return print(out);
        }
        // An integer that was converted.
        let literal = match literal {
            Literal::Float(value) if number.is_some_and(|number| number.is_integer) => Literal::Int(value as i64),
            Literal::Bool(_) => number.map_or(literal, |number| Literal::Int(number.value as i64)),
            other => other,
        };
        let written: &[Scalar] = match literal {
            Literal::Int(_) => &[Scalar::I32, Scalar::U32],
            Literal::Float(_) => &[Scalar::F32],
            Literal::Bool(_) | Literal::Text(_) => &[],
        };
        for other in written.iter().filter(|other| **other != scalar) {
            let style = self.dialect.literals();
            let own = super::literal::text(style, *other, literal, spelling);
            if self.cx.macros.stands_for(span, &own) {
                if self.cx.macros.is_size.get() {
                    return self.cx.macros.write(span, false, out, &|out| {
                        out.push_str(&own);
                        Prec::Postfix
                    });
                }
                out.push_str(self.dialect.scalar_name(scalar));
                out.push('(');
                self.cx.macros.write(span, true, out, &|out| {
                    out.push_str(&own);
                    Prec::Postfix
                });
                out.push(')');
                return Prec::Postfix;
            }
        }
        let as_is = match literal {
            _ if self.cx.macros.is_size.get() => false,
            Literal::Int(_) if number.is_some_and(|number| number.is_unsigned) => scalar == Scalar::U32,
            Literal::Int(_) => scalar == Scalar::I32,
            Literal::Float(_) => scalar.is_float(),
            Literal::Bool(_) => scalar == Scalar::Bool,
            Literal::Text(_) => true,
        };
        self.cx.macros.write(span, as_is, out, print)
    }

    /// Whether an expression may be what a macro stands for: where those become constants, it is one, too.
    pub(super) fn is_macro_value(&self, id: ExprId) -> bool {
        !self.arena.any_part(id, |part| self.is_of_no_macro(part) || self.is_of_no_constant(part))
    }

    /// Whether a part of an expression cannot be one of a macro that becomes a constant.
    fn is_of_no_constant(&self, part: ExprId) -> bool {
        let is_one = matches!(
            self.kind(part),
            ExprKind::Global(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Contents(_)
                | ExprKind::MatrixSwizzle(..)
                | ExprKind::Call(..)
        );
        is_one && self.cx.macros.are_constants && !self.is_known_number(part)
    }

    /// Whether an expression is a number that is a constant of the module.
    fn is_known_number(&self, part: ExprId) -> bool {
        let ExprKind::Global(id) = *self.kind(part) else { return false };
        let program = self.cx.program;
        let is_number = matches!(program.types.get(program.globals[id].ty), Type::Scalar(_));
        is_number && program.globals[id].kind == GlobalKind::Const && program.specialization_of(id).is_empty()
    }

    /// Whether a part of an expression cannot be one of what a macro stands for.
    pub(super) fn is_of_no_macro(&self, part: ExprId) -> bool {
        match self.kind(part) {
            ExprKind::Literal(..)
            | ExprKind::EnumCase(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(..)
            | ExprKind::Construct(_)
            | ExprKind::Convert(..)
            | ExprKind::Zero
            | ExprKind::Global(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Contents(_)
            | ExprKind::MatrixSwizzle(..)
            | ExprKind::Call(..) => false,
            // Macros are texts, which mean what they mean where they stand.
            ExprKind::Local(local) => self.cx.macros.are_constants || !self.is_of_source(part, *local),
            ExprKind::Native(..) => self.cx.macros.are_constants,
            ExprKind::Assign(..)
            | ExprKind::Step(..)
            | ExprKind::Comma(..)
            | ExprKind::Property(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Deref(_) => true,
        }
    }

    /// Whether the source has a variable here. One that a pass made stands for what the source has.
    fn is_of_source(&self, id: ExprId, local: LocalId) -> bool {
        let name = self.locals.map_or("", |locals| locals[local].name.as_str());
        self.cx.macros.sources.spelled(self.arena[id].span).trim_matches(['(', ')', ' ']) == name
    }
}

/// Whether a text is the name of a macro.
pub(super) fn is_macro_name(text: &str) -> bool {
    text.strip_prefix(MARK).is_some_and(|name| name.chars().all(is_part))
}

/// Whether a letter may be in names.
fn is_part(c: char) -> bool {
    c == '_' || unicode_ident::is_xid_continue(c)
}

/// The words of a text that no [`MARK`] is before, without its comments.
pub(super) fn words(text: &str) -> BTreeSet<&str> {
    let mut words = BTreeSet::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            MARK => 1 + rest.get(1..).and_then(|name| name.find(|c| !is_part(c))).unwrap_or(rest.len() - 1),
            _ if is_part(first) => {
                let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                words.extend(rest.get(..length));
                length
            }
            _ => first.len_utf8(),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    words
}

/// The names of macros in a text that a [`MARK`] is before, with their places.
pub(super) fn marked_names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(MARK).filter_map(|(at, mark)| {
        let name = text.get(at + mark.len()..)?;
        let name = name.split(|c| !is_part(c)).next()?;
        Some((at, name))
    })
}

/// Prints a text with `print`, which gives it with the places between its declarations. If its pieces are asked for it is printed once
/// more, with marks, so that they decide on nothing in it.
pub(super) fn with_macros(cx: &Context, print: fn(&Context) -> (String, Vec<Slot>)) -> (String, Vec<Piece>) {
    let text = chosen(cx, print);
    if !cx.options.pieces {
        return (text, Vec::new());
    }
    cx.marks.begin_writing();
    let (marked, slots) = print(cx);
    let (printed, pieces) = cx.marks.taken_out(&cx.macros.declare((&marked, &slots), cx));
    let pieces = marks::common(&text, &printed, pieces);
    (text, pieces)
}

/// Prints a text until it is known which macros it has.
fn chosen(cx: &Context, print: fn(&Context) -> (String, Vec<Slot>)) -> String {
    let macros = &cx.macros;
    let (mut text, mut slots) = print(cx);
    if macros.choose() {
        (text, slots) = print(cx);
    }
    while macros.leave_out(&text) {
        (text, slots) = print(cx);
    }
    macros.declare((&text, &slots), cx)
}
