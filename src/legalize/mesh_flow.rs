//! Where a target takes a call once, it comes before what relies on it on every path: a mesh shader sets how many vertices and
//! primitives it gives before it gives any, and an amplification shader starts groups before it ends.
//!
//! Spec: DirectX, "Mesh Shader", `SetMeshOutputCounts` and `DispatchMesh`. Whether a call was made is followed as a definite
//! assignment is.

use super::limits::bytes;
use super::needs::callee;
use super::unrolled_loops::counted;
use crate::check::constant::eval;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::layout::locations::mesh_output;
use crate::source::Span;
use crate::target::{Capability, Profile};
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// How deep calls are followed.
const DEPTH: u32 = 200;
/// Rounds of a loop that are distinguished: none, one, several.
const ROUNDS: usize = 2;

/// Whether the call was made on every path to a place; `None` where none leads.
type CallMade = Option<bool>;

fn merge(a: CallMade, b: CallMade) -> CallMade {
    match (a, b) {
        (Some(a), Some(b)) => Some(a && b),
        (a, b) => a.or(b),
    }
}

/// Reports outputs and ends of entry points that the call does not come before.
pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    if profile.has(Capability::RepeatedMeshCounts) {
        return;
    }
    for entry in program.entry_points.iter().filter(|e| matches!(e.stage, Stage::Mesh | Stage::Amplification)) {
        let Some(call) = program.analyses().calls_once(entry).first().copied() else { continue };
        let once = program.marked("__once");
        let callers = program.analyses().callers_of(&|f| f.is_marked("__once"));
        let mut flow =
            MeshFlow { program, once, callers, before: None, again: None, is_mesh: entry.stage == Stage::Mesh };
        let end = flow.function(entry.function, Some(false), 0);
        let found = match (flow.again, flow.before) {
            (Some(span), _) => Some((span, "this call is made once, and not in each round of a loop")),
            (_, Some(span)) => Some((span, "the counts of a mesh shader are set on every path to its outputs")),
            _ if entry.stage == Stage::Amplification && end == Some(false) => {
                Some((call, "groups of the mesh shader are started on every path"))
            }
            _ => None,
        };
        if let Some((span, message)) = found {
            let error = Diagnostic::error(Code::CAPABILITY, span, format!("{message} in {}", profile.name));
            diags.push(error);
        }
    }
    payload_sizes(program, profile, diags);
}

/// What an amplification shader gives its mesh shaders has as many bytes, or DXC refuses its own size of it.
const LEAST_PAYLOAD: u64 = 4;

/// The most bytes (DirectX, "Mesh Shader", "Amplification Shader": 16 KiB).
const MOST_PAYLOAD: u64 = 16384;

/// Reports data that is too small or too large to be given to mesh shaders.
fn payload_sizes(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    let mut found: Vec<(TypeId, Span, u64)> = Vec::new();
    for owner in program.reachable_functions() {
        let body = &program.functions[owner].code;
        for id in body.expressions() {
            let call = callee(program, &body.exprs, id).filter(|(function, _)| function.is_marked("__once"));
            let payload = call.and_then(|(_, args)| args.last().copied());
            found.extend(payload.map(|payload| (body.exprs[payload].ty, body.exprs[payload].span, LEAST_PAYLOAD)));
        }
    }
    for entry in program.entry_points.iter().filter(|e| e.stage == Stage::Mesh) {
        let function = &program.functions[entry.function];
        let payload = function.params.iter().find(|p| p.modifiers.has(Modifiers::PAYLOAD));
        let local = payload.map(|p| &function.code.locals[p.local]);
        found.extend(local.map(|local| (local.ty, local.span, 0)));
    }
    for (ty, span, least) in found {
        let (size, name, target) = (bytes(program, ty, 0), program.type_name(ty), profile.name);
        // With types of 16 bits on, a number of minimum precision is one.
        let is_halved = size == least
            && program.any_leaf(ty, &mut |leaf| match leaf {
                Type::Scalar(scalar) | Type::Vector(scalar, _) | Type::Matrix(scalar, ..) => {
                    scalar.is_least_precision()
                }
                _ => false,
            });
        let message = if size < least || is_halved {
            format!("a payload has at least {least} bytes in {target}, and `{name}` less")
        } else if size > MOST_PAYLOAD {
            format!("a payload has at most {MOST_PAYLOAD} bytes in {target}, and `{name}` has {size}")
        } else {
            continue;
        };
        if matches!(program.types.get(ty), Type::Struct(_)) {
            diags.push(Diagnostic::error(Code::CAPABILITY, span, message));
        }
    }
}

struct MeshFlow<'a> {
    program: &'a Program,
    once: FxHashSet<FunctionId>,
    /// The functions that make the call, themselves or by others.
    callers: FxHashSet<FunctionId>,
    /// The first output that it does not come before.
    before: Option<Span>,
    /// Where a loop makes it several times.
    again: Option<Span>,
    is_mesh: bool,
}

/// What leaves a function or the statement around.
#[derive(Default)]
struct LeftBy {
    returns: CallMade,
    breaks: CallMade,
    continues: CallMade,
}

impl MeshFlow<'_> {
    fn function(&mut self, id: FunctionId, made: CallMade, depth: u32) -> CallMade {
        let function = &self.program.functions[id];
        if depth > DEPTH {
            return made;
        }
        let outputs = function.params.iter().filter(|p| {
            let ty = function.code.locals[p.local].ty;
            mesh_output(self.program, p, ty).is_some()
        });
        let outputs = outputs.map(|p| p.local).collect();
        let mut body = BodyFlow { flow: self, body: &function.code, outputs, depth, left: LeftBy::default() };
        let end = body.block(&function.code.block, made);
        merge(end, body.left.returns)
    }
}

struct BodyFlow<'a, 'b> {
    flow: &'a mut MeshFlow<'b>,
    body: &'b Body,
    outputs: FxHashSet<LocalId>,
    depth: u32,
    left: LeftBy,
}

impl BodyFlow<'_, '_> {
    fn known(&self, condition: ExprId) -> Option<bool> {
        eval(self.flow.program, &self.body.exprs, condition).ok().and_then(|value| value.truth())
    }

    fn block(&mut self, block: &Block, mut made: CallMade) -> CallMade {
        for (at, stmt) in block.stmts.iter().enumerate() {
            // What is in one line with the call may stand before it.
            let line = || block.stmts.iter().skip(at).take_while(|s| is_plain(s));
            if made == Some(false) && is_plain(stmt) && line().any(|s| self.calls(s)) {
                line().for_each(|s| _ = self.own(s, Some(true)));
                made = Some(true);
            }
            made = self.stmt(stmt, made);
        }
        made
    }

    /// Whether the statement itself is the call of the builtin.
    fn calls(&self, stmt: &Stmt) -> bool {
        matches!(stmt.kind, StmtKind::Expr(e)
            if matches!(self.body.exprs[e].kind, ExprKind::Call(f, _) if self.flow.once.contains(&f)))
    }

    /// The expressions of a statement itself.
    fn own(&mut self, stmt: &Stmt, mut made: CallMade) -> CallMade {
        let mut roots = Vec::new();
        stmt.own_exprs(&mut |e| roots.push(e));
        for root in roots {
            made = self.expr(root, made);
        }
        made
    }

    fn expr(&mut self, root: ExprId, mut made: CallMade) -> CallMade {
        let exprs = &self.body.exprs;
        // Outputs that are given to a function which makes the call are looked at there.
        let mut given = FxHashSet::default();
        for id in exprs.post_order(root).into_iter().rev() {
            if let ExprKind::Call(f, args) = &exprs[id].kind
                && self.flow.callers.contains(f)
            {
                given.extend(args.iter().copied());
            }
        }
        for id in exprs.post_order(root) {
            match exprs[id].kind {
                ExprKind::Call(f, _) if self.flow.once.contains(&f) => made = made.map(|_| true),
                ExprKind::Call(f, _) if self.flow.callers.contains(&f) => {
                    made = self.flow.function(f, made, self.depth + 1);
                }
                ExprKind::Local(local)
                    if made == Some(false)
                        && self.flow.is_mesh
                        && self.outputs.contains(&local)
                        && !given.contains(&id) =>
                {
                    self.flow.before.get_or_insert(exprs[id].span);
                }
                _ => {}
            }
        }
        made
    }

    fn stmt(&mut self, stmt: &Stmt, made: CallMade) -> CallMade {
        match &stmt.kind {
            StmtKind::Local(..) | StmtKind::Expr(_) | StmtKind::Discard | StmtKind::Intrinsic(_) => {
                self.own(stmt, made)
            }
            StmtKind::Block(inner) => self.block(inner, made),
            StmtKind::If(condition, then, other, _) => {
                let made = self.expr(*condition, made);
                let known = self.known(*condition);
                let then = self.block(then, made.filter(|_| known != Some(false)));
                let made = made.filter(|_| known != Some(true));
                let other = other.as_ref().map_or(made, |other| self.block(other, made));
                merge(then, other)
            }
            StmtKind::For(init, condition, _, body, _) => {
                let made = init.iter().fold(made, |made, stmt| self.stmt(stmt, made));
                let rounds = counted(self.flow.program, self.body, stmt, &FxHashMap::default(), ROUNDS);
                let rounds = rounds.map(|(_, rounds)| rounds.len());
                self.in_loop(stmt, made, condition.is_none(), rounds, body)
            }
            StmtKind::While(condition, body, _) => {
                let made = self.expr(*condition, made);
                let rounds = (self.known(*condition) == Some(false)).then_some(0);
                self.in_loop(stmt, made, self.known(*condition) == Some(true), rounds, body)
            }
            StmtKind::DoWhile(body, condition, _) => {
                let endless = self.known(*condition) == Some(true);
                self.in_loop(stmt, made, endless, (!endless).then_some(1), body)
            }
            StmtKind::Switch(value, cases, _) => {
                let made = self.expr(*value, made);
                self.switch(cases, made)
            }
            StmtKind::Break => {
                self.left.breaks = merge(self.left.breaks, made);
                None
            }
            StmtKind::Continue => {
                self.left.continues = merge(self.left.continues, made);
                None
            }
            StmtKind::Return(_) => {
                let made = self.own(stmt, made);
                self.left.returns = merge(self.left.returns, made);
                None
            }
        }
    }

    /// A loop: `endless` where its condition ends it never, with its rounds where they are known.
    fn in_loop(&mut self, stmt: &Stmt, made: CallMade, endless: bool, rounds: Option<usize>, body: &Block) -> CallMade {
        if rounds.is_some_and(|n| n >= ROUNDS) && body.any(&mut |s| self.calls(s)) {
            self.flow.again.get_or_insert(stmt.span);
        }
        let around = std::mem::take(&mut self.left);
        let once = self.block(body, made.filter(|_| rounds != Some(0)));
        let LeftBy { returns, breaks, continues } = std::mem::replace(&mut self.left, around);
        self.left.returns = merge(self.left.returns, returns);
        let after = merge(once, continues);
        let by_condition = match rounds {
            _ if endless => None,
            Some(0) => made,
            Some(_) => after,
            None => merge(made, after),
        };
        merge(by_condition, breaks)
    }

    fn switch(&mut self, cases: &[SwitchCase], made: CallMade) -> CallMade {
        let around = self.left.breaks.take();
        let mut end = None;
        for case in cases {
            end = self.block(&case.body, merge(end, made));
        }
        let breaks = std::mem::replace(&mut self.left.breaks, around);
        let default = cases.iter().any(|case| case.labels.contains(&None));
        merge(merge(end, breaks), made.filter(|_| !default))
    }
}

/// Whether a statement is followed by the next one whatever happens.
fn is_plain(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Local(..) | StmtKind::Expr(_))
}
