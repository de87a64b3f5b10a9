//! Arrays of bools, structs with bools inside of other values, and structs that `?:` chooses come out of buffers element by
//! element.
//!
//! Before: `bool flags[2] = buffer[i].flags;                                     Light light = c ? lights[i] : other;`
//! After:  `bool flags[2] = { buffer[i].flags[0], buffer[i].flags[1] };          Light light = c ? Light(lights[i].color) : other;`
//!
//! A bool in a buffer is a number. The compilers of some targets make bools of all that a struct has when it is copied to a
//! variable, and forget it for an array of them and for operands of constructors and of `?:`. They take a struct in a buffer
//! for another one than that of a variable, and convert only what is copied to one. And they copy numbers of less than four
//! bytes from buffer to buffer in ways that their own instructions do not have.

use super::super::Context;
use super::super::hoist::{Marks, hoist};
use super::super::limits::bytes;
use super::super::references;
use super::access::MOST_COPIED;
use crate::tree::*;

/// The bytes of most numbers.
const WORD: u64 = 4;

/// Takes them apart.
pub(super) fn split(cx: &mut Context) {
    let effects = cx.effects();
    let by_reference = references::by_reference(cx.program);
    cx.each_body(&mut |cx, _, body| {
        references::copy(cx.program, &effects, body, &by_reference, &mut |program, body, place| {
            is_array_of_bools(program, body.exprs[place].ty) && is_stored(program, &body.exprs, place)
        });
        let mut marks = Marks::default();
        for copy in copies(cx.program, &body.exprs, &body.expressions()) {
            references::mark_indices(&body.exprs, copy, &mut marks);
        }
        hoist(cx.program, &effects, body, marks);
        for copy in copies(cx.program, &body.exprs, &body.expressions()) {
            let Expr { ty, span, .. } = body.exprs[copy];
            if bytes(cx.program, ty, 0) / WORD > MOST_COPIED.into() {
                cx.unsupported(span, format!("a copy of more than {MOST_COPIED} numbers out of a buffer, one by one"));
                continue;
            }
            let value = parts(cx.program, &mut body.exprs, copy);
            body.exprs.replace_by(copy, value);
        }
    });
}

/// Values that come out of a buffer where they are not turned into what they are in a variable. `live` has operands first.
pub(super) fn copies(program: &Program, exprs: &ExprArena, live: &[ExprId]) -> Vec<ExprId> {
    // What nothing has used so far.
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for &id in live {
        exprs[id].kind.children(&mut |operand| {
            open.pop();
            found.extend(is_copied(program, exprs, operand, Some(&exprs[id].kind)).then_some(operand));
        });
        open.push(id);
    }
    found.extend(open.into_iter().filter(|root| is_copied(program, exprs, *root, None)));
    found
}

/// Whether a value is one of these where `parent` uses it.
fn is_copied(program: &Program, exprs: &ExprArena, id: ExprId, parent: Option<&ExprKind>) -> bool {
    let ty = exprs[id].ty;
    if !(is_array(program, ty) || matches!(program.types.get(ty), Type::Struct(_)))
        || matches!(parent, Some(ExprKind::Field(..) | ExprKind::Index(..)))
        || !is_stored(program, exprs, id)
    {
        return false;
    }
    let chosen = matches!(parent, Some(ExprKind::Select(_, a, b)) if *a == id || *b == id);
    if !program.any_leaf(ty, &mut |leaf| leaf.component().is_some_and(|s| s == Scalar::Bool || s.size() < 4)) {
        return chosen;
    }
    let bools = program.any_leaf(ty, &mut |leaf| leaf.component() == Some(Scalar::Bool));
    match parent {
        Some(ExprKind::Assign(_, target, _)) if *target == id => false,
        Some(ExprKind::Assign(_, target, _)) if !bools => is_stored(program, exprs, *target),
        _ if chosen => true,
        Some(ExprKind::Construct(_)) => bools,
        _ => is_array_of_bools(program, ty),
    }
}

/// Arrays, and matrices that will be arrays of rows.
fn is_array(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Matrix(s, ..) => !s.is_float(),
        ty => matches!(ty, Type::Array(..)),
    }
}

fn is_array_of_bools(program: &Program, ty: TypeId) -> bool {
    is_array(program, ty) && program.types.component(program.types.innermost(ty)) == Some(Scalar::Bool)
}

/// Whether an expression is a place in a buffer.
fn is_stored(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Global(global) = exprs[exprs.base(id)].kind else { return false };
    program.globals[global].kind == GlobalKind::Parameter
}

/// A value made of the scalars, vectors and matrices of another.
pub(in super::super) fn parts(program: &mut Program, exprs: &mut ExprArena, id: ExprId) -> ExprId {
    let Expr { ty, span, .. } = exprs[id];
    if let Type::Matrix(s, rows, _) = program.types.get(ty)
        && !s.is_float()
    {
        let mut build = Build::new(&mut program.types, exprs, span);
        let rows = (0..u32::from(rows)).map(|row| {
            let matrix = build.exprs.duplicate(id);
            build.at(matrix, row)
        });
        let rows = rows.collect();
        return build.construct(rows, ty);
    }
    let Some(members) = program.members(ty) else { return exprs.duplicate(id) };
    let mut list = Vec::with_capacity(members.len());
    for (step, _) in members {
        let whole = exprs.duplicate(id);
        let part = program.part(exprs, whole, &[step]);
        list.push(parts(program, exprs, part));
    }
    Build::new(&mut program.types, exprs, span).construct(list, ty)
}
