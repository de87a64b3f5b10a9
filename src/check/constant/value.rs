//! Values, and the zeroes of types.

use super::super::convert::{enum_tag, wrap};
use super::arithmetic::round;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Arena, Expr, ExprId, ExprKind, Length, Literal, Program, Scalar, Type, TypeId};

/// The value of a constant expression. Vectors, arrays and structs are lists of their parts, matrices lists of rows.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A bool.
    Bool(bool),
    /// An integer of a kind; unsigned 64-bit ones as their bits. An enum is its tag.
    Int(i64, Scalar),
    /// A float of a kind.
    Float(f64, Scalar),
    /// Parts.
    Composite(Vec<Value>),
    /// A string.
    Text(Symbol),
}

impl Value {
    /// The integer, also of a bool.
    pub fn int(&self) -> Option<i64> {
        match *self {
            Value::Int(v, _) => Some(v),
            Value::Bool(v) => Some(v.into()),
            _ => None,
        }
    }

    /// A scalar as a float.
    pub fn float(&self) -> Option<f64> {
        match *self {
            Value::Float(v, _) => Some(v),
            Value::Int(v, _) => Some(v as f64),
            Value::Bool(_) | Value::Composite(_) | Value::Text(_) => None,
        }
    }

    /// The truth of a scalar.
    pub fn truth(&self) -> Option<bool> {
        match *self {
            Value::Bool(v) => Some(v),
            Value::Int(v, _) => Some(v != 0),
            Value::Float(v, _) => Some(v != 0.0),
            _ => None,
        }
    }

    /// The literal of a scalar or string.
    pub fn to_literal(&self) -> Option<Literal> {
        Some(match *self {
            Value::Bool(v) => Literal::Bool(v),
            Value::Int(v, _) => Literal::Int(v),
            Value::Float(v, _) => Literal::Float(v),
            Value::Text(s) => Literal::Text(s),
            Value::Composite(_) => return None,
        })
    }

    /// An expression of type `ty` with this value. `None` if the value is not one of the type.
    pub fn to_expr(
        &self,
        exprs: &mut Arena<ExprId, Expr>,
        program: &mut Program,
        ty: TypeId,
        span: Span,
    ) -> Option<ExprId> {
        let kind = match self {
            Value::Composite(parts) => {
                let mut ids = Vec::with_capacity(parts.len());
                for (index, part) in parts.iter().enumerate() {
                    let ty = part_type(program, ty, index)?;
                    ids.push(part.to_expr(exprs, program, ty, span)?);
                }
                ExprKind::Construct(ids)
            }
            scalar => match program.types.get(ty) {
                Type::Enum(id) => {
                    let value = scalar.int()?;
                    let case = program.enums[id].cases.iter().position(|c| c.value == value);
                    match case {
                        Some(case) => ExprKind::EnumCase(id, case as u32),
                        None => {
                            let tag = program.types.scalar(enum_tag(program, id));
                            let literal = ExprKind::Literal(scalar.to_literal()?, None);
                            ExprKind::Convert(exprs.push(Expr { kind: literal, ty: tag, span }), true)
                        }
                    }
                }
                _ => ExprKind::Literal(scalar.to_literal()?, None),
            },
        };
        Some(exprs.push(Expr { kind, ty, span }))
    }
}

/// The type of a part of a composite type.
fn part_type(program: &mut Program, ty: TypeId, index: usize) -> Option<TypeId> {
    Some(match program.types.get(ty) {
        Type::Vector(s, _) => program.types.scalar(s),
        Type::Matrix(s, _, c) => program.types.vector(s, c),
        Type::Array(element, _) => element,
        Type::Struct(id) => program.structs[id].fields.get(index)?.ty,
        _ => return None,
    })
}

/// A literal as a value of its expression's kind.
pub(super) fn literal_value(literal: Literal, kind: Option<Scalar>) -> Value {
    match literal {
        Literal::Bool(v) => Value::Bool(v),
        Literal::Int(v) => Value::Int(wrap(v, kind.unwrap_or(Scalar::I32)), kind.unwrap_or(Scalar::I32)),
        // One of halves has their numbers, as it is written; others keep what is written until they are computed with.
        Literal::Float(v) if kind == Some(Scalar::F16) => Value::Float(round(v, Scalar::F16), Scalar::F16),
        Literal::Float(v) => Value::Float(v, kind.unwrap_or(Scalar::F32)),
        Literal::Text(s) => Value::Text(s),
    }
}

/// The zero of a scalar kind.
fn zero_scalar(kind: Scalar) -> Value {
    match kind {
        Scalar::Bool => Value::Bool(false),
        s if s.is_float() => Value::Float(0.0, s),
        s => Value::Int(0, s),
    }
}

/// Longest array that is held as a value,
const MAX_ELEMENTS: u32 = 1 << 16;
/// and most scalars of arrays and structs in each other.
const MAX_SCALARS: usize = 1 << 20;

/// The zero of plain data.
pub(super) fn zero(program: &Program, ty: TypeId, depth: u32) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match program.types.get(ty) {
        Type::Scalar(s) => zero_scalar(s),
        Type::Enum(id) => Value::Int(0, enum_tag(program, id)),
        Type::Vector(s, n) => Value::Composite(vec![zero_scalar(s); n.into()]),
        Type::Matrix(s, r, c) => Value::Composite(vec![Value::Composite(vec![zero_scalar(s); c.into()]); r.into()]),
        Type::Array(element, Length::Fixed(n)) if n <= MAX_ELEMENTS => {
            let (element, n) = (zero(program, element, depth)?, n as usize);
            let size = scalars(&element).saturating_mul(n);
            if size > MAX_SCALARS {
                return None;
            }
            Value::Composite(vec![element; n])
        }
        Type::Struct(id) => {
            let (mut fields, mut size) = (Vec::new(), 0);
            for field in &program.structs[id].fields {
                let value = zero(program, field.ty, depth)?;
                size += scalars(&value);
                if size > MAX_SCALARS {
                    return None;
                }
                fields.push(value);
            }
            Value::Composite(fields)
        }
        _ => return None,
    })
}

fn scalars(value: &Value) -> usize {
    match value {
        Value::Composite(parts) => parts.iter().map(scalars).sum(),
        _ => 1,
    }
}
