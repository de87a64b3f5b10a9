//! Enums become their tag type, and their cases constants.
//!
//! Before: `enum Mode { Flat, Lit = 1 << 2 }      Mode m = Mode::Lit;`
//! After:  `static const int Mode_Lit = 1 << 2;   int m = Mode_Lit;`
//!
//! Case labels of a `switch` name the constants too. Those of an enum whose cases are in no scope of their own keep their names.
//!
//! Where the language has enums, only those become constants of which something is asked that it refuses.

use super::needs::Find;
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::{
    BufferKind, Build, EnumId, Expr, ExprArena, ExprId, ExprKind, ExprKinds, ExprTree, FunctionBody, Global, GlobalId,
    GlobalKind, Item, NumberName, Program, Scalar, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) const PASS: Pass = Pass {
    name: "lower_enums",
    // The numbers and bools that enums are, and that are switched over.
    adds: &[
        Capability::Int8,
        Capability::Int16,
        Capability::Int64,
        Capability::SwitchWidths,
        Capability::BoolInBuffers,
        Capability::BoolBitOperators,
        Capability::BoolXor,
        // The elements that arrays in uniform blocks have then, and what is copied between blocks and buffers.
        Capability::SparseUniformArrays,
        Capability::BufferCopies,
    ],
    removes: &[
        (Capability::Enums, Find::Type(|_, t| matches!(t, Type::Enum(_)))),
        (Capability::Enums, Find::Field(|p, field| has_case(p.size_names(field.span, field.ty)))),
        (Capability::Enums, Find::Global(|p, global| has_case(p.size_names(global.span, global.ty)))),
        (Capability::Enums, Find::Function(|p, function| has_case(p.number_names(function, &function.code)))),
        (Capability::FreeEnums, Find::Type(|p, t| refused_by_type(p, *t).is_some())),
        (
            Capability::FreeEnums,
            Find::at(ExprKinds::CALL.or(ExprKinds::NATIVE).or(ExprKinds::ASSIGN), |p, exprs, id| {
                refused_by_use(p, exprs, id).is_some()
            }),
        ),
    ],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let lowered: BTreeSet<EnumId> = match cx.profile.has(Capability::Enums) {
        true => refused(cx.program),
        false => cx.program.enums.ids().collect(),
    };
    let tags: FxHashMap<EnumId, Scalar> = lowered.iter().map(|id| (*id, cx.program.enums[*id].tag)).collect();
    let constants = declare_constants(cx, &tags);
    let name_constant = |expr: &mut Expr| {
        if let ExprKind::EnumCase(e, index) = expr.kind
            && let Some(&global) = constants.get(&(e, index))
        {
            expr.kind = ExprKind::Global(global);
        }
    };
    cx.program.each_exprs_mut(&mut |_, exprs, live| live.iter().for_each(|id| name_constant(&mut exprs[*id])));
    if cx.program.written_numbers.has_names() {
        let numbers = Arc::make_mut(&mut cx.program.written_numbers);
        numbers.each_exprs_mut(&mut |exprs| exprs.iter_mut().for_each(|(_, expr)| name_constant(expr)));
        let types = &cx.program.types;
        let tag = |ty: TypeId| match types.get(ty) {
            Type::Enum(e) => tags.get(&e).and_then(|tag| scalar_of(*tag)),
            _ => None,
        };
        numbers.each_exprs_mut(&mut |exprs| {
            exprs.iter_mut().for_each(|(_, expr)| expr.ty = tag(expr.ty).unwrap_or(expr.ty));
            let all: Vec<ExprId> = exprs.iter().map(|(id, _)| id).collect();
            drop_void_conversions_in(exprs, &all);
        });
    }
    cx.program.map_types(&mut |types, ty| match types.get(ty) {
        Type::Enum(e) => tags.get(&e).map_or(ty, |tag| types.scalar(*tag)),
        _ => ty,
    });
    drop_void_conversions(cx);
}

/// Whether a case of an enum is among the names in numbers.
fn has_case(names: Vec<NumberName>) -> bool {
    names.iter().any(|name| matches!(name, NumberName::Case(..)))
}

/// The enums of which something is asked that languages with enums refuse.
fn refused(program: &Program) -> BTreeSet<EnumId> {
    let mut found: BTreeSet<EnumId> =
        program.types.ids().filter_map(|ty| refused_by_type(program, program.types.get(ty))).collect();
    program.each_exprs(&mut |exprs, live| {
        live.iter().for_each(|id| found.extend(refused_by_use(program, exprs, *id).unwrap_or_default()));
    });
    found
}

/// An enum without a name, of other integers than those of 32 bits, or as a texel.
fn refused_by_type(program: &Program, ty: Type) -> Option<EnumId> {
    let texel = match ty {
        Type::Enum(id) => {
            let of = &program.enums[id];
            let is_plain = !of.name.is_empty() && matches!(of.tag, Scalar::I32 | Scalar::U32);
            return Some(id).filter(|_| !is_plain);
        }
        Type::Buffer(BufferKind::Typed, _, element) | Type::SubpassInput(element, _) => element,
        Type::Texture(texture) => texture.element,
        _ => return None,
    };
    enums_in(program, texel).first().copied()
}

/// The enums that an argument or the result of a builtin holds, and an `enum class` whose values an operator changes.
fn refused_by_use(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<Vec<EnumId>> {
    let found = match &exprs[id].kind {
        ExprKind::Call(callee, args) => {
            let callee = &program.functions[*callee];
            // What an element of a buffer or a vertex of a stream is, is not asked.
            let is_element = args.first().is_some_and(|of| match program.types.get(exprs[*of].ty) {
                Type::Buffer(kind, ..) => matches!(
                    kind,
                    BufferKind::Structured(_) | BufferKind::Append(_) | BufferKind::Consume(_) | BufferKind::Block(_)
                ),
                other => matches!(other, Type::Stream(..)),
            });
            let is_own = is_element || matches!(callee.body, FunctionBody::Block) && !callee.builtin;
            let values = args.iter().map(|arg| exprs[*arg].ty).chain([exprs[id].ty]);
            if is_own { Vec::new() } else { values.flat_map(|ty| enums_in(program, ty)).collect() }
        }
        ExprKind::Native(_, args) => {
            let values = args.iter().map(|arg| exprs[*arg].ty).chain([exprs[id].ty]);
            values.flat_map(|ty| enums_in(program, ty)).collect()
        }
        ExprKind::Assign(Some(_), target, _) => match program.types.get(exprs[*target].ty) {
            Type::Enum(e) if program.enums[e].strict => vec![e],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    Some(found).filter(|found| !found.is_empty())
}

/// The enums in a type.
fn enums_in(program: &Program, ty: TypeId) -> Vec<EnumId> {
    let mut found = Vec::new();
    program.any_leaf(ty, &mut |leaf| {
        if let Type::Enum(id) = leaf {
            found.push(id);
        }
        false
    });
    found
}

/// A constant for every case that is used, listed where the enum was.
fn declare_constants(cx: &mut Context, tags: &FxHashMap<EnumId, Scalar>) -> FxHashMap<(EnumId, u32), GlobalId> {
    let mut names = declared_names(cx.program);
    let mut used = BTreeSet::new();
    cx.program.each_exprs(&mut |exprs, live| {
        for &id in live {
            if let ExprKind::EnumCase(e, index) = exprs[id].kind
                && tags.contains_key(&e)
            {
                used.insert((e, index));
            }
        }
    });
    used.extend(cx.program.written_numbers.all_names().filter_map(|name| match name {
        NumberName::Case(e, index) if tags.contains_key(&e) => Some((e, index)),
        NumberName::Case(..) | NumberName::Constant(_) | NumberName::Local(..) => None,
    }));
    // Cases that others are made of come before them.
    for (e, index) in used.clone().into_iter().rev() {
        use_parts(cx.program, (e, index), &mut used);
    }
    // Enums that others name come before them.
    let order: FxHashMap<Item, usize> = cx.program.items.iter().enumerate().map(|(at, item)| (*item, at)).collect();
    let mut used: Vec<(EnumId, u32)> = used.into_iter().collect();
    used.sort_by_key(|(e, index)| (order.get(&Item::Enum(*e)), *index));
    let mut constants = FxHashMap::default();
    let mut introduced = None;
    for (e, index) in used {
        let Some(tag) = tags.get(&e) else { continue };
        let ty = cx.program.types.scalar(*tag);
        let Some(mut global) = constant(cx, (e, index), ty, (&constants, &names)) else { continue };
        names.insert(global.name);
        // What was said before the enum stands before the first constant that is left of it.
        if introduced.replace(e) != Some(e) {
            global.comments.splice(0..0, cx.program.enums[e].comments.iter().cloned());
        }
        let id = cx.program.globals.push(global);
        cx.program.items.put_before(Some(Item::Enum(e)), Item::Global(id));
        constants.insert((e, index), id);
    }
    cx.program.items.settle();
    cx.program.items.retain(|i| !matches!(i, Item::Enum(e) if tags.contains_key(e)));
    constants
}

/// The names that other declarations have.
fn declared_names(program: &Program) -> FxHashSet<Symbol> {
    let name = |item: Item| match item {
        Item::Struct(id) => program.structs[id].name,
        Item::Enum(id) => program.enums[id].name,
        Item::Global(id) => program.globals[id].name,
        Item::Function(id) => program.functions[id].name,
    };
    let roots = program.entry_points.iter().map(|entry| program.functions[entry.function].name);
    program.items.iter().map(|item| name(*item)).chain(roots).collect()
}

/// Adds the cases that a case is made of. Each is before it.
fn use_parts(program: &Program, case: (EnumId, u32), used: &mut BTreeSet<(EnumId, u32)>) {
    let mut open = vec![case];
    while let Some((e, index)) = open.pop() {
        let case = program.enums[e].cases.get(index as usize);
        let Some(written) = case.and_then(|case| case.written.as_ref()) else { continue };
        for (_, expr) in written.exprs.iter() {
            if let ExprKind::EnumCase(of, part) = expr.kind
                && used.insert((of, part))
            {
                open.push((of, part));
            }
        }
    }
}

/// The constant of a case, where those before it have some.
fn constant(
    cx: &mut Context,
    (e, index): (EnumId, u32),
    ty: TypeId,
    (before, names): (&FxHashMap<(EnumId, u32), GlobalId>, &FxHashSet<Symbol>),
) -> Option<Global> {
    let declared = &cx.program.enums[e];
    let case = declared.cases.get(index as usize)?.clone();
    let is_alone = declared.name.is_empty() || !declared.scoped && !names.contains(&case.name);
    let name = if is_alone { case.name.to_string() } else { format!("{}_{}", declared.name, case.name) };
    let span = case.span;
    let value = case
        .written
        .and_then(|written| with_constants(written, before))
        .map(|written| of_type(written, ty))
        .unwrap_or_else(|| {
            let mut exprs = crate::tree::ExprArena::default();
            let root = Build::new(&mut cx.program.types, &mut exprs, declared.span).number(case.value, ty);
            ExprTree { exprs, root }
        });
    let mut global = Global::new(name.as_str(), ty, GlobalKind::Const, span);
    global.comments = case.comments;
    global.init = Some(value);
    Some(global)
}

/// A value with the constants of the cases that it names.
fn with_constants(value: ExprTree, constants: &FxHashMap<(EnumId, u32), GlobalId>) -> Option<ExprTree> {
    let mut value = value;
    let ids: Vec<_> = value.exprs.iter().map(|(id, _)| id).collect();
    for id in ids {
        if let ExprKind::EnumCase(e, index) = value.exprs[id].kind {
            value.exprs[id].kind = ExprKind::Global(*constants.get(&(e, index))?);
        }
    }
    Some(value)
}

/// A value as one of a type.
fn of_type(mut value: ExprTree, ty: TypeId) -> ExprTree {
    let Expr { ty: own, span, .. } = value.exprs[value.root];
    if own != ty {
        value.root = value.exprs.push(Expr { kind: ExprKind::Convert(value.root, false), ty, span });
    }
    value
}

/// What converted between an enum and its own tag type converts nothing now.
fn drop_void_conversions(cx: &mut Context) {
    cx.program.each_exprs_mut(&mut |_, exprs, live| drop_void_conversions_in(exprs, live));
}

fn drop_void_conversions_in(exprs: &mut ExprArena, live: &[ExprId]) {
    for &id in live {
        if let Expr { kind: ExprKind::Convert(inner, _), ty, .. } = exprs[id]
            && exprs[inner].ty == ty
        {
            exprs.replace_by(id, inner);
        }
    }
}

/// The type of the numbers that cases in sizes are.
fn scalar_of(tag: Scalar) -> Option<TypeId> {
    match tag {
        Scalar::I32 => Some(TypeId::INT),
        Scalar::U32 => Some(TypeId::UINT),
        _ => None,
    }
}
