//! Faults of the function of patch constants: what it is given of the control points must be there.
//!
//! DXC finds an element of a patch by its semantic, whatever struct it is declared in ("Signature element is not found in
//! corresponding hull shader input"), and so do the texts for the other targets.

use super::locations::{self, Varying, VaryingPart, semantic_text};
use super::{Api, Settings, Unit};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{AttributeArg, EntryPoint, FunctionId, Program, Type, spelled};

/// The function of patch constants is given the control points that come in, and those that the entry point makes.
pub(super) fn faults(program: &Program, settings: &Settings, entry: &EntryPoint, fault: &mut impl FnMut(Span, String)) {
    counts(program, entry, fault);
    if let Some(function) = entry.patch_constant {
        let own = EntryPoint { function, ..entry.clone() };
        elements(program, settings, (entry, &own), fault);
    }
}

/// How many control points there are.
fn counts(program: &Program, entry: &EntryPoint, fault: &mut impl FnMut(Span, String)) {
    let patches = |id: FunctionId| {
        let function = &program.functions[id];
        let locals = function.params.iter().map(|p| &function.code.locals[p.local]);
        locals.filter_map(|l| match program.types.get(l.ty) {
            Type::Patch(comes_in, _, count) => Some((l, comes_in, i64::from(count))),
            _ => None,
        })
    };
    let made =
        program.functions[entry.function].attribute("outputcontrolpoints").and_then(|a| match a.args.first()? {
            AttributeArg::Int(count) => Some(*count),
            _ => None,
        });
    let given = patches(entry.function).find(|(_, comes_in, _)| *comes_in).map(|(.., count)| count);
    for (local, comes_in, count) in entry.patch_constant.into_iter().flat_map(patches) {
        let wanted = if comes_in { given } else { made };
        if comes_in && given.is_none() {
            let name = &program.functions[entry.function].name;
            fault(local.span, format!("`{}` is a patch that `{name}` does not take", local.name));
        }
        if let Some(wanted) = wanted.filter(|wanted| *wanted != count) {
            fault(local.span, format!("`{}` has {count} control points, and the patch has {wanted}", local.name));
        }
    }
}

/// What a control point has.
fn elements(
    program: &Program,
    settings: &Settings,
    (entry, own): (&EntryPoint, &EntryPoint),
    fault: &mut impl FnMut(Span, String),
) {
    let given = locations::varyings(program, settings, entry);
    for taken in locations::varyings(program, settings, own) {
        let Type::Patch(comes_in, element, _) = program.types.get(taken.part.ty) else { continue };
        let is_given = |varying: &&Varying| match program.types.get(varying.part.ty) {
            Type::Patch(input, ..) => input && comes_in,
            _ => !comes_in && varying.unit == Unit::VaryingOutput,
        };
        let given: Vec<&Varying> = given.iter().filter(is_given).collect();
        let is_same = |varying: &&Varying| match program.types.get(varying.part.ty) {
            Type::Patch(_, there, _) => there == element,
            _ => varying.part.ty == element,
        };
        // A patch that does not come in at all is reported by its number of points.
        if given.is_empty() || given.iter().any(is_same) {
            continue;
        }
        let there: Vec<PointLeaf> = given.into_iter().flat_map(leaves).collect();
        let name = program.functions[entry.function].name;
        let has = if comes_in { "takes" } else { "makes" };
        for leaf in leaves(&taken) {
            let part = leaf.part;
            let found: Vec<&PointLeaf> = there.iter().filter(|other| other.is_like(&leaf)).collect();
            let what = part.semantic.as_ref().map_or(part.name.to_string(), |s| spelled(&semantic_text(s)).to_owned());
            if found.is_empty() {
                fault(part.span, format!("`{what}` of `{}` is not in the patch that `{name}` {has}", taken.part.name));
            } else if settings.api != Api::D3d && found.iter().all(|other| other.part.ty != part.ty) {
                let message =
                    format!("`{what}` of `{}` has another type in the patch that `{name}` {has}", taken.part.name);
                fault(part.span, message);
            }
        }
    }
}

/// A part of a control point that is no struct.
struct PointLeaf<'v> {
    part: &'v VaryingPart,
    /// The names of the fields on the way to it.
    path: Vec<Symbol>,
}

impl PointLeaf<'_> {
    /// The semantic finds it; what has none is found by its name, as semantics are made of names for HLSL.
    fn is_like(&self, other: &PointLeaf) -> bool {
        self.part.semantic == other.part.semantic && (self.part.semantic.is_some() || self.path == other.path)
    }
}

/// The leaves of one control point.
fn leaves(varying: &Varying) -> Vec<PointLeaf<'_>> {
    let mut found = Vec::new();
    varying.part.walk(&mut Vec::new(), &mut |part, around| {
        if part.parts.is_empty() {
            let path = around.iter().copied().chain([part]).filter(|p| p.field.is_some()).map(|p| p.name).collect();
            found.push(PointLeaf { part, path });
        }
        true
    });
    found
}
