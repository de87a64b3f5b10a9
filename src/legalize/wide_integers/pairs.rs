//! Expressions of 64-bit integers as expressions of pairs of words.
//!
//! Expressions keep their types until all of them are rewritten: what has the type of a 64-bit integer is a pair by then.

use super::super::Context;
use super::super::helpers::Helpers;
use super::width;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

/// Whether a vector of smaller integers is one literal for every component.
pub(super) fn is_splat(types: &Types, exprs: &ExprArena, id: ExprId) -> bool {
    let is_integer = matches!(types.get(exprs[id].ty), Type::Vector(s, _) if s.is_integer() && s.size() <= 4);
    let ExprKind::Convert(inner, _) = exprs[id].kind else { return false };
    is_integer && matches!(exprs[inner].kind, ExprKind::Literal(Literal::Int(_), _))
}

/// Rewrites the expressions of a body or initializer.
pub(super) struct Pairs<'a> {
    pub(super) program: &'a mut Program,
    pub(super) helpers: &'a mut Helpers,
    pub(super) exprs: &'a mut ExprArena,
    /// Expressions whose value is not used.
    pub(super) statements: FxHashSet<ExprId>,
    /// The target has doubles; else what has to do with them is an error anyway.
    pub(super) doubles: bool,
    /// What could not be rewritten: in which words 64-bit integers stand there.
    faults: Vec<(Span, String)>,
    /// The place of what is being rewritten.
    span: Span,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(
        cx: &'a mut Context,
        helpers: &'a mut Helpers,
        exprs: &'a mut ExprArena,
        statements: FxHashSet<ExprId>,
    ) -> Pairs<'a> {
        let doubles = cx.profile.has(Capability::Float64);
        Pairs { program: cx.program, helpers, exprs, statements, doubles, faults: Vec::new(), span: Span::default() }
    }

    /// Rewrites live expressions, children before parents; gives what has no form as pairs.
    pub(super) fn run(mut self, live: &[ExprId]) -> Vec<(Span, String)> {
        live.iter().for_each(|id| self.lower(*id));
        self.faults
    }

    pub(super) fn build(&mut self) -> Build<'_> {
        Build::new(&mut self.program.types, self.exprs, self.span)
    }

    pub(super) fn ty(&self, id: ExprId) -> TypeId {
        self.exprs[id].ty
    }

    pub(super) fn width(&self, id: ExprId) -> Option<u8> {
        width(&self.program.types, self.ty(id))
    }

    pub(super) fn is_wide(&self, id: ExprId) -> bool {
        self.width(id).is_some()
    }

    pub(super) fn is_vector(&self, id: ExprId) -> bool {
        matches!(self.program.types.get(self.ty(id)), Type::Vector(..))
    }

    pub(super) fn is_signed(&self, id: ExprId) -> bool {
        self.program.types.component(self.ty(id)) == Some(Scalar::I64)
    }

    /// The scalar type of the components of an expression's type.
    pub(super) fn scalar_type(&mut self, ty: TypeId) -> TypeId {
        match self.program.types.component(ty) {
            Some(scalar) => self.program.types.scalar(scalar),
            None => ty,
        }
    }

    /// Makes another expression of one, with the type that it has.
    pub(super) fn become_expr(&mut self, id: ExprId, value: ExprId) {
        let ty = self.exprs[id].ty;
        self.exprs.replace_by(id, value);
        self.exprs[id].ty = ty;
    }

    pub(super) fn fault(&mut self, what: impl Into<String>) {
        self.faults.push((self.span, what.into()));
    }

    pub(super) fn lower(&mut self, id: ExprId) {
        self.span = self.exprs[id].span;
        match self.exprs[id].kind.clone() {
            ExprKind::Literal(Literal::Int(value), text) if self.is_wide(id) => self.literal(id, value, text),
            ExprKind::Unary(op, a) if self.is_wide(a) => self.unary(id, op, a),
            ExprKind::Binary(op, a, b) if self.is_wide(a) || self.is_wide(b) => self.binary(id, op, a, b),
            ExprKind::Select(c, a, b) if self.is_wide(id) && self.is_vector(id) => self.select(id, c, a, b),
            ExprKind::Assign(op, target, value) if self.is_wide(target) => self.assign(id, op, target, value),
            ExprKind::Assign(op, target, value) if self.is_wide(value) => self.shift_assigned(id, op, target, value),
            ExprKind::Step(increment, prefix, target) if self.is_wide(target) => {
                self.step(id, increment, prefix, target);
            }
            ExprKind::Convert(a, _) if self.is_wide(id) || self.is_wide(a) => self.convert(id, a),
            ExprKind::Index(base, index) if self.is_wide(index) => {
                let word = self.word(index, 0);
                self.exprs[id].kind = ExprKind::Index(base, word);
            }
            ExprKind::Swizzle(a, swizzle) if self.is_wide(a) => self.swizzle(id, a, &swizzle),
            ExprKind::Construct(parts) if self.is_wide(id) && self.is_vector(id) => self.construct(id, &parts),
            ExprKind::Call(f, args) => {
                let function = &self.program.functions[f];
                let spelled = function.builtin && matches!(function.body, FunctionBody::Intrinsic(_));
                let name = function.known_as();
                let types = args.iter().map(|a| self.ty(*a)).chain([self.ty(id)]);
                let mut numbers = types.filter_map(|ty| self.program.types.component(ty));
                let is_error_anyway = !self.doubles && numbers.any(|number| number == Scalar::F64);
                if spelled && !is_error_anyway && (self.is_wide(id) || args.iter().any(|a| self.is_wide(*a))) {
                    self.fault(format!("`{name}` of"));
                }
            }
            ExprKind::Native(_, args) if self.is_wide(id) || args.iter().any(|a| self.is_wide(*a)) => {
                self.fault("this operation on");
            }
            _ => {}
        }
    }

    /// The two words, in hexadecimal digits where the source has these.
    fn literal(&mut self, id: ExprId, value: i64, text: Option<Symbol>) {
        let hexadecimal = text.is_some_and(|t| t.as_str().starts_with("0x") || t.as_str().starts_with("0X"));
        let words = [value as u32, (value >> 32) as u32].map(|word| {
            let text = hexadecimal.then(|| Symbol::new(&format!("0x{word:X}")));
            self.build().add(ExprKind::Literal(Literal::Int(word.into()), text), TypeId::UINT)
        });
        self.exprs[id].kind = ExprKind::Construct(words.to_vec());
    }

    // ---- Components ----

    /// A component of a vector, or the scalar that stands for each of them.
    pub(super) fn component(&mut self, value: ExprId, index: u8) -> ExprId {
        if !self.is_vector(value) {
            return self.exprs.duplicate(value);
        }
        let ty = self.scalar_type(self.ty(value));
        match self.exprs[value].kind.clone() {
            ExprKind::Construct(parts) if parts.iter().all(|p| !self.is_vector(*p)) => {
                let part = parts.get(usize::from(index)).copied();
                part.map_or(value, |part| self.exprs.duplicate(part))
            }
            ExprKind::Zero => self.build().add(ExprKind::Zero, ty),
            ExprKind::Convert(inner, _) if is_splat(&self.program.types, self.exprs, value) => {
                match self.exprs[inner].kind {
                    ExprKind::Literal(Literal::Int(number), _) => self.build().number(number, ty),
                    _ => self.exprs.duplicate(inner),
                }
            }
            _ if self.is_wide(value) => {
                let copy = self.exprs.duplicate(value);
                let mut b = self.build();
                let index = b.int(index.into());
                b.add(ExprKind::Index(copy, index), ty)
            }
            _ => {
                let copy = self.exprs.duplicate(value);
                self.build().swizzle(copy, &[index])
            }
        }
    }

    /// Makes a vector of what `f` gives for each component.
    pub(super) fn by_component(&mut self, id: ExprId, f: &mut dyn FnMut(&mut Self, u8) -> ExprId) {
        let count = match self.program.types.get(self.ty(id)) {
            Type::Vector(_, count) => count,
            _ => 1,
        };
        let span = self.span;
        let parts = (0..count).map(|index| f(self, index)).collect();
        self.span = span;
        self.exprs[id].kind = ExprKind::Construct(parts);
    }

    /// An expression of scalars, rewritten.
    pub(super) fn scalar(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        let id = self.build().add(kind, ty);
        self.lower(id);
        id
    }

    fn swizzle(&mut self, id: ExprId, a: ExprId, swizzle: &Swizzle) {
        let list = swizzle.list().to_vec();
        match list.as_slice() {
            [one] => {
                let part = self.component(a, *one);
                self.become_expr(id, part);
            }
            _ => self.by_component(id, &mut |lower, index| {
                let component = list.get(usize::from(index)).copied().unwrap_or(0);
                lower.component(a, component)
            }),
        }
    }

    /// One part for each component.
    fn construct(&mut self, id: ExprId, parts: &[ExprId]) {
        let mut all = Vec::new();
        for &part in parts {
            match self.program.types.get(self.ty(part)) {
                Type::Vector(_, count) => all.extend((0..count).map(|index| self.component(part, index))),
                _ => all.push(part),
            }
        }
        self.exprs[id].kind = ExprKind::Construct(all);
    }

    fn select(&mut self, id: ExprId, c: ExprId, a: ExprId, b: ExprId) {
        let ty = self.scalar_type(self.ty(id));
        self.by_component(id, &mut |lower, index| {
            let [c, a, b] = [c, a, b].map(|e| lower.component(e, index));
            lower.build().add(ExprKind::Select(c, a, b), ty)
        });
    }
}
