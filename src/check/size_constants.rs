//! Arrays whose size is known when the pipeline is made: `groupshared float tile[N * 2]` of a specialization constant `N`.
//!
//! Two arrays are of one type if their sizes are computed alike, whatever the constants on the way are called. So a size
//! is taken down to literals and specialization constants, and each that differs has one constant of the module: the
//! specialization constant itself, the `static const` that the source has for it, or one that is made here.

use super::{Checker, constant};
use crate::ast;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    BinaryOp, Body, Expr, ExprArena, ExprId, ExprKind, ExprTree, Global, GlobalId, GlobalKind, Length, Literal,
    LocalId, Scalar, SizeConstant, Type, TypeId, Types,
};

use super::scope::ScopeId;

/// How far constants that name one another are followed, and how deep their expressions are.
const MOST_NESTING: u32 = 64;

/// What sizes an array.
pub(super) enum Size {
    Number(i64),
    Constant(SizeConstant),
}

impl<'a> Checker<'a> {
    /// The size of an array; reports what is none.
    pub(super) fn array_size(&mut self, e: &'a ast::Expr, scope: ScopeId) -> Option<Size> {
        if matches!(e.kind, ast::ExprKind::Int(..)) {
            return self.constant_int(e, scope).map(Size::Number);
        }
        let (root, body) = self.constant_body(scope, |c| c.expr(e));
        let value = self.constant_value(&body, root);
        match if value.is_err() { self.size_constant(&body, root) } else { None } {
            Some(size) if size.first == 0 => {
                let message = "the first value of what sizes this array must be greater than 0";
                self.error(Code::NOT_CONSTANT, e.span, message);
                None
            }
            Some(size) => Some(Size::Constant(size)),
            None => self.constant_integer(value, e.span).map(Size::Number),
        }
    }

    /// An array with a constant for its size.
    pub(super) fn sized_array(&mut self, element: TypeId, size: SizeConstant, span: Span) -> TypeId {
        // It is as large as its first size, which is what it is laid out for.
        if self.array_type(element, Some(size.first.into()), span) == TypeId::ERROR {
            return TypeId::ERROR;
        }
        self.program.types.array(element, Length::Constant(size))
    }

    /// Remembers what a constant variable of a function is made of, if specialization constants are among that.
    pub(super) fn note_specialized(&mut self, local: LocalId, value: ExprId) {
        let mut copy = Copy { checker: self, exprs: ExprArena::default(), found: false };
        let root = copy.expr(&self.cx.body.exprs, value, 0);
        if let (Some(root), true) = (root, copy.found) {
            let exprs = copy.exprs;
            self.cx.specialized.push((local, ExprTree { exprs, root }));
        }
    }

    /// The constant of an expression that is made of specialization constants.
    fn size_constant(&mut self, body: &Body, root: ExprId) -> Option<SizeConstant> {
        if !matches!(self.program.types.component(body.exprs[root].ty), Some(s) if s.is_integer()) {
            return None;
        }
        let mut copy = Copy { checker: self, exprs: ExprArena::default(), found: false };
        let made = copy.expr(&body.exprs, root, 0)?;
        let (mut exprs, found) = (copy.exprs, copy.found);
        if !found {
            return None;
        }
        let span = body.exprs[root].span;
        let root_ty = exprs[made].ty;
        let plain = matches!(self.program.types.get(root_ty), Type::Scalar(Scalar::I32 | Scalar::U32));
        let made = match plain {
            true => made,
            false => narrowed(&self.program.types, &mut exprs, made, TypeId::INT),
        };
        let first = constant::eval_first(&self.program, &exprs, made).ok()?.int()?;
        let first = u32::try_from(first).unwrap_or(0);
        let key = written(&exprs);
        if let Some(known) = self.size_constants.get(&key) {
            return Some(*known);
        }
        let own = match (&exprs[made].kind, &body.exprs[root].kind) {
            (ExprKind::Global(id), _) => Some(*id),
            (_, ExprKind::Global(id)) if plain => Some(*id),
            _ => None,
        };
        let global = own.unwrap_or_else(|| {
            let ty = exprs[made].ty;
            let init = Some(ExprTree { exprs, root: made });
            let name = Symbol::from("array_size");
            self.program.globals.push(Global { init, ..Global::new(name, ty, GlobalKind::Const, span) })
        });
        let size = SizeConstant { global, first };
        self.size_constants.insert(key, size);
        Some(size)
    }
}

/// An expression as another kind of integer, of 32 bits. Targets may have no integers of 64 bits: where the low bits of operands
/// make those of the result, they are cut first.
fn narrowed(types: &Types, exprs: &mut ExprArena, id: ExprId, to: TypeId) -> ExprId {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Mul, Sub};
    let Expr { ref kind, ty, span } = exprs[id];
    let is_wide = matches!(types.get(ty), Type::Scalar(Scalar::I64 | Scalar::U64));
    let kind = match *kind {
        _ if ty == to => return id,
        ExprKind::Convert(inner, _) if is_wide => return narrowed(types, exprs, inner, to),
        ExprKind::Literal(Literal::Int(value), _) if is_wide && (0..=i32::MAX.into()).contains(&value) => {
            ExprKind::Literal(Literal::Int(value), None)
        }
        ExprKind::Binary(op @ (Add | Sub | Mul | BitAnd | BitOr | BitXor), a, b) if is_wide => {
            ExprKind::Binary(op, narrowed(types, exprs, a, to), narrowed(types, exprs, b, to))
        }
        _ => ExprKind::Convert(id, true),
    };
    exprs.push(Expr { kind, ty: to, span })
}

/// What an expression is, without the places where it stands.
fn written(exprs: &ExprArena) -> String {
    let kind = |e: &Expr| match &e.kind {
        ExprKind::Literal(literal, _) => format!("{literal:?}"),
        kind => format!("{kind:?}"),
    };
    exprs.iter().map(|(_, e)| format!("{} {:?};", kind(e), e.ty)).collect()
}

/// A copy of an expression in which constants are what they are made of.
struct Copy<'c, 'a> {
    checker: &'c Checker<'a>,
    exprs: ExprArena,
    /// A specialization constant is in it.
    found: bool,
}

impl Copy<'_, '_> {
    fn expr(&mut self, exprs: &ExprArena, id: ExprId, depth: u32) -> Option<ExprId> {
        if depth >= MOST_NESTING {
            return None;
        }
        let Expr { ref kind, ty, span } = exprs[id];
        // No target computes with floats before a pipeline is made.
        if !self.checker.program.types.is_whole(ty) {
            return None;
        }
        let part = |copy: &mut Self, e: ExprId| copy.expr(exprs, e, depth + 1);
        let kind = match kind {
            ExprKind::Literal(..) | ExprKind::EnumCase(..) => kind.clone(),
            ExprKind::Global(global) => return self.global(*global, ty, span, depth),
            ExprKind::Local(local) => return self.local(*local, ty, span, depth),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, part(self, *a)?),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, part(self, *a)?, part(self, *b)?),
            ExprKind::Select(c, a, b) => ExprKind::Select(part(self, *c)?, part(self, *a)?, part(self, *b)?),
            ExprKind::Convert(a, explicit) => {
                let (types, value) = (&self.checker.program.types, part(self, *a)?);
                if matches!(types.get(ty), Type::Scalar(Scalar::I32 | Scalar::U32)) {
                    return Some(narrowed(types, &mut self.exprs, value, ty));
                }
                ExprKind::Convert(value, *explicit)
            }
            _ => return None,
        };
        Some(self.exprs.push(Expr { kind, ty, span }))
    }

    fn global(&mut self, global: GlobalId, ty: TypeId, span: Span, depth: u32) -> Option<ExprId> {
        let declared = &self.checker.program.globals[global];
        match (declared.kind, &declared.init) {
            (GlobalKind::Specialization, _) => {
                self.found = true;
                Some(self.exprs.push(Expr { kind: ExprKind::Global(global), ty, span }))
            }
            (GlobalKind::Const, Some(init)) => self.expr(&init.exprs, init.root, depth + 1),
            _ => None,
        }
    }

    fn local(&mut self, local: LocalId, ty: TypeId, span: Span, depth: u32) -> Option<ExprId> {
        let cx = &self.checker.cx;
        if let Some((_, tree)) = cx.specialized.iter().find(|(l, _)| *l == local) {
            return self.expr(&tree.exprs, tree.root, depth + 1);
        }
        let (_, value) = cx.constants.iter().find(|(l, _)| *l == local)?;
        let kind = ExprKind::Literal(value.to_literal()?, None);
        Some(self.exprs.push(Expr { kind, ty, span }))
    }
}
