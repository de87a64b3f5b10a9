//! What is known of functions before the first is resolved, and how statements are made ready.
//!
//! Calls that give resources stand as statements of their own afterwards, since what follows depends on what they gave, and
//! indices of resources do nothing but give a number.

use super::Resolver;
use crate::legalize::hoist::{self, Mark, Marks};
use crate::symbol::Symbol;
use crate::tree::{
    Body, ExprArena, ExprId, ExprKind, Function, FunctionBody, FunctionId, Global, GlobalKind, LocalId, ParamMode,
    Program, StmtKind, Type, TypeId, analyses::is_trivial,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts about the functions as they were.
#[derive(Default)]
pub(super) struct Facts {
    /// Parameters that callers find given another resource.
    gives: FxHashSet<(FunctionId, usize)>,
    /// Parameters that must be known, though the target could take them.
    forced: FxHashSet<(FunctionId, usize)>,
    /// Functions that give resources in any way.
    giving: FxHashSet<FunctionId>,
    /// Those of them whose calls are statements: what they give may have indices, or is seen through their parameters.
    stating: FxHashSet<FunctionId>,
    /// Functions that choose between resources in any way, or call others that do.
    choosing: FxHashSet<FunctionId>,
    /// Builtin functions that mark an index as one that differs between invocations.
    markers: FxHashSet<FunctionId>,
    /// Functions that use one, or call functions that do, and one of those that they use.
    marking: FxHashMap<FunctionId, FunctionId>,
}

impl Facts {
    pub(super) fn of(program: &Program) -> Facts {
        let mut markers = program.marked("__index_marker");
        markers.retain(|f| program.functions[*f].builtin);
        let mut facts = Facts { markers, ..Facts::default() };
        let has_elements = has_elements(program);
        // Callees come first.
        for id in program.reachable_functions() {
            let function = &program.functions[id];
            if let Some(marker) = facts.marker_in(program, id) {
                facts.marking.insert(id, marker);
            }
            if !matches!(function.body, FunctionBody::Block) {
                continue;
            }
            if facts.chooses(program, &function.code) {
                facts.choosing.insert(id);
            }
            if !touches_resources(program, function) {
                continue;
            }
            facts.find_gives(program, id);
            let given = (0..function.params.len()).any(|at| facts.gives.contains(&(id, at)));
            if given || program.holds_resource(function.result) {
                facts.giving.insert(id);
                if given || has_elements || !gives_whole(program, function.result) {
                    facts.stating.insert(id);
                }
            }
            for (at, param) in function.params.iter().enumerate() {
                if facts.giving.contains(&id) || facts.escapes(program, function, param.local) {
                    facts.forced.insert((id, at));
                }
            }
        }
        facts
    }

    /// Resources that come in and go out of a function as they were come in alone.
    pub(super) fn settle_modes(&self, program: &mut Program) {
        for id in program.reachable_functions() {
            let Function { params, code, body, .. } = &mut program.functions[id];
            if !matches!(body, FunctionBody::Block) {
                continue;
            }
            let types = &program.types;
            let is_resource = |ty: TypeId| types.get(types.innermost(ty)).is_resource();
            for (at, param) in params.iter_mut().enumerate().filter(|(_, p)| p.mode == ParamMode::InOut) {
                if is_resource(code.locals[param.local].ty) && !self.gives(id, at) {
                    param.mode = ParamMode::In;
                }
            }
        }
    }

    pub(super) fn gives(&self, function: FunctionId, param: usize) -> bool {
        self.gives.contains(&(function, param))
    }

    pub(super) fn is_giving(&self, function: FunctionId) -> bool {
        self.giving.contains(&function)
    }

    /// Whether calls of a function have to be statements.
    pub(super) fn is_stating(&self, function: FunctionId) -> bool {
        self.stating.contains(&function)
    }

    pub(super) fn is_choosing(&self, function: FunctionId) -> bool {
        self.choosing.contains(&function)
    }

    pub(super) fn is_forced(&self, function: FunctionId, param: usize) -> bool {
        self.forced.contains(&(function, param))
    }

    /// The marker that an expression is a call of, if it is, or a conversion of one.
    pub(super) fn marker(&self, exprs: &ExprArena, e: ExprId) -> Option<FunctionId> {
        match &exprs[e].kind {
            ExprKind::Call(f, _) => self.markers.contains(f).then_some(*f),
            ExprKind::Convert(a, _) => self.marker(exprs, *a),
            _ => None,
        }
    }

    /// An index without its mark.
    pub(super) fn unmarked(&self, exprs: &ExprArena, e: ExprId) -> ExprId {
        match &exprs[e].kind {
            ExprKind::Call(f, args) if self.markers.contains(f) => args.first().copied().unwrap_or(e),
            ExprKind::Convert(a, _) if self.marker(exprs, *a).is_some() => self.unmarked(exprs, *a),
            _ => e,
        }
    }

    /// A marker that a function uses somewhere.
    pub(super) fn marking(&self, function: FunctionId) -> Option<FunctionId> {
        self.marking.get(&function).copied()
    }

    fn marker_in(&self, program: &Program, id: FunctionId) -> Option<FunctionId> {
        if self.markers.is_empty() {
            return None;
        }
        let code = &program.functions[id].code;
        code.expressions().into_iter().find_map(|e| match &code.exprs[e].kind {
            ExprKind::Call(f, _) if self.markers.contains(f) => Some(*f),
            ExprKind::Call(f, _) => self.marking(*f),
            _ => None,
        })
    }

    fn find_gives(&mut self, program: &Program, id: FunctionId) {
        let function = &program.functions[id];
        let written = self.written(program, &function.code);
        for (at, param) in function.params.iter().enumerate() {
            if param.mode != ParamMode::In && written.contains(&param.local) {
                self.gives.insert((id, at));
            }
        }
    }

    /// The locals that are given resources in a body.
    fn written(&self, program: &Program, code: &Body) -> FxHashSet<LocalId> {
        let mut written = FxHashSet::default();
        for id in code.expressions() {
            written.extend(self.given(program, &code.exprs, id));
        }
        written
    }

    /// Whether a body chooses between resources, or calls a function that does.
    fn chooses(&self, program: &Program, code: &Body) -> bool {
        let chooses = |id: ExprId| match &code.exprs[id].kind {
            ExprKind::Select(..) => program.holds_resource(code.exprs[id].ty),
            ExprKind::Call(f, _) => self.choosing.contains(f),
            _ => !self.given(program, &code.exprs, id).is_empty(),
        };
        code.expressions().into_iter().any(chooses)
    }

    /// The locals that an expression by itself gives resources to.
    pub(super) fn given(&self, program: &Program, exprs: &ExprArena, id: ExprId) -> Vec<LocalId> {
        let targets = match &exprs[id].kind {
            ExprKind::Assign(_, target, _) if program.holds_resource(exprs[*target].ty) => vec![*target],
            ExprKind::Call(f, args) => {
                args.iter().enumerate().filter(|(at, _)| self.gives(*f, *at)).map(|(_, a)| *a).collect()
            }
            _ => Vec::new(),
        };
        targets.into_iter().filter_map(|target| exprs.base_local(target)).collect()
    }

    /// Whether a parameter that is a resource becomes part of something else.
    fn escapes(&self, program: &Program, function: &Function, param: LocalId) -> bool {
        let code = &function.code;
        if !program.types.get(code.locals[param].ty).is_resource() {
            return false;
        }
        let mut names = FxHashSet::from_iter([param]);
        let named = |names: &FxHashSet<LocalId>, e: ExprId| matches!(code.exprs[e].kind, ExprKind::Local(l) if names.contains(&l));
        let mut escapes = false;
        code.block.visit(&mut |stmt| match stmt.kind {
            StmtKind::Local(local, Some(value)) if named(&names, value) => drop(names.insert(local)),
            StmtKind::Return(Some(value)) => escapes |= named(&names, value),
            _ => {}
        });
        escapes
            || code.expressions().into_iter().any(|id| match &code.exprs[id].kind {
                ExprKind::Construct(parts) => parts.iter().any(|p| named(&names, *p)),
                ExprKind::Select(_, a, b) => named(&names, *a) || named(&names, *b),
                ExprKind::Assign(_, target, value) => named(&names, *value) || named(&names, *target),
                ExprKind::Call(f, args) => {
                    args.iter().enumerate().any(|(at, a)| named(&names, *a) && self.is_forced(*f, at))
                }
                _ => false,
            })
    }
}

/// Whether a program has resources that are elements, so that an index may tell which one is given.
fn has_elements(program: &Program) -> bool {
    let is_array = |global: &Global| matches!(program.types.get(global.ty), Type::Array(..));
    program
        .globals
        .iter()
        .any(|(_, global)| global.kind == GlobalKind::Heap || is_array(global) && program.holds_resource(global.ty))
        || program.structs.iter().any(|(_, s)| {
            s.fields.iter().any(|f| matches!(program.types.get(f.ty), Type::Array(..)) && program.holds_resource(f.ty))
        })
}

/// Whether what a function gives is a value of the target, too, and no scene that may be found at an address, which is an index.
fn gives_whole(program: &Program, ty: TypeId) -> bool {
    program.holds_data(ty) && !program.any_leaf(ty, &mut |leaf| leaf == Type::AccelerationStructure)
}

/// Whether a function has anything to do with resources outside of globals.
fn touches_resources(program: &Program, function: &Function) -> bool {
    let holds = |ty: TypeId| program.holds_resource(ty);
    holds(function.result) || function.params.iter().any(|p| holds(function.code.locals[p.local].ty))
}

impl Resolver<'_, '_> {
    /// Makes statements of calls that give resources, and of assignments of resources.
    pub(super) fn prepare(&mut self, body: &mut Body) {
        let (mut marks, mut whole, mut statements) = (Marks::default(), FxHashSet::default(), FxHashSet::default());
        body.block.visit(&mut |stmt| {
            let root = match stmt.kind {
                StmtKind::Expr(e) => {
                    statements.insert(e);
                    whole.insert(e);
                    match body.exprs[e].kind {
                        ExprKind::Assign(None, target, value) if is_trivial(&body.exprs, target) => value,
                        _ => e,
                    }
                }
                StmtKind::Local(_, Some(e)) => e,
                _ => return,
            };
            whole.insert(root);
        });
        let selected = self.selected_calls(body);
        for id in body.expressions() {
            match &body.exprs[id].kind {
                ExprKind::Call(..) if whole.contains(&id) => {}
                ExprKind::Assign(..) if statements.contains(&id) => {}
                ExprKind::Call(f, _)
                    if self.facts.is_stating(*f) || self.facts.is_giving(*f) && selected.contains(&id) =>
                {
                    let mark = match body.exprs[id].ty {
                        TypeId::VOID => Mark::Effect,
                        _ => Mark::Value(hoist::temporary_name(self.cx.program, body, id)),
                    };
                    marks.insert(id, mark);
                }
                ExprKind::Assign(_, target, _) if self.cx.program.holds_resource(body.exprs[*target].ty) => {
                    marks.insert(id, Mark::Effect);
                }
                // What is chosen is a variable, of which the part is taken.
                ExprKind::Field(base, _) | ExprKind::Index(base, _)
                    if matches!(body.exprs[*base].kind, ExprKind::Select(..))
                        && self.cx.program.holds_resource(body.exprs[*base].ty)
                        && !self.cx.program.types.get(body.exprs[*base].ty).is_resource() =>
                {
                    marks.insert(*base, Mark::Value(Symbol::new("chosen")));
                }
                // Data and resources of an element go apart, and an index that nobody asks for is not passed.
                ExprKind::Index(_, index)
                    if self.cx.program.holds_resource(body.exprs[id].ty) && self.effects.expr(&body.exprs, *index) =>
                {
                    marks.insert(*index, Mark::Value(index_name(None)));
                }
                _ => {}
            }
        }
        hoist::hoist(self.cx.program, &self.effects, body, marks);
    }

    /// The calls of which a part is taken that is or holds a resource.
    fn selected_calls(&self, body: &Body) -> FxHashSet<ExprId> {
        let holds = |id: &ExprId| self.cx.program.holds_resource(body.exprs[*id].ty);
        let base_of = |id: ExprId| match body.exprs[id].kind {
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => Some(base),
            _ => None,
        };
        body.expressions().into_iter().filter(holds).filter_map(base_of).collect()
    }

    /// The parameters through which a function gives resources.
    pub(super) fn given_params(&self, original: FunctionId) -> Vec<(usize, LocalId)> {
        let params = self.cx.program.functions[original].params.iter().enumerate();
        params.filter(|(at, _)| self.facts.gives(original, *at)).map(|(at, p)| (at, p.local)).collect()
    }
}

/// A name for the index of what a parameter or the result stands for.
pub(super) fn index_name(of: Option<Symbol>) -> Symbol {
    of.map_or(Symbol::new("index"), |name| Symbol::new(&format!("{name}_index")))
}
