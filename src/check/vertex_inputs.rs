//! Inputs of fragment shaders in Slang that are read at the vertices of the triangle, and not otherwise.
//!
//! Before: `float3 color;                  GetAttributeAtVertex(input.color, 1)`
//! After:  `pervertex float3 color;        GetAttributeAtVertex(input.color, 1)`
//!
//! Slang infers what HLSL has to say.

use super::Checker;
use crate::parse::Language;
use crate::tree::analyses::AT_VERTEX;
use crate::tree::{Body, ExprId, ExprKind, FunctionId, Id, LocalId, Modifiers, Program, Stage, StructId, Type};
use std::collections::BTreeMap;

/// A field, or a parameter of an entry point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Field(StructId, u32),
    Param(FunctionId, LocalId),
}

/// How often a place is read at a vertex, and in all.
#[derive(Default)]
struct Reads {
    at_vertices: usize,
    all: usize,
}

impl Checker<'_> {
    /// Marks inputs that are read at vertices alone.
    pub(super) fn mark_vertex_inputs(&mut self) {
        let marked = self.program.marked(AT_VERTEX);
        if marked.is_empty() {
            return;
        }
        let mut reads: BTreeMap<Place, Reads> = BTreeMap::new();
        for id in self.program.reachable_functions() {
            let stage = self.program.entry_point_of(id).and_then(|e| self.program.entry_points.get(e)).map(|e| e.stage);
            if stage.is_some_and(|stage| stage != Stage::Fragment) {
                continue;
            }
            let body = &self.program.functions[id].code;
            let is_slang = self.is_of_slang(id);
            for expr in body.expressions() {
                if let Some(place) = self.read_place(id, body, expr) {
                    reads.entry(place).or_default().all += 1;
                }
                if let ExprKind::Call(f, args) = &body.exprs[expr].kind
                    && is_slang
                    && marked.contains(f)
                    && let Some(place) = args.first().and_then(|value| self.read_place(id, body, *value))
                {
                    reads.entry(place).or_default().at_vertices += 1;
                }
            }
        }
        let found = |reads: &Reads| reads.at_vertices > 0 && reads.at_vertices == reads.all;
        let places: Vec<Place> = reads.into_iter().filter(|(_, r)| found(r)).map(|(place, _)| place).collect();
        places.into_iter().for_each(|place| mark(&mut self.program, place));
    }

    fn is_of_slang(&self, id: FunctionId) -> bool {
        let instance = self.functions.of_function.get(id.index());
        instance.is_some_and(|i| self.source_of(self.functions.get(*i).decl).language == Language::Slang)
    }

    fn read_place(&self, owner: FunctionId, body: &Body, id: ExprId) -> Option<Place> {
        match body.exprs[id].kind {
            ExprKind::Field(base, field) => match self.program.types.get(body.exprs[base].ty) {
                Type::Struct(id) => Some(Place::Field(id, field)),
                _ => None,
            },
            ExprKind::Local(local) => {
                let is_param = self.program.functions[owner].params.iter().any(|p| p.local == local);
                is_param.then_some(Place::Param(owner, local))
            }
            _ => None,
        }
    }
}

/// Marks what says nothing of interpolation.
fn mark(program: &mut Program, place: Place) {
    let modifiers = match place {
        Place::Field(id, field) => program.structs[id].fields.get_mut(field as usize).map(|f| &mut f.modifiers),
        Place::Param(id, local) => {
            program.functions[id].params.iter_mut().find(|p| p.local == local).map(|p| &mut p.modifiers)
        }
    };
    let Some(modifiers) = modifiers else { return };
    if !modifiers.says_interpolation() {
        modifiers.set(Modifiers::PERVERTEX);
        modifiers.set(Modifiers::NOINTERPOLATION);
    }
}
