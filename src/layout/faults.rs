//! What a layout cannot be used for: fields on one another, numbers that no compiler of the target takes. A sidecar can still tell of all this.

use super::types::{Detail, TypeLayout, VarLayout};
use super::{Part, Position, ProgramLayout, ScopeBuffer, UNBOUNDED, Unit, semantics, varyings, walk};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::{Facts, Numbers};
use crate::tree::{Field, GlobalId, Program, Type};
use std::collections::BTreeSet;

/// Everything of this kind, as errors.
pub fn faults(program: &Program, layout: &ProgramLayout, facts: &Facts) -> Vec<Diagnostic> {
    let mut check = Check { program, layout, found: Vec::new() };
    check.types();
    check.scope_buffers();
    check.numbers(&facts.numbers);
    let reached = program.reachable_globals().iter().flatten().copied().collect();
    check.sizes(facts.numbers.constant_buffer, &reached);
    check.element_sizes(facts.numbers.buffer_element, &reached);
    varyings::faults(program, &layout.settings, &facts.numbers, &mut check.found);
    semantics::check(program, &layout.settings, &mut check.found);
    check.found
}

struct Check<'a> {
    program: &'a Program,
    layout: &'a ProgramLayout,
    found: Vec<Diagnostic>,
}

/// Bytes of a buffer with their name.
struct Bytes {
    name: Symbol,
    span: Span,
    start: u64,
    end: u64,
    /// The source says where they are.
    placed: bool,
}

impl Check<'_> {
    /// Structs of which fields lie on one another.
    fn types(&mut self) {
        let layout = self.layout;
        let params = layout.entry_points.iter().flat_map(|e| &e.params).map(|(.., layout)| layout);
        for layout in layout.parameters.iter().map(|p| &p.layout).chain(params) {
            let program = self.program;
            walk(program, &Part::whole(Position::default(), layout, None), &mut |part| {
                if let Detail::Struct(fields) = &part.layout.detail {
                    let named = program.fields(part.layout.ty).iter().zip(fields);
                    let lies = |(field, at): (&Field, &VarLayout)| {
                        let placed = field.explicit.packoffset.is_some();
                        bytes_of(field.name, field.span, at.offset.get(Unit::Bytes), &at.layout, placed)
                    };
                    self.apart(named.map(lies).collect());
                }
                true
            });
        }
    }

    fn scope_buffers(&mut self) {
        let Some(ScopeBuffer { layout, .. }) = &self.layout.globals else { return };
        let named = self.layout.parameters.iter().zip(layout.fields());
        let parts = named.map(|(p, at)| {
            let global = &self.program.globals[p.global];
            let placed = global.explicit.registers.iter().any(|r| r.class == Some('c'));
            bytes_of(global.name, global.span, at.offset.get(Unit::Bytes), &at.layout, placed)
        });
        self.apart(parts.collect());
    }

    /// Reports each part that lies on others, with all of them.
    fn apart(&mut self, parts: Vec<Bytes>) {
        let mut parts: Vec<Bytes> = parts.into_iter().filter(|p| p.end > p.start).collect();
        parts.sort_by_key(|p| p.start);
        let mut open: Vec<&Bytes> = Vec::new();
        for part in &parts {
            open.retain(|other| other.end > part.start);
            if !open.is_empty() {
                let names: Vec<String> = open.iter().map(|p| format!("`{}`", p.name)).collect();
                let message = format!("the bytes of `{}` and {} overlap", part.name, names.join(", "));
                // A union of what the source puts there may be meant: DXC and slangc take it.
                let found = match part.placed && open.iter().all(|p| p.placed) {
                    true => Diagnostic::warning(Code::BINDING_OVERLAP, part.span, message),
                    false => Diagnostic::error(Code::BINDING_OVERLAP, part.span, message),
                };
                let found = open.iter().fold(found, |found, p| found.label(p.span, bytes(p)));
                self.found.push(found.note(format!("`{}`: {}", part.name, bytes(part))));
            }
            open.push(part);
        }
        if let Some(last) = parts.iter().find(|p| p.end > LAST_BYTE && p.end != UNBOUNDED) {
            let message = format!("`{}` ends beyond the first 2 GiB of its buffer", last.name);
            self.found.push(Diagnostic::error(Code::BINDING_EXHAUSTED, last.span, message).note(bytes(last)));
        }
    }

    /// Positions beyond what compilers of the target take.
    fn numbers(&mut self, most: &Numbers) {
        for placed in &self.layout.trace {
            let last = placed.end.saturating_sub(1);
            let (number, limit, what) = match placed.unit {
                Unit::Specialization => (last, most.constant_id, "constant id"),
                Unit::InputAttachment => (last, most.attachment, "input attachment"),
                Unit::Space => (last, most.space, "space"),
                unit if !Unit::SLOTS.contains(&unit) => continue,
                _ if placed.space > most.space.into() => (placed.space, most.space, "space"),
                _ if placed.end == UNBOUNDED => (placed.start, most.slot, "binding"),
                _ => (last, most.slot, "binding"),
            };
            // What lies beyond 2^32 was reported when it was placed.
            if number > limit.into() && number <= u32::MAX.into() && placed.span != Span::default() {
                let message = format!("`{}` has {what} {number}, which is too large here", placed.name);
                let note = format!("the last that compilers of this target take is {limit}");
                self.found.push(Diagnostic::error(Code::BINDING_EXHAUSTED, placed.span, message).note(note));
            }
        }
    }

    /// Constant buffers that an entry point reaches and that are larger than the target has them.
    fn sizes(&mut self, limit: Option<u64>, reached: &BTreeSet<GlobalId>) {
        let Some(limit) = limit else { return };
        let is_reached = |g: GlobalId| reached.contains(&g);
        let layout = self.layout;
        for p in layout.parameters.iter().filter(|p| is_reached(p.global)) {
            let size = largest_block(self.program, &p.layout);
            let global = &self.program.globals[p.global];
            self.check_size(global.name, global.span, size, limit);
        }
        for (entry, placed) in self.program.entry_points.iter().zip(&layout.entry_points) {
            if let Some(buffer) = &placed.buffer {
                let span = self.program.functions[entry.function].span;
                let name = Symbol::new(&format!("{}Params", entry.name));
                self.check_size(name, span, buffer.layout.size(), limit);
            }
        }
        if let Some(buffer) = &layout.globals {
            let end = |p: &&super::ParameterLayout| p.place.offset.get(Unit::Bytes).saturating_add(p.layout.size());
            if let Some(last) = layout.parameters.iter().filter(|p| is_reached(p.global)).max_by_key(end) {
                let span = self.program.globals[last.global].span;
                self.check_size("$Globals".into(), span, buffer.layout.size(), limit);
            }
        }
    }

    /// Structured buffers that an entry point reaches and whose elements are larger than the target has them.
    fn element_sizes(&mut self, limit: Option<u64>, reached: &BTreeSet<GlobalId>) {
        let Some(limit) = limit else { return };
        let layout = self.layout;
        for p in layout.parameters.iter().filter(|p| reached.contains(&p.global)) {
            let global = &self.program.globals[p.global];
            let size = largest_element(self.program, &p.layout);
            // What is without bound is in a storage block, which has no elements.
            if size > limit && size != UNBOUNDED {
                let message = format!("an element of the buffer `{}` takes {size} bytes", global.name);
                let note = format!("this target has them of {limit} bytes at most");
                self.found.push(Diagnostic::error(Code::BAD_LAYOUT, global.span, message).note(note));
            }
        }
    }

    fn check_size(&mut self, name: Symbol, span: Span, size: u64, limit: u64) {
        if size > limit {
            let message = format!("the constant buffer `{name}` takes {size} bytes");
            let note = format!("this target has them of {limit} bytes at most");
            self.found.push(Diagnostic::error(Code::BAD_LAYOUT, span, message).note(note));
        }
    }
}

/// The last byte that any target counts to.
const LAST_BYTE: u64 = i32::MAX as u64;

fn bytes_of(name: Symbol, span: Span, start: u64, layout: &TypeLayout, placed: bool) -> Bytes {
    Bytes { name, span, start, end: start.saturating_add(layout.size()), placed }
}

fn bytes(part: &Bytes) -> String {
    format!("bytes {} to {}", part.start, part.end.saturating_sub(1))
}

/// The size of the largest constant buffer in a parameter.
fn largest_block(program: &Program, layout: &TypeLayout) -> u64 {
    let mut largest = 0;
    walk(program, &Part::whole(Position::default(), layout, None), &mut |part| {
        if let Detail::Block { element, .. } = &part.layout.detail
            && !matches!(program.types.get(part.layout.ty), Type::TextureBuffer(_))
        {
            largest = largest.max(element.layout.size());
        }
        !matches!(part.layout.detail, Detail::Resource { .. })
    });
    largest
}

/// The size of the largest element of a structured buffer in a parameter.
fn largest_element(program: &Program, layout: &TypeLayout) -> u64 {
    let mut largest = 0;
    walk(program, &Part::whole(Position::default(), layout, None), &mut |part| {
        if let Detail::Resource { element: Some(element) } = &part.layout.detail {
            largest = largest.max(element.size());
        }
        true
    });
    largest
}
