//! Conversions between types: which exist, how dear each is, the common type of two operands, and the tree of a conversion.
//!
//! The rules are HLSL's: scalar kinds convert freely, a scalar splats to a vector or matrix, vectors and matrices
//! truncate, `vector<T, 1>` and `T` are one, a matrix of one row or column is a vector, an unscoped or scoped enum gives its
//! tag. Everything else converts only to itself.

use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Arena, EnumId, Expr, ExprId, ExprKind, Literal, Program, Scalar, Swizzle, Type, TypeId, Types, UnaryOp,
};
use std::ops::Add;

/// What a conversion costs. Overloads compare the sums over their arguments; less is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Rank(pub u32);

impl Rank {
    /// No conversion.
    pub const IDENTITY: Rank = Rank(0);
    /// From here on a conversion loses parts of a vector or matrix.
    pub const TRUNCATION: Rank = Rank(2000);
    /// A scalar becomes a vector.
    const SPLAT_VECTOR: Rank = Rank(1);
    /// A scalar becomes a matrix.
    const SPLAT_MATRIX: Rank = Rank(10);
    /// `vector<T, 1>` and `T`.
    const UNIT: Rank = Rank(1);
    /// `matrix<T, 1, N>` or `matrix<T, N, 1>` and `vector<T, N>`.
    const LINE: Rank = Rank(5);
    /// `matrix<T, 2, 2>` and `vector<T, 4>`.
    const RESHAPE: Rank = Rank(1500);
    /// An enum becomes its tag.
    const ENUM: Rank = Rank(20);
    /// `T[4]` becomes `T[]`.
    const UNSIZED: Rank = Rank(30);
    /// `ConstantBuffer<T>` becomes `T`.
    const CONTENTS: Rank = Rank(10);
    /// A struct becomes its base.
    const BASE: Rank = Rank(100);

    /// Parts of a vector or matrix are lost.
    pub fn truncates(self) -> bool {
        self >= Rank::TRUNCATION
    }
}

impl Add for Rank {
    type Output = Rank;
    fn add(self, other: Rank) -> Rank {
        Rank(self.0.saturating_add(other.0))
    }
}

impl std::iter::Sum for Rank {
    fn sum<I: Iterator<Item = Rank>>(ranks: I) -> Rank {
        ranks.fold(Rank::IDENTITY, Rank::add)
    }
}

/// Whether an expression is a literal without a suffix, whose type is not yet a decision of the author.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LiteralKind {
    /// Not a literal.
    #[default]
    None,
    /// `1`, `-1`, `0x10`.
    Int,
    /// `1.0`, `-1.0`.
    Float,
}

/// The literal kind of an expression: literals of the default types, their negations and sums of them.
pub fn literal_kind(exprs: &Arena<ExprId, Expr>, id: ExprId) -> LiteralKind {
    const DEPTH: u32 = 16;
    fn walk(exprs: &Arena<ExprId, Expr>, id: ExprId, depth: u32) -> LiteralKind {
        if depth == 0 {
            return LiteralKind::None;
        }
        let expr = &exprs[id];
        match expr.kind {
            ExprKind::Literal(Literal::Int(_), _) if expr.ty == TypeId::INT => LiteralKind::Int,
            ExprKind::Literal(Literal::Float(_), _) if expr.ty == TypeId::FLOAT => LiteralKind::Float,
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::BitNot, of) => walk(exprs, of, depth - 1),
            ExprKind::Binary(op, a, b) if !op.is_comparison() => {
                let a = walk(exprs, a, depth - 1);
                if a == walk(exprs, b, depth - 1) { a } else { LiteralKind::None }
            }
            _ => LiteralKind::None,
        }
    }
    walk(exprs, id, DEPTH)
}

/// The shape of a numeric type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A scalar.
    Scalar,
    /// A vector of so many.
    Vector(u8),
    /// Rows and columns.
    Matrix(u8, u8),
}

impl Shape {
    /// How many components there are.
    pub fn count(self) -> u32 {
        match self {
            Shape::Scalar => 1,
            Shape::Vector(n) => n.into(),
            Shape::Matrix(r, c) => u32::from(r) * u32::from(c),
        }
    }

    /// The type of this shape with components of a kind.
    pub fn of(self, types: &mut Types, scalar: Scalar) -> TypeId {
        match self {
            Shape::Scalar => types.scalar(scalar),
            Shape::Vector(n) => types.vector(scalar, n),
            Shape::Matrix(r, c) => types.matrix(scalar, r, c),
        }
    }

    /// One component, however written.
    fn is_unit(self) -> bool {
        self.count() == 1
    }

    /// The length, if it is a vector or a matrix of one row or column.
    fn line(self) -> Option<u8> {
        match self {
            Shape::Vector(n) | Shape::Matrix(1, n) | Shape::Matrix(n, 1) => Some(n),
            _ => None,
        }
    }
}

/// Component kind and shape of a scalar, vector or matrix type.
pub fn numeric(types: &Types, ty: TypeId) -> Option<(Scalar, Shape)> {
    match types.get(ty) {
        Type::Scalar(s) => Some((s, Shape::Scalar)),
        Type::Vector(s, n) => Some((s, Shape::Vector(n))),
        Type::Matrix(s, r, c) => Some((s, Shape::Matrix(r, c))),
        _ => None,
    }
}

/// The scalar type that holds an enum's values.
pub fn enum_tag(program: &Program, id: EnumId) -> Scalar {
    if (id.0 as usize) < program.enums.len() { program.enums[id].tag } else { Scalar::I32 }
}

/// Position of a scalar kind in the order of joins: the later of two kinds is their common one.
const fn join_order(scalar: Scalar) -> u8 {
    match scalar {
        Scalar::Bool => 0,
        Scalar::I8 => 1,
        Scalar::U8 => 2,
        Scalar::MinI16 => 3,
        Scalar::I16 => 4,
        Scalar::MinU16 => 5,
        Scalar::U16 => 6,
        Scalar::I32 => 7,
        Scalar::U32 => 8,
        Scalar::I64 => 9,
        Scalar::U64 => 10,
        Scalar::MinF16 => 11,
        Scalar::F16 => 12,
        Scalar::F32 => 13,
        Scalar::F64 => 14,
    }
}

/// Width in bits as conversions see it.
fn bits(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::MinF16 | Scalar::MinI16 | Scalar::MinU16 => 16,
        Scalar::Bool => 1,
        _ => scalar.size() * 8,
    }
}

/// What it costs to make one scalar kind of another.
pub fn scalar_rank(from: Scalar, to: Scalar, literal: LiteralKind) -> Rank {
    if from == to {
        return Rank::IDENTITY;
    }
    if to == Scalar::Bool {
        return Rank(950);
    }
    let cost = match literal {
        LiteralKind::Int if to.is_signed() => 23,
        LiteralKind::Int if to.is_unsigned() => 32,
        LiteralKind::Float if to.is_float() => 25,
        _ if from == Scalar::Bool => 120 + if to.is_float() { 300 } else { u32::from(to.is_unsigned()) },
        _ if from.is_float() && to.is_float() => {
            if bits(to) >= bits(from) {
                150
            } else {
                600
            }
        }
        _ if from.is_float() => 900,
        _ if to.is_float() => match to {
            Scalar::F32 => 400,
            Scalar::F64 => 450,
            _ => 500,
        },
        _ => integer_rank(from, to),
    };
    // Among kinds of one cost the narrowest that fits is nearest.
    Rank(cost + u32::from(join_order(from).abs_diff(join_order(to))))
}

/// Integer to integer.
fn integer_rank(from: Scalar, to: Scalar) -> u32 {
    let (wider, narrower) = (bits(to) > bits(from), bits(to) < bits(from));
    match (from.is_signed(), to.is_signed()) {
        (a, b) if a == b && !narrower => 150,
        (false, true) if wider => 200,
        (true, false) if !narrower => 250,
        (false, true) if !narrower => 300,
        _ => 500,
    }
}

/// What it costs to change the shape, `None` where it cannot be done implicitly.
fn shape_rank(from: Shape, to: Shape) -> Option<Rank> {
    let lost = |rank: Rank| Some(rank + Rank(from.count().saturating_sub(to.count())));
    match (from, to) {
        _ if from == to => Some(Rank::IDENTITY),
        _ if from.is_unit() && to.is_unit() => Some(Rank::UNIT),
        (_, Shape::Matrix(..)) if from.is_unit() => Some(Rank::SPLAT_MATRIX),
        _ if from.is_unit() => Some(Rank::SPLAT_VECTOR),
        (Shape::Matrix(..), Shape::Vector(_)) | (Shape::Vector(_), Shape::Matrix(..))
            if from.line().is_some() && from.line() == to.line() =>
        {
            Some(Rank::LINE)
        }
        (Shape::Matrix(..), Shape::Vector(_)) | (Shape::Vector(_), Shape::Matrix(..)) if from.count() == to.count() => {
            Some(Rank::RESHAPE)
        }
        (Shape::Vector(a), Shape::Vector(b)) if b < a => lost(Rank::TRUNCATION),
        (Shape::Matrix(r, c), Shape::Matrix(p, q)) if p <= r && q <= c => lost(Rank::TRUNCATION),
        (Shape::Matrix(..), Shape::Vector(b)) if from.line().is_some_and(|a| b < a) => lost(Rank::TRUNCATION),
        (_, to) if to.is_unit() => lost(Rank::TRUNCATION + Rank(100)),
        _ => None,
    }
}

/// The base of a struct: its first field, named `base`.
pub fn base_of(program: &Program, ty: TypeId) -> Option<TypeId> {
    let Type::Struct(id) = program.types.get(ty) else { return None };
    if id.0 as usize >= program.structs.len() {
        return None;
    }
    let first = program.structs[id].fields.first()?;
    (first.name == *"base").then_some(first.ty)
}

/// The rank of an implicit conversion, `None` if there is none. The error type converts to and from everything, so that
/// one fault is reported once.
pub fn rank(program: &Program, from: TypeId, to: TypeId, literal: LiteralKind) -> Option<Rank> {
    if from == to || from == TypeId::ERROR || to == TypeId::ERROR {
        return Some(Rank::IDENTITY);
    }
    let types = &program.types;
    match (types.get(from), types.get(to)) {
        (Type::ConstantBuffer(e) | Type::TextureBuffer(e) | Type::ParameterBlock(e), _) => {
            Some(Rank::CONTENTS + rank(program, e, to, LiteralKind::None)?)
        }
        (Type::Array(a, Some(_)), Type::Array(b, None)) if a == b => Some(Rank::UNSIZED),
        (Type::Enum(id), _) => {
            let (scalar, shape) = numeric(types, to)?;
            Some(
                Rank::ENUM
                    + scalar_rank(enum_tag(program, id), scalar, LiteralKind::None)
                    + shape_rank(Shape::Scalar, shape)?,
            )
        }
        (Type::Struct(_), Type::Struct(_)) => base_rank(program, from, to),
        _ => {
            let ((a, from), (b, to)) = (numeric(types, from)?, numeric(types, to)?);
            Some(scalar_rank(a, b, literal) + shape_rank(from, to)?)
        }
    }
}

/// A struct to one of its bases.
fn base_rank(program: &Program, from: TypeId, to: TypeId) -> Option<Rank> {
    const DEPTH: u32 = 32;
    let mut at = from;
    for depth in 1..=DEPTH {
        at = base_of(program, at)?;
        if at == to {
            return Some(Rank(Rank::BASE.0 * depth));
        }
    }
    None
}

/// Whether `(to)value` is allowed. `zero`: the value is the integer literal 0, which makes any plain data.
pub fn castable(program: &Program, from: TypeId, to: TypeId, zero: bool) -> bool {
    let types = &program.types;
    if rank(program, from, to, LiteralKind::None).is_some() {
        return true;
    }
    match (types.get(from), types.get(to)) {
        (Type::Scalar(_) | Type::Enum(_), Type::Enum(_)) | (Type::Vector(_, 1), Type::Enum(_)) => true,
        (_, Type::Struct(_) | Type::Array(..)) if zero => is_data(program, to, 64),
        _ => false,
    }
}

/// Plain data: numbers, enums, and arrays and structs of them.
pub fn is_data(program: &Program, ty: TypeId, depth: u32) -> bool {
    match program.types.get(ty) {
        Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) | Type::Enum(_) | Type::Error => true,
        Type::Array(element, Some(_)) => depth > 0 && is_data(program, element, depth - 1),
        Type::Struct(id) if (id.0 as usize) < program.structs.len() => {
            depth > 0 && program.structs[id].fields.iter().all(|f| is_data(program, f.ty, depth - 1))
        }
        _ => false,
    }
}

/// The common kind of two kinds.
pub fn join_scalars(a: Scalar, b: Scalar) -> Scalar {
    if join_order(a) >= join_order(b) { a } else { b }
}

/// The common shape of two operands: scalars splat, the smaller of two vectors or matrices wins.
pub fn join_shapes(a: Shape, b: Shape) -> Option<Shape> {
    Some(match (a, b) {
        _ if a == b => a,
        (Shape::Scalar, other) | (other, Shape::Scalar) if other.is_unit() => Shape::Scalar,
        _ if a.is_unit() => b,
        _ if b.is_unit() => a,
        (Shape::Vector(a), Shape::Vector(b)) => Shape::Vector(a.min(b)),
        (Shape::Matrix(r, c), Shape::Matrix(p, q)) => Shape::Matrix(r.min(p), c.min(q)),
        _ if a.line().is_some() && a.line() == b.line() => Shape::Vector(a.line()?),
        _ => return None,
    })
}

/// The common type of two operands: of numbers the later kind in the common shape, of anything else only itself.
pub fn join(types: &mut Types, a: TypeId, b: TypeId) -> Option<TypeId> {
    if a == b || b == TypeId::ERROR {
        return Some(a);
    }
    if a == TypeId::ERROR {
        return Some(b);
    }
    let ((x, p), (y, q)) = (numeric(types, a)?, numeric(types, b)?);
    let shape = join_shapes(p, q)?;
    Some(shape.of(types, join_scalars(x, y)))
}

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
        (Type::ConstantBuffer(e) | Type::TextureBuffer(e) | Type::ParameterBlock(e), _) => {
            let contents = exprs.push(Expr { kind: ExprKind::Contents(expr), ty: e, span });
            apply(exprs, program, contents, to, explicit)
        }
        (Type::Array(..), Type::Array(..)) => expr,
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
        (Shape::Matrix(..), Shape::Vector(n)) if p.count() != u32::from(n) => {
            let line = types.vector(a, p.line().unwrap_or(n));
            let line = exprs.push(Expr { kind: ExprKind::Construct(vec![expr]), ty: line, span });
            truncate(exprs, line, n, narrowed, span)
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
        ExprKind::Swizzle(of, s) => (of, Swizzle::new(s.list().get(..n as usize).unwrap_or(s.list()))),
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
            if let Type::Scalar(scalar) = types.get(to)
                && let Some((v, s)) = convert_literal(*value, *spelling, scalar)
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
        ExprKind::Literal(value, spelling) => p == Shape::Scalar && convert_literal(*value, *spelling, b).is_some(),
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
                    convert_literal(*value, *spelling, b).is_some()
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
pub fn convert_literal(value: Literal, spelling: Option<Symbol>, to: Scalar) -> Option<(Literal, Option<Symbol>)> {
    /// Integers up to here are exact in every float kind that matters to a spelling.
    const EXACT: u64 = 1 << 24;
    let float = |v: i64| (Literal::Float(v as f64), Some(Symbol::new(&format!("{v}.0"))));
    Some(match value {
        Literal::Bool(v) if to == Scalar::Bool => (Literal::Bool(v), spelling),
        Literal::Bool(v) if to.is_float() => float(v.into()),
        Literal::Bool(v) => (Literal::Int(v.into()), None),
        Literal::Int(v) if to == Scalar::Bool => (Literal::Bool(v != 0), None),
        Literal::Int(v) if to.is_float() => (v.unsigned_abs() <= EXACT).then(|| float(v))?,
        Literal::Int(v) => (wrap(v, to) == v).then_some((Literal::Int(v), spelling))?,
        Literal::Float(v) if to.is_float() => (Literal::Float(v), spelling),
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
        Scalar::I16 | Scalar::MinI16 => i64::from(value as i16),
        Scalar::U16 | Scalar::MinU16 => i64::from(value as u16),
        Scalar::I32 => i64::from(value as i32),
        Scalar::U32 => i64::from(value as u32),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Field, Modifiers, Struct, StructId};

    fn cost(program: &mut Program, from: Type, to: Type) -> Option<u32> {
        let (from, to) = (program.types.intern(from), program.types.intern(to));
        rank(program, from, to, LiteralKind::None).map(|r| r.0)
    }

    /// Asserts that every conversion of the list is dearer than the one before it.
    fn ordered(from: Type, to: &[Type]) {
        let mut program = Program::default();
        let costs: Vec<_> = to.iter().map(|t| cost(&mut program, from, *t)).collect();
        assert!(costs.iter().all(Option::is_some), "{from:?} -> {to:?}: {costs:?}");
        assert!(costs.is_sorted_by(|a, b| a < b), "{from:?} -> {to:?}: {costs:?}");
    }

    const fn s(scalar: Scalar) -> Type {
        Type::Scalar(scalar)
    }

    #[test]
    fn order_of_scalar_conversions() {
        use Scalar::*;
        ordered(s(I32), &[s(I32), s(I64), s(U32), s(U64), s(F32), s(F64), s(F16), s(Bool)]);
        ordered(s(U32), &[s(U32), s(U64), s(I64), s(I32), s(F32), s(F64), s(F16), s(Bool)]);
        ordered(s(F16), &[s(F16), s(F32), s(F64), s(I32), s(Bool)]);
        ordered(s(F32), &[s(F32), s(F64), s(F16), s(I32), s(Bool)]);
        ordered(s(Bool), &[s(Bool), s(I32), s(U32), s(F32)]);
        ordered(s(I16), &[s(I16), s(I32), s(I64), s(U16), s(F32)]);
    }

    #[test]
    fn order_of_shapes() {
        use Scalar::*;
        ordered(s(F32), &[s(F32), Type::Vector(F32, 3), Type::Matrix(F32, 3, 3), s(F64), s(I32)]);
        ordered(
            Type::Vector(F32, 4),
            &[
                Type::Vector(F32, 4),
                Type::Vector(F64, 4),
                Type::Vector(I32, 4),
                Type::Vector(F32, 3),
                Type::Vector(F32, 2),
                s(F32),
            ],
        );
        ordered(Type::Matrix(F32, 1, 3), &[Type::Matrix(F32, 1, 3), Type::Vector(F32, 3), Type::Vector(F32, 2)]);
        ordered(Type::Matrix(F32, 4, 4), &[Type::Matrix(F32, 4, 4), Type::Matrix(F32, 3, 3), Type::Matrix(F32, 2, 2)]);
        ordered(Type::Vector(F32, 1), &[Type::Vector(F32, 1), s(F32), s(F64)]);
    }

    #[test]
    fn no_conversion() {
        use Scalar::F32;
        let mut program = Program::default();
        for (from, to) in [
            (Type::Vector(F32, 2), Type::Vector(F32, 3)),
            (Type::Matrix(F32, 3, 3), Type::Matrix(F32, 4, 4)),
            (Type::Matrix(F32, 2, 3), Type::Vector(F32, 3)),
            (s(F32), Type::Sampler(false)),
            (Type::Array(TypeId::INT, Some(2)), Type::Array(TypeId::INT, Some(3))),
            (Type::Array(TypeId::INT, Some(2)), s(F32)),
            (Type::Void, s(F32)),
        ] {
            assert_eq!(cost(&mut program, from, to), None, "{from:?} -> {to:?}");
        }
        assert_eq!(cost(&mut program, Type::Error, Type::Sampler(false)), Some(0));
    }

    #[test]
    fn literals_have_no_type_of_their_own_yet() {
        let program = Program::default();
        let of = |to, literal| rank(&program, TypeId::INT, to, literal).unwrap();
        assert!(of(TypeId::UINT, LiteralKind::Int) < of(TypeId::UINT, LiteralKind::None));
        assert!(of(TypeId::UINT, LiteralKind::Int) < of(TypeId::FLOAT, LiteralKind::Int));
        assert!(of(TypeId::INT, LiteralKind::Int) < of(TypeId::UINT, LiteralKind::Int));
    }

    #[test]
    fn joins() {
        use Scalar::*;
        let mut types = Types::default();
        for (a, b, joined) in [
            (s(I32), s(U32), Some(s(U32))),
            (s(U32), s(I64), Some(s(I64))),
            (s(I16), s(U16), Some(s(U16))),
            (s(U16), s(I32), Some(s(I32))),
            (s(F16), s(I32), Some(s(F16))),
            (s(I64), s(F16), Some(s(F16))),
            (s(F16), s(F32), Some(s(F32))),
            (s(MinF16), s(F32), Some(s(F32))),
            (s(Bool), s(F32), Some(s(F32))),
            (s(I32), Type::Vector(F32, 3), Some(Type::Vector(F32, 3))),
            (s(F32), Type::Vector(I32, 3), Some(Type::Vector(F32, 3))),
            (Type::Vector(F32, 3), Type::Vector(F32, 4), Some(Type::Vector(F32, 3))),
            (Type::Vector(F32, 1), Type::Vector(F32, 4), Some(Type::Vector(F32, 4))),
            (Type::Vector(F32, 1), s(F32), Some(s(F32))),
            (Type::Matrix(F32, 3, 4), Type::Matrix(I32, 4, 3), Some(Type::Matrix(F32, 3, 3))),
            (Type::Matrix(F32, 3, 1), Type::Vector(F32, 3), Some(Type::Vector(F32, 3))),
            (Type::Matrix(F32, 3, 3), Type::Vector(F32, 3), None),
            (Type::Sampler(false), s(F32), None),
            (Type::Sampler(true), Type::Sampler(true), Some(Type::Sampler(true))),
        ] {
            let (x, y) = (types.intern(a), types.intern(b));
            let forth = join(&mut types, x, y).map(|t| types.get(t));
            let back = join(&mut types, y, x).map(|t| types.get(t));
            assert_eq!((forth, back), (joined, joined), "{a:?} {b:?}");
        }
    }

    struct Case {
        program: Program,
        exprs: Arena<ExprId, Expr>,
    }

    impl Case {
        fn new() -> Case {
            Case { program: Program::default(), exprs: Arena::default() }
        }
        fn push(&mut self, kind: ExprKind, ty: Type) -> ExprId {
            let ty = self.program.types.intern(ty);
            self.exprs.push(Expr { kind, ty, span: Span::default() })
        }
        fn int(&mut self, value: i64, spelling: &str) -> ExprId {
            let spelling = Some(Symbol::new(spelling));
            self.push(ExprKind::Literal(Literal::Int(value), spelling), s(Scalar::I32))
        }
        fn local(&mut self, ty: Type) -> ExprId {
            self.push(ExprKind::Local(crate::tree::LocalId(0)), ty)
        }
        fn apply(&mut self, id: ExprId, to: Type) -> String {
            let to = self.program.types.intern(to);
            let id = apply(&mut self.exprs, &mut self.program, id, to, false);
            assert_eq!(self.exprs[id].ty, to);
            self.text(id)
        }
        fn text(&self, id: ExprId) -> String {
            let ty = self.program.types.get(self.exprs[id].ty);
            let parts = |list: &[ExprId]| list.iter().map(|e| self.text(*e)).collect::<Vec<_>>().join(", ");
            let name = match ty {
                Type::Scalar(s) => s.name().to_owned(),
                Type::Vector(s, n) => format!("{}{n}", s.name()),
                Type::Matrix(s, r, c) => format!("{}{r}x{c}", s.name()),
                other => format!("{other:?}"),
            };
            match &self.exprs[id].kind {
                ExprKind::Literal(_, Some(spelling)) => spelling.to_string(),
                ExprKind::Literal(value, None) => format!("{value:?}"),
                ExprKind::Local(_) => "v".into(),
                ExprKind::Unary(_, of) => format!("-{}", self.text(*of)),
                ExprKind::Select(c, a, b) => format!("{} ? {} : {}", self.text(*c), self.text(*a), self.text(*b)),
                ExprKind::Construct(list) => format!("{name}{{{}}}", parts(list)),
                ExprKind::Convert(of, _) => format!("{name}({})", self.text(*of)),
                ExprKind::Swizzle(of, s) => format!("{}.{}", self.text(*of), s.text()),
                ExprKind::Field(of, n) => format!("{}.{n}", self.text(*of)),
                ExprKind::Contents(of) => format!("*{}", self.text(*of)),
                ExprKind::Zero => format!("{name}{{}}"),
                other => format!("{other:?}"),
            }
        }
    }

    #[test]
    fn literals_become_literals() {
        use Scalar::*;
        let literal = |value, spelling, to| {
            let mut case = Case::new();
            let id = case.int(value, spelling);
            case.apply(id, s(to))
        };
        assert_eq!(literal(1, "1", F32), "1.0");
        assert_eq!(literal(255, "0xFF", U32), "0xFF");
        assert_eq!(literal(255, "0xFF", F32), "255.0");
        assert_eq!(literal(1, "1", Bool), "Bool(true)");
        assert_eq!(literal(70000, "70000", I16), "int16_t(70000)");
        assert_eq!(literal(33_554_433, "33554433", F32), "float(33554433)");
    }

    #[test]
    fn negated_literals() {
        let negated = |to| {
            let mut case = Case::new();
            let one = case.int(1, "1");
            let id = case.push(ExprKind::Unary(UnaryOp::Negate, one), s(Scalar::I32));
            case.apply(id, s(to))
        };
        assert_eq!(negated(Scalar::F32), "-1.0");
        assert_eq!(negated(Scalar::I64), "-1");
        assert_eq!(negated(Scalar::U32), "0xffffffff");
        assert_eq!(negated(Scalar::U16), "0xffff");
    }

    #[test]
    fn floats_become_integers_only_when_whole() {
        let mut case = Case::new();
        let two = case.push(ExprKind::Literal(Literal::Float(2.0), None), s(Scalar::F32));
        assert_eq!(case.apply(two, s(Scalar::I32)), "Int(2)");
        let half = case.push(ExprKind::Literal(Literal::Float(2.5), Some("2.5".into())), s(Scalar::F32));
        assert_eq!(case.apply(half, s(Scalar::I32)), "int(2.5)");
        let minus = case.push(ExprKind::Literal(Literal::Float(-1.0), Some("-1.0".into())), s(Scalar::F32));
        assert_eq!(case.apply(minus, s(Scalar::U32)), "uint(-1.0)");
    }

    #[test]
    fn shapes_change() {
        use Scalar::*;
        let change = |from, to| {
            let mut case = Case::new();
            let id = case.local(from);
            case.apply(id, to)
        };
        assert_eq!(change(s(I32), Type::Vector(F32, 3)), "float3(float(v))");
        assert_eq!(change(Type::Vector(F32, 4), Type::Vector(F32, 3)), "v.xyz");
        assert_eq!(change(Type::Vector(F32, 4), Type::Vector(I32, 2)), "int2(v.xy)");
        assert_eq!(change(Type::Vector(F32, 4), s(F32)), "v.x");
        assert_eq!(change(Type::Vector(F32, 1), Type::Vector(F32, 4)), "float4(float(v))");
        assert_eq!(change(Type::Vector(F32, 1), s(F32)), "float(v)");
        assert_eq!(change(Type::Matrix(F32, 4, 4), Type::Matrix(F32, 3, 3)), "float3x3(v)");
        assert_eq!(change(Type::Matrix(F32, 1, 3), Type::Vector(F32, 3)), "float3{v}");
        assert_eq!(change(Type::Matrix(F32, 1, 3), Type::Vector(F32, 2)), "float3{v}.xy");
        assert_eq!(change(Type::Vector(F32, 4), Type::Matrix(F32, 2, 2)), "float2x2{v}");
        assert_eq!(change(s(F32), Type::Matrix(F32, 2, 2)), "float2x2(v)");
        assert_eq!(change(Type::ConstantBuffer(TypeId::INT), s(F32)), "float(*v)");
    }

    #[test]
    fn conversions_go_into_constructors_and_selections_of_literals() {
        let mut case = Case::new();
        let parts = vec![case.int(1, "1"), case.int(2, "2")];
        let id = case.push(ExprKind::Construct(parts), Type::Vector(Scalar::I32, 2));
        assert_eq!(case.apply(id, Type::Vector(Scalar::F32, 2)), "float2{1.0, 2.0}");
        let condition = case.local(s(Scalar::Bool));
        let (one, zero) = (case.int(1, "1"), case.int(0, "0"));
        let id = case.push(ExprKind::Select(condition, one, zero), s(Scalar::I32));
        assert_eq!(case.apply(id, s(Scalar::F32)), "v ? 1.0 : 0.0");
        let id = case.push(ExprKind::Zero, s(Scalar::I32));
        assert_eq!(case.apply(id, s(Scalar::F32)), "float{}");
    }

    #[test]
    fn a_swizzle_is_cut_in_place() {
        let mut case = Case::new();
        let v = case.local(Type::Vector(Scalar::F32, 4));
        let id = case.push(ExprKind::Swizzle(v, Swizzle::new(&[3, 2, 1])), Type::Vector(Scalar::F32, 3));
        assert_eq!(case.apply(id, Type::Vector(Scalar::F32, 2)), "v.wz");
    }

    fn add_struct(program: &mut Program, fields: &[(&str, TypeId)]) -> TypeId {
        let field = |(name, ty): &(&str, TypeId)| Field {
            name: Symbol::new(name),
            ty: *ty,
            semantic: None,
            modifiers: Modifiers::default(),
            matrix_order: None,
            explicit: Default::default(),
            attributes: Vec::new(),
            comments: Vec::new(),
            span: Span::default(),
            bits: None,
            offset: None,
        };
        let id: StructId = program.structs.push(Struct {
            name: Symbol::new("S"),
            fields: fields.iter().map(field).collect(),
            comments: Vec::new(),
            span: Span::default(),
            builtin: false,
            attributes: Vec::new(),
        });
        program.types.intern(Type::Struct(id))
    }

    #[test]
    fn structs_give_their_bases_and_take_zero() {
        let mut case = Case::new();
        let base = add_struct(&mut case.program, &[("a", TypeId::INT)]);
        let derived = add_struct(&mut case.program, &[("base", base), ("b", TypeId::INT)]);
        let leaf = add_struct(&mut case.program, &[("base", derived)]);
        let to_base = rank(&case.program, leaf, base, LiteralKind::None).unwrap();
        assert!(rank(&case.program, leaf, derived, LiteralKind::None).unwrap() < to_base);
        assert_eq!(rank(&case.program, base, derived, LiteralKind::None), None);
        let (from, to) = (case.program.types.get(leaf), case.program.types.get(base));
        let id = case.local(from);
        assert_eq!(case.apply(id, to), "v.0.0");
        assert!(castable(&case.program, TypeId::INT, leaf, true));
        assert!(!castable(&case.program, TypeId::INT, leaf, false));
        let zero = case.int(0, "0");
        let id = apply(&mut case.exprs, &mut case.program, zero, leaf, true);
        assert!(matches!(case.exprs[id].kind, ExprKind::Zero));
        let sampler = case.program.types.intern(Type::Sampler(false));
        let resources = add_struct(&mut case.program, &[("s", sampler)]);
        assert!(!castable(&case.program, TypeId::INT, resources, true));
    }

    #[test]
    fn literal_kinds() {
        let mut case = Case::new();
        let one = case.int(1, "1");
        let negative = case.push(ExprKind::Unary(UnaryOp::Negate, one), s(Scalar::I32));
        assert_eq!(literal_kind(&case.exprs, negative), LiteralKind::Int);
        let unsigned = case.push(ExprKind::Literal(Literal::Int(1), None), s(Scalar::U32));
        assert_eq!(literal_kind(&case.exprs, unsigned), LiteralKind::None);
        let float = case.push(ExprKind::Literal(Literal::Float(1.0), None), s(Scalar::F32));
        assert_eq!(literal_kind(&case.exprs, float), LiteralKind::Float);
        let local = case.local(s(Scalar::I32));
        assert_eq!(literal_kind(&case.exprs, local), LiteralKind::None);
    }
}
