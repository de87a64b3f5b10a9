//! Semantics of stage inputs and outputs, which D3D tells them apart by: no two of one direction may have the same name and
//! index. Vulkan and WebGPU tell them apart by location.

use crate::diagnostic::{Code, Diagnostic};
use crate::layout::locations::{self, Part};
use crate::layout::{Settings, Unit};
use crate::source::Span;
use crate::tree::{Program, Type, TypeId};
use std::collections::BTreeMap;

/// An array among stage inputs has no more elements; what has is an error elsewhere.
const MOST: u32 = 1 << 10;

/// Reports what shares a semantic with another input or output of its entry point.
pub(super) fn check(program: &Program, settings: &Settings, found: &mut Vec<Diagnostic>) {
    for entry in &program.entry_points {
        // Streams, patches, their constants and what a mesh shader gives have signatures of their own.
        let mut groups: BTreeMap<(Unit, bool, Option<usize>), Taken> = BTreeMap::new();
        let all = locations::varyings(program, settings, entry).into_iter();
        for varying in all.chain(locations::patch_constants(program, settings, entry)) {
            let function = &program.functions[varying.function];
            let param = varying.param.and_then(|i| function.params.get(i));
            let ty = param.map_or(function.result, |p| function.code.locals[p.local].ty);
            let apart = varying.many.is_some()
                && !matches!(program.types.get(ty), Type::Array(..) if varying.unit == Unit::VaryingInput);
            let group = groups.entry((varying.unit, varying.of_patch, varying.param.filter(|_| apart)));
            let taken = group.or_insert_with(|| Taken { program, by_name: BTreeMap::new(), found: Vec::new() });
            let span = param.map_or(function.result_semantic, |p| p.semantic).map(|s| s.span);
            match (varying.many, varying.part.parts.first()) {
                (Some(many), Some(element)) => taken.walk(many.element, span, element),
                (Some(_), None) => {}
                (None, _) => taken.walk(ty, span, &varying.part),
            }
        }
        found.extend(groups.into_values().flat_map(|taken| taken.found));
    }
}

/// The semantics of one signature.
struct Taken<'a> {
    program: &'a Program,
    by_name: BTreeMap<(String, u32), Span>,
    found: Vec<Diagnostic>,
}

impl Taken<'_> {
    /// `span` is that of the outermost semantic. A type cannot contain itself, so this ends.
    fn walk(&mut self, ty: TypeId, span: Option<Span>, part: &Part) {
        if let (Some(span), Some((name, index))) = (span, &part.semantic) {
            return self.take(span, (name, *index), part.indices);
        }
        let program = self.program;
        match (program.types.get(ty), part.parts.as_slice()) {
            (Type::Struct(id), parts) => {
                let fields = program.structs[id].fields.iter().zip(parts);
                fields.for_each(|(field, part)| self.walk(field.ty, field.semantic.map(|s| s.span), part));
            }
            (Type::Array(element, _), [part, ..]) => self.walk(element, None, part),
            _ => {}
        }
    }

    fn take(&mut self, span: Span, (name, first): (&str, u32), count: u32) {
        for index in first..first.saturating_add(count.min(MOST)) {
            let Some(other) = self.by_name.insert((name.to_owned(), index), span).filter(|other| *other != span) else {
                continue;
            };
            let message =
                format!("two of one direction have the semantic `{name}{index}`, which D3D does not distinguish");
            let clash = Diagnostic::error(Code::BAD_ENTRY, span, message);
            self.found.push(clash.label(other, "the other one has it here"));
            return;
        }
    }
}
