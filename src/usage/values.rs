//! What is known of values: constants, and ranges of integers and bools.

use crate::check::constant::{self, Value};
pub use crate::tree::analyses::ranges::Range;
use crate::tree::analyses::ranges::arithmetic;
use crate::tree::*;
use std::collections::{BTreeMap, BTreeSet};

pub const TRUE: Range = (1, 1);
pub const FALSE: Range = (0, 0);

/// Expressions nested deeper than this are not known.
const MAX_DEPTH: u32 = 64;

/// Arrays of more elements than this are not kept.
const MAX_PARTS: usize = 64;

/// What is known of one value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Known {
    pub range: Option<Range>,
    pub value: Option<Value>,
}

impl Known {
    pub fn of_range(range: Option<Range>) -> Known {
        Known { range, value: None }
    }
}

/// What is known of locals.
pub type Locals = BTreeMap<LocalId, Known>;

/// What is known after one of two ways.
pub fn join(one: &Locals, other: &Locals) -> Locals {
    let hull = |a: Range, b: Range| (a.0.min(b.0), a.1.max(b.1));
    let both = one.iter().filter_map(|(local, a)| {
        let b = other.get(local)?;
        let range = a.range.zip(b.range).map(|(a, b)| hull(a, b));
        let value = a.value.clone().filter(|v| b.value.as_ref() == Some(v));
        Some((*local, Known { range, value }))
    });
    both.collect()
}

/// Finds what is known of expressions.
pub struct Values<'a> {
    pub program: &'a Program,
    /// Statics that some function writes.
    written: &'a BTreeSet<GlobalId>,
}

impl<'a> Values<'a> {
    pub fn new(program: &'a Program, written: &'a BTreeSet<GlobalId>) -> Values<'a> {
        Values { program, written }
    }

    /// What is known of an expression.
    pub fn of(&self, body: &Body, locals: &Locals, id: ExprId) -> Known {
        let plain = matches!(
            self.program.types.get(body.exprs[id].ty),
            Type::Scalar(_) | Type::Enum(_) | Type::Vector(..) | Type::Array(..) | Type::Struct(_)
        );
        if !plain {
            return Known::default();
        }
        let local = |l: LocalId| locals.get(&l).and_then(|k| k.value.clone());
        let value = constant::eval_with(self.program, &body.exprs, id, &local).ok();
        let exact = value.as_ref().and_then(exact);
        let small = |v: &Value| !matches!(v, Value::Composite(parts) if parts.len() > MAX_PARTS);
        Known { range: exact.or_else(|| self.range(body, locals, id, 0)), value: value.filter(small) }
    }

    /// The range of an integer or bool, if it is known.
    fn range(&self, body: &Body, locals: &Locals, id: ExprId, depth: u32) -> Option<Range> {
        if depth > MAX_DEPTH {
            return None;
        }
        let of = |e: ExprId| self.range(body, locals, e, depth + 1);
        let expr = &body.exprs[id];
        let found = match &expr.kind {
            ExprKind::Literal(Literal::Int(n), _) => Some((i128::from(*n), i128::from(*n))),
            ExprKind::Literal(Literal::Bool(b), _) => Some(if *b { TRUE } else { FALSE }),
            ExprKind::Local(local) => locals.get(local).and_then(|k| k.range),
            ExprKind::Global(global) => self.constant(*global),
            ExprKind::Convert(inner, _) if self.is_int(expr.ty) && self.is_int(body.exprs[*inner].ty) => {
                // A negative number becomes a large one, or the other way about.
                of(*inner).filter(|r| r.0 >= 0 && r.1 <= i128::from(i32::MAX))
            }
            ExprKind::Unary(UnaryOp::Negate, e) if !self.is_unsigned(expr.ty) => {
                of(*e).map(|(low, high)| (-high, -low))
            }
            ExprKind::Unary(UnaryOp::Not, e) => of(*e).map(|(low, high)| (1 - high, 1 - low)),
            ExprKind::Binary(op, left, right) if self.is_int(body.exprs[*left].ty) => {
                of(*left).zip(of(*right)).and_then(|(left, right)| binary(*op, left, right))
            }
            ExprKind::Call(function, args) => self.call(*function, args.iter().map(|a| of(*a)).collect(), depth),
            _ => None,
        };
        found.or_else(|| self.bounds(expr.ty))
    }

    /// The values that a type has at all, where code may tell them from others.
    fn bounds(&self, ty: TypeId) -> Option<Range> {
        match self.program.types.get(ty) {
            Type::Scalar(Scalar::Bool) => Some((0, 1)),
            Type::Scalar(Scalar::U16) => Some((0, u16::MAX.into())),
            Type::Scalar(Scalar::U32) => Some((0, u32::MAX.into())),
            _ => None,
        }
    }

    /// The value of a constant, or of a static that nothing writes.
    fn constant(&self, id: GlobalId) -> Option<Range> {
        let global = &self.program.globals[id];
        let fixed = match global.kind {
            GlobalKind::Const => true,
            GlobalKind::Static => !self.written.contains(&id),
            _ => false,
        };
        let tree = global.init.as_ref().filter(|_| fixed)?;
        constant::eval(self.program, &tree.exprs, tree.root).ok().as_ref().and_then(exact)
    }

    /// What a function of one expression gives.
    fn call(&self, id: FunctionId, args: Vec<Option<Range>>, depth: u32) -> Option<Range> {
        let function = &self.program.functions[id];
        let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = function.code.block.stmts.as_slice() else {
            return None;
        };
        if !matches!(function.body, FunctionBody::Block) || function.params.iter().any(|p| p.mode != ParamMode::In) {
            return None;
        }
        let pairs = function.params.iter().map(|p| p.local).zip(args);
        let known: Locals = pairs.map(|(p, range)| (p, Known::of_range(range))).collect();
        let writes = super::writes::writes(self.program, &function.code, &function.code.expressions());
        self.range(&function.code, &known, *value, depth + 8).filter(|_| writes.is_empty())
    }

    fn is_int(&self, ty: TypeId) -> bool {
        use Scalar::*;
        matches!(self.program.types.get(ty), Type::Scalar(Bool | I16 | U16 | I32 | U32 | I64 | U64))
    }

    fn is_unsigned(&self, ty: TypeId) -> bool {
        use Scalar::*;
        matches!(self.program.types.get(ty), Type::Scalar(U16 | U32 | U64))
    }
}

fn exact(value: &Value) -> Option<Range> {
    value.int().map(|n| (n.into(), n.into()))
}

/// What an operator makes of two ranges. Numbers that could leave 31 bits are not known: they may wrap.
pub fn binary(op: BinaryOp, (a, b): Range, (c, d): Range) -> Option<Range> {
    let truth = |always: bool, never: bool| match (always, never) {
        (true, _) => TRUE,
        (_, true) => FALSE,
        _ => (0, 1),
    };
    let within = |range: Range| (range.0 >= 0 && range.1 <= i128::from(i32::MAX)).then_some(range);
    match op {
        BinaryOp::Less => Some(truth(b < c, a >= d)),
        BinaryOp::LessEqual => Some(truth(b <= c, a > d)),
        BinaryOp::Greater => Some(truth(a > d, b <= c)),
        BinaryOp::GreaterEqual => Some(truth(a >= d, b < c)),
        BinaryOp::Equal => Some(truth(a == b && c == d && a == c, b < c || d < a)),
        BinaryOp::NotEqual => Some(truth(b < c || d < a, a == b && c == d && a == c)),
        BinaryOp::And => Some((a & c, b & d)),
        BinaryOp::Or => Some((a | c, b | d)),
        _ => arithmetic(op, (a, b), (c, d)).and_then(within),
    }
}
