//! Arguments that are passed by reference and are no places in the text go through a variable.
//!
//! Before: `f(buffer[i].v);`              where `v` is stored in another form, and may be changed by `f`
//! After:  `float3 v = buffer[i].v;  f(v);  buffer[i].v = v;`
//!
//! Passes that store values in other forms call this first, so that only reads and assignments are left.

use super::hoist::{Mark, Marks, hoist, take_out_of_heads, temporary_name};
use crate::symbol::Symbol;
use crate::tree::analyses::is_trivial;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Parameters that are passed by reference, by function.
pub(super) type ByReference = FxHashMap<FunctionId, Vec<usize>>;

/// Says of an argument whether it is no place in the text.
pub(super) type Concerned<'a> = &'a mut dyn FnMut(&mut Program, &mut Body, ExprId) -> bool;

/// Finds the parameters that are passed by reference.
pub(super) fn by_reference(program: &Program) -> ByReference {
    let modes = program.functions.iter().map(|(id, f)| {
        let list = f.params.iter().enumerate().filter(|(_, p)| p.mode != ParamMode::In).map(|(i, _)| i).collect();
        (id, list)
    });
    modes.filter(|(_, list): &(_, Vec<usize>)| !list.is_empty()).collect()
}

/// Puts copies before and after the calls in a body that need them.
pub(super) fn copy(
    program: &mut Program,
    effects: &Effects,
    body: &mut Body,
    by_reference: &ByReference,
    concerned: Concerned,
) {
    let mut copier = Copier { program, effects, body, by_reference, concerned };
    let calls: FxHashSet<ExprId> =
        copier.body.expressions().into_iter().filter(|id| !copier.arguments(*id).is_empty()).collect();
    if calls.is_empty() {
        return;
    }
    take_out_of_heads(copier.program, effects, copier.body, &calls);
    let marks = copier.marks();
    hoist(copier.program, effects, copier.body, marks);
    let mut block = std::mem::take(&mut copier.body.block);
    block.rewrite(&mut |stmt, out| copier.statement(stmt, out));
    copier.body.block = block;
}

/// What a selection chooses from.
pub(super) fn selected(exprs: &ExprArena, id: ExprId) -> Option<ExprId> {
    match exprs[id].kind {
        ExprKind::Field(base, _)
        | ExprKind::Index(base, _)
        | ExprKind::Swizzle(base, _)
        | ExprKind::MatrixSwizzle(base, _) => Some(base),
        _ => None,
    }
}

/// Marks what is on the way to an lvalue and is more than a name, to be evaluated once.
pub(super) fn mark_indices(exprs: &ExprArena, id: ExprId, marks: &mut Marks) {
    let mut at = Some(id);
    while let Some(id) = at {
        if let ExprKind::Index(_, index) = exprs[id].kind
            && !is_trivial(exprs, index)
        {
            marks.insert(index, Mark::Value(Symbol::new("index")));
        }
        at = selected(exprs, id);
    }
}

/// Expressions that are statements of a block, or all that a declaration of one has. Those of a `for` are not.
pub(super) fn statements(block: &Block) -> FxHashSet<ExprId> {
    roots(block, &|s| match s.kind {
        StmtKind::Expr(e) | StmtKind::Local(_, Some(e)) => Some(e),
        _ => None,
    })
}

/// Expressions that are statements of a block, so that nothing uses their value. Those of a `for` are not.
pub(super) fn expression_statements(block: &Block) -> FxHashSet<ExprId> {
    roots(block, &|s| match s.kind {
        StmtKind::Expr(e) => Some(e),
        _ => None,
    })
}

fn roots(block: &Block, root: &dyn Fn(&Stmt) -> Option<ExprId>) -> FxHashSet<ExprId> {
    let (mut roots, mut initializers) = (FxHashSet::default(), FxHashSet::default());
    block.visit(&mut |s| {
        roots.extend(root(s));
        if let StmtKind::For(init, ..) = &s.kind {
            initializers.extend(init.iter().filter_map(root));
        }
    });
    roots.retain(|r| !initializers.contains(r));
    roots
}

struct Copier<'a, 'c> {
    program: &'a mut Program,
    effects: &'a Effects,
    body: &'a mut Body,
    by_reference: &'a ByReference,
    concerned: Concerned<'c>,
}

impl Copier<'_, '_> {
    /// The arguments of a call that need a copy; of one that is converted on its way back, the place.
    fn arguments(&mut self, call: ExprId) -> Vec<(usize, ExprId)> {
        let ExprKind::Call(function, args) = &self.body.exprs[call].kind else { return Vec::new() };
        let Some(positions) = self.by_reference.get(function) else { return Vec::new() };
        let place = |a: ExprId| match self.body.exprs[a].kind {
            ExprKind::Convert(inner, _) => inner,
            _ => a,
        };
        let mut args: Vec<_> = positions.iter().filter_map(|p| args.get(*p).map(|a| (*p, place(*a)))).collect();
        args.retain(|(_, argument)| (self.concerned)(self.program, self.body, *argument));
        args
    }

    /// Makes such calls statements, and the indices in their arguments values.
    fn marks(&mut self) -> Marks {
        let mut marks = Marks::default();
        let roots = statements(&self.body.block);
        for id in self.body.expressions() {
            let arguments = self.arguments(id);
            if arguments.is_empty() {
                continue;
            }
            arguments.iter().for_each(|(_, place)| mark_indices(&self.body.exprs, *place, &mut marks));
            self.mark_others(id, &mut marks);
            if !roots.contains(&id) {
                let name = temporary_name(self.program, self.body, id);
                let nothing = self.body.exprs[id].ty == TypeId::VOID;
                marks.insert(id, if nothing { Mark::Effect } else { Mark::Value(name) });
            }
        }
        marks
    }

    /// Arguments are copied in when the others have been evaluated, as slangc and DXC do it: those with effects are values before.
    fn mark_others(&self, call: ExprId, marks: &mut Marks) {
        let exprs = &self.body.exprs;
        let ExprKind::Call(function, args) = &exprs[call].kind else { return };
        let referred = self.by_reference.get(function).map(Vec::as_slice).unwrap_or_default();
        for (at, arg) in args.iter().enumerate() {
            if !referred.contains(&at) && self.effects.expr(exprs, *arg) {
                marks.insert(*arg, Mark::Value(temporary_name(self.program, self.body, *arg)));
            }
        }
    }

    /// A statement with the copies that its call needs.
    fn statement(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let (StmtKind::Expr(root) | StmtKind::Local(_, Some(root))) = stmt.kind else { return out.push(stmt) };
        // What is evaluated on one way only is assigned there.
        let call = match self.body.exprs[root].kind {
            ExprKind::Assign(None, target, value) if is_trivial(&self.body.exprs, target) => value,
            _ => root,
        };
        let arguments = self.arguments(call);
        let ExprKind::Call(function, mut args) = self.body.exprs[call].kind.clone() else { return out.push(stmt) };
        let span = stmt.span;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (position, place) in arguments {
            let Some(param) = self.program.functions[function].params.get(position) else { continue };
            let (mode, name) = (param.mode, self.program.functions[function].code.locals[param.local].name);
            let ty = self.body.exprs[place].ty;
            let copy = self.body.add_local(name, ty, span);
            let read = (mode != ParamMode::Out).then(|| self.body.exprs.duplicate(place));
            before.push(Stmt::new(StmtKind::Local(copy, read), span));
            let mut b = Build::new(&mut self.program.types, &mut self.body.exprs, span);
            let (passed, value) = (b.local(copy, ty), b.local(copy, ty));
            after.push(b.set(place, value));
            if let Some(argument) = args.get_mut(position) {
                match self.body.exprs[*argument].kind {
                    ExprKind::Convert(inner, written) if inner == place => {
                        self.body.exprs[*argument].kind = ExprKind::Convert(passed, written);
                    }
                    _ => *argument = passed,
                }
            }
        }
        self.body.exprs[call].kind = ExprKind::Call(function, args);
        stmt.give_comments(before.first_mut(), true);
        out.append(&mut before);
        out.push(stmt);
        out.append(&mut after);
    }
}
