//! Look-ahead that tells types from expressions. Builds nothing, consumes nothing, and is linear: what stands in `<...>`
//! at an index is looked at once and remembered.

use super::words::W;
use super::{Level, Parser};
use crate::lex::TokenKind;
use crate::symbol::Symbol;

/// A stretch of tokens that reads as a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanned {
    /// Index of the first token after it.
    pub end: usize,
    /// It can be nothing but a type.
    pub known: bool,
    /// A `*` or `?` ends it, so that `a * b` and `a ? b` read like it.
    pub ends_in_operator: bool,
}

/// Types nested deeper in generic arguments are not looked into.
const MAX_SCAN_DEPTH: u32 = 64;

impl Parser<'_> {
    /// Whether a name is declared as a type in this file or by the standard library.
    pub(super) fn is_known_type(&self, at: usize) -> bool {
        let name = self.token_at(at).text;
        self.word_at(at).is_builtin_type()
            || self.word_at(at).w == W::ThisType
            || self.types.contains(&name)
            || self.type_params.contains(&name)
    }

    pub(super) fn scan_type(&mut self, at: usize) -> Option<Scanned> {
        self.scan_type_at(at, 0)
    }

    fn scan_type_at(&mut self, at: usize, depth: u32) -> Option<Scanned> {
        if depth > MAX_SCAN_DEPTH {
            return None;
        }
        let mut i = at;
        let mut known = false;
        while self.is_modifier_of_type(i, depth) {
            i += 1;
            known = true;
        }
        let head = match self.word_at(i).w {
            W::LParen => self.scan_tuple(i, depth)?,
            W::Struct | W::Class | W::Enum if self.is_name_at(i + 1) => self.scan_path(i + 1, depth)?,
            W::SomeType | W::Dyn | W::Each | W::Expand if self.is_name_at(i + 1) => {
                self.scan_type_at(i + 1, depth + 1)?
            }
            _ if self.word_at(i).is_pack_query() && self.word_at(i + 1).w == W::LParen => {
                let mut end = self.partner_of(i + 1)? + 1;
                if matches!(self.word_at(end).w, W::Scope | W::Dot) && self.is_name_at(end + 1) {
                    end = self.scan_path(end + 1, depth)?.end;
                }
                Scanned { end, known: false, ends_in_operator: false }
            }
            W::FuncType => self.scan_function_type(i, depth)?,
            W::Decltype | W::TypeOf if self.word_at(i + 1).w == W::LParen => {
                Scanned { end: self.partner_of(i + 1)? + 1, known: true, ends_in_operator: false }
            }
            W::Unsigned | W::Signed => Scanned { end: self.scan_sign(i), known: true, ends_in_operator: false },
            W::Long if self.word_at(i + 1).w == W::Long => Scanned { end: i + 2, known: true, ends_in_operator: false },
            _ => self.scan_path(i, depth)?,
        };
        let mut scanned = self.scan_suffixes(head);
        scanned.known |= known;
        Some(scanned)
    }

    /// `unsigned`, `unsigned int`, `signed long long`.
    pub(super) fn scan_sign(&self, at: usize) -> usize {
        let mut i = at + 1;
        while matches!(self.word_at(i).w, W::IntWord | W::Long | W::Short | W::CharWord) {
            i += 1;
        }
        // `unsigned int4 x`, `(unsigned int4)x`, `Buffer<unsigned int4>`; what declares a variable of a type's name does not go on so.
        let goes_on =
            self.is_ident_at(i + 1) || matches!(self.word_at(i + 1).w, W::RParen | W::Gt | W::Comma | W::LParen);
        if i == at + 1 && self.word_at(i).is_builtin_type() && goes_on { i + 1 } else { i }
    }

    fn scan_path(&mut self, at: usize, depth: u32) -> Option<Scanned> {
        let mut i = if self.word_at(at).w == W::Scope { at + 1 } else { at };
        if !self.is_name_at(i) {
            return None;
        }
        loop {
            let mut known = self.is_known_type(i);
            let mut end = i + 1;
            if self.word_at(end).w == W::Lt
                && let Some(after) = self.scan_angles(end, depth)
            {
                let name = self.token_at(i).text;
                known |= self.generics.contains(&name) || !self.variables.contains(&name);
                end = after;
            }
            if matches!(self.word_at(end).w, W::Scope | W::Dot) && self.is_name_at(end + 1) {
                i = end + 1;
                continue;
            }
            return Some(Scanned { end, known, ends_in_operator: false });
        }
    }

    fn scan_tuple(&mut self, at: usize, depth: u32) -> Option<Scanned> {
        let close = self.partner_of(at)?;
        let mut i = at + 1;
        let mut commas = 0;
        while i < close {
            i = self.scan_type_at(i, depth + 1)?.end;
            if i < close {
                if self.word_at(i).w != W::Comma {
                    return None;
                }
                commas += 1;
                i += 1;
            }
        }
        (commas > 0 || close == at + 1).then_some(Scanned { end: close + 1, known: false, ends_in_operator: false })
    }

    fn scan_function_type(&mut self, at: usize, depth: u32) -> Option<Scanned> {
        if self.word_at(at + 1).w != W::LParen {
            return None;
        }
        let close = self.partner_of(at + 1)?;
        if self.word_at(close + 1).w != W::Arrow {
            return None;
        }
        let result = self.scan_type_at(close + 2, depth + 1)?;
        Some(Scanned { known: true, ..result })
    }

    fn scan_suffixes(&mut self, head: Scanned) -> Scanned {
        let mut scanned = head;
        loop {
            let end = scanned.end;
            match self.word_at(end).w {
                W::Star => scanned = Scanned { end: end + 1, known: scanned.known, ends_in_operator: true },
                W::Question => scanned = Scanned { end: end + 1, known: scanned.known, ends_in_operator: true },
                W::LBracket => {
                    let Some(close) = self.partner_of(end) else { return scanned };
                    let known = scanned.known || close == end + 1;
                    scanned = Scanned { end: close + 1, known, ends_in_operator: false };
                }
                W::Const if scanned.known && self.is_const_of_type(end) => scanned.end += 1,
                _ => return scanned,
            }
        }
    }

    /// The index after the `>` that ends the generic arguments begun at `at`.
    pub(super) fn scan_angles(&mut self, at: usize, depth: u32) -> Option<usize> {
        if let Some(found) = self.angles.get(&at) {
            return *found;
        }
        let found = self.scan_arguments(at, depth);
        self.angles.insert(at, found);
        found
    }

    fn scan_arguments(&mut self, at: usize, depth: u32) -> Option<usize> {
        let mut i = at + 1;
        if depth > MAX_SCAN_DEPTH {
            return None;
        }
        if self.word_at(i).w == W::Gt {
            return Some(i + 1);
        }
        loop {
            let ended = |parser: &Self, i: usize| matches!(parser.word_at(i).w, W::Comma | W::Gt);
            let as_type = self.scan_type_at(i, depth + 1).map(|s| s.end).filter(|end| ended(self, *end));
            i = match as_type {
                Some(end) => end,
                None => self.scan_value(i, depth + 1)?,
            };
            match self.word_at(i).w {
                W::Gt => return Some(i + 1),
                _ => i += 1,
            }
        }
    }

    /// A constant expression up to `,` or `>`, of those tokens that may stand in generic arguments.
    fn scan_value(&mut self, at: usize, depth: u32) -> Option<usize> {
        let mut i = at;
        loop {
            i = match self.word_at(i).w {
                W::Comma | W::Gt => return (i > at).then_some(i),
                W::LParen | W::LBracket => self.partner_of(i)? + 1,
                W::Lt => self.scan_angles(i, depth)?,
                W::Plus | W::Minus | W::Star | W::Slash | W::Percent | W::And | W::Or | W::Caret | W::Tilde => i + 1,
                W::Bang | W::Shl | W::Eq | W::Ne | W::Question | W::Colon | W::Scope | W::Dot => i + 1,
                W::Int | W::Float | W::Char | W::Str | W::True | W::False | W::SizeOf => i + 1,
                _ if self.is_name_at(i) => i + 1,
                _ => return None,
            };
        }
    }

    // --- the three questions

    /// Whether a statement that begins at the current token declares something with a leading type.
    pub(super) fn begins_declaration(&mut self) -> bool {
        let Some(scanned) = self.scan_type(self.pos) else { return false };
        let end = scanned.end;
        if self.word_at(end).w == W::Operator {
            return true;
        }
        if !self.is_name_at(end) || matches!(self.word_at(end).w, W::Is | W::As) && !self.ends_declarator(end + 1) {
            return false;
        }
        if self.word_at(self.pos).w == W::LParen && self.word_at(end + 1).w != W::Assign {
            return scanned.known;
        }
        if scanned.ends_in_operator {
            // `a * b` computes and `a ? b : c` chooses, unless `a` is a type.
            let question = self.word_at(end - 1).w == W::Question;
            let is_type = self.is_decided(scanned, self.pos);
            return is_type || question && matches!(self.word_at(end + 1).w, W::Semi | W::Assign);
        }
        true
    }

    /// Whether what stands from an index on is known as a type. If not, it may be one of another file.
    fn is_decided(&mut self, scanned: Scanned, from: usize) -> bool {
        if !scanned.known {
            let names = (from..scanned.end).map(|at| self.token_at(at)).filter(|t| t.kind == TokenKind::Ident);
            let names: Vec<Symbol> = names.map(|t| t.text).filter(|name| !self.variables.contains(name)).collect();
            self.undecided.extend(names);
        }
        scanned.known
    }

    fn ends_declarator(&self, at: usize) -> bool {
        matches!(self.word_at(at).w, W::Semi | W::Assign | W::Comma | W::Colon | W::LBracket)
    }

    /// Whether the `(` at the current token begins a cast.
    pub(super) fn begins_cast(&mut self) -> bool {
        let Some(close) = self.partner_of(self.pos) else { return false };
        let Some(scanned) = self.scan_type(self.pos + 1) else { return false };
        if scanned.end != close {
            return false;
        }
        let known = scanned.known || scanned.ends_in_operator;
        let variable = close == self.pos + 2 && self.variables.contains(&self.token_at(self.pos + 1).text);
        match self.word_at(close + 1).w {
            W::LParen | W::LBrace | W::Scope => known || !variable,
            W::Minus | W::Plus | W::Star | W::And | W::Inc | W::Dec => known || self.is_decided(scanned, self.pos + 1),
            W::Bang | W::Tilde | W::Int | W::Float | W::Str | W::Char => true,
            W::Is | W::As => known,
            _ => {
                self.is_name_at(close + 1)
                    || matches!(self.word_at(close + 1).w, W::True | W::False | W::This | W::SizeOf)
            }
        }
    }

    /// Whether the name at `at`, which is followed by `<`, is applied to generic arguments; the index after them.
    pub(super) fn begins_application(&mut self, at: usize, member: bool) -> Option<usize> {
        let after = self.scan_angles(at + 1, 0)?;
        let name = self.token_at(at).text;
        if !member && (self.generics.contains(&name) || self.is_known_type(at)) {
            return Some(after);
        }
        let variable = !member && self.variables.contains(&name) || self.mentions_variable(at + 2, after - 1);
        if variable && !self.mentions_type(at + 2, after) {
            return None;
        }
        match self.word_at(after).w {
            W::LParen => Some(after),
            W::Scope | W::Dot | W::RParen | W::RBracket | W::Comma | W::Semi | W::LBrace | W::RBrace if !member => {
                Some(after)
            }
            _ => None,
        }
    }

    fn mentions_variable(&self, from: usize, to: usize) -> bool {
        (from..to).any(|i| self.token_at(i).kind == TokenKind::Ident && self.variables.contains(&self.token_at(i).text))
    }

    /// Whether one of generic arguments is a type by itself: `f<int, n>(x)` compares nothing.
    fn mentions_type(&self, from: usize, to: usize) -> bool {
        let ends = |i: usize| matches!(self.word_at(i).w, W::Comma | W::Gt);
        (from..to).any(|i| self.is_known_type(i) && ends(i + 1) && (i == from || ends(i - 1)))
    }

    /// Whether a word is a modifier of the type that follows it.
    pub(super) fn is_modifier_of_type(&mut self, at: usize, depth: u32) -> bool {
        self.word_at(at).is_hard_modifier() && self.is_ident_at(at + 1) && !self.is_type_like_modifier(at, depth)
    }

    /// Whether a word is a type of the file, although it is a modifier elsewhere: `smooth q;` and not `smooth float q;`.
    fn is_type_like_modifier(&mut self, at: usize, depth: u32) -> bool {
        self.types.contains(&self.token_at(at).text)
            && !self.scan_type_at(at + 1, depth + 1).is_some_and(|s| self.is_name_at(s.end))
    }

    /// Whether the word at the current token is a modifier of a declaration that follows.
    pub(super) fn is_modifier(&mut self, place: Level) -> bool {
        let word = self.word_at(self.pos);
        let next = self.pos + 1;
        if word.is_hard_modifier() {
            if self.is_type_like_modifier(self.pos, 0) {
                return false;
            }
            let attribute_next = place != Level::Local && self.word_at(next).w == W::LBracket;
            return self.is_ident_at(next) && !matches!(self.word_at(next).w, W::Is | W::As)
                || attribute_next && self.partner_of(next).is_some_and(|end| self.is_ident_at(end + 1))
                || self.word_at(next).w == W::Scope;
        }
        if word.w == W::Dyn {
            return self.is_declaration_word(next);
        }
        if word.is_soft_modifier() || word.is_foreign() && place != Level::Local {
            let follows = self.word_at(next);
            return follows.is_hard_modifier()
                || word.is_foreign() && self.is_declaration_word(next)
                || self
                    .scan_type(next)
                    .is_some_and(|s| self.is_name_at(s.end) || self.word_at(s.end).w == W::Operator);
        }
        false
    }

    /// A word that begins a declaration other than a typed one.
    pub(super) fn is_declaration_word(&self, at: usize) -> bool {
        use W::*;
        matches!(
            self.word_at(at).w,
            Struct | Class | Interface | Extension | Enum | CBuffer | TBuffer | Typedef | TypeAlias | Using | Namespace
        ) || matches!(self.word_at(at).w, AssociatedType | Property | Subscript | Init | Func | FuncOld | Let | Var)
            || matches!(self.word_at(at).w, Template | Generic | Import | Module)
    }
}
