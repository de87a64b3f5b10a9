//! Properties and subscripts become elements, lvalue calls, or calls of their accessors.
//!
//! Before: `float v = image[p];                image[p].x += 1.0;`
//! After:  `float v = get(image, p);  float4 texel = get(image, p);  texel.x += 1.0;  set(image, p, texel);`
//!
//! Where the target can say the element itself (the accessor `ref` has a spelling), that is used, and `$0[$1]` is the
//! same as an [`ExprKind::Index`].

use super::hoist::{self, Mark, Marks};
use super::needs::{Find, OF_STATEMENTS};
use super::{Context, Pass, lacks_spelling};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::{
    BinaryOp, Body, Build, Expr, ExprId, ExprKind, ExprKinds, FunctionBody, FunctionId, ParamMode, Program, Property,
    Stmt, StmtKind, Template, TemplatePiece, TypeId,
    analyses::{is_pure, is_trivial},
};
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "lower_properties",
    removes: &[(
        Capability::Properties,
        Find::at(ExprKinds::PROPERTY, |_, exprs, id| matches!(exprs[id].kind, ExprKind::Property(_))),
    )],
    adds: OF_STATEMENTS,
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let effects = cx.effects();
    // A value writes nothing: all that is in it is read.
    cx.each_value(&mut |cx, body| Lower { cx, body }.values());
    cx.each_body(&mut |cx, _, body| {
        // Each round handles the outermost of nested accesses; source text is finite, so this ends.
        while body.expressions().iter().any(|id| matches!(body.exprs[*id].kind, ExprKind::Property(_))) {
            let mut lower = Lower { cx, body };
            lower.values();
            let through = lower.written_through();
            hoist::take_out_of_heads(lower.cx.program, &effects, lower.body, &through);
            let marks = lower.marks();
            hoist::hoist(lower.cx.program, &effects, lower.body, marks);
            let changed = lower.statements();
            if !(lower.in_place() || changed) && lower.stuck() {
                return;
            }
        }
    });
}

struct Lower<'a, 'b, 'c> {
    cx: &'a mut Context<'c>,
    body: &'b mut Body,
}

/// `$0[$1]`.
fn is_element(template: &Template) -> bool {
    matches!(template.pieces.as_slice(), [
        TemplatePiece::Arg(0) | TemplatePiece::Operand(0),
        TemplatePiece::Text(open),
        TemplatePiece::Arg(1),
        TemplatePiece::Text(close)
    ] if open == "[" && close == "]")
}

fn usable(program: &Program, f: Option<FunctionId>) -> Option<FunctionId> {
    f.filter(|f| !lacks_spelling(&program.functions[*f]))
}

impl Lower<'_, '_, '_> {
    fn property(&self, id: ExprId) -> Option<Property> {
        match &self.body.exprs[id].kind {
            ExprKind::Property(p) => Some((**p).clone()),
            _ => None,
        }
    }

    /// The property that an lvalue lies in, if it has no reference accessor. What a reference accessor gives lies in its object.
    fn written(&self, target: ExprId) -> Option<ExprId> {
        let mut base = self.body.exprs.base(target);
        while let Some((at, args)) = self.reference(base) {
            base = self.body.exprs.base(*args.get(at)?);
        }
        matches!(self.body.exprs[base].kind, ExprKind::Property(_)).then_some(base)
    }

    /// Which argument of an access or a call the place that it refers to lies in, with all of them. What holds a resource refers to
    /// what is elsewhere.
    fn reference(&self, id: ExprId) -> Option<(usize, &[ExprId])> {
        let (function, args) = match &self.body.exprs[id].kind {
            ExprKind::Property(p) => (usable(self.cx.program, p.reference)?, &p.args),
            ExprKind::Call(function, args) => (*function, args),
            _ => return None,
        };
        let at = self.referred(function)?;
        let is_place = args.get(at).is_some_and(|a| !self.cx.program.holds_resource(self.body.exprs[*a].ty));
        is_place.then_some((at, args))
    }

    /// The parameter that what a function of the program refers to lies in.
    fn referred(&self, function: FunctionId) -> Option<usize> {
        let function = &self.cx.program.functions[function];
        if !function.returns_ref || function.builtin {
            return None;
        }
        let base = match function.code.block.stmts.as_slice() {
            [Stmt { kind: StmtKind::Return(Some(place)), .. }] => function.code.exprs.base_local(*place),
            _ => None,
        };
        let is_base = |p: &crate::tree::Param| Some(p.local) == base;
        let by_reference = |p: &crate::tree::Param| p.mode != ParamMode::In;
        function.params.iter().position(is_base).or_else(|| function.params.iter().position(by_reference))
    }

    /// The lvalues of an expression: what it assigns, steps or passes by reference.
    fn lvalues(&self, id: ExprId) -> Vec<(ExprId, ParamMode)> {
        match &self.body.exprs[id].kind {
            ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => vec![(*target, ParamMode::InOut)],
            ExprKind::Call(f, args) => {
                let params = &self.cx.program.functions[*f].params;
                // What is referred to is written where the reference is.
                let referred = self.reference(id).map(|(at, _)| at);
                let passed = params.iter().zip(args).enumerate();
                let passed = passed.filter(|(at, (p, _))| p.mode != ParamMode::In && referred != Some(*at));
                passed.map(|(_, (p, a))| (self.place(*a), p.mode)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The place of an argument that is passed by reference, which may be converted.
    fn place(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Convert(inner, _) = self.body.exprs[id].kind {
            id = inner;
        }
        id
    }

    /// Replaces properties that are only read, and those with a reference accessor.
    fn values(&mut self) {
        let live = self.body.expressions();
        let mut targets: FxHashSet<ExprId> = FxHashSet::default();
        for &id in &live {
            let written: Vec<ExprId> = self.lvalues(id).into_iter().filter_map(|(t, _)| self.written(t)).collect();
            targets.extend(written);
        }
        // Parents before children: a setter that changes `this` makes the property that `this` lies in a target too.
        for &id in live.iter().rev() {
            let Some(p) = self.property(id) else { continue };
            if let Some(reference) = usable(self.cx.program, p.reference) {
                self.body.exprs[id].kind = self.element(reference, p.args);
            } else if targets.contains(&id) {
                let by_reference = p.set.and_then(|s| self.cx.program.functions[s].params.first());
                let by_reference = by_reference.is_some_and(|p| p.mode != ParamMode::In);
                if let Some(outer) = p.args.first().filter(|_| by_reference).and_then(|this| self.written(*this)) {
                    targets.insert(outer);
                }
            } else if let Some(get) = p.get.or(p.reference).or(p.set) {
                self.body.exprs[id].kind = ExprKind::Call(get, p.args);
            }
        }
    }

    fn element(&self, reference: FunctionId, args: Vec<ExprId>) -> ExprKind {
        match (&self.cx.program.functions[reference].body, args.as_slice()) {
            (FunctionBody::Intrinsic(t), [base, index]) if is_element(t) => ExprKind::Index(*base, *index),
            _ => ExprKind::Call(reference, args),
        }
    }

    /// Expressions that write through a variable: to a part of a property, or to one that is passed by reference.
    fn written_through(&self) -> FxHashSet<ExprId> {
        let through = |id: &ExprId| {
            let is_call = matches!(self.body.exprs[*id].kind, ExprKind::Call(..));
            self.lvalues(*id).iter().any(|(target, _)| self.written(*target).is_some_and(|p| is_call || p != *target))
        };
        self.body.expressions().into_iter().filter(through).collect()
    }

    /// What must be a plain value before a write through accessors can be spelled.
    fn marks(&self) -> Marks {
        let mut marks = Marks::default();
        let mut statements = FxHashSet::default();
        self.body.block.visit(&mut |stmt| match stmt.kind {
            StmtKind::Expr(e) => {
                statements.insert(e);
            }
            StmtKind::For(_, _, Some(step), ..) => {
                statements.insert(step);
            }
            _ => {}
        });
        for id in self.body.expressions() {
            for (target, mode) in self.lvalues(id) {
                let Some(property) = self.written(target) else { continue };
                let assigned = matches!(self.body.exprs[id].kind, ExprKind::Assign(None, ..));
                let simple = target == property && (assigned || mode == ParamMode::Out);
                if !simple {
                    self.mark_arguments(property, &mut marks);
                }
                if !statements.contains(&id) {
                    let name = hoist::temporary_name(self.cx.program, self.body, id);
                    let valued = matches!(self.body.exprs[id].kind, ExprKind::Call(..))
                        && self.body.exprs[id].ty != TypeId::VOID;
                    marks.insert(id, if valued { Mark::Value(name) } else { Mark::Effect });
                    self.mark_arguments(property, &mut marks);
                }
            }
        }
        marks
    }

    fn mark_arguments(&self, property: ExprId, marks: &mut Marks) {
        for arg in self.property(property).map(|p| p.args).unwrap_or_default() {
            mark_for_repetition(self.cx.program, self.body, arg, marks);
        }
    }

    /// Writes that need statements before and after. Answers whether there were any.
    fn statements(&mut self) -> bool {
        let mut changed = false;
        let mut block = std::mem::take(&mut self.body.block);
        block.rewrite(&mut |stmt, out| changed |= self.statement(stmt, out));
        self.body.block = block;
        changed
    }

    fn statement(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) -> bool {
        let (StmtKind::Expr(root) | StmtKind::Local(_, Some(root))) = stmt.kind else {
            out.push(stmt);
            return false;
        };
        let mut after = Vec::new();
        let before = out.len();
        self.value_first(root, out);
        for (target, mode) in self.lvalues(root) {
            let Some(property) = self.written(target) else { continue };
            let whole = target == property && !matches!(self.body.exprs[root].kind, ExprKind::Call(..));
            if !whole {
                self.through_temporary(property, target != property || mode != ParamMode::Out, out, &mut after);
            }
        }
        stmt.give_comments(out.get_mut(before), false);
        out.push(stmt);
        let changed = !after.is_empty();
        out.append(&mut after);
        changed
    }

    /// What is assigned to a part of a property, if it does something: it comes before the whole is read that is written back.
    fn value_first(&mut self, root: ExprId, before: &mut Vec<Stmt>) {
        let ExprKind::Assign(op, target, value) = self.body.exprs[root].kind else { return };
        let is_part = self.written(target).is_some_and(|property| property != target);
        if !is_part || is_pure(&self.body.exprs, value) {
            return;
        }
        let Expr { ty, span, .. } = self.body.exprs[target];
        let name = hoist::temporary_name(self.cx.program, self.body, value);
        let value = match op {
            Some(op) => {
                let old = self.body.exprs.duplicate(target);
                Build::new(&mut self.cx.program.types, &mut self.body.exprs, span).binary(op, old, value)
            }
            None => value,
        };
        let local = self.body.add_local(name, ty, span);
        before.push(Stmt::new(StmtKind::Local(local, Some(value)), span));
        let read = self.body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
        self.body.exprs[root].kind = ExprKind::Assign(None, target, read);
    }

    /// `T t = get(args);` before, the property replaced by `t`, and `set(args, t);` after.
    fn through_temporary(&mut self, property: ExprId, read: bool, before: &mut Vec<Stmt>, after: &mut Vec<Stmt>) {
        let Some(p) = self.property(property) else { return };
        let (Some(get), Some(set)) = (p.get.or(p.set), p.set.or(p.get)) else { return };
        let Expr { ty, span, .. } = self.body.exprs[property];
        let name = Symbol::new("element");
        let init = read.then(|| self.call(get, &p.args, None, property));
        let local = self.body.add_local(name, ty, span);
        before.push(Stmt::new(StmtKind::Local(local, init), span));
        self.body.exprs[property].kind = ExprKind::Local(local);
        let value = self.body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span });
        let set = self.call(set, &p.args, Some(value), property);
        after.push(Stmt::new(StmtKind::Expr(set), span));
    }

    /// A call of an accessor with copies of the property's arguments.
    fn call(&mut self, f: FunctionId, args: &[ExprId], value: Option<ExprId>, at: ExprId) -> ExprId {
        let mut copies: Vec<ExprId> = args.iter().map(|a| self.body.exprs.duplicate(*a)).collect();
        copies.extend(value);
        let ty = self.cx.program.functions[f].result;
        let span = self.body.exprs[at].span;
        self.body.exprs.push(Expr { kind: ExprKind::Call(f, copies), ty, span })
    }

    /// `property op= value` becomes one call of the setter. Answers whether anything changed.
    fn in_place(&mut self) -> bool {
        let mut changed = false;
        for id in self.body.expressions() {
            let (op, target, value) = match self.body.exprs[id].kind {
                ExprKind::Assign(op, target, value) => (op, target, Some(value)),
                ExprKind::Step(up, _, target) => (Some(if up { BinaryOp::Add } else { BinaryOp::Sub }), target, None),
                _ => continue,
            };
            let Some(p) = self.property(target) else { continue };
            let Some(set) = p.set.or(p.get) else { continue };
            let Expr { ty, span, .. } = self.body.exprs[target];
            let value = match value {
                Some(value) => value,
                None => Build::new(&mut self.cx.program.types, &mut self.body.exprs, span).number(1, ty),
            };
            let value = match op {
                Some(op) => {
                    let old = self.call(p.get.unwrap_or(set), &p.args, None, target);
                    Build::new(&mut self.cx.program.types, &mut self.body.exprs, span).binary(op, old, value)
                }
                None => value,
            };
            let call = self.call(set, &p.args, Some(value), id);
            self.body.exprs.replace_by(id, call);
            changed = true;
        }
        changed
    }

    /// Whether properties are left that no rule moves any further; they are reported as a need.
    fn stuck(&self) -> bool {
        let live = self.body.expressions();
        let targets: FxHashSet<ExprId> =
            live.iter().flat_map(|id| self.lvalues(*id)).filter_map(|(t, _)| self.written(t)).collect();
        live.iter().any(|id| targets.contains(id))
    }
}

/// Marks what of an argument costs or does something, so that it can be written twice. Of an lvalue or a resource only
/// its indices are marked.
pub(super) fn mark_for_repetition(program: &Program, body: &Body, arg: ExprId, marks: &mut Marks) {
    if is_trivial(&body.exprs, arg) {
        return;
    }
    let on_path = |id: ExprId| match body.exprs[id].kind {
        ExprKind::Field(a, _) | ExprKind::Index(a, _) | ExprKind::Contents(a) => Some(a),
        _ => None,
    };
    let base = body.exprs.base(arg);
    let place = matches!(body.exprs[base].kind, ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Property(_));
    if !place && !program.holds_resource(body.exprs[arg].ty) {
        marks.insert(arg, Mark::Value(hoist::temporary_name(program, body, arg)));
        return;
    }
    let mut id = arg;
    while let Some(inner) = on_path(id) {
        if let ExprKind::Index(_, index) = body.exprs[id].kind
            && !is_trivial(&body.exprs, index)
        {
            marks.insert(index, Mark::Value(Symbol::new("index")));
        }
        id = inner;
    }
    // What the accessors of a property are called with is repeated with it.
    if let ExprKind::Property(p) = &body.exprs[base].kind {
        p.args.iter().for_each(|arg| mark_for_repetition(program, body, *arg, marks));
    }
}
