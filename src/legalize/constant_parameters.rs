//! What the target wants to be constant is written where it is used: functions that take it are made for the values that
//! they are called with. These are texts, and offsets in texels.
//!
//! Before: `float4 tap(float2 at, int2 offset) { return t.SampleLevel(s, at, 0, offset); }     tap(at, int2(1, 0))`
//! After:  `float4 tap(float2 at) { return t.SampleLevel(s, at, 0, int2(1, 0)); }              tap(at)`
//!
//! The hash of a text is a number. What is not known is an error.

use super::carried_values::{Values, wanted_arguments, write_carried};
use super::hidden_constants::is_clamped;
use super::needs::callee;
use super::unrolled_loops::{GivenResources, bounds, write_out_loops};
use super::{Context, Pass};
use crate::check::constant::{Value, about, eval, eval_with};
use crate::check::text_hash::{HASH, hash};
use crate::limits::TEXEL_OFFSETS;
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "constant_parameters",
    lessens: &[Capability::TextVariables, Capability::Strings, Capability::VaryingOffsets],
    // Functions of one name, and numbers known before the program runs.
    adds: Capability::ALL,
    after: &["inline_builtins"],
    run,
    ..Pass::ROW
};

/// How deep calls are followed.
const DEPTH: u32 = 200;

/// A function as it is made for the values of some parameters, which are spelled out.
type MadeFor = (FunctionId, Vec<Option<String>>);

fn is_text(program: &Program, ty: TypeId) -> bool {
    program.types.get(ty) == Type::Text
}

/// Where a function has a text that is none of its own.
pub(super) fn text_variable(program: &Program, function: FunctionId, body: &Body, live: &[ExprId]) -> Option<Span> {
    let params = program.functions[function].params.iter().map(|p| body.locals[p.local].ty);
    // Most functions have none at all.
    if !params.chain(body.types().iter().map(|(ty, _)| *ty)).any(|ty| is_text(program, ty)) {
        return None;
    }
    let mut declared: Vec<LocalId> = program.functions[function].params.iter().map(|p| p.local).collect();
    declared.extend(initialized(&body.block).into_iter().map(|(local, _)| local));
    let given = declared.into_iter().map(|l| &body.locals[l]).find(|l| is_text(program, l.ty));
    let used = |id: &&ExprId| {
        let is_variable = matches!(body.exprs[**id].kind, ExprKind::Local(_) | ExprKind::Global(_))
            && is_text(program, body.exprs[**id].ty);
        is_variable || callee(program, &body.exprs, **id).is_some_and(|(f, _)| f.is_marked(HASH))
    };
    given.map(|l| l.span).or_else(|| live.iter().find(used).map(|id| body.exprs[*id].span))
}

/// Where an offset in texels is no constant, or one that a function gives, which no target calls there.
pub(super) fn varying_offset(program: &Program, _: FunctionId, body: &Body, live: &[ExprId]) -> Option<Span> {
    live.iter().find_map(|id| varying_argument(program, &body.exprs, *id)).map(|arg| body.exprs[arg].span)
}

/// The argument of a call that is such an offset.
pub(super) fn varying_argument(program: &Program, exprs: &ExprArena, call: ExprId) -> Option<ExprId> {
    let (function, args) = callee(program, exprs, call)?;
    let mut given = function.params.iter().zip(args).filter(|(p, _)| is_offset(program, function, p));
    let is_written =
        |arg: ExprId| is_fixed_offset(program, exprs, (function, arg)) && !is_computed(program, exprs, arg);
    given.find(|(_, arg)| !is_written(**arg)).map(|(_, arg)| *arg)
}

/// Where an offset in texels depends on an input, a resource or memory: no compiler can make it a constant.
pub(super) fn unknown_offset(program: &Program, id: FunctionId, body: &Body, live: &[ExprId]) -> Option<Span> {
    let calls = live.iter().filter_map(|id| callee(program, &body.exprs, *id));
    let offsets = calls.flat_map(|(function, args)| {
        let given = function.params.iter().zip(args);
        given.filter(|(p, _)| takes_offset(program, function, p)).map(|(_, arg)| *arg)
    });
    // Few functions have any.
    let offsets: Vec<ExprId> = offsets.collect();
    offsets.first()?;
    let mut inputs: FxHashSet<LocalId> = FxHashSet::default();
    if program.entry_points.iter().any(|e| e.roots().any(|root| root == id)) {
        inputs.extend(program.functions[id].params.iter().map(|p| p.local));
    }
    let changed = changed(&body.exprs, live);
    for (local, value) in initialized(&body.block) {
        if !changed.contains(&local) && value.is_some_and(|v| reads_from_outside(program, body, v, &inputs)) {
            inputs.insert(local);
        }
    }
    let outside = offsets.into_iter().find(|arg| reads_from_outside(program, body, *arg, &inputs));
    outside.map(|arg| body.exprs[arg].span)
}

/// Variables that are assigned to, or may be by a call.
fn changed(exprs: &ExprArena, live: &[ExprId]) -> FxHashSet<LocalId> {
    let mut places = Vec::new();
    for id in live {
        match &exprs[*id].kind {
            ExprKind::Assign(_, place, _) | ExprKind::Step(_, _, place) => places.push(*place),
            ExprKind::Call(_, args) => places.extend(args),
            _ => {}
        }
    }
    let parts = places.into_iter().flat_map(|place| exprs.post_order(place));
    parts
        .filter_map(|id| match exprs[id].kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        })
        .collect()
}

/// Whether an expression reads inputs of an entry point, or variables that are not the function's and no constants.
fn reads_from_outside(program: &Program, body: &Body, root: ExprId, inputs: &FxHashSet<LocalId>) -> bool {
    body.exprs.any_part(root, |id| match body.exprs[id].kind {
        ExprKind::Local(local) => inputs.contains(&local),
        ExprKind::Global(global) => {
            matches!(program.globals[global].kind, GlobalKind::Parameter | GlobalKind::Groupshared | GlobalKind::Input)
        }
        _ => false,
    })
}

/// Whether calls or commas, or choices of components, which do not make constants in every target, are in an expression.
fn is_computed(program: &Program, exprs: &ExprArena, root: ExprId) -> bool {
    exprs.any_part(root, |id| match exprs[id].kind {
        ExprKind::Call(..) | ExprKind::Comma(..) => true,
        ExprKind::Select(condition, ..) => matches!(program.types.get(exprs[condition].ty), Type::Vector(..)),
        _ => false,
    })
}

/// The attribute of builtins with an offset for each of four texels.
pub(super) const EACH: &str = "__one_offset";

/// Whether an offset in texels is a constant that targets compute alike.
pub(super) fn is_known_offset(program: &Program, exprs: &ExprArena, offset: ExprId) -> bool {
    eval(program, exprs, offset).is_ok() && !exprs.any_part(offset, |part| is_clamped(program, exprs, part))
}

/// Whether an offset in texels of a builtin is a constant that every target takes: no float that is no such integer, either. Offsets
/// for each of four texels may be any: devices say how large (`maxTexelGatherOffset`).
pub(super) fn is_fixed_offset(program: &Program, exprs: &ExprArena, (function, offset): (&Function, ExprId)) -> bool {
    let is_small = |value: &Value| value.int().is_some_and(|n| TEXEL_OFFSETS.contains(&n));
    if !is_known_offset(program, exprs, offset) {
        return false;
    }
    if function.is_marked(EACH) {
        return true;
    }
    match eval(program, exprs, offset) {
        Ok(Value::Composite(parts)) => parts.iter().all(is_small),
        Ok(value) => is_small(&value),
        Err(_) => false,
    }
}

/// Whether an offset in texels that calls builtins is one that no target takes, as far as it is known: targets that fold such
/// calls refuse it.
pub(super) fn is_far_offset(program: &Program, exprs: &ExprArena, (function, offset): (&Function, ExprId)) -> bool {
    fn is_far(value: &Value) -> bool {
        match value {
            Value::Int(n, _) => !TEXEL_OFFSETS.contains(n),
            Value::Composite(parts) => parts.iter().any(is_far),
            Value::Bool(_) | Value::Float(..) | Value::Text(_) => false,
        }
    }
    !function.is_marked(EACH) && about(program, exprs, offset, &|_| None).is_ok_and(|value| is_far(&value))
}

/// Whether a parameter of a builtin that the target has is an offset in texels.
pub(super) fn is_offset(program: &Program, function: &Function, param: &Param) -> bool {
    !matches!(function.body, FunctionBody::Block) && takes_offset(program, function, param)
}

/// Whether a parameter of a builtin is an offset in texels.
fn takes_offset(program: &Program, function: &Function, param: &Param) -> bool {
    let ty = || program.types.get(function.code.locals[param.local].ty);
    function.builtin && param.constant && matches!(ty(), Type::Scalar(Scalar::I32) | Type::Vector(Scalar::I32, _))
}

/// The variables of a block that have initializers, with those.
pub(super) fn initialized(block: &Block) -> Vec<(LocalId, Option<ExprId>)> {
    let mut found = Vec::new();
    block.visit(&mut |stmt| {
        if let StmtKind::Local(local, value) = stmt.kind {
            found.push((local, value));
        }
    });
    found
}

fn run(cx: &mut Context) {
    let entries: Vec<FunctionId> = cx.program.entry_points.iter().flat_map(|e| e.roots()).collect();
    let wanted = wanted(cx.program, !cx.profile.has(Capability::VaryingOffsets));
    let mut maker = Maker { program: cx.program, wanted, made: FxHashMap::default(), copied: FxHashSet::default() };
    for entry in entries {
        maker.function(entry, Values::default(), 0);
    }
    // What has been copied is called no more.
    let called: FxHashSet<FunctionId> = cx.program.reachable_functions().into_iter().collect();
    cx.program.items.settle();
    cx.program.items.retain(|item| !matches!(item, Item::Function(f) if !called.contains(f)));
}

/// Which parameters of functions are to be constant. Callees come before their callers.
pub(super) fn wanted(program: &Program, offsets: bool) -> FxHashMap<FunctionId, Vec<bool>> {
    let mut wanted: FxHashMap<FunctionId, Vec<bool>> = FxHashMap::default();
    for id in program.reachable_functions() {
        let function = &program.functions[id];
        let body = &function.code;
        let is_text = |p: &Param| is_text(program, body.locals[p.local].ty);
        let list = match function.body {
            FunctionBody::Block => {
                let mut roots = given_to(body, &wanted);
                roots.extend(bounds(program, body, &wanted));
                let constant = computed_from(program, body, roots);
                function.params.iter().map(|p| is_text(p) || constant.contains(&p.local)).collect()
            }
            _ => function.params.iter().map(|p| is_text(p) || offsets && is_offset(program, function, p)).collect(),
        };
        wanted.insert(id, list);
    }
    wanted
}

/// The variables of a function that its arguments for wanted parameters are computed from, and that have one value.
pub(super) fn constants(
    program: &Program,
    body: &Body,
    wanted: &FxHashMap<FunctionId, Vec<bool>>,
) -> FxHashSet<LocalId> {
    computed_from(program, body, given_to(body, wanted))
}

/// The arguments of a body's calls for wanted parameters.
fn given_to(body: &Body, wanted: &FxHashMap<FunctionId, Vec<bool>>) -> Vec<ExprId> {
    body.expressions().into_iter().flat_map(|id| wanted_arguments(&body.exprs, id, wanted)).collect()
}

/// The variables that expressions are computed from, and that have one value.
fn computed_from(program: &Program, body: &Body, roots: Vec<ExprId>) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    let note = |root: ExprId, found: &mut FxHashSet<LocalId>| {
        for id in body.exprs.post_order(root) {
            if let ExprKind::Local(local) = body.exprs[id].kind {
                found.insert(local);
            }
        }
    };
    roots.into_iter().for_each(|root| note(root, &mut found));
    for id in body.expressions() {
        if let ExprKind::Assign(_, place, value) = body.exprs[id].kind
            && body.exprs.base_local(place).is_some_and(|local| found.contains(&local))
        {
            note(value, &mut found);
        }
    }
    for (local, value) in initialized(&body.block).into_iter().rev() {
        if let (true, Some(value)) = (found.contains(&local), value) {
            note(value, &mut found);
        }
    }
    let written = program.written_locals(body);
    found.retain(|local| !written.contains(local));
    found
}

struct Maker<'a> {
    program: &'a mut Program,
    wanted: FxHashMap<FunctionId, Vec<bool>>,
    made: FxHashMap<MadeFor, FunctionId>,
    /// Functions of which there is a copy.
    copied: FxHashSet<FunctionId>,
}

impl Maker<'_> {
    /// Writes the values of parameters and texts into a function, and has it call functions that are made for theirs.
    fn function(&mut self, id: FunctionId, mut given: Values, depth: u32) {
        if depth > DEPTH || !matches!(self.program.functions[id].body, FunctionBody::Block) {
            return;
        }
        let mut body = std::mem::take(&mut self.program.functions[id].code);
        self.write_all(&mut body, &given);
        write_out_loops(self.program, &mut body, &self.wanted, &GivenResources::default());
        let known = self.variables(&mut body, &mut given);
        self.write_all(&mut body, &given);
        write_carried(self.program, &mut body, &self.wanted, &known);
        for id in body.expressions() {
            self.call(&mut body.exprs, id, &known, depth);
        }
        self.program.functions[id].code = body;
    }

    /// Writes values, and texts that are constants, in the places of their names.
    fn write_all(&mut self, body: &mut Body, given: &Values) {
        for id in body.expressions() {
            let value = match body.exprs[id].kind {
                ExprKind::Local(local) => given.get(&local).cloned(),
                ExprKind::Global(_) if is_text(self.program, body.exprs[id].ty) => {
                    eval(self.program, &body.exprs, id).ok()
                }
                _ => None,
            };
            if let Some(value) = value {
                self.write(&mut body.exprs, id, &value);
            }
        }
    }

    /// The values of variables that have one. Texts are given like parameters, and have no variable any more.
    fn variables(&self, body: &mut Body, given: &mut Values) -> Values {
        let written = self.program.written_locals(body);
        let mut known = given.clone();
        for (local, value) in initialized(&body.block) {
            let Some(value) = value.filter(|_| !written.contains(&local)) else { continue };
            let Ok(value) = eval_with(self.program, &body.exprs, value, &|l| known.get(&l).cloned()) else { continue };
            if is_text(self.program, body.locals[local].ty) {
                given.insert(local, value.clone());
            }
            known.insert(local, value);
        }
        body.block.rewrite(&mut |stmt, out| match stmt.kind {
            StmtKind::Local(local, _) if given.contains_key(&local) => {}
            _ => out.push(stmt),
        });
        known
    }

    /// Puts a value in the place of an expression.
    fn write(&mut self, exprs: &mut ExprArena, id: ExprId, value: &Value) {
        let Expr { ty, span, .. } = exprs[id];
        if let Some(written) = value.to_expr(exprs, self.program, ty, span) {
            exprs.replace_by(id, written);
        }
    }

    fn call(&mut self, exprs: &mut ExprArena, id: ExprId, known: &Values, depth: u32) {
        let ExprKind::Call(callee, args) = exprs[id].kind.clone() else { return };
        let wanted = self.wanted.get(&callee).cloned().unwrap_or_default();
        let value = |(arg, wanted): (&ExprId, bool)| {
            let value = eval_with(self.program, exprs, *arg, &|l| known.get(&l).cloned());
            value.ok().filter(|_| wanted)
        };
        let values: Vec<Option<Value>> = args.iter().zip(wanted).map(value).collect();
        if self.program.functions[callee].is_marked(HASH) {
            if let Some(Some(Value::Text(text))) = values.first() {
                exprs[id].kind = ExprKind::Literal(Literal::Int(hash(text.as_str())), None);
            }
            return;
        }
        if !matches!(self.program.functions[callee].body, FunctionBody::Block) {
            for (arg, value) in args.iter().zip(values) {
                let is_written = eval(self.program, exprs, *arg).is_ok() && !is_computed(self.program, exprs, *arg);
                if let Some(value) = value.filter(|_| !is_written) {
                    self.write(exprs, *arg, &value);
                }
            }
            return;
        }
        let made = self.instance(callee, &values, depth);
        let kept = args.into_iter().enumerate().filter(|(at, _)| !matches!(values.get(*at), Some(Some(_))));
        exprs[id].kind = ExprKind::Call(made, kept.map(|(_, arg)| arg).collect());
    }

    /// A function for values of its parameters; the first keeps the comments. One without such may make calls of its own.
    fn instance(&mut self, original: FunctionId, values: &[Option<Value>], depth: u32) -> FunctionId {
        let key = (original, values.iter().map(|v| v.as_ref().map(|v| format!("{v:?}"))).collect());
        if let Some(made) = self.made.get(&key) {
            return *made;
        }
        if values.iter().all(Option::is_none) {
            self.made.insert(key, original);
            self.function(original, Values::default(), depth + 1);
            return original;
        }
        let mut function = self.program.functions[original].clone();
        if !self.copied.insert(original) {
            function.comments.clear();
        }
        let given = function.params.iter().zip(values);
        let known = given.filter_map(|(p, value)| Some((p.local, value.clone()?))).collect();
        let mut at = values.iter();
        function.params.retain(|_| !matches!(at.next(), Some(Some(_))));
        let id = self.program.functions.push(function);
        self.program.items.put_before(Some(Item::Function(original)), Item::Function(id));
        self.made.insert(key, id);
        self.function(id, known, depth + 1);
        id
    }
}
