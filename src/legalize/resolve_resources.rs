//! Every resource is named by an access path from a global: locals that hold resources disappear, and functions that take
//! or give them are made for the resources that they are called with.
//!
//! Before: `float4 shade(Material m, int i) { Texture2D t = m.tex; return t.Load(i) * m.tint; }   shade(gMaterials[k], 0)`
//! After:  `float4 shade(Material m, int i, int m_index) { return gMaterials[m_index].tex.Load(i) * m.tint; }   shade(gMaterials[k], 0, k)`
//!
//! A function keeps its name for the first set of resources; further ones are named after the resources, and a method of the
//! library after its object. Textures to read and samplers may stay parameters, as may other resources where the target takes
//! them.
//!
//! What a local stands for is followed through the statements ([`flow`]). Where ways meet that gave it elements of the same
//! array, its index is in a variable ([`rebinding`]), and so are the indices of what a function gives ([`instances`]):
//!
//! A target that traces resources itself keeps what holds them, where each is one resource of the module ([`traced`]).
//!
//! Before: `void pick(out Material m, int i) { m = gMaterials[i]; }                                 pick(m, 3);`
//! After:  `void pick(out Material m, int i, out int m_index) { m_index = i; m = gMaterials[i]; }   pick(m, 3, index);`

mod flow;
mod instances;
mod places;
mod prepare;
mod rebinding;
mod traced;

use super::heap_variables::is_element as is_heap_element;
use super::needs::Find;
use super::{Context, Pass, missing_returns, reports_heaps};
use crate::check::constant::Value;
use crate::source::Span;
use crate::target::Capability;
use crate::tree::{
    Access, Block, Body, Effects, Expr, ExprArena, ExprId, ExprKind, FunctionBody, FunctionId, Item, Local, LocalId,
    ParamMode, Program, Step, Stmt, StmtKind, Type, TypeId,
};
use flow::{Aliases, Flow, Jumps, Read};
use instances::{Instance, InstanceText, Key, Output};
use places::ResourcePart;
use prepare::Facts;
use rebinding::IndexSlot;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

pub(super) const PASS: Pass = Pass {
    name: "resolve_resources",
    removes: &[
        (
            Capability::BufferParameters,
            Find::Param(|p, _, ty| parameter_need(p, ty) == Some(Capability::BufferParameters)),
        ),
        (
            Capability::SamplerParameters,
            Find::Param(|p, _, ty| parameter_need(p, ty) == Some(Capability::SamplerParameters)),
        ),
        (Capability::TracedResources, Find::Function(traced::holds)),
    ],
    // A pair that is passed is resolved, so that its parts can be named.
    lessens: &[Capability::ResourceValues, Capability::CombinedSamplers],
    adds: &[Capability::BareHeapElements, Capability::OutParameters],
    after: &["entry_uniforms", "inline_builtins"],
    run,
    ..Pass::ROW
};

/// What a target needs whose functions take a resource of a type.
pub(super) fn parameter_need(program: &Program, ty: TypeId) -> Option<Capability> {
    match program.types.get(ty) {
        // Textures to read and samplers are taken by functions of every language but OpenGL's.
        Type::Texture(t) if t.access == Access::Read => (!t.combined).then_some(Capability::SamplerParameters),
        Type::Sampler(_) => Some(Capability::SamplerParameters),
        Type::Texture(_) | Type::Buffer(..) | Type::AccelerationStructure => Some(Capability::BufferParameters),
        _ => None,
    }
}

fn run(cx: &mut Context) {
    if reports_heaps(cx) || cx.program.traces_resources {
        return;
    }
    let (before, errors) = (traced::may_stay(cx).then(|| cx.program.clone()), cx.diags.list().len());
    let resolved = resolve(cx);
    // What compilers trace may be used where it has no resource: they leave it undefined.
    if let Some(before) = before.filter(|_| !resolved.chooses && cx.diags.list().len() == errors + resolved.open_uses) {
        let known = cx.diags.take();
        known.into_iter().take(errors).for_each(|d| cx.diags.push(d));
        *cx.program = before;
        cx.program.traces_resources = true;
    }
}

/// What was found while all functions were resolved.
struct Resolved {
    /// Some resource is chosen while the shader runs.
    chooses: bool,
    /// How many uses of variables without a resource were reported.
    open_uses: usize,
}

/// Resolves all functions.
fn resolve(cx: &mut Context) -> Resolved {
    let facts = Rc::new(Facts::of(cx.program));
    facts.settle_modes(cx.program);
    let effects = cx.effects();
    let mut resolver = Resolver {
        cx,
        effects,
        facts,
        done: FxHashSet::default(),
        made: FxHashMap::default(),
        texts: FxHashMap::default(),
        instances: FxHashMap::default(),
        doubted: FxHashSet::default(),
        disagreed: false,
        chooses: false,
        open_uses: 0,
    };
    let entries: Vec<FunctionId> = resolver.cx.program.entry_points.iter().flat_map(|e| e.roots()).collect();
    for entry in entries {
        resolver.function(entry, entry, Bound::default(), 0);
    }
    let chooses = resolver.chooses || !resolver.doubted.is_empty();
    let resolved = Resolved { chooses, open_uses: resolver.open_uses };
    // What has been copied for its arguments is called no more.
    let called: FxHashSet<FunctionId> = cx.program.reachable_functions().into_iter().collect();
    cx.program.items.settle();
    cx.program.items.retain(|item| !matches!(item, Item::Function(f) if !called.contains(f)));
    resolved
}

struct Resolver<'a, 'c> {
    cx: &'a mut Context<'c>,
    /// Of the functions as they were.
    effects: Arc<Effects>,
    facts: Rc<Facts>,
    done: FxHashSet<FunctionId>,
    made: FxHashMap<Key, Instance>,
    /// The first instance that is so.
    texts: FxHashMap<InstanceText, FunctionId>,
    /// How many instances each function has.
    instances: FxHashMap<FunctionId, u32>,
    /// Instances that give different resources through parameters, which their callers may not use.
    doubted: FxHashSet<FunctionId>,
    /// The ways out of the function at hand, or of one that it calls, give different resources.
    disagreed: bool,
    /// A resource is one or another by what is computed while the shader runs, or is not known on all ways.
    chooses: bool,
    /// How many uses of variables without a resource were reported.
    open_uses: usize,
}

/// The function at hand.
struct Work<'a> {
    body: &'a mut Body,
    facts: Rc<Facts>,
    /// What indices in variables are marked with: some that they are given may differ between invocations.
    marker: Option<FunctionId>,
    /// What locals stand for now.
    flow: Flow,
    /// Locals that are assigned after their declaration.
    assigned: FxHashSet<LocalId>,
    /// Parameters that hold resources and stay as they are.
    staying: FxHashSet<LocalId>,
    /// Locals whose resources change in other blocks than that of their declaration, or that the caller sees.
    branched: FxHashSet<LocalId>,
    /// The indices of such locals.
    slots: Vec<IndexSlot>,
    /// Declarations of the variables that hold them.
    variables: Vec<Stmt>,
    /// Arrays of indices that can be used again in the block at hand.
    arrays: Vec<(Vec<ExprId>, LocalId)>,
    /// What has been given a resource.
    bound: Vec<(LocalId, Vec<Step>)>,
    reads: Vec<Read>,
    versions: u32,
    jumps: Vec<Jumps>,
    exits: Vec<Flow>,
    /// Stands for the result, where that holds resources.
    result: Option<LocalId>,
    /// The resources in what calls give.
    results: FxHashMap<ExprId, Vec<ResourcePart>>,
    /// The indices that calls return.
    returned: FxHashMap<ExprId, LocalId>,
    /// The parameters that are constants in this instance.
    constants: Constants,
    depth: u32,
}

/// What a function is made for.
#[derive(Default)]
struct Bound {
    aliases: Aliases,
    constants: Constants,
}

/// Parameters with the same value at all calls.
type Constants = FxHashMap<LocalId, Value>;

/// Where an expression stands.
struct Site {
    /// Statements to stand before it.
    before: Vec<Stmt>,
    /// Statements to stand behind it.
    after: Vec<Stmt>,
    /// It is a whole statement: something can stand behind it.
    whole: bool,
    /// It is evaluated again and again: what stands before it is not.
    repeated: bool,
}

impl Site {
    fn new(whole: bool, repeated: bool) -> Site {
        Site { before: Vec::new(), after: Vec::new(), whole, repeated }
    }
}

impl Resolver<'_, '_> {
    /// Resolves a function's body; answers the resources that it gives.
    fn function(&mut self, id: FunctionId, original: FunctionId, bound: Bound, depth: u32) -> Vec<Output> {
        // The call graph has no cycles; the limit guards the stack.
        if depth > 1000 || !self.done.insert(id) || !matches!(self.cx.program.functions[id].body, FunctionBody::Block) {
            return Vec::new();
        }
        let given = self.cx.program.holds_resource(self.cx.program.functions[id].result);
        let returns = !given && !missing_returns::is_missing(&self.cx.program.functions[id]);
        let mut body = std::mem::take(&mut self.cx.program.functions[id].code);
        self.prepare(&mut body);
        let mut work = self.work((id, original), &mut body, bound, depth);
        let mut block = std::mem::take(&mut work.body.block);
        self.find_branched(original, &mut work, &block);
        let mut first = self.parameters_to_variables(&mut work);
        self.block(&mut work, &mut block);
        if work.flow.reachable {
            let end = work.flow.clone();
            work.exits.push(end);
        }
        first.append(&mut block.stmts);
        block.stmts = first;
        work.constant_slots(&mut block);
        let outputs = self.outputs(&mut work, (id, original), &mut block);
        work.drop_unread_slots(&mut block);
        if work.result.is_some() {
            without_last_return(&mut block);
        }
        block.stmts.splice(0..0, std::mem::take(&mut work.variables));
        body.block = block;
        let function = &mut self.cx.program.functions[id];
        function.code = body;
        // Nothing is left behind a branch that is always taken, although it may only discard.
        if returns && missing_returns::is_missing(function) {
            missing_returns::supply(function);
        }
        outputs
    }

    fn work<'b>(
        &self,
        (id, original): (FunctionId, FunctionId),
        body: &'b mut Body,
        bound: Bound,
        depth: u32,
    ) -> Work<'b> {
        let Bound { aliases, constants } = bound;
        let function = &self.cx.program.functions[id];
        let stays =
            |l: &LocalId| !aliases.contains_key(l) && self.cx.program.types.get(body.locals[*l].ty).is_resource();
        let staying = function.params.iter().map(|p| p.local).filter(stays).collect();
        let result = self.cx.program.holds_resource(function.result);
        let result = result.then(|| body.add_local("result", function.result, function.span));
        let passed =
            aliases.values().flatten().find_map(|a| rebinding::marker_of_path(&self.facts, &body.exprs, a.expr));
        let marker = self.facts.marking(original).or(passed);
        Work {
            assigned: self.cx.program.written_locals(body),
            facts: self.facts.clone(),
            marker,
            body,
            flow: Flow { aliases, reachable: true },
            staying,
            branched: FxHashSet::default(),
            slots: Vec::new(),
            variables: Vec::new(),
            arrays: Vec::new(),
            bound: Vec::new(),
            reads: Vec::new(),
            versions: 0,
            jumps: Vec::new(),
            exits: Vec::new(),
            result,
            results: FxHashMap::default(),
            returned: FxHashMap::default(),
            constants,
            depth,
        }
    }

    fn block(&mut self, work: &mut Work, block: &mut Block) {
        let arrays = work.arrays.len();
        let mut out = Vec::new();
        self.statements(work, std::mem::take(&mut block.stmts), &mut out);
        block.stmts = out;
        work.arrays.truncate(arrays);
    }

    /// A statement without statements in it. One that only names a resource is dropped.
    fn simple(&mut self, work: &mut Work, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let mut site = Site::new(true, false);
        let binding = self.binding(work, &stmt);
        let root = match (&binding, &stmt.kind) {
            (Some((.., value)), _) => *value,
            (None, StmtKind::Expr(e)) => Some(*e),
            (None, StmtKind::Local(_, e) | StmtKind::Return(e)) => *e,
            _ => None,
        };
        // The type of a call changes when what it gives is given otherwise.
        let ty = binding.as_ref().map(|(local, _, v)| v.map_or(work.body.locals[*local].ty, |v| work.body.exprs[v].ty));
        if let Some(root) = root {
            self.expression(work, root, &mut site);
        }
        let mut keeps = true;
        // What a variable is that keeps its first value may decide between resources.
        if let StmtKind::Local(local, Some(value)) = stmt.kind
            && !work.assigned.contains(&local)
            && let Some(value) = work.constant(self.cx.program, value)
        {
            work.constants.insert(local, value);
        }
        if let Some(local) = self.heap_variable(work, &stmt) {
            work.staying.insert(local);
        } else if let Some((local, path, value)) = binding {
            match value {
                Some(value) => self.alias(work, (local, path), value, &mut site),
                None => drop(work.flow.aliases.remove(&local)),
            }
            if ty.is_some_and(|ty| !self.cx.program.holds_data(ty)) {
                keeps = self.without_value(work, &mut stmt, value);
            }
        }
        if let StmtKind::Expr(e) = stmt.kind {
            keeps &= !self.does_nothing(work, e);
        }
        self.after_jump(work, &stmt);
        out.append(&mut site.before);
        if keeps {
            out.push(stmt);
        }
        out.append(&mut site.after);
    }

    /// The variable that a statement declares for an element of a descriptor heap, where it stays one.
    fn heap_variable(&self, work: &Work, stmt: &Stmt) -> Option<LocalId> {
        let StmtKind::Local(local, Some(value)) = stmt.kind else { return None };
        // Where there are no heaps, this is told of the heap.
        let stays = self.cx.profile.has(Capability::DescriptorHeaps)
            && is_heap_element(self.cx.program, &work.body.exprs, value)
            && !work.assigned.contains(&local);
        (stays && !self.is_passed_block(work, local)).then_some(local)
    }

    /// Whether a variable is a buffer of constants that functions are given: they are resolved for each, and get the index.
    fn is_passed_block(&self, work: &Work, local: LocalId) -> bool {
        let (program, exprs) = (&*self.cx.program, &work.body.exprs);
        let is_block =
            matches!(program.types.get(work.body.locals[local].ty), Type::ConstantBuffer(..) | Type::TextureBuffer(_));
        let is_it = |arg: &ExprId| matches!(exprs[*arg].kind, ExprKind::Local(l) if l == local);
        is_block
            && exprs.iter().any(|(_, expr)| match &expr.kind {
                ExprKind::Call(f, args) => {
                    matches!(program.functions[*f].body, FunctionBody::Block) && args.iter().any(is_it)
                }
                _ => false,
            })
    }

    /// The place that a statement gives resources to, and the value.
    fn binding(&self, work: &Work, stmt: &Stmt) -> Option<(LocalId, Vec<Step>, Option<ExprId>)> {
        let program = &*self.cx.program;
        match stmt.kind {
            StmtKind::Local(local, value) => {
                program.holds_resource(work.body.locals[local].ty).then_some((local, Vec::new(), value))
            }
            StmtKind::Return(Some(value)) => Some((work.result?, Vec::new(), Some(value))),
            StmtKind::Expr(e) => match work.body.exprs[e].kind {
                ExprKind::Assign(None, target, value) if program.holds_resource(work.body.exprs[value].ty) => {
                    let (local, path) = work.place(program, target).whole()?;
                    Some((local, path, Some(value)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Leaves of a statement that handles nothing but resources what it does beside. Answers whether there is something.
    fn without_value(&self, work: &mut Work, stmt: &mut Stmt, value: Option<ExprId>) -> bool {
        if let StmtKind::Return(value) = &mut stmt.kind {
            *value = None;
            return true;
        }
        match value {
            Some(value) if work.results.contains_key(&value) => {
                stmt.kind = match work.returned.get(&value) {
                    Some(index) => StmtKind::Local(*index, Some(value)),
                    None => StmtKind::Expr(value),
                };
                true
            }
            _ => false,
        }
    }

    /// Whether a call is one of a function that has nothing to do any more.
    fn does_nothing(&self, work: &Work, e: ExprId) -> bool {
        let ExprKind::Call(id, args) = &work.body.exprs[e].kind else { return false };
        let callee = &self.cx.program.functions[*id];
        matches!(callee.body, FunctionBody::Block)
            && work.results.contains_key(&e)
            && callee.code.block.stmts.is_empty()
            && !args.iter().any(|a| self.effects.expr(&work.body.exprs, *a))
    }

    /// Resolves an expression and the calls in it.
    fn expression(&mut self, work: &mut Work, root: ExprId, site: &mut Site) {
        self.leave_out_open(work, root);
        self.resolve(work, root, site);
        self.calls(work, root, site);
    }

    /// Notes what the resources in `value` are, as parts of a place.
    fn alias(&mut self, work: &mut Work, (local, path): (LocalId, Vec<Step>), value: ExprId, site: &mut Site) {
        let span = work.body.exprs[value].span;
        let Some(parts) = self.parts(work, value, site) else {
            self.untraceable(span);
            return;
        };
        let called = matches!(work.body.exprs[value].kind, ExprKind::Call(..));
        let several = parts.len() > 1 && work.branched.contains(&local);
        let mut list = Vec::new();
        for (inner, part) in parts {
            let part = work.body.exprs.duplicate(part);
            // All are read before one is written.
            if several {
                work.freeze(part, &mut site.before);
            }
            list.push((path.iter().copied().chain(inner).collect::<Vec<Step>>(), part));
        }
        work.unbind(local, &path);
        let to = if called { &mut site.after } else { &mut site.before };
        for (path, part) in list {
            self.bind_part(work, (local, path), part, to);
        }
    }

    fn untraceable(&mut self, span: Span) {
        self.cx.unsupported(span, "this resource cannot be traced to one shader parameter");
    }

    /// The resources in a value: for each, the fields that lead to it and its access path. `None` if it is no path.
    fn parts(&mut self, work: &mut Work, value: ExprId, site: &mut Site) -> Option<Vec<ResourcePart>> {
        if let Some(given) = work.results.get(&value) {
            return Some(given.clone());
        }
        let Expr { ref kind, ty, .. } = work.body.exprs[value];
        if !self.cx.program.holds_resource(ty) {
            return Some(Vec::new());
        }
        match kind.clone() {
            ExprKind::Select(condition, a, b) => return self.selected_parts(work, (value, condition), (a, b), site),
            ExprKind::Construct(fields)
                if matches!(self.cx.program.types.get(ty), Type::Struct(_) | Type::Array(..)) =>
            {
                let is_struct = matches!(self.cx.program.types.get(ty), Type::Struct(_));
                let mut parts = Vec::new();
                for (index, field) in (0..).zip(fields) {
                    let step = if is_struct { Step::Field(index) } else { Step::Element(index) };
                    let inner = self.parts(work, field, site)?;
                    parts.extend(inner.into_iter().map(|(path, e)| ([vec![step], path].concat(), e)));
                }
                return Some(parts);
            }
            // Nothing yet.
            ExprKind::Zero => return Some(Vec::new()),
            _ => {}
        }
        let base = work.body.exprs.base(value);
        match work.body.exprs[base].kind {
            ExprKind::Global(_) => Some(vec![(Vec::new(), value)]),
            // A scene at an address, which is kept as an index is.
            ExprKind::Call(..) if base == value && self.cx.program.types.get(ty) == Type::AccelerationStructure => {
                Some(vec![(Vec::new(), value)])
            }
            ExprKind::Local(local) if work.staying.contains(&local) && !work.flow.aliases.contains_key(&local) => {
                Some(vec![(Vec::new(), value)])
            }
            ExprKind::Local(_) => self.parts_of_local(work, value, site),
            _ => None,
        }
    }

    /// Replaces what names a resource through a local by the path that it stands for.
    fn resolve(&mut self, work: &mut Work, root: ExprId, site: &mut Site) {
        let given = self.given_places(work, root);
        let passed = self.passed_open(work, root);
        for id in work.body.exprs.post_order(root) {
            let ty = work.body.exprs[id].ty;
            if given.contains(&id)
                || passed.contains(&id)
                || !self.cx.program.types.get(self.cx.program.types.innermost(ty)).is_resource()
                || !self.names_resource(work, id)
            {
                continue;
            }
            match self.parts(work, id, site).as_deref() {
                Some([(path, part)]) if path.is_empty() => {
                    let part = work.body.exprs.duplicate(*part);
                    work.body.exprs.replace_by(id, part);
                }
                // Nothing leads here but ways without a value.
                Some([]) if self.cx.program.types.get(ty).is_resource() && !self.cx.diags.has_errors() => {
                    self.cx.unsupported(work.body.exprs[id].span, "a variable that has not been given a resource");
                    self.disagreed = true;
                    // A compiler leaves a branch out that asks for a field without a resource; a variable is one by mistake.
                    let is_field = !matches!(work.body.exprs[id].kind, ExprKind::Local(_));
                    self.open_uses += usize::from(is_field);
                    self.chooses |= !is_field;
                }
                None => self.untraceable(work.body.exprs[id].span),
                _ => {}
            }
        }
    }

    /// Whether an expression of a resource is to be replaced.
    fn names_resource(&self, work: &Work, id: ExprId) -> bool {
        match work.body.exprs[id].kind {
            ExprKind::Select(..) => true,
            _ => match work.body.exprs[work.body.exprs.base(id)].kind {
                ExprKind::Local(l) => !work.staying.contains(&l) || work.flow.aliases.contains_key(&l),
                _ => false,
            },
        }
    }

    /// The arguments that callees give resources to, and what is in them. An element of a buffer is data: its buffer is read.
    fn given_places(&self, work: &Work, root: ExprId) -> FxHashSet<ExprId> {
        let holds = |arg: ExprId| self.cx.program.holds_resource(work.body.exprs[arg].ty);
        let mut given = FxHashSet::default();
        for id in work.body.exprs.post_order(root) {
            let ExprKind::Call(callee, args) = &work.body.exprs[id].kind else { continue };
            let callee = &self.cx.program.functions[*callee];
            if matches!(callee.body, FunctionBody::Block) {
                for (_, arg) in callee.params.iter().zip(args).filter(|(p, a)| p.mode != ParamMode::In && holds(**a)) {
                    let place = work.place(self.cx.program, *arg);
                    given.extend(place.nodes);
                    given.insert(work.body.exprs.base(*arg));
                }
            }
        }
        given
    }

    /// The arguments of functions that stand for no resource yet. A function may have no use for one.
    fn passed_open(&self, work: &Work, root: ExprId) -> FxHashSet<ExprId> {
        let program = &self.cx.program;
        let is_open =
            |arg: &ExprId| matches!(work.body.exprs[*arg].kind, ExprKind::Local(l) if work.is_open(program, l));
        let mut passed = FxHashSet::default();
        for id in work.body.exprs.post_order(root) {
            let ExprKind::Call(callee, args) = &work.body.exprs[id].kind else { continue };
            if matches!(program.functions[*callee].body, FunctionBody::Block) {
                passed.extend(args.iter().filter(|arg| is_open(arg)));
            }
        }
        passed
    }

    /// Leaves out the side of a choice that a constant condition never takes, where it asks for a resource that is not there yet.
    fn leave_out_open(&mut self, work: &mut Work, root: ExprId) {
        for id in work.body.exprs.post_order(root) {
            let Expr { kind: ExprKind::Select(condition, yes, no), ty, .. } = work.body.exprs[id] else { continue };
            let Some(Value::Bool(known)) = work.constant(self.cx.program, condition) else { continue };
            let (taken, other) = if known { (yes, no) } else { (no, yes) };
            if work.asks_open(self.cx.program, other) && work.body.exprs[taken].ty == ty {
                work.body.exprs.replace_by(id, taken);
                self.chooses = true;
            }
        }
    }

    /// Whether an argument cannot stay an argument.
    fn must_resolve(&self, work: &Work, callee: FunctionId, at: usize, arg: ExprId) -> bool {
        let program = &self.cx.program;
        let Some(param) = program.functions[callee].params.get(at) else { return false };
        let ty = program.functions[callee].code.get_local(param.local).map_or(TypeId::VOID, |l| l.ty);
        let is_open = matches!(work.body.exprs[arg].kind, ExprKind::Local(l) if work.is_open(program, l));
        if program.holds_resource(ty) && (is_open || self.facts.is_forced(callee, at)) {
            return true;
        }
        if param.mode != ParamMode::In && matches!(program.types.get(ty), Type::Texture(_) | Type::Sampler(_)) {
            return true;
        }
        // A mark on an index counts where the resource is used: where functions do not take every resource, they may not be inlined.
        let marked = !self.cx.profile.has(Capability::BufferParameters)
            && rebinding::marker_of_path(&self.facts, &work.body.exprs, arg).is_some();
        let element = marked || indexed(&work.body.exprs, arg) && !self.cx.profile.has(Capability::ResourceArrays);
        match program.types.get(ty) {
            Type::Texture(t) if t.access == Access::Read && !t.combined => {
                element || !self.cx.profile.has(Capability::SamplerParameters)
            }
            Type::Sampler(_) => element || !self.cx.profile.has(Capability::SamplerParameters),
            Type::Texture(t) if t.combined => element || !self.cx.profile.has(Capability::CombinedSamplers),
            Type::Texture(_) | Type::Buffer(..) | Type::AccelerationStructure => {
                element || !self.cx.profile.has(Capability::BufferParameters)
            }
            _ => program.holds_resource(ty),
        }
    }
}

impl Body {
    /// A local, if it is there: the body of the function at hand is elsewhere meanwhile.
    pub(super) fn get_local(&self, local: LocalId) -> Option<&Local> {
        self.locals.get_if(local)
    }
}

/// A `return` without a value is nothing at the end.
fn without_last_return(block: &mut Block) {
    if matches!(block.stmts.last(), Some(Stmt { kind: StmtKind::Return(None), .. })) {
        block.stmts.pop();
    }
}

/// Whether a path goes through an array.
fn indexed(exprs: &ExprArena, id: ExprId) -> bool {
    match exprs[id].kind {
        ExprKind::Index(..) => true,
        ExprKind::Field(a, _) | ExprKind::Contents(a) => indexed(exprs, a),
        _ => false,
    }
}
