//! Every resource is named by an access path from a global: locals that hold resources disappear, and functions that take
//! them are made for the resources that they are called with.
//!
//! Before: `float4 shade(Material m, int i) { Texture2D t = m.tex; return t.Load(i) * m.tint; }   shade(gMaterials[k], 0)`
//! After:  `float4 shade(Material m, int i, int m_index) { return gMaterials[m_index].tex.Load(i) * m.tint; }   shade(gMaterials[k], 0, k)`
//!
//! A function keeps its name for the first set of resources; further ones are named after the resources. Textures to read and
//! samplers may stay parameters, as may other resources where the target takes them.
//!
//! A variable that is given another element of the same array in some branch keeps its index in a variable ([`rebinding`]):
//!
//! Before: `Material m = gMaterials[i];  if (c) m = gMaterials[0];                       m.tex.Load(p)`
//! After:  `int index; index = i;        if (c) { index = 0; ... }                       gMaterials[index].tex.Load(p)`
//!
//! Removes: ResourceValues, BufferParameters. Runs after: entry_uniforms, inline_builtins.

mod rebinding;

use super::{Context, Pass};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::{
    Access, Block, Body, Build, Expr, ExprArena, ExprId, ExprKind, Function, FunctionBody, FunctionId, GlobalId, Item,
    Local, LocalId, Param, ParamMode, Program, Stmt, StmtKind, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "resolve_resources",
    removes: &[Capability::ResourceValues, Capability::BufferParameters],
    adds: &[],
    run,
};

fn run(cx: &mut Context) {
    let mut resolver =
        Resolver { cx, done: FxHashSet::default(), made: FxHashMap::default(), instances: FxHashMap::default() };
    let entries: Vec<FunctionId> = resolver.cx.program.entry_points.iter().flat_map(|e| e.roots()).collect();
    for entry in entries {
        resolver.function(entry, Aliases::default(), 0);
    }
}

/// One step of an access path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    Field(u32),
    Contents,
    /// A constant index.
    At(i64),
    /// An index that is passed as an argument.
    Hole,
}

/// What a resource argument is, apart from the values of its indices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Shape {
    global: GlobalId,
    steps: Vec<Step>,
}

/// Part of a local (fields from it) and the access path that it stands for, in the same body.
type Aliases = FxHashMap<LocalId, Vec<(Vec<u32>, ExprId)>>;

/// The resources of a call: for each parameter that goes away or is aliased, the parts and their shapes.
type Key = (FunctionId, Vec<(usize, Vec<(Vec<u32>, Shape)>)>);

struct Resolver<'a, 'c> {
    cx: &'a mut Context<'c>,
    done: FxHashSet<FunctionId>,
    made: FxHashMap<Key, FunctionId>,
    /// How many instances each function has.
    instances: FxHashMap<FunctionId, u32>,
}

/// A parameter by index, with what stands at each path of fields in it.
type ResourceParam = (usize, Vec<(Vec<u32>, Shape)>);

impl Resolver<'_, '_> {
    fn function(&mut self, id: FunctionId, aliases: Aliases, depth: u32) {
        // The call graph has no cycles; the limit guards the stack.
        if depth > 1000 || !self.done.insert(id) || !matches!(self.cx.program.functions[id].body, FunctionBody::Block) {
            return;
        }
        let mut body = std::mem::take(&mut self.cx.program.functions[id].code);
        let assigned = assigned_locals(self.cx.program, &body);
        let mut block = std::mem::take(&mut body.block);
        let rebound = self.rebound(id, &body, &block);
        let mut work = Work { body: &mut body, aliases, assigned, rebound, variables: Vec::new(), depth };
        let mut first = self.parameters_to_variables(&mut work);
        self.block(&mut work, &mut block);
        first.splice(0..0, std::mem::take(&mut work.variables));
        block.stmts.splice(0..0, first);
        body.block = block;
        self.cx.program.functions[id].code = body;
    }

    fn block(&mut self, work: &mut Work, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let mut before = Vec::new();
            if let StmtKind::For(init, ..) = &mut stmt.kind {
                for stmt in std::mem::take(init) {
                    if let Some(stmt) = self.statement(work, stmt, &mut before) {
                        init.push(stmt);
                    }
                }
            }
            if let Some(mut stmt) = self.statement(work, stmt, &mut before) {
                block.stmts.append(&mut before);
                stmt.blocks_mut(&mut |b| self.block(work, b));
                block.stmts.push(stmt);
            } else {
                block.stmts.append(&mut before);
            }
        }
    }

    /// Resolves a statement's own expressions. A statement that only names a resource is dropped.
    fn statement(&mut self, work: &mut Work, stmt: Stmt, before: &mut Vec<Stmt>) -> Option<Stmt> {
        let mut roots = Vec::new();
        stmt.own_exprs(&mut |e| roots.push(e));
        for root in &mut roots {
            // A local that is given a resource is not what it stood for before.
            if let ExprKind::Assign(None, target, value) = work.body.exprs[*root].kind
                && local_path(&work.body.exprs, target).is_some()
                && self.cx.program.holds_resource(work.body.exprs[value].ty)
            {
                *root = value;
            }
        }
        for root in roots {
            self.resolve(work, root);
            self.calls(work, root);
        }
        let (local, path, value) = match stmt.kind {
            StmtKind::Local(local, value) => (local, Vec::new(), value),
            StmtKind::Expr(e) => match work.body.exprs[e].kind {
                ExprKind::Assign(None, target, value) => match local_path(&work.body.exprs, target) {
                    Some((local, path)) => (local, path, Some(value)),
                    None => return Some(stmt),
                },
                _ => return Some(stmt),
            },
            _ => return Some(stmt),
        };
        let ty = match stmt.kind {
            StmtKind::Local(local, _) => work.body.locals[local].ty,
            _ => value.map_or(TypeId::VOID, |v| work.body.exprs[v].ty),
        };
        if !self.cx.program.holds_resource(ty) {
            return Some(stmt);
        }
        if let Some(value) = value {
            self.alias(work, local, path, value, before);
        }
        self.cx.program.holds_data(ty).then_some(stmt)
    }

    /// Notes what the resources in `value` are, as parts of `local`.
    fn alias(&mut self, work: &mut Work, local: LocalId, path: Vec<u32>, value: ExprId, before: &mut Vec<Stmt>) {
        let span = work.body.exprs[value].span;
        let Some(parts) = self.parts(work, value) else {
            self.untraceable(span);
            return;
        };
        for (inner, part) in parts {
            let part = work.body.exprs.duplicate(part);
            let full: Vec<u32> = path.iter().copied().chain(inner).collect();
            if !self.bind_part(work, (local, full), part, before) {
                self.cx.unsupported(span, "a variable that stands for different resources");
            }
        }
    }

    fn untraceable(&mut self, span: Span) {
        self.cx.unsupported(span, "this resource cannot be traced to one shader parameter");
    }

    /// The resources in a value: for each, the fields that lead to it and its access path. `None` if it is no path.
    fn parts(&mut self, work: &mut Work, value: ExprId) -> Option<Vec<(Vec<u32>, ExprId)>> {
        let Expr { ref kind, ty, .. } = work.body.exprs[value];
        if !self.cx.program.holds_resource(ty) {
            return Some(Vec::new());
        }
        if let ExprKind::Select(condition, a, b) = *kind {
            return self.selected_parts(work, condition, (a, b));
        }
        if let ExprKind::Construct(fields) = kind.clone()
            && matches!(self.cx.program.types.get(ty), Type::Struct(_))
        {
            let mut parts = Vec::new();
            for (index, field) in (0..).zip(fields) {
                let inner = self.parts(work, field)?;
                parts.extend(inner.into_iter().map(|(path, e)| ([vec![index], path].concat(), e)));
            }
            return Some(parts);
        }
        let base = work.body.exprs.base(value);
        match work.body.exprs[base].kind {
            ExprKind::Global(_) => Some(vec![(Vec::new(), value)]),
            ExprKind::Local(local) if work.aliases.contains_key(&local) => self.parts_of_alias(work, local, value),
            // A parameter that stays.
            ExprKind::Local(_) => {
                (value == base && self.cx.program.types.get(ty).is_resource()).then(|| vec![(Vec::new(), value)])
            }
            _ => None,
        }
    }

    fn parts_of_alias(&self, work: &mut Work, local: LocalId, value: ExprId) -> Option<Vec<(Vec<u32>, ExprId)>> {
        let Some((_, path)) = local_path(&work.body.exprs, value) else {
            // An element of an array of structs: the alias of the array, indexed.
            let copy = work.body.exprs.duplicate(value);
            let (at, alias) = work.find(copy)?;
            let alias = work.body.exprs.duplicate(alias);
            work.body.exprs.replace_by(at, alias);
            return Some(vec![(Vec::new(), copy)]);
        };
        let known = work.aliases.get(&local)?.clone();
        if let Some((prefix, alias)) = known.iter().find(|(p, _)| p.len() < path.len() && path.starts_with(p)) {
            let mut e = work.body.exprs.duplicate(*alias);
            for index in path.get(prefix.len()..)? {
                let Expr { ty, span, .. } = work.body.exprs[e];
                let ty = self.cx.program.field_type(ty, *index)?;
                e = work.body.exprs.push(Expr { kind: ExprKind::Field(e, *index), ty, span });
            }
            return Some(vec![(Vec::new(), e)]);
        }
        let inside = known.iter().filter_map(|(p, e)| Some((p.strip_prefix(path.as_slice())?.to_vec(), *e)));
        Some(inside.collect())
    }

    /// Replaces what names a resource through a local by the path that it stands for.
    fn resolve(&mut self, work: &mut Work, root: ExprId) {
        for id in work.body.exprs.post_order(root) {
            let ty = work.body.exprs[id].ty;
            if !self.cx.program.types.get(self.cx.program.types.innermost(ty)).is_resource() {
                continue;
            }
            if let Some((at, alias)) = work.find(id) {
                let copy = work.body.exprs.duplicate(alias);
                work.body.exprs.replace_by(at, copy);
            }
            if let ExprKind::Select(..) = work.body.exprs[id].kind
                && let Some([(path, part)]) = self.parts(work, id).as_deref()
                && path.is_empty()
            {
                let part = *part;
                work.body.exprs.replace_by(id, part);
            }
        }
    }

    /// Gives each call in an expression the instance of its callee for the resources that it passes.
    fn calls(&mut self, work: &mut Work, root: ExprId) {
        for id in work.body.exprs.post_order(root) {
            let ExprKind::Call(callee, args) = work.body.exprs[id].kind.clone() else { continue };
            if !matches!(self.cx.program.functions[callee].body, FunctionBody::Block) {
                continue;
            }
            let mut key = Vec::new();
            let mut paths = Vec::new();
            for (at, &arg) in args.iter().enumerate() {
                if !self.must_resolve(work, callee, at, arg) {
                    continue;
                }
                let Some(parts) = self.parts(work, arg) else {
                    self.untraceable(work.body.exprs[arg].span);
                    continue;
                };
                let mut shapes = Vec::new();
                for (path, e) in parts {
                    match shape(work.body, e) {
                        (Some(shape), holes) => {
                            shapes.push((path, shape));
                            paths.extend(holes);
                        }
                        (None, _) => self.untraceable(work.body.exprs[e].span),
                    }
                }
                key.push((at, shapes));
            }
            if key.is_empty() {
                self.function(callee, Aliases::default(), work.depth + 1);
                continue;
            }
            let instance = self.instance((callee, key), work, &paths);
            self.pass(work, id, callee, instance, args, &paths);
        }
    }

    /// Whether an argument cannot stay an argument.
    fn must_resolve(&self, work: &Work, callee: FunctionId, at: usize, arg: ExprId) -> bool {
        let program = &self.cx.program;
        let Some(param) = program.functions[callee].params.get(at) else { return false };
        let ty = program.functions[callee].code.get_local(param.local).map_or(TypeId::VOID, |l| l.ty);
        if param.mode != ParamMode::In && matches!(program.types.get(ty), Type::Texture(_) | Type::Sampler(_)) {
            return true;
        }
        let element = indexed(&work.body.exprs, arg) && !self.cx.profile.has(Capability::ResourceArrays);
        match program.types.get(ty) {
            Type::Texture(t) if t.access == Access::Read && !t.combined => element,
            Type::Sampler(_) => element,
            Type::Texture(t) if t.combined => element || !self.cx.profile.has(Capability::CombinedSamplers),
            Type::Texture(_) | Type::Buffer(..) | Type::AccelerationStructure => {
                element || !self.cx.profile.has(Capability::BufferParameters)
            }
            _ => program.holds_resource(ty),
        }
    }

    /// The function for a set of resources; `holes` are the index arguments of this call, whose types are the new parameters'.
    fn instance(&mut self, key: Key, work: &Work, holes: &[ExprId]) -> FunctionId {
        if let Some(&made) = self.made.get(&key) {
            return made;
        }
        let (original, resources) = key.clone();
        let mut function = self.cx.program.functions[original].clone();
        let hole_types: Vec<TypeId> = holes.iter().map(|h| work.body.exprs[*h].ty).collect();
        let aliases = self.bind(&mut function, &resources, &hole_types);
        let count = self.instances.entry(original).or_insert(0);
        *count += 1;
        if *count > 1 {
            function.name = self.instance_name(function.name, &resources);
            function.comments.clear();
        }
        let id = self.cx.program.functions.push(function);
        let listed = Item::Function(original);
        self.cx.program.insert_item(Item::Function(id), Some(listed));
        self.made.insert(key, id);
        self.function(id, aliases, work.depth + 1);
        id
    }

    fn instance_name(&self, name: Symbol, resources: &[ResourceParam]) -> Symbol {
        let mut text = name.to_string();
        let mut last = None;
        for (_, shape) in resources.iter().flat_map(|(_, shapes)| shapes) {
            if last != Some(shape.global) {
                text = format!("{text}_{}", self.cx.program.globals[shape.global].name);
                last = Some(shape.global);
            }
        }
        Symbol::new(&text)
    }

    /// Takes the resource parameters out of a function, adds index parameters, and answers what the parameters stood for.
    fn bind(&mut self, function: &mut Function, resources: &[ResourceParam], hole_types: &[TypeId]) -> Aliases {
        let mut aliases = Aliases::default();
        let mut holes = hole_types.iter();
        let mut new_params = Vec::new();
        for (at, shapes) in resources {
            let Some(local) = function.params.get(*at).map(|p| p.local) else { continue };
            let list = aliases.entry(local).or_default();
            for (path, shape) in shapes {
                let mut build =
                    PathBuilder { program: self.cx.program, code: &mut function.code, new_params: &mut new_params };
                let e = build.path(shape, local, &mut holes);
                list.push((path.clone(), e));
            }
        }
        let mut at = 0;
        let program = &*self.cx.program;
        let code = &function.code;
        function.params.retain(|p| {
            let goes = resources.iter().any(|(i, _)| *i == at) && !program.holds_data(code.locals[p.local].ty);
            at += 1;
            !goes
        });
        function.params.extend(new_params);
        aliases
    }

    /// Rewrites the call itself.
    fn pass(
        &mut self,
        work: &mut Work,
        id: ExprId,
        original: FunctionId,
        instance: FunctionId,
        args: Vec<ExprId>,
        holes: &[ExprId],
    ) {
        let params = &self.cx.program.functions[original].params;
        let mut kept = Vec::new();
        for (at, arg) in args.into_iter().enumerate() {
            let ty =
                params.get(at).and_then(|p| self.cx.program.functions[original].code.get_local(p.local)).map(|l| l.ty);
            let data = ty.is_some_and(|ty| self.cx.program.holds_data(ty));
            if data || !self.must_resolve(work, original, at, arg) {
                kept.push(arg);
            }
        }
        // The call that the instance was made for may have had indices of other types.
        let made = &self.cx.program.functions[instance];
        let wanted = made.params.iter().skip(made.params.len().saturating_sub(holes.len()));
        let wanted: Vec<TypeId> = wanted.map(|p| made.code.locals[p.local].ty).collect();
        for (hole, ty) in holes.iter().zip(wanted) {
            let index = work.body.exprs.duplicate(*hole);
            let span = work.body.exprs[index].span;
            kept.push(Build::new(&mut self.cx.program.types, &mut work.body.exprs, span).convert(index, ty));
        }
        work.body.exprs[id].kind = ExprKind::Call(instance, kept);
    }
}

/// Builds access paths inside of a new instance.
struct PathBuilder<'a> {
    program: &'a mut Program,
    code: &'a mut Body,
    new_params: &'a mut Vec<Param>,
}

impl PathBuilder<'_> {
    fn path(&mut self, shape: &Shape, param: LocalId, holes: &mut std::slice::Iter<TypeId>) -> ExprId {
        let Local { name, span, .. } = self.code.locals[param];
        let mut ty = self.program.globals[shape.global].ty;
        let mut id = self.add(ExprKind::Global(shape.global), ty, span);
        for step in &shape.steps {
            let (kind, next) = match *step {
                Step::Field(index) => (ExprKind::Field(id, index), self.program.field_type(ty, index)),
                Step::Contents => (ExprKind::Contents(id), self.program.types.get(ty).element()),
                Step::At(value) => {
                    let kind = ExprKind::Literal(crate::tree::Literal::Int(value), None);
                    let index = self.add(kind, TypeId::INT, span);
                    (ExprKind::Index(id, index), self.program.types.get(ty).element())
                }
                Step::Hole => {
                    let hole = holes.next().copied().unwrap_or(TypeId::INT);
                    let index = self.index_parameter(name, hole, span);
                    (ExprKind::Index(id, index), self.program.types.get(ty).element())
                }
            };
            ty = next.unwrap_or(TypeId::ERROR);
            id = self.add(kind, ty, span);
        }
        id
    }

    fn add(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        self.code.exprs.push(Expr { kind, ty, span })
    }

    fn index_parameter(&mut self, of: Symbol, ty: TypeId, span: Span) -> ExprId {
        let local = self.code.add_local(format!("{of}_index").as_str(), ty, span);
        self.code.locals[local].constant = true;
        self.new_params.push(Param::new(local));
        self.add(ExprKind::Local(local), ty, span)
    }
}

/// The function at hand.
struct Work<'a> {
    body: &'a mut Body,
    aliases: Aliases,
    /// Locals that are assigned after their declaration.
    assigned: FxHashSet<LocalId>,
    /// Locals whose resources change in other blocks than that of their declaration, or that are passed out.
    rebound: FxHashMap<LocalId, rebinding::Kind>,
    /// Declarations of the variables that hold indices of such locals.
    variables: Vec<Stmt>,
    depth: u32,
}

impl Work<'_> {
    /// The node below `id` that an alias stands for, and the alias.
    fn find(&self, id: ExprId) -> Option<(ExprId, ExprId)> {
        let mut node = id;
        loop {
            if let Some((local, path)) = local_path(&self.body.exprs, node)
                && let Some((_, alias)) = self.aliases.get(&local)?.iter().find(|(p, _)| *p == path)
            {
                return Some((node, *alias));
            }
            node = match self.body.exprs[node].kind {
                ExprKind::Field(a, _) | ExprKind::Index(a, _) | ExprKind::Contents(a) => a,
                _ => return None,
            };
        }
    }

    /// Makes the indices of a path values that stay what they are.
    fn freeze(&mut self, path: ExprId, before: &mut Vec<Stmt>) {
        let indices = rebinding::indices(&self.body.exprs, path);
        self.freeze_list(&indices, before);
    }

    fn freeze_list(&mut self, indices: &[ExprId], before: &mut Vec<Stmt>) {
        for &index in indices {
            if self.is_frozen(index) {
                continue;
            }
            let copy = self.body.exprs.displace(index);
            let Expr { ty, span, .. } = self.body.exprs[copy];
            let local = self.body.add_local("index", ty, span);
            self.body.locals[local].constant = true;
            before.push(Stmt::new(StmtKind::Local(local, Some(copy)), span));
            self.body.exprs[index].kind = ExprKind::Local(local);
        }
    }

    fn is_frozen(&self, index: ExprId) -> bool {
        match self.body.exprs[index].kind {
            ExprKind::Literal(..) => true,
            ExprKind::Convert(a, _) | ExprKind::Swizzle(a, _) | ExprKind::Field(a, _) => self.is_frozen(a),
            ExprKind::Local(l) => !self.assigned.contains(&l),
            _ => false,
        }
    }
}

impl Body {
    /// A local, if it is there: the body of the function at hand is elsewhere meanwhile.
    pub(super) fn get_local(&self, local: LocalId) -> Option<&Local> {
        self.locals.get_if(local)
    }
}

fn assigned_locals(program: &Program, body: &Body) -> FxHashSet<LocalId> {
    let mut set = FxHashSet::default();
    for id in body.expressions() {
        let targets = match &body.exprs[id].kind {
            ExprKind::Assign(_, t, _) | ExprKind::Step(_, _, t) | ExprKind::AddressOf(t) => vec![*t],
            ExprKind::Call(f, args) => {
                let params = program.functions[*f].params.iter().zip(args);
                params.filter(|(p, _)| p.mode != ParamMode::In).map(|(_, a)| *a).collect()
            }
            _ => Vec::new(),
        };
        for target in targets {
            if let ExprKind::Local(l) = body.exprs[body.exprs.base(target)].kind {
                set.insert(l);
            }
        }
    }
    set
}

/// A local and the fields from it, if that is all that an expression is.
fn local_path(exprs: &ExprArena, id: ExprId) -> Option<(LocalId, Vec<u32>)> {
    let mut path = Vec::new();
    let mut id = id;
    loop {
        match exprs[id].kind {
            ExprKind::Field(a, index) => {
                path.push(index);
                id = a;
            }
            ExprKind::Local(local) => {
                path.reverse();
                return Some((local, path));
            }
            _ => return None,
        }
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

/// The shape of a path and its index arguments, outermost first.
fn shape(body: &Body, id: ExprId) -> (Option<Shape>, Vec<ExprId>) {
    let exprs = &body.exprs;
    let (mut steps, mut holes) = (Vec::new(), Vec::new());
    let mut id = id;
    let global = loop {
        id = match &exprs[id].kind {
            ExprKind::Field(a, index) => {
                steps.push(Step::Field(*index));
                *a
            }
            ExprKind::Contents(a) => {
                steps.push(Step::Contents);
                *a
            }
            ExprKind::Index(a, index) => {
                match literal(exprs, *index) {
                    Some(value) => steps.push(Step::At(value)),
                    None => {
                        steps.push(Step::Hole);
                        holes.push(*index);
                    }
                }
                *a
            }
            ExprKind::Global(global) => break *global,
            _ => return (None, Vec::new()),
        };
    };
    steps.reverse();
    holes.reverse();
    (Some(Shape { global, steps }), holes)
}

fn literal(exprs: &ExprArena, id: ExprId) -> Option<i64> {
    match exprs[id].kind {
        ExprKind::Literal(crate::tree::Literal::Int(value), _) => Some(value),
        ExprKind::Convert(a, _) => literal(exprs, a),
        _ => None,
    }
}
