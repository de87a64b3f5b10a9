//! Semantics of stage inputs and outputs, which D3D tells them apart by: no two of one direction may have the same name and
//! index. Vulkan and WebGPU tell them apart by location.

use crate::diagnostic::{Code, Diagnostic};
use crate::layout::{Policy, varyings};
use crate::source::Span;
use crate::tree::{Function, ParamMode, Program, Semantic, Type, TypeId, is_uniform};
use std::collections::BTreeMap;

/// An array among stage inputs has no more elements; what has is an error elsewhere.
const MOST: u32 = 1 << 10;

/// Reports what shares a semantic with another input or output of its entry point.
pub(super) fn check(program: &Program, policy: &Policy, found: &mut Vec<Diagnostic>) {
    for entry in &program.entry_points {
        let function = &program.functions[entry.function];
        let mut inputs = Taken { program, policy, by_name: BTreeMap::new(), found };
        each(program, function, |mode| mode != ParamMode::Out, &mut inputs);
        let mut outputs = Taken { program, policy, by_name: BTreeMap::new(), found };
        each(program, function, |mode| matches!(mode, ParamMode::Out | ParamMode::InOut), &mut outputs);
        outputs.walk(function.result, &mut function.result_semantic.map(Running::new));
    }
}

fn each(program: &Program, function: &Function, wanted: impl Fn(ParamMode) -> bool, taken: &mut Taken) {
    for param in function.params.iter().filter(|p| wanted(p.mode)) {
        let ty = function.code.locals[param.local].ty;
        if !is_uniform(program, param, ty) {
            taken.walk(ty, &mut param.semantic.map(Running::new));
        }
    }
}

/// A semantic whose index runs over what is below it.
struct Running {
    name: String,
    index: u32,
    span: Span,
}

impl Running {
    fn new(semantic: Semantic) -> Running {
        let (name, index) = semantic.split();
        Running { name, index, span: semantic.span }
    }
}

/// The semantics of one direction.
struct Taken<'a> {
    program: &'a Program,
    policy: &'a Policy,
    by_name: BTreeMap<(String, u32), Span>,
    found: &'a mut Vec<Diagnostic>,
}

impl Taken<'_> {
    /// Streams, patches and mesh outputs are directions of their own. A type cannot contain itself, so this ends.
    fn walk(&mut self, ty: TypeId, semantic: &mut Option<Running>) {
        match self.program.types.get(ty) {
            Type::Struct(id) => {
                for field in &self.program.structs[id].fields {
                    // The outermost semantic wins.
                    match semantic {
                        Some(_) => self.walk(field.ty, semantic),
                        None => self.walk(field.ty, &mut field.semantic.map(Running::new)),
                    }
                }
            }
            Type::Array(element, Some(n)) if n <= MOST => (0..n).for_each(|_| self.walk(element, semantic)),
            Type::Array(..) | Type::Patch(..) | Type::MeshOutput(..) | Type::Stream(..) => {}
            Type::Matrix(_, rows, columns) => {
                let order = self.program.default_matrix_order;
                self.take(semantic, varyings::of_matrix(self.policy, order, rows, columns));
            }
            _ => self.take(semantic, 1),
        }
    }

    fn take(&mut self, semantic: &mut Option<Running>, count: u32) {
        let Some(Running { name, index, span }) = semantic else { return };
        let first = *index;
        *index = index.saturating_add(count);
        for index in first..*index {
            let Some(other) = self.by_name.insert((name.clone(), index), *span).filter(|other| other != span) else {
                continue;
            };
            let message =
                format!("two of one direction have the semantic `{name}{index}`, which D3D cannot tell apart");
            let clash = Diagnostic::error(Code::BAD_ENTRY, *span, message);
            self.found.push(clash.label(other, "the other one has it here"));
            return;
        }
    }
}
