//! Memory that is accessed atomically is declared so, and accessed so everywhere.
//!
//! Before: `groupshared uint count;             count = 0;                InterlockedAdd(count, 1);   n = count;`
//! After:  `groupshared Atomic<uint> count;     atomicStore(count, 0);    atomicAdd(count, 1);        n = atomicLoad(count);`
//!
//! An intrinsic of the library that takes its first argument by reference is an atomic operation on it. A struct or array
//! with an atomic part cannot be copied as a whole in such targets: it is copied part by part ([`copies`]), and a struct
//! that variables are of, too, has a second declaration for where it is accessed atomically ([`twins`]). A vector with an
//! atomic component is an array of atomics, read and written by components ([`vectors`]).
//!
//! After `flatten` assignments are statements.

mod copies;
mod twins;
mod vectors;

use super::needs::{Find, callee};
use super::null_addresses::is_address;
use super::payloads::is_of_task;
use super::uniformity::UNIFORM_LOAD;
use super::{Context, Pass, bits};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use crate::stdlib::Operation;
use crate::target::Capability;
use crate::tree::{
    Attribute, AttributeArg, BinaryOp, BufferKind, Build, Expr, ExprArena, ExprId, ExprKind, ExprKinds, Field,
    Function, FunctionBody, FunctionId, GlobalId, GlobalKind, ParamMode, Program, Scalar, StructId, Template, Type,
    TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

pub(super) const PASS: Pass = Pass {
    name: "atomics",
    removes: &[(
        Capability::PlainlyAccessedAtomics,
        Find::at(ExprKinds::CALL, |p, exprs, id| {
            let Some((function, [target, ..])) = callee(p, exprs, id) else { return false };
            is_operation(function)
                && matches!(p.types.get(exprs[*target].ty), Type::Scalar(_))
                && !is_pointed_at(p, exprs, *target)
        }),
    )],
    after: &["counters", "flatten"],
    run,
    ..Pass::ROW
};

const NOT_SHARED: &str = "an atomic operation on something other than an element of a buffer or a shared variable";

const PART_OF_TEXEL: &str = "an atomic operation on one number of several in a texel";

/// Where atomic scalars are declared.
#[derive(Default)]
struct AtomicDecls {
    globals: BTreeSet<GlobalId>,
    fields: BTreeSet<(StructId, u32)>,
    /// Fields of second declarations that hold others of them.
    nested: Vec<(StructId, u32)>,
}

impl AtomicDecls {
    /// Whether the scalars of a place will be atomic.
    fn is_atomic(&self, program: &Program, exprs: &ExprArena, place: ExprId) -> bool {
        match exprs[place].kind {
            ExprKind::Index(base, _) => self.is_atomic(program, exprs, base),
            ExprKind::Global(global) => self.globals.contains(&global),
            ExprKind::Field(base, index) => match program.types.get(exprs[base].ty) {
                Type::Struct(s) => self.fields.contains(&(s, index)),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Structs that hold atomic scalars, in structs and arrays inside of them, too.
fn structs(program: &Program, places: &AtomicDecls) -> FxHashSet<StructId> {
    let direct: FxHashSet<StructId> = places.fields.iter().map(|(s, _)| *s).collect();
    program.structs.ids().filter(|s| holds(program, *s, &direct)).collect()
}

fn holds(program: &Program, id: StructId, direct: &FxHashSet<StructId>) -> bool {
    // A struct cannot contain itself, so this ends.
    direct.contains(&id)
        || program.structs[id].fields.iter().any(|f| match program.types.get(program.types.innermost(f.ty)) {
            Type::Struct(inner) => holds(program, inner, direct),
            _ => false,
        })
}

/// Intrinsics that operate atomically on their first argument.
fn operations(program: &Program) -> FxHashSet<FunctionId> {
    program.functions.iter().filter(|(_, f)| is_operation(f)).map(|(id, _)| id).collect()
}

/// Whether a function operates atomically on its first argument.
pub(super) fn is_operation(f: &Function) -> bool {
    f.builtin
        && matches!(f.body, FunctionBody::Intrinsic(_))
        && f.params.first().is_some_and(|p| p.mode == ParamMode::Ref)
        && !f.is_marked(UNIFORM_LOAD)
}

fn run(cx: &mut Context) {
    let language = cx.profile.language.name();
    let (load, store) = (Operation::AtomicLoad.spelling(language), Operation::AtomicStore.spelling(language));
    let operations = operations(cx.program);
    // What takes an address loads what is atomic, too.
    let mut addressed = operations.clone();
    addressed.extend(cx.program.marked(UNIFORM_LOAD));
    let mut faults = Vec::new();
    let mut places = find(cx.program, &operations, &mut faults);
    copies::write_out(cx, &places);
    vectors::take_apart(cx, &places);
    let mut types = twins::declare(cx.program, &mut places);
    types.extend(declare(cx.program, &places));
    let struct_fields: FxHashMap<(StructId, u32), TypeId> = fields(cx.program, &places);
    cx.program.each_exprs_mut(&mut |t, exprs, live| {
        let (globals, fields, operations) = (&types, &struct_fields, &addressed);
        Rewrite { types: t, exprs, globals, fields, operations, load, store, language }.run(live);
    });
    whole_values(cx.program, &mut faults);
    for (span, message) in faults {
        cx.unsupported(span, message);
    }
}

/// What atomic operations are applied to.
fn find(program: &Program, operations: &FxHashSet<FunctionId>, faults: &mut Vec<(Span, &'static str)>) -> AtomicDecls {
    let mut places = AtomicDecls::default();
    program.each_exprs(&mut |exprs, live| {
        for &id in live {
            let ExprKind::Call(f, args) = &exprs[id].kind else { continue };
            let (true, Some(&target)) = (operations.contains(f), args.first()) else { continue };
            let is_declared = !is_held(program, exprs, target) && !is_pointed_at(program, exprs, target);
            if is_declared && !(is_shared(program, exprs, target) && place(program, exprs, target, &mut places)) {
                faults.push((exprs[id].span, NOT_SHARED));
            }
        }
    });
    places
}

fn place(program: &Program, exprs: &ExprArena, target: ExprId, places: &mut AtomicDecls) -> bool {
    let mut id = target;
    loop {
        match exprs[id].kind {
            ExprKind::Index(base, _) if !matches!(program.types.get(exprs[base].ty), Type::Matrix(..)) => id = base,
            ExprKind::Swizzle(base, _) => id = base,
            ExprKind::Field(base, index) => {
                let Type::Struct(s) = program.types.get(exprs[base].ty) else { return false };
                places.fields.insert((s, index));
                return true;
            }
            ExprKind::Global(g) => {
                let shared = matches!(program.globals[g].kind, GlobalKind::Groupshared | GlobalKind::Parameter);
                shared.then(|| places.globals.insert(g));
                return shared;
            }
            _ => return false,
        }
    }
}

const NOT_OF_GROUP: &str = "a load of a work group from something other than a shared variable";

/// Reports atomic operations on what is no memory that invocations share: variables of functions, and of one invocation.
pub(super) fn check(program: &Program, diags: &mut Diagnostics) {
    let operations = operations(program);
    let loads = program.marked(UNIFORM_LOAD);
    let analyses = program.analyses();
    let mut reported = FxHashSet::default();
    for (id, from) in program.entry_points.iter().flat_map(|entry| analyses.paths(entry)) {
        let exprs = &program.functions[id].code.exprs;
        for expr in program.functions[id].code.expressions() {
            let ExprKind::Call(f, args) = &exprs[expr].kind else { continue };
            let span = from.unwrap_or(exprs[expr].span);
            let loaded = args.first().filter(|_| loads.contains(f));
            if loaded.is_some_and(|target| !is_groupshared(program, exprs, *target)) && reported.insert(span) {
                diags.push(Diagnostic::error(Code::CAPABILITY, span, NOT_OF_GROUP));
            }
            let target = args.first().filter(|_| operations.contains(f));
            let fault = target.and_then(|target| match () {
                () if !is_shared(program, exprs, *target) => Some(NOT_SHARED),
                () if is_part_of_texel(program, exprs, *target) => Some(PART_OF_TEXEL),
                () => None,
            });
            if let Some(fault) = fault
                && reported.insert(span)
            {
                diags.push(Diagnostic::error(Code::CAPABILITY, span, fault));
            }
        }
    }
}

fn is_groupshared(program: &Program, exprs: &ExprArena, target: ExprId) -> bool {
    let is = |g: GlobalId| program.globals[g].kind == GlobalKind::Groupshared;
    matches!(exprs[exprs.base(target)].kind, ExprKind::Global(g) if is(g))
}

/// Whether a place is where a device address points, which has no declaration to change.
fn is_pointed_at(program: &Program, exprs: &ExprArena, target: ExprId) -> bool {
    let refers = |id: ExprId| match exprs[id].kind {
        ExprKind::Deref(_) => true,
        ExprKind::Index(base, _) => is_address(program.types.get(exprs[base].ty)),
        _ => false,
    };
    exprs.any_part(target, refers)
}

/// Whether a place is in what a variable holds of a descriptor heap, which has no declaration either. A target without heaps says
/// so.
fn is_held(program: &Program, exprs: &ExprArena, target: ExprId) -> bool {
    let base = exprs.base(target);
    matches!(exprs[base].kind, ExprKind::Local(_)) && program.types.get(exprs[base].ty).is_resource()
}

/// Whether a place is not in a variable of one invocation alone. What such a variable points to or names as a resource is not.
fn is_shared(program: &Program, exprs: &ExprArena, target: ExprId) -> bool {
    let names = |id: ExprId| {
        let ty = program.types.get(exprs[id].ty);
        matches!(exprs[id].kind, ExprKind::Deref(_)) || ty.is_resource() || is_address(ty)
    };
    match exprs[exprs.base(target)].kind {
        ExprKind::Global(g) => match program.globals[g].kind {
            GlobalKind::Static | GlobalKind::Const | GlobalKind::Specialization => exprs.way_to_base(target).any(names),
            // What the group gives its mesh shaders is a variable of the group until then.
            GlobalKind::Passed => is_of_task(&program.globals[g]),
            GlobalKind::Input | GlobalKind::Output => false,
            GlobalKind::Parameter | GlobalKind::Groupshared | GlobalKind::Heap => true,
        },
        // The target's own variables are inputs and outputs.
        ExprKind::Local(_) | ExprKind::Native(..) => exprs.way_to_base(target).any(names),
        _ => true,
    }
}

/// Whether a place is a component of an element of a texture or typed buffer, which hold whole texels.
fn is_part_of_texel(program: &Program, exprs: &ExprArena, target: ExprId) -> bool {
    let is_of_texels = |id: ExprId| match program.types.get(exprs[id].ty) {
        Type::Texture(texture) => !matches!(program.types.get(texture.element), Type::Scalar(_)),
        Type::Buffer(BufferKind::Typed, _, element) => !matches!(program.types.get(element), Type::Scalar(_)),
        _ => false,
    };
    exprs.way_to_base(target).any(is_of_texels)
}

/// What is atomic in place of a scalar: of a float its bits.
fn stored(scalar: Scalar) -> Scalar {
    if scalar == Scalar::F32 { Scalar::U32 } else { scalar }
}

/// The type with its scalars atomic. Of vectors in arrays (`spaced`), each begins where it did.
fn atomic(types: &mut Types, ty: TypeId, spaced: bool) -> TypeId {
    match types.get(ty) {
        Type::Scalar(s) => types.intern(Type::Atomic(stored(s))),
        Type::Vector(s, count) => {
            let scalar = types.intern(Type::Atomic(stored(s)));
            let count = if spaced { count.next_power_of_two() } else { count };
            types.array(scalar, Some(count.into()))
        }
        Type::Array(..) | Type::Buffer(..) => {
            let inner = types.get(ty);
            match inner.element() {
                Some(element) => {
                    let element = atomic(types, element, true);
                    types.intern(inner.with_element(element))
                }
                None => ty,
            }
        }
        _ => ty,
    }
}

/// Changes the declarations; answers the types of globals.
fn declare(program: &mut Program, places: &AtomicDecls) -> FxHashMap<GlobalId, TypeId> {
    let mut map = FxHashMap::default();
    for &g in &places.globals {
        let ty = atomic(&mut program.types, program.globals[g].ty, false);
        program.globals[g].ty = ty;
        map.insert(g, ty);
    }
    for &(s, index) in &places.fields {
        if let Some(field) = program.structs[s].fields.get_mut(index as usize) {
            let align = vector_align(&program.types, field.ty);
            field.ty = atomic(&mut program.types, field.ty, false);
            keep_alignment(field, align);
        }
    }
    map
}

/// The alignment of vectors that a type is, or is an array of.
fn vector_align(types: &Types, ty: TypeId) -> Option<i64> {
    match types.get(types.innermost(ty)) {
        Type::Vector(s, count) => Some(i64::from(s.size()) * i64::from(count.next_power_of_two())),
        _ => None,
    }
}

/// A field that was of vectors stays where it is.
fn keep_alignment(field: &mut Field, align: Option<i64>) {
    if let Some(align) = align
        && !field.attributes.iter().any(|a| a.name == "__align")
    {
        let args = vec![AttributeArg::Int(align)];
        field.attributes.push(Attribute {
            name: "__align".into(),
            args,
            declared: false,
            written: None,
            span: field.span,
        });
    }
}

fn fields(program: &Program, places: &AtomicDecls) -> FxHashMap<(StructId, u32), TypeId> {
    let typed = |&(s, i): &(StructId, u32)| Some(((s, i), program.structs[s].fields.get(i as usize)?.ty));
    places.fields.iter().chain(&places.nested).filter_map(typed).collect()
}

struct Rewrite<'a> {
    types: &'a mut Types,
    exprs: &'a mut ExprArena,
    globals: &'a FxHashMap<GlobalId, TypeId>,
    fields: &'a FxHashMap<(StructId, u32), TypeId>,
    operations: &'a FxHashSet<FunctionId>,
    load: &'a Template,
    store: &'a Template,
    language: &'static str,
}

impl Rewrite<'_> {
    fn run(&mut self, live: &[ExprId]) {
        let mut targets: FxHashSet<ExprId> = FxHashSet::default();
        for &id in live {
            match &self.exprs[id].kind {
                ExprKind::Call(f, args) if self.operations.contains(f) => targets.extend(args.first()),
                ExprKind::Assign(_, target, _) | ExprKind::Step(_, _, target) | ExprKind::AddressOf(target) => {
                    targets.insert(*target);
                }
                _ => {}
            }
        }
        for &id in live {
            let old = self.exprs[id].ty;
            match self.exprs[id].kind {
                ExprKind::Global(_) | ExprKind::Field(..) | ExprKind::Index(..) => self.path(id, old, &targets),
                ExprKind::Assign(op, target, value) => self.assign(id, target, op, Some(value)),
                ExprKind::Step(up, _, target) => {
                    let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
                    self.assign(id, target, Some(op), None);
                }
                _ => {}
            }
        }
    }

    /// Gives a part of an access path its new type; a scalar at its end that is read is loaded.
    fn path(&mut self, id: ExprId, old: TypeId, targets: &FxHashSet<ExprId>) {
        let ty = match self.exprs[id].kind {
            ExprKind::Global(g) => self.globals.get(&g).copied(),
            ExprKind::Field(base, index) => match self.types.get(self.exprs[base].ty) {
                Type::Struct(s) => self.fields.get(&(s, index)).copied(),
                _ => None,
            },
            ExprKind::Index(base, _) => match self.types.get(self.exprs[base].ty) {
                Type::Array(t, _) | Type::Buffer(_, _, t) => Some(t),
                _ => None,
            },
            _ => None,
        };
        let Some(ty) = ty.filter(|ty| *ty != old) else { return };
        self.exprs[id].ty = ty;
        if matches!(self.types.get(ty), Type::Atomic(_)) && !targets.contains(&id) {
            let place = self.exprs.displace(id);
            let span = self.exprs[id].span;
            let value = self.loaded(place, ty, old, span);
            self.exprs.replace_by(id, value);
        }
    }

    /// The value of an atomic place of a type, which is of another where only its bits are atomic.
    fn loaded(&mut self, place: ExprId, stored: TypeId, plain: TypeId, span: Span) -> ExprId {
        let load = self.load.clone();
        let mut b = Build::new(self.types, self.exprs, span);
        match (b.types.get(stored), b.types.component(plain)) {
            (Type::Atomic(bits), Some(scalar)) if bits != scalar => {
                let word = b.types.scalar(bits);
                let word = b.native(load, vec![place], word);
                bits::of_word(&mut b, self.language, word, scalar).unwrap_or(word)
            }
            _ => b.native(load, vec![place], plain),
        }
    }

    fn assign(&mut self, id: ExprId, target: ExprId, op: Option<BinaryOp>, value: Option<ExprId>) {
        let stored = self.exprs[target].ty;
        let Type::Atomic(scalar) = self.types.get(stored) else { return };
        let Expr { ty: plain, span, .. } = self.exprs[id];
        let place = self.exprs.duplicate(target);
        let mut value = value.unwrap_or_else(|| Build::new(self.types, self.exprs, span).number(1, plain));
        if let Some(op) = op {
            let old = self.loaded(place, stored, plain, span);
            value = Build::new(self.types, self.exprs, span).binary(op, old, value);
        }
        let mut b = Build::new(self.types, self.exprs, span);
        if let Some(of) = b.types.component(plain).filter(|of| *of != scalar) {
            value = bits::to_word(&mut b, self.language, value, of).unwrap_or(value);
        }
        let stored = b.native(self.store.clone(), vec![target, value], TypeId::VOID);
        self.exprs.replace_by(id, stored);
    }
}

/// Values of structs that hold atomics cannot be.
fn whole_values(program: &Program, faults: &mut Vec<(Span, &'static str)>) {
    let holds = |ty: TypeId| {
        !matches!(program.types.get(ty), Type::Atomic(_)) && program.any_leaf(ty, &mut |t| matches!(t, Type::Atomic(_)))
    };
    program.each_exprs(&mut |exprs, live| {
        let mut on_path: FxHashSet<ExprId> = FxHashSet::default();
        for &id in live {
            if let ExprKind::Field(a, _) | ExprKind::Index(a, _) | ExprKind::AddressOf(a) = exprs[id].kind {
                on_path.insert(a);
            }
        }
        for &id in live {
            if holds(exprs[id].ty) && !on_path.contains(&id) {
                faults.push((
                    exprs[id].span,
                    "a struct or array that is accessed atomically in part cannot be copied as a whole",
                ));
            }
        }
    });
}
