//! Expressions, with the parentheses that they need and no others.
//!
//! What all three languages write alike is here; where they differ, the [`Dialect`] is asked.

use super::Context;
use super::dialect::Dialect;
use super::marks::{Origin, PieceKind, is_mark};
use super::named::is_macro_name;
use crate::check::constant::{Value, eval};
use crate::source::Span;
use crate::symbol::Symbol;
pub(super) use crate::tree::Prec;
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

impl Prec {
    /// The loosest (left, right) operands of a binary operator that stand without parentheses, beside a left operand of the
    /// same operator. Stricter than C where WGSL is and C compilers warn: bit operators, shifts, and `&&` in `||`.
    fn operands(self) -> (Prec, Prec) {
        match self {
            Prec::Or | Prec::And => (Prec::Equality, Prec::Equality),
            Prec::BitOr | Prec::BitXor | Prec::BitAnd | Prec::Shift => (Prec::Unary, Prec::Unary),
            Prec::Equality | Prec::Relational => (Prec::Shift, Prec::Shift),
            Prec::Additive => (Prec::Additive, Prec::Multiplicative),
            _ => (Prec::Multiplicative, Prec::Unary),
        }
    }

    /// The same by the rules of C, for what the source has without parentheses.
    fn bare_operands(self) -> (Prec, Prec) {
        match self {
            Prec::Or | Prec::And | Prec::BitOr | Prec::BitXor | Prec::BitAnd => (self, self.tighter()),
            Prec::Shift | Prec::Equality | Prec::Relational => (self, self.tighter()),
            _ => self.operands(),
        }
    }

    /// The next level that holds together more tightly than one of an operator.
    fn tighter(self) -> Prec {
        match self {
            Prec::Or => Prec::And,
            Prec::And => Prec::BitOr,
            Prec::BitOr => Prec::BitXor,
            Prec::BitXor => Prec::BitAnd,
            Prec::BitAnd => Prec::Equality,
            Prec::Equality => Prec::Relational,
            Prec::Relational => Prec::Shift,
            Prec::Shift => Prec::Additive,
            Prec::Additive => Prec::Multiplicative,
            Prec::Multiplicative => Prec::Unary,
            Prec::Comma | Prec::Assign | Prec::Ternary | Prec::Unary | Prec::Postfix => Prec::Postfix,
        }
    }

    /// Whether a left operand of the same operator stands without parentheses.
    fn chains(self) -> bool {
        matches!(self, Prec::Or | Prec::And | Prec::BitOr | Prec::BitXor | Prec::BitAnd)
    }
}

/// Prints the expressions of one body or initializer.
#[derive(Clone, Copy)]
pub(super) struct Exprs<'a> {
    /// The program and what was found out about it.
    pub(super) cx: &'a Context<'a>,
    /// The language.
    pub(super) dialect: &'a dyn Dialect,
    /// Storage.
    pub(super) arena: &'a ExprArena,
    /// Parameters and variables; none in initializers of globals.
    pub(super) locals: Option<&'a Arena<LocalId, Local>>,
    /// The struct that the function stands in.
    pub(super) owner: Option<TypeId>,
    /// Variables that are written after their declaration, or whose address is taken.
    pub(super) assigned: &'a FxHashSet<LocalId>,
    /// Variables that labels of cases and numbers of declarations are made of.
    pub(super) labels: &'a FxHashSet<LocalId>,
    /// What passes made of it, if that is known.
    pub(super) made: Option<&'a MadeCode>,
}

impl<'a> Exprs<'a> {
    /// An expression as text, with its type where literals alone have none.
    pub(super) fn typed_text(&self, id: ExprId) -> String {
        let mut out = String::new();
        match self.dialect.is_untyped(self, id) {
            true => self.typed(id, &mut out),
            false => self.print(id, &mut out),
        };
        out
    }

    /// The expression alone.
    pub(super) fn text(&self, id: ExprId) -> String {
        let mut out = String::new();
        self.print(id, &mut out);
        out
    }

    /// The node.
    pub(super) fn kind(&self, id: ExprId) -> &'a ExprKind {
        &self.arena[id].kind
    }

    /// The type's id.
    pub(super) fn type_id(&self, id: ExprId) -> TypeId {
        self.arena[id].ty
    }

    /// The type.
    pub(super) fn ty(&self, id: ExprId) -> Type {
        self.cx.program.types.get(self.arena[id].ty)
    }

    /// The expression, in parentheses if it is looser than `least`.
    pub(super) fn operand(&self, id: ExprId, least: Prec, out: &mut String) {
        let start = out.len();
        let own = self.print(id, out);
        let is_said = match least > Prec::Assign && own < Prec::Postfix {
            true => self.is_in_parentheses(id, own),
            false => self.is_whole_in_parentheses(id, out.get(start..).unwrap_or_default()),
        };
        if own < least || is_said {
            out.insert(start, '(');
            out.push(')');
        }
    }

    /// Whether an operand has parentheses because the source has them.
    fn is_in_parentheses(&self, id: ExprId, own: Prec) -> bool {
        own < Prec::Postfix && self.dialect.keeps_parentheses() && self.cx.trivia.is_in_parentheses(self.arena[id].span)
    }

    /// Whether a value that needs none has parentheses because the source has them around the same text.
    fn is_whole_in_parentheses(&self, id: ExprId, text: &str) -> bool {
        let span = self.arena[id].span;
        self.dialect.keeps_parentheses() && self.cx.trivia.is_in_parentheses(span) && self.cx.trivia.is_text(span, text)
    }

    /// Where the source has an expression.
    pub(super) fn span(&self, id: ExprId) -> Span {
        self.arena[id].span
    }

    /// The expression as a text of its own, in parentheses if it is looser than `least`.
    pub(super) fn operand_text(&self, id: ExprId, least: Prec) -> String {
        let mut out = String::new();
        self.operand(id, least, &mut out);
        out
    }

    /// A value where the language converts implicitly to its type: initializers, assigned values, results.
    pub(super) fn value(&self, id: ExprId, out: &mut String) {
        let id = self.unconverted(id).unwrap_or(id);
        let start = out.len();
        match self.adapting(id, out) {
            Some(_) if self.is_whole_in_parentheses(id, out.get(start..).unwrap_or_default()) => {
                out.insert(start, '(');
                out.push(')');
            }
            Some(_) => {}
            None => self.operand(id, Prec::Assign, out),
        }
    }

    /// The first value of a variable, or a result, with what the source has around it.
    pub(super) fn first_value(&self, id: ExprId, out: &mut String) {
        let start = out.len();
        self.before(id, out);
        let begin = out.len();
        self.value(id, out);
        self.end(id, out);
        let text = |from: usize, to: usize| out.get(from..to).unwrap_or_default();
        // The line break before a `{` is none before a constructor.
        let is_list = self.cx.trivia.is_list(self.arena[id].span);
        let begins_as_list = text(begin, out.len()).trim_start_matches(is_mark).starts_with('{');
        if is_list && !begins_as_list && text(start, begin).trim().is_empty() {
            out.replace_range(start..begin, "");
        }
    }

    /// The first value of what is declared by a name: an array is made with the size and the element as that has them.
    pub(super) fn declared_value(&self, id: ExprId, name: Span, out: &mut String) {
        let is_row = matches!(self.ty(id), Type::Array(element, _) if !matches!(self.cx.program.types.get(element), Type::Array(..)));
        let is_made = is_row && matches!(self.kind(id), ExprKind::Construct(_));
        let outer = self.cx.declared.replace(is_made.then_some((id, name)));
        self.first_value(id, out);
        self.cx.declared.set(outer);
    }

    /// What the source has before an operand, an argument or an element.
    pub(super) fn before(&self, id: ExprId, out: &mut String) {
        self.cx.trivia.before(self.arena[id].span, out);
    }

    /// What the source has behind an expression that ends a statement or a condition.
    pub(super) fn end(&self, id: ExprId, out: &mut String) {
        if let Some(behind) = self.cx.trivia.after_all(self.arena[id].span) {
            out.push_str(behind.trim_end_matches(' '));
        }
    }

    /// An operator between two operands, with what the source has around it.
    pub(super) fn operator(&self, left: ExprId, operator: &str, right: ExprId, out: &mut String) {
        if let Some(behind) = self.cx.trivia.after_operand(self.arena[left].span) {
            out.push_str(behind.trim_end_matches(' '));
        }
        out.push(' ');
        out.push_str(operator);
        out.push(' ');
        self.before(right, out);
    }

    /// Arguments or elements with commas and what the source has between them; where each begins.
    pub(super) fn list(
        &self,
        ids: &[ExprId],
        out: &mut String,
        print: &mut dyn FnMut(usize, ExprId, &mut String),
    ) -> Vec<usize> {
        let mut starts = Vec::with_capacity(ids.len());
        let mut behind_comma: Option<String> = None;
        for (i, id) in ids.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            starts.push(out.len());
            if let Some(text) = behind_comma.take() {
                out.push_str(text.trim_start_matches(' '));
            }
            self.before(*id, out);
            print(i, *id, out);
            let is_last = i + 1 == ids.len();
            let (trivia, span) = (&self.cx.trivia, self.arena[*id].span);
            let behind = if is_last { trivia.after_last(span) } else { trivia.after(span) };
            match behind {
                // A comma does not stand behind a comment that ends the line.
                Some(text) if text.contains('\n') && !is_last => behind_comma = Some(text),
                Some(text) => out.push_str(text.trim_end_matches(' ')),
                None => {}
            }
        }
        starts
    }

    /// The label of a case. That of a switch over numbers may be the case of an enum by itself, without the cast that it has here.
    pub(super) fn label(&self, id: ExprId) -> String {
        let is_plain = |inner: ExprId| match self.ty(inner) {
            Type::Enum(e) => !self.cx.program.enums[e].strict,
            _ => false,
        };
        let is_said = |inner: ExprId| self.cx.trivia.is_cast(self.span(id), self.span(inner));
        let label = match *self.kind(id) {
            ExprKind::Convert(inner, _) if is_plain(inner) && !is_said(inner) => inner,
            _ => id,
        };
        let mut out = String::new();
        if self.adapting(label, &mut out).is_none() {
            self.print(label, &mut out);
        }
        out
    }

    /// What is under an implicit conversion that need not be written where the wanted type is known.
    pub(super) fn unconverted(&self, id: ExprId) -> Option<ExprId> {
        match *self.kind(id) {
            ExprKind::Convert(inner, false)
                if self.dialect.converts(self.cx, self.type_id(inner), self.type_id(id)) =>
            {
                Some(inner)
            }
            _ => None,
        }
    }

    /// The pass that gave what an expression names another name.
    fn renamed(&self, code: &MadeCode, id: ExprId) -> Option<&'static str> {
        let made = self.cx.program.made.as_ref()?;
        match *self.kind(id) {
            ExprKind::Local(local) => code.local(local),
            ExprKind::Global(global) => made.renamed(Item::Global(global)),
            ExprKind::Call(function, _) => made.renamed(Item::Function(function)),
            ExprKind::Field(base, index) => match self.ty(base) {
                Type::Struct(of) => made.renamed_field(of, index),
                _ => None,
            },
            _ => None,
        }
    }

    /// Writes an expression and says how tightly it holds together.
    pub(super) fn print(&self, id: ExprId, out: &mut String) -> Prec {
        let span = self.arena[id].span;
        if let Some(prec) = self.argument_of_macro(id, out) {
            return prec;
        }
        let pass = self.made.and_then(|made| made.expr(id).or_else(|| self.renamed(made, id)));
        self.cx.marks.begin(Origin { span, kind: PieceKind::Code, pass }, out);
        let prec = match span.file.is_named() {
            true if self.cx.macros.is_call(span) => {
                self.cx.macros.use_of(&self.cx.trivia, out, |out| self.macro_call(id, span, out))
            }
            true if self.is_macro_value(id) => {
                self.cx.macros.use_of(&self.cx.trivia, out, |out| self.macro_value(id, span, out))
            }
            true if self.cx.macros.are_constants => {
                self.cx.macros.use_of(&self.cx.trivia, out, |out| self.macro_call(id, span, out))
            }
            _ => self.print_plain(id, out),
        };
        self.cx.marks.end(out);
        prec
    }

    /// The expression itself, not the macro that it comes from.
    pub(super) fn print_plain(&self, id: ExprId, out: &mut String) -> Prec {
        if let Some(prec) = self.dialect.expr(self, id, out) {
            return prec;
        }
        match self.kind(id) {
            ExprKind::Literal(literal, spelling) => {
                let scalar = self.literal_scalar(id).unwrap_or(Scalar::I32);
                self.push_literal(scalar, *literal, spelling.map(|s| s.as_str()), out)
            }
            ExprKind::Local(local) => self.name(self.locals.map_or("", |l| l[*local].name.as_str()), out),
            ExprKind::Global(global) => self.variable(&self.cx.program.globals[*global], self.arena[id].span, out),
            ExprKind::EnumCase(e, case) => self.enum_case(*e, *case, out),
            ExprKind::Field(base, index) => self.field(id, *base, *index, out),
            ExprKind::Index(base, _) if matches!(self.ty(*base), Type::Buffer(BufferKind::Block(_), ..)) => {
                self.print(*base, out)
            }
            ExprKind::Index(base, index) => self.selected(*base, &format!("[{}]", self.text(*index)), out),
            ExprKind::Contents(inner) => self.print(*inner, out),
            ExprKind::Swizzle(base, swizzle) => self.swizzle(*base, swizzle, out),
            ExprKind::MatrixSwizzle(base, elements) => self.matrix_swizzle(*base, elements, out),
            ExprKind::Unary(op, a) => self.unary(*op, *a, out),
            ExprKind::Binary(op, a, b) => self.binary(*op, *a, *b, out),
            ExprKind::Select(c, a, b) => self.ternary(*c, *a, *b, out),
            ExprKind::Assign(op, target, value) => self.assign(*op, *target, *value, out),
            ExprKind::Step(increment, prefix, target) => self.step(*increment, *prefix, *target, out),
            ExprKind::Comma(a, b) => {
                self.operand(*a, Prec::Comma, out);
                out.push_str(", ");
                self.operand(*b, Prec::Assign, out);
                Prec::Comma
            }
            ExprKind::Call(function, args) => self.call(*function, args, id, out),
            ExprKind::Native(template, args) => self.template(template, args, self.type_id(id), out),
            ExprKind::Property(property) => self.property(property, id, out),
            ExprKind::AddressOf(a) => self.address_of(*a, out),
            ExprKind::Deref(a) => {
                out.push('*');
                self.operand(*a, Prec::Unary, out);
                Prec::Unary
            }
            ExprKind::Construct(parts) => self.constructor(id, parts, out),
            ExprKind::Convert(inner, _) => self.constructor(id, &[*inner], out),
            ExprKind::Zero => self.constructor(id, &[], out),
        }
    }

    fn name(&self, name: &str, out: &mut String) -> Prec {
        out.push_str(name);
        Prec::Postfix
    }

    /// A literal of a scalar type.
    pub(super) fn push_literal(
        &self,
        scalar: Scalar,
        literal: Literal,
        spelling: Option<&str>,
        out: &mut String,
    ) -> Prec {
        let text = super::literal::text(self.dialect.literals(), scalar, literal, spelling);
        // What is not finite is written by its bits as a `float`.
        if matches!(scalar, Scalar::F16 | Scalar::MinF16 | Scalar::MinF10)
            && text.starts_with(self.dialect.literals().bits.0)
        {
            out.push_str(&format!("{}({text})", self.dialect.scalar_name(scalar)));
            return Prec::Postfix;
        }
        out.push_str(&text);
        // `1..x` is no selection.
        if text.starts_with('-') || text.ends_with('.') { Prec::Unary } else { Prec::Postfix }
    }

    fn enum_case(&self, id: EnumId, case: u32, out: &mut String) -> Prec {
        let e = &self.cx.program.enums[id];
        let Some(case) = e.cases.get(case as usize) else { return Prec::Postfix };
        if e.is_named_by_cases() {
            out.push_str(&format!("{}::", e.name));
        }
        self.name(case.name.as_str(), out)
    }

    fn field(&self, id: ExprId, base: ExprId, index: u32, out: &mut String) -> Prec {
        let named_alone = match self.kind(base) {
            ExprKind::Contents(global) => match self.kind(*global) {
                ExprKind::Global(g) => self.dialect.members_are_global(&self.cx.program.globals[*g]),
                _ => false,
            },
            _ => false,
        };
        let object = self.cx.program.without_bases(self.arena, base);
        // A base as a value is a cast.
        if self.cx.program.without_bases(self.arena, id) != id {
            out.push_str(&format!("({})", self.dialect.type_name(self.cx, self.type_id(id))));
            self.operand(object, Prec::Unary, out);
            return Prec::Unary;
        }
        // Its members are named in a struct without it, unless the source says `this`.
        let is_unsaid = self.is_object(object) && self.arena[object].span == self.arena[id].span;
        if !named_alone && !is_unsaid {
            self.operand(object, Prec::Postfix, out);
            out.push('.');
        }
        out.push_str(self.cx.field_name(self.type_id(base), index));
        Prec::Postfix
    }

    /// Components; those of components are written as one selection.
    fn swizzle(&self, base: ExprId, swizzle: &Swizzle, out: &mut String) -> Prec {
        if let ExprKind::Swizzle(inner, first) = self.kind(base)
            && matches!(self.ty(*inner), Type::Vector(_, 2..))
        {
            let of = |c: &u8| first.list().get(*c as usize).copied().unwrap_or(0);
            let list: Vec<u8> = swizzle.list().iter().map(of).collect();
            return self.swizzle(*inner, &first.with(&list), out);
        }
        self.selected(base, &format!(".{}", swizzle.text()), out)
    }

    /// Elements of a matrix whose rows are the target's columns: `m[1].z`, or a vector of such.
    fn matrix_swizzle(&self, base: ExprId, elements: &[(u8, u8)], out: &mut String) -> Prec {
        let matrix = self.operand_text(base, Prec::Postfix);
        let one = |(row, column): &(u8, u8)| {
            format!("{matrix}[{row}].{}", ['x', 'y', 'z', 'w'].get(*column as usize).unwrap_or(&'x'))
        };
        let is_of_one_row = elements.windows(2).all(|two| matches!(two, [a, b] if a.0 == b.0));
        match elements {
            [element] => out.push_str(&one(element)),
            [(row, _), ..] if is_of_one_row => {
                let columns: Vec<u8> = elements.iter().map(|(_, column)| *column).collect();
                out.push_str(&format!("{matrix}[{row}].{}", Swizzle::new(&columns).text()));
            }
            _ => {
                let scalar = self.cx.program.types.component(self.type_id(base)).unwrap_or(Scalar::F32);
                let list: Vec<String> = elements.iter().map(one).collect();
                let vector = self.dialect.vector_name(scalar, elements.len() as u8);
                out.push_str(&format!("{vector}({})", list.join(", ")));
            }
        }
        Prec::Postfix
    }

    pub(super) fn unary(&self, op: UnaryOp, a: ExprId, out: &mut String) -> Prec {
        out.push_str(op.spelling());
        let operand = self.operand_text(a, Prec::Unary);
        // `--x` would be a decrement.
        if op == UnaryOp::Negate && operand.trim_start_matches(is_mark).starts_with('-') {
            out.push_str(&format!("({operand})"));
        } else {
            out.push_str(&operand);
        }
        Prec::Unary
    }

    /// A binary operation whose operands are already chosen.
    pub(super) fn binary(&self, op: BinaryOp, a: ExprId, b: ExprId, out: &mut String) -> Prec {
        let prec = Prec::of(op);
        let (left, right) = match self.dialect.keeps_parentheses()
            && self.cx.trivia.is_between(op.spelling(), self.span(a), self.span(b))
        {
            true => prec.bare_operands(),
            false => prec.operands(),
        };
        let (a, b) = self.dialect.operands(self, op, a, b);
        let start = out.len();
        let wants_type = self.dialect.wants_typed_left(self, op, a, b) && !self.cx.are_numbers_whole();
        let printed = if wants_type { self.typed(a, out) } else { self.widened(op, a, b, out) };
        if printed < left && !(prec.chains() && printed == prec) || self.is_in_parentheses(a, printed) {
            out.insert(start, '(');
            out.push(')');
        }
        self.operator(a, op.spelling(), b, out);
        let start = out.len();
        let printed = self.widened(op, b, a, out);
        if printed < right || self.is_in_parentheses(b, printed) {
            out.insert(start, '(');
            out.push(')');
        }
        prec
    }

    /// A scalar with its type around it, where literals alone have none.
    fn typed(&self, id: ExprId, out: &mut String) -> Prec {
        match self.ty(id) {
            Type::Scalar(scalar) => self.call_of(self.dialect.scalar_name(scalar), &[id], out),
            _ => self.print(id, out),
        }
    }

    /// An operand, which may be a whole number that takes the type of the other one.
    fn widened(&self, op: BinaryOp, id: ExprId, other: ExprId, out: &mut String) -> Prec {
        self.adapting_operand(op, id, other, out).unwrap_or_else(|| self.spread(op, id, other, out))
    }

    /// An operand; a widened scalar stays a scalar where the language widens it by itself.
    fn spread(&self, op: BinaryOp, id: ExprId, other: ExprId, out: &mut String) -> Prec {
        if !self.dialect.splats(self, op, id, other) {
            return self.print(id, out);
        }
        let (Some(inner), Some(scalar)) = (self.splat_source(id), self.cx.program.types.component(self.type_id(id)))
        else {
            return self.print(id, out);
        };
        if let Some(prec) = self.converted_literal(inner, scalar, out) {
            return prec;
        }
        if self.cx.program.types.component(self.type_id(inner)) == Some(scalar) {
            return self.print(inner, out);
        }
        self.call_of(self.dialect.scalar_name(scalar), &[inner], out)
    }

    /// The scalar that a conversion or swizzle widens to a vector or matrix.
    pub(super) fn splat_source(&self, id: ExprId) -> Option<ExprId> {
        let inner = match *self.kind(id) {
            ExprKind::Convert(inner, _) => inner,
            ExprKind::Swizzle(inner, _) => inner,
            _ => return None,
        };
        let wide = matches!(self.ty(id), Type::Vector(_, 2..) | Type::Matrix(..));
        (wide && matches!(self.ty(inner), Type::Scalar(_))).then_some(inner)
    }

    /// What is under a conversion between signed and unsigned integers that another one undoes.
    pub(super) fn there_and_back(&self, outer: ExprId, inner: ExprId) -> Option<ExprId> {
        let ExprKind::Convert(source, _) = *self.kind(inner) else { return None };
        let word = |id: ExprId| {
            let component = self.cx.program.types.component(self.type_id(id));
            matches!(component, Some(Scalar::I32 | Scalar::U32))
        };
        (self.type_id(source) == self.type_id(outer) && word(inner) && word(source)).then_some(source)
    }

    /// A literal, or a negated one, written in another type; `None` if it is no literal.
    pub(super) fn converted_literal(&self, id: ExprId, scalar: Scalar, out: &mut String) -> Option<Prec> {
        let span = self.arena[id].span;
        if !span.file.is_named() {
            return self.plain_converted_literal(id, scalar, out);
        }
        let mut text = String::new();
        self.plain_converted_literal(id, scalar, &mut text)?;
        let print = |out: &mut String| self.plain_converted_literal(id, scalar, out).unwrap_or(Prec::Postfix);
        Some(self.cx.macros.use_of(&self.cx.trivia, out, |out| self.macro_literal(id, scalar, out, &print)))
    }

    fn plain_converted_literal(&self, id: ExprId, scalar: Scalar, out: &mut String) -> Option<Prec> {
        match self.kind(id) {
            ExprKind::Literal(literal, spelling) => {
                // A float literal is cut when it becomes an integer, and reads badly as one.
                let spelling = spelling.filter(|_| matches!(literal, Literal::Int(_)) || scalar.is_float());
                let literal = self.as_typed(id, *literal, scalar);
                Some(self.push_literal(scalar, literal, spelling.map(|s| s.as_str()), out))
            }
            // What is unsigned wraps around first: `float(-1u)` is no `-1.0`.
            ExprKind::Unary(UnaryOp::Negate, _)
                if scalar.is_float() && matches!(self.ty(id), Type::Scalar(of) if of.is_unsigned()) =>
            {
                None
            }
            ExprKind::Unary(UnaryOp::Negate, inner) => match (self.kind(*inner), self.as_float(*inner)) {
                (ExprKind::Literal(..), Some(_)) if scalar.is_float() => {
                    out.push('-');
                    self.converted_literal(*inner, scalar, out);
                    Some(Prec::Unary)
                }
                // Targets do not agree on numbers that are out of the range of integers.
                (ExprKind::Literal(Literal::Float(value), _), _) if scalar.is_integer() => {
                    Some(self.push_literal(scalar, Literal::Float(-value), None, out))
                }
                (ExprKind::Literal(Literal::Int(value), _), _) => {
                    Some(self.push_literal(scalar, Literal::Int(value.wrapping_neg()), None, out))
                }
                _ => None,
            },
            ExprKind::Convert(inner, _) if matches!(self.ty(id), Type::Scalar(s) if s.is_float()) => {
                self.converted_literal(*inner, scalar, out)
            }
            _ => None,
        }
    }

    /// A literal as its own type holds it, for one of type `to`: `-1` as `uint` is large.
    pub(super) fn as_typed(&self, id: ExprId, literal: Literal, to: Scalar) -> Literal {
        match (literal, self.ty(id)) {
            (Literal::Int(value), Type::Scalar(Scalar::U32)) => Literal::Int(i64::from(value as u32)),
            (Literal::Int(value), Type::Scalar(Scalar::U64)) if to.is_float() => Literal::Float(value as u64 as f64),
            (other, _) => other,
        }
    }

    /// Whether a literal is a number.
    fn as_float(&self, id: ExprId) -> Option<()> {
        matches!(self.kind(id), ExprKind::Literal(Literal::Int(_) | Literal::Float(_), _)).then_some(())
    }

    /// `c ? a : b`.
    pub(super) fn ternary(&self, c: ExprId, a: ExprId, b: ExprId, out: &mut String) -> Prec {
        if self.adapting(self.condition_of(c), out).is_none() {
            self.operand(self.condition_of(c), Prec::Or, out);
        }
        self.operator(c, "?", a, out);
        self.chosen(a, b, out);
        self.operator(a, ":", b, out);
        self.chosen(b, a, out);
        Prec::Ternary
    }

    /// A value of a choice, which may be a whole number that takes the type of the other one.
    fn chosen(&self, id: ExprId, other: ExprId, out: &mut String) {
        let is_scalar = matches!(self.ty(id), Type::Scalar(_));
        if !is_scalar || self.adapting_operand(BinaryOp::Add, id, other, out).is_none() {
            self.operand(id, Prec::Ternary, out);
        }
    }

    /// A condition, without an implicit conversion to `bool` where the language does not need it.
    pub(super) fn condition_of(&self, id: ExprId) -> ExprId {
        self.unconverted(id).unwrap_or(id)
    }

    pub(super) fn assign(&self, op: Option<BinaryOp>, target: ExprId, value: ExprId, out: &mut String) -> Prec {
        self.operand(target, Prec::Unary, out);
        out.push(' ');
        out.push_str(op.map_or("", BinaryOp::spelling));
        out.push_str("= ");
        self.before(value, out);
        match op {
            Some(op) => {
                let value = self.dialect.operands(self, op, target, value).1;
                let start = out.len();
                let printed = self.widened(op, value, target, out);
                if printed < Prec::Assign || self.is_whole_in_parentheses(value, out.get(start..).unwrap_or_default()) {
                    out.insert(start, '(');
                    out.push(')');
                }
            }
            None => self.value(value, out),
        }
        Prec::Assign
    }

    fn step(&self, increment: bool, prefix: bool, target: ExprId, out: &mut String) -> Prec {
        let sign = if increment { "++" } else { "--" };
        if prefix {
            out.push_str(sign);
            self.operand(target, Prec::Unary, out);
            Prec::Unary
        } else {
            self.operand(target, Prec::Postfix, out);
            out.push_str(sign);
            Prec::Postfix
        }
    }

    /// `f(a, b)` of a function of the language, or a constructor.
    pub(super) fn call_of(&self, function: &str, args: &[ExprId], out: &mut String) -> Prec {
        out.push_str(function);
        self.arguments(args, out);
        Prec::Postfix
    }

    /// `f(a, b)` where `f` is the type of an expression.
    pub(super) fn constructor(&self, id: ExprId, args: &[ExprId], out: &mut String) -> Prec {
        let declared = self.cx.declared.get().filter(|(declared, _)| *declared == id);
        let ty = declared.and_then(|(_, name)| self.dialect.array_type(self.cx, self.type_id(id), name));
        self.call_of(&ty.unwrap_or_else(|| self.leading_type(id)), args, out)
    }

    /// `T(a)` of a value that becomes one of another type, whose own parentheses are those of the call.
    pub(super) fn converted(&self, id: ExprId, inner: ExprId, out: &mut String) -> Prec {
        out.push_str(&self.leading_type(id));
        out.push('(');
        self.list(&[inner], out, &mut |_, arg, out| {
            let start = out.len();
            if self.print(arg, out) < Prec::Assign {
                out.insert(start, '(');
                out.push(')');
            }
        });
        out.push(')');
        Prec::Postfix
    }

    /// `f(a, b)` of operands in another order than the source has them, whose lines are not those of the source.
    pub(super) fn call_of_reordered(&self, function: &str, args: &[ExprId], out: &mut String) -> Prec {
        out.push_str(function);
        out.push('(');
        let mut starts = Vec::with_capacity(args.len());
        for (i, arg) in args.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            starts.push(out.len());
            let (mut before, span) = (String::new(), self.arena[*arg].span);
            self.cx.trivia.before(span, &mut before);
            let has_comment = |text: &String| text.contains('/');
            out.push_str(Some(&before).filter(|text| has_comment(text)).map_or("", String::as_str));
            self.operand(*arg, Prec::Assign, out);
            let behind = self.cx.trivia.after_operand(span).filter(has_comment);
            out.push_str(behind.as_deref().map_or("", |text| text.trim_end_matches(' ')));
        }
        self.keep_apart(&starts, out);
        out.push(')');
        Prec::Postfix
    }

    /// An expression with a selection of a part of it behind: `a.x`, `a[1]`.
    pub(super) fn selected(&self, base: ExprId, part: &str, out: &mut String) -> Prec {
        self.operand(base, Prec::Postfix, out);
        out.push_str(part);
        Prec::Postfix
    }

    /// `(a, b)`, each in its own type.
    pub(super) fn arguments(&self, args: &[ExprId], out: &mut String) {
        out.push('(');
        let starts = self.list(args, out, &mut |_, arg, out| {
            self.operand(arg, Prec::Assign, out);
        });
        self.keep_apart(&starts, out);
        out.push(')');
    }

    /// Where names have lists of templates behind them, `f(a < b, c > d)` has one argument: the comparison goes into
    /// parentheses. `starts` says where each argument begins.
    fn keep_apart(&self, starts: &[usize], out: &mut String) {
        if !self.dialect.has_template_lists() {
            return;
        }
        for (i, next) in starts.iter().enumerate().skip(1).rev() {
            let Some(start) = starts.get(i - 1) else { continue };
            let less = out.get(*start..*next).is_some_and(|text| has_bare_less(&without_comments(text)));
            if less && out.get(*next..).is_some_and(|rest| rest.contains('>')) {
                out.insert(next - ", ".len(), ')');
                out.insert(*start, '(');
            }
        }
    }

    fn call(&self, function: FunctionId, args: &[ExprId], id: ExprId, out: &mut String) -> Prec {
        let callee = &self.cx.program.functions[function];
        let args = &self.places(callee, args);
        if let FunctionBody::Intrinsic(template) = &callee.body {
            // What is computed across invocations is not computed of what has no type of its own, and what a call gives that has
            // none may be no number.
            let typed = ["__derivative", "__requires", "__typed_literals"].iter().any(|mark| callee.is_marked(mark));
            if let [TemplatePiece::Text(text), TemplatePiece::Arg(0), rest @ ..] = template.pieces.as_slice()
                && let [arg, ..] = args.as_slice()
                && is_call(text, callee.name)
                && self.dialect.is_untyped(self, *arg)
                && (typed || self.are_unknown(args))
            {
                out.push_str(text);
                self.typed(*arg, out);
                let rest = Template { pieces: rest.to_vec(), loose: false };
                self.template(&rest, args, self.type_id(id), out);
                return Prec::Postfix;
            }
            let adapts = self.arguments_adapt(callee, args);
            let args = self.dialect.plain_arguments(self, callee, args);
            return self.template_of(template, &args, self.type_id(id), adapts, out);
        }
        let args = self.given(callee, args);
        let object = self.before_member(callee, args, id, out);
        match self.macro_of_struct(callee, id) {
            Some(_) => out.push_str(callee.name.as_str()),
            None => self.callee(id, callee.name.as_str(), out),
        }
        out.push('(');
        let overloaded = self.cx.is_overloaded(callee);
        let listed = args.get(object..).unwrap_or_default();
        let starts = self.list(listed, out, &mut |i, arg, out| match overloaded {
            true => self.choosing_argument(callee, args.len(), i + object, arg, out),
            false => self.value(arg, out),
        });
        self.keep_apart(&starts, out);
        out.push(')');
        Prec::Postfix
    }

    /// What stands before the name of a function of a struct where it is called: its object, or the struct. Gives how many arguments
    /// that are.
    fn before_member(&self, callee: &Function, args: &[ExprId], call: ExprId, out: &mut String) -> usize {
        match (callee.member, args) {
            (Member::Method, [object, ..]) => {
                let object = self.cx.program.without_bases(self.arena, *object);
                if !self.is_object(object) || self.cx.trivia.is_this(self.arena[object].span) {
                    self.operand(object, Prec::Postfix, out);
                    out.push('.');
                }
                1
            }
            (Member::Static, _) => {
                let is_own = self.owner.is_some() && self.owner == callee.owner;
                let owner = callee.owner.map(|owner| self.dialect.type_name(self.cx, owner)).unwrap_or_default();
                if let Some(span) = self.macro_of_struct(callee, call) {
                    self.cx.macros.write_name(&self.cx.trivia, span, &owner, out);
                    out.push_str("::");
                } else if !is_own || self.cx.trivia.is_qualified(self.arena[call].span) {
                    out.push_str(&format!("{owner}::"));
                }
                0
            }
            (Member::Method | Member::None, _) => 0,
        }
    }

    /// A variable; a static member has its struct before it where that is not around it.
    fn variable(&self, global: &Global, span: Span, out: &mut String) -> Prec {
        let is_said = |of: &TypeId| self.owner != Some(*of) || self.cx.trivia.is_path(span);
        if let Some(of) = global.member.as_ref().map(|member| member.of).filter(is_said) {
            out.push_str(&format!("{}::", self.dialect.type_name(self.cx, of)));
        }
        self.name(global.name.as_str(), out)
    }

    /// Whether an expression is the object of the method that is printed in its struct.
    fn is_object(&self, id: ExprId) -> bool {
        let is_this = |local: LocalId| self.locals.is_some_and(|locals| locals[local].name == "this");
        self.owner.is_some() && matches!(self.kind(id), ExprKind::Local(local) if is_this(*local))
    }

    /// The arguments of a call without the last ones that are default values.
    fn given<'s>(&self, callee: &Function, args: &'s [ExprId]) -> &'s [ExprId] {
        if callee.params.last().is_none_or(|param| param.default.is_none()) || args.len() != callee.params.len() {
            return args;
        }
        let is_default = |(param, arg): &(&Param, &ExprId)| {
            param.default.as_ref().is_some_and(|tree| tree.exprs[tree.root].span == self.arena[**arg].span)
        };
        let last = callee.params.iter().zip(args).rev().take(self.cx.defaults(callee));
        let left_out = last.take_while(is_default).count();
        args.split_at_checked(args.len() - left_out).map_or(args, |(given, _)| given)
    }

    /// Whether arguments are of literals alone, and something is called in one of them, or chosen when the program runs, or one
    /// is not finite.
    fn are_unknown(&self, args: &[ExprId]) -> bool {
        let is_infinite = |id: ExprId| {
            let value = eval(self.cx.program, self.arena, id);
            matches!(value, Ok(Value::Float(v, _)) if !v.is_finite())
        };
        let is_unknown = |id: ExprId| {
            is_infinite(id)
                || self
                    .arena
                    .post_order(id)
                    .iter()
                    .any(|e| matches!(self.kind(*e), ExprKind::Call(..) | ExprKind::Select(..)))
        };
        args.iter().all(|arg| self.dialect.is_untyped(self, *arg)) && args.iter().any(|arg| is_unknown(*arg))
    }

    /// An argument by which an overload is chosen: a literal says its type where others of the name take another one.
    fn choosing_argument(&self, callee: &Function, count: usize, index: usize, arg: ExprId, out: &mut String) {
        let literal = match self.kind(arg) {
            ExprKind::Unary(_, inner) => matches!(self.kind(*inner), ExprKind::Literal(..)),
            kind => matches!(kind, ExprKind::Literal(..)),
        };
        if self.cx.takes_another(callee, count, index) && self.dialect.may_widen(self, arg) {
            self.call_of(&self.dialect.type_name(self.cx, self.type_id(arg)), &[arg], out);
            return;
        }
        let contested = self.cx.is_contested(callee, count, index);
        if contested && !literal && self.dialect.is_untyped(self, arg) {
            self.typed(arg, out);
            return;
        }
        let text = self.operand_text(arg, Prec::Assign);
        // A literal of another type is written as one of this where it can be.
        let number =
            text.trim_start_matches(|c| c == '-' || is_mark(c)).starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let converted = number && matches!(self.kind(arg), ExprKind::Convert(..));
        // What is not finite is a call.
        let literal = literal && !text.trim_end_matches(is_mark).ends_with(')');
        let (before, after) = match self.ty(arg) {
            Type::Scalar(s) if (literal || converted) && contested => self.dialect.choosing_literal(s),
            _ => ("", ""),
        };
        self.push_around((before, after), arg, &text, out);
    }

    /// A text with what stands around it. A suffix is of numbers: the name of one is converted instead.
    fn push_around(&self, (before, after): (&str, &str), id: ExprId, text: &str, out: &mut String) {
        let is_suffix = before.is_empty() && after.starts_with(|c: char| c.is_ascii_alphabetic());
        let scalar = self.cx.program.types.component(self.type_id(id));
        let (before, after) = match scalar.filter(|_| is_suffix && is_macro_name(text.trim_matches(is_mark))) {
            Some(scalar) => (format!("{}(", self.dialect.scalar_name(scalar)), ")"),
            // It may have one.
            None if is_suffix && super::literal::has_suffix(text) => (String::new(), ""),
            None => (before.to_owned(), after),
        };
        out.push_str(&before);
        out.push_str(text);
        out.push_str(after);
    }

    /// The arguments, those by reference without the conversion on their way back: languages with such parameters do it.
    fn places(&self, callee: &Function, args: &[ExprId]) -> Vec<ExprId> {
        let mut places = args.to_vec();
        for (param, arg) in callee.params.iter().zip(&mut places) {
            if let ExprKind::Convert(inner, _) = self.kind(*arg)
                && param.mode != ParamMode::In
            {
                *arg = *inner;
            }
        }
        places
    }

    /// Accessors are calls by now; a property that is still here is read through its getter.
    fn property(&self, property: &Property, id: ExprId, out: &mut String) -> Prec {
        match property.reference.or(property.get) {
            Some(function) => self.call(function, &property.args, id, out),
            None => Prec::Postfix,
        }
    }

    /// A buffer that is an element of an array: its elements are those of a member of the block, or struct, that it is.
    pub(super) fn is_element_buffer(&self, id: ExprId) -> bool {
        matches!(self.ty(id), Type::Buffer(kind, ..) if !matches!(kind, BufferKind::Typed | BufferKind::Block(_)))
            && !matches!(self.kind(id), ExprKind::Global(_))
    }

    fn address_of(&self, a: ExprId, out: &mut String) -> Prec {
        if let ExprKind::Deref(pointer) = self.kind(a) {
            return self.print(*pointer, out);
        }
        out.push('&');
        self.operand(a, Prec::Unary, out);
        Prec::Unary
    }

    /// A spelling with its arguments filled in.
    pub(super) fn template(&self, template: &Template, args: &[ExprId], result: TypeId, out: &mut String) -> Prec {
        self.template_of(template, args, result, false, out)
    }

    /// The same; whether whole numbers among the arguments take the types of parameters.
    fn template_of(
        &self,
        template: &Template,
        args: &[ExprId],
        result: TypeId,
        adapts: bool,
        out: &mut String,
    ) -> Prec {
        // An argument as it is holds together as it does.
        if let [TemplatePiece::Arg(n)] = template.pieces[..]
            && let Some(&arg) = args.get(n as usize)
            && self.dialect.around_argument(self, args, arg) == ("", "")
        {
            return self.print(self.dialect.template_argument(self, args, arg), out);
        }
        let prec = Prec::of_template(template);
        let mut behind_comma: Option<String> = None;
        for (i, piece) in template.pieces.iter().enumerate() {
            let around = Around::of(template, i);
            match piece {
                TemplatePiece::Text(text) => {
                    let text = self.dialect.text(self.cx, text);
                    match (behind_comma.take(), text.strip_prefix(',')) {
                        (Some(between), Some(rest)) => {
                            out.push(',');
                            out.push_str(&between);
                            out.push_str(rest.trim_start());
                        }
                        _ => out.push_str(text),
                    }
                }
                TemplatePiece::Arg(n) => {
                    behind_comma = self.placed(args, *n, around, out, &|out| {
                        if !(adapts && self.adapting_argument(args, *n, out)) {
                            self.argument(args, *n, Prec::Assign, out);
                        }
                    });
                }
                TemplatePiece::Operand(n) => {
                    let level = operand_level(template, i, prec);
                    behind_comma = self.placed(args, *n, around, out, &|out| self.argument(args, *n, level, out));
                }
                TemplatePiece::Address(n) => {
                    if let Some(arg) = args.get(*n as usize) {
                        self.dialect.address(self, *arg, out);
                    }
                }
                TemplatePiece::Typed(n) => self.typed_argument(args, *n, out),
                TemplatePiece::TypeOf(n) => {
                    if let Some(arg) = args.get(*n as usize) {
                        out.push_str(&self.dialect.type_name(self.cx, self.type_id(*arg)));
                    }
                }
                TemplatePiece::ResultType => out.push_str(&self.dialect.type_name(self.cx, result)),
                TemplatePiece::Element(n) => {
                    if let Some(arg) = args.get(*n as usize) {
                        let scalar = self.cx.element_scalar(self.type_id(*arg));
                        out.push_str(self.dialect.scalar_name(scalar));
                    }
                }
                TemplatePiece::Sampler(n) => self.sampler(args, *n, out),
                TemplatePiece::Truncate => out.push_str(self.truncation(args, result)),
                TemplatePiece::Rest(n) => self.rest(args, *n, out),
            }
        }
        prec
    }

    /// An argument of a spelling with what the source has around it. Gives what is to stand behind the next comma.
    fn placed(
        &self,
        args: &[ExprId],
        n: u32,
        around: Around,
        out: &mut String,
        print: &dyn Fn(&mut String),
    ) -> Option<String> {
        let span = self.arena[*args.get(n as usize)?].span;
        if around.begins {
            self.cx.trivia.before(span, out);
        }
        print(out);
        let behind = self.cx.trivia.after(span).filter(|_| around.ends.is_some())?;
        if around.ends == Some(',') && behind.contains('\n') {
            return Some(behind);
        }
        out.push_str(behind.trim_end_matches(' '));
        None
    }

    fn argument(&self, args: &[ExprId], n: u32, least: Prec, out: &mut String) {
        if let Some(arg) = args.get(n as usize) {
            let printed = self.dialect.template_argument(self, args, *arg);
            let around = self.dialect.around_argument(self, args, *arg);
            match around {
                ("", "") => self.operand(printed, least, out),
                _ => self.push_around(around, printed, &self.operand_text(printed, least), out),
            }
        }
    }

    /// An argument of a builtin that compilers choose by the type of a literal, of which the parameter does not decide. Unsigned
    /// literals say theirs.
    fn typed_argument(&self, args: &[ExprId], n: u32, out: &mut String) {
        let Some(arg) = args.get(n as usize) else { return };
        let is_literal = match *self.kind(*arg) {
            ExprKind::Literal(..) => true,
            ExprKind::Unary(UnaryOp::Negate, inner) => matches!(self.kind(inner), ExprKind::Literal(..)),
            _ => false,
        };
        let is_unsigned = self.cx.program.types.component(self.type_id(*arg)).is_some_and(Scalar::is_unsigned);
        if !is_literal || is_unsigned {
            return self.argument(args, n, Prec::Assign, out);
        }
        out.push_str(&self.dialect.type_name(self.cx, self.type_id(*arg)));
        out.push('(');
        self.argument(args, n, Prec::Assign, out);
        out.push(')');
    }

    fn rest(&self, args: &[ExprId], from: u32, out: &mut String) {
        let rest = args.get(from as usize..).unwrap_or_default();
        self.list(rest, out, &mut |i, _, out| self.argument(args, from + i as u32, Prec::Assign, out));
    }

    /// A texture argument with the sampler behind it; a comparison sampler makes it a shadow sampler.
    fn sampler(&self, args: &[ExprId], n: u32, out: &mut String) {
        let Some(arg) = args.get(n as usize) else { return };
        if let Type::Texture(texture) = self.ty(*arg) {
            if texture.combined {
                return self.argument(args, n, Prec::Assign, out);
            }
            let samplers = || args.iter().map(|a| self.ty(*a));
            let depth = samplers().any(|t| t == Type::Sampler(true))
                || (texture.depth && !samplers().any(|t| t == Type::Sampler(false)));
            out.push_str(&self.dialect.sampler_name(self.cx, &texture, depth));
            out.push('(');
            self.argument(args, n, Prec::Assign, out);
            out.push_str(", ");
            self.argument(args, n + 1, Prec::Assign, out);
            out.push(')');
        }
    }

    /// The swizzle that cuts four components to those of the result; a depth texture gives one.
    fn truncation(&self, args: &[ExprId], result: TypeId) -> &'static str {
        let depth = args.iter().any(|a| matches!(self.ty(*a), Type::Texture(t) if t.depth));
        if depth && self.dialect.depth_reads_are_scalar() {
            return "";
        }
        match self.cx.program.types.get(result) {
            Type::Vector(_, 4) => "",
            Type::Vector(_, 3) => ".xyz",
            Type::Vector(_, 2) => ".xy",
            _ => ".x",
        }
    }
}

impl Prec {
    /// How tightly a spelling holds together, from its outermost operators.
    fn of_template(template: &Template) -> Prec {
        if !template.loose {
            return Prec::Postfix;
        }
        let mut depth = 0i32;
        let mut loosest = Prec::Postfix;
        for piece in &template.pieces {
            let TemplatePiece::Text(text) = piece else { continue };
            for word in text.split_inclusive([' ', '(', ')', '[', ']', ',']) {
                let bare = word.trim_end_matches([' ', '(', ')', '[', ']', ',']);
                if depth == 0 && !bare.is_empty() {
                    loosest = loosest.min(Self::of_word(bare));
                }
                depth += word.chars().map(|c| i32::from("([".contains(c)) - i32::from(")]".contains(c))).sum::<i32>();
            }
        }
        loosest
    }

    fn of_word(word: &str) -> Prec {
        match word {
            "*" | "/" | "%" => Prec::Multiplicative,
            "+" => Prec::Additive,
            // `-` alone may be the sign before an operand: both levels are as good as an addition here.
            "-" => Prec::Additive,
            "<<" | ">>" => Prec::Shift,
            "<" | "<=" | ">" | ">=" => Prec::Relational,
            "==" | "!=" => Prec::Equality,
            "&" => Prec::BitAnd,
            "^" => Prec::BitXor,
            "|" => Prec::BitOr,
            "&&" => Prec::And,
            "||" => Prec::Or,
            "?" | ":" => Prec::Ternary,
            "=" | "+=" | "-=" | "*=" | "/=" => Prec::Assign,
            _ if word.starts_with(['!', '~', '-']) => Prec::Unary,
            _ => Prec::Postfix,
        }
    }
}

/// Where an argument stands in a spelling.
#[derive(Clone, Copy)]
struct Around {
    /// Behind a comma, a bracket or an operator.
    begins: bool,
    /// What it stands before, if that is a comma or a bracket.
    ends: Option<char>,
}

impl Around {
    fn of(template: &Template, piece: usize) -> Around {
        let text = |at: Option<usize>| match template.pieces.get(at?)? {
            TemplatePiece::Text(text) => Some(text.as_str()),
            _ => None,
        };
        let begins = text(piece.checked_sub(1)).is_some_and(|text| text.ends_with(['(', ' ']));
        let next = text(Some(piece + 1)).and_then(|text| text.chars().next());
        Around { begins, ends: next.filter(|c| matches!(c, ',' | ')')) }
    }
}

/// Whether a text begins a call of a function of a name.
fn is_call(text: &str, name: Symbol) -> bool {
    text.strip_suffix('(') == Some(name.as_str())
}

/// A text without its comments.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains('/') {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (before, comment) = rest.split_at(at);
        out.push_str(before);
        let end = if comment.starts_with("//") { comment.find('\n') } else { comment.find("*/").map(|end| end + 2) };
        rest = end.and_then(|end| comment.get(end..)).unwrap_or_default();
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether a text compares by `<` outside of brackets.
fn has_bare_less(text: &str) -> bool {
    let (mut depth, mut before) = (0, b' ');
    text.bytes().zip(text.bytes().skip(1)).any(|(c, next)| {
        match c {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            _ => {}
        }
        let last = std::mem::replace(&mut before, c);
        c == b'<' && next == b' ' && last != b'<' && depth == 0
    })
}

/// The loosest expression that a `$(n)` takes without parentheses: postfix forms need a tight one; the first operand of
/// a product or sum may be one itself.
fn operand_level(template: &Template, piece: usize, prec: Prec) -> Prec {
    let next = match template.pieces.get(piece + 1) {
        Some(TemplatePiece::Text(text)) => text.as_str(),
        Some(TemplatePiece::Truncate) => ".",
        _ => "",
    };
    if next.starts_with(['.', '[']) || prec == Prec::Postfix {
        return Prec::Postfix;
    }
    let (left, right) = prec.operands();
    if piece == 0 && prec >= Prec::Additive { left } else { right.max(Prec::Unary) }
}
