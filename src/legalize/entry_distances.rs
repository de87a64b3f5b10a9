//! Distances to clip and cull planes are numbers of an array of their own, whatever the source has them in.
//!
//! Before: `v[i].distances.zx = w;                                  float d = v[i].distances[k].y;`
//! After:  `gl_MeshVerticesEXT[i].gl_ClipDistance[2] = w[0];        float d = gl_in[i].gl_ClipDistance[k * 2 + 1];`
//!         `gl_MeshVerticesEXT[i].gl_ClipDistance[0] = w[1];`
//!
//! A part of [`super::entry_globals`].

use super::entry_globals::{GlobalLowering, components, put_together};
use super::signatures::DISTANCES;
use super::stage_io::{Leaf, ManyLeaves};
use crate::source::Span;
use crate::target::system_values::distance_variable;
use crate::tree::analyses::is_pure;
use crate::tree::*;

/// The part of a leaf of distances that is used.
pub(super) struct Picked {
    /// Which numbers of the leaf it has.
    pub(super) numbers: Vec<u32>,
    /// The indices that are no constants, each with how many numbers it goes on by.
    pub(super) further: Vec<(ExprId, u32)>,
}

/// Where the distances of a leaf are: the array, and the first of them.
pub(super) type Distances<'a> = (&'a Template, u32);

impl Picked {
    /// All numbers of a value.
    pub(super) fn all(types: &Types, ty: TypeId) -> Picked {
        let numbers = (0u32..).zip(components(types, ty)).map(|(number, _)| number);
        Picked { numbers: numbers.collect(), further: Vec::new() }
    }

    /// Goes on from an expression to what is taken of it, if that is some of its numbers; `by_any_index` also to what an index takes
    /// that is no constant.
    pub(super) fn step(
        &mut self,
        (types, exprs): (&Types, &ExprArena),
        (at, parent): (ExprId, ExprId),
        by_any_index: bool,
    ) -> bool {
        let picked = match exprs[parent].kind {
            ExprKind::Swizzle(base, swizzle) if base == at => {
                let numbers = swizzle.list().iter().map(|c| self.numbers.get(usize::from(*c)).copied());
                numbers.collect::<Option<Vec<u32>>>()
            }
            ExprKind::Index(base, index) if base == at => {
                let size = components(types, exprs[parent].ty).len();
                let element = |n: usize| Some(self.numbers.get(n.checked_mul(size)?..)?.get(..size)?.to_vec());
                match exprs.integer(index) {
                    Some(n) => usize::try_from(n).ok().and_then(element),
                    None if by_any_index && self.is_in_order() => {
                        let first = element(0);
                        self.further.extend(first.is_some().then_some((index, size as u32)));
                        first
                    }
                    None => None,
                }
            }
            _ => None,
        };
        let found = picked.is_some();
        self.numbers = picked.unwrap_or_else(|| std::mem::take(&mut self.numbers));
        found
    }

    /// Whether its numbers stand one after another.
    fn is_in_order(&self) -> bool {
        self.numbers.iter().zip(self.numbers.iter().skip(1)).all(|(a, b)| a.checked_add(1) == Some(*b))
    }
}

impl GlobalLowering<'_, '_> {
    /// A number of an array of distances or levels, perhaps of the vertex at an index.
    fn distance(
        &mut self,
        (variable, first): Distances,
        index: Option<ExprId>,
        (number, further): (u32, &[(ExprId, u32)]),
        span: Span,
    ) -> ExprId {
        let index = index.map(|i| self.body.exprs.duplicate(i));
        let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
        let array = b.types.array(TypeId::FLOAT, None);
        let all = b.native(variable.clone(), index.into_iter().collect(), array);
        let first = first.saturating_add(number);
        let mut at: Option<ExprId> = None;
        for (index, size) in further {
            let index = b.exprs.duplicate(*index);
            let ty = at.map_or(b.exprs[index].ty, |before| b.exprs[before].ty);
            let index = b.convert(index, ty);
            let size = b.number((*size).into(), ty);
            let by = if b.exprs.integer(size) == Some(1) { index } else { b.binary(BinaryOp::Mul, index, size) };
            at = Some(at.map_or(by, |before| b.binary(BinaryOp::Add, before, by)));
        }
        let Some(at) = at else { return b.at(all, first) };
        if first == 0 {
            return b.index(all, at);
        }
        let first = b.number(first.into(), b.exprs[at].ty);
        let at = b.binary(BinaryOp::Add, first, at);
        b.index(all, at)
    }

    /// The value of a part of distances, as the source's type.
    pub(super) fn read_distances(
        &mut self,
        distances: Distances,
        index: Option<ExprId>,
        (picked, ty): (&Picked, TypeId),
        span: Span,
    ) -> ExprId {
        let numbers = picked.numbers.iter();
        let parts: Vec<ExprId> =
            numbers.map(|at| self.distance(distances, index, (*at, &picked.further), span)).collect();
        let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
        let kind = b.types.component(b.types.innermost(ty)).unwrap_or(Scalar::F32);
        let number = b.types.scalar(kind);
        let parts: Vec<ExprId> = parts.into_iter().map(|part| b.convert(part, number)).collect();
        put_together(&mut b, ty, &mut parts.into_iter())
    }

    /// Statements that write a value to a part of distances.
    pub(super) fn write_distances(
        &mut self,
        distances: Distances,
        index: Option<ExprId>,
        (picked, value): (&Picked, ExprId),
        out: &mut Vec<Stmt>,
    ) {
        let Expr { ty, span, .. } = self.body.exprs[value];
        let is_once = picked.numbers.len() < 2 || is_pure(&self.body.exprs, value);
        let value = if is_once { value } else { self.kept(value, out) };
        for (number, path) in picked.numbers.iter().zip(components(&self.cx.program.types, ty)) {
            let target = self.distance(distances, index, (*number, &picked.further), span);
            let path: Vec<Step> = path.into_iter().map(Step::Element).collect();
            let source = self.taken(value, &path);
            let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
            let source = b.convert(source, TypeId::FLOAT);
            out.push(b.set(target, source));
        }
    }

    /// A value in a variable of its own.
    pub(super) fn kept(&mut self, value: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        let Expr { ty, span, .. } = self.body.exprs[value];
        let temporary = self.body.add_local("value", ty, span);
        out.push(Stmt::new(StmtKind::Local(temporary, Some(value)), span));
        self.body.exprs.push(Expr { kind: ExprKind::Local(temporary), ty, span })
    }

    /// Declares the block of the vertices of a mesh shader with the sizes of its distances, for an index that is no constant.
    pub(super) fn sized_distances(&mut self, of: &ManyLeaves) {
        let semantic = |leaf: &Leaf| leaf.semantic.clone().unwrap_or_default();
        let mut members = "vec4 gl_Position;".to_owned();
        if of.leaves.iter().any(|leaf| semantic(leaf).0 == "SV_POINTSIZE") {
            members.push_str(" float gl_PointSize;");
        }
        for name in DISTANCES {
            let leaves = of.leaves.iter().filter(|leaf| semantic(leaf).0 == name);
            let ends = leaves.map(|leaf| {
                let first = self.distances.get(&(of.direction, name.to_owned(), semantic(leaf).1));
                first.map_or(0, |n| *n as usize) + components(&self.cx.program.types, leaf.ty).len()
            });
            if let (Some(end), Some(variable)) = (ends.max(), distance_variable(name)) {
                members.push_str(&format!(" float {variable}[{end}];"));
            }
        }
        self.stage_line(&format!("out gl_MeshPerVertexEXT {{ {members} }} gl_MeshVerticesEXT[];"));
    }
}
