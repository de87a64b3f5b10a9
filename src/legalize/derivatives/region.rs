//! Statements that not all invocations run, and which values are known before them.

use crate::tree::analyses::uniformity::is_varying_global;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which static variables functions write, themselves or through what they call.
#[derive(Default)]
pub(super) struct WrittenStatics {
    by_function: FxHashMap<FunctionId, FxHashSet<GlobalId>>,
}

impl WrittenStatics {
    pub(super) fn of(program: &Program) -> WrittenStatics {
        let mut found = WrittenStatics::default();
        // Callees come before their callers.
        for id in program.reachable_functions() {
            let body = &program.functions[id].code;
            let mut own = FxHashSet::default();
            body.expressions().into_iter().for_each(|e| found.add(program, &body.exprs, e, &mut own));
            if !own.is_empty() {
                found.by_function.insert(id, own);
            }
        }
        found
    }

    /// Adds those that an expression by itself writes.
    fn add(&self, program: &Program, exprs: &ExprArena, id: ExprId, written: &mut FxHashSet<GlobalId>) {
        program.each_written(exprs, id, &mut |place| match exprs[exprs.base(place)].kind {
            ExprKind::Global(global) if program.globals[global].kind == GlobalKind::Static => {
                written.insert(global);
            }
            _ => {}
        });
        if let ExprKind::Call(callee, _) = exprs[id].kind {
            written.extend(self.by_function.get(&callee).into_iter().flatten());
        }
    }
}

/// Statements that not all invocations run.
pub(super) struct Region {
    /// Static variables that are written there.
    written: FxHashSet<GlobalId>,
    /// Variables that are declared or written there.
    changed: FxHashSet<LocalId>,
    /// Those that are declared there.
    declared: FxHashSet<LocalId>,
}

impl Region {
    pub(super) fn of(program: &Program, statics: &WrittenStatics, body: &Body, stmts: &[Stmt]) -> Region {
        let (mut changed, mut declared) = (FxHashSet::default(), FxHashSet::default());
        let mut written = FxHashSet::default();
        Block::of(stmts.to_vec()).visit(&mut |stmt| {
            if let StmtKind::Local(local, _) = stmt.kind {
                declared.insert(local);
                changed.insert(local);
            }
            stmt.own_exprs(&mut |root| {
                for id in body.exprs.post_order(root) {
                    program.each_written(&body.exprs, id, &mut |place| changed.extend(body.exprs.base_local(place)));
                    statics.add(program, &body.exprs, id, &mut written);
                }
            });
        });
        Region { written, changed, declared }
    }

    /// Whether what a global holds may be other among the statements than before.
    fn changes_global(&self, program: &Program, id: GlobalId) -> bool {
        let global = &program.globals[id];
        let is_kept = global.kind == GlobalKind::Static && !self.written.contains(&id);
        is_varying_global(program, global) && !is_kept
    }

    /// The variables that are declared or written there.
    pub(super) fn into_changed(self) -> FxHashSet<LocalId> {
        self.changed
    }

    /// Whether a variable is declared there.
    pub(super) fn declares(&self, local: LocalId) -> bool {
        self.declared.contains(&local)
    }

    /// Whether a variable is declared or written there.
    pub(super) fn changes(&self, local: LocalId) -> bool {
        self.changed.contains(&local)
    }

    /// Whether an expression has the value before the statements that it has among them, and does nothing else.
    pub(super) fn is_known(&self, program: &Program, effects: &Effects, exprs: &ExprArena, root: ExprId) -> bool {
        let known = |id: &ExprId| match &exprs[*id].kind {
            ExprKind::Local(local) => !self.changed.contains(local),
            ExprKind::Global(global) => !self.changes_global(program, *global),
            ExprKind::Call(function, _) => !self.changes_result(program, *function),
            kind => is_value(kind),
        };
        !effects.expr(exprs, root) && exprs.post_order(root).iter().all(known)
    }

    /// Whether a function, or what it calls, reads what may be other among the statements than before.
    fn changes_result(&self, program: &Program, function: FunctionId) -> bool {
        let analyses = program.analyses();
        let (mut seen, mut open) = (FxHashSet::default(), vec![function]);
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                let uses = analyses.uses(id);
                if uses.globals.iter().any(|g| self.changes_global(program, *g)) {
                    return true;
                }
                open.extend(uses.functions.iter().copied());
            }
        }
        false
    }
}

/// Whether it only computes a value of its operands.
fn is_value(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Literal(..)
        | ExprKind::EnumCase(..)
        | ExprKind::Zero
        | ExprKind::Field(..)
        | ExprKind::Index(..)
        | ExprKind::Contents(_)
        | ExprKind::Swizzle(..)
        | ExprKind::MatrixSwizzle(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Select(..)
        | ExprKind::Construct(_)
        | ExprKind::Convert(..) => true,
        // What takes an address may read what changes.
        ExprKind::Native(template, _) => !template.pieces.iter().any(|p| matches!(p, TemplatePiece::Address(_))),
        ExprKind::Local(_)
        | ExprKind::Global(_)
        | ExprKind::Assign(..)
        | ExprKind::Step(..)
        | ExprKind::Comma(..)
        | ExprKind::Call(..)
        | ExprKind::Property(_)
        | ExprKind::AddressOf(_)
        | ExprKind::Deref(_) => false,
    }
}

/// How variables of a function get their values.
pub(super) struct Definitions {
    /// Variables with one value, and that.
    values: FxHashMap<LocalId, ExprId>,
    /// What counts the rounds of a loop: its first value and its step.
    counters: FxHashMap<LocalId, (ExprId, ExprId)>,
}

impl Definitions {
    pub(super) fn of(program: &Program, body: &Body, block: &Block) -> Definitions {
        let (mut values, mut counters) = (FxHashMap::default(), FxHashMap::default());
        let mut writes: FxHashMap<LocalId, u32> = FxHashMap::default();
        block.visit(&mut |stmt| {
            match &stmt.kind {
                StmtKind::Local(local, Some(value)) => drop(values.insert(*local, *value)),
                StmtKind::For(init, _, Some(step), ..) => {
                    if let [Stmt { kind: StmtKind::Local(local, Some(first)), .. }] = init.as_slice() {
                        counters.insert(*local, (*first, *step));
                    }
                }
                _ => {}
            }
            stmt.own_exprs(&mut |root| {
                for id in body.exprs.post_order(root) {
                    program.each_written(&body.exprs, id, &mut |place| {
                        body.exprs.base_local(place).into_iter().for_each(|l| *writes.entry(l).or_default() += 1);
                    });
                }
            });
        });
        let count = |local: &LocalId| writes.get(local).copied().unwrap_or(0);
        counters.retain(|local, (_, step)| {
            let stepped = match body.exprs[*step].kind {
                ExprKind::Step(_, _, target) | ExprKind::Assign(Some(BinaryOp::Add | BinaryOp::Sub), target, _) => {
                    Some(target)
                }
                _ => None,
            };
            let own = stepped.is_some_and(|t| matches!(body.exprs[t].kind, ExprKind::Local(l) if l == *local));
            own && count(local) == 1
        });
        values.retain(|local, _| count(local) == 0);
        Definitions { values, counters }
    }

    /// The only value of a variable.
    pub(super) fn value(&self, local: LocalId) -> Option<ExprId> {
        self.values.get(&local).copied()
    }

    /// Whether a variable counts the rounds of a loop.
    pub(super) fn is_counter(&self, local: LocalId) -> bool {
        self.counters.contains_key(&local)
    }

    /// Whether an expression is the same for all invocations that are in the same rounds of the loops around.
    pub(super) fn is_uniform(
        &self,
        program: &Program,
        effects: &Effects,
        exprs: &ExprArena,
        root: ExprId,
        depth: u32,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let uniform = |id: ExprId| self.is_uniform(program, effects, exprs, id, depth);
        let part = |id: &ExprId| match &exprs[*id].kind {
            ExprKind::Local(local) => match (self.values.get(local), self.counters.get(local)) {
                (Some(value), _) => uniform(*value),
                (_, Some((first, step))) => {
                    uniform(*first)
                        && match exprs[*step].kind {
                            ExprKind::Assign(_, _, amount) => uniform(amount),
                            _ => true,
                        }
                }
                _ => false,
            },
            ExprKind::Global(global) => !is_varying_global(program, &program.globals[*global]),
            ExprKind::Call(function, _) => {
                let function = &program.functions[*function];
                function.builtin && !(super::RULES.is_varying)(function)
            }
            kind => is_value(kind),
        };
        !effects.expr(exprs, root) && exprs.post_order(root).iter().all(part)
    }
}
