//! Calls of the library's polyfills that are one expression become that expression.
//!
//! Before: `[ForceInline] float saturate(float x) { return clamp(x, 0.0, 1.0); }     saturate(a + b)`
//! After:  `clamp(a + b, 0.0, 1.0)`
//!
//! An argument that would be evaluated more than once, or in another order than before, is first put into a local of the
//! parameter's name. In the condition of a loop, where that would change the loop, the polyfill stays a function. The
//! statements of a polyfill that has several are put before the statement that calls it.

use super::assignment_order::affects;
use super::hoist::{self, Mark, Marks};
use super::lower_properties::mark_for_repetition;
use super::{Context, Pass, missing_returns, parts, stages};
use crate::check::constant::{Value, eval, eval_int};
use crate::source::Span;
use crate::target::Capability;
use crate::tree::{
    AddressSpace, AttributeArg, BinaryOp, Block, Body, Effects, Expr, ExprArena, ExprId, ExprKind, Function,
    FunctionBody, FunctionId, Literal, LocalId, MatrixElements, Modifiers, ParamMode, Program, Scalar, Stmt, StmtKind,
    Swizzle, Template, TrackedExprs, Type, TypeId, Types,
    analyses::{is_pure, is_trivial},
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "inline_builtins",
    always: Some("polyfills of the library are written for it"),
    adds: &[
        Capability::BareHeapElements,
        Capability::UnknownOffsets,
        // `vk::RawBufferLoad` follows the address that it is given.
        Capability::NullAddresses,
        // What a polyfill assigns to is what it was called with, and its effects are the caller's.
        Capability::SwizzleAssignment,
        Capability::ValueBeforePlace,
        Capability::PlaceBeforeValue,
        Capability::LateOldValues,
        Capability::ArgumentsInOrder,
        Capability::BufferCopies,
        // A value of the library's types, like the `none` of an `Optional`, may be made where the call was.
        Capability::AggregateExpressions,
        // What is compared, converted or computed of arguments that are matrices.
        Capability::MatrixComponentOps,
        // A value that it computes may be none that a constant has.
        Capability::RuntimeConstants,
        // A variable whose values were known is one of the caller's.
        Capability::SignedRemainder,
        Capability::MinimumDivision,
        Capability::WrappingShifts,
        // A choice of what is sampled with may become an argument.
        Capability::SampledChoices,
        // A pointer that it makes of bits may be made of a constant.
        Capability::NullAddresses,
        // Of a method that is inlined, what it is called with may be passed on.
        Capability::SharedReferences,
    ],
    after: &["select_target", "lower_properties"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    // What is inlined says no more for which stages it is.
    stages::check_inlined(cx.program, cx.profile, cx.diags);
    let effects = cx.effects();
    // What gives a resource can only be understood at the place where it is used, unless it puts what it is given into a struct.
    let makers = makers_of_structs(cx.program);
    for id in cx.program.functions.ids() {
        let resource = cx.program.holds_resource(cx.program.functions[id].result);
        // What gives a reference is the place that it returns.
        let given = resource && !makers.contains(&id) || cx.program.functions[id].returns_ref;
        if given && !cx.program.functions[id].builtin {
            cx.program.functions[id].inline = true;
        }
        if resource {
            missing_returns::cut_dead_tail(&mut cx.program.functions[id].code.block);
        }
    }
    let mut spelled = FxHashMap::default();
    // Callees come first, so that what is inlined has nothing left to inline.
    for id in cx.program.reachable_functions() {
        if !matches!(cx.program.functions[id].body, FunctionBody::Block) {
            continue;
        }
        cx.program.lend_code(id, |program, body| {
            if program.functions[id].builtin {
                parts::as_swizzles(&program.types, body);
            }
            by_constants(program, &mut body.exprs, &mut spelled);
            let said = if program.functions[id].builtin { FxHashSet::default() } else { whole_selections(body) };
            let mut inline = Inline { program, effects: &effects, body };
            let marks = inline.marks();
            let written = inline.body.locals.len();
            hoist::hoist(inline.program, &effects, inline.body, marks);
            inline.expressions();
            inline.statements();
            simplify(&mut program.types, body, &said);
            choose_in_place(body, written);
        });
    }
    inline_into_values(cx, &effects);
}

/// Functions that make structs of data and whole resources: neither they nor what they are given has elements of arrays.
fn makers_of_structs(program: &Program) -> FxHashSet<FunctionId> {
    let makes = |f: &Function| {
        !f.builtin
            && matches!(f.body, FunctionBody::Block)
            && program.holds_resource(f.result)
            && program.holds_data(f.result)
    };
    let mut makers: FxHashSet<FunctionId> =
        program.functions.iter().filter(|(_, f)| makes(f)).map(|(id, _)| id).collect();
    if makers.is_empty() {
        return makers;
    }
    let is_element = |exprs: &ExprArena, e: ExprId| {
        matches!(exprs[e].kind, ExprKind::Index(..)) && program.holds_resource(exprs[e].ty)
    };
    makers.retain(|id| {
        let code = &program.functions[*id].code;
        !code.expressions().into_iter().any(|e| is_element(&code.exprs, e))
    });
    program.each_exprs(&mut |exprs, live| {
        for call in live {
            let ExprKind::Call(f, args) = &exprs[*call].kind else { continue };
            if makers.contains(f) && args.iter().any(|arg| exprs.any_part(*arg, |e| is_element(exprs, e))) {
                makers.remove(f);
            }
        }
    });
    makers
}

/// Polyfills that the target has for small constants, as their last arguments (`[__by_constant]`), are spelled there.
fn by_constants(program: &mut Program, exprs: &mut TrackedExprs, spelled: &mut FxHashMap<FunctionId, FunctionId>) {
    for id in exprs.ids().collect::<Vec<_>>() {
        let ExprKind::Call(f, args) = &exprs[id].kind else { continue };
        let (f, last) = (*f, args.last().copied());
        let polyfill = &program.functions[f];
        let Some(attribute) = polyfill.attribute("__by_constant") else { continue };
        let ([AttributeArg::Int(end), AttributeArg::Text(spelling)], FunctionBody::Block) =
            (attribute.args.as_slice(), &polyfill.body)
        else {
            continue;
        };
        let constant = last.and_then(|last| eval_int(program, exprs, last).ok());
        let Some(template) =
            constant.filter(|n| (0..*end).contains(n)).and_then(|_| Template::parse(spelling.as_str()).ok())
        else {
            continue;
        };
        let builtin = match spelled.get(&f) {
            Some(builtin) => *builtin,
            None => {
                let body = FunctionBody::Intrinsic(template);
                let builtin = Function { body, inline: false, ..polyfill.clone() };
                program.functions.push(builtin)
            }
        };
        spelled.insert(f, builtin);
        if let ExprKind::Call(callee, _) = &mut exprs[id].kind {
            *callee = builtin;
        }
    }
}

/// Inlines what is one expression into the values of globals.
fn inline_into_values(cx: &mut Context, effects: &Effects) {
    cx.each_value(&mut |cx, body| {
        let calls = |e: &ExprId| match body.exprs[*e].kind {
            ExprKind::Call(f, _) => cx.program.functions[f].builtin,
            _ => false,
        };
        if body.expressions().iter().any(calls) {
            let said = whole_selections(body);
            Inline { program: cx.program, effects, body }.expressions();
            simplify(&mut cx.program.types, body, &said);
        }
    });
}

/// The one expression of a polyfill.
fn expression_of(f: &Function) -> Option<ExprId> {
    if !f.inline || !matches!(f.body, FunctionBody::Block) {
        return None;
    }
    match f.code.block.stmts.as_slice() {
        [Stmt { kind: StmtKind::Return(Some(e)) | StmtKind::Expr(e), .. }] => Some(*e),
        _ => None,
    }
}

/// How a polyfill's expression treats its parameters.
struct PolyfillShape {
    /// Mentions of each parameter.
    uses: FxHashMap<LocalId, u32>,
    /// Parameters of which only parts are mentioned.
    parts: FxHashMap<LocalId, Vec<Swizzle>>,
    /// All parameters are mentioned once, in order, unconditionally.
    in_order: bool,
    /// A parameter by value is assigned.
    assigns: bool,
}

fn shape(f: &Function, root: ExprId) -> PolyfillShape {
    let parts = parts::mentioned(&f.code.exprs, root);
    let mut shape = PolyfillShape { uses: FxHashMap::default(), parts, in_order: true, assigns: false };
    let mut order = Vec::new();
    for id in f.code.exprs.post_order(root) {
        match &f.code.exprs[id].kind {
            ExprKind::Local(l) => {
                *shape.uses.entry(*l).or_insert(0) += 1;
                order.push(*l);
            }
            ExprKind::Select(..) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => shape.in_order = false,
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => {
                let local = f.code.exprs.base_local(*target);
                shape.assigns |= f.params.iter().any(|p| Some(p.local) == local && p.mode == ParamMode::In);
            }
            _ => {}
        }
    }
    shape.in_order &= order.iter().copied().eq(f.params.iter().map(|p| p.local));
    shape
}

struct Inline<'a> {
    program: &'a mut Program,
    effects: &'a Effects,
    body: &'a mut Body,
}

/// Whether a polyfill takes memory that invocations share by reference, which no function of a target does: it has to be inlined.
fn refers(callee: &Function) -> bool {
    let changes = callee.is_marked("__effects");
    callee.params.iter().any(|p| p.mode == ParamMode::Ref || p.mode == ParamMode::InOut && changes)
}

impl Inline<'_> {
    /// Arguments that must be plain values before calls can be replaced.
    fn marks(&self) -> Marks {
        let mut marks = Marks::default();
        let mut conditions = FxHashSet::default();
        let mut statements = FxHashSet::default();
        let mut whole = FxHashSet::default();
        self.body.block.visit(&mut |stmt| match &stmt.kind {
            StmtKind::While(c, ..) | StmtKind::DoWhile(_, c, _) => {
                conditions.extend(self.body.exprs.post_order(*c));
            }
            StmtKind::For(_, c, step, ..) => {
                conditions.extend(c.iter().chain(step).flat_map(|e| self.body.exprs.post_order(*e)));
            }
            StmtKind::Expr(e) => {
                statements.insert(*e);
                whole.extend(call_of(&self.body.exprs, stmt));
            }
            _ => whole.extend(call_of(&self.body.exprs, stmt)),
        });
        for id in self.body.expressions() {
            let ExprKind::Call(f, args) = &self.body.exprs[id].kind else { continue };
            let callee = &self.program.functions[*f];
            if let FunctionBody::Intrinsic(template) = &callee.body {
                self.mark_reordered(callee, template, args, &mut marks);
            } else if let Some(root) = expression_of(callee) {
                if !conditions.contains(&id) {
                    self.mark_call(callee, &shape(callee, root), args, &mut marks);
                }
            } else if splices(callee)
                && (!conditions.contains(&id) || refers(callee))
                && (callee.result != TypeId::VOID || statements.contains(&id))
            {
                if callee.result != TypeId::VOID && !whole.contains(&id) {
                    marks.insert(id, Mark::Value(hoist::temporary_name(self.program, self.body, id)));
                }
                let by_reference = callee.params.iter().zip(args);
                by_reference
                    .filter(|(p, a)| p.mode != ParamMode::In || self.is_place(**a))
                    .for_each(|(_, a)| mark_for_repetition(self.program, self.body, self.place_of(*a), &mut marks));
            }
        }
        marks
    }

    /// What acts among the arguments of a spelling that does not evaluate each of them once, in order.
    fn mark_reordered(&self, callee: &Function, template: &Template, args: &[ExprId], marks: &mut Marks) {
        let exprs = &self.body.exprs;
        let acts = |a: ExprId| !is_pure(exprs, a) && self.effects.expr(exprs, a);
        if !args.iter().any(|a| acts(*a)) {
            return;
        }
        let evaluated = template.evaluated(args.len());
        let in_order: Vec<u32> = (0..args.len() as u32).collect();
        let mut sorted = evaluated.clone();
        sorted.sort_unstable();
        let tells = |(at, a): (usize, &ExprId)| {
            let others: Vec<ExprId> = args.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, o)| *o).collect();
            affects(self.program, self.effects, exprs, &[*a], &others)
        };
        // Another order of what does not affect each other is as good.
        if evaluated == in_order || sorted == in_order && !args.iter().enumerate().any(tells) {
            return;
        }
        for (param, &arg) in callee.params.iter().zip(args) {
            if param.mode == ParamMode::In && acts(arg) && !self.is_place(arg) {
                marks.insert(arg, Mark::Value(hoist::temporary_name(self.program, self.body, arg)));
            }
        }
    }

    fn mark_call(&self, callee: &Function, shape: &PolyfillShape, args: &[ExprId], marks: &mut Marks) {
        if shape.assigns {
            return;
        }
        for (param, &arg) in callee.params.iter().zip(args) {
            if self.fits(param.local, shape, arg) {
                continue;
            }
            if param.mode != ParamMode::In || self.is_place(arg) {
                mark_for_repetition(self.program, self.body, self.place_of(arg), marks);
            } else {
                marks.insert(arg, Mark::Value(callee.code.locals[param.local].name));
            }
        }
    }

    /// Whether an argument is never copied: a resource, ray query or hit object.
    fn is_place(&self, arg: ExprId) -> bool {
        self.program.has_no_copies(self.body.exprs[arg].ty)
    }

    /// What an argument by reference refers to: `out` arguments may be converted on their way back.
    fn place_of(&self, arg: ExprId) -> ExprId {
        match self.body.exprs[arg].kind {
            ExprKind::Convert(inner, _) if !is_trivial(&self.body.exprs, arg) => inner,
            _ => arg,
        }
    }

    /// Whether an argument can stand in the place of its parameter as it is.
    fn fits(&self, param: LocalId, shape: &PolyfillShape, arg: ExprId) -> bool {
        let uses = shape.uses.get(&param).copied().unwrap_or(0);
        let separable = |wanted: &Vec<Swizzle>| {
            !self.effects.expr(&self.body.exprs, arg)
                && parts::separable(&self.program.types, &self.body.exprs, arg, wanted)
        };
        is_trivial(&self.body.exprs, arg)
            || shape.parts.get(&param).is_some_and(separable)
            // Pure arguments may change their order; those with effects must not.
            || uses == 1 && (shape.in_order || !self.effects.expr(&self.body.exprs, arg))
            || uses == 0 && !self.effects.expr(&self.body.exprs, arg)
    }

    /// Replaces calls by expressions.
    fn expressions(&mut self) {
        for id in self.body.expressions() {
            let ExprKind::Call(f, args) = self.body.exprs[id].kind.clone() else { continue };
            let callee = &self.program.functions[f];
            let Some(root) = expression_of(callee) else { continue };
            let shape = shape(callee, root);
            let fits = callee.params.iter().zip(&args).all(|(p, a)| {
                let place = p.mode != ParamMode::In || self.is_place(*a);
                place || self.fits(p.local, &shape, *a)
            });
            if fits && !shape.assigns {
                let bound: Vec<(LocalId, ExprId)> = callee.params.iter().map(|p| p.local).zip(args).collect();
                let span = self.body.exprs[id].span;
                let copy = substitute(self.body, &callee.code, root, &bound, span);
                parts::take(&mut self.program.types, self.effects, &mut self.body.exprs, copy);
                write_through_conversions(&mut self.body.exprs, copy);
                let ty = self.body.exprs[id].ty;
                self.body.exprs.replace_by(id, copy);
                self.body.exprs[id].ty = if ty == TypeId::VOID { self.body.exprs[id].ty } else { ty };
            }
        }
    }

    /// Replaces statements that are calls of polyfills of several statements.
    fn statements(&mut self) {
        let mut has_one = false;
        self.body.block.visit(&mut |stmt| has_one |= self.spliced_call(stmt).is_some());
        if !has_one {
            return;
        }
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |mut stmt, out| match self.spliced_call(&stmt) {
            Some((call, f, args)) => {
                let alone = matches!(stmt.kind, StmtKind::Expr(e) if e == call);
                let at = out.len();
                let value = self.splice(f, &args, &mut stmt, out);
                // A result that nobody takes is not worth a statement.
                if let Some(value) = value.filter(|v| !alone || !is_pure(&self.body.exprs, *v)) {
                    self.body.exprs.replace_by(call, value);
                    if !self.declares_result(&mut stmt, out.get_mut(at..).unwrap_or_default()) {
                        out.push(stmt);
                    }
                }
            }
            None => out.push(stmt),
        });
        self.body.block = block;
    }

    /// Where a statement declares a variable that is what spliced statements calculate in one of theirs, that one is the variable:
    /// `T res; res.a = 1;  const T x = res;` is `T x; x.a = 1;`. Whether it is so.
    fn declares_result(&mut self, stmt: &mut Stmt, spliced: &mut [Stmt]) -> bool {
        let StmtKind::Local(variable, Some(value)) = stmt.kind else { return false };
        let ExprKind::Local(result) = self.body.exprs[value].kind else { return false };
        let (own, other) = (&self.body.locals[variable], &self.body.locals[result]);
        let is_alike = own.ty == other.ty && other.modifiers == Modifiers::default();
        let declares = |s: &&Stmt| matches!(s.kind, StmtKind::Local(l, _) if l == result);
        if !is_alike || spliced.iter().filter(declares).count() != 1 {
            return false;
        }
        let mut roots = Vec::new();
        for own in &mut *spliced {
            own.visit(&mut |s| s.own_exprs(&mut |e| roots.push(e)));
            if let StmtKind::Local(local, _) = &mut own.kind
                && *local == result
            {
                *local = variable;
            }
        }
        for id in roots.into_iter().flat_map(|r| self.body.exprs.post_order(r)).collect::<Vec<_>>() {
            if matches!(self.body.exprs[id].kind, ExprKind::Local(l) if l == result) {
                self.body.exprs[id].kind = ExprKind::Local(variable);
            }
        }
        self.body.locals[variable].set_later();
        if let Some(first) = spliced.first_mut() {
            first.comments.append(&mut stmt.comments);
        }
        true
    }

    /// The call that a statement consists of, or assigns, declares or returns the result of.
    fn spliced_call(&self, stmt: &Stmt) -> Option<(ExprId, FunctionId, Vec<ExprId>)> {
        let call = call_of(&self.body.exprs, stmt)?;
        let ExprKind::Call(f, args) = &self.body.exprs[call].kind else { return None };
        let callee = &self.program.functions[*f];
        let alone = matches!(stmt.kind, StmtKind::Expr(e) if e == call);
        (splices(callee) && (callee.result != TypeId::VOID || alone)).then(|| (call, *f, args.clone()))
    }

    /// Locals of a polyfill that are numbers with these arguments, as the word of a constant address, become these numbers.
    fn bind_numbers(&mut self, copy: &mut Block, written: &[LocalId]) {
        let mut numbers: FxHashMap<LocalId, Literal> = FxHashMap::default();
        copy.stmts.retain(|stmt| {
            let StmtKind::Local(local, Some(init)) = stmt.kind else { return true };
            let is_free = self.body.locals[local].ty == TypeId::UINT && !written.contains(&local);
            let number = if is_free { eval_int(self.program, &self.body.exprs, init).ok() } else { None };
            numbers.extend(number.map(|n| (local, Literal::Int(n))));
            number.is_none()
        });
        let mut roots = Vec::new();
        copy.visit_mut(&mut |s| s.own_exprs(&mut |e| roots.push(e)));
        for id in roots.into_iter().flat_map(|r| self.body.exprs.post_order(r)).collect::<Vec<_>>() {
            let number = match self.body.exprs[id].kind {
                ExprKind::Local(l) => numbers.get(&l).copied(),
                ExprKind::Binary(_, a, _) if is_word(&self.body.exprs, a) && self.body.exprs[id].ty == TypeId::UINT => {
                    eval_int(self.program, &self.body.exprs, id).ok().map(Literal::Int)
                }
                _ => None,
            };
            if let Some(number) = number {
                self.body.exprs[id].kind = ExprKind::Literal(number, None);
            }
        }
    }

    /// Of the branches of a polyfill that these arguments decide those stay that are taken.
    fn take_known_branches(&self, copy: &mut Block) {
        copy.rewrite(&mut |stmt, out| {
            let truth = match &stmt.kind {
                StmtKind::If(condition, ..) => eval(self.program, &self.body.exprs, *condition).ok(),
                _ => None,
            };
            match (stmt, truth) {
                (Stmt { kind: StmtKind::If(_, yes, _, _), .. }, Some(Value::Bool(true))) => out.extend(yes.stmts),
                (Stmt { kind: StmtKind::If(_, _, no, _), .. }, Some(Value::Bool(false))) => {
                    out.extend(no.into_iter().flat_map(|no| no.stmts));
                }
                (stmt, _) => out.push(stmt),
            }
        });
    }

    /// Puts a polyfill's statements in place; answers the value that it returns.
    fn splice(&mut self, f: FunctionId, args: &[ExprId], stmt: &mut Stmt, out: &mut Vec<Stmt>) -> Option<ExprId> {
        let callee = &self.program.functions[f];
        let at = out.len();
        let (uses, written) = (callee.code.local_uses(), self.program.written_locals(&callee.code));
        let assigned: Vec<LocalId> = callee.code.locals.ids().filter(|l| written.contains(l)).collect();
        let mut bound = Vec::new();
        let mut locals = FxHashMap::default();
        for (at, (param, &arg)) in callee.params.iter().zip(args).enumerate() {
            let place = param.mode != ParamMode::In || self.is_place(arg);
            let assigned = !place && written.contains(&param.local);
            let once = uses.get(&param.local).copied().unwrap_or(0) < 2 && !self.effects.expr(&self.body.exprs, arg);
            // What a later argument changes is read before.
            let later = args.get(at + 1..).unwrap_or_default();
            let changed = affects(self.program, self.effects, &self.body.exprs, later, &[arg]);
            let placeholder = self.body.locals.push(callee.code.locals[param.local].clone());
            locals.insert(param.local, placeholder);
            if place || !assigned && !changed && (once || is_trivial(&self.body.exprs, arg)) {
                bound.push((placeholder, arg));
            } else {
                self.body.locals[placeholder].constant = !assigned;
                out.push(Stmt::new(StmtKind::Local(placeholder, Some(arg)), stmt.span));
            }
        }
        let mut copy = self.body.import_block(&callee.code, &callee.code.block, &mut locals);
        let mut roots = Vec::new();
        copy.visit_mut(&mut |s| {
            s.span = stmt.span;
            s.comments.clear();
            s.own_exprs(&mut |e| roots.push(e));
        });
        for id in roots.into_iter().flat_map(|r| self.body.exprs.post_order(r)).collect::<Vec<_>>() {
            self.body.exprs[id].span = stmt.span;
            if let ExprKind::Local(l) = self.body.exprs[id].kind
                && let Some((_, arg)) = bound.iter().find(|(p, _)| *p == l)
            {
                let again = self.body.exprs.duplicate(*arg);
                self.body.exprs.replace_by(id, again);
            }
        }
        let mut roots = Vec::new();
        copy.visit_mut(&mut |s| s.own_exprs(&mut |e| roots.push(e)));
        roots.into_iter().for_each(|root| write_through_conversions(&mut self.body.exprs, root));
        let written: Vec<LocalId> = assigned.iter().filter_map(|l| locals.get(l)).copied().collect();
        self.bind_numbers(&mut copy, &written);
        if self.program.functions[f].builtin {
            self.take_known_branches(&mut copy);
        }
        let value = match copy.stmts.last() {
            Some(Stmt { kind: StmtKind::Return(value), .. }) => {
                let value = *value;
                copy.stmts.pop();
                value
            }
            _ => None,
        };
        out.append(&mut copy.stmts);
        stmt.give_comments(out.get_mut(at), value.is_none());
        value
    }
}

/// What a declared variable may be, and what is evaluated before the choice, is evaluated in that variable: it needs no other
/// name. `T yes = f();  T x = c ? yes : 0;` is `T x = f();  x = c ? x : 0;`. The first `written` variables are not made here.
fn choose_in_place(body: &mut Body, written: usize) {
    if body.locals.len() == written {
        return;
    }
    let uses = body.local_uses();
    let mut block = std::mem::take(&mut body.block);
    let is_made = |local: LocalId| local.0 as usize >= written && uses.get(&local) == Some(&1);
    block.rewrite(&mut |mut stmt, out| {
        if let (Some(last), StmtKind::Local(x, Some(choice))) = (out.last_mut(), &stmt.kind)
            && let (StmtKind::Local(made, Some(_)), ExprKind::Select(_, yes, no)) =
                (&mut last.kind, &body.exprs[*choice].kind)
            && let Some(arm) =
                [*yes, *no].into_iter().find(|e| matches!(body.exprs[*e].kind, ExprKind::Local(l) if l == *made))
            && is_made(*made)
            && body.locals[*made].ty == body.locals[*x].ty
        {
            let (x, choice) = (*x, *choice);
            let Expr { ty, span, .. } = body.exprs[choice];
            *made = x;
            body.exprs[arm].kind = ExprKind::Local(x);
            body.locals[x].set_later();
            let target = body.exprs.push(Expr { kind: ExprKind::Local(x), ty, span });
            let assigned = body.exprs.push(Expr { kind: ExprKind::Assign(None, target, choice), ty, span });
            stmt.kind = StmtKind::Expr(assigned);
        }
        out.push(stmt);
    });
    body.block = block;
}

/// An `out` argument that was converted stands as `(uint)x = value` now: makes it `x = (int)value`.
fn write_through_conversions(exprs: &mut ExprArena, root: ExprId) {
    for id in exprs.post_order(root) {
        let ExprKind::Assign(op, target, value) = exprs[id].kind else { continue };
        let ExprKind::Convert(inner, _) = exprs[target].kind else { continue };
        let (ty, span) = (exprs[inner].ty, exprs[id].span);
        let kind = match op {
            None => ExprKind::Convert(value, false),
            // (uint)x += value: the sum is of the converted type.
            Some(op) => {
                let current = exprs.duplicate(target);
                let sum = Expr { kind: ExprKind::Binary(op, current, value), ty: exprs[target].ty, span };
                ExprKind::Convert(exprs.push(sum), false)
            }
        };
        let value = exprs.push(Expr { kind, ty, span });
        exprs[id] = Expr { kind: ExprKind::Assign(None, inner, value), ty, span };
    }
}

/// The call at the root of a statement, or whose value is all that the statement assigns, declares or returns.
fn call_of(exprs: &ExprArena, stmt: &Stmt) -> Option<ExprId> {
    let root = match stmt.kind {
        StmtKind::Expr(e) => match exprs[e].kind {
            ExprKind::Assign(None, target, value) if is_trivial(exprs, target) => value,
            _ => e,
        },
        StmtKind::Local(_, Some(e)) | StmtKind::Return(Some(e)) => e,
        _ => return None,
    };
    matches!(exprs[root].kind, ExprKind::Call(..)).then_some(root)
}

/// A polyfill of several statements that returns nowhere but at its end.
fn splices(f: &Function) -> bool {
    let block = &f.code.block;
    let last_is_return = matches!(block.stmts.last(), Some(Stmt { kind: StmtKind::Return(_), .. }));
    let mut returns = 0;
    block.visit(&mut |s| returns += usize::from(matches!(s.kind, StmtKind::Return(_))));
    f.inline
        && matches!(f.body, FunctionBody::Block)
        && returns == usize::from(last_is_return)
        && (f.result == TypeId::VOID || last_is_return)
        && !block.stmts.is_empty()
}

/// Whether an expression is the number that [`Inline::bind_numbers`] has made of a local, or one of that form.
fn is_word(exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Literal(Literal::Int(_), text) = exprs[id].kind else { return false };
    exprs[id].ty == TypeId::UINT && text.is_none_or(|text| !text.as_str().starts_with("0x"))
}

/// Copies `root` of a callee into `body`, parameters replaced by arguments.
fn substitute(body: &mut Body, callee: &Body, root: ExprId, bound: &[(LocalId, ExprId)], span: Span) -> ExprId {
    let mut used = FxHashSet::default();
    let mut place = |exprs: &mut ExprArena, id: ExprId| {
        let ExprKind::Local(l) = callee.exprs[id].kind else { return None };
        let (_, arg) = bound.iter().find(|(p, _)| *p == l)?;
        // The first mention takes the argument itself, others a copy.
        Some(if used.insert(*arg) { *arg } else { exprs.duplicate(*arg) })
    };
    import_at(&mut body.exprs, &callee.exprs, root, &mut place, span)
}

/// [`ExprArena::import`], with the place of the use for every new node.
fn import_at(
    exprs: &mut ExprArena,
    from: &ExprArena,
    id: ExprId,
    leaf: &mut dyn FnMut(&mut ExprArena, ExprId) -> Option<ExprId>,
    span: Span,
) -> ExprId {
    if let Some(done) = leaf(exprs, id) {
        return done;
    }
    let mut copy = from[id].clone();
    copy.span = span;
    copy.kind.children_mut(&mut |child| *child = import_at(exprs, from, *child, leaf, span));
    exprs.push(copy)
}

/// The values of all components in their order that the source selects. What is written to is the same without.
fn whole_selections(body: &Body) -> FxHashSet<ExprId> {
    let live = body.expressions();
    let written = |id: &ExprId| match body.exprs[*id].kind {
        ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => Some(target),
        _ => None,
    };
    let written: FxHashSet<ExprId> = live.iter().filter_map(written).collect();
    let is_whole = |id: &ExprId| match &body.exprs[*id].kind {
        ExprKind::Swizzle(inner, swizzle) => is_in_order(swizzle) && body.exprs[*inner].ty == body.exprs[*id].ty,
        _ => false,
    };
    live.into_iter().filter(|id| is_whole(id) && !written.contains(id)).collect()
}

fn is_in_order(swizzle: &Swizzle) -> bool {
    swizzle.list().iter().enumerate().all(|(at, component)| at == usize::from(*component))
}

/// Small identities that inlining leaves behind, but for selections that are `said`: swizzles of swizzles and of constructors,
/// conversions of literals.
pub(super) fn simplify(types: &mut Types, body: &mut Body, said: &FxHashSet<ExprId>) {
    for id in body.expressions().into_iter().filter(|id| !said.contains(id)) {
        simplify_node(types, &mut body.exprs, id);
    }
}

fn simplify_node(types: &mut Types, exprs: &mut TrackedExprs, id: ExprId) {
    let ty = exprs[id].ty;
    match exprs[id].kind.clone() {
        ExprKind::Swizzle(inner, swizzle) => match exprs[inner].kind.clone() {
            ExprKind::Swizzle(base, first) => {
                let list: Vec<u8> =
                    swizzle.list().iter().filter_map(|c| first.list().get(*c as usize).copied()).collect();
                exprs[id].kind = ExprKind::Swizzle(base, Swizzle::new(&list));
            }
            ExprKind::MatrixSwizzle(base, first) => {
                let list = swizzle.list().iter().filter_map(|c| first.get(*c as usize).copied()).collect();
                let elements = MatrixElements::new(list, first.from_one);
                exprs[id].kind = ExprKind::MatrixSwizzle(base, elements);
            }
            ExprKind::Construct(parts) if swizzle.len == 1 => {
                let scalars = parts.iter().all(|p| matches!(types.get(exprs[*p].ty), Type::Scalar(_)));
                let part = swizzle.list().first().and_then(|c| parts.get(*c as usize));
                let dropped = |p: &&ExprId| parts.iter().all(|other| other == *p || is_trivial(exprs, *other));
                // One component may be a vector of one.
                if let Some(&part) = part.filter(|p| scalars && exprs[**p].ty == ty && dropped(p)) {
                    exprs.replace_by(id, part);
                }
            }
            _ if exprs[inner].ty == ty && is_in_order(&swizzle) => {
                exprs.replace_by(id, inner);
            }
            _ => {}
        },
        ExprKind::Field(inner, index) => {
            if let ExprKind::Construct(parts) = exprs[inner].kind.clone()
                && let Some(&part) = parts.get(index as usize)
                && matches!(types.get(exprs[inner].ty), Type::Struct(_))
                && exprs[part].ty == ty
                && parts.iter().all(|p| is_pure(exprs, *p))
            {
                exprs.replace_by(id, part);
            }
        }
        ExprKind::Convert(inner, _) => {
            if exprs[inner].ty == ty {
                exprs.replace_by(id, inner);
                return;
            }
            convert_literal(types, exprs, id, inner, ty);
            // float -> float1 -> float, and an address that has been a pointer.
            let gives_back = |whole: Type, between: Type| match (whole, between) {
                (Type::Scalar(a), Type::Vector(b, 1)) => a == b,
                (Type::Scalar(a), Type::Pointer(_, AddressSpace::Device(_))) => a == Scalar::U64,
                _ => false,
            };
            if let ExprKind::Convert(innermost, _) = exprs[inner].kind
                && exprs[innermost].ty == ty
                && gives_back(types.get(ty), types.get(exprs[inner].ty))
            {
                exprs.replace_by(id, innermost);
            }
        }
        ExprKind::Construct(parts) if parts.len() == 1 => {
            if let Some(part) = parts
                .first()
                .filter(|p| exprs[**p].ty == ty && !matches!(types.get(ty), Type::Struct(_) | Type::Array(..)))
            {
                exprs.replace_by(id, *part);
            }
        }
        _ => {}
    }
}

/// The value of a literal converted to another scalar, where it is the same number.
fn convert_literal(types: &Types, exprs: &mut ExprArena, id: ExprId, inner: ExprId, ty: TypeId) {
    let (Expr { kind: ExprKind::Literal(literal, text), .. }, Type::Scalar(scalar)) = (&exprs[inner], types.get(ty))
    else {
        return;
    };
    let from_float = matches!(literal, Literal::Float(_));
    let from = types.component(exprs[inner].ty);
    let kind = match (*literal, scalar) {
        // A large unsigned number is held as a negative one.
        (Literal::Int(i), s) if s.is_float() => {
            let value = if from == Some(Scalar::U64) { i as u64 as f64 } else { i as f64 };
            Some(ExprKind::Literal(Literal::Float(value), None))
        }
        (Literal::Int(i), Scalar::U32) if (0..=i64::from(u32::MAX)).contains(&i) => {
            Some(ExprKind::Literal(Literal::Int(i), *text))
        }
        (Literal::Int(i), Scalar::I32) if (0..=i64::from(i32::MAX)).contains(&i) => {
            Some(ExprKind::Literal(Literal::Int(i), *text))
        }
        (Literal::Int(i), Scalar::Bool) => Some(ExprKind::Literal(Literal::Bool(i != 0), None)),
        (Literal::Float(f), s) if s.is_float() => Some(ExprKind::Literal(Literal::Float(f), *text)),
        (Literal::Bool(b), s) if s.is_float() => Some(ExprKind::Literal(Literal::Float(f64::from(u8::from(b))), None)),
        (Literal::Bool(b), s) if s.is_integer() => Some(ExprKind::Literal(Literal::Int(i64::from(b)), None)),
        _ => None,
    };
    let narrowing = from_float && matches!(scalar, Scalar::F16) && from == Some(Scalar::F64);
    if let Some(kind) = kind.filter(|_| !narrowing) {
        exprs[id].kind = kind;
    }
}
