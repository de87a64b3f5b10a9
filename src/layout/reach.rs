//! Which globals entry points reach, as far as ranges of integers tell: branches whose conditions are constant, or follow from
//! the bounds of a loop or the arguments of a call, are not entered. What only an optimizer finds out is not told.
//!
//! Used for the `dxc` policy, where unused parameters have no place (seed 002, "Unused resources").

use crate::tree::*;
use std::collections::{BTreeMap, BTreeSet};

/// The least and the greatest value of an integer or (0 and 1) of a bool.
type Range = (i128, i128);

/// Ranges of locals that are not written after they have them.
type Known = BTreeMap<LocalId, Range>;

const TRUE: Range = (1, 1);
const FALSE: Range = (0, 0);

/// Calls nested deeper than this are entered without what is known of their arguments.
const MAX_DEPTH: u32 = 64;
/// So are calls after this many.
const MAX_CALLS: usize = 4096;

/// The globals that some entry point reaches.
pub fn reached(program: &Program) -> BTreeSet<GlobalId> {
    let mut walk = Walk::new(program, true);
    program.entry_points.iter().for_each(|entry| walk.entry(entry));
    walk.globals
}

/// What a part of a parameter belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Root {
    /// A global parameter.
    Global(GlobalId),
    /// A uniform parameter of the entry point.
    Param(LocalId),
}

/// Parts of parameters that code names, as paths of fields below the parameter; empty if it is named as a whole. Array
/// steps are left out.
pub type Parts = BTreeSet<(Root, String)>;

/// The parts that the code of an entry point names, in functions that it calls too; and those of them that it reaches.
pub fn parts(program: &Program, entry: &EntryPoint) -> (Parts, Parts) {
    let of = |decides| {
        let mut walk = Walk::new(program, decides);
        walk.entry(entry);
        walk.parts
    };
    (of(false), of(true))
}

struct Walk<'a> {
    program: &'a Program,
    globals: BTreeSet<GlobalId>,
    parts: Parts,
    /// Functions that were entered, with the ranges of their arguments.
    seen: BTreeSet<(FunctionId, Vec<Option<Range>>)>,
    /// Branches that are never taken are not entered.
    decides: bool,
}

/// A function that is walked.
struct Frame<'a> {
    body: &'a Body,
    known: Known,
    /// How often each local is written after its declaration.
    writes: BTreeMap<LocalId, u32>,
    depth: u32,
    /// Its parameters are the entry point's.
    is_entry: bool,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, decides: bool) -> Walk<'a> {
        Walk { program, globals: BTreeSet::new(), parts: BTreeSet::new(), seen: BTreeSet::new(), decides }
    }

    fn entry(&mut self, entry: &EntryPoint) {
        entry.roots().for_each(|function| self.function(function, Vec::new(), 0));
    }

    fn function(&mut self, id: FunctionId, args: Vec<Option<Range>>, depth: u32) {
        let vague = !self.decides || depth > MAX_DEPTH || self.seen.len() > MAX_CALLS;
        let args = if vague { Vec::new() } else { args };
        if !self.seen.insert((id, args.clone())) {
            return;
        }
        let program = self.program;
        let function = &program.functions[id];
        if !matches!(function.body, FunctionBody::Block) {
            program.callees(id).into_iter().for_each(|f| self.function(f, Vec::new(), depth + 1));
            return;
        }
        let writes = if self.decides { writes(program, &function.code) } else { BTreeMap::new() };
        let pairs = function.params.iter().map(|p| p.local).zip(args);
        let known = pairs.filter(|(p, _)| !writes.contains_key(p)).filter_map(|(p, range)| Some((p, range?))).collect();
        let mut frame = Frame { body: &function.code, known, writes, depth, is_entry: depth == 0 };
        self.block(&mut frame, &function.code.block);
    }

    /// Gives false if what follows the block is not reached.
    fn block(&mut self, frame: &mut Frame<'a>, block: &Block) -> bool {
        block.stmts.iter().all(|stmt| self.stmt(frame, &stmt.kind))
    }

    fn stmt(&mut self, frame: &mut Frame<'a>, stmt: &StmtKind) -> bool {
        match stmt {
            StmtKind::Local(local, init) => self.local(frame, *local, *init),
            StmtKind::Expr(e) => self.expr(frame, *e),
            StmtKind::Block(block) => return self.block(frame, block),
            StmtKind::If(condition, then, otherwise, _) => {
                let value = self.condition(frame, *condition);
                let first = value == Some(FALSE) || self.block(frame, then);
                let none = Block::default();
                let second = value == Some(TRUE) || self.block(frame, otherwise.as_ref().unwrap_or(&none));
                return match value {
                    Some(TRUE) => first,
                    Some(FALSE) => second,
                    _ => first || second,
                };
            }
            StmtKind::For(init, condition, step, body, _) => self.for_loop(frame, init, *condition, *step, body),
            StmtKind::While(condition, body, _) => {
                if self.condition(frame, *condition) != Some(FALSE) {
                    self.block(frame, body);
                }
            }
            StmtKind::DoWhile(body, condition, _) => {
                self.block(frame, body);
                self.expr(frame, *condition);
            }
            StmtKind::Switch(value, cases, _) => {
                self.expr(frame, *value);
                cases.iter().for_each(|case| {
                    self.block(frame, &case.body);
                });
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|e| self.expr(frame, *e));
                return false;
            }
            StmtKind::Break | StmtKind::Continue => return false,
            StmtKind::Discard | StmtKind::Intrinsic(_) => {}
        }
        true
    }

    fn local(&mut self, frame: &mut Frame<'a>, local: LocalId, init: Option<ExprId>) {
        let Some(init) = init else { return };
        self.expr(frame, init);
        if !frame.writes.contains_key(&local)
            && let Some(range) = self.value(frame.body, &frame.known, init, frame.depth)
        {
            frame.known.insert(local, range);
        }
    }

    /// What is below a condition, and its value.
    fn condition(&mut self, frame: &Frame<'a>, condition: ExprId) -> Option<Range> {
        self.expr(frame, condition);
        self.value(frame.body, &frame.known, condition, frame.depth)
    }

    fn for_loop(
        &mut self,
        frame: &mut Frame<'a>,
        init: &[Stmt],
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: &Block,
    ) {
        for stmt in init {
            self.stmt(frame, &stmt.kind);
        }
        if let (Some(condition), Some(step)) = (condition, step)
            && let Some((counter, range)) = self.counter(frame, init, condition, step)
        {
            if range.0 > range.1 {
                return self.expr(frame, condition);
            }
            frame.known.insert(counter, range);
        }
        let value = condition.and_then(|c| self.condition(frame, c));
        if value != Some(FALSE) {
            self.block(frame, body);
            step.iter().for_each(|e| self.expr(frame, *e));
        }
    }

    /// The counter of a loop that only counts up to a bound, with its values in the body.
    fn counter(&self, frame: &Frame<'a>, init: &[Stmt], condition: ExprId, step: ExprId) -> Option<(LocalId, Range)> {
        let exprs = &frame.body.exprs;
        let [Stmt { kind: StmtKind::Local(counter, Some(first)), .. }] = init else { return None };
        let is_counter = |e: ExprId| matches!(exprs[e].kind, ExprKind::Local(l) if l == *counter);
        let counts_up = match exprs[step].kind {
            ExprKind::Step(true, _, target) => is_counter(target),
            ExprKind::Assign(Some(BinaryOp::Add), target, by) => {
                is_counter(target) && self.value(frame.body, &frame.known, by, frame.depth)?.0 > 0
            }
            _ => false,
        };
        let ExprKind::Binary(op, left, bound) = exprs[condition].kind else { return None };
        if !counts_up || !is_counter(left) || frame.writes.get(counter) != Some(&1) {
            return None;
        }
        let (first, _) = self.value(frame.body, &frame.known, *first, frame.depth)?;
        let (_, bound) = self.value(frame.body, &frame.known, bound, frame.depth)?;
        match op {
            BinaryOp::Less => Some((*counter, (first, bound - 1))),
            BinaryOp::LessEqual => Some((*counter, (first, bound))),
            _ => None,
        }
    }

    /// Notes what an expression reaches.
    fn expr(&mut self, frame: &Frame<'a>, id: ExprId) {
        let kind = &frame.body.exprs[id].kind;
        if let Some((root, path, indices)) = self.part(frame, id) {
            self.parts.insert((root, path));
            if let Root::Global(global) = root {
                self.global(global, frame.depth);
            }
            return indices.into_iter().for_each(|index| self.expr(frame, index));
        }
        match kind {
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let decides = if *op == BinaryOp::And { FALSE } else { TRUE };
                if self.condition(frame, *left) != Some(decides) {
                    self.expr(frame, *right);
                }
                return;
            }
            ExprKind::Select(condition, yes, no) => {
                let value = self.condition(frame, *condition);
                if value != Some(FALSE) {
                    self.expr(frame, *yes);
                }
                if value != Some(TRUE) {
                    self.expr(frame, *no);
                }
                return;
            }
            ExprKind::Call(function, args) => {
                let ranges = args.iter().map(|a| self.value(frame.body, &frame.known, *a, frame.depth)).collect();
                self.function(*function, ranges, frame.depth + 1);
            }
            ExprKind::Property(property) => {
                for function in [property.get, property.set, property.reference].into_iter().flatten() {
                    self.function(function, Vec::new(), frame.depth + 1);
                }
            }
            _ => {}
        }
        let mut children = Vec::new();
        kind.children(&mut |child| children.push(child));
        children.into_iter().for_each(|child| self.expr(frame, child));
    }

    /// The part of a parameter that an expression is, with the indices on the way.
    fn part(&self, frame: &Frame<'a>, id: ExprId) -> Option<(Root, String, Vec<ExprId>)> {
        let (mut at, mut fields, mut indices) = (id, Vec::new(), Vec::new());
        let root = loop {
            at = match &frame.body.exprs[at].kind {
                ExprKind::Global(global) => break Root::Global(*global),
                ExprKind::Local(local) if frame.is_entry => break Root::Param(*local),
                ExprKind::Field(base, index) => {
                    let Type::Struct(id) = self.program.types.get(frame.body.exprs[*base].ty) else { return None };
                    fields.push(self.program.structs[id].fields.get(*index as usize)?.name.as_str());
                    *base
                }
                ExprKind::Index(base, index) => {
                    indices.push(*index);
                    *base
                }
                ExprKind::Contents(base) => *base,
                _ => return None,
            };
        };
        fields.reverse();
        Some((root, fields.join("."), indices))
    }

    fn global(&mut self, id: GlobalId, depth: u32) {
        if !self.globals.insert(id) {
            return;
        }
        if let Some(tree) = &self.program.globals[id].init {
            let uses = Uses::of_tree(tree);
            uses.globals.into_iter().for_each(|g| self.global(g, depth));
            uses.functions.into_iter().for_each(|f| self.function(f, Vec::new(), depth + 1));
        }
    }

    /// The range of an integer or bool, if it is known.
    fn value(&self, body: &Body, known: &Known, id: ExprId, depth: u32) -> Option<Range> {
        if !self.decides || depth > MAX_DEPTH {
            return None;
        }
        let of = |e: ExprId| self.value(body, known, e, depth + 1);
        match &body.exprs[id].kind {
            ExprKind::Literal(Literal::Int(n), _) => Some((i128::from(*n), i128::from(*n))),
            ExprKind::Literal(Literal::Bool(b), _) => Some(if *b { TRUE } else { FALSE }),
            ExprKind::Local(local) => known.get(local).copied(),
            ExprKind::Global(global) => self.constant(*global),
            ExprKind::Convert(inner, _) if self.is_int(body.exprs[id].ty) && self.is_int(body.exprs[*inner].ty) => {
                // A negative number becomes a large one, or the other way about.
                of(*inner).filter(|r| r.0 >= 0 && r.1 <= i128::from(i32::MAX))
            }
            ExprKind::Unary(UnaryOp::Negate, e) => of(*e).map(|(low, high)| (-high, -low)),
            ExprKind::Unary(UnaryOp::Not, e) => of(*e).map(|(low, high)| (1 - high, 1 - low)),
            ExprKind::Binary(op, left, right) if self.is_int(body.exprs[*left].ty) => {
                binary(*op, of(*left)?, of(*right)?)
            }
            ExprKind::Call(function, args) => self.call(*function, args.iter().map(|a| of(*a)).collect(), depth),
            _ => None,
        }
    }

    /// The value of a constant that is declared with a literal.
    fn constant(&self, id: GlobalId) -> Option<Range> {
        let global = &self.program.globals[id];
        let tree = global.init.as_ref().filter(|_| global.kind == GlobalKind::Const)?;
        let mut at = tree.root;
        loop {
            match &tree.exprs[at].kind {
                ExprKind::Literal(Literal::Int(n), _) => return Some((i128::from(*n), i128::from(*n))),
                ExprKind::Literal(Literal::Bool(b), _) => return Some(if *b { TRUE } else { FALSE }),
                ExprKind::Convert(inner, _) if tree.exprs[at].ty == tree.exprs[*inner].ty => at = *inner,
                _ => return None,
            }
        }
    }

    /// What a function of one expression gives.
    fn call(&self, id: FunctionId, args: Vec<Option<Range>>, depth: u32) -> Option<Range> {
        let function = &self.program.functions[id];
        let [Stmt { kind: StmtKind::Return(Some(value)), .. }] = function.code.block.stmts.as_slice() else {
            return None;
        };
        if !matches!(function.body, FunctionBody::Block) || function.params.iter().any(|p| p.mode != ParamMode::In) {
            return None;
        }
        let pairs = function.params.iter().map(|p| p.local).zip(args);
        let known: Known = pairs.filter_map(|(p, range)| Some((p, range?))).collect();
        let writes = writes(self.program, &function.code);
        self.value(&function.code, &known, *value, depth + 8).filter(|_| writes.is_empty())
    }

    fn is_int(&self, ty: TypeId) -> bool {
        use Scalar::*;
        matches!(self.program.types.get(ty), Type::Scalar(Bool | I16 | U16 | I32 | U32 | I64 | U64))
    }
}

/// What an operator makes of two ranges. Sums and products that could leave 31 bits are not known: they may wrap.
fn binary(op: BinaryOp, (a, b): Range, (c, d): Range) -> Option<Range> {
    let truth = |always: bool, never: bool| match (always, never) {
        (true, _) => TRUE,
        (_, true) => FALSE,
        _ => (0, 1),
    };
    let within = |range: Range| (range.0 >= 0 && range.1 <= i128::from(i32::MAX)).then_some(range);
    match op {
        BinaryOp::Add => within((a.checked_add(c)?, b.checked_add(d)?)),
        BinaryOp::Sub => within((a.checked_sub(d)?, b.checked_sub(c)?)),
        BinaryOp::Mul if a >= 0 && c >= 0 => within((a.checked_mul(c)?, b.checked_mul(d)?)),
        BinaryOp::Less => Some(truth(b < c, a >= d)),
        BinaryOp::LessEqual => Some(truth(b <= c, a > d)),
        BinaryOp::Greater => Some(truth(a > d, b <= c)),
        BinaryOp::GreaterEqual => Some(truth(a >= d, b < c)),
        BinaryOp::Equal => Some(truth(a == b && c == d && a == c, b < c || d < a)),
        BinaryOp::NotEqual => Some(truth(b < c || d < a, a == b && c == d && a == c)),
        BinaryOp::And => Some((a & c, b & d)),
        BinaryOp::Or => Some((a | c, b | d)),
        _ => None,
    }
}

/// The locals that a body writes after their declarations, and how often at most.
fn writes(program: &Program, body: &Body) -> BTreeMap<LocalId, u32> {
    let mut found = BTreeMap::new();
    let mut note = |target: ExprId| {
        if let Some(local) = root(body, target) {
            *found.entry(local).or_insert(0) += 1;
        }
    };
    for id in body.expressions() {
        match &body.exprs[id].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) | ExprKind::AddressOf(target) => {
                note(*target)
            }
            ExprKind::Native(_, args) => args.iter().for_each(|a| note(*a)),
            ExprKind::Call(function, args) => written(program, *function, args).for_each(&mut note),
            ExprKind::Property(p) => {
                for function in [p.get, p.set, p.reference].into_iter().flatten() {
                    written(program, function, &p.args).for_each(&mut note);
                }
            }
            _ => {}
        }
    }
    found
}

/// The arguments that a function may write.
fn written<'a>(program: &'a Program, function: FunctionId, args: &'a [ExprId]) -> impl Iterator<Item = ExprId> + 'a {
    let params = &program.functions[function].params;
    args.iter().zip(params).filter(|(_, p)| p.mode != ParamMode::In).map(|(a, _)| *a)
}

/// The local that an lvalue is a part of.
fn root(body: &Body, target: ExprId) -> Option<LocalId> {
    let mut at = target;
    loop {
        at = match &body.exprs[at].kind {
            ExprKind::Local(local) => return Some(*local),
            ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) => *base,
            ExprKind::MatrixSwizzle(base, _) | ExprKind::Contents(base) | ExprKind::Deref(base) => *base,
            ExprKind::Convert(base, _) => *base,
            ExprKind::Property(property) => *property.args.first()?,
            _ => return None,
        };
    }
}
