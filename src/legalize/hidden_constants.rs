//! Hide from the target's constant evaluation what it refuses to fold: divisions by zero, infinities, NaN, overflow.
//!
//! Before: `x = 1.0 / 0.0;                             y = 3e38 * 10.0;              z = sqrt(-1.0);`
//! After:  `static float zero = 0.0;   x = 1.0 / zero; y = (3e38 - zero) * 10.0;     z = sqrt(-1.0 - zero);`
//!
//! An index that calls a builtin for constants is hidden, too, since it may lie behind the end: `a[int(exp(2.0))]` is
//! `a[int(exp(2.0)) - zero]`.
//!
//! A choice between constant vectors that are made of vectors is what it chooses, or is hidden where that is not known: naga goes
//! wrong over the parts. It does so, too, where it multiplies by a constant matrix with such a column, which is hidden.
//!
//! The bits of a constant with a negative zero are a number: compilers leave the sign out (WGSL, "Floating Point Evaluation").
//!
//! [`COMPARED`] goes first: a comparison with such a constant is its outcome, since compilers that do fold it go wrong
//! (`nan == nan`). A conversion to an integer that has no such number is one, too: DXC takes it for an undefined value, and refuses
//! to store it.

use super::defined::{Constancy, domain, is_defined};
use super::derivatives::DERIVATIVE;
use super::needs::{Find, callee};
use super::uniformity::UNIFORM_LOAD;
use super::wrapping_constants::beyond;
use super::{Context, Pass, runtime_initializers};
use crate::check::constant::{HALF_INFINITY, LARGEST_HALF, Value, about, eval, operate};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::target::{Capability, Profile};
use crate::tree::ExprKinds;
use crate::tree::*;
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "hidden_constants",
    removes: &[
        (
            Capability::NonFiniteConstants,
            Find::at(
                ExprKinds::LITERAL
                    .or(ExprKinds::BINARY_OPERATORS)
                    .or(ExprKinds::CONVERT)
                    .or(ExprKinds::CALL)
                    .or(ExprKinds::SELECT),
                is_refused,
            ),
        ),
        (Capability::NonFiniteConstants, Find::at(ExprKinds::SELECT, |p, exprs, id| choice(p, exprs, id).is_some())),
        (
            Capability::NonFiniteConstants,
            Find::at(ExprKinds::CALL, |p, exprs, id| bits_of_zero(p, exprs, id).is_some()),
        ),
        (Capability::ComputedIndices, Find::at(ExprKinds::INDEX.or(ExprKinds::NATIVE), is_computed_index)),
        (
            Capability::ComputedIndices,
            Find::body(ExprKinds::INDEX.or(ExprKinds::NATIVE), |p, _, body, live| {
                beyond(p, body, live).first().map(|index| body.exprs[*index].span)
            }),
        ),
    ],
    // Of a matrix its zero is taken away component by component.
    // A call that is seen to be constant no more counts as one before its place.
    // An offset in texels that is hidden is none that varies, but the target takes it for one.
    adds: &[
        Capability::MatrixComponentOps,
        Capability::ValueBeforePlace,
        Capability::LateOldValues,
        Capability::VaryingOffsets,
    ],
    run,
    ..Pass::ROW
};

pub(super) const COMPARED: Pass = Pass {
    name: "compared_constants",
    removes: &[
        (Capability::NonFiniteComparisons, Find::at(ExprKinds::BINARY, |p, exprs, id| outcome(p, exprs, id).is_some())),
        (Capability::ClampedConstants, Find::at(ExprKinds::CONVERT, |p, exprs, id| clamped(p, exprs, id).is_some())),
    ],
    run: run_compared,
    ..Pass::ROW
};

fn run_compared(cx: &mut Context) {
    fold(cx, outcome);
    if !cx.profile.has(Capability::ClampedConstants) {
        fold(cx, clamped);
    }
}

/// Puts constants in the place of what has a value by a rule.
fn fold(cx: &mut Context, rule: fn(&Program, &ExprArena, ExprId) -> Option<Value>) {
    cx.each_body(&mut |cx, _, body| {
        let ids = body.expressions();
        fold_all(cx.program, &mut body.exprs, ids, rule);
    });
    for id in cx.program.globals.ids() {
        let Some(mut tree) = cx.program.globals[id].init.take() else { continue };
        let ids = tree.exprs.post_order(tree.root);
        fold_all(cx.program, &mut tree.exprs, ids, rule);
        cx.program.globals[id].init = Some(tree);
    }
}

fn fold_all(
    program: &mut Program,
    exprs: &mut ExprArena,
    ids: Vec<ExprId>,
    rule: fn(&Program, &ExprArena, ExprId) -> Option<Value>,
) {
    for id in ids {
        let Some(value) = rule(program, exprs, id) else { continue };
        let Expr { ty, span, .. } = exprs[id];
        if let Some(folded) = value.to_expr(exprs, program, ty, span) {
            exprs.replace_by(id, folded);
        }
    }
}

/// What the conversion of a constant gives to a kind of integers that has no such number.
fn clamped(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Value> {
    // What functions of the source give is left to them.
    let calls = |part: ExprId| match exprs[part].kind {
        ExprKind::Call(f, _) => matches!(program.functions[f].body, FunctionBody::Block),
        _ => false,
    };
    if !is_clamped(program, exprs, id) || exprs.any_part(id, calls) {
        return None;
    }
    eval(program, exprs, id).ok()
}

/// What a comparison of constants gives of which one is not finite.
fn outcome(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Value> {
    let ExprKind::Binary(op, a, b) = exprs[id].kind else { return None };
    if !op.is_comparison() || !program.types.component(exprs[a].ty).is_some_and(Scalar::is_float) {
        return None;
    }
    let value = |e| eval(program, exprs, e).ok();
    let (a, b) = value(a).zip(value(b))?;
    if is_finite(&a) && is_finite(&b) { None } else { value(id) }
}

/// What a choice between constant vectors gives where one of the three is made of vectors.
fn choice(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Value> {
    if is_choice_of_vectors(program, exprs, id) { eval(program, exprs, id).ok() } else { None }
}

/// The bits of a constant float of which a component is a negative zero.
fn bits_of_zero(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Value> {
    let (function, [of]) = callee(program, exprs, id)? else { return None };
    fn is_negative(value: &Value) -> bool {
        match value {
            Value::Float(number, _) => *number == 0.0 && number.is_sign_negative(),
            Value::Composite(parts) => parts.iter().any(is_negative),
            _ => false,
        }
    }
    if function.computes() != Some("bits") || !eval(program, exprs, *of).is_ok_and(|value| is_negative(&value)) {
        return None;
    }
    eval(program, exprs, id).ok().filter(|value| !holds_float(value))
}

fn holds_float(value: &Value) -> bool {
    match value {
        Value::Float(..) => true,
        Value::Composite(parts) => parts.iter().any(holds_float),
        _ => false,
    }
}

/// Whether the target alone computes what such a choice gives.
fn is_unknown_choice(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    is_choice_of_vectors(program, exprs, id) && is_constant(program, exprs, id) && eval(program, exprs, id).is_err()
}

fn is_choice_of_vectors(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Select(condition, a, b) = exprs[id].kind else { return false };
    matches!(program.types.get(exprs[id].ty), Type::Vector(..))
        && [condition, a, b].into_iter().any(|e| is_of_vectors(program, exprs, e))
}

/// A product of a matrix and another constant, of which one is made of such vectors.
fn is_product_of_vectors(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some((_, &[a, b])) = callee(program, exprs, id) else { return false };
    let is_matrix = |e: ExprId| matches!(program.types.get(exprs[e].ty), Type::Matrix(..));
    (is_matrix(a) || is_matrix(b))
        && [a, b].into_iter().any(|e| is_of_vectors(program, exprs, e))
        && is_constant(program, exprs, id)
}

/// Whether a vector that is made of vectors is in an expression, or in the constants that it names.
fn is_of_vectors(program: &Program, exprs: &ExprArena, root: ExprId) -> bool {
    exprs.any_part(root, |id| match &exprs[id].kind {
        ExprKind::Construct(parts) => {
            let vector = |e: &ExprId| matches!(program.types.get(exprs[*e].ty), Type::Vector(..));
            vector(&id) && parts.iter().any(vector)
        }
        ExprKind::Global(g) if program.globals[*g].kind == GlobalKind::Const => {
            let init = program.globals[*g].init.as_ref();
            init.is_some_and(|tree| is_of_vectors(program, &tree.exprs, tree.root))
        }
        _ => false,
    })
}

/// Whether the halves of a value are numbers when they are rounded.
fn is_rounded_half(value: &Value) -> bool {
    match value {
        Value::Float(v, Scalar::F16) => v.abs() < HALF_INFINITY,
        Value::Composite(parts) => parts.iter().all(is_rounded_half),
        _ => false,
    }
}

/// Whether a number is larger than this, or smaller than its negative.
fn exceeds(value: &Value, most: f64) -> bool {
    match value {
        Value::Float(v, _) => v.abs() > most,
        Value::Composite(parts) => parts.iter().any(|part| exceeds(part, most)),
        _ => value.int().is_some_and(|n| n as f64 > most || (n as f64) < -most),
    }
}

pub(super) fn is_finite(value: &Value) -> bool {
    match value {
        Value::Float(v, scalar) => v.abs() <= limit(*scalar),
        Value::Composite(parts) => parts.iter().all(is_finite),
        _ => true,
    }
}

/// The largest finite number of a kind of floats.
pub(super) fn limit(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F64 => f64::MAX,
        Scalar::F16 => LARGEST_HALF,
        _ => f32::MAX.into(),
    }
}

fn run(cx: &mut Context) {
    if !cx.profile.has(Capability::NonFiniteConstants) {
        fold(cx, choice);
        fold(cx, bits_of_zero);
        specialized(cx.program, cx.profile, cx.diags);
        inline_constants(cx);
        hide_all(cx, is_refused);
    }
    if !cx.profile.has(Capability::ComputedIndices) {
        report_uniform_loads(cx);
        hide_all(cx, is_computed_index);
        let mut zeros = cx.notes.zeros.clone();
        cx.each_body(&mut |cx, _, body| {
            for index in beyond(cx.program, body, &body.expressions()) {
                obscure(cx.program, &mut body.exprs, index, &mut zeros);
            }
        });
        declare(cx, zeros);
    }
}

/// Reports what all invocations load together from a place that must be hidden: what hides it is a variable, which may differ between
/// them for the target.
fn report_uniform_loads(cx: &mut Context) {
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            let Some((function, [place, ..])) = callee(cx.program, &body.exprs, id) else { continue };
            if !function.is_marked(UNIFORM_LOAD) {
                continue;
            }
            let known_beyond = beyond(cx.program, body, &body.exprs.post_order(*place));
            let is_hidden = |part| {
                let named = indexed(cx.program, &body.exprs, part).is_some_and(|(_, i)| known_beyond.contains(&i));
                named || is_computed_index(cx.program, &body.exprs, part)
            };
            if body.exprs.way_to_base(*place).any(is_hidden) {
                let message =
                    format!("an index that {} may refuse, of what all invocations load together", cx.profile.name);
                cx.unsupported(body.exprs[id].span, message);
            }
        }
    });
}

/// The index of an access to an element, and below which number a constant has one for every compiler.
pub(super) fn indexed(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<(i64, ExprId)> {
    // The largest number counts no elements for every compiler.
    const UNKNOWN: i64 = u32::MAX as i64;
    match &exprs[id].kind {
        ExprKind::Index(base, index) => Some((program.types.sure_count(exprs[*base].ty).unwrap_or(UNKNOWN), *index)),
        // A builtin array of the target: `gl_in[$0].gl_Position`.
        ExprKind::Native(template, args) => Some((UNKNOWN, *args.get(template.index()?)?)),
        _ => None,
    }
}

/// An index of which all is constant: one that we do not know, or none of the array, as a builtin gave it.
pub(super) fn is_computed_index(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some((count, index)) = indexed(program, exprs, id) else { return false };
    match eval(program, exprs, index) {
        Ok(value) if value.int().is_some_and(|n| (0..count).contains(&n)) => {
            exprs.any_part(index, |part| is_clamped(program, exprs, part))
        }
        Ok(value) => value.int().is_some(),
        Err(_) if is_constant(program, exprs, index) => true,
        Err(_) => match about(program, exprs, index, &|_| None) {
            Ok(value) => value.int().is_some_and(|n| !(0..count).contains(&n)),
            Err(_) => is_constant_to_some(program, exprs, index, &|_| false),
        },
    }
}

/// Whether some targets compute an expression: the derivative of a constant is no constant for all of them.
pub(super) fn is_constant_to_some(
    program: &Program,
    exprs: &ExprArena,
    id: ExprId,
    local: &dyn Fn(LocalId) -> bool,
) -> bool {
    is_constant_by(program, exprs, id, local, &|f| f.is_marked(DERIVATIVE))
}

/// Whether an expression is made of literals, named constants and what targets compute of them.
pub(super) fn is_constant(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    is_constant_among(program, exprs, id, &|_| false)
}

/// The same where some variables are named constants, too.
pub(super) fn is_constant_among(
    program: &Program,
    exprs: &ExprArena,
    id: ExprId,
    local: &dyn Fn(LocalId) -> bool,
) -> bool {
    is_constant_by(program, exprs, id, local, &|_| false)
}

/// The same where some functions give constants for constants besides.
fn is_constant_by(
    program: &Program,
    exprs: &ExprArena,
    id: ExprId,
    local: &dyn Fn(LocalId) -> bool,
    function: &dyn Fn(&Function) -> bool,
) -> bool {
    // What differs between invocations has attributes that say so.
    let differs =
        |f: &Function| ["__requires", "__non_uniform", "__effects", "__stages"].iter().any(|a| f.is_marked(a));
    !exprs.any_part(id, |e| !match &exprs[e].kind {
        ExprKind::Global(g) => {
            program.globals[*g].kind == GlobalKind::Const && !runtime_initializers::depends(program, *g)
        }
        ExprKind::Local(id) => local(*id),
        ExprKind::Call(f, args) => {
            let called = &program.functions[*f];
            let gives = function(called) || !differs(called);
            !args.is_empty() && !matches!(called.body, FunctionBody::Block) && gives
        }
        ExprKind::Literal(..)
        | ExprKind::Zero
        | ExprKind::EnumCase(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Select(..)
        | ExprKind::Convert(..)
        | ExprKind::Construct(_)
        | ExprKind::Field(..)
        | ExprKind::Index(..)
        | ExprKind::Swizzle(..)
        | ExprKind::MatrixSwizzle(..) => true,
        _ => false,
    })
}

/// Whether an expression is a variable, a part of one, or one that is converted or negated: a short look for [`known`].
fn is_of_variable(exprs: &ExprArena, mut id: ExprId) -> bool {
    loop {
        id = match exprs[id].kind {
            ExprKind::Local(_) => return true,
            ExprKind::Field(inner, _)
            | ExprKind::Contents(inner)
            | ExprKind::Swizzle(inner, _)
            | ExprKind::MatrixSwizzle(inner, _)
            | ExprKind::Unary(_, inner)
            | ExprKind::Convert(inner, _) => inner,
            _ => return false,
        };
    }
}

/// Whether an expression names one of some variables, and evaluates it whatever else it computes.
pub(super) fn evaluates(exprs: &ExprArena, id: ExprId, is_such: &dyn Fn(LocalId) -> bool) -> bool {
    let (mut names, mut chooses) = (false, false);
    exprs.any_part(id, |part| {
        names |= matches!(exprs[part].kind, ExprKind::Local(local) if is_such(local));
        chooses |=
            matches!(exprs[part].kind, ExprKind::Select(..) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..));
        chooses
    });
    names && !chooses
}

/// What is known of a value.
fn known(program: &Program, exprs: &ExprArena, id: ExprId) -> Constancy {
    if is_of_variable(exprs, id) {
        return Constancy::Varying;
    }
    // Most expressions name a variable, and evaluate it.
    if evaluates(exprs, id, &|_| true) {
        return Constancy::Varying;
    }
    let clamps = || exprs.any_part(id, |part| is_clamped(program, exprs, part));
    match about(program, exprs, id, &|_| None) {
        Ok(value) if !keeps_bits(program, exprs, id) && !clamps() => Constancy::About(value),
        Ok(_) => Constancy::Computed,
        Err(_) if is_constant(program, exprs, id) => Constancy::Computed,
        Err(_) => Constancy::Varying,
    }
}

/// Whether a part of an integer of minimum precision is computed: the target may keep more bits than we do.
fn keeps_bits(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    exprs.any_part(id, |part| {
        let scalar = program.types.component(exprs[part].ty);
        let is_written = match exprs[part].kind {
            ExprKind::Literal(..) | ExprKind::Zero => true,
            ExprKind::Convert(inner, _) => matches!(exprs[inner].kind, ExprKind::Literal(..) | ExprKind::Zero),
            _ => false,
        };
        !is_written && scalar.is_some_and(|s| s.is_integer() && s.is_least_precision())
    })
}

/// Whether a float is converted to an integer of a kind that has no such number, which targets make of it as they like.
pub(super) fn is_clamped(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    is_clamped_among(program, exprs, id, &|_| None)
}

/// The same where the values of some variables are known.
pub(super) fn is_clamped_among(
    program: &Program,
    exprs: &ExprArena,
    id: ExprId,
    known: &dyn Fn(LocalId) -> Option<Value>,
) -> bool {
    let ExprKind::Convert(inner, _) = exprs[id].kind else { return false };
    let component = |e: ExprId| program.types.component(exprs[e].ty);
    let (Some(from), Some(to)) = (component(inner), component(id)) else { return false };
    if !from.is_float() || !to.is_integer() {
        return false;
    }
    let bits = to.size() as i32 * 8;
    let (least, most) = match to.is_unsigned() {
        true => (0.0, 2.0_f64.powi(bits)),
        false => (-2.0_f64.powi(bits - 1), 2.0_f64.powi(bits - 1)),
    };
    fn beyond(value: &Value, range: &std::ops::Range<f64>) -> bool {
        match value {
            Value::Composite(parts) => parts.iter().any(|part| beyond(part, range)),
            Value::Float(number, _) => !range.contains(&number.trunc()),
            _ => false,
        }
    }
    about(program, exprs, inner, known).is_ok_and(|value| beyond(&value, &(least..most)))
}

/// Reports specialization constants whose first value is not finite: no variable can stand in it.
pub(super) fn specialized(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    for id in program.listed_globals() {
        let global = &program.globals[id];
        let refused = |tree: &ExprTree| tree.exprs.any_part(tree.root, |id| is_refused(program, &tree.exprs, id));
        if global.kind == GlobalKind::Specialization && global.init.as_ref().is_some_and(refused) {
            let message =
                format!("the first value of `{}` is no finite number, which {} lacks", global.name, profile.name);
            diags.push(Diagnostic::error(Code::CAPABILITY, global.span, message));
        }
    }
}

/// Hides from the target that expressions are constant.
pub(super) fn hide_all(cx: &mut Context, is_hidden: fn(&Program, &ExprArena, ExprId) -> bool) {
    let mut zeros = cx.notes.zeros.clone();
    cx.each_body(&mut |cx, _, body| {
        for id in body.expressions() {
            if is_hidden(cx.program, &body.exprs, id) {
                hide(cx.program, &mut body.exprs, id, &mut zeros);
            }
        }
    });
    declare(cx, zeros);
}

/// Declares the variables that hold zeros, before all else.
pub(super) fn declare(cx: &mut Context, zeros: BTreeMap<Scalar, GlobalId>) {
    let first = cx.program.items.first().copied();
    for (_, zero) in zeros.iter().filter(|(scalar, _)| !cx.notes.zeros.contains_key(scalar)) {
        cx.program.items.put_before(first, Item::Global(*zero));
    }
    cx.notes.zeros = zeros;
}

/// Named constants that cannot be initialized so stand for their values.
fn inline_constants(cx: &mut Context) {
    let mut values: BTreeMap<GlobalId, ExprTree> = BTreeMap::new();
    for (id, global) in cx.program.globals.iter() {
        let number = matches!(cx.program.types.get(global.ty), Type::Scalar(_) | Type::Vector(..));
        let (GlobalKind::Const, true, Some(init)) = (global.kind, number, &global.init) else { continue };
        let concerned = init.exprs.any_part(init.root, |e| {
            is_refused(cx.program, &init.exprs, e)
                || matches!(init.exprs[e].kind, ExprKind::Global(g) if values.contains_key(&g))
        });
        if concerned {
            let mut exprs = ExprArena::default();
            let root = inlined(&mut exprs, &init.exprs, init.root, &values);
            values.insert(id, ExprTree { exprs, root });
        }
    }
    if values.is_empty() {
        return;
    }
    cx.each_body(&mut |_, _, body| {
        for id in body.expressions() {
            if let ExprKind::Global(g) = body.exprs[id].kind
                && let Some(value) = values.get(&g)
            {
                let copy = inlined(&mut body.exprs, &value.exprs, value.root, &values);
                body.exprs.replace_by(id, copy);
            }
        }
    });
    cx.program.items.retain(|item| !matches!(item, Item::Global(g) if values.contains_key(g)));
}

/// A copy of an expression without the names of such constants.
fn inlined(exprs: &mut ExprArena, from: &ExprArena, root: ExprId, values: &BTreeMap<GlobalId, ExprTree>) -> ExprId {
    exprs.import(from, root, &mut |exprs, id| match from[id].kind {
        // What is in `values` is free of such names already.
        ExprKind::Global(g) => values.get(&g).map(|v| exprs.import(&v.exprs, v.root, &mut |_, _| None)),
        _ => None,
    })
}

/// Whether the value of a variable, or of a constant that is no number, holds what the target refuses: no name of a constant
/// can stand for it.
pub(super) fn is_refused_value(program: &Program, global: &Global) -> bool {
    let number = matches!(program.types.get(global.ty), Type::Scalar(_) | Type::Vector(..));
    let refused = |tree: &ExprTree| tree.exprs.any_part(tree.root, |id| is_refused(program, &tree.exprs, id));
    let applies = global.kind == GlobalKind::Static || global.kind == GlobalKind::Const && !number;
    applies && global.init.as_ref().is_some_and(refused)
}

/// What the target refuses to compute, though all of it is constant.
fn is_refused(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    is_hidden(program, exprs, id)
        || overflows(program, exprs, id)
        || is_undefined(program, exprs, id)
        || is_unknown_choice(program, exprs, id)
        || is_product_of_vectors(program, exprs, id)
}

/// An operator or conversion of finite constants whose result is not finite.
fn overflows(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    if !program.types.component(exprs[id].ty).is_some_and(Scalar::is_float) {
        return false;
    }
    // What the target alone knows may be anything.
    let operand = |e| match known(program, exprs, e) {
        Constancy::Varying => None,
        Constancy::Computed => Some(false),
        // A half that is a little too large is the largest.
        Constancy::About(value) => Some(value).filter(|v| is_finite(v) || is_rounded_half(v)).map(|_| true),
    };
    let result = || matches!(known(program, exprs, id), Constancy::About(value) if is_finite(&value));
    match exprs[id].kind {
        ExprKind::Binary(op, a, b) if !op.is_comparison() => match operand(a).and_then(|a| Some((a, operand(b)?))) {
            Some(both) => both != (true, true) || !result() || is_beyond_halves(program, exprs, op, [a, b]),
            None => false,
        },
        ExprKind::Convert(inner, _) => {
            let narrows = is_narrowed(program, exprs, inner, id);
            // An integer is not rounded to the largest half before it is compared with it.
            let is_beyond = program.types.component(exprs[id].ty) == Some(Scalar::F16)
                && matches!(known(program, exprs, inner), Constancy::About(value) if exceeds(&value, LARGEST_HALF));
            operand(inner).is_some_and(|is_known| if is_known { is_beyond || !result() } else { narrows })
        }
        _ => false,
    }
}

/// Whether an operator gives more than the largest half before that is rounded, or as much but for the last bits of its operands:
/// compilers compute with wider floats, and Tint cuts what it converts to a half.
fn is_beyond_halves(program: &Program, exprs: &ExprArena, op: BinaryOp, operands: [ExprId; 2]) -> bool {
    let [a, b] = operands.map(|e| match known(program, exprs, e) {
        Constancy::About(value) if program.types.component(exprs[e].ty) == Some(Scalar::F16) => Some(widened(value)),
        _ => None,
    });
    let result = a.zip(b).and_then(|(a, b)| operate(op, &a, &b));
    // Each operand has ten bits behind the first one.
    const LEAST_BEYOND: f64 = LARGEST_HALF * (1.0 - 1.0 / 512.0);
    result.is_some_and(|value| exceeds(&value, LEAST_BEYOND))
}

/// Halves as floats.
fn widened(value: Value) -> Value {
    match value {
        Value::Float(v, Scalar::F16) => Value::Float(v, Scalar::F32),
        Value::Composite(parts) => Value::Composite(parts.into_iter().map(widened).collect()),
        other => other,
    }
}

/// Whether a conversion is to floats that have not all numbers of the kind that is converted.
fn is_narrowed(program: &Program, exprs: &ExprArena, from: ExprId, to: ExprId) -> bool {
    let kind = |e: ExprId| program.types.component(exprs[e].ty);
    match (kind(from), kind(to)) {
        (Some(Scalar::F16), _) => false,
        (Some(from), Some(Scalar::F16)) => from.size() > 1,
        (Some(Scalar::F64), Some(to)) => to != Scalar::F64,
        _ => false,
    }
}

/// A call of a builtin for constants that it is not defined for.
fn is_undefined(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some((function, args)) = callee(program, exprs, id) else { return false };
    let Some(word) = domain(function) else { return false };
    let args: Vec<Constancy> = args.iter().map(|a| known(program, exprs, *a)).collect();
    !is_defined(word.as_str(), &args)
}

/// A literal that no target spells, or a division by a constant zero.
fn is_hidden(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    match exprs[id].kind {
        ExprKind::Literal(Literal::Float(value), _) => {
            let scalar = program.types.component(exprs[id].ty).filter(|s| s.is_float());
            // Halves round to the largest one up to here.
            let limit = |s| if s == Scalar::F16 { HALF_INFINITY.next_down() } else { limit(s) };
            scalar.is_some_and(|s| !value.is_finite() || value.abs() > limit(s))
        }
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor)
        | ExprKind::Assign(Some(BinaryOp::Div | BinaryOp::Rem), _, divisor) => {
            zeros(program, exprs, divisor) != ConstantZeros::None
        }
        _ => false,
    }
}

/// Which components of a constant are zero.
#[derive(PartialEq, Clone, Copy)]
enum ConstantZeros {
    None,
    Some,
    All,
}

fn zeros(program: &Program, exprs: &ExprArena, id: ExprId) -> ConstantZeros {
    fn of(value: &Value) -> ConstantZeros {
        let is_zero = match value {
            Value::Composite(parts) => {
                let (mut any, mut all) = (false, true);
                for part in parts.iter().map(of) {
                    (any, all) = (any || part != ConstantZeros::None, all && part == ConstantZeros::All);
                }
                return if any && !all { ConstantZeros::Some } else { of(&Value::Bool(!any)) };
            }
            Value::Int(n, _) => *n == 0,
            Value::Bool(truth) => !truth,
            Value::Float(number, Scalar::F64) => *number == 0.0,
            // Half of the least half, and what is nearer to zero.
            Value::Float(number, Scalar::F16) => number.abs() <= f64::from(2.0_f32.powi(-25)),
            Value::Float(number, _) => *number as f32 == 0.0,
            Value::Text(_) => false,
        };
        if is_zero { ConstantZeros::All } else { ConstantZeros::None }
    }
    if let Ok(value) = eval(program, exprs, id) {
        return of(&value);
    }
    fn may_be_zero(value: &Value) -> bool {
        match value {
            Value::Composite(parts) => parts.iter().any(may_be_zero),
            Value::Int(n, _) => *n == 0,
            Value::Float(number, _) => number.abs() < 1e-6,
            Value::Bool(_) | Value::Text(_) => false,
        }
    }
    match known(program, exprs, id) {
        Constancy::About(value) if !may_be_zero(&value) => ConstantZeros::None,
        Constancy::About(_) | Constancy::Computed => ConstantZeros::Some,
        Constancy::Varying => ConstantZeros::None,
    }
}

fn hide(program: &mut Program, exprs: &mut ExprArena, id: ExprId, zeros: &mut BTreeMap<Scalar, GlobalId>) {
    match exprs[id].kind {
        // What it is computed of is no constant any more. A second argument is a divisor or a bound, or what a matrix is
        // multiplied by.
        ExprKind::Call(_, ref args) => {
            let is_matrix = |e: &&ExprId| matches!(program.types.get(exprs[**e].ty), Type::Matrix(..));
            let arg = args.get(1).filter(|e| !is_matrix(e)).or(args.first()).copied();
            if let Some(arg) = arg {
                obscure(program, exprs, arg, zeros);
            }
        }
        ExprKind::Convert(inner, _) | ExprKind::Select(_, inner, _) => obscure(program, exprs, inner, zeros),
        ExprKind::Index(..) | ExprKind::Native(..) => {
            if let Some((_, index)) = indexed(program, exprs, id) {
                obscure(program, exprs, index, zeros);
            }
        }
        ExprKind::Binary(_, left, _) if !is_hidden(program, exprs, id) => obscure(program, exprs, left, zeros),
        ExprKind::Binary(_, _, divisor) | ExprKind::Assign(_, _, divisor) => {
            if self::zeros(program, exprs, divisor) == ConstantZeros::Some {
                return obscure(program, exprs, divisor, zeros);
            }
            let ty = exprs[divisor].ty;
            let value = zero(program, exprs, ty, zeros, divisor);
            exprs.replace_by(divisor, value);
        }
        ExprKind::Literal(Literal::Float(value), _) => {
            let ty = exprs[id].ty;
            let divisor = zero(program, exprs, ty, zeros, id);
            let span = exprs[id].span;
            let dividend = if value.is_nan() {
                zero(program, exprs, ty, zeros, id)
            } else {
                let kind = ExprKind::Literal(Literal::Float(value.signum()), None);
                exprs.push(Expr { kind, ty, span })
            };
            exprs[id].kind = ExprKind::Binary(BinaryOp::Div, dividend, divisor);
        }
        _ => {}
    }
}

/// Makes a constant the same number less a zero that the target cannot see through; of truths, one that differs from `false`.
pub(super) fn obscure(
    program: &mut Program,
    exprs: &mut ExprArena,
    id: ExprId,
    zeros: &mut BTreeMap<Scalar, GlobalId>,
) {
    let ty = exprs[id].ty;
    let value = exprs.displace(id);
    let zero = zero(program, exprs, ty, zeros, id);
    let op = match program.types.component(ty) {
        Some(Scalar::Bool) => BinaryOp::NotEqual,
        _ => BinaryOp::Sub,
    };
    exprs[id].kind = ExprKind::Binary(op, value, zero);
}

/// A zero of a type that the target cannot see through.
pub(super) fn zero(
    program: &mut Program,
    exprs: &mut ExprArena,
    ty: TypeId,
    zeros: &mut BTreeMap<Scalar, GlobalId>,
    at: ExprId,
) -> ExprId {
    let span = exprs[at].span;
    let scalar = program.types.component(ty).unwrap_or(Scalar::F32);
    let scalar_type = program.types.scalar(scalar);
    let global = *zeros.entry(scalar).or_insert_with(|| variable(program, scalar_type, span));
    let mut b = Build::new(&mut program.types, exprs, span);
    let value = b.global(global, scalar_type);
    b.convert(value, ty)
}

fn variable(program: &mut Program, ty: TypeId, span: Span) -> GlobalId {
    let mut exprs = ExprArena::default();
    let root = exprs.push(Expr { kind: ExprKind::Zero, ty, span });
    let zero = Global::new("zero", ty, GlobalKind::Static, span);
    program.globals.push(Global { init: Some(ExprTree { exprs, root }), never_written: true, ..zero })
}
