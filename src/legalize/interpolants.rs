//! Builtins that evaluate an input of a fragment shader elsewhere are given the input itself, and inputs that are read at
//! the vertices of the triangle are arrays of three values.
//!
//! Before: `in float3 color;  float3 tint(float3 c) { return EvaluateAttributeCentroid(c); }   tint(color)`
//! After:  `in float3 color;  float3 tint() { return EvaluateAttributeCentroid(color); }       tint()`
//!
//! Before: `nointerpolation in float3 color;  GetAttributeAtVertex(color, 1) + color`
//! After:  `pervertex in float3 color[3];     color[1] + color[0]`
//!
//! A function that hands its parameter to such a builtin is made for the inputs that it is called with.
//!
//! Spec: GLSL 4.60, 8.13.2 "Interpolation Functions"; GL_EXT_fragment_shader_barycentric.

mod converted;
mod indexed;
mod statics;
mod taken;

use super::constant_parameters::{constants, initialized};
use super::needs::{Find, callee};
use super::stage_io::attribute;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::system_values::{self, Direction};
use crate::target::{Capability, EXTENSION_ATTRIBUTE, Profile};
use crate::tree::ExprKinds;
use crate::tree::analyses::AT_VERTEX;
use crate::tree::dump::expr_text;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) use converted::PASS as CONVERTED;
pub(super) use indexed::PASS as INDEXED;

pub(super) const PASS: Pass = Pass {
    name: "interpolants",
    removes: &[
        (Capability::PassedInterpolants, Find::at(ExprKinds::CALL, is_left)),
        (Capability::PassedInterpolants, Find::Global(|_, global| is_open(global))),
    ],
    after: &["entry_points"],
    run,
    ..Pass::ROW
};

/// The attribute of builtins whose first argument is an input that is evaluated at another place.
const ELSEWHERE: &str = "__interpolates";

/// System values of a fragment shader that are no values of vertices which it could evaluate elsewhere.
const GENERATED: &[&str] = &["SV_COVERAGE", "SV_INNERCOVERAGE", "SV_POSITION", "SV_SAMPLEINDEX", "SV_VIEWID"];

fn is_generated(semantic: Option<Semantic>) -> bool {
    semantic.is_some_and(|semantic| GENERATED.contains(&semantic.split().0.as_str()))
}

/// How deep calls are followed.
const DEPTH: u32 = 200;

/// What a value of inputs is.
#[derive(Clone, Debug)]
enum Interpolant {
    /// An input, or a part of one, or an arrangement of components of some; there are no variables in it.
    Input(ExprTree),
    /// The fields of a struct, or elements of an array.
    Parts(Vec<Option<Interpolant>>),
}

type KnownInputs = FxHashMap<LocalId, Interpolant>;
/// A function as it is made for what some parameters are, which is spelled out.
type MadeForInputs = (FunctionId, Vec<Option<String>>);

/// Whether a function is a builtin of this attribute. What the library writes out row by row calls such a one.
fn is(function: &Function, attribute: &str) -> bool {
    function.is_marked(attribute) && !matches!(function.body, FunctionBody::Block)
}

fn is_input(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    matches!(exprs[id].kind, ExprKind::Global(g) if program.globals[g].kind == GlobalKind::Input)
}

/// Whether a value is an input or a part of one that targets evaluate: elements of a matrix in any order and a number several
/// times are none.
fn is_place(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let in_order = |part: ExprId| match exprs[part].kind {
        ExprKind::MatrixSwizzle(..) => false,
        ExprKind::Swizzle(base, _) => !matches!(program.types.get(exprs[base].ty), Type::Scalar(_)),
        _ => true,
    };
    is_input(program, exprs, exprs.base(id)) && exprs.way_to_base(id).all(in_order)
}

/// Whether a call of such a builtin is not yet one of the target's.
fn is_left(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    callee(program, exprs, id).is_some_and(|(function, args)| {
        let given = || args.first().is_some_and(|arg| is_place(program, exprs, *arg));
        is(function, AT_VERTEX) || is(function, ELSEWHERE) && !given()
    })
}

/// Whether an input of vertices is not yet an array of them.
fn is_open(global: &Global) -> bool {
    let is_array = global.attributes.iter().any(|a| a.name == EXTENSION_ATTRIBUTE);
    global.kind == GlobalKind::Input && global.modifiers.has(Modifiers::PERVERTEX) && !is_array
}

fn run(cx: &mut Context) {
    let entries: Vec<FunctionId> = cx.program.entry_points.iter().flat_map(|e| e.roots()).collect();
    let wanted = wanted(cx.program);
    let (made, copied, faults) = (FxHashMap::default(), FxHashSet::default(), Vec::new());
    let effects = cx.effects();
    let statics = statics::set_once(cx.program);
    let mut maker = InterpolantMaker { program: cx.program, wanted, made, copied, faults, effects, statics };
    for entry in entries {
        maker.function(entry, KnownInputs::default(), 0);
    }
    for (name, span) in maker.faults {
        cx.diags.push(no_input(name, span));
    }
    let called: FxHashSet<FunctionId> = cx.program.reachable_functions().into_iter().collect();
    cx.program.items.settle();
    cx.program.items.retain(|item| !matches!(item, Item::Function(f) if !called.contains(f)));
    if cx.profile.has(Capability::Barycentrics) {
        at_vertices(cx);
    }
}

fn no_input(name: Symbol, span: Span) -> Diagnostic {
    let message = format!("`{name}` is given an input of the stage, or a part of one, and nothing else");
    Diagnostic::error(Code::CAPABILITY, span, message)
}

/// Where a target follows inputs by itself: what is no input in any case is an error.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    let none_called = || program.marked(AT_VERTEX).is_empty() && program.marked(ELSEWHERE).is_empty();
    if !profile.has(Capability::PassedInterpolants) || none_called() {
        return;
    }
    let taken = taken::calls(program);
    for owner in program.reachable_functions() {
        let body = &program.functions[owner].code;
        for id in body.expressions() {
            let Some((function, [value, ..])) = callee(program, &body.exprs, id) else { continue };
            // What the target has not at all is an error of its own.
            let is_spelled = matches!(function.body, FunctionBody::Intrinsic(_));
            if !is_spelled || !is(function, ELSEWHERE) && !is(function, AT_VERTEX) {
                continue;
            }
            let (name, span) = (function.known_as(), body.exprs[id].span);
            let taken = taken.get(&(owner, id)).copied().unwrap_or_default();
            if program.types.component(body.exprs[*value].ty) == Some(Scalar::Bool) {
                let message = format!("{} has no `{name}` of `bool`", profile.name);
                diags.push(Diagnostic::error(Code::CAPABILITY, span, message));
            } else if indexes_numbers(program, &body.exprs, *value) {
                let message = format!(
                    "{} has no `{name}` of a component or row at an index that is not written as a number",
                    profile.name
                );
                diags.push(Diagnostic::error(Code::CAPABILITY, span, message));
            } else if is(function, ELSEWHERE) && taken.flat {
                let message = format!("{} has no `{name}` of an input that is not interpolated", profile.name);
                diags.push(Diagnostic::error(Code::CAPABILITY, span, message));
            } else if is(function, AT_VERTEX) && taken.smooth {
                let message =
                    format!("`{name}` is given an input that is declared with `nointerpolation` or `pervertex`");
                diags.push(Diagnostic::error(Code::CAPABILITY, span, message));
            } else if taken.others {
                diags.push(no_input(name, span));
            }
        }
    }
}

/// Whether a value is, or is made of, a component of a vector or row of a matrix at an index that is no constant, or one that is a
/// part of something or a call gives: not every compiler computes these.
fn indexes_numbers(program: &Program, exprs: &ExprArena, value: ExprId) -> bool {
    exprs.any_part(value, |part| match exprs[part].kind {
        ExprKind::Index(base, index) => {
            let is_late = |e: ExprId| {
                matches!(
                    exprs[e].kind,
                    ExprKind::Call(..) | ExprKind::Swizzle(..) | ExprKind::Index(..) | ExprKind::Field(..)
                )
            };
            matches!(program.types.get(exprs[base].ty), Type::Vector(..) | Type::Matrix(..))
                && (eval(program, exprs, index).is_err() || exprs.any_part(index, is_late))
        }
        _ => false,
    })
}

/// Which parameters of functions reach such a builtin. Callees come before their callers.
fn wanted(program: &Program) -> FxHashMap<FunctionId, Vec<bool>> {
    let mut wanted: FxHashMap<FunctionId, Vec<bool>> = FxHashMap::default();
    for id in program.reachable_functions() {
        let function = &program.functions[id];
        let list = match function.body {
            FunctionBody::Block => {
                let found = constants(program, &function.code, &wanted);
                function.params.iter().map(|p| found.contains(&p.local)).collect()
            }
            _ => {
                let takes = is(function, ELSEWHERE) || is(function, AT_VERTEX);
                (0..function.params.len()).map(|at| takes && at == 0).collect()
            }
        };
        wanted.insert(id, list);
    }
    wanted
}

struct InterpolantMaker<'a> {
    program: &'a mut Program,
    wanted: FxHashMap<FunctionId, Vec<bool>>,
    /// Functions that have been made, and which parameters they have kept.
    made: FxHashMap<MadeForInputs, (FunctionId, Vec<bool>)>,
    /// Functions of which there is a copy.
    copied: FxHashSet<FunctionId>,
    /// Calls of builtins with something else, by their names.
    faults: Vec<(Symbol, Span)>,
    effects: Arc<Effects>,
    /// Static variables that are set once where the entry point starts, with what they hold as far as it is known.
    statics: FxHashMap<GlobalId, Option<Interpolant>>,
}

/// What evaluates an input at another place, as the target writes it, and its arguments behind the input.
struct Elsewhere<'a> {
    template: Template,
    others: &'a [ExprId],
}

impl InterpolantMaker<'_> {
    /// Hands inputs to the builtins that a function calls, and has it call functions that are made for its inputs.
    fn function(&mut self, id: FunctionId, given: KnownInputs, depth: u32) {
        if depth > DEPTH || !matches!(self.program.functions[id].body, FunctionBody::Block) {
            return;
        }
        let mut body = std::mem::take(&mut self.program.functions[id].code);
        let mut known = given;
        let written = self.program.written_locals(&body);
        for (local, value) in initialized(&body.block) {
            let value = value.filter(|_| !written.contains(&local));
            if let Some(source) = value.and_then(|value| self.source(&body.exprs, value, &known)) {
                known.insert(local, source);
            }
        }
        known.retain(|local, _| !written.contains(local));
        self.set_statics(&body, &known);
        for id in body.expressions() {
            self.call(&mut body.exprs, id, &known, depth);
        }
        self.program.functions[id].code = body;
    }

    /// What a value is, if it is made of inputs.
    fn source(&self, exprs: &ExprArena, id: ExprId, known: &KnownInputs) -> Option<Interpolant> {
        match &exprs[id].kind {
            ExprKind::Construct(parts) if self.program.members(exprs[id].ty).is_some() => {
                Some(Interpolant::Parts(parts.iter().map(|part| self.source(exprs, *part, known)).collect()))
            }
            // A vector or matrix: all of its parts are of inputs.
            ExprKind::Construct(parts) => {
                let mut tree = ExprTree { exprs: ExprArena::default(), root: id };
                let mut joined = Vec::new();
                for part in parts {
                    let Interpolant::Input(part) = self.source(exprs, *part, known)? else { return None };
                    joined.push(tree.exprs.import(&part.exprs, part.root, &mut |_, _| None));
                }
                tree.root = tree.exprs.push(Expr { kind: ExprKind::Construct(joined), ..exprs[id].clone() });
                Some(Interpolant::Input(tree))
            }
            ExprKind::Local(local) => known.get(local).cloned(),
            ExprKind::Global(global) if self.statics.contains_key(global) => self.statics.get(global).cloned()?,
            ExprKind::Field(base, _) | ExprKind::Index(base, _)
                if let Some(Interpolant::Parts(parts)) = self.source(exprs, *base, known) =>
            {
                parts.get(step(exprs, id)?).cloned()?
            }
            ExprKind::Field(base, _)
            | ExprKind::Index(base, _)
            | ExprKind::Swizzle(base, _)
            | ExprKind::MatrixSwizzle(base, _)
            | ExprKind::Convert(base, _) => {
                let Interpolant::Input(mut tree) = self.source(exprs, *base, known)? else { return None };
                let Expr { mut kind, ty, span } = exprs[id].clone();
                match &mut kind {
                    ExprKind::Index(base, index) => {
                        let value = exprs.integer(*index)?;
                        let literal = ExprKind::Literal(Literal::Int(value), None);
                        *base = tree.root;
                        *index = tree.exprs.push(Expr { kind: literal, ..exprs[*index].clone() });
                    }
                    kind => kind.children_mut(&mut |child| *child = tree.root),
                }
                tree.root = tree.exprs.push(Expr { kind, ty, span });
                Some(Interpolant::Input(tree))
            }
            _ if is_input(self.program, exprs, id) => {
                let mut tree = ExprTree { exprs: ExprArena::default(), root: id };
                tree.root = tree.exprs.push(exprs[id].clone());
                Some(Interpolant::Input(tree))
            }
            _ => None,
        }
    }

    /// Puts the input in the place of the variables that a value is read from.
    fn read_input(&self, exprs: &mut ExprArena, id: ExprId, known: &KnownInputs, converted: bool) -> bool {
        if let (ExprKind::Convert(inner, _), true) = (&exprs[id].kind, converted) {
            return self.read_input(exprs, *inner, known, converted);
        }
        let way: Vec<ExprId> = exprs.way_to_base(id).collect();
        if way.last().is_some_and(|base| is_input(self.program, exprs, *base)) {
            return converted || is_place(self.program, exprs, id);
        }
        for part in way.into_iter().rev() {
            if let Some(Interpolant::Input(tree)) = self.source(exprs, part, known) {
                let root = exprs.import(&tree.exprs, tree.root, &mut |_, _| None);
                exprs.replace_by(part, root);
                let is_joined = |part: ExprId| matches!(exprs[part].kind, ExprKind::Construct(_));
                let is_one = || !exprs.any_part(id, is_joined);
                return converted && is_one() || is_place(self.program, exprs, id);
            }
        }
        false
    }

    fn call(&mut self, exprs: &mut ExprArena, id: ExprId, known: &KnownInputs, depth: u32) {
        let ExprKind::Call(callee, args) = exprs[id].kind.clone() else { return };
        let function = &self.program.functions[callee];
        let (elsewhere, at_vertex) = (is(function, ELSEWHERE), is(function, AT_VERTEX));
        if elsewhere || at_vertex {
            let name = function.known_as();
            let is_read = args.first().is_some_and(|arg| self.read_input(exprs, *arg, known, at_vertex));
            let is_input = is_read || elsewhere && self.arrange(exprs, id, known);
            if !is_input {
                self.faults.push((name, exprs[id].span));
            }
            return;
        }
        if !matches!(function.body, FunctionBody::Block) {
            return;
        }
        let wanted = self.wanted.get(&callee).cloned().unwrap_or_default();
        let given = args.iter().zip(wanted).map(|(arg, w)| self.source(exprs, *arg, known).filter(|_| w)).collect();
        let (made, kept) = self.instance(callee, given, depth);
        let kept = args.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(arg, _)| arg);
        exprs[id].kind = ExprKind::Call(made, kept.collect());
    }

    /// Arranges the components of inputs that have been evaluated, where a call is given an arrangement of those of inputs.
    fn arrange(&mut self, exprs: &mut ExprArena, id: ExprId, known: &KnownInputs) -> bool {
        let ExprKind::Call(callee, args) = exprs[id].kind.clone() else { return false };
        let FunctionBody::Intrinsic(template) = self.program.functions[callee].body.clone() else { return false };
        let Some((value, others)) = args.split_first() else { return false };
        // They may be written several times.
        if others.iter().any(|arg| self.effects.expr(exprs, *arg)) {
            return false;
        }
        let place = Elsewhere { template, others };
        let arranged = self.arranged(exprs, *value, known, &place);
        arranged.into_iter().for_each(|value| exprs.replace_by(id, value));
        arranged.is_some()
    }

    /// What stands for a value in an arrangement, if it is made of inputs.
    fn arranged(
        &mut self,
        exprs: &mut ExprArena,
        id: ExprId,
        known: &KnownInputs,
        place: &Elsewhere,
    ) -> Option<ExprId> {
        let is_read = self.read_input(exprs, id, known, false);
        let Expr { kind, ty, span } = exprs[id].clone();
        if is_read {
            return self.evaluated(exprs, id, place);
        }
        let is_of_floats = |ty: TypeId| self.program.types.component(ty).is_some_and(Scalar::is_float);
        let is_matrix = |ty: TypeId| matches!(self.program.types.get(ty), Type::Matrix(..));
        let kind = match kind {
            ExprKind::Convert(inner, explicit) if is_of_floats(exprs[inner].ty) && is_of_floats(ty) => {
                ExprKind::Convert(self.arranged(exprs, inner, known, place)?, explicit)
            }
            // The row of the input is evaluated, and not all of them.
            ExprKind::Index(base, index)
                if let ExprKind::Convert(inner, explicit) = exprs[base].kind
                    && is_matrix(exprs[base].ty)
                    && is_matrix(exprs[inner].ty) =>
            {
                let row = Build::new(&mut self.program.types, exprs, span).index(inner, index);
                ExprKind::Convert(self.arranged(exprs, row, known, place)?, explicit)
            }
            ExprKind::Index(base, index) => ExprKind::Index(self.arranged(exprs, base, known, place)?, index),
            ExprKind::Swizzle(base, components) => {
                ExprKind::Swizzle(self.arranged(exprs, base, known, place)?, components)
            }
            ExprKind::MatrixSwizzle(base, elements) => {
                let mut parts = Vec::new();
                for &(row, column) in elements.iter() {
                    let base = exprs.duplicate(base);
                    let mut build = Build::new(&mut self.program.types, exprs, span);
                    let row = build.at(base, row.into());
                    let element = build.at(row, column.into());
                    parts.push(self.arranged(exprs, element, known, place)?);
                }
                match parts.as_slice() {
                    [one] => return Some(*one),
                    _ => ExprKind::Construct(parts),
                }
            }
            ExprKind::Construct(parts) if is_of_floats(ty) => {
                let parts: Option<Vec<ExprId>> =
                    parts.into_iter().map(|part| self.arranged(exprs, part, known, place)).collect();
                ExprKind::Construct(parts?)
            }
            _ => return None,
        };
        Some(exprs.push(Expr { kind, ty, span }))
    }

    /// An input that is evaluated at another place: a matrix row by row.
    fn evaluated(&mut self, exprs: &mut ExprArena, input: ExprId, place: &Elsewhere) -> Option<ExprId> {
        let Expr { ty, span, .. } = exprs[input];
        if let Type::Matrix(_, rows, ..) = self.program.types.get(ty) {
            let mut parts = Vec::new();
            for row in 0..rows {
                let base = exprs.duplicate(input);
                let row = Build::new(&mut self.program.types, exprs, span).at(base, row.into());
                parts.push(self.evaluated(exprs, row, place)?);
            }
            return Some(exprs.push(Expr { kind: ExprKind::Construct(parts), ty, span }));
        }
        // Targets evaluate numbers of this width alone.
        if self.program.types.component(ty) != Some(Scalar::F32) {
            return None;
        }
        let others: Vec<ExprId> = place.others.iter().map(|arg| exprs.duplicate(*arg)).collect();
        let kind = ExprKind::Native(Box::new(place.template.clone()), [vec![input], others].concat());
        Some(exprs.push(Expr { kind, ty, span }))
    }

    /// A function for what its parameters are; the first keeps the comments.
    fn instance(
        &mut self,
        original: FunctionId,
        given: Vec<Option<Interpolant>>,
        depth: u32,
    ) -> (FunctionId, Vec<bool>) {
        let key = (original, given.iter().map(|s| s.as_ref().map(|s| self.text(s))).collect());
        if let Some(made) = self.made.get(&key) {
            return made.clone();
        }
        let mut function = self.program.functions[original].clone();
        if given.iter().all(Option::is_none) {
            let made = (original, vec![true; function.params.len()]);
            self.made.insert(key, made.clone());
            self.function(original, KnownInputs::default(), depth + 1);
            return made;
        }
        if !self.copied.insert(original) {
            function.comments.clear();
        }
        let locals: Vec<LocalId> = function.params.iter().map(|p| p.local).collect();
        let known: KnownInputs =
            locals.iter().zip(given).filter_map(|(local, source)| Some((*local, source?))).collect();
        let id = self.program.functions.push(function);
        self.program.items.put_before(Some(Item::Function(original)), Item::Function(id));
        self.made.insert(key.clone(), (id, vec![true; locals.len()]));
        self.function(id, known.clone(), depth + 1);
        // What is nowhere used as a value is no parameter any more.
        let uses = self.program.functions[id].code.local_uses();
        let kept: Vec<bool> = locals.iter().map(|l| !known.contains_key(l) || uses.contains_key(l)).collect();
        let mut at = kept.iter();
        self.program.functions[id].params.retain(|_| at.next().is_none_or(|kept| *kept));
        self.made.insert(key, (id, kept.clone()));
        (id, kept)
    }

    fn text(&self, source: &Interpolant) -> String {
        match source {
            Interpolant::Input(tree) => expr_text(self.program, &Arena::default(), &tree.exprs, tree.root),
            Interpolant::Parts(parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|p| p.as_ref().map_or(String::new(), |p| self.text(p))).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }
}

/// Which field or element a part is.
fn step(exprs: &ExprArena, id: ExprId) -> Option<usize> {
    match exprs[id].kind {
        ExprKind::Field(_, field) => Some(field as usize),
        ExprKind::Index(_, index) => usize::try_from(exprs.integer(index)?).ok(),
        _ => None,
    }
}

/// The input that a value is read from, and the place of that.
fn input_of(program: &Program, exprs: &ExprArena, value: ExprId) -> Option<(GlobalId, ExprId)> {
    exprs.post_order(value).into_iter().find_map(|id| match exprs[id].kind {
        ExprKind::Global(g) if is_input(program, exprs, id) => Some((g, id)),
        _ => None,
    })
}

/// Makes inputs that are read at vertices arrays; elsewhere the value is that of the first vertex.
fn at_vertices(cx: &mut Context) {
    let inputs = cx.program.globals.iter().filter(|(_, g)| g.kind == GlobalKind::Input);
    let stated = inputs.filter(|(_, g)| g.modifiers.has(Modifiers::PERVERTEX)).map(|(id, _)| id);
    let mut found: BTreeSet<GlobalId> = stated.collect();
    let mut unsuitable = Vec::new();
    cx.program.each_exprs(&mut |exprs, live| {
        for id in live {
            let Some((function, [value, _])) = callee(cx.program, exprs, *id) else { continue };
            let Some((input, _)) = input_of(cx.program, exprs, *value).filter(|_| is(function, AT_VERTEX)) else {
                continue;
            };
            if found.insert(input) && !cx.program.globals[input].modifiers.has(Modifiers::NOINTERPOLATION) {
                unsuitable.push((function.known_as(), exprs[*id].span, input));
            }
        }
    });
    for (function, span, input) in unsuitable {
        let message = format!("`{function}` is given an input that is declared with `nointerpolation` or `pervertex`");
        let declared = cx.program.globals[input].span;
        cx.diags.push(Diagnostic::error(Code::CAPABILITY, span, message).label(declared, "this input"));
    }
    cx.each_exprs(&mut |cx, exprs, live| index_vertices(cx.program, exprs, live, &found));
    // The weights of the vertices and what they weigh come together.
    let weights = system_values::find("SV_BARYCENTRICS", Stage::Fragment, Direction::In);
    let extension = Symbol::new(weights.map_or("", |value| value.extension));
    for id in found {
        let ty = cx.program.types.array(cx.program.globals[id].ty, Some(3));
        let global = &mut cx.program.globals[id];
        global.ty = ty;
        global.modifiers.clear(Modifiers::NOINTERPOLATION);
        global.modifiers.set(Modifiers::PERVERTEX);
        let name = AttributeArg::Text(extension);
        global.attributes.push(attribute(EXTENSION_ATTRIBUTE, vec![name], global.span));
    }
}

fn index_vertices(program: &mut Program, exprs: &mut ExprArena, live: &[ExprId], arrays: &BTreeSet<GlobalId>) {
    let element = |program: &mut Program, exprs: &mut ExprArena, id: ExprId, index: Option<ExprId>| {
        let Expr { ty, span, .. } = exprs[id];
        let array = program.types.array(ty, Some(3));
        let whole = exprs.displace(id);
        exprs[whole].ty = array;
        let index = index.unwrap_or_else(|| Build::new(&mut program.types, exprs, span).int(0));
        exprs[id].kind = ExprKind::Index(whole, index);
    };
    for id in live {
        let Some((function, [value, vertex])) = callee(program, exprs, *id) else { continue };
        let (value, vertex) = (*value, *vertex);
        if let Some((_, place)) = input_of(program, exprs, value).filter(|_| is(function, AT_VERTEX)) {
            element(program, exprs, place, Some(vertex));
            exprs.replace_by(*id, value);
        }
    }
    for id in live {
        if matches!(exprs[*id].kind, ExprKind::Global(g) if arrays.contains(&g)) {
            element(program, exprs, *id, None);
        }
    }
}
