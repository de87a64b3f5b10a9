//! What a target counts and has no more of: invocations of a work group, bytes that a group shares, elements of variables.
//!
//! The numbers are those of [`Numbers`](crate::target::Numbers), a row for each API.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::target::{Numbers, Profile};
use crate::tree::{EntryPoint, GlobalKind, Program, Stage, Type, TypeId};

/// Reports what is beyond the limits of a target.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    let most = &profile.facts.numbers;
    let reached = program.reachable_globals();
    for (entry, globals) in program.entry_points.iter().zip(reached.iter()) {
        work_group(program, profile, entry, diags);
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
}

fn beyond(profile: &Profile, span: Span, message: String, limit: &str) -> Diagnostic {
    let note = format!("the limit of {} is {limit}", profile.name);
    Diagnostic::error(Code::CAPABILITY, span, message).note(note)
}

fn work_group(program: &Program, profile: &Profile, entry: &EntryPoint, diags: &mut Diagnostics) {
    let most = &profile.facts.numbers;
    let function = &program.functions[entry.function];
    let span = function.attribute("numthreads").map_or(function.span, |a| a.span);
    let sizes = ["x", "y", "z"].into_iter().zip(entry.workgroup_size).zip(most.group);
    for ((axis, size), limit) in sizes.filter(|((_, size), limit)| size > limit) {
        let message = format!("the work group of `{}` has {size} invocations in {axis}", entry.name);
        diags.push(beyond(profile, span, message, &limit.to_string()));
    }
    let of_meshes = matches!(entry.stage, Stage::Mesh | Stage::Amplification);
    let limit = if of_meshes { most.mesh_invocations } else { most.invocations };
    let total = entry.workgroup_size.iter().fold(1u64, |all, n| all.saturating_mul(u64::from(*n)));
    if total > limit.into() {
        let message = format!("the work group of `{}` has {total} invocations", entry.name);
        diags.push(beyond(profile, span, message, &limit.to_string()));
    }
}

/// Arrays of variables that are no buffers.
fn elements(program: &Program, profile: &Profile, most: &Numbers, diags: &mut Diagnostics) {
    let globals = program.listed_globals().map(|id| &program.globals[id]);
    let globals = globals.filter(|g| g.kind != GlobalKind::Parameter).map(|g| (g.span, g.name, g.ty));
    let functions = program.functions_with_code().into_iter();
    let locals = functions.flat_map(|id| program.functions[id].code.locals.iter());
    for (span, name, ty) in globals.chain(locals.map(|(_, l)| (l.span, l.name, l.ty))) {
        let Type::Array(_, Some(count)) = program.types.get(ty) else { continue };
        if count > most.elements {
            let message = format!("the array `{name}` has {count} elements");
            diags.push(beyond(profile, span, message, &most.elements.to_string()));
        }
    }
}

/// How deep types are looked into.
const DEPTH: u32 = 64;

/// The bytes of a type, without any between its parts.
fn bytes(program: &Program, ty: TypeId, depth: u32) -> u64 {
    if depth > DEPTH {
        return 0;
    }
    let numbers = |scalar: crate::tree::Scalar, count: u64| u64::from(scalar.size()).saturating_mul(count);
    match program.types.get(ty) {
        Type::Scalar(scalar) => numbers(scalar, 1),
        Type::Vector(scalar, n) => numbers(scalar, n.into()),
        Type::Matrix(scalar, rows, columns) => numbers(scalar, u64::from(rows) * u64::from(columns)),
        Type::Array(element, count) => {
            bytes(program, element, depth + 1).saturating_mul(count.unwrap_or_default().into())
        }
        Type::Struct(_) => {
            program.fields(ty).iter().fold(0, |sum, f| bytes(program, f.ty, depth + 1).saturating_add(sum))
        }
        _ => 0,
    }
}
