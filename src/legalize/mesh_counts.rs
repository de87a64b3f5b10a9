//! A mesh shader says once how many vertices and primitives it gives; to say the same again is left out.
//!
//! Before: `SetMeshOutputCounts(3, 1);  vertices[0] = v;  SetMeshOutputCounts(3, 1);  triangles[0] = t;`
//! After:  `SetMeshOutputCounts(3, 1);  vertices[0] = v;  triangles[0] = t;`
//!
//! A shader that says nothing gives nothing: no vertices and no primitives before it ends is left out, too. Other numbers, or
//! calls of which none comes before all others, stay, and are an error.

use super::{Context, Pass};
use crate::check::constant::eval;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::layout::locations::mesh_output;
use crate::source::Span;
use crate::target::{Capability, Profile};
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "mesh_counts",
    lessens: &[Capability::RepeatedMeshCounts],
    after: &["inline_builtins", "constant_parameters"],
    run,
    ..Pass::ROW
};

/// The second call of a mesh shader that a target takes once.
pub(super) fn second_count(program: &Program, entry: &EntryPoint) -> Option<Span> {
    let once = || program.analyses().calls_once(entry);
    (entry.stage == Stage::Mesh).then(once)?.get(1).copied()
}

/// Where what a mesh shader gives is an array of its own: it is written alone.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    for id in program.functions_with_code() {
        let Function { params, code: body, .. } = &program.functions[id];
        let outputs = params.iter().filter(|p| mesh_output(program, p, body.locals[p.local].ty).is_some());
        let outputs: FxHashSet<LocalId> = outputs.map(|p| p.local).collect();
        let is_element = |id: ExprId| match body.exprs[id].kind {
            ExprKind::Index(base, _) => matches!(body.exprs[base].kind, ExprKind::Local(l) if outputs.contains(&l)),
            _ => false,
        };
        let live = body.expressions();
        let mut written = FxHashSet::default();
        for id in &live {
            match &body.exprs[*id].kind {
                ExprKind::Assign(None, target, _) => written.extend(body.exprs.way_to_base(*target)),
                ExprKind::Call(callee, args) => {
                    let params = program.functions[*callee].params.iter().zip(args);
                    for (_, arg) in params.filter(|(p, _)| p.mode == ParamMode::Out) {
                        written.extend(body.exprs.way_to_base(*arg));
                    }
                }
                _ => {}
            }
        }
        // A whole element that is assigned on is read: `vertices[0] = vertices[1] = made`.
        for id in &live {
            if let ExprKind::Assign(None, to, value) = body.exprs[*id].kind
                && let ExprKind::Assign(None, from, _) = body.exprs[value].kind
                && is_element(to)
                && matches!(program.types.get(body.exprs[from].ty), Type::Struct(_))
            {
                written.remove(&from);
            }
        }
        for id in live.into_iter().filter(|id| is_element(*id) && !written.contains(id)) {
            let message = format!("what a mesh shader gives cannot be read in {}", profile.name);
            diags.push(Diagnostic::error(Code::CAPABILITY, body.exprs[id].span, message));
        }
    }
}

fn run(cx: &mut Context) {
    let once = cx.program.marked("__once");
    let entries: Vec<FunctionId> = cx.program.entry_points.iter().map(|e| e.function).collect();
    cx.each_body(&mut |cx, id, body| {
        let written = cx.program.written_locals(body);
        let counts = Counts { program: cx.program, exprs: &body.exprs, locals: &body.locals, once: &once, written };
        let mut repeated = counts.repeated(&body.block);
        if entries.contains(&id) {
            repeated.extend(counts.nothing(&body.block));
        }
        body.block.rewrite(&mut |stmt, out| {
            if !matches!(stmt.kind, StmtKind::Expr(e) if repeated.contains(&e)) {
                out.push(stmt);
            }
        });
    });
}

struct Counts<'a> {
    program: &'a Program,
    exprs: &'a ExprArena,
    locals: &'a Arena<LocalId, Local>,
    /// The functions that say the numbers.
    once: &'a FxHashSet<FunctionId>,
    written: FxHashSet<LocalId>,
}

impl Counts<'_> {
    /// The calls that say again what one before them said.
    fn repeated(&self, block: &Block) -> FxHashSet<ExprId> {
        let mut found = FxHashSet::default();
        self.within(block, None, &mut found);
        found
    }

    fn within(&self, block: &Block, mut said: Option<String>, found: &mut FxHashSet<ExprId>) {
        for stmt in &block.stmts {
            if let StmtKind::Expr(e) = stmt.kind
                && let Some(numbers) = self.numbers(e)
            {
                if said.as_ref() == Some(&numbers) {
                    found.insert(e);
                } else {
                    said = said.or(Some(numbers));
                }
            }
            stmt.blocks(&mut |inner| self.within(inner, said.clone(), found));
        }
    }

    /// The calls that say that there is nothing, each before the end of the shader.
    fn nothing(&self, block: &Block) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut list = |stmts: &[Stmt]| {
            for pair in stmts.windows(2) {
                if let [Stmt { kind: StmtKind::Expr(call), .. }, Stmt { kind: StmtKind::Return(None), .. }] = pair
                    && self.is_nothing(*call)
                {
                    found.push(*call);
                }
            }
        };
        list(&block.stmts);
        block.visit(&mut |stmt| stmt.blocks(&mut |inner| list(&inner.stmts)));
        found
    }

    fn is_nothing(&self, call: ExprId) -> bool {
        let ExprKind::Call(function, args) = &self.exprs[call].kind else { return false };
        let zero = |arg: &ExprId| eval(self.program, self.exprs, *arg).is_ok_and(|v| v.int() == Some(0));
        self.once.contains(function) && args.len() == 2 && args.iter().all(zero)
    }

    /// What a call says, if that is the same everywhere in a function.
    fn numbers(&self, call: ExprId) -> Option<String> {
        let ExprKind::Call(function, args) = &self.exprs[call].kind else { return None };
        let stays = |id: &ExprId| match self.exprs[*id].kind {
            ExprKind::Literal(..) | ExprKind::Convert(..) | ExprKind::Binary(..) | ExprKind::Swizzle(..) => true,
            ExprKind::Local(local) => !self.written.contains(&local),
            ExprKind::Global(global) => {
                matches!(self.program.globals[global].kind, GlobalKind::Const | GlobalKind::Specialization)
            }
            _ => false,
        };
        let all = args.iter().flat_map(|arg| self.exprs.post_order(*arg));
        let same = self.once.contains(function) && all.into_iter().all(|id| stays(&id));
        same.then(|| dump::expr_text(self.program, self.locals, self.exprs, call))
    }
}
