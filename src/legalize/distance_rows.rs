//! Arrays of distances to planes for which a signature has no room become vectors, of which each takes one row.
//!
//! Before: `struct V { float c[3] : SV_ClipDistance; }   v.c[k] = d;   float c[6] : SV_ClipDistance   v.c[k] = d;`
//! After:  `struct V { float3 c : SV_ClipDistance; }     v.c[k] = d;   float3 c[2] : SV_ClipDistance  v.c[k / 3][k % 3] = d;`
//!
//! D3D has two rows of four for all distances, and each element of an array takes one. Five and seven fill no two vectors of one
//! length: there is one more, and a plane at a distance of zero cuts nothing off.
//!
//! A part of [`super::system_value_types`].

use super::Context;
use super::signatures::{Place, fit, is_distance, places, shape};
use super::system_value_types::{Holder, Places, slot, statements};
use crate::tree::analyses::is_pure;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What holds distances, with their type of before and now.
type PackedDistances = BTreeMap<Holder, (TypeId, TypeId)>;

/// Rewrites what a target with rows has no room for.
pub(super) fn run(cx: &mut Context) {
    let mut packed = PackedDistances::new();
    for entry in cx.program.entry_points.clone() {
        let mut distances = places(cx, &entry);
        distances.retain(|place| is_distance(&place.leaf));
        for place in &distances {
            let here = || distances.iter().filter(|p| p.point == place.point);
            // Pairs stay arrays where they have room: one fits beside others of two rows.
            for most in [2, 1] {
                let shapes: Vec<_> = here().map(|p| shape(cx.program, now(cx.program, &packed, p))).collect();
                if !fit(&shapes) {
                    let found: PackedDistances = here().filter_map(|p| vectors(cx.program, p, most)).collect();
                    // The invocations of a mesh shader share what it gives, and none of them sets the number more.
                    let is_even = |(old, _): &(TypeId, TypeId)| {
                        cx.program.types.index_count(*old).is_none_or(|n| n % 2 == 0 || n < 5)
                    };
                    packed.extend(found.into_iter().filter(|(_, types)| entry.stage != Stage::Mesh || is_even(types)));
                }
            }
        }
    }
    leave_out(cx.program, &mut packed);
    if packed.is_empty() {
        return;
    }
    for id in cx.program.functions_with_code() {
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        let places = Places::of(cx.program, id);
        begin_with_zero(cx.program, id, &mut body, &packed);
        DistanceUses { program: cx.program, packed: &packed, places, whole: FxHashMap::default() }.rewrite(&mut body);
        cx.program.functions[id].code = body;
    }
    for (holder, (_, ty)) in packed {
        holder.retype(cx.program, ty);
    }
}

/// A number more than the source has is never set: what holds one, and is set part by part, begins as zero.
fn begin_with_zero(program: &mut Program, function: FunctionId, body: &mut Body, packed: &PackedDistances) {
    let types = &program.types;
    let odd: Vec<Holder> = packed
        .iter()
        .filter(|(_, (old, new))| {
            types.array_parts(*new).is_some() && types.index_count(*old).is_some_and(|n| n % 2 == 1)
        })
        .map(|(holder, _)| *holder)
        .collect();
    let holds = |program: &Program, ty: TypeId| {
        odd.iter().any(|holder| matches!(holder, Holder::Field(id, _) if holds_struct(program, ty, *id)))
    };
    let Body { block, exprs, locals, .. } = body;
    block.visit_mut(&mut |stmt| {
        if let StmtKind::Local(local, value @ None) = &mut stmt.kind
            && holds(program, locals[*local].ty)
        {
            let Local { ty, span, .. } = locals[*local];
            *value = Some(exprs.push(Expr { kind: ExprKind::Zero, ty, span }));
        }
    });
    for (index, param) in program.functions[function].params.clone().into_iter().enumerate() {
        let Local { ty, span, .. } = locals[param.local];
        if param.mode == ParamMode::Out && (holds(program, ty) || odd.contains(&Holder::Param(function, index))) {
            let mut b = Build::new(&mut program.types, exprs, span);
            let (target, zero) = (b.local(param.local, ty), b.add(ExprKind::Zero, ty));
            let zeroed = b.set(target, zero);
            block.stmts.insert(0, zeroed);
        }
    }
}

/// The type that distances have.
fn now(program: &Program, packed: &PackedDistances, place: &Place) -> TypeId {
    slot(program, place).and_then(|holder| packed.get(&holder)).map_or(place.leaf.ty, |(_, new)| *new)
}

/// The holder of an array of more distances than `most`, and the types that it has and gets.
fn vectors(program: &mut Program, place: &Place, most: u32) -> Option<(Holder, (TypeId, TypeId))> {
    let old = place.leaf.ty;
    let (element, count) = program.types.array_parts(old)?;
    let Type::Scalar(scalar) = program.types.get(element) else { return None };
    let new = match count.fixed().filter(|count| *count > most)? {
        count @ 2..=4 => program.types.vector(scalar, count as u8),
        count @ 5..=8 => {
            let half = program.types.vector(scalar, count.div_ceil(2) as u8);
            program.types.array(half, Some(2))
        }
        _ => return None,
    };
    match slot(program, place)? {
        Holder::Result(_) => None,
        holder @ (Holder::Field(..) | Holder::Param(..)) => Some((holder, (old, new))),
    }
}

/// Leaves out what is data of buffers, and what is used in a way that is not followed.
fn leave_out(program: &Program, packed: &mut PackedDistances) {
    let in_data = |id: StructId| {
        program.parameters.iter().any(|g| {
            let ty = program.types.innermost(program.globals[*g].ty);
            let data = program.types.get(ty).contents().or(program.types.get(ty).element()).unwrap_or(ty);
            holds_struct(program, data, id)
        })
    };
    packed.retain(|holder, _| !matches!(holder, Holder::Field(id, _) if in_data(*id)));
    for function in program.functions_with_code() {
        let body = &program.functions[function].code;
        let places = Places::of(program, function);
        let (live, roots) = (body.expressions(), statements(body));
        let parents = body.exprs.parents(&live);
        for &id in &live {
            if let Some(holder) = places.slot(&program.types, &body.exprs, id)
                && let Some((_, new)) = packed.get(&holder)
            {
                let parent = parents.get(&id).copied();
                if !is_followed((program, &body.exprs), (id, parent), *new, &roots) {
                    packed.remove(&holder);
                }
            }
            let (ExprKind::Construct(parts), Type::Struct(of)) =
                (&body.exprs[id].kind, program.types.get(body.exprs[id].ty))
            else {
                continue;
            };
            for (index, _) in (0..).zip(parts).filter(|(_, part)| !can_be_taken_apart(&body.exprs, **part)) {
                packed.remove(&Holder::Field(of, index));
            }
        }
    }
}

/// Whether a type is a struct, or holds one.
fn holds_struct(program: &Program, ty: TypeId, id: StructId) -> bool {
    match program.types.get(program.types.innermost(ty)) {
        Type::Struct(of) => of == id || program.structs[of].fields.iter().any(|f| holds_struct(program, f.ty, id)),
        _ => false,
    }
}

/// Whether a use of distances can be rewritten.
fn is_followed(
    (program, exprs): (&Program, &ExprArena),
    (id, parent): (ExprId, Option<ExprId>),
    new: TypeId,
    roots: &FxHashSet<ExprId>,
) -> bool {
    let Some(parent) = parent else { return is_pure(exprs, id) };
    match &exprs[parent].kind {
        ExprKind::Index(base, index) if *base == id => {
            matches!(program.types.get(new), Type::Vector(..)) || is_pure(exprs, *index)
        }
        ExprKind::Assign(None, target, value) if *target == id => {
            roots.contains(&parent) && can_be_taken_apart(exprs, *value)
        }
        _ => {
            let mut is_written = false;
            program.each_written(exprs, parent, &mut |place| is_written |= place == id);
            !is_written && is_pure(exprs, id)
        }
    }
}

/// Whether each number of an array can be taken by itself.
fn can_be_taken_apart(exprs: &ExprArena, value: ExprId) -> bool {
    matches!(exprs[value].kind, ExprKind::Construct(_) | ExprKind::Zero) || is_pure(exprs, value)
}

struct DistanceUses<'a> {
    program: &'a mut Program,
    packed: &'a PackedDistances,
    places: Places,
    /// Arrays that were made of whole vectors, with these.
    whole: FxHashMap<ExprId, ExprId>,
}

impl DistanceUses<'_> {
    fn types(&self, exprs: &ExprArena, id: ExprId) -> Option<(TypeId, TypeId)> {
        let holder = self.places.slot(&self.program.types, exprs, id)?;
        self.packed.get(&holder).copied()
    }

    fn rewrite(&mut self, body: &mut Body) {
        let live = body.expressions();
        let exprs = &mut body.exprs;
        let parents = exprs.parents(&live);
        for id in live {
            match exprs[id].kind.clone() {
                ExprKind::Assign(None, target, value) => {
                    let Some((_, new)) = self.types(exprs, target) else { continue };
                    let value = self.vector(exprs, value, new);
                    exprs[id].kind = ExprKind::Assign(None, target, value);
                    exprs[id].ty = new;
                }
                ExprKind::Construct(parts) => self.parts(exprs, id, parts),
                ExprKind::Index(base, index) => {
                    let Some((_, new)) = self.types(exprs, base) else { continue };
                    exprs[id].kind = self.element(exprs, base, index, new);
                }
                _ => {}
            }
            let Some((old, new)) = self.types(exprs, id) else { continue };
            exprs[id].ty = new;
            let is_place = parents.get(&id).is_some_and(|parent| match exprs[*parent].kind {
                ExprKind::Index(base, _) => base == id,
                ExprKind::Assign(None, target, _) => target == id,
                _ => false,
            });
            if !is_place {
                self.array(exprs, id, (old, new));
            }
        }
    }

    /// The place of a number: a component, perhaps of one of two vectors.
    fn element(&mut self, exprs: &mut ExprArena, base: ExprId, index: ExprId, new: TypeId) -> ExprKind {
        let Some((vector, _)) = self.program.types.array_parts(new) else { return ExprKind::Index(base, index) };
        let length = self.program.types.index_count(vector).unwrap_or(1);
        let known = exprs.integer(index);
        let again = exprs.duplicate(index);
        let mut b = Build::new(&mut self.program.types, exprs, exprs[index].span);
        let (row, column) = match known {
            Some(n) => (b.int(n.div_euclid(length)), b.int(n.rem_euclid(length))),
            None => {
                let (length, of) = (b.uint(length as u32), TypeId::UINT);
                let (first, second) = (b.convert(index, of), b.convert(again, of));
                let again = b.exprs.duplicate(length);
                (b.binary(BinaryOp::Div, first, length), b.binary(BinaryOp::Rem, second, again))
            }
        };
        let row = b.index(base, row);
        ExprKind::Index(row, column)
    }

    /// The numbers of a vector, or of two, as the array that they were.
    fn array(&mut self, exprs: &mut ExprArena, id: ExprId, (old, new): (TypeId, TypeId)) {
        let count = self.program.types.index_count(old).unwrap_or(0);
        let inner = exprs.displace(id);
        self.whole.insert(id, inner);
        let mut parts = Vec::new();
        for n in 0..count {
            let (place, span) = (exprs.duplicate(inner), exprs[inner].span);
            let at = Build::new(&mut self.program.types, exprs, span).int(n);
            let kind = self.element(exprs, place, at, new);
            let ty = Build::new(&mut self.program.types, exprs, span).element_type(old);
            parts.push(exprs.push(Expr { kind, ty, span }));
        }
        exprs[id].kind = ExprKind::Construct(parts);
        exprs[id].ty = old;
    }

    /// An array as a vector, or as two.
    fn vector(&mut self, exprs: &mut ExprArena, value: ExprId, new: TypeId) -> ExprId {
        if let Some(inner) = self.whole.get(&value).filter(|inner| exprs[**inner].ty == new) {
            return *inner;
        }
        let Expr { kind, ty, span } = exprs[value].clone();
        let count = self.program.types.index_count(ty).unwrap_or(0);
        let mut b = Build::new(&mut self.program.types, exprs, span);
        let mut parts: Vec<ExprId> = match kind {
            ExprKind::Zero => return b.add(ExprKind::Zero, new),
            ExprKind::Construct(parts) => parts,
            _ => (0..count as u32)
                .map(|n| {
                    let again = b.exprs.duplicate(value);
                    b.at(again, n)
                })
                .collect(),
        };
        let Some((vector, _)) = b.types.array_parts(new) else { return b.construct(parts, new) };
        if parts.len() % 2 == 1 {
            let of = b.element_type(vector);
            parts.push(b.number(0, of));
        }
        let rows = parts.chunks((parts.len() / 2).max(1));
        let rows = rows.map(|row| b.construct(row.to_vec(), vector)).collect();
        b.construct(rows, new)
    }

    /// The fields of a struct that is written out.
    fn parts(&mut self, exprs: &mut ExprArena, id: ExprId, mut parts: Vec<ExprId>) {
        let Type::Struct(of) = self.program.types.get(exprs[id].ty) else { return };
        for (index, part) in (0..).zip(&mut parts) {
            if let Some((_, new)) = self.packed.get(&Holder::Field(of, index)) {
                *part = self.vector(exprs, *part, *new);
            }
        }
        exprs[id].kind = ExprKind::Construct(parts);
    }
}
