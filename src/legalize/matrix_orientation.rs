//! Matrices are turned where products with them then read as in the source.
//!
//! Before: `float4x4 view;                mul(view, p)       view[1][2]    view._m03_m13_m23`
//! After:  `row_major float4x4 view;      mul(p, view)       view[2][1]    view._m30_m31_m32`
//! Text:   `mat4 view;                    view * p           view[2][1]    view[3].xyz`
//!
//! The rows of the tree are the columns of these targets, and `mul(a, b)` is `b * a` there. A variable, field, parameter or
//! result that holds the transposed matrix is the matrix of the source in the text. What is assigned, passed or multiplied with
//! each other is turned together, so that no text has a `transpose` that the source has not. A program that only declares matrices
//! declares them like one that multiplies with them.
//!
//! A matrix is not turned where whole rows of it are read, written, or what it is made from (elements are reordered); where it is an input or output of a
//! stage, a payload, or behind an address; and in a buffer, where the target has one storage order or
//! links the texts of stages, which other functions are in. Products with those stay in
//! reverse order, which a comment at the top of the text says ([`Program::reversed_products`]). In programs with GLSL's words the
//! columns of the source are rows of the tree, and nothing is turned.

mod groups;
mod plan;
mod rewrite;

use super::{Context, Pass};
use crate::stdlib::Operation;
use crate::tree::{
    ExprArena, ExprId, ExprKind, FunctionBody, FunctionId, GlobalId, Program, Template, Type, TypeId, Types,
};

pub(super) const PASS: Pass = Pass {
    name: "matrix_orientation",
    always: Some("a product in the other order is no need: it means the same"),
    after: &["storage"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    if !cx.profile.facts.rows_are_columns || cx.program.has_algebraic_products || !has_matrices(cx.program) {
        return;
    }
    // Elements alone read as in the source as they are.
    if !has_products(cx.program) && uses_matrices(cx.program) {
        return;
    }
    let plan = plan::Orientations::of(cx.program, cx.profile);
    plan.apply(cx.program);
}

/// Whose expressions are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Function(FunctionId),
    Initializer(GlobalId),
}

/// What an operator or builtin does with matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Algebra {
    Product,
    Transpose,
    Determinant,
}

impl Algebra {
    fn of_template(template: &Template) -> Option<Algebra> {
        const TABLE: &[(Algebra, Operation)] = &[
            (Algebra::Product, Operation::Product),
            (Algebra::Transpose, Operation::Transpose),
            (Algebra::Determinant, Operation::Determinant),
        ];
        TABLE.iter().find(|(_, operation)| template == operation.common()).map(|(algebra, _)| *algebra)
    }

    /// The operation that an expression is.
    fn of(program: &Program, kind: &ExprKind) -> Option<Algebra> {
        match kind {
            ExprKind::Native(template, _) => Algebra::of_template(template),
            ExprKind::Call(callee, _) => match &program.functions[*callee].body {
                FunctionBody::Intrinsic(template) => Algebra::of_template(template),
                _ => None,
            },
            _ => None,
        }
    }
}

fn has_matrices(program: &Program) -> bool {
    program.types.ids().any(|id| matches!(program.types.get(id), Type::Matrix(s, 2.., 2..) if s.is_float()))
}

/// Whether a program multiplies with matrices.
fn has_products(program: &Program) -> bool {
    let product = Operation::Product.common();
    program.functions.iter().any(|(_, f)| matches!(&f.body, FunctionBody::Intrinsic(t) if t == product))
}

/// Whether a program names matrices anywhere but in declarations of what it shares with others that multiply with them: a fragment
/// shader has the block of its vertex shader, and declares it the same way.
fn uses_matrices(program: &Program) -> bool {
    let is_matrix = |exprs: &ExprArena, id: ExprId| carries(&program.types, exprs[id].ty);
    let mut bodies = program.functions_with_code().into_iter().map(|id| &program.functions[id].code);
    let mut inits = program.globals.iter().filter_map(|(_, global)| global.init.as_ref());
    bodies.any(|body| body.expressions().into_iter().any(|id| is_matrix(&body.exprs, id)))
        || inits.any(|tree| tree.exprs.iter().any(|(id, _)| is_matrix(&tree.exprs, id)))
}

/// Whether values of a type, or the data of a resource, are floating-point matrices, or arrays of these.
fn carries(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Matrix(scalar, 2.., 2..) => scalar.is_float(),
        Type::Array(..) | Type::Buffer(..) | Type::ConstantBuffer(..) | Type::TextureBuffer(_) => {
            types.get(ty).element().is_some_and(|element| carries(types, element))
        }
        _ => false,
    }
}

/// A type with the transposed of its matrices.
fn turned(types: &mut Types, ty: TypeId) -> TypeId {
    match types.get(ty) {
        Type::Matrix(scalar, rows, columns) => types.matrix(scalar, columns, rows),
        other => match other.element() {
            Some(element) => {
                let element = turned(types, element);
                types.intern(other.with_element(element))
            }
            None => ty,
        },
    }
}
