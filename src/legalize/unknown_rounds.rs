//! `[unroll]` goes from loops whose rounds only a running shader knows.
//!
//! Before: `[unroll] for (uint i = 0; i < scene.lightCount; i++)`
//! After:  `for (uint i = 0; i < scene.lightCount; i++)`
//!
//! In Slang it is a wish; DXC refuses such a loop. Of loops in HLSL only those go of which DXC surely finds no bound, with a warning:
//! a counter that goes to what is read. FXC took them.

use super::constant_parameters::initialized;
use super::needs::Find;
use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass =
    Pass { name: "unknown_rounds", removes: &[(Capability::UnknownRounds, Find::Entry(first))], run, ..Pass::ROW };

/// How often a variable is looked through.
const DEPTH: u32 = 8;

fn run(cx: &mut Context) {
    let inputs = Inputs::of(cx.program);
    cx.each_body(&mut |cx, id, body| {
        if !any_wish(body) {
            return;
        }
        let rounds = Rounds { program: cx.program, function: id, body, inputs: &inputs };
        let mut block = body.block.clone();
        let mut dropped = Vec::new();
        block.visit_mut(&mut |stmt| {
            if rounds.are_unknown(stmt)
                && let StmtKind::For(.., hints) | StmtKind::While(.., hints) | StmtKind::DoWhile(.., hints) =
                    &mut stmt.kind
            {
                hints.unroll = None;
                dropped.push(stmt.span);
            }
        });
        if body.value_first {
            for span in dropped {
                let message = "`[unroll]` is left out: only a running shader knows how many rounds this loop has";
                let note = format!("`[unroll(n)]` says how many at most; {} unrolls no other", cx.profile.name);
                cx.diags.push(Diagnostic::warning(Code::OMITTED, span, message).note(note));
            }
        }
        body.block = block;
    });
}

/// Where such a loop is in a program. What it depends on is told by all of the program, which is looked through once: for the first of
/// its entry points.
fn first(program: &Program, entry: &EntryPoint) -> Option<Span> {
    if !program.entry_points.iter().next().is_some_and(|first| std::ptr::eq(first, entry)) {
        return None;
    }
    let wishing = program.functions_with_code().into_iter().filter(|id| any_wish(&program.functions[*id].code));
    let wishing: Vec<FunctionId> = wishing.collect();
    wishing.first()?;
    let inputs = Inputs::of(program);
    wishing.into_iter().find_map(|function| {
        let body = &program.functions[function].code;
        let rounds = Rounds { program, function, body, inputs: &inputs };
        let mut found = None;
        body.block.any(&mut |stmt| {
            if rounds.are_unknown(stmt) {
                found = Some(stmt.span);
            }
            found.is_some()
        });
        found
    })
}

/// Whether a body asks for a loop to be unrolled.
fn any_wish(body: &Body) -> bool {
    body.block.any(&mut |stmt| is_wish(stmt).is_some())
}

/// The condition of a loop that is to be unrolled, however often it runs.
fn is_wish(stmt: &Stmt) -> Option<ExprId> {
    let (condition, hints) = match &stmt.kind {
        StmtKind::For(_, Some(condition), _, _, hints)
        | StmtKind::While(condition, _, hints)
        | StmtKind::DoWhile(_, condition, hints) => (*condition, hints),
        _ => return None,
    };
    (hints.unroll == Some(None)).then_some(condition)
}

/// An expression without conversions around it.
fn unconverted(exprs: &ExprArena, id: ExprId) -> ExprId {
    match exprs[id].kind {
        ExprKind::Convert(inner, _) => unconverted(exprs, inner),
        _ => id,
    }
}

/// The parameters that are given what only a running shader knows: those of entry points, and what they are passed to.
struct Inputs(FxHashSet<(FunctionId, LocalId)>);

impl Inputs {
    fn of(program: &Program) -> Inputs {
        let mut inputs = Inputs(FxHashSet::default());
        for entry in program.entry_points.iter().flat_map(|entry| entry.roots()) {
            inputs.0.extend(program.functions[entry].params.iter().map(|p| (entry, p.local)));
        }
        // Callers first: they come after what they call.
        for function in program.reachable_functions().into_iter().rev() {
            let body = &program.functions[function].code;
            let mut given = Vec::new();
            for id in body.expressions() {
                let ExprKind::Call(callee, args) = &body.exprs[id].kind else { continue };
                let rounds = Rounds { program, function, body, inputs: &inputs };
                let params = program.functions[*callee].params.iter().zip(args);
                given.extend(params.filter(|(_, arg)| rounds.is_read(**arg, DEPTH)).map(|(p, _)| (*callee, p.local)));
            }
            inputs.0.extend(given);
        }
        inputs
    }
}

/// What is asked of the loops of a function.
struct Rounds<'a> {
    program: &'a Program,
    function: FunctionId,
    body: &'a Body,
    inputs: &'a Inputs,
}

impl Rounds<'_> {
    fn are_unknown(&self, stmt: &Stmt) -> bool {
        is_wish(stmt).is_some_and(|condition| match self.body.value_first {
            true => self.counts_to_read(stmt, condition),
            false => self.is_read(condition, DEPTH),
        })
    }

    /// Whether a loop compares what its step changes with what is read: of other conditions DXC may find a bound.
    fn counts_to_read(&self, stmt: &Stmt, condition: ExprId) -> bool {
        let exprs = &self.body.exprs;
        let (StmtKind::For(_, _, Some(step), ..), ExprKind::Binary(op, a, b)) = (&stmt.kind, &exprs[condition].kind)
        else {
            return false;
        };
        let counter = match exprs[*step].kind {
            ExprKind::Step(_, _, target) | ExprKind::Assign(_, target, _) => exprs.base_local(target),
            _ => None,
        };
        let counts = |id: ExprId| matches!(exprs[id].kind, ExprKind::Local(local) if Some(local) == counter);
        let bound = match (counts(unconverted(exprs, *a)), counts(unconverted(exprs, *b))) {
            (true, false) => *b,
            (false, true) => *a,
            _ => return false,
        };
        op.is_comparison() && self.is_plain(bound, DEPTH) && self.is_read(bound, DEPTH)
    }

    /// Whether a value is taken as it is from somewhere.
    fn is_plain(&self, root: ExprId, depth: u32) -> bool {
        let body = self.body;
        body.exprs.post_order(root).into_iter().all(|id| match &body.exprs[id].kind {
            ExprKind::Global(_)
            | ExprKind::Contents(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Convert(..)
            | ExprKind::Literal(..) => true,
            ExprKind::Local(local) if self.inputs.0.contains(&(self.function, *local)) => true,
            ExprKind::Local(local) if depth > 0 => {
                let value = initialized(&body.block).into_iter().find(|(l, _)| l == local).and_then(|(_, value)| value);
                value.is_some_and(|value| self.is_plain(value, depth - 1))
            }
            _ => false,
        })
    }

    /// Whether an expression reads memory, or what an entry point is given; another number that a function is given may be a
    /// constant.
    fn is_read(&self, root: ExprId, depth: u32) -> bool {
        let Rounds { program, body, .. } = self;
        body.exprs.any_part(root, |id| match &body.exprs[id].kind {
            ExprKind::Global(g) => matches!(program.globals[*g].kind, GlobalKind::Parameter | GlobalKind::Input),
            ExprKind::Contents(_) | ExprKind::Deref(_) => true,
            ExprKind::Field(..) => body.exprs.base_local(id).is_some_and(|local| !body.locals[local].constant),
            // Of an invocation or its wave.
            ExprKind::Call(callee, args) => args.is_empty() && program.functions[*callee].builtin,
            ExprKind::Local(local) if self.inputs.0.contains(&(self.function, *local)) => true,
            ExprKind::Local(local) if depth > 0 => {
                let value = initialized(&body.block).into_iter().find(|(l, _)| l == local).and_then(|(_, value)| value);
                value.is_some_and(|value| self.is_read(value, depth - 1))
            }
            _ => false,
        })
    }
}
