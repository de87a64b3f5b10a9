//! Methods stay in their structs where the target has such, and a struct comes behind what its methods use. Those that the source
//! defines outside of the struct stay there, as do those that use what the struct itself has to stand before: the struct declares them.
//!
//! Before: `struct Light {...}  float g(float x) {...}  float Light::at(Light this, float t) { return g(t) * this.size; }`
//! After:  `float g(float x) {...}  struct Light {...; float at(float t) { return g(t) * size; } }`
//!
//! Static members stay in their structs, too: constants that are scalars, and what the source gives its value outside.
//!
//! Before: `const int Light_Count = 4;  struct Light {...}`
//! After:  `struct Light {...; static const int Count = 4; }`
//!
//! Those that cannot stay become functions and variables, when all get their names:
//!
//! | what | why |
//! |---|---|
//! | of a generic or an instance of one, a constructor, an accessor, an operator | the source has no such method |
//! | of the inside of a block, of a struct that is not declared | there is nothing to stand in |
//! | it uses its object as a whole, but to assign it | DXC reads no `this` as a value |
//! | it is called on what is no variable, part of one, element or result | DXC calls no methods on a cast or a list |
//! | its object may change by another name while it runs | a method has its object by reference, a parameter is a copy |
//! | it names something of the name of a field or method of its struct | it would mean that |
//! | the source gives a static member a value in the struct, and that is no scalar that operators make | DXC takes no such value there |
//! | a struct has to stand before what its static members, or others that use these, need | nothing of it is known there |
//!
//! A struct that nothing but its functions and static members are used of is declared if its fields are plain data.

use super::names::locals;
use super::{Context, Pass, names};
use crate::lex::Comment;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::analyses::items;
use crate::tree::{
    Access, BufferKind, Effects, ExprArena, ExprId, ExprKind, Function, FunctionBody, FunctionId, Global, GlobalId,
    GlobalKind, Item, Length, Member, Outside, ParamMode, Program, StructId, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PASS: Pass = Pass {
    name: "methods",
    always: Some("what stays is known when all passes have changed what they change"),
    after: &["dead_code", "local_constants"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let stay = cx.profile.has(Capability::Methods);
    let found = if stay { candidates(cx) } else { BTreeSet::new() };
    let leaves = |(id, function): (FunctionId, &Function)| {
        (function.member != Member::None && !found.contains(&id)).then_some(id)
    };
    let leaving: Vec<FunctionId> = cx.program.functions.iter().filter_map(leaves).collect();
    leaving.into_iter().for_each(|id| leave(cx.program, id));
    let variables = if stay { static_candidates(cx) } else { BTreeSet::new() };
    let leaves =
        |(id, global): (GlobalId, &Global)| (global.member.is_some() && !variables.contains(&id)).then_some(id);
    let leaving: Vec<GlobalId> = cx.program.globals.iter().filter_map(leaves).collect();
    leaving.into_iter().for_each(|id| cx.program.globals[id].member = None);
    if found.is_empty() && variables.is_empty() {
        return;
    }
    // One that goes may be what another one needs in its struct.
    loop {
        let (gone, variables) = (refused(cx), refused_variables(cx));
        if gone.is_empty() && variables.is_empty() {
            break;
        }
        gone.into_iter().for_each(|id| leave(cx.program, id));
        variables.into_iter().for_each(|id| cx.program.globals[id].member = None);
    }
    for id in in_circles(cx) {
        let function = &mut cx.program.functions[id];
        function.outside = Some(Outside { span: function.span, comments: Vec::new() });
    }
    let ordered = ordered(cx.program);
    cx.program.items = ordered.into();
}

/// Makes a method a function. What is said of it where it is declared and where it is defined stands before it.
fn leave(program: &mut Program, id: FunctionId) {
    let function = &mut program.functions[id];
    function.member = Member::None;
    let Some(outside) = function.outside.take() else { return };
    function.comments.iter_mut().for_each(|comment| comment.trailing = false);
    let is_first = function.comments.is_empty();
    let mut comments = outside.comments.into_iter();
    let first = comments.next().map(|first| Comment { blank_before: is_first && first.blank_before, ..first });
    function.comments.extend(first.into_iter().chain(comments));
}

/// The listed static members of structs as of now.
fn variables(program: &Program) -> impl Iterator<Item = (GlobalId, StructId)> + '_ {
    program.listed_globals().filter_map(|id| Some((id, names::struct_of_variable(program, &program.globals[id])?)))
}

/// The listed functions that stand in structs as of now.
fn members(program: &Program) -> impl Iterator<Item = (FunctionId, StructId)> + '_ {
    let functions = program.items.iter().filter_map(|item| item.function());
    functions.filter_map(|id| Some((id, names::struct_of_member(program, &program.functions[id])?)))
}

/// The methods that could stay as far as their declarations and structs are concerned.
fn candidates(cx: &Context) -> BTreeSet<FunctionId> {
    let program = &*cx.program;
    let roots: FxHashSet<FunctionId> = program.entry_points.iter().flat_map(|entry| entry.roots()).collect();
    let has_struct = hosts(cx);
    // Copies of one method for several arguments, and methods of one name with and without an object, are not distinguished.
    let mut places: FxHashMap<(StructId, Span), usize> = FxHashMap::default();
    let mut kinds: FxHashMap<(StructId, Symbol), BTreeSet<bool>> = FxHashMap::default();
    for (id, of) in members(program) {
        let function = &program.functions[id];
        *places.entry((of, function.span)).or_default() += 1;
        kinds.entry((of, function.name)).or_default().insert(function.member == Member::Static);
    }
    let found = members(program).filter(|(id, of)| {
        let function = &program.functions[*id];
        !roots.contains(id)
            && has_struct(*of)
            && is_plain(program, function)
            && places.get(&(*of, function.span)) == Some(&1)
            && kinds.get(&(*of, function.name)).is_some_and(|kinds| kinds.len() == 1)
    });
    found.map(|(id, _)| id).collect()
}

/// The static members that could stay as far as their declarations and structs are concerned.
fn static_candidates(cx: &Context) -> BTreeSet<GlobalId> {
    let program = &*cx.program;
    let has_struct = hosts(cx);
    let mut counts: FxHashMap<(StructId, Symbol), usize> = FxHashMap::default();
    let is_outside = |global: &Global| global.member.as_ref().is_some_and(|member| member.outside.is_some());
    let name = |id: GlobalId| program.globals[id].member.as_ref().map(|member| member.name);
    for (id, of) in variables(program) {
        name(id).into_iter().for_each(|name| *counts.entry((of, name)).or_default() += 1);
    }
    let found = variables(program).filter(|(id, of)| {
        let global = &program.globals[*id];
        let is_variable = match global.kind {
            GlobalKind::Const => is_outside(global) || is_scalar_constant(program, *id),
            GlobalKind::Static => is_outside(global) && !program.holds_resource(global.ty),
            GlobalKind::Parameter
            | GlobalKind::Groupshared
            | GlobalKind::Specialization
            | GlobalKind::Input
            | GlobalKind::Output
            | GlobalKind::Passed
            | GlobalKind::Heap => false,
        };
        is_variable && has_struct(*of) && name(*id).is_some_and(|name| counts.get(&(*of, name)) == Some(&1))
    });
    found.map(|(id, _)| id).collect()
}

/// Whether a variable is a scalar whose value operators make of literals and others like it.
fn is_scalar_constant(program: &Program, id: GlobalId) -> bool {
    let is_scalar = |ty: TypeId| matches!(program.types.get(ty), Type::Scalar(_) | Type::Enum(_));
    let (mut open, mut seen) = (vec![id], FxHashSet::default());
    while let Some(id) = open.pop() {
        let global = &program.globals[id];
        let Some(value) = global.init.as_ref().filter(|_| global.kind == GlobalKind::Const) else { return false };
        if !seen.insert(id) {
            continue;
        }
        let parts = value.exprs.post_order(value.root);
        let is_plain = |id: &ExprId| {
            let is_operation = matches!(
                value.exprs[*id].kind,
                ExprKind::Literal(..)
                    | ExprKind::Zero
                    | ExprKind::EnumCase(..)
                    | ExprKind::Global(_)
                    | ExprKind::Convert(..)
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Select(..)
            );
            is_operation && is_scalar(value.exprs[*id].ty)
        };
        if !parts.iter().all(is_plain) {
            return false;
        }
        open.extend(parts.iter().filter_map(|id| match value.exprs[*id].kind {
            ExprKind::Global(used) => Some(used),
            _ => None,
        }));
    }
    true
}

/// Tells whether a struct is one in which functions and static members can stand.
fn hosts<'a>(cx: &'a Context) -> impl Fn(StructId) -> bool + 'a {
    let program = &*cx.program;
    let declared: FxHashSet<Item> = program.items.iter().copied().collect();
    let blocks = names::within_blocks(program, cx.profile);
    move |id| {
        // Nothing has been done for the target about the fields of one that is not declared.
        let is_declared = || declared.contains(&Item::Struct(id)) || program.structs[id].fields.is_empty();
        is_own(program, id) && !blocks.contains(&id) && is_declared()
    }
}

/// Whether a struct is one of the source.
fn is_own(program: &Program, id: StructId) -> bool {
    let of = &program.structs[id];
    !of.builtin && !of.made && of.instance.is_none() && !of.name.is_empty()
}

/// The struct in which an item could stand, if that has fields of numbers alone: it need not be used for anything else.
pub(super) fn plain_host(program: &Program, item: Item) -> Option<StructId> {
    host(program, item).filter(|id| is_plain_struct(program, *id))
}

fn is_plain_struct(program: &Program, id: StructId) -> bool {
    is_own(program, id) && program.structs[id].fields.iter().all(|field| is_data(program, field.ty))
}

/// Whether a type is made of numbers alone.
fn is_data(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Scalar(_) | Type::Vector(..) | Type::Matrix(..) | Type::Enum(_) => true,
        Type::Array(element, Length::Fixed(_)) => is_data(program, element),
        // A struct cannot contain itself, so this ends.
        Type::Struct(id) => is_plain_struct(program, id),
        _ => false,
    }
}

/// Whether a function is as the source has it: its object first, if it has one, and a result that a member can have.
fn is_plain(program: &Program, function: &Function) -> bool {
    let own = !function.builtin && !function.made && !function.returns_ref && function.instance.is_empty();
    let types = &program.types;
    let is_passed = |mode: ParamMode| mode != ParamMode::Ref;
    let object = function.params.first().filter(|_| function.is_method());
    let has_object = object.is_some_and(|p| Some(function.code.locals[p.local].ty) == function.owner);
    own && matches!(function.body, FunctionBody::Block)
        && !matches!(types.get(function.result), Type::Array(..))
        && function.params.iter().all(|p| is_passed(p.mode))
        && match function.member {
            Member::Method => has_object,
            Member::Static => object.is_none(),
            Member::None => false,
        }
}

/// The members that cannot stay by what they, and calls of them, are made of.
fn refused(cx: &Context) -> BTreeSet<FunctionId> {
    let program = &*cx.program;
    let mut found = BTreeSet::new();
    let open = names::open_blocks(program, cx.profile);
    let inside = names::members(program);
    let analyses = program.analyses();
    for (id, of) in members(program) {
        let function = &program.functions[id];
        let mentioned = locals::mentioned(program, (cx.profile.language, &open), function);
        let is_hidden = inside.get(&of).is_some_and(|inside| !mentioned.is_disjoint(inside));
        let globals = analyses.reached([id].into_iter()).1;
        let is_shared = globals.iter().any(|g| may_change(program, *g, of));
        if is_hidden || is_shared || says_this(program, function) {
            found.insert(id);
        }
    }
    let effects = program.effects();
    program.each_exprs(&mut |exprs, live| {
        for &id in live {
            if let ExprKind::Call(callee, args) = &exprs[id].kind
                && program.functions[*callee].is_member()
                && !is_called_plainly(program, &effects, exprs, (*callee, args))
            {
                found.insert(*callee);
            }
        }
    });
    found
}

/// The static members that cannot stay.
fn refused_variables(cx: &Context) -> BTreeSet<GlobalId> {
    let program = &*cx.program;
    let inside = names::members(program);
    let needed = if variables(program).next().is_some() { Needed::of_data(program) } else { Needed::default() };
    let is_refused = |(id, of): &(GlobalId, StructId)| {
        let global = &program.globals[*id];
        let fields = &program.structs[*of].fields;
        let is_hidden =
            |id: StructId, names: &FxHashSet<Symbol>| inside.get(&id).is_some_and(|inside| !names.is_disjoint(inside));
        let mut sizes = FxHashSet::default();
        fields.iter().for_each(|field| locals::in_sizes(program, (field.span, field.ty), &mut sizes));
        let is_taken = global.member.as_ref().is_some_and(|member| {
            let is_named = |id: FunctionId| program.functions[id].name == member.name;
            fields.iter().any(|field| field.name == member.name)
                || members(program).any(|(id, host)| host == *of && is_named(id))
        });
        let own = Item::Struct(*of);
        let is_circle =
            global.is_inside() && items::reached(needed.uses(own), &|item| needed.uses(item)).contains(&own);
        let open = names::open_blocks(program, cx.profile);
        let in_value = locals::in_value(program, (cx.profile.language, &open), global);
        is_hidden(*of, &in_value) || is_hidden(*of, &sizes) || is_taken || is_circle
    };
    variables(program).filter(is_refused).map(|(id, _)| id).collect()
}

/// Whether a variable of the module, or a buffer that can be written, holds values of a struct.
fn may_change(program: &Program, global: GlobalId, of: StructId) -> bool {
    let global = &program.globals[global];
    let is_written = |ty: Type| match ty {
        Type::Buffer(kind, access, _) => access != Access::Read || matches!(kind, BufferKind::Block(_)),
        _ => false,
    };
    match global.kind {
        GlobalKind::Static | GlobalKind::Groupshared => program.holds_struct(global.ty, of),
        GlobalKind::Parameter => {
            is_written(program.types.get(program.types.innermost(global.ty))) && program.holds_struct(global.ty, of)
        }
        GlobalKind::Const
        | GlobalKind::Specialization
        | GlobalKind::Input
        | GlobalKind::Output
        | GlobalKind::Passed
        | GlobalKind::Heap => false,
    }
}

/// Whether a method has its object as a value: it may select members, call other methods of the struct, and assign it.
fn says_this(program: &Program, function: &Function) -> bool {
    let body = &function.code;
    let live = body.expressions();
    let is_object = |id: &ExprId| locals::is_object(body, *id);
    let mut allowed: FxHashSet<ExprId> = FxHashSet::default();
    for id in &live {
        let object = match &body.exprs[*id].kind {
            ExprKind::Field(object, _) | ExprKind::Assign(None, object, _) => Some(*object),
            ExprKind::Call(callee, args) => {
                let callee = &program.functions[*callee];
                let is_own = callee.member == Member::Method && callee.owner == function.owner;
                args.first().copied().filter(|_| is_own)
            }
            _ => None,
        };
        allowed.extend(object.filter(is_object));
    }
    live.iter().any(|id| is_object(id) && !allowed.contains(id))
}

/// Whether a call means the same where the callee has its object by reference.
fn is_called_plainly(
    program: &Program,
    effects: &Effects,
    exprs: &ExprArena,
    (callee, args): (FunctionId, &[ExprId]),
) -> bool {
    let callee = &program.functions[callee];
    let Some((object, others)) = args.split_first().filter(|_| callee.member == Member::Method) else { return true };
    let base = |id: ExprId| &exprs[exprs.base(id)].kind;
    let is_same = |id: ExprId| match (base(id), base(*object)) {
        (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
        (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
        _ => false,
    };
    let params = callee.params.iter().skip(1).zip(others);
    let is_passed_twice = params.clone().any(|(param, arg)| param.mode != ParamMode::In && is_same(*arg));
    let changes = |arg: ExprId| {
        let local = exprs.base_local(*object);
        let is_written = |local| program.written_among(exprs, &exprs.post_order(arg)).contains(&local);
        effects.expr(exprs, arg) && local.is_none_or(is_written)
    };
    has_methods(program, exprs, *object) && !is_passed_twice && !others.iter().any(|arg| changes(*arg))
}

/// Whether methods can be called on an expression: a variable or a result, a part or an element of one.
fn has_methods(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    match &exprs[exprs.base(id)].kind {
        ExprKind::Local(_) | ExprKind::Global(_) => true,
        ExprKind::Call(callee, _) => {
            let callee = &program.functions[*callee];
            // Of the library's, those of buffers are written as methods.
            matches!(callee.body, FunctionBody::Block) || callee.owner.is_some()
        }
        _ => false,
    }
}

/// What has to stand before what stands on its own, where structs have methods and static members in them.
#[derive(Default)]
struct Needed {
    /// By the items that need it.
    all: FxHashMap<Item, Vec<Item>>,
}

impl Needed {
    fn of(program: &Program) -> Needed {
        Needed::among(program, &|_| true)
    }

    /// The same without methods, which may be defined outside of their structs.
    fn of_data(program: &Program) -> Needed {
        Needed::among(program, &|item| item.function().is_none() || host(program, item).is_none())
    }

    fn among(program: &Program, is_meant: &dyn Fn(Item) -> bool) -> Needed {
        let analyses = program.analyses();
        let declared_before = analyses.declared_before();
        let mut needed = Needed::default();
        for item in program.items.iter().filter(|item| is_meant(**item)) {
            let own = standing(program, *item);
            let uses = declared_before(*item).into_iter().map(|used| declaring(program, used, own));
            // A static method that is defined outside need not name its struct.
            let uses = uses.chain(host(program, *item).map(Item::Struct));
            needed.all.entry(own).or_default().extend(uses.filter(|used| *used != own));
        }
        needed
    }

    fn uses(&self, item: Item) -> Vec<Item> {
        self.all.get(&item).cloned().unwrap_or_default()
    }
}

/// The item in whose text another one stands.
fn standing(program: &Program, item: Item) -> Item {
    let is_inside = match item {
        Item::Function(id) => program.functions[id].outside.is_none(),
        Item::Global(id) => program.globals[id].is_inside(),
        Item::Struct(_) | Item::Enum(_) => false,
    };
    host(program, item).filter(|_| is_inside).map_or(item, Item::Struct)
}

/// The struct in which an item is declared, wherever it is defined.
fn host(program: &Program, item: Item) -> Option<StructId> {
    match item {
        Item::Function(id) => names::struct_of_member(program, &program.functions[id]),
        Item::Global(id) => names::struct_of_variable(program, &program.globals[id]),
        Item::Struct(_) | Item::Enum(_) => None,
    }
}

/// The item that has to stand before `own`, which uses one: of methods their struct, of values behind structs these, unless `own` is the
/// struct.
fn declaring(program: &Program, used: Item, own: Item) -> Item {
    let Some(of) = host(program, used).map(Item::Struct) else { return used };
    let has_value = matches!(used, Item::Global(_)) && standing(program, used) == used;
    if has_value && of != own { used } else { of }
}

/// The methods that cannot be defined in their structs, because they use what those have to stand before. What is declared later in the
/// source comes first: programs that share the structs are to find the same ones.
fn in_circles(cx: &Context) -> Vec<FunctionId> {
    let program = &*cx.program;
    let mut inside = Inside::of(program);
    let mut found = Vec::new();
    for is_first in [true, false] {
        for (id, of) in inside.methods() {
            // What its fields need is before it, wherever the source has that.
            let is_free = |used: &&Item| !inside.of_fields.get(&of).is_some_and(|fields| fields.contains(used));
            let mut used = inside.uses(id, of).iter().filter(is_free);
            let uses_later = used.any(|used| is_later(program, *used, of));
            let is_meant = uses_later || !is_first;
            if is_meant && (uses_later && cx.options.shared_structs || inside.is_circle(id, of)) {
                found.push(id);
                inside.remove(id, of);
            }
        }
    }
    found
}

/// Whether a struct comes behind another one in a file.
fn is_later(program: &Program, item: Item, of: StructId) -> bool {
    let behind = item.structure().map(|id| program.structs[id].span);
    let of = program.structs[of].span;
    behind.is_some_and(|behind| behind.file == of.file && behind.start > of.start)
}

/// The methods that are defined in their structs.
struct Inside {
    needed: Needed,
    /// What the fields of structs need.
    of_fields: FxHashMap<StructId, Vec<Item>>,
    /// What each method needs beside its struct.
    methods: BTreeMap<StructId, BTreeMap<FunctionId, Vec<Item>>>,
}

impl Inside {
    fn of(program: &Program) -> Inside {
        let analyses = program.analyses();
        let declared_before = analyses.declared_before();
        let mut inside =
            Inside { needed: Needed::of(program), of_fields: FxHashMap::default(), methods: BTreeMap::new() };
        for (id, of) in members(program).filter(|(id, _)| program.functions[*id].outside.is_none()) {
            let used = declared_before(Item::Function(id)).into_iter();
            let used = used.map(|used| declaring(program, used, Item::Struct(of)));
            let used = used.filter(|used| *used != Item::Struct(of)).collect();
            inside.methods.entry(of).or_default().insert(id, used);
            inside.of_fields.entry(of).or_insert_with(|| declared_before(Item::Struct(of)));
        }
        inside
    }

    fn methods(&self) -> Vec<(FunctionId, StructId)> {
        self.methods.iter().flat_map(|(of, methods)| methods.keys().map(|id| (*id, *of))).collect()
    }

    fn uses(&self, id: FunctionId, of: StructId) -> &[Item] {
        self.methods.get(&of).and_then(|methods| methods.get(&id)).map_or(&[], Vec::as_slice)
    }

    fn is_circle(&self, id: FunctionId, of: StructId) -> bool {
        items::reached(self.uses(id, of).iter().copied(), &|item| self.needed.uses(item)).contains(&Item::Struct(of))
    }

    /// One is defined outside from now on.
    fn remove(&mut self, id: FunctionId, of: StructId) {
        let Some(methods) = self.methods.get_mut(&of) else { return };
        methods.remove(&id);
        let fields = self.of_fields.get(&of).into_iter().flatten();
        let left = fields.chain(methods.values().flatten()).copied().collect();
        self.needed.all.insert(Item::Struct(of), left);
    }
}

/// The items, each behind what it uses, and what stands in structs behind these.
fn ordered(program: &Program) -> Vec<Item> {
    let needed = Needed::of(program);
    let listed: FxHashSet<Item> = program.items.iter().map(|item| standing(program, *item)).collect();
    let roots = program.items.iter().map(|item| standing(program, *item));
    let order = items::in_order_of_use(roots, &|item| needed.uses(item), &|item| listed.contains(&item));
    let mut methods: FxHashMap<StructId, Vec<Item>> = FxHashMap::default();
    let inside = variables(program).filter(|(id, _)| program.globals[*id].is_inside());
    inside.for_each(|(id, of)| methods.entry(of).or_default().push(Item::Global(id)));
    let inside = members(program).filter(|(id, _)| program.functions[*id].outside.is_none());
    inside.for_each(|(id, of)| methods.entry(of).or_default().push(Item::Function(id)));
    let with_methods = |item: Item| {
        let own = match item {
            Item::Struct(id) => methods.get(&id).cloned().unwrap_or_default(),
            Item::Enum(_) | Item::Global(_) | Item::Function(_) => Vec::new(),
        };
        [item].into_iter().chain(own)
    };
    order.into_iter().flat_map(with_methods).collect()
}
