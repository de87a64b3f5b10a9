//! Conversions between types: which exist, how dear each is, and the common type of two operands. Their trees are made in
//! `apply`.
//!
//! The rules are HLSL's: scalar kinds convert freely, a scalar splats to a vector or matrix, vectors and matrices
//! truncate, `vector<T, 1>` and `T` are one, a matrix of one row or column is a vector, an unscoped or scoped enum gives its
//! tag. A pointer converts to bool, and where that is written to and from integers and other pointers. Everything else converts
//! only to itself.

mod apply;
mod cost;

pub use apply::{apply, wrap};
pub use cost::{Cost, PassedValue, Rule, cost};

use crate::parse::Language;
use crate::tree::{
    Arena, EnumId, Expr, ExprId, ExprKind, Length, Literal, Program, Scalar, Type, TypeId, Types, UnaryOp,
};
use rustc_hash::FxHashMap;
use std::ops::Add;

/// What a conversion costs; less is better. Overloads of the library compare the sums over their arguments, those of a program
/// as [`cost`] has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Rank(pub u32);

impl Rank {
    /// No conversion.
    pub const IDENTITY: Rank = Rank(0);
    /// From here on a conversion loses parts of a vector or matrix.
    pub const TRUNCATION: Rank = Rank(2000);
    /// A scalar becomes a vector; one of one element is nearer (`UNIT`).
    const SPLAT_VECTOR: Rank = Rank(2);
    /// A scalar becomes a matrix.
    const SPLAT_MATRIX: Rank = Rank(10);
    /// `vector<T, 1>` and `T`.
    pub const UNIT: Rank = Rank(1);
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
    /// A descriptor handle, or an element of a descriptor heap, becomes the resource.
    const DESCRIPTOR: Rank = Rank(10);
    /// A value becomes one of an interface, or an optional one.
    pub const WRAPPED: Rank = Rank(200);
    /// A struct becomes its base.
    const BASE: Rank = Rank(100);
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LiteralKind {
    /// Not a literal.
    #[default]
    None,
    /// `1`, `-1`, `0x10`.
    Int,
    /// `1.0`, `-1.0`.
    Float,
}

/// Literals whose type does not tell their kind: `1.0f` and `(int)1` are none, `0xffffffff` is one.
pub type LiteralMarks = FxHashMap<ExprId, LiteralKind>;

/// The literal kind of an expression: literals of the default types, their negations and sums of them.
pub fn literal_kind(exprs: &Arena<ExprId, Expr>, marks: &LiteralMarks, id: ExprId) -> LiteralKind {
    const DEPTH: u32 = 16;
    fn walk(exprs: &Arena<ExprId, Expr>, marks: &LiteralMarks, id: ExprId, depth: u32) -> LiteralKind {
        if depth == 0 {
            return LiteralKind::None;
        }
        let expr = &exprs[id];
        if let (ExprKind::Literal(..), Some(kind)) = (&expr.kind, marks.get(&id)) {
            return *kind;
        }
        match expr.kind {
            ExprKind::Literal(Literal::Int(_), _) if expr.ty == TypeId::INT => LiteralKind::Int,
            ExprKind::Literal(Literal::Float(_), _) if expr.ty == TypeId::FLOAT => LiteralKind::Float,
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::BitNot, of) => walk(exprs, marks, of, depth - 1),
            ExprKind::Binary(op, a, b) if !op.is_comparison() => {
                let a = walk(exprs, marks, a, depth - 1);
                if a == walk(exprs, marks, b, depth - 1) { a } else { LiteralKind::None }
            }
            _ => LiteralKind::None,
        }
    }
    walk(exprs, marks, id, DEPTH)
}

/// What a value is that has no type of its own to DXC's choice of overloads: a literal, a choice between literals, a vector of
/// one literal.
pub fn untyped_kind(exprs: &Arena<ExprId, Expr>, marks: &LiteralMarks, id: ExprId) -> LiteralKind {
    match exprs[id].kind {
        ExprKind::Swizzle(of, _) => literal_kind(exprs, marks, of),
        ExprKind::Convert(of, false) if matches!(exprs[of].kind, ExprKind::Literal(..)) => {
            literal_kind(exprs, marks, of)
        }
        ExprKind::Select(_, a, b) => match [a, b].map(|of| literal_kind(exprs, marks, of)) {
            [LiteralKind::None, _] | [_, LiteralKind::None] => LiteralKind::None,
            [LiteralKind::Int, LiteralKind::Int] => LiteralKind::Int,
            [LiteralKind::Float, _] | [_, LiteralKind::Float] => LiteralKind::Float,
        },
        _ => literal_kind(exprs, marks, id),
    }
}

/// The integer that is written, with its sign: `1u`, `-1`, not `(uint)1`.
pub fn written_integer(exprs: &Arena<ExprId, Expr>, marks: &LiteralMarks, id: ExprId) -> Option<i64> {
    let number = |id: ExprId| match exprs[id].kind {
        ExprKind::Literal(Literal::Int(n), _) if marks.get(&id) != Some(&LiteralKind::None) => Some(n),
        _ => None,
    };
    match exprs[id].kind {
        ExprKind::Unary(UnaryOp::Negate, of) => number(of).map(i64::wrapping_neg),
        _ => number(id),
    }
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
        Scalar::MinI12 => 3,
        Scalar::MinI16 => 4,
        Scalar::I16 => 5,
        Scalar::MinU16 => 6,
        Scalar::U16 => 7,
        Scalar::I32 => 8,
        Scalar::U32 => 9,
        Scalar::I64 => 10,
        Scalar::U64 => 11,
        Scalar::MinF10 => 12,
        Scalar::MinF16 => 13,
        Scalar::F16 => 14,
        Scalar::F32 => 15,
        Scalar::F64 => 16,
    }
}

/// Width in bits as conversions see it.
fn bits(scalar: Scalar) -> u32 {
    match scalar {
        least if least.is_least_precision() => 16,
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
        LiteralKind::Int if to.is_signed() && bits(to) <= 32 => 23,
        LiteralKind::Int if to.is_unsigned() && bits(to) <= 32 => 32,
        // It has digits to lose in the smaller kinds.
        LiteralKind::Float if to.is_float() => 25 + u32::from(bits(to) < 32) * 5,
        // Integers of other widths than 32 bits are not on every target.
        _ if from == Scalar::Bool && !to.is_float() && bits(to) > 32 => 440,
        _ if from == Scalar::Bool && !to.is_float() && bits(to) < 32 => 140,
        _ if from == Scalar::Bool => 120 + if to.is_float() { 300 } else { u32::from(to.is_unsigned()) },
        _ if from.is_float() && to.is_float() => {
            if bits(to) >= bits(from) {
                150
            } else {
                600
            }
        }
        _ if from.is_float() => 900 + if bits(to) == 32 { 0 } else { 20 },
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
        (Shape::Vector(a), Shape::Matrix(..)) if to.line().is_some_and(|b| b < a) => lost(Rank::TRUNCATION),
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
        (Type::ConstantBuffer(e, _) | Type::TextureBuffer(e) | Type::ParameterBlock(e), _) => {
            Some(Rank::CONTENTS + rank(program, e, to, LiteralKind::None)?)
        }
        (Type::Handle(e), _) => Some(Rank::DESCRIPTOR + rank(program, e, to, LiteralKind::None)?),
        (Type::HeapElement(samplers), Type::Handle(e)) => {
            (is_sampler(types, e) == samplers && !is_combined(types, e)).then_some(Rank::DESCRIPTOR)
        }
        (Type::HeapElement(samplers), resource) => {
            let fits = resource.is_resource() && is_sampler(types, to) == samplers && !is_combined(types, to);
            fits.then_some(Rank::DESCRIPTOR)
        }
        (Type::DynamicResource(samplers), resource) => {
            (resource.is_resource() && is_sampler(types, to) == samplers).then_some(Rank::DESCRIPTOR)
        }
        (Type::Array(a, Length::Fixed(_)), Type::Array(b, Length::Unsized)) if a == b => Some(Rank::UNSIZED),
        // Resources in an array of any size stand for those that are asked for.
        (Type::Array(a, Length::Unsized), Type::Array(b, Length::Fixed(_))) if a == b && program.holds_resource(a) => {
            Some(Rank::UNSIZED)
        }
        (Type::Enum(id), _) => {
            let (scalar, shape) = numeric(types, to)?;
            Some(
                Rank::ENUM
                    + scalar_rank(enum_tag(program, id), scalar, LiteralKind::None)
                    + shape_rank(Shape::Scalar, shape)?,
            )
        }
        (Type::Struct(_), Type::Struct(_)) => base_rank(program, from, to),
        // Whether there is something at the address.
        (Type::Pointer(..), Type::Scalar(Scalar::Bool)) => Some(Rank(950)),
        _ => {
            let ((a, from), (b, to)) = (numeric(types, from)?, numeric(types, to)?);
            Some(scalar_rank(a, b, literal) + shape_rank(from, to)?)
        }
    }
}

fn is_sampler(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Sampler(_))
}

/// A texture with its sampler: no one descriptor of a heap.
fn is_combined(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Texture(t) if t.combined)
}

/// The vector of two numbers that a descriptor handle is, or both in one.
fn is_handle_number(ty: Type) -> bool {
    matches!(ty, Type::Vector(Scalar::U32, 2) | Type::Scalar(Scalar::U64))
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
        (Type::Handle(_), number) | (number, Type::Handle(_)) => is_handle_number(number),
        (Type::Pointer(..), Type::Pointer(..)) => true,
        (Type::Pointer(..), Type::Scalar(s)) | (Type::Scalar(s), Type::Pointer(..)) => s.is_integer(),
        // In the library.
        (Type::Scalar(Scalar::U32), Type::HeapElement(_)) => true,
        _ => false,
    }
}

/// Plain data: numbers, enums, and arrays and structs of them.
pub fn is_data(program: &Program, ty: TypeId, depth: u32) -> bool {
    match program.types.get(ty) {
        Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) | Type::Enum(_) | Type::Handle(_) | Type::Error => true,
        Type::Array(element, Length::Fixed(_)) => depth > 0 && is_data(program, element, depth - 1),
        Type::Struct(id) if (id.0 as usize) < program.structs.len() => {
            depth > 0 && program.structs[id].fields.iter().all(|f| is_data(program, f.ty, depth - 1))
        }
        _ => false,
    }
}

/// The common kind of two kinds.
pub fn join_scalars(a: Scalar, b: Scalar, language: Language) -> Scalar {
    let later = if join_order(a) >= join_order(b) { a } else { b };
    match language {
        // DXC takes `int64_t` and `uint` to `uint64_t`; slangc and C++ to `int64_t`.
        Language::Hlsl if a.is_unsigned() || b.is_unsigned() => later.unsigned(),
        Language::Hlsl | Language::Slang => later,
    }
}

/// The common shape of two operands: scalars splat. In HLSL the smaller of two vectors or matrices wins, a vector and a matrix of
/// as many numbers have the shape of the left one, and of a vector and one row or column the smaller keeps its shape.
pub fn join_shapes(a: Shape, b: Shape, language: Language) -> Option<Shape> {
    let mixed = matches!((a, b), (Shape::Vector(_), Shape::Matrix(..)) | (Shape::Matrix(..), Shape::Vector(_)));
    let mixed = mixed && language == Language::Hlsl && !a.is_unit() && !b.is_unit();
    Some(match (a, b) {
        _ if mixed && a.count() == b.count() => a,
        _ if mixed && (a.line().is_some() && b.line().is_some()) => {
            if a.count() < b.count() {
                a
            } else {
                b
            }
        }
        _ if a == b => a,
        (Shape::Scalar, other) | (other, Shape::Scalar) if other.is_unit() => Shape::Scalar,
        _ if a.is_unit() => b,
        _ if b.is_unit() => a,
        (Shape::Vector(_), Shape::Vector(_)) | (Shape::Matrix(..), Shape::Matrix(..))
            if language == Language::Slang =>
        {
            return None;
        }
        (Shape::Vector(a), Shape::Vector(b)) => Shape::Vector(a.min(b)),
        (Shape::Matrix(r, c), Shape::Matrix(p, q)) => Shape::Matrix(r.min(p), c.min(q)),
        _ if a.line().is_some() && a.line() == b.line() => Shape::Vector(a.line()?),
        // `i3x1 * f4` is of three numbers.
        (Shape::Matrix(..), Shape::Vector(n)) => Shape::Vector(a.line()?.min(n)),
        (Shape::Vector(n), Shape::Matrix(..)) => Shape::Vector(b.line()?.min(n)),
        _ => return None,
    })
}

/// Whether a conversion between numbers leaves some of them out. Slang has it as a written conversion of matrices alone; but
/// comparisons of vectors, of which its generic functions make one bool, are vectors in the instances of those.
pub fn leaves_out(types: &Types, from: TypeId, to: TypeId) -> bool {
    match (numeric(types, from), numeric(types, to)) {
        (Some((kind, from)), Some((_, to))) => kind != Scalar::Bool && to.count() < from.count(),
        _ => false,
    }
}

/// The common type of two operands: of numbers the later kind in the common shape, of anything else only itself.
pub fn join(types: &mut Types, a: TypeId, b: TypeId, language: Language) -> Option<TypeId> {
    if a == b || b == TypeId::ERROR {
        return Some(a);
    }
    if a == TypeId::ERROR {
        return Some(b);
    }
    let ((x, p), (y, q)) = (numeric(types, a)?, numeric(types, b)?);
    let shape = join_shapes(p, q, language)?;
    Some(shape.of(types, join_scalars(x, y, language)))
}

#[cfg(test)]
mod tests;
