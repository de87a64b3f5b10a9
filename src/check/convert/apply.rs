//! The tree of a conversion. What is a literal, or made of literals, is converted in place, so that no conversion of one is
//! left in the output.

use super::{Shape, base_of, numeric};
use crate::check::constant::round;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Arena, BinaryOp, Expr, ExprId, ExprKind, Literal, Program, Scalar, Swizzle, Type, TypeId, Types, UnaryOp,
};

/// The expression that converts `expr` to `to`: itself, a literal of the other kind, a swizzle, or a
/// [`ExprKind::Convert`]. The conversion must exist ([`rank`], or [`castable`] if `explicit`).
pub fn apply(
    exprs: &mut Arena<ExprId, Expr>,
    program: &mut Program,
    expr: ExprId,
    to: TypeId,
    explicit: bool,
) -> ExprId {
    let from = exprs[expr].ty;
    if from == to || from == TypeId::ERROR || to == TypeId::ERROR {
        return expr;
    }
    if fold(exprs, &mut program.types, expr, to, FOLD_DEPTH) {
        return expr;
    }
    let span = exprs[expr].span;
    match (program.types.get(from), program.types.get(to)) {
        (Type::ConstantBuffer(e, _) | Type::TextureBuffer(e) | Type::ParameterBlock(e), _) => {
            let contents = exprs.contents(expr, e, span);
            apply(exprs, program, contents, to, explicit)
        }
        (Type::Handle(e), resource) if !matches!(resource, Type::Vector(..) | Type::Scalar(_)) => {
            let resource = exprs.push(Expr { kind: ExprKind::Convert(expr, explicit), ty: e, span });
            apply(exprs, program, resource, to, explicit)
        }
        (_, Type::Handle(_) | Type::HeapElement(_)) | (Type::Handle(_) | Type::HeapElement(_), _) => {
            exprs.push(Expr { kind: ExprKind::Convert(expr, explicit), ty: to, span })
        }
        (Type::DynamicResource(_), _) => exprs.push(Expr { kind: ExprKind::Convert(expr, explicit), ty: to, span }),
        (Type::Array(..), Type::Array(..)) => expr,
        (Type::Pointer(..), Type::Pointer(..)) => {
            exprs.push(Expr { kind: ExprKind::Convert(expr, explicit), ty: to, span })
        }
        // An address is a number of 64 bits.
        (Type::Pointer(..), Type::Scalar(scalar)) => {
            let ty = program.types.scalar(Scalar::U64);
            let address = exprs.push(Expr { kind: ExprKind::Convert(expr, explicit), ty, span });
            if scalar != Scalar::Bool {
                return apply(exprs, program, address, to, explicit);
            }
            let zero = exprs.push(Expr { kind: ExprKind::Literal(Literal::Int(0), None), ty, span });
            let kind = ExprKind::Binary(BinaryOp::NotEqual, address, zero);
            exprs.push(Expr { kind, ty: to, span })
        }
        (Type::Scalar(_), Type::Pointer(..)) => {
            let ty = program.types.scalar(Scalar::U64);
            let address = apply(exprs, program, expr, ty, explicit);
            exprs.push(Expr { kind: ExprKind::Convert(address, explicit), ty: to, span })
        }
        (Type::Struct(_), Type::Struct(_)) => match base_of(program, from) {
            Some(base) => {
                let field = exprs.push(Expr { kind: ExprKind::Field(expr, 0), ty: base, span });
                apply(exprs, program, field, to, explicit)
            }
            None => expr,
        },
        (_, Type::Struct(_) | Type::Array(..)) => {
            exprs[expr] = Expr { kind: ExprKind::Zero, ty: to, span };
            expr
        }
        _ => apply_numeric(exprs, program, expr, to, explicit),
    }
}

/// Scalars, vectors, matrices and enums: first to the new shape where that makes less, then to the new kind, then to the
/// new shape where that makes more.
fn apply_numeric(
    exprs: &mut Arena<ExprId, Expr>,
    program: &mut Program,
    expr: ExprId,
    to: TypeId,
    explicit: bool,
) -> ExprId {
    let Expr { ty: from, span, .. } = exprs[expr];
    let types = &mut program.types;
    let convert = |exprs: &mut Arena<ExprId, Expr>, id: ExprId, ty: TypeId| {
        if exprs[id].ty == ty {
            return id;
        }
        exprs.push(Expr { kind: ExprKind::Convert(id, explicit), ty, span })
    };
    let (Some((a, p)), Some((b, q))) = (numeric(types, from), numeric(types, to)) else {
        // Enums: through the tag to anything but a scalar.
        return match (types.get(from), numeric(types, to)) {
            (Type::Enum(_), Some((scalar, shape))) if shape != Shape::Scalar => {
                let scalar = types.scalar(scalar);
                let inner = convert(exprs, expr, scalar);
                convert(exprs, inner, to)
            }
            _ => convert(exprs, expr, to),
        };
    };
    if p == q {
        return convert(exprs, expr, to);
    }
    if p.is_unit() {
        // Splat: `float3(float(i))`, and a literal becomes one of the new kind.
        let scalar = types.scalar(b);
        let inner = match p {
            Shape::Scalar => apply(exprs, program, expr, scalar, explicit),
            _ => convert(exprs, expr, scalar),
        };
        return convert(exprs, inner, to);
    }
    let narrowed = q.of(types, a);
    let inner = match (p, q) {
        (Shape::Vector(_), Shape::Vector(n)) => truncate(exprs, expr, n, narrowed, span),
        (Shape::Vector(_), Shape::Scalar) => truncate(exprs, expr, 1, narrowed, span),
        // A vector of one takes the first number, as a scalar does.
        (Shape::Matrix(..), Shape::Vector(1)) if p.line().is_none() => {
            let first = types.scalar(a);
            convert(exprs, expr, first)
        }
        (Shape::Matrix(..), Shape::Vector(n)) if p.count() != u32::from(n) => {
            let line = types.vector(a, p.line().unwrap_or(n));
            let line = exprs.push(Expr { kind: ExprKind::Construct(vec![expr]), ty: line, span });
            truncate(exprs, line, n, narrowed, span)
        }
        (Shape::Vector(n), Shape::Matrix(..)) if q.count() < n.into() => {
            let count = q.line().unwrap_or(n);
            let cut = types.vector(a, count);
            let cut = truncate(exprs, expr, count, cut, span);
            exprs.push(Expr { kind: ExprKind::Construct(vec![cut]), ty: narrowed, span })
        }
        (Shape::Matrix(..), Shape::Vector(_)) | (Shape::Vector(_), Shape::Matrix(..)) if p.count() == q.count() => {
            exprs.push(Expr { kind: ExprKind::Construct(vec![expr]), ty: narrowed, span })
        }
        _ => convert(exprs, expr, narrowed),
    };
    convert(exprs, inner, to)
}

/// The first `n` components of a vector. A swizzle of a swizzle becomes one.
fn truncate(exprs: &mut Arena<ExprId, Expr>, expr: ExprId, n: u8, ty: TypeId, span: Span) -> ExprId {
    let (of, swizzle) = match exprs[expr].kind {
        ExprKind::Swizzle(of, s) => (of, s.with(s.list().get(..n as usize).unwrap_or(s.list()))),
        _ => (expr, Swizzle::new([0, 1, 2, 3].get(..n as usize).unwrap_or(&[]))),
    };
    exprs.push(Expr { kind: ExprKind::Swizzle(of, swizzle), ty, span })
}

/// How deep conversions are folded into an expression.
const FOLD_DEPTH: u32 = 8;

/// Turns `expr` into one of type `to` in place where that needs no conversion in the output: literals, their negations,
/// constructors and selections of literals, zeroes. Changes nothing and gives false otherwise.
fn fold(exprs: &mut Arena<ExprId, Expr>, types: &mut Types, expr: ExprId, to: TypeId, depth: u32) -> bool {
    if !can_fold(exprs, types, expr, to, depth) {
        return false;
    }
    let mut kind = exprs[expr].kind.clone();
    match &mut kind {
        ExprKind::Literal(value, spelling) => {
            if let (Type::Scalar(from), Type::Scalar(scalar)) = (types.get(exprs[expr].ty), types.get(to))
                && let Some((v, s)) = convert_literal(*value, *spelling, from, scalar)
            {
                (*value, *spelling) = (v, s);
            }
        }
        ExprKind::Unary(_, of) => {
            let of = *of;
            if let (Some(value), Type::Scalar(scalar)) =
                (negated_to_unsigned(types, exprs, of, types.get(to)), types.get(to))
            {
                kind = ExprKind::Literal(Literal::Int(value), Some(hex(value, scalar)));
            } else {
                fold(exprs, types, of, to, depth - 1);
            }
        }
        ExprKind::Construct(parts) => {
            let component = types.component(to).unwrap_or(Scalar::F32);
            let scalar = types.scalar(component);
            for part in parts.iter() {
                fold(exprs, types, *part, scalar, depth - 1);
            }
        }
        ExprKind::Select(_, a, b) => {
            let (a, b) = (*a, *b);
            fold(exprs, types, a, to, depth - 1);
            fold(exprs, types, b, to, depth - 1);
        }
        _ => {}
    }
    let at = &mut exprs[expr];
    at.kind = kind;
    at.ty = to;
    true
}

/// Whether [`fold`] will succeed.
fn can_fold(exprs: &Arena<ExprId, Expr>, types: &Types, expr: ExprId, to: TypeId, depth: u32) -> bool {
    let at = &exprs[expr];
    if at.ty == to {
        return true;
    }
    if depth == 0 {
        return false;
    }
    let (Some((a, p)), Some((b, q))) = (numeric(types, at.ty), numeric(types, to)) else {
        return false;
    };
    if p != q {
        return matches!(at.kind, ExprKind::Zero);
    }
    match &at.kind {
        ExprKind::Zero => true,
        ExprKind::Literal(value, spelling) => p == Shape::Scalar && convert_literal(*value, *spelling, a, b).is_some(),
        ExprKind::Unary(UnaryOp::Negate, of) => {
            let keeps = if a.is_float() { b.is_float() } else { a.is_signed() && (b.is_signed() || b.is_float()) };
            p == Shape::Scalar
                && matches!(exprs[*of].kind, ExprKind::Literal(..))
                && if keeps {
                    can_fold(exprs, types, *of, to, depth - 1)
                } else {
                    negated_to_unsigned(types, exprs, *of, types.get(to)).is_some()
                }
        }
        ExprKind::Construct(parts) => {
            p != Shape::Scalar
                && parts.iter().all(|part| {
                    let ExprKind::Literal(value, spelling) = &exprs[*part].kind else { return false };
                    convert_literal(*value, *spelling, a, b).is_some()
                })
        }
        ExprKind::Select(_, x, y) => {
            p == Shape::Scalar
                && [x, y].iter().all(|id| {
                    let literal = matches!(exprs[**id].kind, ExprKind::Literal(..) | ExprKind::Unary(..));
                    literal && can_fold(exprs, types, **id, to, depth - 1)
                })
        }
        _ => false,
    }
}

/// `-n` as an unsigned number, wrapped around.
fn negated_to_unsigned(types: &Types, exprs: &Arena<ExprId, Expr>, of: ExprId, to: Type) -> Option<i64> {
    let (ExprKind::Literal(Literal::Int(value), _), Type::Scalar(scalar)) = (&exprs[of].kind, to) else { return None };
    // What is unsigned already wraps around at its own width.
    let negated = match types.get(exprs[of].ty) {
        Type::Scalar(from) if from.is_unsigned() => wrap(value.wrapping_neg(), from),
        _ => value.wrapping_neg(),
    };
    scalar.is_unsigned().then(|| wrap(negated, scalar))
}

/// Hexadecimal spelling of all bits of an unsigned number.
fn hex(value: i64, scalar: Scalar) -> Symbol {
    Symbol::new(&match scalar.size() {
        8 => format!("{value:#x}"),
        _ => format!("{:#x}", value & 0xffff_ffff),
    })
}

/// A literal of another kind with its spelling, `None` if its value would change.
fn convert_literal(
    value: Literal,
    spelling: Option<Symbol>,
    from: Scalar,
    to: Scalar,
) -> Option<(Literal, Option<Symbol>)> {
    /// Integers up to here are exact in every float kind that matters to a spelling.
    const EXACT: u64 = 1 << 24;
    let float = |v: i64| (Literal::Float(v as f64), spelling);
    Some(match value {
        Literal::Bool(v) if to == Scalar::Bool => (Literal::Bool(v), spelling),
        Literal::Bool(v) if to.is_float() => float(v.into()),
        Literal::Bool(v) => (Literal::Int(v.into()), None),
        Literal::Int(v) if to == Scalar::Bool => (Literal::Bool(v != 0), spelling),
        // Large unsigned numbers of 64 bits are held as negative ones.
        Literal::Int(v) if to.is_float() && v < 0 && from.is_unsigned() => return None,
        Literal::Int(v) if to.is_float() => (v.unsigned_abs() <= EXACT).then(|| float(v))?,
        Literal::Int(v) if wrap(v, to) == v => (Literal::Int(v), spelling.filter(|_| v >= 0)),
        Literal::Int(v) => (from.size() == 8).then_some((Literal::Int(wrap(v, to)), None))?,
        // A half is rounded when it becomes another number; what was rounded is no longer what was written.
        Literal::Float(v) if to.is_float() => {
            let v = if from == Scalar::F16 && to != from { round(v, from) } else { v };
            (Literal::Float(v), spelling)
        }
        Literal::Float(v) if to == Scalar::Bool => (Literal::Bool(v != 0.0), None),
        Literal::Float(v) => {
            let whole = v.fract() == 0.0 && v.abs() <= EXACT as f64 && (v >= 0.0 || !to.is_unsigned());
            let v = whole.then_some(v as i64)?;
            (wrap(v, to) == v).then_some((Literal::Int(v), None))?
        }
        Literal::Text(_) => return None,
    })
}

/// An integer cut to the width of its kind: sign-extended if signed, zero-extended if unsigned (64 bits: the bits).
pub fn wrap(value: i64, to: Scalar) -> i64 {
    match to {
        Scalar::Bool => i64::from(value != 0),
        Scalar::I8 => i64::from(value as i8),
        Scalar::U8 => i64::from(value as u8),
        Scalar::I16 | Scalar::MinI16 | Scalar::MinI12 => i64::from(value as i16),
        Scalar::U16 | Scalar::MinU16 => i64::from(value as u16),
        Scalar::I32 => i64::from(value as i32),
        Scalar::U32 => i64::from(value as u32),
        _ => value,
    }
}
