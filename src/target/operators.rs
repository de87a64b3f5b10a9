//! Operators that a language has as functions where their operands are vectors: emitters print them, and no variable beside them
//! may have their names.

use super::Language;
use crate::tree::BinaryOp;

/// An operator of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `c ? a : b`.
    Select,
    /// `!a`.
    Not,
    /// One between two operands.
    Binary(BinaryOp),
}

/// (language, operator, function).
#[rustfmt::skip]
const FUNCTIONS: &[(Language, Operator, &str)] = &[
    (Language::Hlsl, Operator::Select, "select"),
    (Language::Hlsl, Operator::Binary(BinaryOp::And), "and"),
    (Language::Hlsl, Operator::Binary(BinaryOp::Or), "or"),
    (Language::Glsl, Operator::Select, "mix"),
    (Language::Glsl, Operator::Not, "not"),
    (Language::Glsl, Operator::Binary(BinaryOp::Less), "lessThan"),
    (Language::Glsl, Operator::Binary(BinaryOp::LessEqual), "lessThanEqual"),
    (Language::Glsl, Operator::Binary(BinaryOp::Greater), "greaterThan"),
    (Language::Glsl, Operator::Binary(BinaryOp::GreaterEqual), "greaterThanEqual"),
    (Language::Glsl, Operator::Binary(BinaryOp::Equal), "equal"),
    (Language::Glsl, Operator::Binary(BinaryOp::NotEqual), "notEqual"),
    (Language::Wgsl, Operator::Select, "select"),
];

/// The function that an operator on vectors is; nothing where it is an operator.
pub fn function_of(language: Language, operator: Operator) -> Option<&'static str> {
    FUNCTIONS.iter().find(|(l, o, _)| *l == language && *o == operator).map(|(.., name)| *name)
}
