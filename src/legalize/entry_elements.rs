//! Inputs and outputs of which there is one for each vertex, control point or primitive.
//!
//! Before: `void main(triangle VSOutput input[3], ...) { ... input[i].color ... input[i].pos ... }`
//! After:  `in vec3 inColor[3];  void main() { ... inColor[i] ... gl_in[i].gl_Position ... }`
//!
//! An input of which a whole element is used is put together there; one that is used as a whole array becomes a variable
//! that is filled at the start. Outputs are written leaf by leaf, also by functions that have them as parameters: those lose
//! the parameter, since the outputs are global.
//!
//! A part of [`super::entry_globals`].

use super::entry_distances::Picked;
use super::entry_globals::{ControlPoint, GlobalLowering, Replacement};
use super::entry_streams::{self, Stream};
use super::hoist::{self, Mark, Marks};
use super::positions::has_y;
use super::stage_io::{Leaf, ManyLeaves, assemble};
use crate::layout::locations::Per;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::STAGE_LAYOUT;
use crate::target::system_values::{Direction, INVOCATION, distance_variable, find_member};
use crate::tree::analyses::is_pure;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A use of an element, or of a part of one.
struct ElementUse {
    /// The expression that is the part.
    at: ExprId,
    /// What of the distances, if it is a part of such a leaf.
    picked: Option<Picked>,
    /// Which element.
    index: ExprId,
    /// The way from the element to the part.
    path: Vec<Step>,
    /// The leaf that it is.
    leaf: Option<usize>,
}

/// Where elements are used, and what they are made of.
struct ElementUses<'a> {
    types: &'a Types,
    exprs: &'a ExprArena,
    parents: FxHashMap<ExprId, ExprId>,
    leaves: &'a [Leaf],
    direction: Direction,
}

impl ElementUses<'_> {
    /// The largest part around an element that is a leaf, or holds some; of distances the smallest.
    fn part_of(&self, element: ExprId, index: ExprId) -> ElementUse {
        let mut part = ElementUse { at: element, picked: None, index, path: Vec::new(), leaf: None };
        loop {
            part.leaf = self.leaves.iter().position(|l| l.path == part.path);
            if let Some(leaf) = part.leaf.and_then(|at| self.leaves.get(at)) {
                self.pick(&mut part, leaf);
                return part;
            }
            let constant = |index| u32::try_from(self.exprs.integer(index)?).ok();
            let step = self.parents.get(&part.at).and_then(|parent| match self.exprs[*parent].kind {
                ExprKind::Field(base, field) if base == part.at => Some((*parent, Step::Field(field))),
                ExprKind::Index(base, index) if base == part.at => Some((*parent, Step::Element(constant(index)?))),
                _ => None,
            });
            let Some((parent, step)) = step else { return part };
            part.at = parent;
            part.path.push(step);
        }
    }

    /// Goes on to what is taken of a leaf of distances. What comes in has no sizes, which other indices than constants need.
    fn pick(&self, part: &mut ElementUse, leaf: &Leaf) {
        if leaf.semantic.as_ref().is_none_or(|(name, _)| distance_variable(name).is_none()) {
            return;
        }
        let mut picked = Picked::all(self.types, leaf.ty);
        while let Some(parent) = self.parents.get(&part.at)
            && picked.step((self.types, self.exprs), (part.at, *parent), self.direction == Direction::Out)
        {
            part.at = *parent;
        }
        part.picked = Some(picked);
    }
}

impl GlobalLowering<'_, '_> {
    /// What stands for each leaf of an element, in the block of builtins or in an array.
    pub(super) fn element_places(&mut self, of: &ManyLeaves, block: &str) -> Vec<Replacement> {
        let local = self.cx.program.functions[self.entry.function].params.get(of.param).map(|p| p.local);
        let base = local.map_or_else(String::new, |local| self.body.locals[local].name.to_string());
        // A patch that comes in has as many points as the largest.
        let patch = matches!(self.entry.stage, Stage::Hull | Stage::Domain);
        let count = of.many.count.filter(|_| !patch);
        let primitive = of.many.per == Per::Primitive;
        let leaves = of.leaves.iter();
        leaves.map(|leaf| self.element_place(leaf, &base, (of.direction, block), (count, primitive))).collect()
    }

    fn element_place(
        &mut self,
        leaf: &Leaf,
        base: &str,
        (direction, block): (Direction, &str),
        (count, primitive): (Option<u32>, bool),
    ) -> Replacement {
        if leaf.is_system() {
            return self.member_place(leaf, direction, block, primitive);
        }
        let place = self.global(leaf, base, direction);
        if let Replacement::Global(id, own) = place {
            let types = &mut self.cx.program.types;
            self.cx.program.globals[id].ty = types.array(own, count);
            if primitive {
                self.cx.program.globals[id].modifiers.set(Modifiers::PRIMITIVES);
            }
        }
        place
    }

    /// A builtin of an element.
    fn member_place(&mut self, leaf: &Leaf, direction: Direction, block: &str, primitive: bool) -> Replacement {
        // A primitive has none.
        let distance = if primitive { None } else { self.distance_place(leaf, direction, block) };
        if let Some(place) = distance {
            return place;
        }
        let semantic = leaf.semantic.clone().unwrap_or_default().0;
        let missing = Replacement::Missing(Symbol::new(&semantic), leaf.span);
        let Some(value) = find_member(&semantic, primitive) else { return missing };
        let Some((spelling, scalar, length)) = value.variable else { return missing };
        self.extension(value.extension, leaf.span);
        let ty = self.cx.program.types.scalar_or_vector(scalar, length);
        Template::parse(&format!("{block}{spelling}")).map_or(missing, |template| Replacement::Builtin(template, ty))
    }

    /// What stands for an output of the control point that the invocation makes.
    pub(super) fn control_point_place(&mut self, leaf: &Leaf, base: &str) -> Replacement {
        let place = if leaf.is_system() {
            self.member_place(leaf, Direction::Out, &format!("gl_out[{INVOCATION}]."), false)
        } else {
            let count = self.cx.program.functions[self.entry.function].attribute("outputcontrolpoints");
            let count = count.and_then(|a| match a.args.as_slice() {
                [AttributeArg::Int(n)] => u32::try_from(*n).ok(),
                _ => None,
            });
            match self.element_place(leaf, base, (Direction::Out, ""), (count, false)) {
                Replacement::Global(id, own) => Replacement::Invocation(id, own),
                other => other,
            }
        };
        self.control_point.push((leaf.clone(), place.clone()));
        place
    }

    /// What stands for the leaves of the control points that came in, or that the stage has made, where it takes them once more.
    pub(super) fn known_points(
        &mut self,
        of: &ManyLeaves,
        points: &[ControlPoint],
        (direction, block): (Direction, &str),
    ) -> Vec<Replacement> {
        let places = of.leaves.iter().map(|leaf| {
            if leaf.is_system() {
                return self.member_place(leaf, direction, block, false);
            }
            // The structs of the two may differ: the semantic finds it, and what has none is found by its name. In one type it is
            // at one place, whatever the semantic around it.
            let is_like = |own: &Leaf| {
                own.semantic == leaf.semantic && own.ty == leaf.ty && (own.semantic.is_some() || own.name == leaf.name)
            };
            let is_there = |own: &Leaf| own.path == leaf.path && own.ty == leaf.ty;
            let find = |f: &dyn Fn(&Leaf) -> bool| points.iter().find(|(own, _)| f(own));
            match find(&is_like).or_else(|| find(&is_there)) {
                Some((_, Replacement::Invocation(id, own))) => Replacement::Global(*id, *own),
                Some((_, Replacement::Global(id, own))) => Replacement::Global(*id, *own),
                _ => Replacement::Missing(Symbol::new(&leaf.name), leaf.span),
            }
        });
        places.collect()
    }

    /// An input that there is one of for each vertex: its elements are read where they are used.
    pub(super) fn element_input(&mut self, of: &ManyLeaves, places: &[Replacement]) {
        let params = &self.cx.program.functions[self.entry.function].params;
        let Some(local) = params.get(of.param).map(|p| p.local) else { return };
        self.once(local, of);
        let (uses, whole) = self.element_uses(local, of);
        let written = self.cx.program.written_locals(&self.body).contains(&local);
        if whole.is_some() || written {
            self.report_missing(local, of.many.element, &of.leaves, places, &[]);
            return self.whole_input(local, of, places);
        }
        for part in uses {
            let Expr { ty, span, .. } = self.body.exprs[part.at];
            let value = match (part.leaf.and_then(|i| places.get(i)), &part.picked) {
                (Some(Replacement::Distances(variable, first)), Some(picked)) => {
                    self.read_distances((variable, *first), Some(part.index), (picked, ty), span)
                }
                (Some(place), _) => self.read_at(place, Some(part.index), ty, span),
                (None, _) => {
                    self.report_missing(local, of.many.element, &of.leaves, places, &part.path);
                    self.element(part.index, ty, (&of.leaves, places), part.path, span)
                }
            };
            self.body.exprs.replace_by(part.at, value);
        }
    }

    /// The uses of elements of a variable, those within an index of others first, and whether it is used in another way.
    fn element_uses(&self, local: LocalId, of: &ManyLeaves) -> (Vec<ElementUse>, Option<ExprId>) {
        let live = self.body.expressions();
        let uses = ElementUses {
            types: &self.cx.program.types,
            exprs: &self.body.exprs,
            parents: self.body.exprs.parents(&live),
            leaves: &of.leaves,
            direction: of.direction,
        };
        let (mut found, mut whole) = (Vec::new(), None);
        for &id in &live {
            if !matches!(self.body.exprs[id].kind, ExprKind::Local(l) if l == local) {
                continue;
            }
            let element = uses.parents.get(&id).and_then(|parent| match self.body.exprs[*parent].kind {
                ExprKind::Index(base, index) if base == id => Some((*parent, index)),
                _ => None,
            });
            match element {
                Some((at, index)) => found.push(uses.part_of(at, index)),
                None => whole = Some(id),
            }
        }
        // Children come before their parents.
        let order: FxHashMap<ExprId, usize> = live.into_iter().zip(0..).collect();
        found.sort_by_key(|part| order.get(&part.at).copied());
        (found, whole)
    }

    /// Indices that would be evaluated several times and do something become variables.
    fn once(&mut self, local: LocalId, of: &ManyLeaves) {
        let (uses, _) = self.element_uses(local, of);
        let effects = self.cx.effects();
        let mut several = Vec::new();
        for part in &uses {
            match &part.picked {
                Some(picked) if picked.numbers.len() > 1 => {
                    several.push(part.index);
                    several.extend(picked.further.iter().map(|(index, _)| *index));
                }
                None if part.leaf.is_none() => several.push(part.index),
                Some(_) | None => {}
            }
        }
        several.retain(|index| !is_pure(&self.body.exprs, *index));
        let marks: Marks = several.into_iter().map(|index| (index, Mark::Value(Symbol::new("index")))).collect();
        hoist::hoist(self.cx.program, &effects, &mut self.body, marks);
    }

    /// An element, or a part of one, put together from its leaves.
    fn element(
        &mut self,
        index: ExprId,
        ty: TypeId,
        (leaves, places): (&[Leaf], &[Replacement]),
        mut path: Vec<Step>,
        span: Span,
    ) -> ExprId {
        let values = leaves.iter().zip(places).map(|(leaf, place)| match place {
            // A value that the stage does not have is 0 in a struct that is shared with another stage.
            Replacement::Missing(..) => self.body.exprs.push(Expr { kind: ExprKind::Zero, ty: leaf.ty, span }),
            _ if !leaf.path.starts_with(&path) => index,
            _ => self.read_at(place, Some(index), leaf.ty, span),
        });
        let values: Vec<ExprId> = values.collect();
        assemble(self.cx.program, &mut self.body.exprs, ty, &mut path, (leaves, &values), span)
    }

    /// A variable of all elements.
    fn whole_input(&mut self, local: LocalId, of: &ManyLeaves, places: &[Replacement]) {
        let Local { span, .. } = self.body.locals[local];
        let count = of.many.count.unwrap_or(1);
        let mut elements = Vec::new();
        for at in 0..count {
            let index = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span).int(at.into());
            elements.push(self.element(index, of.many.element, (&of.leaves, places), Vec::new(), span));
        }
        let ty = self.cx.program.types.array(of.many.element, Some(count));
        let value = self.body.exprs.push(Expr { kind: ExprKind::Construct(elements), ty, span });
        self.retype(local, ty);
        self.start.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
        self.rename_shadowed(local, places);
    }

    fn retype(&mut self, local: LocalId, ty: TypeId) {
        self.body.locals[local].ty = ty;
        for id in self.body.expressions() {
            if matches!(self.body.exprs[id].kind, ExprKind::Local(l) if l == local) {
                self.body.exprs[id].ty = ty;
            }
        }
    }

    /// Outputs that there are many of, in the entry point and in the functions that have them as parameters.
    pub(super) fn shared_outputs(&mut self, outputs: &[&ManyLeaves]) {
        let params: Vec<LocalId> =
            self.cx.program.functions[self.entry.function].params.iter().map(|p| p.local).collect();
        let mut handles = Vec::new();
        let streams = outputs.iter().filter(|of| params.get(of.param).is_some_and(|l| self.stream(*l).is_some()));
        let several = streams.count() > 1;
        let mut number = 0;
        for of in outputs {
            let Some(&local) = params.get(of.param) else { continue };
            let handle = match (self.stream(local), of.many.per) {
                (Some(_), _) => {
                    let places = self.places(local, &of.leaves, Direction::Out);
                    let stream = several.then_some(number);
                    entry_streams::mark(self.cx.program, &places, stream);
                    number += 1;
                    Handle { of, places, stream: Some(Stream { number: stream }) }
                }
                (None, Per::Indices) => Handle { of, places: Vec::new(), stream: None },
                (None, Per::Primitive) => {
                    let places = self.element_places(of, "gl_MeshPrimitivesEXT[$0].");
                    Handle { of, places, stream: None }
                }
                (None, Per::Vertex | Per::VertexIn) => {
                    let places = self.element_places(of, "gl_MeshVerticesEXT[$0].");
                    Handle { of, places, stream: None }
                }
            };
            handles.push((local, handle));
        }
        let bound: Vec<(LocalId, usize)> = handles.iter().enumerate().map(|(i, (local, _))| (*local, i)).collect();
        let handles: Vec<Handle> = handles.into_iter().map(|(_, handle)| handle).collect();
        self.function_outputs(&handles, &bound);
    }

    fn stream(&self, local: LocalId) -> Option<StreamKind> {
        match self.cx.program.types.get(self.body.locals[local].ty) {
            Type::Stream(kind, _) => Some(kind),
            _ => None,
        }
    }

    /// The functions that are given outputs write them themselves, each for its entry point: they are copied for it.
    fn function_outputs(&mut self, handles: &[Handle], bound: &[(LocalId, usize)]) {
        let mut copies: FxHashMap<(FunctionId, Vec<Option<usize>>), FunctionId> = FxHashMap::default();
        let mut open = self.pass_outputs(bound, &mut copies);
        self.write_outputs(handles, bound);
        while let Some((copy, bound)) = open.pop() {
            let code = std::mem::take(&mut self.cx.program.functions[copy].code);
            let entry = std::mem::replace(&mut self.body, code);
            open.extend(self.pass_outputs(&bound, &mut copies));
            self.write_outputs(handles, &bound);
            let code = std::mem::replace(&mut self.body, entry);
            self.cx.program.functions[copy].code = code;
        }
    }

    /// Makes calls that pass outputs calls of functions without these parameters; answers those that are new.
    fn pass_outputs(
        &mut self,
        bound: &[(LocalId, usize)],
        copies: &mut FxHashMap<(FunctionId, Vec<Option<usize>>), FunctionId>,
    ) -> Vec<(FunctionId, Vec<(LocalId, usize)>)> {
        let mut new = Vec::new();
        for id in self.body.expressions() {
            let ExprKind::Call(callee, args) = self.body.exprs[id].kind.clone() else { continue };
            let handle = |arg: &ExprId| match self.body.exprs[*arg].kind {
                ExprKind::Local(l) => bound.iter().find(|(local, _)| *local == l).map(|(_, handle)| *handle),
                _ => None,
            };
            let given: Vec<Option<usize>> = args.iter().map(handle).collect();
            let has_code = matches!(self.cx.program.functions[callee].body, FunctionBody::Block);
            if !has_code || given.iter().all(Option::is_none) {
                continue;
            }
            let copy = *copies.entry((callee, given.clone())).or_insert_with(|| {
                let mut copy = self.cx.program.functions[callee].clone();
                let params = std::mem::take(&mut copy.params);
                let handles = given.iter().zip(&params).filter_map(|(given, p)| Some((p.local, (*given)?)));
                let inner: Vec<(LocalId, usize)> = handles.collect();
                let kept = params.into_iter().zip(&given).filter(|(_, given)| given.is_none());
                copy.params = kept.map(|(param, _)| param).collect();
                let copy = self.cx.program.functions.push(copy);
                self.cx.program.items.put_before(Some(Item::Function(callee)), Item::Function(copy));
                new.push((copy, inner));
                copy
            });
            let kept = args.into_iter().zip(given).filter(|(_, given)| given.is_none()).map(|(arg, _)| arg);
            self.body.exprs[id].kind = ExprKind::Call(copy, kept.collect());
        }
        new
    }

    /// Writes the outputs where a body does.
    fn write_outputs(&mut self, handles: &[Handle], bound: &[(LocalId, usize)]) {
        for &(local, index) in bound {
            let Some(handle) = handles.get(index) else { continue };
            match (handle.stream, handle.of.many.per) {
                (Some(stream), _) => self.stream_output(local, handle.of, &handle.places, stream),
                (None, Per::Indices) => self.mesh_indices(local, handle.of),
                (None, Per::Primitive | Per::Vertex | Per::VertexIn) => {
                    self.element_output(local, handle.of, &handle.places);
                }
            }
        }
    }

    /// The outputs of a mesh shader: elements that are assigned are written leaf by leaf.
    fn element_output(&mut self, local: LocalId, of: &ManyLeaves, places: &[Replacement]) {
        self.once(local, of);
        let (uses, whole) = self.element_uses(local, of);
        self.invert_positions(&uses, of);
        if let Some(whole) = whole {
            let span = self.body.exprs[whole].span;
            self.cx.unsupported(span, "the outputs of a mesh shader are written one by one");
        }
        let mut parts: BTreeMap<ExprId, ElementUse> = BTreeMap::new();
        for part in uses {
            let Expr { ty, span, .. } = self.body.exprs[part.at];
            let place = part.leaf.and_then(|i| places.get(i));
            let lvalue = match (place, &part.picked) {
                (Some(Replacement::Distances(variable, first)), Some(picked)) => {
                    if !picked.further.is_empty() {
                        self.sized_distances(of);
                    }
                    let is_number = matches!(self.cx.program.types.get(ty), Type::Scalar(_));
                    let distances = (variable, *first);
                    is_number.then(|| self.read_distances(distances, Some(part.index), (picked, TypeId::FLOAT), span))
                }
                (Some(place), _) => self.lvalue(place, Some(part.index), span),
                (None, _) => None,
            };
            match lvalue.filter(|value| self.body.exprs[*value].ty == ty) {
                Some(value) => self.body.exprs.replace_by(part.at, value),
                None => {
                    parts.insert(part.at, part);
                }
            }
        }
        let mut done = FxHashSet::default();
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| {
            let target = match stmt.kind {
                StmtKind::Expr(e) => match self.body.exprs[e].kind {
                    ExprKind::Assign(None, target, value) => Some((target, value)),
                    _ => None,
                },
                _ => None,
            };
            let Some((part, value)) = target.and_then(|(target, value)| Some((parts.get(&target)?, value))) else {
                out.push(stmt);
                return;
            };
            done.insert(part.at);
            let start = out.len();
            match (part.leaf.and_then(|i| places.get(i)), &part.picked) {
                (Some(Replacement::Distances(variable, first)), Some(picked)) => {
                    self.write_distances((variable, *first), Some(part.index), (picked, value), out);
                }
                _ => self.write_parts(value, (&of.leaves, places), &part.path, Some(part.index), out),
            }
            stmt.give_comments(out.get_mut(start), true);
        });
        self.body.block = block;
        for part in parts.into_values().filter(|part| !done.contains(&part.at)) {
            let span = self.body.exprs[part.at].span;
            self.cx.unsupported(span, "an output of a mesh shader is assigned, and used in no other way");
        }
    }

    /// Writes a value to the leaves below a path.
    pub(super) fn write_parts(
        &mut self,
        value: ExprId,
        (leaves, places): (&[Leaf], &[Replacement]),
        path: &[Step],
        index: Option<ExprId>,
        out: &mut Vec<Stmt>,
    ) {
        let ty = self.body.exprs[value].ty;
        let below: Vec<(&Leaf, &Replacement)> =
            leaves.iter().zip(places).filter(|(leaf, _)| leaf.path.starts_with(path)).collect();
        let parts = matches!(self.body.exprs[value].kind, ExprKind::Construct(_) | ExprKind::Zero);
        let plain = self.is_plain(value) || below.len() < 2;
        let value = if plain || parts && !matches!(self.cx.program.types.get(ty), Type::Vector(..)) {
            value
        } else {
            self.kept(value, out)
        };
        for (leaf, place) in below {
            let rest = leaf.path.get(path.len()..).unwrap_or_default();
            let mut part = self.taken(value, rest);
            if self.is_inverted(leaf) {
                part = self.inverted(part, &[0, 1, 2, 3]);
            }
            self.write_at(place, index, part, out);
        }
    }

    /// Whether the y of a vertex is turned over where it is written: outputs of these stages cannot be read.
    fn is_inverted(&self, leaf: &Leaf) -> bool {
        let of_vertices = matches!(self.entry.stage, Stage::Geometry | Stage::Mesh);
        of_vertices && self.cx.options.invert_y && leaf.is_position() && has_y(&self.cx.program.types, leaf.ty)
    }

    /// Turns over the y of positions that are assigned by themselves, or by components.
    fn invert_positions(&mut self, uses: &[ElementUse], of: &ManyLeaves) {
        let is_position =
            |part: &&ElementUse| part.leaf.and_then(|i| of.leaves.get(i)).is_some_and(|l| self.is_inverted(l));
        let mut open: BTreeSet<ExprId> = uses.iter().filter(is_position).map(|part| part.at).collect();
        if open.is_empty() {
            return;
        }
        let mut assigned = Vec::new();
        self.body.block.visit(&mut |stmt| {
            let StmtKind::Expr(e) = stmt.kind else { return };
            let ExprKind::Assign(None, target, value) = self.body.exprs[e].kind else { return };
            let (base, components) = match self.body.exprs[target].kind {
                ExprKind::Swizzle(base, swizzle) => (base, swizzle.list().to_vec()),
                ExprKind::Index(base, index) => match self.body.exprs.integer(index).and_then(|i| u8::try_from(i).ok())
                {
                    Some(component) => (base, vec![component]),
                    None => return,
                },
                _ => (target, vec![0, 1, 2, 3]),
            };
            if open.remove(&base) {
                assigned.push((e, target, value, components));
            }
        });
        for (e, target, value, components) in assigned {
            let value = self.inverted(value, &components);
            self.body.exprs[e].kind = ExprKind::Assign(None, target, value);
        }
        for at in open {
            let span = self.body.exprs[at].span;
            let message = "a position whose y is turned over is assigned, as a whole or by constant components, and used in no other way";
            self.cx.unsupported(span, message);
        }
    }

    /// Components of a position, with y turned over.
    fn inverted(&mut self, value: ExprId, components: &[u8]) -> ExprId {
        let Expr { ty, span, .. } = self.body.exprs[value];
        let mut parts = self.body.exprs[value].kind.clone();
        let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
        let length = if let Type::Vector(_, n) = b.types.get(ty) { usize::from(n) } else { 1 };
        let components = components.get(..length).unwrap_or(components);
        if let ([1], 1) = (components, length) {
            return b.negated(value);
        }
        if !components.contains(&1) {
            return value;
        }
        if let ExprKind::Construct(parts) = &mut parts
            && parts.len() == length
        {
            let of_y = parts.iter_mut().zip(components).filter(|(_, component)| **component == 1);
            of_y.for_each(|(part, _)| *part = b.negated(*part));
            return b.construct(std::mem::take(parts), ty);
        }
        let number = b.types.component(ty).unwrap_or(Scalar::F32);
        let number = b.types.scalar(number);
        let signs = components.iter().map(|component| b.number(if *component == 1 { -1 } else { 1 }, number)).collect();
        let signs = b.construct(signs, ty);
        b.binary(BinaryOp::Mul, value, signs)
    }

    /// Whether a value is a variable or a part of one, which may be read several times.
    fn is_plain(&self, value: ExprId) -> bool {
        is_pure(&self.body.exprs, value)
            && matches!(self.body.exprs[self.body.exprs.base(value)].kind, ExprKind::Local(_) | ExprKind::Global(_))
    }

    /// A part of a value; of one that is written out, what is written there.
    pub(super) fn taken(&mut self, value: ExprId, path: &[Step]) -> ExprId {
        let mut value = value;
        for (at, step) in path.iter().enumerate() {
            let part = match (&self.body.exprs[value].kind, step) {
                (ExprKind::Construct(parts), Step::Field(i) | Step::Element(i)) => parts.get(*i as usize).copied(),
                _ => None,
            };
            let members = self.cx.program.members(self.body.exprs[value].ty);
            let whole = members.is_some();
            if let (ExprKind::Zero, Some(members)) = (&self.body.exprs[value].kind, &members) {
                let Some(ty) = members.iter().find(|(own, _)| own == step).map(|(_, ty)| *ty) else { return value };
                let span = self.body.exprs[value].span;
                value = self.body.exprs.push(Expr { kind: ExprKind::Zero, ty, span });
                continue;
            }
            match part.filter(|_| whole) {
                Some(part) => value = part,
                None => {
                    let copy = self.body.exprs.duplicate(value);
                    return self.cx.program.part(&mut self.body.exprs, copy, path.get(at..).unwrap_or_default());
                }
            }
        }
        value
    }

    /// A line before the entry point, once.
    pub(super) fn stage_line(&mut self, line: &str) {
        let function = &mut self.cx.program.functions[self.entry.function];
        let args = vec![AttributeArg::Text(Symbol::new(line))];
        if !function.attributes.iter().any(|a| a.name == STAGE_LAYOUT && a.args == args) {
            let made = super::stage_io::attribute(STAGE_LAYOUT, args, function.span);
            function.attributes.push(made);
        }
    }

    /// `layout(qualifiers) word;` before the entry point.
    pub(super) fn stage_layout(&mut self, qualifiers: &str, word: &str) {
        let span = self.cx.program.functions[self.entry.function].span;
        let args = [qualifiers, word].map(|text| AttributeArg::Text(Symbol::new(text)));
        let made = super::stage_io::attribute(STAGE_LAYOUT, args.to_vec(), span);
        self.cx.program.functions[self.entry.function].attributes.push(made);
    }
}

/// Outputs that functions may have as parameters.
struct Handle<'a> {
    of: &'a ManyLeaves,
    places: Vec<Replacement>,
    /// They are a stream.
    stream: Option<Stream>,
}
