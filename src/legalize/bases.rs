//! Structs keep their bases where the target has such.
//!
//! Before: `struct Lamp { Light base; float size; }   lamp.base.power`
//! After:  `struct Lamp : Light { float size; }       lamp.power`
//!
//! A base stays a member where
//!
//! | what | why |
//! |---|---|
//! | a field of one has the name of a member of the other | it would hide that |
//! | a function of the base is called on a struct that has one of the name | that would be called |
//! | a builtin is given values of the struct, such as a payload | others have them, too |
//! | the base of a variable is written as a whole | DXC writes a copy |
//! | a method has the base of its object as a value | DXC reads no `this` as a value |
//!
//! That member has the name of its type (`lamp.Light.power`) where a field does not hide the type of its name.

use super::names::{self, locals};
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::{
    Body, ExprArena, ExprId, ExprKind, Function, FunctionBody, Item, Member, Program, Struct, StructId, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "bases",
    always: Some("what stays is known when all passes have changed what they change"),
    after: &["methods"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let may_stay = cx.profile.has(Capability::Methods);
    let mut kept = if may_stay { candidates(cx) } else { BTreeSet::new() };
    if !kept.is_empty() {
        let refused = refused(cx.program, &kept);
        kept.retain(|id| !refused.contains(id));
    }
    let hidden = cx.profile.facts.fields_hide_types;
    let named = |id| Some((id, cx.program.structs[names::base_of(cx.program, id).filter(|_| !hidden)?].name));
    let names: Vec<(StructId, Symbol)> = cx.program.structs.ids().filter_map(named).collect();
    for (id, name) in names.into_iter().filter(|(id, _)| !kept.contains(id)) {
        name_member(&mut cx.program.structs[id], name);
    }
    for (_, of) in cx.program.structs.iter_mut().filter(|(id, _)| !kept.contains(id)) {
        of.fields.iter_mut().for_each(|field| field.is_base = false);
    }
}

/// A base that is a member has the name of its type, unless another member has that.
fn name_member(of: &mut Struct, name: Symbol) {
    if of.fields.iter().all(|field| field.name != name) {
        of.fields.iter_mut().filter(|field| field.is_base).for_each(|field| field.name = name);
    }
}

/// The structs whose declarations may name their bases.
fn candidates(cx: &Context) -> BTreeSet<StructId> {
    let program = &*cx.program;
    let blocks = names::within_blocks(program, cx.profile);
    let methods = methods(program);
    let called = called_in_bases(program);
    let is_own = |id: StructId| {
        let of = &program.structs[id];
        !of.builtin && !of.made && !of.name.is_empty() && !blocks.contains(&id)
    };
    let may_stay = |id: &StructId| {
        let Some(of) = names::base_of(program, *id) else { return false };
        let fields = program.structs[*id].fields.iter().filter(|field| !field.is_base);
        let fields: FxHashSet<Symbol> = fields.map(|field| field.name).collect();
        let mut functions = methods.get(id).into_iter().flatten();
        let (fields_of_bases, functions_of_bases) = inherited(program, &methods, of);
        // A function may have the name of one of a base that is not meant where the struct is.
        let is_hidden = |name: &Symbol| {
            fields_of_bases.contains(name) || functions_of_bases.contains(name) && called.contains(&(*id, *name))
        };
        let is_clear = fields.is_disjoint(&fields_of_bases) && fields.is_disjoint(&functions_of_bases);
        is_own(*id) && is_own(of) && is_clear && !functions.any(is_hidden)
    };
    let structs = program.items.iter().filter_map(|item| match *item {
        Item::Struct(id) => Some(id),
        Item::Enum(_) | Item::Global(_) | Item::Function(_) => None,
    });
    structs.filter(may_stay).collect()
}

/// The names of the functions in each struct.
fn methods(program: &Program) -> FxHashMap<StructId, Vec<Symbol>> {
    let mut found: FxHashMap<StructId, Vec<Symbol>> = FxHashMap::default();
    for function in program.items.iter().filter_map(|item| item.function()).map(|id| &program.functions[id]) {
        let of = names::struct_of_member(program, function);
        of.into_iter().for_each(|of| found.entry(of).or_default().push(function.name));
    }
    found
}

/// The names of the fields and functions in a struct and in the bases that it has itself.
fn inherited(
    program: &Program,
    methods: &FxHashMap<StructId, Vec<Symbol>>,
    id: StructId,
) -> (FxHashSet<Symbol>, FxHashSet<Symbol>) {
    let (mut fields, mut functions): (FxHashSet<Symbol>, FxHashSet<Symbol>) = Default::default();
    let mut next = Some(id);
    // A struct is no base of itself.
    while let Some(id) = next {
        fields.extend(program.structs[id].fields.iter().map(|field| field.name));
        functions.extend(methods.get(&id).into_iter().flatten());
        next = names::base_of(program, id);
    }
    (fields, functions)
}

/// The functions that are called on bases of structs, by the structs and their names.
fn called_in_bases(program: &Program) -> FxHashSet<(StructId, Symbol)> {
    let mut found = FxHashSet::default();
    program.each_exprs(&mut |exprs, live| {
        for id in live {
            let ExprKind::Call(callee, args) = &exprs[*id].kind else { continue };
            let callee = &program.functions[*callee];
            let mut object = args.first().copied().filter(|_| callee.member == Member::Method);
            while let Some((of, inner)) = object.and_then(|id| base_of_object(program, exprs, id)) {
                found.insert((of, callee.name));
                object = Some(inner);
            }
        }
    });
    found
}

/// The structs among some that something is asked of which only a member can do.
fn refused(program: &Program, among: &BTreeSet<StructId>) -> BTreeSet<StructId> {
    let mut found = BTreeSet::new();
    let mut given: BTreeSet<TypeId> = BTreeSet::new();
    program.each_exprs(&mut |exprs, live| {
        for id in live {
            let args = match &exprs[*id].kind {
                ExprKind::Call(callee, args) if !matches!(program.functions[*callee].body, FunctionBody::Block) => args,
                ExprKind::Native(_, args) => args,
                _ => continue,
            };
            // What is in a buffer, DXC lays out alike.
            let of_buffer = args.first().is_some_and(|of| matches!(program.types.get(exprs[*of].ty), Type::Buffer(..)));
            if !of_buffer {
                given.extend(args.iter().chain([id]).map(|id| exprs[*id].ty));
            }
        }
    });
    let is_given = |id: &&StructId| given.iter().any(|ty| program.holds_struct(*ty, **id));
    found.extend(among.iter().filter(is_given).copied());
    for id in program.functions_with_code() {
        let function = &program.functions[id];
        found.extend(as_values(program, function).into_iter().filter(|id| among.contains(id)));
    }
    found
}

/// The structs whose base a function writes as a whole, or has of its own object as a value.
fn as_values(program: &Program, function: &Function) -> Vec<StructId> {
    let body = &function.code;
    let live = body.expressions();
    let (mut selected, mut written): (FxHashSet<ExprId>, FxHashSet<ExprId>) = Default::default();
    for id in &live {
        match &body.exprs[*id].kind {
            ExprKind::Field(object, _) => selected.extend([*object]),
            ExprKind::Call(callee, args) if program.functions[*callee].member == Member::Method => {
                selected.extend(args.first());
            }
            _ => {}
        }
        program.each_written(&body.exprs, *id, &mut |place| written.extend([place]));
    }
    let is_value =
        |id: &&ExprId| !selected.contains(id) && (written.contains(id) || is_own_object(program, function, **id));
    live.iter().filter(is_value).filter_map(|id| with_base(program, body, *id)).collect()
}

/// Whether an expression is the object of a method in a struct, or a base of it.
fn is_own_object(program: &Program, function: &Function, id: ExprId) -> bool {
    function.is_member() && locals::is_object(&function.code, program.without_bases(&function.code.exprs, id))
}

/// The struct of which an expression is the base.
fn with_base(program: &Program, body: &Body, id: ExprId) -> Option<StructId> {
    base_of_object(program, &body.exprs, id).map(|(of, _)| of)
}

/// The struct and object of which an expression is the base.
fn base_of_object(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<(StructId, ExprId)> {
    let ExprKind::Field(object, index) = exprs[id].kind else { return None };
    let ty = exprs[object].ty;
    match program.types.get(ty) {
        Type::Struct(of) => program.field(ty, index).is_some_and(|field| field.is_base).then_some((of, object)),
        _ => None,
    }
}
