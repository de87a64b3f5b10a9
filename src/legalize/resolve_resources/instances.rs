//! Functions made for the resources that they are called with, and the resources that they give.
//!
//! The indices of elements are arguments; those of what a function gives through its result or its parameters are `out`
//! parameters.

use super::flow::{Alias, Aliases, Flow, covering, extend};
use super::rebinding;
use super::{Bound, Constants, Facts, Resolver, Site, Work, prepare::index_name};
use crate::check::body_text;
use crate::check::constant::Value;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Block, Body, Build, Expr, ExprArena, ExprId, ExprKind, Function, FunctionBody, FunctionId, GlobalId, Item, Literal,
    Local, LocalId, Param, ParamMode, Program, Step, Stmt, StmtKind, TypeId,
};

/// One step of an access path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Selection {
    Field(u32),
    Contents,
    /// A constant index.
    At(i64),
    /// An index that is passed as an argument, and what it is marked with.
    Hole(Option<FunctionId>),
}

/// What a resource argument is, apart from the values of its indices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct ResourceShape {
    base: Base,
    steps: Vec<Selection>,
}

/// Where an access path begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Base {
    Global(GlobalId),
    /// What a function of the library finds at an address, which is the first index of the path.
    Found(FunctionId),
}

/// A parameter by index, with what stands at each path of fields in it.
type ResourceParam = (usize, Vec<(Vec<Step>, ResourceShape)>);

/// The resources of a call: for each parameter that goes away or is aliased, the parts and their shapes.
pub(super) type Key = (FunctionId, Vec<ResourceParam>, Vec<(usize, i64)>);

/// A function made for a set of resources.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    id: FunctionId,
    /// For each index, the type of its parameter; none if the function does not ask for it.
    holes: Vec<Option<TypeId>>,
    /// Its result is the only index of the only resource that it gives.
    returns_index: bool,
    /// What is reported where its ways out, or those of functions that it calls, give different resources.
    errors: Vec<Diagnostic>,
    outputs: Vec<Output>,
}

/// What a function made for some resources is.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct InstanceText {
    original: FunctionId,
    params: Vec<LocalId>,
    holes: Vec<Option<TypeId>>,
    result: TypeId,
    body: String,
}

/// A resource that a function gives.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// The parameter; none for the result.
    param: Option<usize>,
    path: Vec<Step>,
    shape: ResourceShape,
    /// Another one that it may be as well; then nothing tells of the indices.
    other: Option<ResourceShape>,
    /// Types of the `out` parameters for its indices.
    holes: Vec<TypeId>,
}

impl Resolver<'_, '_> {
    /// Gives each call in an expression the instance of its callee for the resources that it passes.
    pub(super) fn calls(&mut self, work: &mut Work, root: ExprId, site: &mut Site) {
        for id in work.body.exprs.post_order(root) {
            let ExprKind::Call(callee, args) = work.body.exprs[id].kind.clone() else { continue };
            if !matches!(self.cx.program.functions[callee].body, FunctionBody::Block) {
                continue;
            }
            let mut key = Vec::new();
            let mut holes = Vec::new();
            for (at, &arg) in args.iter().enumerate() {
                if self.must_resolve(work, callee, at, arg) {
                    key.push((at, self.shapes(work, (callee, at), arg, &mut holes, site)));
                }
            }
            let giving = self.facts.is_giving(callee);
            if key.is_empty() && !giving && !self.facts.is_choosing(callee) {
                self.function(callee, callee, Bound::default(), work.depth + 1);
                continue;
            }
            if self.facts.is_stating(callee) && !site.whole {
                self.cx.unsupported(work.body.exprs[id].span, "a function that gives resources here");
                continue;
            }
            let instance = self.instance((callee, key), work, &args, &holes);
            self.pass(work, id, callee, &instance, args, &holes, site);
        }
    }

    /// The shapes of the resources in an argument; their indices are added to `holes`.
    fn shapes(
        &mut self,
        work: &mut Work,
        (callee, at): (FunctionId, usize),
        arg: ExprId,
        holes: &mut Vec<ExprId>,
        site: &mut Site,
    ) -> Vec<(Vec<Step>, ResourceShape)> {
        if self.cx.program.functions[callee].params.get(at).is_some_and(|p| p.mode == ParamMode::Out) {
            return Vec::new();
        }
        let Some(parts) = self.parts(work, arg, site) else {
            self.untraceable(work.body.exprs[arg].span);
            return Vec::new();
        };
        let mut shapes = Vec::new();
        for (path, e) in parts {
            match shape(&self.facts, work.body, e) {
                (Some(shape), indices) => {
                    shapes.push((path, shape));
                    holes.extend(indices);
                }
                (None, _) => self.untraceable(work.body.exprs[e].span),
            }
        }
        shapes
    }

    /// The function for a set of resources. Where its ways out give different ones, it is made for the constants among the
    /// arguments too.
    fn instance(
        &mut self,
        (original, resources): (FunctionId, Vec<ResourceParam>),
        work: &Work,
        args: &[ExprId],
        holes: &[ExprId],
    ) -> Instance {
        let errors = self.cx.diags.list().len();
        let key = (original, resources, Vec::new());
        let made = self.instance_of(key.clone(), Constants::default(), work, holes);
        if made.errors.is_empty() {
            return made;
        }
        // What it was made for has no user.
        let known = self.cx.diags.take();
        known.into_iter().take(errors).for_each(|d| self.cx.diags.push(d));
        let constants = self.constant_args(work, original, args);
        if constants.is_empty() {
            return self.doubtful(original, made);
        }
        let numbers = constants.iter().map(|(at, _, v)| (*at, number(v).unwrap_or(0))).collect();
        let values = constants.into_iter().map(|(_, local, v)| (local, v)).collect();
        self.chooses = true;
        let errors = self.cx.diags.list().len();
        let made = self.instance_of((key.0, key.1, numbers), values, work, holes);
        if made.errors.is_empty() {
            return made;
        }
        let known = self.cx.diags.take();
        known.into_iter().take(errors).for_each(|d| self.cx.diags.push(d));
        self.doubtful(original, made)
    }

    /// A function that gives different resources through its parameters alone is reported where one of these is used. What else it
    /// was reported for is reported.
    fn doubtful(&mut self, original: FunctionId, made: Instance) -> Instance {
        if made.errors.len() > made.outputs.iter().filter(|o| o.other.is_some()).count() {
            self.disagreed = true;
            made.errors.iter().for_each(|d| self.cx.diags.push(d.clone()));
        } else if self.doubted.insert(made.id) {
            *self.instances.entry(original).or_insert(0) += 1;
        }
        made
    }

    /// The arguments of a call that are constants: the parameter, its local, the value.
    fn constant_args(&self, work: &Work, callee: FunctionId, args: &[ExprId]) -> Vec<(usize, LocalId, Value)> {
        let callee = &self.cx.program.functions[callee];
        let assigned = self.cx.program.written_locals(&callee.code);
        let params = callee.params.iter().zip(args).enumerate();
        let fixed = params.filter(|(_, (p, _))| p.mode == ParamMode::In && !assigned.contains(&p.local));
        let known = fixed.filter_map(|(at, (p, arg))| Some((at, p.local, work.constant(self.cx.program, *arg)?)));
        known.filter(|(_, _, value)| number(value).is_some()).collect()
    }

    /// `holes` are the index arguments of this call, whose types are the new parameters'.
    fn instance_of(&mut self, key: Key, constants: Constants, work: &Work, holes: &[ExprId]) -> Instance {
        if let Some(made) = self.made.get(&key) {
            return made.clone();
        }
        let (original, resources, _) = key.clone();
        let mut function = self.cx.program.functions[original].clone();
        let types: Vec<TypeId> = holes.iter().map(|h| work.body.exprs[*h].ty).collect();
        let (aliases, indices) = self.bind(&mut function, &resources, &types);
        let count = self.instances.entry(original).or_insert(0);
        *count += 1;
        let is_further = *count > 1;
        if let Some(name) = self.name_behind_object(&function, &resources) {
            function.name = name;
        } else if is_further {
            function.name = self.instance_name(function.name, &resources);
        }
        if is_further {
            function.comments.clear();
            function.made = true;
        }
        let id = self.cx.program.functions.push(function);
        let listed = Item::Function(original);
        self.cx.program.items.put_before(Some(listed), Item::Function(id));
        let (before, errors) = (std::mem::take(&mut self.disagreed), self.cx.diags.list().len());
        let outputs = self.function(id, original, Bound { aliases, constants }, work.depth + 1);
        let mut errors = self.cx.diags.list().get(errors..).unwrap_or_default().to_vec();
        if std::mem::replace(&mut self.disagreed, before) {
            self.instances.entry(original).and_modify(|n| *n -= 1);
        } else {
            errors.clear();
        }
        let result = self.cx.program.functions[id].result;
        let held = self.cx.program.holds_resource(self.cx.program.functions[original].result);
        let returns_index = held && !self.cx.program.holds_resource(result);
        if held && !self.cx.program.holds_data(result) {
            self.cx.program.functions[id].result = TypeId::VOID;
        }
        let holes =
            self.drop_unused(id, &indices).into_iter().zip(types).map(|(kept, ty)| kept.then_some(ty)).collect();
        let mut instance = Instance { id, holes, returns_index, errors, outputs };
        if instance.errors.is_empty() {
            self.join_equal(original, &mut instance);
        }
        self.made.insert(key, instance.clone());
        instance
    }

    /// An instance for resources that the function does not name is the first one that is the same.
    fn join_equal(&mut self, original: FunctionId, made: &mut Instance) {
        let function = &self.cx.program.functions[made.id];
        let params = function.params.iter().map(|p| p.local).collect();
        let text = InstanceText {
            original,
            params,
            holes: made.holes.clone(),
            result: function.result,
            body: body_text(&function.code),
        };
        let first = *self.texts.entry(text).or_insert(made.id);
        if first != made.id {
            made.id = first;
            self.instances.entry(original).and_modify(|n| *n -= 1);
        }
    }

    /// Takes away index parameters that nothing asks for; answers for each whether it is kept.
    fn drop_unused(&mut self, id: FunctionId, indices: &[LocalId]) -> Vec<bool> {
        let function = &mut self.cx.program.functions[id];
        let uses = function.code.local_uses();
        function.params.retain(|p| !indices.contains(&p.local) || uses.contains_key(&p.local));
        indices.iter().map(|l| uses.contains_key(l)).collect()
    }

    /// A method of the library that is called on a parameter of the shader: `bytes.Load4(i)` becomes `bytes_Load4(i)`.
    fn name_behind_object(&self, function: &Function, resources: &[ResourceParam]) -> Option<Symbol> {
        let (_, shapes) = resources.first().filter(|_| function.builtin && function.owner.is_some())?;
        let (_, shape) = shapes.first()?;
        let Base::Global(object) = shape.base else { return None };
        let method = function.name.as_str().trim_start_matches('_');
        Some(Symbol::new(&format!("{}_{method}", self.cx.program.globals[object].name)))
    }

    fn instance_name(&self, name: Symbol, resources: &[ResourceParam]) -> Symbol {
        let mut text = name.to_string();
        let mut last = None;
        for (_, shape) in resources.iter().flat_map(|(_, shapes)| shapes) {
            if last != Some(shape.base) {
                text = match shape.base {
                    Base::Global(global) => format!("{text}_{}", self.cx.program.globals[global].name),
                    Base::Found(_) => format!("{text}_address"),
                };
                last = Some(shape.base);
            }
        }
        Symbol::new(&text)
    }

    /// Takes the resource parameters out of a function, adds index parameters, and answers what the parameters stood for.
    fn bind(
        &mut self,
        function: &mut Function,
        resources: &[ResourceParam],
        hole_types: &[TypeId],
    ) -> (Aliases, Vec<LocalId>) {
        let mut aliases = Aliases::default();
        let mut holes = hole_types.iter();
        let mut indices = Vec::new();
        for (at, shapes) in resources {
            let Some(local) = function.params.get(*at).map(|p| p.local) else { continue };
            let list = aliases.entry(local).or_default();
            let Local { name, span, .. } = function.code.locals[local];
            for (path, shape) in shapes {
                let code = &mut function.code;
                let mut values = Vec::new();
                for _ in shape.steps.iter().filter(|s| matches!(s, Selection::Hole(_))) {
                    let ty = holes.next().copied().unwrap_or(TypeId::INT);
                    let index = code.add_local(index_name(Some(name)), ty, span);
                    code.locals[index].constant = true;
                    indices.push(index);
                    values.push(code.exprs.push(Expr { kind: ExprKind::Local(index), ty, span }));
                }
                let expr = path_of(self.cx.program, &mut code.exprs, shape, &values, span);
                list.push(Alias { path: path.clone(), expr, other: None, open: false, version: 0 });
            }
            list.sort_by_key(|a| a.path.len());
        }
        let mut at = 0;
        let program = &*self.cx.program;
        let code = &function.code;
        function.params.retain(|p| {
            let goes = resources.iter().any(|(i, _)| *i == at) && !program.holds_data(code.locals[p.local].ty);
            at += 1;
            !goes
        });
        function.params.extend(indices.iter().map(|l| Param::new(*l)));
        (aliases, indices)
    }

    /// Rewrites the call itself.
    fn pass(
        &mut self,
        work: &mut Work,
        id: ExprId,
        original: FunctionId,
        instance: &Instance,
        args: Vec<ExprId>,
        holes: &[ExprId],
        site: &mut Site,
    ) {
        let mut kept = Vec::new();
        for (at, &arg) in args.iter().enumerate() {
            let param = self.cx.program.functions[original].params.get(at).map(|p| p.local);
            let ty = param.and_then(|l| self.cx.program.functions[original].code.get_local(l)).map(|l| l.ty);
            let data = ty.is_some_and(|ty| self.cx.program.holds_data(ty));
            if data || !self.must_resolve(work, original, at, arg) {
                kept.push(arg);
            }
        }
        // The call that the instance was made for may have had indices of other types.
        for (hole, ty) in holes.iter().zip(&instance.holes) {
            let Some(ty) = *ty else { continue };
            let index = work.body.exprs.duplicate(*hole);
            let span = work.body.exprs[index].span;
            kept.push(Build::new(&mut self.cx.program.types, &mut work.body.exprs, span).convert(index, ty));
        }
        let span = work.body.exprs[id].span;
        let mut results = Vec::new();
        for output in &instance.outputs {
            let Some(param) = output.param else {
                let (variables, e) = self.output_variables(work, output, span, site);
                if let (true, [variable]) = (instance.returns_index, variables.as_slice()) {
                    self.returned_variable(work, id, *variable, site);
                } else {
                    kept.extend(variables);
                }
                results.push((output.path.clone(), e));
                continue;
            };
            let place = args.get(param).and_then(|arg| work.place(self.cx.program, *arg).whole());
            let Some((local, path)) = place else {
                self.cx.unsupported(span, "a resource given to an element that is not known here");
                continue;
            };
            let (variables, e) = self.output_variables(work, output, span, site);
            kept.extend(variables);
            let path = [path, output.path.clone()].concat();
            work.unbind(local, &path);
            let mut after = std::mem::take(&mut site.after);
            self.bind_part(work, (local, path.clone()), e, &mut after);
            site.after = after;
            if let Some(other) = &output.other {
                let other = path_of(self.cx.program, &mut work.body.exprs, other, &[], span);
                let bound = work.flow.aliases.entry(local).or_default().iter_mut().find(|a| a.path == path);
                bound.into_iter().for_each(|alias| alias.other = Some(other));
            }
        }
        work.results.insert(id, results);
        work.body.exprs[id].ty = self.cx.program.functions[instance.id].result;
        work.body.exprs[id].kind = ExprKind::Call(instance.id, kept);
    }

    /// The variable is declared where the call is.
    fn returned_variable(&mut self, work: &mut Work, call: ExprId, variable: ExprId, site: &mut Site) {
        let ExprKind::Local(local) = work.body.exprs[variable].kind else { return };
        site.before.retain(|s| !matches!(s.kind, StmtKind::Local(l, _) if l == local));
        work.body.locals[local].constant = true;
        work.returned.insert(call, local);
    }

    /// Variables that take the indices of what a call gives, and the path with them.
    fn output_variables(
        &mut self,
        work: &mut Work,
        output: &Output,
        span: Span,
        site: &mut Site,
    ) -> (Vec<ExprId>, ExprId) {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for &ty in &output.holes {
            let local = work.body.add_local(index_name(None), ty, span);
            site.before.push(Stmt::new(StmtKind::Local(local, None), span));
            names.push(work.body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span }));
            values.push(work.body.exprs.push(Expr { kind: ExprKind::Local(local), ty, span }));
        }
        let e = path_of(self.cx.program, &mut work.body.exprs, &output.shape, &values, span);
        (names, e)
    }

    /// What a function gives, where all its ways out agree.
    pub(super) fn outputs(
        &mut self,
        work: &mut Work,
        (id, original): (FunctionId, FunctionId),
        block: &mut Block,
    ) -> Vec<Output> {
        let exits = std::mem::take(&mut work.exits);
        let mut end = self.merge_all(work, Flow::default(), exits);
        let params = self.given_params(original).into_iter().map(|(at, local)| (Some(at), local));
        let targets: Vec<(Option<usize>, LocalId)> = params.chain(work.result.map(|l| (None, l))).collect();
        let mut outputs = Vec::new();
        for (param, local) in targets {
            let list = end.aliases.remove(&local).unwrap_or_default();
            for (at, known) in list.iter().enumerate() {
                let span = work.body.locals[local].span;
                let changed = work.bound.iter().any(|(l, path)| *l == local && known.path.starts_with(path));
                if !changed || self.is_implied(work, list.get(..at).unwrap_or_default(), known) {
                    continue;
                }
                self.chooses |= known.open;
                if let Some(other) = known.other {
                    let pair = (known.expr, other);
                    self.different(work, span, pair, "a function that gives different resources");
                    let shapes = [known.expr, other].map(|e| shape(&self.facts, work.body, e).0);
                    if let ([Some(shape), other @ Some(_)], Some(_)) = (shapes, param) {
                        outputs.push(Output { param, path: known.path.clone(), shape, other, holes: Vec::new() });
                    }
                    continue;
                }
                let (Some(shape), indices) = shape(&self.facts, work.body, known.expr) else {
                    self.untraceable(span);
                    continue;
                };
                if param.is_none() && list.len() == 1 && self.return_index(work, id, &indices, block) {
                    let holes = vec![self.cx.program.functions[id].result];
                    outputs.push(Output { param, path: known.path.clone(), shape, other: None, holes });
                    continue;
                }
                let name = param.map(|_| work.body.locals[local].name);
                match self.give_indices(work, id, &indices, name) {
                    Some(holes) => outputs.push(Output { param, path: known.path.clone(), shape, other: None, holes }),
                    None => self.untraceable(span),
                }
            }
        }
        outputs
    }

    /// Whether a part is what the parts around it say anyway.
    fn is_implied(&self, work: &mut Work, around: &[Alias], known: &Alias) -> bool {
        let Some(cover) = covering(around, &known.path) else { return false };
        let rest = known.path.get(cover.path.len()..).unwrap_or_default();
        extend(self.cx.program, &mut work.body.exprs, cover.expr, rest).is_some_and(|e| {
            rebinding::is_same(&work.body.exprs, e, known.expr, &mut |a, b| {
                rebinding::same_value(&work.body.exprs, a, b)
            })
        })
    }

    /// Makes the only index of the only resource that a function gives its result, if that has no data.
    fn return_index(&mut self, work: &mut Work, id: FunctionId, indices: &[ExprId], block: &mut Block) -> bool {
        let &[index] = indices else { return false };
        let Expr { ref kind, ty, span } = work.body.exprs[index];
        let ExprKind::Local(variable) = *kind else { return false };
        if self.cx.program.holds_data(self.cx.program.functions[id].result) {
            return false;
        }
        self.cx.program.functions[id].result = ty;
        let exprs = &mut work.body.exprs;
        block.visit_mut(&mut |stmt| {
            if let StmtKind::Return(value) = &mut stmt.kind {
                *value = Some(exprs.push(Expr { kind: ExprKind::Local(variable), ty, span }));
            }
        });
        return_assigned(exprs, block, variable);
        true
    }

    /// Makes the variables of indices `out` parameters.
    fn give_indices(
        &mut self,
        work: &mut Work,
        id: FunctionId,
        indices: &[ExprId],
        name: Option<Symbol>,
    ) -> Option<Vec<TypeId>> {
        let mut types = Vec::new();
        for &index in indices {
            let ExprKind::Local(variable) = work.body.exprs[index].kind else { return None };
            let is_declaration = |s: &Stmt| matches!(s.kind, StmtKind::Local(l, _) if l == variable);
            let at = work.variables.iter().position(is_declaration)?;
            work.variables.remove(at);
            work.body.locals[variable].name = index_name(name);
            types.push(work.body.locals[variable].ty);
            let param = Param { mode: ParamMode::Out, ..Param::new(variable) };
            self.cx.program.functions[id].params.push(param);
        }
        Some(types)
    }
}

/// A number that stands for a constant.
fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Int(i, _) => Some(*i),
        _ => None,
    }
}

/// `x = value; return x;` becomes `return value;`.
fn return_assigned(exprs: &ExprArena, block: &mut Block, variable: LocalId) {
    block.rewrite(&mut |mut stmt, out| {
        if let StmtKind::Return(value) = &mut stmt.kind
            && let Some(last) = out.last()
            && let Some((assigned, e)) = rebinding::assigned_variable(exprs, last)
            && assigned == variable
        {
            *value = Some(e);
            out.pop();
        }
        out.push(stmt);
    });
}

/// The access path of a shape with these indices.
fn path_of(program: &Program, exprs: &mut ExprArena, shape: &ResourceShape, holes: &[ExprId], span: Span) -> ExprId {
    let mut holes = holes.iter();
    let mut steps = shape.steps.iter();
    let (kind, mut ty) = match shape.base {
        Base::Global(global) => (ExprKind::Global(global), program.globals[global].ty),
        Base::Found(function) => {
            steps.next();
            let address = holes.next().copied().into_iter().collect();
            (ExprKind::Call(function, address), program.functions[function].result)
        }
    };
    let mut id = exprs.push(Expr { kind, ty, span });
    for step in steps {
        let at = |exprs: &mut ExprArena, value: i64| {
            let kind = ExprKind::Literal(Literal::Int(value), None);
            exprs.push(Expr { kind, ty: TypeId::INT, span })
        };
        let (kind, next) = match *step {
            Selection::Field(index) => (ExprKind::Field(id, index), program.field_type(ty, index)),
            Selection::Contents => (ExprKind::Contents(id), program.types.get(ty).element()),
            Selection::At(value) => (ExprKind::Index(id, at(exprs, value)), program.types.get(ty).element()),
            Selection::Hole(marker) => {
                let mut index = holes.next().copied().unwrap_or_else(|| at(exprs, 0));
                if let Some(marker) = marker {
                    let ty = exprs[index].ty;
                    index = exprs.push(Expr { kind: ExprKind::Call(marker, vec![index]), ty, span });
                }
                (ExprKind::Index(id, index), program.types.get(ty).element())
            }
        };
        ty = next.unwrap_or(TypeId::ERROR);
        id = exprs.push(Expr { kind, ty, span });
    }
    id
}

/// The shape of a path and its index arguments, outermost first.
fn shape(facts: &Facts, body: &Body, id: ExprId) -> (Option<ResourceShape>, Vec<ExprId>) {
    let exprs = &body.exprs;
    let (mut steps, mut holes) = (Vec::new(), Vec::new());
    let mut id = id;
    let base = loop {
        id = match &exprs[id].kind {
            ExprKind::Field(a, index) => {
                steps.push(Selection::Field(*index));
                *a
            }
            ExprKind::Contents(a) => {
                steps.push(Selection::Contents);
                *a
            }
            ExprKind::Index(a, index) => {
                match exprs.integer(*index) {
                    Some(value) => steps.push(Selection::At(value)),
                    None => {
                        steps.push(Selection::Hole(facts.marker(exprs, *index)));
                        holes.push(facts.unmarked(exprs, *index));
                    }
                }
                *a
            }
            ExprKind::Global(global) => break Base::Global(*global),
            ExprKind::Call(function, args) => {
                steps.push(Selection::Hole(None));
                holes.extend(args);
                break Base::Found(*function);
            }
            _ => return (None, Vec::new()),
        };
    };
    steps.reverse();
    holes.reverse();
    (Some(ResourceShape { base, steps }), holes)
}
