//! What a target counts and has no more of: bytes that a group shares, elements of variables.
//!
//! The numbers are those of [`Numbers`](crate::target::Numbers), a row for each API.

use super::case_constants;
use super::constant_parameters::{is_far_offset, is_fixed_offset, is_offset};
use super::hidden_constants::{is_clamped, is_constant};
use crate::check::constant::{Value, about, eval, eval_with};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::target::{Numbers, Profile};
use crate::tree::{
    Access, AttributeArg, BinaryOp, Body, BufferKind, ExprArena, ExprId, ExprKind, FunctionBody, GlobalKind, Program,
    Scalar, Type, TypeId,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Reports what is beyond the limits of a target.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    let most = &profile.facts.numbers;
    let reached = program.reachable_globals();
    for (entry, globals) in program.entry_points.iter().zip(reached.iter()) {
        let shared = globals.iter().map(|id| &program.globals[*id]).filter(|g| g.kind == GlobalKind::Groupshared);
        let mut shared: Vec<(Span, u64)> = shared.map(|g| (g.span, bytes(program, g.ty, 0))).collect();
        let total = shared.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        shared.sort_by_key(|(_, bytes)| *bytes);
        if let (Some(limit), Some((span, _))) = (most.groupshared.filter(|limit| total > *limit), shared.last()) {
            let message = format!("`{}` shares {total} bytes in a group", entry.name);
            diags.push(beyond(profile, *span, message, &format!("{limit} bytes")));
        }
    }
    elements(program, profile, most, diags);
    texels(program, profile, most, diags);
    struct_texels(program, profile, most, diags);
    values(program, diags);
    vertices(program, profile, most, diags);
    if !diags.has_errors() {
        parts(program, profile, most, diags);
        constants(program, diags);
    }
}

/// How many elements a value has at most. A buffer has as many as it is given.
fn declared_count(program: &Program, ty: TypeId) -> Option<i64> {
    match program.types.get(ty) {
        Type::Buffer(..) => None,
        _ => program.types.index_count(ty),
    }
}

/// Constants beyond what every target has, where they are known only now: elements behind the end, offsets in texels. What a
/// target does not refuse has been hidden from it.
fn constants(program: &Program, diags: &mut Diagnostics) {
    let blocks = program.functions.iter().filter(|(_, function)| matches!(function.body, FunctionBody::Block));
    blocks.for_each(|(_, function)| named_indices(program, &function.code, diags));
    program.each_exprs(&mut |exprs, live| {
        for id in live {
            match &exprs[*id].kind {
                ExprKind::Index(base, index) => {
                    let Some(count) = declared_count(program, exprs[*base].ty) else { continue };
                    // What builtins give is not known exactly, but as a number of an element.
                    let called =
                        || is_constant(program, exprs, *index).then(|| about(program, exprs, *index, &|_| None).ok());
                    let value = eval(program, exprs, *index).ok().or_else(|| called().flatten());
                    let value = value.and_then(|value| value.int());
                    if let Some(n) = value.filter(|n| !(0..count).contains(n)) {
                        let message = format!("`{}` has no element {n}", program.type_name(exprs[*base].ty));
                        diags.push(Diagnostic::error(Code::BAD_SUBSCRIPT, exprs[*index].span, message));
                    }
                }
                ExprKind::Call(callee, args) => {
                    let function = &program.functions[*callee];
                    let offsets = function.params.iter().zip(args).filter(|(p, _)| is_offset(program, function, p));
                    for (_, arg) in offsets {
                        let known = eval(program, exprs, *arg).is_ok();
                        let clamped = || exprs.any_part(*arg, |e| is_clamped(program, exprs, e));
                        let fault = match () {
                            () if divides_by_zero(program, exprs, *arg) => {
                                Some("an offset in texels is no number that is divided by zero")
                            }
                            () if clamped() => Some("an offset in texels is no float that is beyond the integers"),
                            () if known && !is_fixed_offset(program, exprs, (function, *arg))
                                || !known && is_far_offset(program, exprs, (function, *arg)) =>
                            {
                                Some("an offset in texels is from -8 to 7")
                            }
                            () => None,
                        };
                        if let Some(message) = fault {
                            diags.push(Diagnostic::error(Code::NO_OVERLOAD, exprs[*arg].span, message));
                        }
                    }
                }
                _ => {}
            }
        }
    });
}

/// Indices in which a `const` variable is named whose value is known only now: a specialization constant may have been in it.
fn named_indices(program: &Program, body: &Body, diags: &mut Diagnostics) {
    let is_named = |id: ExprId| matches!(body.exprs[id].kind, ExprKind::Local(local) if body.locals[local].constant);
    let indexed = |id: ExprId| match body.exprs[id].kind {
        ExprKind::Index(base, index) if body.exprs.any_part(index, is_named) => {
            Some((body.exprs[base].ty, declared_count(program, body.exprs[base].ty)?, index))
        }
        _ => None,
    };
    let indices: Vec<(TypeId, i64, ExprId)> = body.expressions().into_iter().filter_map(indexed).collect();
    if indices.is_empty() {
        return;
    }
    let values = case_constants::known(program, body);
    for (ty, count, index) in indices {
        let value = eval_with(program, &body.exprs, index, &|local| values.get(&local).cloned());
        let value = value.ok().and_then(|value| value.int());
        if let Some(n) = value.filter(|n| !(0..count).contains(n)) {
            let message = format!("`{}` has no element {n}", program.type_name(ty));
            diags.push(Diagnostic::error(Code::BAD_SUBSCRIPT, body.exprs[index].span, message));
        }
    }
}

/// Whether an integer in an expression is divided by the constant zero.
fn divides_by_zero(program: &Program, exprs: &ExprArena, root: ExprId) -> bool {
    exprs.any_part(root, |id| {
        let ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) = exprs[id].kind else { return false };
        let zero = match eval(program, exprs, by) {
            Ok(Value::Composite(parts)) => parts.iter().any(|part| part.int() == Some(0)),
            Ok(value) => value.int() == Some(0),
            Err(_) => false,
        };
        zero && program.types.component(exprs[id].ty).is_some_and(Scalar::is_integer)
    })
}

fn beyond(profile: &Profile, span: Span, message: String, limit: &str) -> Diagnostic {
    let note = format!("the limit of {} is {limit}", profile.name);
    Diagnostic::error(Code::CAPABILITY, span, message).note(note)
}

/// What geometry shaders append: vertices, and the numbers that they have together.
fn vertices(program: &Program, profile: &Profile, most: &Numbers, diags: &mut Diagnostics) {
    for entry in &program.entry_points {
        let function = &program.functions[entry.function];
        let Some(attribute) = function.attribute("maxvertexcount") else { continue };
        let Some(AttributeArg::Int(count)) = attribute.args.first() else { continue };
        let count = u64::try_from(*count).unwrap_or_default();
        if count > most.vertices.into() {
            let message = format!("`{}` appends {count} vertices", entry.name);
            diags.push(beyond(profile, attribute.span, message, &most.vertices.to_string()));
        }
        let streams =
            function.params.iter().filter_map(|p| match program.types.get(function.code.locals[p.local].ty) {
                Type::Stream(_, element) => Some(element),
                _ => None,
            });
        let numbers = streams.map(|element| bytes(program, element, 0) / 4).max().unwrap_or_default();
        if let Some(limit) = most.appended.filter(|limit| count.saturating_mul(numbers) > *limit) {
            let message = format!("`{}` appends {count} vertices of {numbers} numbers", entry.name);
            diags.push(beyond(profile, attribute.span, message, &format!("{limit} numbers")));
        }
    }
}

/// Textures and typed buffers.
fn texels(program: &Program, profile: &Profile, most: &Numbers, diags: &mut Diagnostics) {
    let Some(limit) = most.texel else { return };
    for global in program.listed_globals().map(|id| &program.globals[id]) {
        let element = match program.types.get(program.types.innermost(global.ty)) {
            Type::Texture(texture) => texture.element,
            Type::Buffer(BufferKind::Typed, _, element) => element,
            _ => continue,
        };
        let size = bytes(program, element, 0);
        if size > limit.into() {
            let message = format!("a texel of `{}` has {size} bytes", global.name);
            diags.push(beyond(profile, global.span, message, &format!("{limit} bytes")));
        }
        let mut kinds = BTreeSet::new();
        program.any_leaf(element, &mut |leaf| {
            kinds.extend(leaf.component());
            false
        });
        let in_struct = matches!(program.types.get(element), Type::Struct(_));
        let lack = match () {
            () if kinds.len() > 1 => "texels of several kinds of number",
            () if in_struct && kinds.contains(&Scalar::Bool) => "texels with truth values",
            // Such numbers are read as pairs of words, which are put together for scalars and vectors alone.
            () if in_struct && kinds.iter().any(|kind| kind.size() == 8) => "texels of structs with 64-bit numbers",
            () => continue,
        };
        let message = format!("{} has no {lack}, as those of `{}`", profile.name, global.name);
        diags.push(Diagnostic::error(Code::CAPABILITY, global.span, message));
    }
}

/// What DXC does not do with texels that are structs: it reads them by an index, and of writable buffers by `Load`.
fn struct_texels(program: &Program, profile: &Profile, most: &Numbers, diags: &mut Diagnostics) {
    if most.texel.is_none() {
        return;
    }
    let access = |exprs: &ExprArena, buffer: ExprId| match program.types.get(exprs[buffer].ty) {
        Type::Buffer(BufferKind::Typed, access, element) => {
            Some(access).filter(|_| matches!(program.types.get(element), Type::Struct(_)))
        }
        _ => None,
    };
    let mut report = |span, lack| {
        diags.push(Diagnostic::error(Code::CAPABILITY, span, format!("{} has no {lack}", profile.name)));
    };
    program.each_exprs(&mut |exprs, live| {
        for id in live {
            program.each_written(exprs, *id, &mut |place| {
                let is_texel = |at: &ExprId| match exprs[*at].kind {
                    ExprKind::Index(buffer, _) => access(exprs, buffer).is_some(),
                    _ => false,
                };
                if exprs.way_to_base(place).any(|at| is_texel(&at)) {
                    report(exprs[place].span, "writes of texels that are structs");
                }
            });
            let ExprKind::Call(function, args) = &exprs[*id].kind else { continue };
            let Some(access) = args.first().and_then(|buffer| access(exprs, *buffer)) else { continue };
            if !program.functions[*function].builtin {
                continue;
            }
            if program.written_arguments(*function, args).next().is_some() {
                report(exprs[*id].span, "status of texels that are structs");
            } else if access == Access::Read && program.functions[*function].is_marked("__element") {
                report(exprs[*id].span, "`Load` of texels that are structs: an index reads them");
            }
        }
    });
}

/// Constants that another module should have given a value.
fn values(program: &Program, diags: &mut Diagnostics) {
    for global in program.listed_globals().map(|id| &program.globals[id]) {
        if global.kind == GlobalKind::Const && global.init.is_none() && !program.has_no_copies(global.ty) {
            let message = format!("`{}` is `extern`, and no module gives it a value", global.name);
            diags.push(Diagnostic::error(Code::BAD_INITIALIZER, global.span, message));
        }
    }
}

/// Arrays of data.
fn elements(program: &Program, profile: &Profile, most: &Numbers, diags: &mut Diagnostics) {
    let globals = program.listed_globals().map(|id| &program.globals[id]);
    let globals = globals.map(|g| {
        // Of a parameter it is the data that is declared as an array.
        let data = match program.types.get(program.types.innermost(g.ty)) {
            _ if g.kind != GlobalKind::Parameter => g.ty,
            Type::ConstantBuffer(data, _) | Type::TextureBuffer(data) | Type::Buffer(_, _, data) => data,
            _ => TypeId::VOID,
        };
        (g.span, g.name, data)
    });
    let fields =
        program.listed_structs().flat_map(|id| program.structs[id].fields.iter().map(|f| (f.span, f.name, f.ty)));
    let functions = program.functions_with_code().into_iter();
    let locals = functions.flat_map(|id| program.functions[id].code.locals.iter());
    for (span, name, ty) in globals.chain(fields).chain(locals.map(|(_, l)| (l.span, l.name, l.ty))) {
        let mut inner = ty;
        while let Type::Array(element, count) = program.types.get(inner) {
            if let Some(count) = count.laid_out().filter(|count| *count > most.elements) {
                let message = format!("the array `{name}` has {count} elements");
                diags.push(beyond(profile, span, message, &most.elements.to_string()));
                break;
            }
            inner = element;
        }
    }
}

/// Values that are written out.
fn parts(program: &Program, profile: &Profile, most: &Numbers, diags: &mut Diagnostics) {
    program.each_exprs(&mut |exprs, live| {
        for id in live {
            let (count, limit) = match (&exprs[*id].kind, program.types.get(exprs[*id].ty)) {
                (ExprKind::Construct(parts), _) => (parts.len() as u64, most.parts),
                (ExprKind::Zero, _) => (longest(program, exprs[*id].ty), most.zeros),
                _ => continue,
            };
            let fault = beyond_parts(profile, count, limit, exprs[*id].span);
            fault.into_iter().for_each(|diagnostic| diags.push(diagnostic));
        }
    });
}

/// How many elements the longest array has that a type is or holds.
fn longest(program: &Program, ty: TypeId) -> u64 {
    let (mut open, mut seen, mut most) = (vec![ty], FxHashSet::default(), 0);
    while let Some(ty) = open.pop() {
        match program.types.get(ty) {
            _ if !seen.insert(ty) => {}
            Type::Array(element, count) => {
                most = most.max(count.laid_out().unwrap_or_default().into());
                open.push(element);
            }
            Type::Struct(id) => open.extend(program.structs[id].fields.iter().map(|field| field.ty)),
            _ => {}
        }
    }
    most
}

/// What is wrong with a value that is made of so many parts.
fn beyond_parts(profile: &Profile, count: u64, limit: u32, span: Span) -> Option<Diagnostic> {
    let error = || beyond(profile, span, format!("this value is made of {count} parts"), &limit.to_string());
    (count > limit.into()).then(error)
}

/// How deep types are looked into.
const DEPTH: u32 = 64;

/// The bytes of a type, without any between its parts.
pub(super) fn bytes(program: &Program, ty: TypeId, depth: u32) -> u64 {
    if depth > DEPTH {
        return 0;
    }
    let numbers = |scalar: crate::tree::Scalar, count: u64| u64::from(scalar.size()).saturating_mul(count);
    match program.types.get(ty) {
        Type::Scalar(scalar) => numbers(scalar, 1),
        Type::Vector(scalar, n) => numbers(scalar, n.into()),
        Type::Matrix(scalar, rows, columns) => numbers(scalar, u64::from(rows) * u64::from(columns)),
        Type::Array(element, count) => {
            bytes(program, element, depth + 1).saturating_mul(count.laid_out().unwrap_or_default().into())
        }
        Type::Struct(_) => {
            program.fields(ty).iter().fold(0, |sum, f| bytes(program, f.ty, depth + 1).saturating_add(sum))
        }
        _ => 0,
    }
}
