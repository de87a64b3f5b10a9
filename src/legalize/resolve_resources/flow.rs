//! What locals stand for, followed through the statements.
//!
//! Where ways meet, a local stands for what it stood for on all of them; if that is not one thing, using it is an error.

use super::{Resolver, Site, Work, rebinding};
use crate::check::constant::{Value, eval, eval_with};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::tree::{
    Block, Expr, ExprArena, ExprId, ExprKind, Literal, LocalId, Program, Step, Stmt, StmtKind, SwitchCase, Type, TypeId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of locals that stand for something, shorter paths first.
pub(super) type Aliases = BTreeMap<LocalId, Vec<Alias>>;

/// A part of a local, and what it stands for.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    /// Fields and constant elements, from the local.
    pub(super) path: Vec<Step>,
    /// The access path that it stands for, in the same body.
    pub(super) expr: ExprId,
    /// Another one that it may stand for as well.
    pub(super) other: Option<ExprId>,
    /// On some way it stands for nothing yet.
    pub(super) open: bool,
    /// Tells later meanings of the same place from this one.
    pub(super) version: u32,
}

/// A use of what a local stood for.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) local: LocalId,
    pub(super) path: Vec<Step>,
    pub(super) version: u32,
    pub(super) span: Span,
}

/// The state at a place of the program.
#[derive(Clone, Default, Debug)]
pub(super) struct Flow {
    pub(super) aliases: Aliases,
    pub(super) reachable: bool,
}

/// The states in which a loop or switch is left or gone on with.
pub(super) struct Jumps {
    breaks: Vec<Flow>,
    /// Of loops.
    continues: Option<Vec<Flow>>,
}

/// The longest known part that a path lies in.
pub(super) fn covering<'a>(list: &'a [Alias], path: &[Step]) -> Option<&'a Alias> {
    list.iter().rev().find(|a| path.starts_with(&a.path))
}

/// A path with fields and constant elements behind it.
pub(super) fn extend(program: &Program, exprs: &mut ExprArena, e: ExprId, path: &[Step]) -> Option<ExprId> {
    let mut e = exprs.duplicate(e);
    for step in path {
        let Expr { ty, span, .. } = exprs[e];
        let (kind, ty) = match (program.types.get(ty), *step) {
            (Type::Struct(_), Step::Field(field)) => (ExprKind::Field(e, field), program.field_type(ty, field)?),
            (Type::Array(element, _), Step::Element(number)) => {
                let kind = ExprKind::Literal(crate::tree::Literal::Int(i64::from(number)), None);
                let index = exprs.push(Expr { kind, ty: TypeId::INT, span });
                (ExprKind::Index(e, index), element)
            }
            _ => return None,
        };
        e = exprs.push(Expr { kind, ty, span });
    }
    Some(e)
}

/// What a part at `path` stands for by a list.
fn meaning(program: &Program, exprs: &mut ExprArena, list: &[Alias], path: &[Step]) -> Option<Alias> {
    let known = covering(list, path)?;
    let rest = path.get(known.path.len()..)?;
    let expr = extend(program, exprs, known.expr, rest)?;
    let other = match known.other {
        Some(other) => Some(extend(program, exprs, other, rest)?),
        None => None,
    };
    Some(Alias { path: path.to_vec(), expr, other, open: known.open, version: known.version })
}

fn overlap(a: &[Step], b: &[Step]) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

fn paths(a: &[Alias], b: &[Alias]) -> Vec<Vec<Step>> {
    let all: BTreeSet<(usize, Vec<Step>)> = a.iter().chain(b).map(|x| (x.path.len(), x.path.clone())).collect();
    all.into_iter().map(|(_, path)| path).collect()
}

impl Resolver<'_, '_> {
    /// Resolves statements one after the other.
    pub(super) fn statements(&mut self, work: &mut Work, stmts: Vec<Stmt>, out: &mut Vec<Stmt>) {
        for stmt in stmts {
            let reachable = work.flow.reachable;
            if self.statement(work, stmt, out) && reachable && !work.flow.reachable {
                return;
            }
        }
    }

    /// Resolves a statement and those in it. Answers whether a branch that is always taken came in its place.
    pub(super) fn statement(&mut self, work: &mut Work, mut stmt: Stmt, out: &mut Vec<Stmt>) -> bool {
        match &mut stmt.kind {
            StmtKind::If(condition, then, other, _) => {
                if let Some(taken) = self.known_branch(work, *condition, then, other) {
                    // What needs no argument of a call is left out by every compiler.
                    self.chooses |= eval(self.cx.program, &work.body.exprs, *condition).is_err();
                    self.statements(work, taken, out);
                    return true;
                }
                self.condition(work, *condition, false, out);
                let head = work.flow.clone();
                self.block(work, then);
                let then = std::mem::replace(&mut work.flow, head);
                if let Some(other) = other {
                    self.block(work, other);
                }
                work.flow = self.merge(work, then, work.flow.clone());
            }
            StmtKind::Switch(value, cases, _) => {
                if let Some(taken) = self.known_case(work, *value, cases) {
                    self.chooses = true;
                    self.statements(work, taken, out);
                    return true;
                }
                self.condition(work, *value, false, out);
                self.cases(work, cases);
            }
            StmtKind::While(condition, block, _) => self.looped(work, out, |s, work, out| {
                s.condition(work, *condition, true, out);
                let head = work.flow.clone();
                s.block(work, block);
                s.go_on(work);
                Some(head)
            }),
            StmtKind::DoWhile(block, condition, _) => self.looped(work, out, |s, work, out| {
                s.block(work, block);
                s.go_on(work);
                s.condition(work, *condition, true, out);
                let end = work.flow.clone();
                // One that goes round once has no other round.
                let never = matches!(work.body.exprs[*condition].kind, ExprKind::Literal(Literal::Bool(false), _));
                work.flow.reachable &= !never;
                Some(end)
            }),
            StmtKind::For(init, condition, step, block, _) => {
                self.initializers(work, init, out);
                self.looped(work, out, |s, work, out| {
                    if let Some(condition) = condition {
                        s.condition(work, *condition, true, out);
                    }
                    let head = work.flow.clone();
                    s.block(work, block);
                    s.go_on(work);
                    if let Some(step) = step {
                        s.condition(work, *step, true, out);
                    }
                    condition.is_some().then_some(head)
                });
            }
            StmtKind::Block(block) => self.block(work, block),
            _ => {
                self.simple(work, stmt, out);
                return false;
            }
        }
        out.push(stmt);
        false
    }

    /// An expression that a statement with blocks tests.
    fn condition(&mut self, work: &mut Work, root: ExprId, repeated: bool, out: &mut Vec<Stmt>) {
        let mut site = Site::new(false, repeated);
        self.expression(work, root, &mut site);
        out.append(&mut site.before);
        out.append(&mut site.after);
    }

    /// The branch that a constant condition takes, where the other one would give resources too, or ask for one that is not there.
    fn known_branch(
        &mut self,
        work: &Work,
        condition: ExprId,
        then: &mut Block,
        other: &mut Option<Block>,
    ) -> Option<Vec<Stmt>> {
        let matters = self.is_of_resources(work, then) || other.as_ref().is_some_and(|b| self.is_of_resources(work, b));
        if !matters {
            return None;
        }
        match work.constant(self.cx.program, condition)? {
            Value::Bool(true) => Some(std::mem::take(&mut then.stmts)),
            Value::Bool(false) => Some(other.take().map(|b| b.stmts).unwrap_or_default()),
            _ => None,
        }
    }

    /// The case that a constant takes, where others would give resources too, or ask for one that is not there.
    fn known_case(&mut self, work: &Work, value: ExprId, cases: &mut [SwitchCase]) -> Option<Vec<Stmt>> {
        if !cases.iter().any(|c| self.is_of_resources(work, &c.body)) {
            return None;
        }
        let number = work.constant(self.cx.program, value)?.int()?;
        let mut others = None;
        for (at, case) in cases.iter().enumerate() {
            for label in &case.labels {
                match label {
                    Some(label) if work.constant(self.cx.program, *label)?.int()? == number => others = Some(at),
                    None if others.is_none() => others = Some(at),
                    _ => {}
                }
            }
        }
        let last = cases.len().checked_sub(1);
        others.and_then(|at| whole_case(&mut cases.get_mut(at)?.body, Some(at) == last))
    }

    /// Whether statements change what a local or the result stands for, or ask for what stands for nothing yet.
    fn is_of_resources(&self, work: &Work, block: &Block) -> bool {
        self.gives_resources(work, block)
            || block.any(&mut |stmt| {
                let mut found = false;
                stmt.own_exprs(&mut |root| found |= work.asks_open(self.cx.program, root));
                found
            })
    }

    /// Whether statements change what a local or the result stands for.
    fn gives_resources(&self, work: &Work, block: &Block) -> bool {
        let exprs = &work.body.exprs;
        block.any(&mut |stmt| {
            let mut found = matches!(stmt.kind, StmtKind::Return(Some(_))) && work.result.is_some();
            stmt.own_exprs(&mut |root| {
                found |= exprs.any_part(root, |e| match &exprs[e].kind {
                    ExprKind::Assign(_, target, _) => self.cx.program.holds_resource(exprs[*target].ty),
                    ExprKind::Call(f, _) => self.facts.is_giving(*f),
                    _ => false,
                });
            });
            found
        })
    }

    /// The initializers of a `for`. What must stand behind one of them makes all stand before the loop.
    fn initializers(&mut self, work: &mut Work, init: &mut Vec<Stmt>, out: &mut Vec<Stmt>) {
        for stmt in std::mem::take(init) {
            let (local, mut list) = (stmt.kind.clone(), Vec::new());
            self.simple(work, stmt, &mut list);
            let own = |s: &Stmt| match (&s.kind, &local) {
                (StmtKind::Local(a, _), StmtKind::Local(b, _)) => a == b,
                (StmtKind::Expr(a), StmtKind::Expr(b)) => a == b,
                _ => false,
            };
            match list.pop() {
                Some(last) if own(&last) => {
                    if !list.is_empty() {
                        out.append(init);
                        out.append(&mut list);
                    }
                    init.push(last);
                }
                Some(last) => {
                    out.append(init);
                    out.append(&mut list);
                    out.push(last);
                }
                None => {}
            }
        }
    }

    /// A loop; `body` goes round once and answers the state in which the condition ends it.
    fn looped(
        &mut self,
        work: &mut Work,
        out: &mut Vec<Stmt>,
        body: impl FnOnce(&mut Self, &mut Work, &mut Vec<Stmt>) -> Option<Flow>,
    ) {
        let (head, reads) = (work.flow.clone(), work.reads.len());
        work.jumps.push(Jumps { breaks: Vec::new(), continues: Some(Vec::new()) });
        let end = body(self, work, out);
        let breaks = work.jumps.pop().map(|j| j.breaks).unwrap_or_default();
        let back = work.flow.clone();
        self.check_head(work, &head, &back, reads);
        // The condition ends the loop at the first round or a later one.
        let mut exit = Flow::default();
        if let Some(end) = end {
            exit = self.merge(work, end, back);
        }
        work.flow = self.merge_all(work, exit, breaks);
    }

    /// The end of a loop's body: here come those who went on early.
    fn go_on(&mut self, work: &mut Work) {
        let continues = work.jumps.last_mut().and_then(|j| j.continues.take()).unwrap_or_default();
        work.flow = self.merge_all(work, work.flow.clone(), continues);
    }

    /// The body of a loop was resolved by what locals stand for at the first round: it must be so at the others.
    fn check_head(&mut self, work: &mut Work, head: &Flow, back: &Flow, reads: usize) {
        if !back.reachable {
            return;
        }
        for (local, list) in &head.aliases {
            let behind = back.aliases.get(local).map_or(&[][..], |l| l);
            for path in paths(list, behind) {
                let exprs = &mut work.body.exprs;
                let before = meaning(self.cx.program, exprs, list, &path);
                let after = meaning(self.cx.program, exprs, behind, &path);
                let (Some(before), Some(after)) = (before, after) else { continue };
                if after.other.is_none() && work.is_same_path(before.expr, after.expr) {
                    continue;
                }
                let read = work
                    .reads
                    .iter()
                    .skip(reads)
                    .find(|r| r.local == *local && r.version == before.version && overlap(&r.path, &path));
                if let Some(span) = read.map(|r| r.span) {
                    self.several(work, span, before.expr, after.other.unwrap_or(after.expr));
                }
            }
        }
    }

    fn cases(&mut self, work: &mut Work, cases: &mut [SwitchCase]) {
        let head = work.flow.clone();
        work.jumps.push(Jumps { breaks: Vec::new(), continues: None });
        work.flow.reachable = false;
        for case in cases.iter_mut() {
            work.flow = self.merge(work, head.clone(), work.flow.clone());
            self.block(work, &mut case.body);
        }
        let breaks = work.jumps.pop().map(|j| j.breaks).unwrap_or_default();
        let mut exit = work.flow.clone();
        if !cases.iter().any(|c| c.labels.iter().any(Option::is_none)) {
            exit = self.merge(work, head, exit);
        }
        work.flow = self.merge_all(work, exit, breaks);
    }

    /// What a statement that leads elsewhere takes there.
    pub(super) fn after_jump(&mut self, work: &mut Work, stmt: &Stmt) {
        let flow = work.flow.clone();
        match stmt.kind {
            _ if !flow.reachable => return,
            StmtKind::Return(_) => work.exits.push(flow),
            StmtKind::Break => {
                if let Some(jumps) = work.jumps.last_mut() {
                    jumps.breaks.push(flow);
                }
            }
            StmtKind::Continue => {
                if let Some(list) = work.jumps.iter_mut().rev().find_map(|j| j.continues.as_mut()) {
                    list.push(flow);
                }
            }
            StmtKind::Discard => {}
            _ => return,
        }
        work.flow.reachable = false;
    }

    /// The state where two ways meet.
    pub(super) fn merge(&self, work: &mut Work, a: Flow, b: Flow) -> Flow {
        if !a.reachable || !b.reachable {
            return if a.reachable { a } else { b };
        }
        let (mut aliases, mut others) = (a.aliases, b.aliases);
        for (local, known) in &mut aliases {
            let list = others.remove(local).unwrap_or_default();
            let same = known.len() == list.len()
                && known.iter().zip(&list).all(|(x, y)| (&x.path, x.expr, x.version) == (&y.path, y.expr, y.version));
            if !same {
                *known = self.merge_parts(work, known, &list);
            }
        }
        for (local, list) in others {
            aliases.insert(local, self.merge_parts(work, &[], &list));
        }
        Flow { aliases, reachable: true }
    }

    pub(super) fn merge_all(&self, work: &mut Work, first: Flow, others: Vec<Flow>) -> Flow {
        others.into_iter().fold(first, |flow, other| self.merge(work, flow, other))
    }

    fn merge_parts(&self, work: &mut Work, a: &[Alias], b: &[Alias]) -> Vec<Alias> {
        let mut merged = Vec::new();
        for path in paths(a, b) {
            let x = meaning(self.cx.program, &mut work.body.exprs, a, &path);
            let y = meaning(self.cx.program, &mut work.body.exprs, b, &path);
            merged.extend(match (x, y) {
                (Some(x), Some(y)) => {
                    let differs = !work.is_same_path(x.expr, y.expr);
                    let other = x.other.or(y.other).or(differs.then_some(y.expr));
                    Some(Alias { other, open: x.open || y.open, version: x.version.min(y.version), ..x })
                }
                (x, y) => x.or(y).map(|alias| Alias { open: true, ..alias }),
            });
        }
        merged
    }

    /// Reports a use of what is not one resource.
    pub(super) fn several(&mut self, work: &Work, span: Span, a: ExprId, b: ExprId) {
        self.different(work, span, (a, b), "a variable that stands for different resources");
    }

    /// Reports resources that should be one.
    pub(super) fn different(&mut self, work: &Work, span: Span, (a, b): (ExprId, ExprId), what: &str) {
        let name = |e: ExprId| match work.body.exprs[work.body.exprs.base(e)].kind {
            ExprKind::Global(g) => Some((self.cx.program.globals[g].name, self.cx.program.globals[g].span)),
            ExprKind::Local(l) => Some((work.body.locals[l].name, work.body.locals[l].span)),
            _ => None,
        };
        let mut error = Diagnostic::error(Code::CAPABILITY, span, what);
        match (name(a), name(b)) {
            (Some((a, at)), Some((b, other))) if at != other => {
                error = error.label(at, format!("`{a}` on one path")).label(other, format!("`{b}` on another path"));
            }
            (Some((_, at)), _) => error = error.label(at, "of which different elements reach this point"),
            _ => {}
        }
        self.cx.diags.push(error);
        self.disagreed = true;
        self.chooses = true;
    }
}

/// The statements of a case that ends with `break` or leaves the function, without the `break`.
fn whole_case(body: &mut Block, is_last: bool) -> Option<Vec<Stmt>> {
    let last = body.stmts.last()?;
    let inner_break = |s: &Stmt| matches!(s.kind, StmtKind::Break);
    let ends = match &last.kind {
        StmtKind::Break => 1,
        StmtKind::Return(_) => 0,
        _ if is_last => 0,
        _ => return None,
    };
    let mut rest = body.stmts.iter().take(body.stmts.len() - ends);
    if rest.any(|s| inner_break(s) || breaks_out(s)) {
        return None;
    }
    let mut taken = std::mem::take(&mut body.stmts);
    taken.truncate(taken.len() - ends);
    Some(taken)
}

/// Whether a `break` in a statement leaves what is around it.
fn breaks_out(stmt: &Stmt) -> bool {
    let mut found = false;
    if !matches!(stmt.kind, StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::Switch(..)) {
        stmt.blocks(&mut |b| found |= b.stmts.iter().any(|s| matches!(s.kind, StmtKind::Break) || breaks_out(s)));
    }
    found
}

impl Work<'_> {
    /// The value of a constant expression, in which parameters of this instance may be constants.
    pub(super) fn constant(&self, program: &Program, e: ExprId) -> Option<Value> {
        eval_with(program, &self.body.exprs, e, &|l| self.constants.get(&l).cloned()).ok()
    }

    /// Whether a local of resources stands for none yet.
    pub(super) fn is_open(&self, program: &Program, local: LocalId) -> bool {
        program.holds_resource(self.body.locals[local].ty)
            && self.flow.aliases.get(&local).map_or(!self.staying.contains(&local), |list| list.is_empty())
    }

    /// Whether an expression names such a local.
    pub(super) fn asks_open(&self, program: &Program, root: ExprId) -> bool {
        let exprs = &self.body.exprs;
        exprs
            .post_order(root)
            .into_iter()
            .any(|e| matches!(exprs[e].kind, ExprKind::Local(l) if self.is_open(program, l)))
    }

    /// Whether two paths lead to the same resource wherever both can be written.
    pub(super) fn is_same_path(&self, a: ExprId, b: ExprId) -> bool {
        a == b
            || rebinding::is_same(&self.body.exprs, a, b, &mut |a, b| {
                self.is_stable(a) && rebinding::same_value(&self.body.exprs, a, b)
            })
    }

    /// Whether an index is the same at all uses of a path: it does not change, or only as what the local stands for does.
    fn is_stable(&self, index: ExprId) -> bool {
        let slot = |l: LocalId| self.slots.iter().any(|s| s.variables.contains(&l));
        let inner = self.facts.unmarked(&self.body.exprs, index);
        matches!(self.body.exprs[inner].kind, ExprKind::Local(l) if slot(l)) || self.is_frozen(inner)
    }

    /// Notes a use.
    pub(super) fn read(&mut self, local: LocalId, path: &[Step], version: u32, span: Span) {
        self.reads.push(Read { local, path: path.to_vec(), version, span });
    }

    /// What was in a place is there no more.
    pub(super) fn unbind(&mut self, local: LocalId, path: &[Step]) {
        if let Some(list) = self.flow.aliases.get_mut(&local) {
            list.retain(|a| !a.path.starts_with(path));
        }
    }
}
