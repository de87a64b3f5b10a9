//! An array of resources becomes as many resources; an index that is not constant chooses among them.
//!
//! Before: `Texture2D maps[3];                  maps[1].Load(p)      maps[i].Load(p)`
//! After:  `Texture2D maps_0, maps_1, maps_2;   maps_1.Load(p)       maps_Load(i, p)`, a function that is a `switch`
//!
//! Layout gave the array a binding for each element, one after the other. A policy may give it only one: then it cannot be
//! said. An array without a size has as many elements as constant indices ask for, if nothing else in its group can need
//! one: the first has its binding, the others follow all bindings of the group. An element that only one constant of the source
//! asks for is named after that: `maps[SHADOWS]` is `maps_SHADOWS`.

use super::needs::Find;
use super::{Context, Pass};
use crate::check::constant::eval;
use crate::diagnostic::{Code, Diagnostic};
use crate::layout::Leaf;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::analyses::is_pure;
use crate::tree::{
    BinaryOp, Binding, Block, Body, Build, ExprArena, ExprId, ExprKind, Function, FunctionId, Global, GlobalId,
    GlobalKind, Hints, Item, Length, Literal, LocalId, Origin, Param, ParamMode, Program, Stmt, StmtKind, SwitchCase,
    Type, TypeId, dump,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

pub(super) const PASS: Pass = Pass {
    name: "resource_arrays",
    removes: &[
        (
            Capability::ResourceArrays,
            Find::Parameter(|p, g, t| {
                let block = matches!(t, Type::ParameterBlock(_) | Type::ConstantBuffer(_, _) | Type::TextureBuffer(_));
                is_array(p, g) && !block && t.is_resource()
            }),
        ),
        (
            Capability::BufferArrays,
            Find::Parameter(|p, g, t| {
                is_array(p, g) && matches!(t, Type::ConstantBuffer(_, _) | Type::TextureBuffer(_))
            }),
        ),
    ],
    adds: &[Capability::SamplerParameters],
    after: &["resolve_resources", "split_resources", "combined_samplers", "counters"],
    run,
    ..Pass::ROW
};

/// The elements of an array that was split, by flat index.
struct Elements {
    list: Vec<GlobalId>,
    dims: Vec<u32>,
}

fn is_array(program: &Program, global: &Global) -> bool {
    matches!(program.types.get(global.ty), Type::Array(..))
}

fn run(cx: &mut Context) {
    let sizes = sizes(cx);
    for (global, size) in &sizes {
        if let Some((element, Length::Unsized)) = cx.program.types.array_parts(cx.program.globals[*global].ty) {
            cx.program.globals[*global].ty = cx.program.types.array(element, Some(*size));
        }
    }
    let further = behind_all(cx, &sizes);
    let mut arrays = FxHashMap::default();
    for global in cx.program.parameters.clone() {
        let names = if further.contains_key(&global) { named(cx.program, global) } else { BTreeMap::new() };
        if let Some(elements) = split_array(cx, global, further.get(&global).copied(), &names) {
            arrays.insert(global, elements);
        }
    }
    let mut made = FxHashMap::default();
    cx.each_body(&mut |cx, function, body| {
        let mut uses = Uses { cx, body, arrays: &arrays, made: &mut made, function };
        uses.run();
    });
}

/// The dimensions of an array of resources, outermost first, if they are known.
fn dimensions(cx: &Context, global: GlobalId) -> Option<Vec<u32>> {
    let mut ty = cx.program.globals[global].ty;
    let mut dims = Vec::new();
    while let Type::Array(element, count) = cx.program.types.get(ty) {
        dims.push(count.fixed()?);
        ty = element;
    }
    (!dims.is_empty() && cx.program.types.get(ty).is_resource()).then_some(dims)
}

/// The sizes of arrays without one, by the constants that they are indexed with; an error where that does not give any.
fn sizes(cx: &mut Context) -> BTreeMap<GlobalId, u32> {
    let is_unsized = |cx: &Context, g: GlobalId| match cx.program.types.get(cx.program.globals[g].ty) {
        Type::Array(element, Length::Unsized) => cx.program.types.get(element).is_resource(),
        _ => false,
    };
    let arrays: Vec<GlobalId> = cx.program.parameters.iter().copied().filter(|g| is_unsized(cx, *g)).collect();
    if arrays.is_empty() || cx.profile.has(Capability::UnboundedResourceArrays) {
        return BTreeMap::new();
    }
    let group = |cx: &Context, g: GlobalId| cx.program.globals[g].binding.map(|b| b.space);
    let mut sizes = BTreeMap::new();
    for &global in &arrays {
        let alone = arrays.iter().all(|other| *other == global || group(cx, *other) != group(cx, global));
        match indexed(cx, global).filter(|n| *n <= cx.profile.facts.resource_array_limit && (alone || *n == 1)) {
            Some(size) => {
                sizes.insert(global, size);
            }
            None => {
                let Global { name, span, .. } = cx.program.globals[global];
                let message =
                    format!("`{name}`, an unbounded array of resources, is not supported by {}", cx.profile.name);
                let note = "give it a size in its declaration, or one to all such arrays with `unsized-array-size`";
                cx.diags.push(Diagnostic::error(Code::CAPABILITY, span, message).note(note));
            }
        }
    }
    sizes
}

/// How many elements the constant indices of an array ask for; `None` if it is used in another way.
fn indexed(cx: &Context, global: GlobalId) -> Option<u32> {
    let mut size = 1;
    for id in cx.program.functions_with_code() {
        let body = &cx.program.functions[id].code;
        let (mut uses, mut constant) = (0, 0);
        for id in body.expressions() {
            match body.exprs[id].kind {
                ExprKind::Global(g) if g == global => uses += 1,
                ExprKind::Index(base, index) if matches!(body.exprs[base].kind, ExprKind::Global(g) if g == global) => {
                    let index = literal(cx.program, &body.exprs, index).and_then(|i| u32::try_from(i).ok())?;
                    size = size.max(index.saturating_add(1));
                    constant += 1;
                }
                _ => {}
            }
        }
        if uses != constant {
            return None;
        }
    }
    Some(size)
}

/// The constants of the source that ask for elements of an array, by their values, where no other index has that value.
fn named(program: &Program, global: GlobalId) -> BTreeMap<u32, Symbol> {
    let mut names: BTreeMap<u32, Option<Symbol>> = BTreeMap::new();
    for id in program.functions_with_code() {
        let exprs = &program.functions[id].code.exprs;
        for id in program.functions[id].code.expressions() {
            let ExprKind::Index(base, index) = exprs[id].kind else { continue };
            let value = literal(program, exprs, index).and_then(|i| u32::try_from(i).ok());
            if let (ExprKind::Global(array), Some(value)) = (&exprs[base].kind, value)
                && *array == global
            {
                let name = constant_name(program, exprs, index);
                let known = names.entry(value).or_insert(name);
                *known = known.filter(|known| Some(*known) == name);
            }
        }
    }
    names.into_iter().filter_map(|(value, name)| Some((value, name?))).collect()
}

/// The constant of the source that an index is.
fn constant_name(program: &Program, exprs: &ExprArena, index: ExprId) -> Option<Symbol> {
    match exprs[index].kind {
        ExprKind::Global(g) if !program.globals[g].span.file.is_library() => Some(program.globals[g].name),
        ExprKind::Convert(inner, _) => constant_name(program, exprs, inner),
        _ => None,
    }
}

/// Where the second and further elements of each array without a size are bound: behind all bindings of its group that
/// layout gave. Arrays with a size have bindings from layout for all their elements.
fn behind_all(cx: &Context, sizes: &BTreeMap<GlobalId, u32>) -> BTreeMap<GlobalId, Binding> {
    let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
    for (first, count) in cx.layout.leaves.iter().flat_map(|(_, leaf)| leaf.ranges()) {
        let end = ends.entry(first.space).or_default();
        *end = first.index.saturating_add(count).max(*end);
    }
    let further = sizes.keys().map(|&global| {
        let space = cx.program.globals[global].binding.map_or(0, |b| b.space);
        (global, Binding { class: None, index: ends.get(&space).copied().unwrap_or(0), space })
    });
    further.collect()
}

/// Declares the elements of an array in its place.
fn split_array(
    cx: &mut Context,
    global: GlobalId,
    further: Option<Binding>,
    names: &BTreeMap<u32, Symbol>,
) -> Option<Elements> {
    let dims = dimensions(cx, global)?;
    if !cx.layout.settings.policy.arrays.places_elements && dims.iter().any(|d| *d > 1) {
        let Global { span, name, .. } = cx.program.globals[global];
        let message =
            format!("the elements of `{name}` have no bindings here: {} has no arrays of resources", cx.profile.name);
        let note = "`slangc` refuses it; the other binding policies give each element one";
        cx.diags.push(Diagnostic::error(Code::CAPABILITY, span, message).note(note));
        return None;
    }
    let whole = cx.program.globals[global].clone();
    let ty = cx.program.types.innermost(whole.ty);
    let limit = cx.profile.facts.resource_array_limit;
    let count = dims.iter().fold(1u32, |n, d| n.saturating_mul(*d));
    if !(1..=limit).contains(&count) {
        let message = format!("`{}` has {count} elements: {} has no arrays of resources", whole.name, cx.profile.name);
        let note = format!("an array of 1 to {limit} is declared as so many resources");
        cx.diags.push(Diagnostic::error(Code::CAPABILITY, whole.span, message).note(note));
        return None;
    }
    let leaf = cx.leaf(global).map(|(id, leaf)| (id, Leaf { further: further.or(leaf.further), ..leaf.clone() }));
    let mut list = Vec::new();
    for flat in 0..count {
        let suffix = names.get(&flat).map_or_else(|| suffix(flat, &dims), |name| format!("_{name}"));
        let name = format!("{}{suffix}", whole.name);
        let mut element = Global::new(name.as_str(), ty, GlobalKind::Parameter, whole.span);
        element.modifiers = whole.modifiers;
        element.matrix_order = whole.matrix_order;
        element.attributes = whole.attributes.clone();
        element.explicit.image_format = whole.explicit.image_format;
        element.unit = whole.unit;
        element.file = whole.file;
        if let Some((id, leaf)) = &leaf {
            (element.origin, element.binding) = (Origin::Element(*id, flat), leaf.element_binding(flat));
        }
        if flat == 0 {
            element.comments = whole.comments.clone();
        }
        let id = cx.program.globals.push(element);
        cx.program.items.put_before(Some(Item::Global(global)), Item::Global(id));
        cx.program.parameters.put_before(None, id);
        list.push(id);
    }
    cx.program.items.remove(Item::Global(global));
    cx.program.parameters.remove(global);
    Some(Elements { list, dims })
}

/// `_1_2` for a flat index.
fn suffix(flat: u32, dims: &[u32]) -> String {
    let mut text = String::new();
    let mut rest = flat;
    let mut stride: u32 = dims.iter().product();
    for d in dims {
        stride /= d;
        text.push_str(&format!("_{}", rest / stride.max(1)));
        rest %= stride.max(1);
    }
    text
}

struct Uses<'a, 'b, 'c> {
    cx: &'a mut Context<'c>,
    body: &'b mut Body,
    arrays: &'a FxHashMap<GlobalId, Elements>,
    /// Functions made so far, by what they do.
    made: &'a mut FxHashMap<String, FunctionId>,
    function: FunctionId,
}

impl Uses<'_, '_, '_> {
    fn run(&mut self) {
        // First, as they may go into the functions that choose others.
        for id in self.body.expressions() {
            if let Some((global, indices)) = self.element(id)
                && let Some(flat) = self.constant(global, &indices)
            {
                self.body.exprs[id].kind = ExprKind::Global(flat);
            }
        }
        // Each round takes one element that is chosen at run time out of each operation.
        for _ in 0..16 {
            let mut any = false;
            let live = self.body.expressions();
            let parents = self.body.exprs.parents(&live);
            let roots: FxHashSet<ExprId> = self.statement_roots();
            // What is in an operation that was taken out is gone, or waits for the next round.
            let mut touched: FxHashSet<ExprId> = FxHashSet::default();
            for id in live {
                let Some((global, indices)) = self.element(id) else { continue };
                let operation = self.operation(id, &parents);
                if touched.contains(&id) || !touched.insert(operation) {
                    continue;
                }
                let parts = self.body.exprs.post_order(operation);
                if self.choose(id, operation, global, &indices, &parents, &roots) {
                    touched.extend(parts);
                    any = true;
                }
            }
            if !any {
                return;
            }
        }
    }

    fn statement_roots(&self) -> FxHashSet<ExprId> {
        let mut roots = FxHashSet::default();
        self.body.block.visit(&mut |s| {
            if let StmtKind::Expr(e) = s.kind {
                roots.insert(e);
            }
        });
        roots
    }

    /// The array and the indices of an expression that names one resource of an array.
    fn element(&self, id: ExprId) -> Option<(GlobalId, Vec<ExprId>)> {
        if !self.cx.program.types.get(self.body.exprs[id].ty).is_resource() {
            return None;
        }
        let mut indices = Vec::new();
        let mut node = id;
        while let ExprKind::Index(base, index) = self.body.exprs[node].kind {
            indices.push(index);
            node = base;
        }
        indices.reverse();
        let ExprKind::Global(g) = self.body.exprs[node].kind else { return None };
        let elements = self.arrays.get(&g)?;
        (elements.dims.len() == indices.len()).then_some((g, indices))
    }

    /// The element, if all indices are constants in range.
    fn constant(&self, global: GlobalId, indices: &[ExprId]) -> Option<GlobalId> {
        let elements = self.arrays.get(&global)?;
        let mut flat = 0u32;
        for (index, dim) in indices.iter().zip(&elements.dims) {
            let value = literal(self.cx.program, &self.body.exprs, *index)?;
            let value = u32::try_from(value).ok().filter(|v| v < dim)?;
            flat = flat * dim + value;
        }
        elements.list.get(flat as usize).copied()
    }

    /// The smallest expression around an element that is a value or does something.
    fn operation(&self, element: ExprId, parents: &FxHashMap<ExprId, ExprId>) -> ExprId {
        let mut node = element;
        while let Some(&parent) = parents.get(&node) {
            let on_path = match self.body.exprs[parent].kind {
                ExprKind::Index(base, _)
                | ExprKind::Field(base, _)
                | ExprKind::Contents(base)
                | ExprKind::Swizzle(base, _)
                | ExprKind::MatrixSwizzle(base, _) => base == node,
                _ => false,
            };
            let writes = match &self.body.exprs[parent].kind {
                ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) => *target == node,
                ExprKind::Call(f, args) => {
                    let resource = self.cx.program.types.get(self.body.exprs[node].ty).is_resource();
                    let at = args.iter().position(|a| *a == node);
                    let by_reference = at.and_then(|at| self.cx.program.functions[*f].params.get(at));
                    resource || by_reference.is_some_and(|p| p.mode != ParamMode::In)
                }
                _ => false,
            };
            if writes {
                return parent;
            }
            if !on_path {
                break;
            }
            node = parent;
        }
        node
    }

    /// Replaces an operation by a call of a function that chooses the element.
    fn choose(
        &mut self,
        element: ExprId,
        operation: ExprId,
        global: GlobalId,
        indices: &[ExprId],
        parents: &FxHashMap<ExprId, ExprId>,
        roots: &FxHashSet<ExprId>,
    ) -> bool {
        let Some(elements) = self.arrays.get(&global) else { return false };
        let span = self.body.exprs[operation].span;
        let statement = roots.contains(&operation);
        let is_write = matches!(self.body.exprs[operation].kind, ExprKind::Assign(..) | ExprKind::Step(..));
        if is_write && !statement {
            self.cx.unsupported(span, "an assignment to an element of an array of buffers as part of an expression");
            return false;
        }
        let mut spine: FxHashSet<ExprId> = path(parents, element, operation).collect();
        let twins = self.twins(operation, element, global, indices);
        spine.extend(twins.iter().flat_map(|(twin, _)| path(parents, *twin, operation)));
        let mut captured = Vec::new();
        let chosen = |id| id == element || twins.iter().any(|(twin, _)| *twin == id);
        if !self.capture(operation, &chosen, &spine, &mut captured) {
            self.cx
                .unsupported(span, "a variable that is written by an operation on an element of an array of resources");
            return false;
        }
        let ty = if is_write { TypeId::VOID } else { self.body.exprs[operation].ty };
        let names = captured.iter().map(|c| self.name_of(*c, parents.get(c).copied())).collect();
        let chooser = Chooser { element, twins: &twins, operation, captured: &captured, names, result: ty, span };
        let function = self.function(global, &chooser, &elements.list);
        let flat = self.flat_index(indices, &elements.dims, span);
        let mut args = vec![flat];
        args.extend(captured);
        self.body.exprs[operation].kind = ExprKind::Call(function, args);
        self.body.exprs[operation].ty = ty;
        true
    }

    /// Elements of other arrays that the operation chooses by the same index, such as the sampler beside a texture.
    fn twins(
        &self,
        operation: ExprId,
        element: ExprId,
        global: GlobalId,
        indices: &[ExprId],
    ) -> Vec<(ExprId, GlobalId)> {
        let Some(own) = self.arrays.get(&global) else { return Vec::new() };
        let text = |list: &[ExprId]| -> Vec<String> {
            let of = |e: &ExprId| dump::expr_text(self.cx.program, &self.body.locals, &self.body.exprs, *e);
            list.iter().map(of).collect()
        };
        let wanted = text(indices);
        let pure = indices.iter().all(|i| is_pure(&self.body.exprs, *i));
        let mut twins = Vec::new();
        for id in self.body.exprs.post_order(operation).into_iter().filter(|id| pure && *id != element) {
            let Some((other, list)) = self.element(id) else { continue };
            let same = self.arrays.get(&other).is_some_and(|e| e.dims == own.dims) && text(&list) == wanted;
            if same {
                twins.push((id, other));
            }
        }
        twins
    }

    /// A name for what an operation uses: that of the parameter which it is for.
    fn name_of(&self, id: ExprId, parent: Option<ExprId>) -> Symbol {
        match parent.map(|p| &self.body.exprs[p].kind) {
            Some(ExprKind::Call(f, args)) => {
                let function = &self.cx.program.functions[*f];
                let param = args.iter().position(|a| *a == id).and_then(|at| function.params.get(at));
                param.map_or(Symbol::new("value"), |p| function.code.locals[p.local].name)
            }
            Some(ExprKind::Index(..)) => Symbol::new("element"),
            _ => super::hoist::temporary_name(self.cx.program, self.body, id),
        }
    }

    /// Collects what an operation uses besides the element, in order. False if that includes a place to write to.
    fn capture(
        &self,
        id: ExprId,
        chosen: &dyn Fn(ExprId) -> bool,
        spine: &FxHashSet<ExprId>,
        captured: &mut Vec<ExprId>,
    ) -> bool {
        if chosen(id) {
            return true;
        }
        if !spine.contains(&id) {
            if self.stays(id) {
                return true;
            }
            captured.push(id);
            return true;
        }
        let mut children = Vec::new();
        self.body.exprs[id].kind.children(&mut |c| children.push(c));
        if let ExprKind::Call(f, args) = &self.body.exprs[id].kind {
            let params = &self.cx.program.functions[*f].params;
            let written =
                params.iter().zip(args).any(|(p, a)| p.mode != ParamMode::In && !spine.contains(a) && !self.stays(*a));
            if written {
                return false;
            }
            // What the target wants to be constant is no parameter of the function that chooses.
            let is_constant = |(p, a): &(&Param, &ExprId)| {
                p.constant && eval(self.cx.program, &self.body.exprs, **a).is_ok() && !spine.contains(*a)
            };
            let constant: Vec<ExprId> = params.iter().zip(args).filter(is_constant).map(|(_, a)| *a).collect();
            children.retain(|child| !constant.contains(child));
        }
        children.into_iter().all(|c| self.capture(c, chosen, spine, captured))
    }

    /// A literal, or something that is named alike everywhere.
    fn stays(&self, id: ExprId) -> bool {
        let all = self.body.exprs.post_order(id);
        let kinds = all.iter().all(|e| {
            matches!(
                self.body.exprs[*e].kind,
                ExprKind::Literal(..)
                    | ExprKind::Global(_)
                    | ExprKind::Index(..)
                    | ExprKind::Field(..)
                    | ExprKind::Contents(_)
            )
        });
        // Elements that are chosen at run time are captured by their own operation first.
        kinds && !all.iter().any(|e| self.element(*e).is_some_and(|(g, i)| self.constant(g, &i).is_none()))
    }

    fn flat_index(&mut self, indices: &[ExprId], dims: &[u32], span: Span) -> ExprId {
        let mut b = Build::new(&mut self.cx.program.types, &mut self.body.exprs, span);
        let mut flat = None;
        for (index, dim) in indices.iter().zip(dims) {
            let index = b.convert(*index, TypeId::UINT);
            flat = Some(match flat {
                None => index,
                Some(outer) => {
                    let dim = b.uint(*dim);
                    let scaled = b.binary(BinaryOp::Mul, outer, dim);
                    b.binary(BinaryOp::Add, scaled, index)
                }
            });
        }
        flat.unwrap_or_else(|| b.uint(0))
    }

    /// The function that does an operation on the element of a number, made once for all alike operations.
    fn function(&mut self, global: GlobalId, chooser: &Chooser, elements: &[GlobalId]) -> FunctionId {
        let mut code = Body::default();
        let mut params = vec![parameter(&mut code, "index", TypeId::UINT, chooser.span)];
        let mut locals = Vec::new();
        for (id, name) in chooser.captured.iter().zip(&chooser.names) {
            let param = parameter(&mut code, name.as_str(), self.body.exprs[*id].ty, chooser.span);
            locals.push(param.local);
            params.push(param);
        }
        let mut cases = Vec::new();
        for (number, element) in (0u32..).zip(elements) {
            let last = number as usize + 1 == elements.len();
            let label = Build::new(&mut self.cx.program.types, &mut code.exprs, chooser.span).uint(number);
            let body = self.case(chooser, (number as usize, *element), &locals, &mut code);
            cases.push(SwitchCase::new(vec![(!last).then_some(label)], body));
        }
        let selector =
            Build::new(&mut self.cx.program.types, &mut code.exprs, chooser.span).local(LocalId(0), TypeId::UINT);
        code.block.stmts.push(Stmt::new(StmtKind::Switch(selector, cases, Hints::default()), chooser.span));
        let name = format!("{}_{}", self.cx.program.globals[global].name, self.verb(chooser.operation));
        let function = Function::new(name.as_str(), params, chooser.result, code, chooser.span);
        let key = key(self.cx.program, &function);
        if let Some(&made) = self.made.get(&key) {
            return made;
        }
        let id = self.cx.program.functions.push(function);
        self.cx.program.items.put_before(Some(Item::Function(self.function)), Item::Function(id));
        self.made.insert(key, id);
        id
    }

    fn case(
        &mut self,
        chooser: &Chooser,
        (number, element): (usize, GlobalId),
        locals: &[LocalId],
        code: &mut Body,
    ) -> Block {
        let from = &self.body.exprs;
        let copy = code.exprs.import(from, chooser.operation, &mut |exprs, id| {
            let twin = chooser.twins.iter().find(|(twin, _)| *twin == id);
            let twin = twin.and_then(|(_, array)| self.arrays.get(array)?.list.get(number).copied());
            let kind = if id == chooser.element {
                ExprKind::Global(element)
            } else if let Some(twin) = twin {
                ExprKind::Global(twin)
            } else {
                let at = chooser.captured.iter().position(|c| *c == id)?;
                ExprKind::Local(*locals.get(at)?)
            };
            Some(exprs.push(crate::tree::Expr { kind, ty: from[id].ty, span: chooser.span }))
        });
        let mut block = Block::default();
        if chooser.result == TypeId::VOID {
            block.stmts.push(Stmt::new(StmtKind::Expr(copy), chooser.span));
            block.stmts.push(Stmt::new(StmtKind::Break, chooser.span));
        } else {
            block.stmts.push(Stmt::new(StmtKind::Return(Some(copy)), chooser.span));
        }
        block
    }

    /// What an operation does, for a name.
    fn verb(&self, operation: ExprId) -> String {
        match &self.body.exprs[operation].kind {
            ExprKind::Call(f, _) => self.cx.program.functions[*f].name.as_str().trim_start_matches('_').to_owned(),
            ExprKind::Assign(None, ..) => "store".to_owned(),
            ExprKind::Assign(..) | ExprKind::Step(..) => "update".to_owned(),
            ExprKind::Field(base, index) => {
                let field = self.cx.program.field(self.body.exprs[*base].ty, *index);
                field.map_or("load", |f| f.name.as_str()).to_owned()
            }
            _ => "load".to_owned(),
        }
    }
}

/// An expression and those around it, up to one of them.
fn path(parents: &FxHashMap<ExprId, ExprId>, from: ExprId, to: ExprId) -> impl Iterator<Item = ExprId> + use<'_> {
    std::iter::successors(Some(from), move |node| parents.get(node).copied().filter(|_| *node != to))
}

/// An operation on an element.
struct Chooser<'a> {
    element: ExprId,
    /// Elements of other arrays that are chosen along with it.
    twins: &'a [(ExprId, GlobalId)],
    operation: ExprId,
    captured: &'a [ExprId],
    /// Names for what is captured.
    names: Vec<Symbol>,
    result: TypeId,
    span: Span,
}

fn parameter(code: &mut Body, name: &str, ty: TypeId, span: Span) -> Param {
    let local = code.add_local(name, ty, span);
    code.locals[local].constant = true;
    Param::new(local)
}

/// What a function is and does, as text.
fn key(program: &Program, function: &Function) -> String {
    let mut text = format!("{} {}", program.type_name(function.result), function.name);
    for (_, local) in function.code.locals.iter() {
        text.push_str(&program.type_name(local.ty));
        text.push(' ');
    }
    for root in function.code.roots() {
        text.push_str(&dump::expr_text(program, &function.code.locals, &function.code.exprs, root));
        text.push(';');
    }
    text
}

/// An integer that is written out, perhaps as the value of a constant.
fn literal(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<i64> {
    match exprs[id].kind {
        ExprKind::Literal(Literal::Int(value), _) => Some(value),
        ExprKind::Convert(a, _) => literal(program, exprs, a),
        ExprKind::Global(g) if program.globals[g].kind == GlobalKind::Const => {
            program.globals[g].init.as_ref().and_then(|init| literal(program, &init.exprs, init.root))
        }
        _ => None,
    }
}
