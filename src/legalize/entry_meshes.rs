//! What a mesh shader declares of its primitives, and the numbers of their vertices.
//!
//! Before: `[outputtopology("triangle")] void main(..., out indices uint3 triangles[126]) { triangles[i] = uint3(0, 1, 2); }`
//! After:  `layout(triangles, max_vertices = 64, max_primitives = 126) out;
//!          void main() { gl_PrimitiveTriangleIndicesEXT[i] = uvec3(0, 1, 2); }`
//!
//! A part of [`super::entry_globals`].

use super::Context;
use super::entry_globals::GlobalLowering;
use super::stage_io::{Flatten, Leaf, ManyLeaves};
use crate::layout::locations::{Many, Per};
use crate::target::system_values::Direction;
use crate::tree::*;

/// (components of an index, the variable of the indices, the word of the primitives).
const TOPOLOGIES: &[(u8, &str, &str)] = &[
    (1, "gl_PrimitivePointIndicesEXT", "points"),
    (2, "gl_PrimitiveLineIndicesEXT", "lines"),
    (3, "gl_PrimitiveTriangleIndicesEXT", "triangles"),
];

/// The row of a type of indices.
fn topology(types: &Types, element: TypeId) -> Option<&'static (u8, &'static str, &'static str)> {
    let length = match types.get(element) {
        Type::Vector(_, n) => n,
        _ => 1,
    };
    TOPOLOGIES.iter().find(|(n, ..)| *n == length)
}

/// What the stage declares of its outputs. There are some at least, whether the shader writes them or not.
pub(super) fn layout(l: &mut GlobalLowering, elements: &[ManyLeaves]) {
    let of = |per: Per| elements.iter().find(|e| e.many.per == per).map(|e| e.many);
    let (vertices, indices) = (of(Per::Vertex), of(Per::Indices));
    let types = &l.cx.program.types;
    let declared = l.cx.program.functions[l.entry.function].attribute("outputtopology").and_then(declared);
    let word = indices.and_then(|i| topology(types, i.element)).map(|(.., word)| *word).or(declared);
    let count = |many: Option<Many>| many.map_or(Some(1), |many| many.count.filter(|n| *n > 0));
    let (Some(vertices), Some(indices), Some(word)) = (count(vertices), count(indices), word) else {
        let span = l.cx.program.functions[l.entry.function].span;
        l.cx.unsupported(span, "a mesh entry point needs a topology and the sizes of its arrays");
        return;
    };
    l.stage_layout(&format!("{word}, max_vertices = {vertices}, max_primitives = {indices}"), "out");
}

/// The word for the primitives that `[outputtopology("triangle")]` names.
fn declared(attribute: &Attribute) -> Option<&'static str> {
    let (AttributeArg::Text(word) | AttributeArg::Name(word)) = attribute.args.first()? else { return None };
    let word = word.as_str().to_ascii_lowercase();
    TOPOLOGIES.iter().map(|(.., plural)| *plural).find(|plural| plural.strip_suffix('s') == Some(word.as_str()))
}

/// What stages know a varying by: its semantic, or its location where it has none.
#[derive(PartialEq)]
pub(super) enum PrimitiveName {
    Semantic(String, u32),
    Location(u32),
}

fn known(leaf: &Leaf) -> Option<PrimitiveName> {
    let by_semantic = leaf.semantic.clone().map(|(name, index)| PrimitiveName::Semantic(name, index));
    by_semantic.or(leaf.location.map(PrimitiveName::Location))
}

/// What mesh shaders give for each primitive, and no other stage for each vertex.
pub(super) fn primitives(cx: &mut Context) -> Vec<PrimitiveName> {
    let settings = cx.layout.settings;
    let (mut found, mut of_vertices) = (Vec::new(), Vec::new());
    for entry in cx.program.entry_points.clone() {
        let mut flatten = Flatten { program: cx.program, split: false, settings };
        match entry.stage {
            Stage::Mesh => {
                for many in flatten.elements(&entry).into_iter().filter(|e| e.direction == Direction::Out) {
                    let to = if many.many.per == Per::Primitive { &mut found } else { &mut of_vertices };
                    to.extend(many.leaves.iter().filter_map(known));
                }
            }
            Stage::Vertex | Stage::Domain | Stage::Geometry => {
                let many = flatten.elements(&entry).into_iter().filter(|e| e.direction == Direction::Out);
                let leaves = many.flat_map(|e| e.leaves).chain(flatten.leaves(&entry, Direction::Out));
                of_vertices.extend(leaves.filter_map(|leaf| known(&leaf)));
            }
            Stage::Hull
            | Stage::Fragment
            | Stage::Compute
            | Stage::Amplification
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => {}
        }
    }
    found.retain(|varying| !of_vertices.contains(varying));
    found
}

impl GlobalLowering<'_, '_> {
    /// What comes into a fragment shader for each primitive says so.
    pub(super) fn mark_primitives(&mut self, inputs: &mut [Leaf], primitives: &[PrimitiveName]) {
        if self.entry.stage != Stage::Fragment {
            return;
        }
        for leaf in inputs.iter_mut().filter(|leaf| !leaf.is_system()) {
            if known(leaf).is_some_and(|varying| primitives.contains(&varying)) {
                leaf.modifiers.set(Modifiers::PRIMITIVES);
                self.extension("GL_EXT_mesh_shader", leaf.span);
            }
        }
    }

    /// The numbers of the vertices of primitives are a builtin variable.
    pub(super) fn mesh_indices(&mut self, local: LocalId, of: &ManyLeaves) {
        let element = of.many.element;
        let Some((_, variable, _)) = topology(&self.cx.program.types, element) else { return };
        let Ok(template) = Template::parse(variable) else { return };
        let ty = self.cx.program.types.array(element, of.many.count);
        for id in self.body.expressions() {
            if matches!(self.body.exprs[id].kind, ExprKind::Local(l) if l == local) {
                self.body.exprs[id].kind = ExprKind::Native(Box::new(template.clone()), Vec::new());
                self.body.exprs[id].ty = ty;
            }
        }
    }
}
