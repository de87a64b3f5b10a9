//! Derivatives in flow that may differ between invocations are taken where all invocations are together.
//!
//! Before: `if (kind == 0) { color = atlas.Sample(s, uv); }`
//! After:  `float2 uv_dx = ddx(uv);  float2 uv_dy = ddy(uv);  if (kind == 0) { color = atlas.SampleGrad(s, uv, uv_dx, uv_dy); }`
//!
//! D3D gives no meaning to them there, and a target without `VaryingDerivatives` refuses them. The flow parts at a statement
//! whose condition varies ([`Program::varying_barriers`] finds it). A sample behind it gets the gradients of its location as far as
//! these can be computed in front of that statement ([`gradients`]). What has no form with gradients is called in front of it, if
//! all of its arguments have their values there already ([`Region::is_known`]). Variables that are assigned on the way stand for
//! their values ([`reaching`]). A `continue` is a branch around the rest of its round ([`continues`]). What is neither is an error, or stays by an
//! option, and then the text says that it is not to be checked.

mod continues;
mod gradients;
mod reaching;
mod region;

use super::constant_parameters::{is_fixed_offset, is_offset};
use super::hoist::temporary_name;
use super::needs::lacks;
use super::uniformity::{RULES, refuse};
use super::{Context, Pass, reports_heaps};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::analyses::uniformity::{Fault, Rules};
use crate::tree::*;
use gradients::Gradients;
use reaching::{Initial, KnownParts, ReachingValues};
use region::{Definitions, Region, WrittenStatics};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "derivatives",
    always: Some("what it moves is no need that a scan finds"),
    after: &["flatten", "lower_switch"],
    run,
    ..Pass::ROW
};

/// The attribute of builtins that all invocations of a quad must call together.
pub(super) const DERIVATIVE: &str = "__derivative";
const DERIVATIVES: Rules = Rules { is_barrier: |f| f.is_marked(DERIVATIVE), ..RULES };
/// So deep are calls of what takes derivatives looked through.
const ROUNDS: u32 = 4;

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::VaryingDerivatives) {
        return;
    }
    let mut faults = cx.program.varying_barriers(&DERIVATIVES);
    if continues::nest(cx, &faults) {
        faults = cx.program.varying_barriers(&DERIVATIVES);
    }
    for _ in 0..ROUNDS {
        // What is moved may free what calls it.
        let moved = !faults.is_empty() && (move_all(cx, &faults, true) || move_all(cx, &faults, false));
        if !moved {
            break;
        }
        faults = cx.program.varying_barriers(&DERIVATIVES);
    }
    // A target without heaps has none to sample from, wherever the sample is.
    if !faults.is_empty() && reports_heaps(cx) {
        return;
    }
    if !cx.options.varying_derivatives {
        let what = "a derivative, or a sample that takes one, that not all invocations may reach together";
        let advice =
            "sample with a level or gradients, or before flow parts; or turn the check off with `varying-derivatives`";
        faults.iter().for_each(|f| refuse(cx, f, what, advice, Capability::VaryingDerivatives));
    }
    cx.program.varying_derivatives = functions_with(cx.program, &faults);
}

/// The functions in which these calls are.
fn functions_with(program: &Program, faults: &[Fault]) -> Vec<FunctionId> {
    let calls: FxHashSet<Span> = faults.iter().map(|f| f.barrier).collect();
    let has = |id: &FunctionId| {
        let body = &program.functions[*id].code;
        let is_call =
            |e: ExprId| matches!(body.exprs[e].kind, ExprKind::Call(..)) && calls.contains(&body.exprs[e].span);
        !calls.is_empty() && body.expressions().into_iter().any(is_call)
    };
    program.items.iter().filter_map(|item| item.function()).filter(has).collect()
}

/// Moves what can be moved, of builtins alone or of what calls them, too; whether anything was.
fn move_all(cx: &mut Context, faults: &[Fault], builtins: bool) -> bool {
    let effects = cx.effects();
    let statics = WrittenStatics::of(cx.program);
    let mut sensitive = cx.program.analyses().callers_of(&|f| f.is_marked(DERIVATIVE));
    sensitive.retain(|f| !builtins || cx.program.functions[*f].builtin);
    let language = cx.profile.language.name();
    let mut moved = false;
    for id in cx.program.functions_with_code() {
        let mut body = std::mem::take(&mut cx.program.functions[id].code);
        let mut block = std::mem::take(&mut body.block);
        let definitions = Definitions::of(cx.program, &body, &block);
        let mut mover = Mover {
            cx,
            body: &mut body,
            faults,
            sensitive: &sensitive,
            effects: &effects,
            statics: &statics,
            definitions,
            language,
            moved,
            replaced: Vec::new(),
        };
        mover.block(&mut block);
        moved = mover.moved;
        let replaced = mover.replaced;
        body.block = block;
        drop_unused(&mut body, &effects, replaced);
        cx.program.functions[id].code = body;
    }
    moved
}

/// How many variables of a region are replaced by their values in one expression.
const MAX_VARIABLES: usize = 8;

struct Mover<'a, 'b, 'c> {
    cx: &'a mut Context<'c>,
    body: &'b mut Body,
    faults: &'a [Fault],
    /// What takes derivatives, and what calls it.
    sensitive: &'a FxHashSet<FunctionId>,
    effects: &'a Effects,
    statics: &'a WrittenStatics,
    definitions: Definitions,
    language: &'static str,
    moved: bool,
    /// Variables that were replaced by their values in what was moved.
    replaced: Vec<LocalId>,
}

/// Takes away variables that nothing reads any more, those first that others were computed from last.
fn drop_unused(body: &mut Body, effects: &Effects, mut unused: Vec<LocalId>) {
    while !unused.is_empty() {
        let uses = body.local_uses();
        let gone: Vec<LocalId> = unused.extract_if(.., |l| uses.get(l).is_none_or(|n| *n == 0)).collect();
        if gone.is_empty() {
            return;
        }
        let mut block = std::mem::take(&mut body.block);
        block.rewrite(&mut |stmt, out| match stmt.kind {
            StmtKind::Local(l, Some(value)) if gone.contains(&l) && !effects.expr(&body.exprs, value) => {}
            _ => out.push(stmt),
        });
        body.block = block;
    }
}

impl Mover<'_, '_, '_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.stmts.len());
        for at in 0..block.stmts.len() {
            let rest = block.stmts.get(at..).unwrap_or_default();
            let mut before = self.before(rest);
            let Some(stmt) = block.stmts.get_mut(at) else { continue };
            stmt.give_comments(before.first_mut(), false);
            out.append(&mut before);
            stmt.blocks_mut(&mut |inner| self.block(inner));
            out.push(std::mem::replace(stmt, Stmt::new(StmtKind::Block(Block::default()), Span::default())));
        }
        block.stmts = out;
    }

    /// What is to stand before a statement at which the flow parts, for what is in it and behind it.
    fn before(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        let Some(condition) = stmts.first().and_then(condition) else { return out };
        let cause = self.body.exprs[condition].span;
        let barriers: Vec<Span> = self.faults.iter().filter(|f| f.cause == cause).map(|f| f.barrier).collect();
        if barriers.is_empty() {
            return out;
        }
        let mut gradients = Gradients::default();
        let mut initial = Initial::default();
        for (behind, stmt) in (1..).zip(stmts) {
            for call in self.calls(stmt, &barriers) {
                let parted = stmts.get(..behind).unwrap_or_default();
                let region = Region::of(self.cx.program, self.statics, self.body, parted);
                self.moved |= self.by_gradients(call, call, &region, &mut gradients, &mut out)
                    || self.in_front(call, call, &region, &mut out)
                    || self.reaching(call, parted, &region, &mut initial).is_some_and(|values| {
                        self.by_gradients(call, values, &region, &mut gradients, &mut out)
                            || self.in_front(call, values, &region, &mut out)
                    });
            }
        }
        // In front of the statements the variables have their first values themselves.
        let own: FxHashMap<LocalId, LocalId> =
            initial.into_iter().map(|(local, stands_for)| (stands_for, local)).collect();
        for stmt in &out {
            stmt.own_exprs(&mut |root| {
                for id in self.body.exprs.post_order(root) {
                    if let ExprKind::Local(local) = &mut self.body.exprs[id].kind {
                        *local = own.get(local).copied().unwrap_or(*local);
                    }
                }
            });
        }
        out
    }

    /// A copy of a call whose arguments are values from before the statements.
    fn reaching(&mut self, call: ExprId, stmts: &[Stmt], region: &Region, initial: &mut Initial) -> Option<ExprId> {
        let mut reaching = ReachingValues {
            program: self.cx.program,
            body: self.body,
            region,
            definitions: &self.definitions,
            effects: self.effects,
            initial,
            values: KnownParts::default(),
        };
        reaching.call(stmts, call)
    }

    /// Calls in a statement that take derivatives, at these places.
    fn calls(&self, stmt: &Stmt, at: &[Span]) -> Vec<ExprId> {
        let mut found = Vec::new();
        Block::of(vec![stmt.clone()]).visit(&mut |stmt| {
            stmt.own_exprs(&mut |root| {
                found.extend(self.body.exprs.post_order(root).into_iter().filter(|id| {
                    let Expr { kind, span, .. } = &self.body.exprs[*id];
                    at.contains(span) && matches!(kind, ExprKind::Call(f, _) if self.sensitive.contains(f))
                }));
            });
        });
        found
    }

    /// Makes a sample one with explicit gradients, those of the location in `values`, which is the call or a copy of it.
    fn by_gradients(
        &mut self,
        call: ExprId,
        values: ExprId,
        region: &Region,
        gradients: &mut Gradients,
        out: &mut Vec<Stmt>,
    ) -> bool {
        let ExprKind::Call(function, mut args) = self.body.exprs[call].kind.clone() else { return false };
        // What the target does not support stays where it is found.
        if lacks(self.cx.program, self.cx.profile, &self.body.exprs, call) {
            return false;
        }
        let offset = |(p, arg): (&Param, &ExprId)| {
            let function = &self.cx.program.functions[function];
            is_offset(self.cx.program, function, p)
                && !is_fixed_offset(self.cx.program, &self.body.exprs, (function, *arg))
        };
        if self.cx.program.functions[function].params.iter().zip(&args).any(offset) {
            return false;
        }
        let ExprKind::Call(_, known) = &self.body.exprs[values].kind else { return false };
        let Some((template, location)) = gradients::form(self.cx.program, &self.body.exprs, function, known) else {
            return false;
        };
        let sample = self.body.exprs[call].span;
        let mut taking = gradients::Taking {
            program: self.cx.program,
            body: self.body,
            region,
            definitions: &self.definitions,
            effects: self.effects,
            language: self.language,
            sample,
            known: gradients,
            out,
        };
        let Some(both) = args.get(gradients::LOCATION).and_then(|written| taking.of(location, *written)) else {
            return false;
        };
        args.extend(both);
        self.body.exprs[call].kind = ExprKind::Native(Box::new(template), args);
        true
    }

    /// Calls it in front of the statement, for all invocations: it, or the copy `values` of it.
    fn in_front(&mut self, call: ExprId, values: ExprId, region: &Region, out: &mut Vec<Stmt>) -> bool {
        let Expr { ty, span, .. } = self.body.exprs[call];
        if ty == TypeId::VOID {
            return false;
        }
        let Some(value) = self.known_in_front(values, region) else { return false };
        let name = temporary_name(self.cx.program, self.body, call);
        let local = self.body.add_local(name, ty, span);
        self.body.locals[local].constant = true;
        self.body.exprs[call].kind = ExprKind::Local(local);
        out.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
        true
    }

    /// A copy of an expression that has the same value in front of a region, if there is one: variables that are declared in
    /// the region and have one value stand for that, as the index of a texture that is used twice.
    fn known_in_front(&mut self, root: ExprId, region: &Region) -> Option<ExprId> {
        let copy = self.body.exprs.duplicate(root);
        let mut replaced = Vec::new();
        for _ in 0..MAX_VARIABLES {
            if region.is_known(self.cx.program, self.effects, &self.body.exprs, copy) {
                self.replaced.append(&mut replaced);
                return Some(copy);
            }
            let (variable, local, value) = self.body.exprs.post_order(copy).into_iter().find_map(|id| {
                let ExprKind::Local(local) = self.body.exprs[id].kind else { return None };
                let value = self.definitions.value(local).filter(|_| region.changes(local))?;
                Some((id, local, value))
            })?;
            replaced.push(local);
            let value = self.body.exprs.duplicate(value);
            self.body.exprs.replace_by(variable, value);
        }
        None
    }
}

/// What decides which invocations go on where.
fn condition(stmt: &Stmt) -> Option<ExprId> {
    match &stmt.kind {
        StmtKind::If(condition, ..)
        | StmtKind::While(condition, ..)
        | StmtKind::DoWhile(_, condition, _)
        | StmtKind::Switch(condition, ..) => Some(*condition),
        StmtKind::For(_, condition, ..) => *condition,
        StmtKind::Local(..)
        | StmtKind::Expr(_)
        | StmtKind::Block(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::Discard
        | StmtKind::Intrinsic(_) => None,
    }
}
