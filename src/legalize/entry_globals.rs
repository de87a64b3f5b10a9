//! Turn the parameters and the result of an entry point into global inputs and outputs.
//!
//! Before: `VSOutput main(VSInput input) { VSOutput output; output.pos = f(input.pos); return output; }`
//! After:  `in vec3 inPos;  void main() { gl_Position = f(inPos); }`
//!
//! A struct of which only fields are used disappears; one that is used as a whole stays as a variable that is filled at the
//! start, or copied to the outputs at each return.
//!
//! A way of [`super::entry_points`].

mod outputs;

use super::entry_distances::Picked;
use super::missing_inputs::{Incoming, Semantics, plain_semantic};
use super::stage_io::{
    Flatten, Leaf, ManyLeaves, Source, accesses, adapt, as_in_target, assemble, attribute, has_w, interface_type,
    name_of_semantic, only_w, position_value, reciprocal_w, sees_w,
};
use super::{Context, entry_meshes, entry_patches, entry_streams};
use crate::diagnostic::{Code, Diagnostic};
use crate::layout::locations::Per;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::system_values::{
    Direction, INVOCATION, MOST_DISTANCES, Spelling, distance_variable, level_variable,
};
use crate::target::{Capability, EXTENSION_ATTRIBUTE, Varyings};
use crate::tree::*;
use rustc_hash::FxHashMap;

/// Lowers every entry point.
pub fn run(cx: &mut Context) {
    let primitives = entry_meshes::primitives(cx);
    for (index, entry) in cx.program.entry_points.clone().into_iter().enumerate() {
        match entry.stage {
            Stage::Hull => entry_patches::hull(cx, index, entry),
            Stage::Vertex
            | Stage::Domain
            | Stage::Geometry
            | Stage::Fragment
            | Stage::Compute
            | Stage::Amplification
            | Stage::Mesh
            | Stage::RayGeneration
            | Stage::Intersection
            | Stage::AnyHit
            | Stage::ClosestHit
            | Stage::Miss
            | Stage::Callable => lower(cx, index, entry, &primitives),
        }
    }
    entry_patches::as_arrays(cx.program);
    if cx.profile.facts.varyings == Varyings::Names {
        one_way(cx);
    }
}

/// Where names connect the stages, what comes in and what goes out cannot have one name.
fn one_way(cx: &mut Context) {
    let mut found = Vec::new();
    for entry in &*cx.program.entry_points {
        let globals = || entry.interface.iter().map(|id| &cx.program.globals[*id]);
        for output in globals().filter(|g| g.kind == GlobalKind::Output) {
            if globals().any(|g| g.kind == GlobalKind::Input && g.name == output.name) {
                found.push((output.span, entry.stage.name()));
            }
        }
    }
    for (span, stage) in found {
        let message = format!("{} connects stages by names, so that a {stage} shader has no", cx.profile.name);
        cx.unsupported(span, format!("{message} output with the semantic of an input"));
    }
}

/// What stands for a leaf in the body. Of what there is one for each vertex or primitive, it stands for the one at an index.
#[derive(Clone)]
pub(super) enum Replacement {
    /// A global input or output.
    Global(GlobalId, TypeId),
    /// The invocation's own element of a global output.
    Invocation(GlobalId, TypeId),
    /// A builtin variable and its type in the target.
    Builtin(Template, TypeId),
    /// Components of an array of distances or levels from an index on.
    Distances(Template, u32),
    /// An array of levels, and its type in the source, which may be shorter.
    Levels(Template, TypeId),
    /// Nothing: a system value that the stage does not have.
    Missing(Symbol, Span),
}

/// A leaf of a control point, and what stands for it.
pub(super) type ControlPoint = (Leaf, Replacement);

pub(super) struct GlobalLowering<'a, 'b> {
    pub(super) cx: &'a mut Context<'b>,
    /// Which entry point this is.
    pub(super) index: usize,
    pub(super) entry: EntryPoint,
    pub(super) body: Body,
    /// Statements before those of the body.
    pub(super) start: Vec<Stmt>,
    /// Where the distances of a semantic and index begin in their array.
    pub(super) distances: FxHashMap<(Direction, String, u32), u32>,
    /// The outputs of a control point, with what stands for them.
    pub(super) control_point: Vec<ControlPoint>,
    /// The semantics of what goes out.
    pub(super) going_out: Vec<Semantics>,
}

/// Distances come in the order of their semantics' indices, whichever is declared first.
fn distances(types: &Types, all: &[(Direction, Vec<&Leaf>)]) -> FxHashMap<(Direction, String, u32), u32> {
    let mut firsts = FxHashMap::default();
    for (direction, leaves) in all {
        let of = |l: &Leaf| Some((l.semantic.clone().filter(|(s, _)| distance_variable(s).is_some())?, l.ty));
        let mut found: Vec<_> = leaves.iter().copied().filter_map(of).collect();
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut next: FxHashMap<String, u32> = FxHashMap::default();
        for ((semantic, index), ty) in found {
            let first = next.entry(semantic.clone()).or_insert(0);
            firsts.insert((*direction, semantic, index), *first);
            *first = first.saturating_add(components(types, ty).len() as u32);
        }
    }
    firsts
}

/// The way to each number of a scalar, vector, or array of them.
pub(super) fn components(types: &Types, ty: TypeId) -> Vec<Vec<u32>> {
    let inner = |element: TypeId, n: u32| {
        let below = components(types, element);
        let paths = (0..n).flat_map(|i| below.iter().map(move |path| [&[i], path.as_slice()].concat()));
        // What has more is an error.
        paths.take(MOST_DISTANCES as usize + 1).collect()
    };
    match types.get(ty) {
        Type::Array(element, n) => inner(element, n.laid_out().unwrap_or(1)),
        Type::Vector(_, n) => (0..n.into()).map(|i| vec![i]).collect(),
        _ => vec![Vec::new()],
    }
}

fn lower(cx: &mut Context, index: usize, entry: EntryPoint, primitives: &[entry_meshes::PrimitiveName]) {
    let settings = cx.layout.settings;
    let elements = Flatten { program: cx.program, split: false, settings }.elements(&entry);
    let (mut l, mut inputs, outputs) = GlobalLowering::new(cx, index, entry, &elements);
    l.mark_primitives(&mut inputs, primitives);
    let written = l.parameters(&inputs, &outputs, &elements);
    l.elements(&elements);
    match l.entry.stage {
        Stage::Geometry => entry_streams::layout(&mut l),
        Stage::Domain => entry_patches::domain_layout(&mut l),
        Stage::Mesh => entry_meshes::layout(&mut l, &elements),
        Stage::Vertex
        | Stage::Hull
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
    let result: Vec<Leaf> = outputs.into_iter().filter(|leaf| leaf.source == Source::Result).collect();
    l.returns(result, written);
    l.finish();
}

/// What is copied to the outputs at each return.
pub(super) type Written = Vec<(LocalId, Vec<Leaf>, Vec<Replacement>)>;

/// A value of a type of its numbers in order.
pub(super) fn put_together(b: &mut Build, ty: TypeId, parts: &mut dyn Iterator<Item = ExprId>) -> ExprId {
    let values: Vec<ExprId> = match b.types.get(ty) {
        Type::Array(element, n) => {
            (0..n.laid_out().unwrap_or(1).min(MOST_DISTANCES)).map(|_| put_together(b, element, parts)).collect()
        }
        Type::Vector(scalar, n) => {
            let number = b.types.scalar(scalar);
            (0..n).map(|_| put_together(b, number, parts)).collect()
        }
        _ => {
            let part = parts.next().unwrap_or_else(|| b.add(ExprKind::Zero, ty));
            return b.convert(part, ty);
        }
    };
    b.construct(values, ty)
}

impl<'a, 'b> GlobalLowering<'a, 'b> {
    /// The start of the work on an entry point, with its inputs and outputs.
    pub(super) fn new(
        cx: &'a mut Context<'b>,
        index: usize,
        entry: EntryPoint,
        elements: &[ManyLeaves],
    ) -> (Self, Vec<Leaf>, Vec<Leaf>) {
        let settings = cx.layout.settings;
        let mut leaves = |direction| Flatten { program: cx.program, split: false, settings }.leaves(&entry, direction);
        let (mut inputs, outputs) = (leaves(Direction::In), leaves(Direction::Out));
        if cx.options.target_position_w {
            as_in_target(entry.stage, &mut inputs);
        }
        let all = [(Direction::In, &inputs), (Direction::Out, &outputs)].map(|(direction, leaves)| {
            let many = elements.iter().filter(|e| e.direction == direction).flat_map(|e| &e.leaves);
            (direction, leaves.iter().chain(many).collect())
        });
        let distances = distances(&cx.program.types, &all);
        let [_, (_, out)] = &all;
        let going_out = out.iter().filter_map(|leaf| plain_semantic(leaf)).collect();
        let body = std::mem::take(&mut cx.program.functions[entry.function].code);
        let (start, control_point) = (Vec::new(), Vec::new());
        (GlobalLowering { cx, index, entry, body, start, distances, control_point, going_out }, inputs, outputs)
    }

    /// The parameters that there is one of, and what of them is written at each return.
    pub(super) fn parameters(&mut self, inputs: &[Leaf], outputs: &[Leaf], elements: &[ManyLeaves]) -> Written {
        let mut written = Vec::new();
        for (index, param) in self.cx.program.functions[self.entry.function].params.clone().into_iter().enumerate() {
            if elements.iter().any(|e| e.param == index) {
                continue;
            }
            let of = |leaves: &[Leaf]| -> Vec<Leaf> {
                leaves.iter().filter(|leaf| leaf.source == Source::Param(index)).cloned().collect()
            };
            match param.mode {
                ParamMode::In => self.input(param.local, &of(inputs), true),
                ParamMode::Out => written.extend(self.output(param.local, of(outputs))),
                ParamMode::InOut | ParamMode::Ref => {
                    self.input(param.local, &of(inputs), false);
                    let leaves = of(outputs);
                    let places = self.places(param.local, &leaves, Direction::Out);
                    written.push((param.local, leaves, places));
                }
            }
        }
        written
    }

    /// Parameters that are one value for each vertex or primitive.
    fn elements(&mut self, elements: &[ManyLeaves]) {
        for of in elements.iter().filter(|e| e.many.per == Per::VertexIn) {
            let places = self.element_places(of, "gl_in[$0].");
            self.element_input(of, &places);
        }
        let outputs: Vec<&ManyLeaves> = elements.iter().filter(|e| e.many.per != Per::VertexIn).collect();
        self.shared_outputs(&outputs);
    }

    /// What stands for each leaf: new globals, or builtins.
    pub(super) fn places(&mut self, local: LocalId, leaves: &[Leaf], direction: Direction) -> Vec<Replacement> {
        let base = self.body.locals.iter().nth(local.index()).map(|(_, l)| l.name);
        leaves.iter().map(|leaf| self.place(leaf, base.map_or("", |n| n.as_str()), direction)).collect()
    }

    pub(super) fn place(&mut self, leaf: &Leaf, base: &str, direction: Direction) -> Replacement {
        if self.entry.stage == Stage::Hull && direction == Direction::Out && !leaf.of_patch {
            return self.control_point_place(leaf, base);
        }
        if !leaf.is_system() {
            return self.global(leaf, base, direction);
        }
        let (semantic, index) = leaf.semantic.clone().unwrap_or_default();
        let of_stage = (direction == Direction::Out) != (self.entry.stage == Stage::Fragment) && !leaf.of_patch;
        if let Some(place) = self.distance_place(leaf, direction, "").filter(|_| of_stage) {
            return place;
        }
        let of_levels =
            matches!((self.entry.stage, direction), (Stage::Hull, Direction::Out) | (Stage::Domain, Direction::In));
        if let Some(levels) = level_variable(&semantic).filter(|_| of_levels) {
            return self.level_place(leaf, levels, &semantic, index);
        }
        let missing = Replacement::Missing(Symbol::new(&semantic), leaf.span);
        let Some(value) = leaf.system(self.entry.stage, direction) else { return missing };
        let Some((spelling, scalar, length)) = value.variable else { return missing };
        if !matches!(self.cx.program.types.get(leaf.ty), Type::Scalar(_) | Type::Vector(..)) {
            let (given, semantic) = (self.cx.program.type_name(leaf.ty), spelled(&semantic));
            let message = format!("`{semantic}` is a scalar or a vector in {}, not `{given}`", self.cx.profile.name);
            self.cx.unsupported(leaf.span, message);
        }
        let linear = value.linear.filter(|_| leaf.modifiers.has(Modifiers::NOPERSPECTIVE));
        let spelling = linear.unwrap_or(spelling);
        self.extension(value.extension, leaf.span);
        if direction == Direction::Out && leaf.is_position() && leaf.modifiers.has(Modifiers::PRECISE) {
            self.stage_line(&format!("precise {spelling};"));
        }
        if let Some(layout) = value.layout {
            self.redeclare((spelling, scalar, length), leaf, layout);
        }
        let types = &mut self.cx.program.types;
        let ty = types.scalar_or_vector(scalar, length);
        match Template::parse(spelling) {
            Ok(template) => Replacement::Builtin(template, ty),
            Err(_) => missing,
        }
    }

    /// The levels of a leaf: one, or several.
    fn level_place(&mut self, leaf: &Leaf, (variable, most): (&str, u32), name: &str, index: u32) -> Replacement {
        let types = &self.cx.program.types;
        let (element, count) = types.array_parts(leaf.ty).unwrap_or((leaf.ty, Length::Fixed(1)));
        let (is_number, end) =
            (matches!(types.get(element), Type::Scalar(s) if s.is_float()), count.fixed().unwrap_or(most + 1));
        if !is_number {
            let message = format!("`{}` must be of `float` in {}", spelled(name), self.cx.profile.name);
            self.cx.unsupported(leaf.span, message);
        } else if end.saturating_add(index) > most {
            let name = spelled(name);
            let message = format!("{} has {most} `{name}`, and here are {end}", self.cx.profile.name);
            self.cx.unsupported(leaf.span, message);
        }
        let template = |text: &str| Template::parse(text).unwrap_or_default();
        match self.cx.program.types.get(leaf.ty) {
            Type::Scalar(_) => Replacement::Builtin(template(&format!("{variable}[{index}]")), TypeId::FLOAT),
            Type::Array(..) if index == 0 && element == TypeId::FLOAT => {
                Replacement::Levels(template(variable), leaf.ty)
            }
            _ => Replacement::Distances(template(variable), index),
        }
    }

    /// The distances of a leaf, in the block of a vertex if there are many.
    pub(super) fn distance_place(&mut self, leaf: &Leaf, direction: Direction, block: &str) -> Option<Replacement> {
        let (semantic, index) = leaf.semantic.clone()?;
        let variable = Template::parse(&format!("{block}{}", distance_variable(&semantic)?)).ok()?;
        let first = self.distances.get(&(direction, semantic, index)).copied().unwrap_or(0);
        let end = first.saturating_add(components(&self.cx.program.types, leaf.ty).len() as u32);
        if end > MOST_DISTANCES {
            let message = format!("a stage has at most {MOST_DISTANCES} distances of one kind");
            self.cx.unsupported(leaf.span, message);
        }
        Some(Replacement::Distances(variable, first))
    }

    pub(super) fn extension(&mut self, name: &str, span: Span) {
        if !name.is_empty() {
            let made = attribute(EXTENSION_ATTRIBUTE, vec![AttributeArg::Text(Symbol::new(name))], span);
            let attributes = &mut self.cx.program.functions[self.entry.function].attributes;
            if !attributes.iter().any(|a| a.name == made.name && a.args == made.args) {
                attributes.push(made);
            }
        }
    }

    /// `layout(depth_greater) out float gl_FragDepth;`
    fn redeclare(&mut self, (name, scalar, length): Spelling, leaf: &Leaf, layout: &str) {
        let ty = self.cx.program.types.scalar_or_vector(scalar, length);
        let mut global = new_global(name, ty, GlobalKind::Output, leaf);
        global.explicit.location = None;
        global.origin = Origin::Builtin;
        global.modifiers = Modifiers::default();
        global.attributes.push(attribute("__layout", vec![AttributeArg::Text(Symbol::new(layout))], leaf.span));
        self.add_global(global);
    }

    fn add_global(&mut self, global: Global) -> GlobalId {
        let id = self.cx.program.globals.push(global);
        // Outputs and inputs stand together, before the entry point's function.
        self.cx.program.items.put_before(Some(Item::Function(self.entry.function)), Item::Global(id));
        if let Some(entry) = self.cx.program.entry_points.get_mut(self.index) {
            entry.interface.push(id);
        }
        id
    }

    /// Reports an address that stages were to pass each other.
    fn refuse_address(&mut self, leaf: &Leaf) {
        let types = &self.cx.program.types;
        if matches!(types.get(types.innermost(leaf.ty)), Type::Pointer(..)) {
            let message = format!("{} has no stage inputs and outputs that are addresses", self.cx.profile.name);
            let note = "a pointer without a semantic is a shader parameter";
            self.cx.diags.push(Diagnostic::error(Code::CAPABILITY, leaf.span, message).note(note));
        }
    }

    /// A new input or output. Integers are flat between stages, and `bool` travels as `uint`.
    pub(super) fn global(&mut self, leaf: &Leaf, base: &str, direction: Direction) -> Replacement {
        let kind = if direction == Direction::In { GlobalKind::Input } else { GlobalKind::Output };
        let name = match (base.is_empty(), leaf.name.is_empty()) {
            (false, false) => named_by_direction(base, &leaf.name, direction),
            (false, true) => base.to_owned(),
            (true, false) => format!("out_{}", leaf.name),
            (true, true) => format!("out_{}", name_of_semantic(leaf)),
        };
        // Where names connect the stages, the same semantic has the same name in both.
        let by_name = self.cx.profile.facts.varyings == Varyings::Names;
        let outer = match direction {
            Direction::In => Stage::Vertex,
            Direction::Out => Stage::Fragment,
        };
        let name = match (by_name && self.entry.stage != outer, &leaf.semantic) {
            (true, Some((semantic, index))) => format!("v_{}{index}", semantic.to_ascii_lowercase()),
            (true, None) => format!("v_{}", leaf.location.unwrap_or(0)),
            (false, _) => name,
        };
        let ty = interface_type(&mut self.cx.program.types, leaf.ty);
        let innermost = self.cx.program.types.innermost(ty);
        if outer == Stage::Fragment
            && self.entry.stage == outer
            && matches!(self.cx.program.types.get(innermost), Type::Matrix(..))
        {
            let message = format!("an output of a fragment shader cannot be a matrix in {}", self.cx.profile.name);
            self.cx.unsupported(leaf.span, message);
        }
        self.refuse_address(leaf);
        let mut global = new_global(&name, ty, kind, leaf);
        let between = match direction {
            Direction::In => self.entry.stage == Stage::Fragment,
            Direction::Out => !matches!(self.entry.stage, Stage::Fragment | Stage::Hull),
        };
        global.storage = leaf.of_patch.then(|| Symbol::new("patch"));
        let types = &self.cx.program.types;
        let flat = types.component(types.innermost(ty)).is_some_and(|s| s.is_integer() || s == Scalar::F64);
        if between && flat {
            let others = [Modifiers::LINEAR, Modifiers::CENTROID, Modifiers::NOPERSPECTIVE, Modifiers::SAMPLE];
            others.into_iter().for_each(|other| global.modifiers.clear(other));
            global.modifiers.set(Modifiers::NOINTERPOLATION);
        }
        if !between {
            global.modifiers = Modifiers::default();
        }
        // What nothing reads at a vertex is the value of the first one.
        if direction == Direction::Out || !self.cx.profile.has(Capability::Barycentrics) {
            global.modifiers.clear(Modifiers::PERVERTEX);
        }
        Replacement::Global(self.add_global(global), ty)
    }

    /// The variable of a place that has one; of what there are many, the one at an index.
    pub(super) fn lvalue(&mut self, place: &Replacement, index: Option<ExprId>, span: Span) -> Option<ExprId> {
        let index = index.map(|i| self.body.exprs.duplicate(i));
        let program = &mut *self.cx.program;
        let mut b = Build::new(&mut program.types, &mut self.body.exprs, span);
        match place {
            Replacement::Global(id, own) => match index {
                Some(index) => {
                    let whole = b.global(*id, program.globals[*id].ty);
                    Some(b.add(ExprKind::Index(whole, index), *own))
                }
                None => Some(b.global(*id, *own)),
            },
            Replacement::Invocation(id, own) => {
                let whole = b.global(*id, program.globals[*id].ty);
                let index = b.native(Template::parse(INVOCATION).unwrap_or_default(), Vec::new(), TypeId::INT);
                Some(b.add(ExprKind::Index(whole, index), *own))
            }
            Replacement::Builtin(template, own) => Some(b.native(template.clone(), index.into_iter().collect(), *own)),
            Replacement::Distances(..) | Replacement::Levels(..) | Replacement::Missing(..) => None,
        }
    }

    /// The value of a leaf at its place, as the source's type.
    fn read(&mut self, place: &Replacement, ty: TypeId, span: Span) -> ExprId {
        self.read_at(place, None, ty, span)
    }

    /// The value of a leaf at its place, perhaps the one at an index, as the source's type.
    pub(super) fn read_at(&mut self, place: &Replacement, index: Option<ExprId>, ty: TypeId, span: Span) -> ExprId {
        if let Some(value) = self.lvalue(place, index, span) {
            let program = &mut *self.cx.program;
            let mut b = Build::new(&mut program.types, &mut self.body.exprs, span);
            return match place {
                Replacement::Builtin(..) => adapt(&mut b, value, ty),
                _ => b.convert(value, ty),
            };
        }
        match place {
            Replacement::Distances(variable, first) => {
                let all = Picked::all(&self.cx.program.types, ty);
                self.read_distances((variable, *first), index, (&all, ty), span)
            }
            Replacement::Levels(variable, _) => {
                let levels = Replacement::Distances(variable.clone(), 0);
                self.read_at(&levels, index, ty, span)
            }
            Replacement::Missing(semantic, place) => {
                self.cx.lacks_system_value(self.entry.stage, *place, semantic.as_str());
                self.body.exprs.push(Expr { kind: ExprKind::Zero, ty, span })
            }
            _ => self.body.exprs.push(Expr { kind: ExprKind::Zero, ty, span }),
        }
    }

    /// Statements that write a value to a leaf's place.
    fn write(&mut self, place: &Replacement, value: ExprId, out: &mut Vec<Stmt>) {
        self.write_at(place, None, value, out);
    }

    /// Statements that write a value to a leaf's place, perhaps the one at an index.
    pub(super) fn write_at(&mut self, place: &Replacement, index: Option<ExprId>, value: ExprId, out: &mut Vec<Stmt>) {
        let Expr { ty, span, .. } = self.body.exprs[value];
        if let Some(target) = self.lvalue(place, index, span) {
            let program = &mut *self.cx.program;
            let mut b = Build::new(&mut program.types, &mut self.body.exprs, span);
            let own = b.exprs[target].ty;
            let value = match place {
                Replacement::Builtin(..) => adapt(&mut b, value, own),
                _ => b.convert(value, own),
            };
            out.push(b.set(target, value));
            return;
        }
        match place {
            Replacement::Distances(variable, first) => {
                let all = Picked::all(&self.cx.program.types, ty);
                self.write_distances((variable, *first), index, (&all, value), out);
            }
            Replacement::Levels(variable, _) => {
                self.write_at(&Replacement::Distances(variable.clone(), 0), index, value, out);
            }
            // Nobody reads it: what the target has no word for is left out if the value is harmless.
            Replacement::Missing(semantic, place) => {
                let (profile, stage) = (self.cx.profile.name, self.entry.stage.name());
                let name = spelled(semantic.as_str());
                let message = format!("{profile} has no `{name}` as an output of {stage} shaders");
                self.cx.no_system_value(*place, semantic.as_str(), message);
            }
            _ => {}
        }
    }

    /// An input parameter: its fields become globals where they are used, or it becomes a variable filled at the start.
    fn input(&mut self, local: LocalId, leaves: &[Leaf], replace: bool) {
        let places = self.places(local, leaves, Direction::In);
        let free = replace && !self.cx.program.written_locals(&self.body).contains(&local);
        let found = accesses(&self.body, local, leaves, &|_| false).filter(|_| free);
        match found {
            Some(found) if self.is_worth(&found, &places, leaves) => {
                self.cx.omits_unread(leaves, &found);
                for (id, index) in found {
                    let (Some(place), Some(leaf)) = (places.get(index), leaves.get(index)) else { continue };
                    if leaf.is_position()
                        && let (Some(w), Replacement::Builtin(_, own)) = (only_w(&self.body, id), place)
                    {
                        let span = self.body.exprs[id].span;
                        let position = self.read(place, *own, span);
                        let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
                        let value = reciprocal_w(&mut b, position);
                        let value = b.convert(value, b.exprs[w].ty);
                        self.body.exprs.replace_by(w, value);
                        continue;
                    }
                    let (ty, span) = (leaf.ty, self.body.exprs[id].span);
                    let value = match place {
                        Replacement::Levels(variable, own) => self.levels(variable, *own, span),
                        _ if leaf.is_position() => self.position(id, place, ty, span),
                        _ => self.read(place, ty, span),
                    };
                    self.body.exprs.replace_by(id, value);
                }
            }
            _ => {
                let (ty, span) = (self.body.locals[local].ty, self.body.locals[local].span);
                self.report_missing(local, ty, leaves, &places, &[]);
                let value = self.whole(ty, leaves, &places, span);
                self.start.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
                self.rename_shadowed(local, &places);
            }
        }
    }

    /// Whether uses are replaced in place: not where a computed builtin would be repeated.
    fn is_worth(&self, found: &[(ExprId, usize)], places: &[Replacement], leaves: &[Leaf]) -> bool {
        places.iter().zip(leaves).enumerate().all(|(index, (place, leaf))| {
            let plain = match place {
                Replacement::Builtin(_, own) => *own == leaf.ty,
                Replacement::Distances(..) => !matches!(self.cx.program.types.get(leaf.ty), Type::Array(..)),
                Replacement::Global(_, own) | Replacement::Invocation(_, own) => *own == leaf.ty,
                Replacement::Levels(..) => self.are_indexed(found, index),
                Replacement::Missing(..) => true,
            };
            plain || !leaf.path.is_empty() || found.iter().filter(|(_, i)| *i == index).count() <= 1
        })
    }

    /// Whether all uses of an array of levels take one of them.
    fn are_indexed(&self, found: &[(ExprId, usize)], index: usize) -> bool {
        let live = self.body.expressions();
        let parents = self.body.exprs.parents(&live);
        found.iter().filter(|(_, i)| *i == index).all(|(id, _)| {
            let parent = parents.get(id).map(|parent| &self.body.exprs[*parent].kind);
            matches!(parent, Some(ExprKind::Index(base, _)) if base == id)
        })
    }

    fn levels(&mut self, variable: &Template, ty: TypeId, span: Span) -> ExprId {
        Build::new(&mut self.cx.program.types, &mut self.body.exprs, span).native(variable.clone(), Vec::new(), ty)
    }

    /// A variable that takes the name of a global is named as the source has it, and the global makes way.
    pub(super) fn rename_shadowed(&mut self, local: LocalId, places: &[Replacement]) {
        let name = self.body.locals[local].name;
        for place in places {
            if let Replacement::Global(id, _) = place
                && self.cx.program.globals[*id].name == name
            {
                self.cx.program.globals[*id].name = Symbol::new(&format!("in_{name}"));
            }
        }
    }

    /// Reports what the stage does not have of a variable, or of the part of it at the end of a path, that is used as a whole.
    pub(super) fn report_missing(
        &mut self,
        local: LocalId,
        ty: TypeId,
        leaves: &[Leaf],
        places: &[Replacement],
        path: &[Step],
    ) {
        let is_missing = |leaf: &Leaf, place: &Replacement| {
            matches!(place, Replacement::Missing(..)) && leaf.is_system() && leaf.path.starts_with(path)
        };
        let missing = leaves.iter().zip(places).filter(|(leaf, place)| is_missing(leaf, place)).map(|(leaf, _)| leaf);
        let incoming = Incoming { local, ty, going_out: &self.going_out };
        self.cx.report_missing((&self.entry, &self.body), &incoming, missing);
    }

    /// A value put together from places.
    fn whole(&mut self, ty: TypeId, leaves: &[Leaf], places: &[Replacement], span: Span) -> ExprId {
        let mut values = Vec::new();
        for (leaf, place) in leaves.iter().zip(places) {
            // A value that the stage does not have is 0 in a struct that is shared with another stage.
            let value = match place {
                Replacement::Missing(..) if !leaf.path.is_empty() => {
                    self.body.exprs.push(Expr { kind: ExprKind::Zero, ty: leaf.ty, span })
                }
                _ if leaf.is_position() && has_w(&self.cx.program.types, leaf.ty) => {
                    self.position_value(place, leaf.ty, span)
                }
                _ => self.read(place, leaf.ty, span),
            };
            values.push(value);
        }
        assemble(self.cx.program, &mut self.body.exprs, ty, &mut Vec::new(), (leaves, &values), span)
    }

    /// A use of the position in a fragment shader. Its `w` is the reciprocal of what D3D gives, so it is turned over where
    /// the use may see it.
    fn position(&mut self, id: ExprId, place: &Replacement, ty: TypeId, span: Span) -> ExprId {
        let sees_w = has_w(&self.cx.program.types, ty) && sees_w(self.cx.program, &self.body, id);
        if sees_w { self.position_value(place, ty, span) } else { self.read(place, ty, span) }
    }

    fn position_value(&mut self, place: &Replacement, ty: TypeId, span: Span) -> ExprId {
        let Replacement::Builtin(_, own) = *place else { return self.read(place, ty, span) };
        let (a, b) = (self.read(place, own, span), self.read(place, own, span));
        let mut build = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
        let value = position_value(&mut build, a, b);
        adapt(&mut build, value, ty)
    }

    pub(super) fn finish(mut self) {
        self.body.block.stmts.splice(0..0, self.start);
        let function = &mut self.cx.program.functions[self.entry.function];
        function.code = self.body;
        function.params.clear();
        function.result = TypeId::VOID;
        function.result_semantic = None;
    }
}

fn new_global(name: &str, ty: TypeId, kind: GlobalKind, leaf: &Leaf) -> Global {
    Global {
        modifiers: leaf.modifiers,
        explicit: Explicit {
            location: leaf.location.map(|n| (n, leaf.span)),
            index: leaf.index,
            ..Explicit::default()
        },
        comments: leaf.comments.clone(),
        ..Global::new(name, ty, kind, leaf.span)
    }
}

/// The name of a part of an input or output: `inColor` of what is called `input`, as people write it, else `vertex_color`.
fn named_by_direction(base: &str, part: &str, direction: Direction) -> String {
    let (word, whole) = match direction {
        Direction::In => ("in", "input"),
        Direction::Out => ("out", "output"),
    };
    if !base.eq_ignore_ascii_case(word) && !base.eq_ignore_ascii_case(whole) {
        return format!("{base}_{part}");
    }
    if part.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_uppercase)) {
        return part.to_owned();
    }
    let mut letters = part.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase()).unwrap_or_default();
    format!("{word}{first}{}", letters.as_str())
}
