//! Locations of stage inputs and outputs: those that are asked for, then first fit in order of declaration, a whole
//! parameter at a time (FACTS 15).

use super::Policy;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::tree::is_uniform;
use crate::tree::{Field, Function, MatrixOrder, ParamMode, Program, Semantic, Stage, StructId, Type, TypeId};
use std::collections::BTreeSet;

/// The locations of one direction of an entry point that are given.
#[derive(Clone, Debug, Default)]
pub struct Locations(BTreeSet<u32>);

/// Nothing has more locations; what asks for more is an error elsewhere.
const LAST: u32 = 1 << 16;

impl Locations {
    /// Keeps a range from being given away.
    pub fn reserve(&mut self, start: u32, count: u32) {
        self.0.extend((start..start.saturating_add(count)).take_while(|l| *l < LAST));
    }

    /// Gives the lowest free range.
    pub fn give(&mut self, count: u32) -> u32 {
        let mut start = 0u32;
        while let Some(blocked) = self.0.range(start..start.saturating_add(count)).next_back() {
            start = blocked + 1;
        }
        self.reserve(start, count);
        start
    }
}

/// How many locations a matrix takes: one a row, or under the policy one a stored vector.
pub fn of_matrix(policy: &Policy, order: MatrixOrder, rows: u8, columns: u8) -> u32 {
    match order {
        MatrixOrder::Column if policy.matrix_locations_as_stored => columns.into(),
        _ => rows.into(),
    }
}

/// Reports structs among stage inputs and outputs of which some fields say their location and some do not: which of them the
/// others would follow is not clear.
pub fn check(program: &Program, diags: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for entry in &program.entry_points {
        for id in structs(program, &program.functions[entry.function]) {
            if seen.insert(id) {
                check_struct(&program.structs[id].fields, diags);
            }
        }
    }
}

/// The indices of the render targets of all entry points: the first, and how many follow it.
pub fn targets(program: &Program) -> Vec<(u32, u32)> {
    let mut list = Vec::new();
    for entry in program.entry_points.iter().filter(|e| e.stage == Stage::Fragment) {
        let function = &program.functions[entry.function];
        for param in function.params.iter().filter(|p| !matches!(p.mode, ParamMode::In)) {
            let ty = function.code.locals[param.local].ty;
            targets_of(program, ty, param.semantic.as_ref(), &mut list);
        }
        targets_of(program, function.result, function.result_semantic.as_ref(), &mut list);
    }
    list
}

/// A type cannot contain itself, so this ends.
fn targets_of(program: &Program, ty: TypeId, semantic: Option<&Semantic>, list: &mut Vec<(u32, u32)>) {
    match (program.types.get(ty), semantic) {
        (Type::Struct(id), None) => {
            program.structs[id].fields.iter().for_each(|f| targets_of(program, f.ty, f.semantic.as_ref(), list));
        }
        (ty, Some(semantic)) => {
            let (name, index) = semantic.split();
            let count = match ty {
                Type::Array(_, Some(n)) => n.min(LAST),
                Type::Struct(id) => program.structs[id].fields.len() as u32,
                _ => 1,
            };
            list.extend((name == "SV_TARGET").then_some((index, count)));
        }
        _ => {}
    }
}

fn structs(program: &Program, function: &Function) -> Vec<StructId> {
    let params = function.params.iter().map(|p| (p, function.code.locals[p.local].ty));
    let varying = params.filter(|(p, ty)| !is_uniform(program, p, *ty)).map(|(_, ty)| ty);
    let types = varying.chain([function.result]).map(|ty| program.types.get(program.types.innermost(ty)));
    types.filter_map(|ty| if let Type::Struct(id) = ty { Some(id) } else { None }).collect()
}

fn check_struct(fields: &[Field], diags: &mut Diagnostics) {
    let user = fields.iter().filter(|f| !f.semantic.as_ref().is_some_and(is_system));
    let (with, without): (Vec<&Field>, Vec<&Field>) = user.partition(|f| f.explicit.location.is_some());
    if let ([first, ..], [other, ..]) = (with.as_slice(), without.as_slice()) {
        let message = format!("`{}` says its location and `{}` does not", first.name, other.name);
        let diagnostic = Diagnostic::error(Code::BAD_ATTRIBUTE, other.span, message);
        let note = "in one struct either all of the fields say their locations, or none does";
        diags.push(diagnostic.label(first.span, "this one says it").note(note));
    }
}

fn is_system(semantic: &Semantic) -> bool {
    semantic.is_system() && semantic.split().0 != "SV_TARGET"
}
