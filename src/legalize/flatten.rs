//! Assignments, increments, commas and conditional effects leave expressions and become statements.
//!
//! Before: `a = b = f(i++);           x = c ? g(out y) : 0;       v.yx = w;`
//! After:  `int t = i; i += 1;        int t; if (c) {...} else    v = float2(w.y, w.x);`
//!         `b = f(t); a = b;          {...} x = t;`
//!
//! An `out` argument that is no whole variable goes through a copy, for [`super::out_parameters`]. The order of evaluation is left to right, operands before operators;
//! the value of an assignment comes before its place where the language has it so.
//!
//! A value is kept in a temporary only if a statement that was moved in front of it could change it.

mod arguments;
mod assign;
mod commas;
mod loops;
mod mesh_elements;

pub(super) use self::commas::{PASS as COMMAS, STATEMENT};
pub(super) use self::loops::{before_continue, copy_block};
use self::mesh_elements::Only;
pub(super) use self::mesh_elements::PASS as MESH_ELEMENTS;
use super::assignment_order::shows;
use super::hoist::temporary_name;
use super::narrow_integers::is_narrow;
use super::needs::{Find, Finder, callee};
use super::{Context, Pass, lower_matrix_ops};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::ExprKinds;
use crate::tree::*;
use rustc_hash::FxHashSet;
use std::cell::LazyCell;

/// What variables bring that arguments are copied to: one by reference that is converted has another shape.
const OF_COPIES: &[Capability] =
    &[Capability::ArgumentsInOrder, Capability::MatrixParts, Capability::MatrixComponentOps];

pub(super) const PASS: Pass = Pass {
    name: "flatten",
    removes: &[
        (Capability::AssignmentExpressions, Find::Stmt(assigns_inside)),
        (Capability::SwizzleAssignment, Find::at(ExprKinds::ASSIGN.or(ExprKinds::STEP), is_swizzle_assignment)),
        AGGREGATE_CONDITIONALS,
        MATRIX_CONDITIONALS,
        CONVERTED_ARGUMENTS,
        super::lower_matrix_ops::SWIZZLES,
        super::out_parameters::OUT,
    ],
    // What an assignment gives is read from its target, perhaps as an argument before others that change it.
    adds: &[Capability::ArgumentsInOrder],
    after: &["inline_builtins", "lower_properties", "lower_matrix_ops"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    flatten(cx, false, &|_, _| true);
}

/// The same for the functions alone in which an assignment inside of an expression is evaluated in another order than the
/// target has: as a statement it is one for `assignment_order`.
pub(super) const NESTED: Pass = Pass {
    name: "nested_assignments",
    removes: &[
        (
            Capability::ValueBeforePlace,
            Find::body(ExprKinds::ASSIGN, |p, _, body, live| first_nested(p, body, live, true)),
        ),
        (
            Capability::PlaceBeforeValue,
            Find::body(ExprKinds::ASSIGN, |p, _, body, live| first_nested(p, body, live, false)),
        ),
    ],
    adds: OF_COPIES,
    after: &["inline_builtins", "lower_properties"],
    run: run_nested,
    ..Pass::ROW
};

fn run_nested(cx: &mut Context) {
    flatten(cx, true, &|cx, body| {
        let order = if body.value_first { Capability::ValueBeforePlace } else { Capability::PlaceBeforeValue };
        !cx.profile.has(order) && first_nested(cx.program, body, &body.expressions(), body.value_first).is_some()
    });
}

/// Whether there is an assignment that is no statement.
fn has_nested(body: &Body, live: &[ExprId]) -> bool {
    let assigns = |id: &ExprId| matches!(body.exprs[*id].kind, ExprKind::Assign(..));
    let mut left = live.iter().filter(|id| assigns(id)).count();
    body.block.visit(&mut |stmt| {
        left -= usize::from(left > 0 && matches!(&stmt.kind, StmtKind::Expr(root) if assigns(root)));
    });
    left > 0
}

/// The first assignment inside of an expression in which the order shows, in a function where the value comes first or not.
fn first_nested(program: &Program, body: &Body, live: &[ExprId], wanted: bool) -> Option<Span> {
    let exprs = &body.exprs;
    if body.value_first != wanted || !has_nested(body, live) {
        return None;
    }
    let effects = LazyCell::new(|| program.effects());
    let in_order = |id: ExprId| match exprs[id].kind {
        ExprKind::Assign(_, target, value) => !shows(program, &effects, body, target, value),
        _ => true,
    };
    let mut found = None;
    body.block.visit(&mut |stmt| {
        let whole = if let StmtKind::Expr(root) = stmt.kind { Some(root) } else { None };
        stmt.own_exprs(&mut |root| {
            let inner = exprs.post_order(root).into_iter().find(|id| Some(*id) != whole && !in_order(*id));
            found = found.or(inner.map(|id| exprs[id].span));
        });
    });
    found
}

/// The same for the functions alone that convert `out` arguments or choose between structs, before conversions of
/// matrices and conditionals on them are split into parts.
pub(super) const CONVERTED: Pass = Pass {
    name: "converted_arguments",
    removes: &[
        CONVERTED_ARGUMENTS,
        (
            Capability::ConvertedOutMatrices,
            Find::at(ExprKinds::CALL, |p, e, id| {
                let of_method = is_method(p, e, id) && !gives_sizes(p, e, id);
                is_of_a_vector(p, e, id) || converted(p, e, id).any(|to| is_matrix(p, to) || of_method)
            }),
        ),
        (Capability::SignedSizes, Find::at(ExprKinds::CALL, gives_sizes)),
        AGGREGATE_CONDITIONALS,
        MATRIX_CONDITIONALS,
    ],
    // What converts to an integer that is wider here has no such conversion any more.
    lessens: &[Capability::Int16, Capability::Int8],
    adds: OF_COPIES,
    run: run_converted,
    ..Pass::ROW
};

fn run_converted(cx: &mut Context) {
    flatten(cx, false, &|cx, body| {
        let narrows = |id| converted(cx.program, &body.exprs, id).any(|to| is_narrow(cx.program, cx.profile, to));
        let finds = |id| CONVERTED.finds(cx.profile, cx.program, &body.exprs, id) || narrows(id);
        body.expressions().into_iter().any(finds)
    });
}

/// Flattens the bodies that `concerned` answers for; `places_first` keeps the places of assignments where the order shows.
fn flatten(cx: &mut Context, places_first: bool, concerned: &dyn Fn(&Context, &Body) -> bool) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        if concerned(cx, body) {
            flatten_body(cx, &effects, body, places_first, None);
        }
    });
}

/// Flattens a body, or some statements of it alone.
fn flatten_body(cx: &mut Context, effects: &Effects, body: &mut Body, places_first: bool, only: Option<Only>) {
    let block = std::mem::take(&mut body.block);
    let (written, copies) = Default::default();
    let mut flatten = Flattening { program: cx.program, effects, body, places_first, only, written, copies };
    let block = flatten.block(block.into_value());
    body.block = block.into();
}

const CONVERTED_ARGUMENTS: Finder = (
    Capability::ConvertedOutArguments,
    Find::at(ExprKinds::CALL, |p, e, id| converted(p, e, id).any(|to| !is_matrix(p, to))),
);

/// Whether a method of the library is called: but for sizes, no language converts what it gives back.
fn is_method(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    callee(program, exprs, id).is_some_and(|(f, _)| f.builtin && f.owner.is_some())
}

/// Whether sizes of a texture go to variables of type `int`. DXC and FXC convert these, where those of buffers fit no overload.
fn gives_sizes(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let types = &program.types;
    let is_size = |function: &Function| {
        let of_texture = function.owner.is_some_and(|owner| matches!(types.get(owner), Type::Texture(_)));
        function.builtin && of_texture && function.name == *"GetDimensions"
    };
    let is_signed = |arg: ExprId| match exprs[arg].kind {
        ExprKind::Convert(place, _) => {
            let scalars = [exprs[place].ty, exprs[arg].ty].map(|ty| types.get(ty));
            scalars == [Type::Scalar(Scalar::I32), Type::Scalar(Scalar::U32)]
        }
        _ => false,
    };
    let mut arguments = converted_arguments(program, exprs, id).peekable();
    let has_some = arguments.peek().is_some();
    has_some && callee(program, exprs, id).is_some_and(|(function, _)| is_size(function)) && arguments.all(is_signed)
}

/// Whether a function gives a number to a vector or matrix of one number, or a vector to a matrix, of another type: such a one is no
/// number in the overloads of atomic operations, and DXC fails at the conversion back.
fn is_of_a_vector(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let Some((function, args)) = callee(program, exprs, id) else { return false };
    let types = &program.types;
    let dimensions = |e: ExprId| match types.get(exprs[e].ty) {
        Type::Vector(..) => 1,
        Type::Matrix(..) => 2,
        _ => 0,
    };
    function.params.iter().zip(args).any(|(param, arg)| match exprs[*arg].kind {
        ExprKind::Convert(inner, _) if matches!(param.mode, ParamMode::Out | ParamMode::InOut) => {
            let is_other = types.component(exprs[inner].ty) != types.component(exprs[*arg].ty);
            dimensions(inner) > dimensions(*arg) && (function.builtin || is_other || dimensions(inner) == 2)
        }
        _ => false,
    })
}

const AGGREGATE_CONDITIONALS: Finder = (
    Capability::AggregateConditionals,
    Find::at(ExprKinds::SELECT, |p, e, id| conditional_need(p, e, id) == Some(Capability::AggregateConditionals)),
);
const MATRIX_CONDITIONALS: Finder = (
    Capability::MatrixConditionals,
    Find::at(ExprKinds::SELECT, |p, e, id| conditional_need(p, e, id) == Some(Capability::MatrixConditionals)),
);

/// What a choice between wholes that are no numbers or vectors needs.
pub(super) fn conditional_need(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Capability> {
    match chosen(program, exprs, id)? {
        Type::Scalar(_) | Type::Vector(..) => None,
        Type::Matrix(..) => Some(Capability::MatrixConditionals),
        _ => Some(Capability::AggregateConditionals),
    }
}

/// What is chosen as a whole. Of numbers, both values are as good as the one that is chosen; what has effects is an assignment or call.
fn chosen(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Type> {
    let ExprKind::Select(condition, ..) = exprs[id].kind else { return None };
    let whole = matches!(program.types.get(exprs[condition].ty), Type::Scalar(_));
    whole.then(|| program.types.get(exprs[id].ty))
}

/// The types of what a call converts that it gets back from an `out` or `inout` parameter.
fn converted<'a>(program: &'a Program, exprs: &'a ExprArena, id: ExprId) -> impl Iterator<Item = TypeId> + 'a {
    converted_arguments(program, exprs, id).map(|arg| exprs[arg].ty)
}

/// The arguments that a call converts on their way back.
fn converted_arguments<'a>(
    program: &'a Program,
    exprs: &'a ExprArena,
    id: ExprId,
) -> impl Iterator<Item = ExprId> + 'a {
    let pairs = callee(program, exprs, id).into_iter().flat_map(|(f, args)| f.params.iter().zip(args));
    let back = pairs.filter(|(p, a)| {
        matches!(p.mode, ParamMode::Out | ParamMode::InOut) && matches!(exprs[**a].kind, ExprKind::Convert(..))
    });
    back.map(|(_, a)| *a)
}

fn is_matrix(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Matrix(..))
}

fn is_swizzle_assignment(_: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let (ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target)) = exprs[id].kind else { return false };
    matches!(&exprs[target].kind, ExprKind::Swizzle(_, s) if s.len > 1)
}

/// Whether a part of an expression is an assignment, step or comma. An assignment that is a statement is no expression.
fn assigns_inside(_: &Program, body: &Body, stmt: &Stmt) -> bool {
    let whole = match stmt.kind {
        StmtKind::Expr(e) => Some(e),
        StmtKind::For(_, _, step, ..) => step,
        _ => None,
    };
    let kind = |e: ExprId| &body.exprs[e].kind;
    let whole = whole.filter(|e| !matches!(kind(*e), ExprKind::Comma(..)));
    let assigns = |e: ExprId| matches!(kind(e), ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Comma(..));
    let mut found = false;
    stmt.own_exprs(&mut |root| {
        found |= body.exprs.any_part(root, |e| Some(e) != whole && assigns(e));
    });
    found
}

struct Flattening<'a> {
    program: &'a mut Program,
    effects: &'a Effects,
    body: &'a mut Body,
    places_first: bool,
    only: Option<Only>,
    /// The variables that the statement at hand writes.
    written: FxHashSet<LocalId>,
    /// The variables that arguments were copied to: each is free again behind its call.
    copies: FxHashSet<LocalId>,
}

impl Flattening<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::with_capacity(block.stmts.len());
        for stmt in block.stmts {
            self.stmt(stmt, &mut out);
        }
        Block { stmts: out, trailing: block.trailing }
    }

    /// Appends what `stmt` becomes. Comments stay with the first statement made from it.
    fn stmt(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        if !self.is_concerned(&stmt) {
            let mut stmt = stmt;
            stmt.blocks_mut(&mut |inner| *inner = self.block(std::mem::take(inner)));
            return out.push(stmt);
        }
        let first = out.len();
        let written = self.written_by(&stmt);
        let of_outer = std::mem::replace(&mut self.written, written);
        let Stmt { kind, span, comments, blank_before } = stmt;
        match kind {
            StmtKind::Local(local, init) => {
                let init = init.map(|e| self.value(e, out));
                out.push(Stmt::new(StmtKind::Local(local, init), span));
            }
            StmtKind::Expr(root) => self.effect(root, out),
            StmtKind::Block(block) => {
                let block = self.block(block);
                out.push(Stmt::new(StmtKind::Block(block), span));
            }
            StmtKind::If(condition, then, other, hints) => {
                let condition = self.value(condition, out);
                let then = self.block(then);
                let other = other.map(|b| self.block(b));
                out.push(Stmt::new(StmtKind::If(condition, then, other, hints), span));
            }
            StmtKind::For(init, condition, step, body, hints) => {
                self.for_loop(span, init, condition, step, body, hints, out);
            }
            StmtKind::While(condition, body, hints) => {
                let body = self.block(body);
                let mut before = Vec::new();
                let condition = self.value(condition, &mut before);
                let kind = self.guarded_loop(span, before, condition, body, hints);
                out.push(Stmt::new(kind, span));
            }
            StmtKind::DoWhile(body, condition, hints) => self.do_while(span, body, condition, hints, out),
            StmtKind::Switch(value, cases, hints) => {
                let value = self.value(value, out);
                let case = |c: SwitchCase| SwitchCase { body: self.block(c.body), ..c };
                let cases = cases.into_iter().map(case).collect();
                out.push(Stmt::new(StmtKind::Switch(value, cases, hints), span));
            }
            StmtKind::Return(value) => {
                let value = value.map(|e| self.value(e, out));
                out.push(Stmt::new(StmtKind::Return(value), span));
            }
            other => out.push(Stmt::new(other, span)),
        }
        self.written = of_outer;
        if let Some(stmt) = out.get_mut(first) {
            stmt.comments = comments;
            stmt.blank_before = blank_before;
        }
    }

    /// The variables that a statement writes, without its blocks.
    fn written_by(&self, stmt: &Stmt) -> FxHashSet<LocalId> {
        let mut all = Vec::new();
        let mut add = |root: ExprId| all.extend(self.body.exprs.post_order(root));
        if let StmtKind::For(init, ..) = &stmt.kind {
            init.iter().for_each(|s| s.own_exprs(&mut add));
        }
        stmt.own_exprs(&mut add);
        self.program.written_among(&self.body.exprs, &all)
    }

    /// Whether a statement itself has something to flatten.
    fn is_concerned(&self, stmt: &Stmt) -> bool {
        let Some(only) = &self.only else { return true };
        let mut found = matches!(&stmt.kind, StmtKind::For(init, ..) if init.iter().any(|s| self.is_concerned(s)));
        stmt.own_exprs(&mut |root| {
            found |= self.body.exprs.any_part(root, |id| only.arguments.contains(&id));
        });
        found
    }

    fn build(&mut self, span: Span) -> Build<'_> {
        Build::new(&mut self.program.types, &mut self.body.exprs, span)
    }

    /// An expression whose value is not used: at its root an assignment or call may stay.
    fn effect(&mut self, root: ExprId, out: &mut Vec<Stmt>) {
        let span = self.body.exprs[root].span;
        match self.body.exprs[root].kind.clone() {
            ExprKind::Assign(op, target, value) => self.assignment(root, op, target, value, out),
            ExprKind::Step(increment, _, target) => self.step(span, increment, target, out),
            ExprKind::Comma(a, b) => {
                self.effect(a, out);
                self.effect(b, out);
            }
            ExprKind::Convert(a, _) if self.body.exprs[root].ty == TypeId::VOID => self.effect(a, out),
            ExprKind::Select(c, a, b) if self.is_scalar(c) && (self.has_statements(a) || self.has_statements(b)) => {
                let c = self.value(c, out);
                let (mut then, mut other) = (Block::default(), Block::default());
                self.effect(a, &mut then.stmts);
                self.effect(b, &mut other.stmts);
                let other = (!other.stmts.is_empty()).then_some(other);
                out.push(Stmt::new(StmtKind::If(c, then, other, Hints::default()), span));
            }
            ExprKind::Call(..) => {
                if let Some(call) = self.call(root, true, out) {
                    out.push(Stmt::new(StmtKind::Expr(call), span));
                }
            }
            _ => {
                let value = self.value(root, out);
                if self.effects.expr(&self.body.exprs, value) {
                    out.push(Stmt::new(StmtKind::Expr(value), span));
                }
            }
        }
    }

    /// Whether evaluating it takes statements, or does something besides giving a value.
    fn has_statements(&self, id: ExprId) -> bool {
        self.effects.expr(&self.body.exprs, id)
    }

    /// Moves what needs statements in front; what remains at the returned expression only gives a value.
    fn value(&mut self, id: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        if !self.needs_work(id) {
            return id;
        }
        let (span, ty) = (self.body.exprs[id].span, self.body.exprs[id].ty);
        match self.body.exprs[id].kind.clone() {
            ExprKind::Assign(op, target, value) => {
                let value = self.before_place(target, value, out);
                let target = self.place(target, out);
                let read = self.read(target);
                self.assignment(id, op, target, value, out);
                read
            }
            ExprKind::Step(increment, prefix, target) => {
                let target = self.place(target, out);
                let read = self.read(target);
                if prefix {
                    self.step(span, increment, target, out);
                    return read;
                }
                let old = self.spill(read, out);
                self.step(span, increment, target, out);
                old
            }
            ExprKind::Comma(a, b) => {
                self.effect(a, out);
                self.value(b, out)
            }
            ExprKind::Select(c, a, b) if self.needs_branches(id, c, a, b) => {
                let c = self.value(c, out);
                let result = self.temporary(ty, span);
                out.push(Stmt::new(StmtKind::Local(result, None), span));
                let then = self.branch(result, a);
                let other = self.branch(result, b);
                out.push(Stmt::new(StmtKind::If(c, then, Some(other), Hints::default()), span));
                self.build(span).local(result, ty)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if ty == TypeId::BOOL && self.needs_work(b) => {
                let a = self.value(a, out);
                let result = self.temporary(ty, span);
                out.push(Stmt::new(StmtKind::Local(result, Some(a)), span));
                let mut condition = self.build(span).local(result, ty);
                if op == BinaryOp::Or {
                    condition = self.build(span).not(condition);
                }
                let then = self.branch(result, b);
                out.push(Stmt::new(StmtKind::If(condition, then, None, Hints::default()), span));
                self.build(span).local(result, ty)
            }
            ExprKind::Call(..) => match self.call(id, false, out) {
                Some(call) => call,
                None => self.build(span).add(ExprKind::Zero, ty),
            },
            // Indices of a variable are evaluated before its element is read.
            _ if self.is_path(id) => self.place(id, out),
            _ => {
                self.children(id, out);
                id
            }
        }
    }

    /// A part of a variable.
    fn is_path(&self, id: ExprId) -> bool {
        let base = self.body.exprs.base(id);
        base != id && matches!(self.body.exprs[base].kind, ExprKind::Local(_) | ExprKind::Global(_))
    }

    /// `{ result = value; }`
    fn branch(&mut self, result: LocalId, value: ExprId) -> Block {
        let mut block = Block::default();
        let span = self.body.exprs[value].span;
        let value = self.value(value, &mut block.stmts);
        let ty = self.body.exprs[value].ty;
        let mut build = self.build(span);
        let target = build.local(result, ty);
        block.stmts.push(build.set(target, value));
        block
    }

    /// Whether anything below (or at) `id` must become a statement.
    fn needs_branches(&self, id: ExprId, c: ExprId, a: ExprId, b: ExprId) -> bool {
        self.is_scalar(c) && (self.chooses_by_branch(id, a, b) || self.needs_work(a) || self.needs_work(b))
    }

    /// A condition that an `if` can have; with a vector of them, both values are evaluated.
    fn is_scalar(&self, condition: ExprId) -> bool {
        matches!(self.program.types.get(self.body.exprs[condition].ty), Type::Scalar(_))
    }

    /// `c ? a : b` that only an `if` can say: of structs, or where one value has effects. Numbers without effects are
    /// evaluated both.
    fn chooses_by_branch(&self, id: ExprId, a: ExprId, b: ExprId) -> bool {
        let exprs = &self.body.exprs;
        let number = matches!(self.program.types.get(exprs[id].ty), Type::Scalar(_) | Type::Vector(..));
        !number || self.effects.expr(exprs, a) || self.effects.expr(exprs, b)
    }

    /// Whether statements must be made of an expression.
    fn needs_work(&self, id: ExprId) -> bool {
        let exprs = &self.body.exprs;
        exprs.any_part(id, |e| match &exprs[e].kind {
            ExprKind::Assign(..) | ExprKind::Step(..) | ExprKind::Comma(..) => true,
            ExprKind::Call(f, args) => self.out_arguments(*f, args).any(|(_, _, whole)| !whole),
            ExprKind::Select(c, a, b) => self.is_scalar(*c) && self.chooses_by_branch(e, *a, *b),
            _ => false,
        })
    }

    /// Flattens all children in order. A child in front of one that made statements is kept in a temporary, unless nothing
    /// can change it.
    fn children(&mut self, id: ExprId, out: &mut Vec<Stmt>) {
        let mut children = Vec::new();
        self.body.exprs[id].kind.children(&mut |c| children.push(c));
        let last = children.iter().rposition(|c| self.needs_work(*c));
        let mut done = Vec::with_capacity(children.len());
        for (i, child) in children.into_iter().enumerate() {
            let child = self.value(child, out);
            done.push(if last.is_some_and(|last| i < last) { self.keep(child, out) } else { child });
        }
        let mut done = done.into_iter();
        self.body.exprs[id].kind.children_mut(&mut |c| {
            if let Some(new) = done.next() {
                *c = new;
            }
        });
    }

    /// The value as it is now, whatever the statements after it do.
    fn keep(&mut self, id: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        // What has no copies stays where it is.
        if !self.is_copyable(self.body.exprs[id].ty) {
            return self.place(id, out);
        }
        if self.is_stable(id) { id } else { self.spill(id, out) }
    }

    /// Whether a value is as easily written again, and the same behind all that becomes of the statement at hand.
    fn is_stable(&self, id: ExprId) -> bool {
        match &self.body.exprs[id].kind {
            ExprKind::Literal(..) | ExprKind::Zero | ExprKind::EnumCase(..) => true,
            ExprKind::Local(local) => self.body.locals[*local].constant || !self.written.contains(local),
            ExprKind::Field(of, _) | ExprKind::Swizzle(of, _) => match &self.body.exprs[*of].kind {
                ExprKind::Local(_) => self.is_stable(*of),
                _ => false,
            },
            ExprKind::Global(g) => {
                let global = &self.program.globals[*g];
                matches!(global.kind, GlobalKind::Const | GlobalKind::Parameter | GlobalKind::Specialization)
            }
            ExprKind::AddressOf(_) => true,
            _ => false,
        }
    }

    fn is_copyable(&self, ty: TypeId) -> bool {
        ty != TypeId::VOID
            && !self.program.has_no_copies(ty)
            && !matches!(self.program.types.get(ty), Type::Pointer(..))
    }

    /// A constant temporary with this value.
    fn spill(&mut self, id: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        let Expr { ty, span, .. } = self.body.exprs[id];
        let name = temporary_name(self.program, self.body, id);
        let local = self.body.add_local(name, ty, span);
        self.body.locals[local].constant = true;
        out.push(Stmt::new(StmtKind::Local(local, Some(id)), span));
        self.build(span).local(local, ty)
    }

    fn temporary(&mut self, ty: TypeId, span: Span) -> LocalId {
        self.body.add_local("result", ty, span)
    }

    /// An lvalue that can be written down twice: its indices are names or constants.
    fn place(&mut self, id: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        match self.body.exprs[id].kind.clone() {
            ExprKind::Field(a, _)
            | ExprKind::Contents(a)
            | ExprKind::Swizzle(a, _)
            | ExprKind::MatrixSwizzle(a, _)
            | ExprKind::AddressOf(a)
            | ExprKind::Deref(a) => {
                self.place(a, out);
            }
            ExprKind::Index(a, index) => {
                self.place(a, out);
                let index = self.value(index, out);
                let is_fixed = |only: &Only| only.is_fixed(&self.body.exprs, index);
                let simple = matches!(self.body.exprs[index].kind, ExprKind::Literal(..))
                    || self.only.as_ref().is_some_and(is_fixed);
                let index = if simple { index } else { self.keep(index, out) };
                self.body.exprs[id].kind = ExprKind::Index(a, index);
            }
            _ => {}
        }
        id
    }

    /// The value of what is assigned to, as an expression of its own.
    fn read(&mut self, target: ExprId) -> ExprId {
        let span = self.body.exprs[target].span;
        lower_matrix_ops::read_of(&mut self.build(span), target)
    }
}
