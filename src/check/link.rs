//! Bodies that are checked once for many programs.
//!
//! Before: the syntax of a function in a file that the programs of a build share (a module, or the standard library), or one that
//! the variants of a program have alike.
//! After: its body with the types, functions and globals of this program.
//!
//! The first program that needs a body checks it. What the body names is written down by declaration ([`Shared`]), and
//! each other program looks these declarations up among its own. This is sound because a file's names resolve in the
//! file, in what it imports and in the library, which are the same for all programs of one [`Environment`]. A body stays
//! with its program if it has diagnostics, names what is declared in a body or in a file of that program alone, or names two
//! instances of one generic struct.
//!
//! Variants of a program share more: where all that they declare is the same token for token and place for place, so are the
//! numbers of the declarations, and a function whose tokens are the same has the same body. It may name what the program's own
//! files declare.

use super::scope::{DeclId, DeclInfo, Entity, What};
use super::structs::StructInstance;
use super::{Arg, Checker, Input, Options};
use crate::ast;
use crate::source::{FileId, Span};
use crate::symbol::Symbol;
use crate::tree::{Body, EnumId, ExprKind, FunctionId, GlobalId, NumberName, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, RwLock};

/// What the programs of a build have checked. It must not outlive the syntax that they share.
#[derive(Debug, Default)]
pub struct Bodies {
    environments: Mutex<FxHashMap<Environment, Arc<Known>>>,
}

/// Bodies of programs for which they mean the same.
pub(super) type Known = RwLock<FxHashMap<BodyKey, Arc<Shared>>>;

/// Who shares a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Among {
    /// The programs of a build.
    Build,
    /// The variants of a program.
    Variants,
}

/// What a body means depends on it besides its file, the files that this imports, and the library.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Environment {
    options: Options,
    /// The files with extensions and exported types, which are seen everywhere.
    seen: BTreeSet<FileId>,
}

#[cfg(test)]
impl Bodies {
    /// How many bodies there are.
    pub fn len(&self) -> usize {
        let environments = self.environments.lock().unwrap_or_else(|e| e.into_inner());
        environments.values().map(|known| known.read().unwrap_or_else(|e| e.into_inner()).len()).sum()
    }
}

/// A declaration or a block that programs share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Syntax {
    /// By the address of the syntax.
    Shared(usize),
    /// By the number among the declarations of the program's own files.
    Own(u32),
    /// A member of a type of the program, by its place.
    Member(Span),
}

impl Syntax {
    fn of<T>(node: &T) -> Syntax {
        Syntax::Shared(std::ptr::from_ref(node).addr())
    }
}

/// The instance of a function whose body it is.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct BodyKey {
    among: Among,
    block: Syntax,
    /// Of a function that variants have alike: the hash of its tokens with their places.
    code: u64,
    target: Option<Symbol>,
    owner: Option<TypeRef>,
    args: Vec<ArgRef>,
}

/// A type of any program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum TypeRef {
    Plain(Type),
    /// A type with an element.
    Of(Type, Box<TypeRef>),
    Struct(Syntax, Vec<ArgRef>),
    /// The struct of what a `cbuffer` holds.
    Contents(Syntax),
    Enum(Syntax),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum ArgRef {
    Type(TypeRef),
    Value(i64),
    Pack(Vec<ArgRef>),
}

/// A declaration of any program: its syntax, and the type whose member it is, with its name there.
type DeclRef = (Syntax, Option<(TypeRef, Symbol)>);

/// A function of any program.
#[derive(Debug)]
struct FunctionRef {
    decl: DeclRef,
    accessor: u32,
    args: Vec<ArgRef>,
    span: Span,
}

/// A body whose ids are indices into the lists of what it names, in order of first use.
#[derive(Debug, Default)]
pub(super) struct Shared {
    body: Body,
    types: Vec<TypeRef>,
    functions: Vec<FunctionRef>,
    globals: Vec<(DeclRef, Span)>,
    enums: Vec<Syntax>,
}

/// An id in a body.
enum IdMut<'a> {
    Type(&'a mut TypeId),
    Function(&'a mut FunctionId),
    Global(&'a mut GlobalId),
    Enum(&'a mut EnumId),
}

/// Shows every id in a body with its span, in order of making. `None` as soon as `f` has nothing for one.
fn each_id(body: &mut Body, f: &mut dyn FnMut(IdMut, Span) -> Option<()>) -> Option<()> {
    for (_, local) in body.locals.iter_mut() {
        f(IdMut::Type(&mut local.ty), local.span)?;
    }
    for (span, name) in &mut body.named {
        match name {
            NumberName::Constant(id) => f(IdMut::Global(id), *span)?,
            NumberName::Case(id, _) => f(IdMut::Enum(id), *span)?,
            NumberName::Local(_, ty) => f(IdMut::Type(ty), *span)?,
        }
    }
    for (_, expr) in body.exprs.iter_mut() {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Global(id) => f(IdMut::Global(id), span)?,
            ExprKind::EnumCase(id, _) => f(IdMut::Enum(id), span)?,
            ExprKind::Call(id, _) => f(IdMut::Function(id), span)?,
            ExprKind::Property(p) => {
                for id in [&mut p.get, &mut p.set, &mut p.reference].into_iter().flatten() {
                    f(IdMut::Function(id), span)?;
                }
            }
            ExprKind::Literal(..)
            | ExprKind::Local(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Contents(_)
            | ExprKind::Swizzle(..)
            | ExprKind::MatrixSwizzle(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(..)
            | ExprKind::Assign(..)
            | ExprKind::Step(..)
            | ExprKind::Comma(..)
            | ExprKind::Construct(_)
            | ExprKind::Convert(..)
            | ExprKind::Zero
            | ExprKind::Native(..)
            | ExprKind::AddressOf(_)
            | ExprKind::Deref(_) => {}
        }
        f(IdMut::Type(&mut expr.ty), span)?;
    }
    Some(())
}

/// The number of an id in a list of what a body names; `make` is asked for one that is new.
fn number<Id: Copy + Ord, T>(
    numbers: &mut BTreeMap<Id, u32>,
    list: &mut Vec<T>,
    id: Id,
    make: impl FnOnce() -> Option<T>,
) -> Option<u32> {
    if let Some(known) = numbers.get(&id) {
        return Some(*known);
    }
    list.push(make()?);
    let number = list.len() as u32 - 1;
    numbers.insert(id, number);
    Some(number)
}

/// What this program has shared and taken.
#[derive(Default)]
pub(super) struct Links {
    /// The bodies of its environment; nothing if it shares none.
    known: Option<Arc<Known>>,
    /// The bodies of the variants that declare the same.
    of_variants: Option<Arc<Known>>,
    /// The first declaration of the program's own files.
    pub(super) first_own: u32,
    /// Declarations outside of types and bodies: all before this one.
    declared: u32,
    /// Those that programs share.
    decls: Option<FxHashMap<Syntax, DeclId>>,
}

impl Checker<'_> {
    /// Finds the bodies of this program's environment, once everything is declared.
    pub(super) fn open_links(&mut self, input: &Input) {
        self.links.declared = self.decls.len() as u32;
        self.links.of_variants = input.known_code.as_ref().map(|code| code.bodies(input));
        let Some(bodies) = input.bodies.as_deref() else { return };
        let mut seen = BTreeSet::new();
        let extensions = self.interfaces.extensions.iter().map(|decl| self.info(*decl));
        let is_exported = |info: &DeclInfo| {
            let is_type = matches!(info.what, What::Struct(_) | What::Alias(_));
            is_type && !info.span.file.is_library() && info.has("export")
        };
        let exported = self.decls.iter().filter(|info| is_exported(info)).copied();
        for info in extensions.chain(exported) {
            if !self.is_shared(info.source, info.span) {
                // Nobody else has it.
                return;
            }
            if !info.span.file.is_library() {
                seen.insert(info.span.file);
            }
        }
        let options = Options { entries: Vec::new(), ..self.options.clone() };
        let environment = Environment { options, seen };
        let mut environments = bodies.environments.lock().unwrap_or_else(|e| e.into_inner());
        self.links.known = Some(environments.entry(environment).or_default().clone());
    }

    fn known_bodies(&self, among: Among) -> Option<&Known> {
        match among {
            Among::Build => self.links.known.as_deref(),
            Among::Variants => self.links.of_variants.as_deref(),
        }
    }

    /// By what programs know the body of an instance; `None` if they do not share it.
    pub(super) fn body_key(
        &self,
        decl: DeclId,
        args: &[Arg],
        block: &ast::Block,
        target: Option<Symbol>,
    ) -> Option<BodyKey> {
        if self.diags.has_errors() || self.quiet_depth > 0 {
            return None;
        }
        let info = self.info(decl);
        let key = |among: Among, block: Syntax, code: u64| {
            self.known_bodies(among)?;
            let owner = match info.owner {
                Some(owner) => Some(self.type_ref(owner, among)?),
                None => None,
            };
            Some(BodyKey { among, block, code, target, owner, args: self.arg_refs(args, among)? })
        };
        if self.is_shared(info.source, block.span) {
            return key(Among::Build, Syntax::of(block), 0).or_else(|| key(Among::Variants, Syntax::of(block), 0));
        }
        let code = match info.what {
            What::Function(f) if f.body.as_ref().is_some_and(|body| std::ptr::eq(body, block)) => f.code.places,
            _ => return None,
        };
        key(Among::Variants, self.decl_ref(decl, Among::Variants)?.0, code)
    }

    /// The body that another program has checked, as one of this program.
    pub(super) fn linked(&mut self, key: &BodyKey) -> Option<Body> {
        let known = self.known_bodies(key.among)?;
        let shared = known.read().unwrap_or_else(|e| e.into_inner()).get(key)?.clone();
        let types: Vec<TypeId> = shared.types.iter().map(|t| self.type_of(t)).collect::<Option<_>>()?;
        let mut globals = Vec::with_capacity(shared.globals.len());
        for (decl, span) in &shared.globals {
            let decl = self.decl_of(decl)?;
            globals.push(self.global_of(decl, *span)?);
        }
        let mut enums = Vec::with_capacity(shared.enums.len());
        for decl in &shared.enums {
            enums.push(self.enum_of(*decl)?.1);
        }
        let functions: Vec<FunctionId> = shared.functions.iter().map(|f| self.function_of(f)).collect::<Option<_>>()?;
        let mut body = shared.body.clone();
        each_id(&mut body, &mut |id, _| {
            match id {
                IdMut::Type(id) => *id = *types.get(id.0 as usize)?,
                IdMut::Function(id) => *id = *functions.get(id.0 as usize)?,
                IdMut::Global(id) => *id = *globals.get(id.0 as usize)?,
                IdMut::Enum(id) => *id = *enums.get(id.0 as usize)?,
            }
            Some(())
        })?;
        self.addresses_taken |= body.exprs.iter().any(|(_, expr)| matches!(expr.kind, ExprKind::AddressOf(_)));
        Some(body)
    }

    /// Gives a body without diagnostics to the other programs, if it names nothing of this one alone.
    pub(super) fn share(&mut self, key: BodyKey, body: &Body) {
        if let (Some(shared), Some(known)) = (self.shared(body, key.among), self.known_bodies(key.among)) {
            known.write().unwrap_or_else(|e| e.into_inner()).insert(key, Arc::new(shared));
        }
    }

    fn shared(&self, body: &Body, among: Among) -> Option<Shared> {
        let mut shared = Shared { body: body.clone(), ..Shared::default() };
        let live: FxHashSet<_> = body.expressions().into_iter().collect();
        // What no statement reaches may name anything.
        let dead = shared.body.exprs.iter_mut().filter(|(id, _)| !live.contains(id));
        dead.for_each(|(_, expr)| (expr.kind, expr.ty) = (ExprKind::Zero, TypeId::VOID));
        let (mut types, mut functions) = (BTreeMap::new(), BTreeMap::new());
        let (mut globals, mut enums) = (BTreeMap::new(), BTreeMap::new());
        let Shared { body, types: type_list, functions: function_list, globals: global_list, enums: enum_list } =
            &mut shared;
        each_id(body, &mut |id, span| {
            match id {
                IdMut::Type(id) => id.0 = number(&mut types, type_list, *id, || self.type_ref(*id, among))?,
                IdMut::Function(id) => {
                    id.0 = number(&mut functions, function_list, *id, || self.function_ref(*id, span, among))?;
                }
                IdMut::Global(id) => {
                    let make = || Some((self.decl_ref(self.global_decl(*id)?, among)?, span));
                    id.0 = number(&mut globals, global_list, *id, make)?;
                }
                IdMut::Enum(id) => {
                    let make = || self.syntax(*self.enum_decls.get(id.0 as usize)?, among);
                    id.0 = number(&mut enums, enum_list, *id, make)?;
                }
            }
            Some(())
        })?;
        let mut named: Vec<TypeId> = types.into_keys().collect();
        let mut met = FxHashMap::default();
        for id in functions.into_keys() {
            let instance = self.functions.get(*self.functions.of_function.get(id.0 as usize)?);
            let signature = &instance.signature;
            named.extend(signature.params.iter().map(|p| p.ty).chain([signature.result]).chain(signature.owner));
            if !self.are_only_instances(&instance.args, &mut met) {
                return None;
            }
        }
        for id in globals.into_keys() {
            named.extend(self.info(self.global_decl(id)?).owner);
        }
        named.into_iter().all(|ty| self.is_only_instance(ty, &mut met)).then_some(shared)
    }

    /// Whether no other instance of the generic structs that a type is made of was met. Instances are emitted in the order in
    /// which they are made, which a linked body does not know.
    fn is_only_instance(&self, ty: TypeId, met: &mut FxHashMap<DeclId, TypeId>) -> bool {
        let inner = self.program.types.get(ty);
        if let (Type::Struct(_), Some(instance)) = (inner, self.structs.instance(ty)) {
            let alone = instance.args.is_empty() || *met.entry(instance.decl).or_insert(ty) == ty;
            return alone && self.are_only_instances(&instance.args, met);
        }
        inner.element().is_none_or(|element| self.is_only_instance(element, met))
    }

    fn are_only_instances(&self, args: &[Arg], met: &mut FxHashMap<DeclId, TypeId>) -> bool {
        args.iter().all(|arg| match arg {
            Arg::Type(ty) => self.is_only_instance(*ty, met),
            Arg::Value(_) => true,
            Arg::Pack(args) => self.are_only_instances(args, met),
        })
    }

    /// Whether programs share what stands at a place of a source, with all that its names resolve in.
    fn is_shared(&self, source: u32, span: Span) -> bool {
        let source = self.source(source);
        (source.builtin || source.module) && span.file.is_shared()
    }

    /// The syntax of a declaration outside of types and bodies in a file that programs share.
    fn syntax(&self, decl: DeclId, among: Among) -> Option<Syntax> {
        let info = self.info(decl);
        if decl.0 >= self.links.declared || info.owner.is_some() {
            return None;
        }
        match (self.is_shared(info.source, info.span), among) {
            (true, _) => syntax_of(info.what),
            (false, Among::Variants) => decl.0.checked_sub(self.links.first_own).map(Syntax::Own),
            (false, Among::Build) => None,
        }
    }

    fn type_ref(&self, ty: TypeId, among: Among) -> Option<TypeRef> {
        if let Some(StructInstance { decl, args, .. }) = self.structs.instance(ty) {
            let is_struct = matches!(self.info(*decl).what, What::Struct(_));
            let made = || Some(TypeRef::Struct(self.syntax(*decl, among)?, self.arg_refs(args, among)?));
            return if is_struct { made() } else { None };
        }
        let inner = self.program.types.get(ty);
        Some(match (inner, inner.element()) {
            (Type::Error, _) => return None,
            (Type::Struct(id), _) => TypeRef::Contents(self.syntax(self.struct_decl(id)?, among)?),
            (Type::Enum(id), _) => TypeRef::Enum(self.syntax(*self.enum_decls.get(id.0 as usize)?, among)?),
            (_, Some(element)) => {
                TypeRef::Of(inner.with_element(TypeId::VOID), Box::new(self.type_ref(element, among)?))
            }
            (_, None) => TypeRef::Plain(inner),
        })
    }

    fn arg_refs(&self, args: &[Arg], among: Among) -> Option<Vec<ArgRef>> {
        let arg_ref = |arg: &Arg| {
            Some(match arg {
                Arg::Type(ty) => ArgRef::Type(self.type_ref(*ty, among)?),
                Arg::Value(value) => ArgRef::Value(*value),
                Arg::Pack(args) => ArgRef::Pack(self.arg_refs(args, among)?),
            })
        };
        args.iter().map(arg_ref).collect()
    }

    fn function_ref(&self, id: FunctionId, span: Span, among: Among) -> Option<FunctionRef> {
        let instance = self.functions.get(*self.functions.of_function.get(id.0 as usize)?);
        let (decl, args) = (self.decl_ref(instance.decl, among)?, self.arg_refs(&instance.args, among)?);
        Some(FunctionRef { decl, accessor: instance.accessor, args, span })
    }

    fn decl_ref(&self, decl: DeclId, among: Among) -> Option<DeclRef> {
        let info = self.info(decl);
        let Some(owner) = info.owner else { return Some((self.syntax(decl, among)?, None)) };
        let member = match (self.is_shared(info.source, info.span), among) {
            (true, _) | (false, Among::Build) => syntax_of(info.what)?,
            (false, Among::Variants) => Syntax::Member(info.span),
        };
        Some((member, Some((self.type_ref(owner, among)?, info.name))))
    }

    /// The declaration of this program.
    fn decl_of(&mut self, (syntax, member): &DeclRef) -> Option<DeclId> {
        let Some((owner, name)) = member else { return self.shared_decl(*syntax) };
        let owner = self.type_of(owner)?;
        self.own_members(owner, *name).into_iter().find_map(|e| match e {
            Entity::Decl(decl) if self.is_member(decl, *syntax) => Some(decl),
            _ => None,
        })
    }

    fn is_member(&self, decl: DeclId, syntax: Syntax) -> bool {
        match syntax {
            Syntax::Member(span) => self.info(decl).span == span,
            Syntax::Shared(_) | Syntax::Own(_) => syntax_of(self.info(decl).what) == Some(syntax),
        }
    }

    fn global_of(&mut self, decl: DeclId, span: Span) -> Option<GlobalId> {
        match self.info(decl).what {
            What::Buffer(_) => self.buffer_global(decl, span),
            _ => self.global(decl, span),
        }
    }

    /// The declaration of this program that has the syntax.
    fn shared_decl(&mut self, syntax: Syntax) -> Option<DeclId> {
        if let Syntax::Own(number) = syntax {
            return Some(DeclId(self.links.first_own + number)).filter(|decl| decl.0 < self.links.declared);
        }
        if self.links.decls.is_none() {
            let ids = (0..self.links.declared).map(DeclId);
            self.links.decls = Some(ids.filter_map(|id| Some((self.syntax(id, Among::Build)?, id))).collect());
        }
        self.links.decls.as_ref()?.get(&syntax).copied()
    }

    fn type_of(&mut self, ty: &TypeRef) -> Option<TypeId> {
        Some(match ty {
            TypeRef::Plain(ty) => self.program.types.intern(*ty),
            TypeRef::Of(ty, element) => {
                let element = self.type_of(element)?;
                self.program.types.intern(ty.with_element(element))
            }
            TypeRef::Struct(decl, args) => {
                let (decl, args) = (self.shared_decl(*decl)?, self.args_of(args)?);
                self.instantiate_struct(decl, args, self.info(decl).span)
            }
            TypeRef::Contents(decl) => {
                let decl = self.shared_decl(*decl)?;
                let buffer = self.global_of(decl, self.info(decl).span)?;
                self.program.types.get(self.program.globals[buffer].ty).element()?
            }
            TypeRef::Enum(decl) => self.enum_of(*decl)?.0,
        })
    }

    fn enum_of(&mut self, decl: Syntax) -> Option<(TypeId, EnumId)> {
        let decl = self.shared_decl(decl)?;
        let ty = self.enum_type(decl);
        if let Type::Enum(id) = self.program.types.get(ty) { Some((ty, id)) } else { None }
    }

    fn args_of(&mut self, args: &[ArgRef]) -> Option<Vec<Arg>> {
        let mut list = Vec::with_capacity(args.len());
        for arg in args {
            list.push(match arg {
                ArgRef::Type(ty) => Arg::Type(self.type_of(ty)?),
                ArgRef::Value(value) => Arg::Value(*value),
                ArgRef::Pack(args) => Arg::Pack(self.args_of(args)?),
            });
        }
        Some(list)
    }

    fn function_of(&mut self, f: &FunctionRef) -> Option<FunctionId> {
        let decl = self.decl_of(&f.decl)?;
        let args = self.args_of(&f.args)?;
        let instance = self.instance(decl, f.accessor, args)?;
        self.user_span = if f.span.file.is_library() { self.user_span } else { Some(f.span) };
        Some(self.function(instance))
    }
}

/// Whether two bodies of a program are the same: a check of what is linked, in debug builds.
pub(super) fn are_same(a: &Body, b: &Body) -> bool {
    let text = |body: &Body| {
        let live: Vec<_> = body.expressions().into_iter().map(|id| (id, &body.exprs[id])).collect();
        format!("{:?} {live:?} {:?} {:?}", body.locals, body.block, body.named)
    };
    text(a) == text(b)
}

/// The address of what programs share of a declaration.
fn syntax_of(what: What) -> Option<Syntax> {
    Some(match what {
        What::Var(var) => Syntax::of(var),
        What::Function(f) => Syntax::of(f),
        What::Struct(s) => Syntax::of(s),
        What::Enum(e) => Syntax::of(e),
        What::Buffer(buffer) => Syntax::of(buffer),
        What::Property(p) | What::Subscript(p) => Syntax::of(p),
        What::Field(..)
        | What::BufferMember(..)
        | What::Interface(_)
        | What::EnumCase(..)
        | What::Alias(_)
        | What::Associated(_)
        | What::Namespace(_)
        | What::Extension(_) => return None,
    })
}
