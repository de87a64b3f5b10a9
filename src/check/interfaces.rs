//! Interfaces: who conforms to what, members that extensions add and that interfaces implement.

use super::decl::DeclContext;
use super::generic::Slot;
use super::objects::SHADOW;
use super::scope::{BuiltinGeneric, DeclId, Entity, ScopeId, ScopeKind, What};
use super::structs::StructInstance;
use super::types::Name;
use super::{Arg, Checker, convert};
use crate::ast::{self, GenericArg, GenericParamKind, Generics, PathSegment, TypeExpr, TypeKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Scalar, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An interface with its arguments.
pub(super) type InterfaceRef = (DeclId, Vec<Arg>);

/// The extensions of a type.
#[derive(Clone, Default)]
struct Matched {
    /// The scopes of those that match, in the order of the extensions.
    scopes: Rc<[ScopeId]>,
    /// The places of these among all extensions.
    places: Vec<usize>,
    /// The interfaces that they add.
    interfaces: Rc<[InterfaceRef]>,
    /// Those that are matched when a name is asked for that they declare.
    waiting: Vec<Waiting>,
}

/// An extension of the library that adds nothing but members.
#[derive(Clone)]
struct Waiting {
    /// Its place among all extensions.
    place: usize,
    decl: DeclId,
    names: Rc<FxHashSet<Symbol>>,
}

impl Matched {
    fn add(&mut self, place: usize, scope: ScopeId) {
        let at = self.places.partition_point(|before| *before < place);
        let (before, after) = self.scopes.split_at(at);
        self.scopes = before.iter().copied().chain([scope]).chain(after.iter().copied()).collect();
        self.places.insert(at, place);
    }
}

/// Extensions and conformances.
#[derive(Default)]
pub(super) struct Interfaces<'a> {
    pub extensions: Vec<DeclId>,
    /// Members of extensions besides those in their syntax.
    pub further: FxHashMap<DeclId, Vec<&'a [ast::Decl]>>,
    /// By which extensions a type conforms to interfaces.
    pub given: FxHashMap<TypeId, Vec<(InterfaceRef, ScopeId)>>,
    heads: FxHashMap<DeclId, Head>,
    matched: FxHashMap<TypeId, Matched>,
    /// What extensions of the library declare, if they add nothing but members.
    names: FxHashMap<DeclId, Option<Rc<FxHashSet<Symbol>>>>,
    /// Scopes of the members of generic extensions: the parameters, their arguments, and where these are bound.
    generic: FxHashMap<ScopeId, (&'a Generics, Vec<Arg>, ScopeId)>,
    /// Members of an interface for a type that conforms.
    scopes: FxHashMap<(DeclId, Vec<Arg>, TypeId), ScopeId>,
}

/// What an extension's target begins with.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Head {
    Struct(DeclId),
    /// By the name of an alias.
    Aliased(DeclId),
    Vector,
    Matrix,
    Array,
    Other,
}

/// One condition on a type parameter.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// A scalar of one of these kinds.
    Builtin(&'static [Scalar]),
    /// A resource, which a descriptor handle can stand for.
    Resource,
    /// An enum.
    Enum,
    /// An interface.
    Interface(DeclId, Vec<Arg>),
    /// Equal to a type.
    Equal(TypeId),
}

impl Bound {
    /// The interface, if it is one.
    pub(super) fn interface(self) -> Option<InterfaceRef> {
        match self {
            Bound::Interface(decl, args) => Some((decl, args)),
            Bound::Builtin(_) | Bound::Resource | Bound::Enum | Bound::Equal(_) => None,
        }
    }
}

use Scalar::*;
const FLOATS: &[Scalar] = &[F16, F32, F64, MinF16, MinF10];
const INTEGERS: &[Scalar] = &[I8, U8, I16, U16, I32, U32, I64, U64, MinI16, MinI12, MinU16];
const SIGNED: &[Scalar] = &[I8, I16, I32, I64, MinI16, MinI12, F16, F32, F64, MinF16, MinF10];
const NUMBERS: &[Scalar] =
    &[I8, U8, I16, U16, I32, U32, I64, U64, MinI16, MinI12, MinU16, F16, F32, F64, MinF16, MinF10];
const LOGICAL: &[Scalar] = &[Bool, I8, U8, I16, U16, I32, U32, I64, U64, MinI16, MinI12, MinU16];
const ALL: &[Scalar] =
    &[Bool, I8, U8, I16, U16, I32, U32, I64, U64, MinI16, MinI12, MinU16, F16, F32, F64, MinF16, MinF10];

/// Constraints that the checker knows (`stdlib/README.md`).
const BUILTIN: &[(&str, &[Scalar])] = &[
    ("__BuiltinType", ALL),
    ("__BuiltinArithmeticType", NUMBERS),
    ("__BuiltinSignedArithmeticType", SIGNED),
    ("__BuiltinFloatingPointType", FLOATS),
    ("__BuiltinRealType", FLOATS),
    ("__BuiltinNarrowFloatType", &[F16, F32, MinF16, MinF10]),
    ("__BuiltinBoolType", &[Bool]),
    ("__BuiltinIntegerType", INTEGERS),
    ("__BuiltinLogicalType", LOGICAL),
    ("__BuiltinInt32Type", &[I32, U32]),
    ("__BuiltinInt64Type", &[I64, U64]),
    ("__BuiltinFloat32Type", &[F32]),
    ("__Builtin16BitType", &[I16, U16, F16, MinF16, MinF10, MinI16, MinI12, MinU16]),
    ("__Builtin64BitType", &[I64, U64, F64]),
];

/// The interface of what a descriptor handle can stand for.
const RESOURCES: &str = "IOpaqueDescriptor";
/// The interface of what an element of an array of resources of any type can stand for; of which kind, the conversion says.
const CASTABLE: &str = "__IDynamicResourceCastable";
/// The interface of all enums.
const ENUMS: &str = "__EnumType";

fn bound_by_kind(path: &[PathSegment]) -> Option<Bound> {
    match path {
        [only] if only.name.name == *RESOURCES || only.name.name == *CASTABLE => Some(Bound::Resource),
        [only] if only.name.name == *ENUMS => Some(Bound::Enum),
        _ => None,
    }
}

fn builtin_bound(path: &[PathSegment]) -> Option<&'static [Scalar]> {
    let [only] = path else { return None };
    let text = only.name.name.as_str();
    BUILTIN.iter().find(|(name, _)| *name == text).map(|(_, list)| *list)
}

/// Whether a path names a constraint that the checker knows.
pub(super) fn is_builtin(path: &[PathSegment]) -> bool {
    builtin_bound(path).is_some()
}

impl<'a> Checker<'a> {
    /// Arguments of an interface as written.
    pub(super) fn interface_args(
        &mut self,
        decl: DeclId,
        given: Option<&'a [GenericArg]>,
        scope: ScopeId,
        span: Span,
    ) -> Option<Vec<Arg>> {
        let What::Interface(s) = self.info(decl).what else { return None };
        match &s.generics {
            Some(generics) => self.explicit_args(decl, generics, given.unwrap_or(&[]), scope, span),
            None => Some(Vec::new()),
        }
    }

    /// The conditions that a written bound stands for.
    pub(super) fn bounds(&mut self, bound: &'a TypeExpr, scope: ScopeId) -> Vec<Bound> {
        match &bound.kind {
            TypeKind::And(list) => list.iter().flat_map(|b| self.bounds(b, scope)).collect(),
            TypeKind::Modified(_, inner) => self.bounds(inner, scope),
            TypeKind::Path(path) => {
                if let Some(list) = builtin_bound(path) {
                    return vec![Bound::Builtin(list)];
                }
                if let Some(bound) = bound_by_kind(path) {
                    return vec![bound];
                }
                match self.resolve_path(path, scope) {
                    Name::Interface(decl, args) => {
                        let args = self.interface_args(decl, args, scope, bound.span);
                        args.map(|args| Bound::Interface(decl, args)).into_iter().collect()
                    }
                    // The name of a conjunction.
                    Name::Type(ty) => match self.existential(ty).and_then(|e| self.existentials.list.get(e)) {
                        Some(e) if !e.bounds.is_empty() => {
                            e.bounds.iter().map(|(decl, args)| Bound::Interface(*decl, args.clone())).collect()
                        }
                        _ => vec![Bound::Equal(ty)],
                    },
                    Name::Missing => {
                        self.undeclared(path, scope, bound.span);
                        Vec::new()
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Every condition of generic parameters, with the type it is about, in a scope where they are bound.
    pub(super) fn conditions(&mut self, generics: &'a Generics, args: &[Arg], scope: ScopeId) -> Vec<(TypeId, Bound)> {
        let mut list = Vec::new();
        for (param, arg) in generics.params.iter().zip(args) {
            let (bounds, types) = match (&param.kind, arg) {
                (GenericParamKind::Type { bounds, .. }, Arg::Type(ty)) => (bounds, vec![*ty]),
                (GenericParamKind::Pack { bounds, .. }, Arg::Pack(list)) => {
                    (bounds, list.iter().filter_map(|a| if let Arg::Type(ty) = a { Some(*ty) } else { None }).collect())
                }
                _ => continue,
            };
            for bound in bounds {
                let found = self.bounds(bound, scope);
                list.extend(types.iter().flat_map(|ty| found.iter().map(|b| (*ty, b.clone()))));
            }
        }
        for (subject, bounds) in &generics.constraints {
            if matches!(subject.kind, TypeKind::Infer) {
                continue;
            }
            let types = self.subject_types(subject, scope);
            for bound in bounds {
                let found = self.bounds(bound, scope);
                list.extend(types.iter().flat_map(|ty| found.iter().map(|b| (*ty, b.clone()))));
            }
        }
        list
    }

    /// Whether arguments satisfy all conditions.
    pub(super) fn satisfied(&mut self, generics: &'a Generics, args: &[Arg], scope: ScopeId) -> bool {
        let conditions = self.quiet(|c| c.conditions(generics, args, scope));
        conditions.into_iter().all(|(ty, bound)| self.meets(ty, &bound))
    }

    /// Reports conditions that arguments do not satisfy.
    pub(super) fn check_constraints(
        &mut self,
        generics: &'a Generics,
        args: &[Arg],
        scope: ScopeId,
        span: Span,
    ) -> bool {
        for (ty, bound) in self.conditions(generics, args, scope) {
            if !self.meets(ty, &bound) {
                let text = self.type_text(ty);
                let message = match bound {
                    Bound::Interface(decl, _) => {
                        let name = self.info(decl).name;
                        format!("`{text}` does not conform to `{name}`")
                    }
                    Bound::Builtin(_) => format!("`{text}` is not of a kind that is allowed here"),
                    Bound::Resource => format!("`{text}` is no resource"),
                    Bound::Enum => format!("`{text}` is no enum"),
                    Bound::Equal(other) => format!("`{text}` is not `{}`", self.type_text(other)),
                };
                self.diags.push(Diagnostic::error(Code::CONSTRAINT, span, message));
                return false;
            }
        }
        true
    }

    /// Whether a type meets a condition.
    pub(super) fn meets(&mut self, ty: TypeId, bound: &Bound) -> bool {
        if ty == TypeId::ERROR {
            return true;
        }
        match bound {
            Bound::Builtin(list) => matches!(self.program.types.get(ty), Type::Scalar(s) if list.contains(&s)),
            Bound::Resource => self.program.types.get(ty).is_resource(),
            Bound::Enum => matches!(self.program.types.get(ty), Type::Enum(_)),
            Bound::Equal(other) => ty == *other,
            Bound::Interface(decl, args) => {
                self.conformances(ty).iter().any(|(d, a)| d == decl && (a == args || args.is_empty()))
            }
        }
    }

    /// All interfaces that a type conforms to: of its declaration, its bases, extensions, and inherited ones.
    pub(super) fn conformances(&mut self, ty: TypeId) -> Vec<InterfaceRef> {
        let mut list: Vec<InterfaceRef> = Vec::new();
        let mut current = Some(ty);
        for _ in 0..super::MAX_BASES {
            let Some(at) = current else { break };
            let added = self.interfaces_added(at);
            current = None;
            if let Some(instance) = self.structs.instance(at) {
                list.extend(instance.interfaces.iter().cloned());
                current = instance.base;
            }
            list.extend(added.iter().cloned());
        }
        self.add_inherited(list, ty)
    }

    /// The interfaces that an interface extends, directly or not.
    pub(super) fn all_inherited(&mut self, decl: DeclId, args: &[Arg], ty: TypeId) -> Vec<InterfaceRef> {
        let list = self.inherited(decl, args, ty);
        self.add_inherited(list, ty)
    }

    fn add_inherited(&mut self, mut list: Vec<InterfaceRef>, ty: TypeId) -> Vec<InterfaceRef> {
        let mut index = 0;
        while let Some((decl, args)) = list.get(index).cloned() {
            for inherited in self.inherited(decl, &args, ty) {
                if !list.contains(&inherited) {
                    list.push(inherited);
                }
            }
            index += 1;
        }
        list
    }

    /// Interfaces that an interface extends.
    fn inherited(&mut self, decl: DeclId, args: &[Arg], this: TypeId) -> Vec<InterfaceRef> {
        let What::Interface(s) = self.info(decl).what else { return Vec::new() };
        if s.bases.is_empty() {
            return Vec::new();
        }
        // Outside of the members: looking there would ask for the conformances that are being found.
        let members = self.interface_scope(decl, args, this);
        let scope = self.at(members).parent.unwrap_or(members);
        let bounds = s.bases.iter().flat_map(|base| self.quiet(|c| c.bounds(base, scope)));
        bounds.filter_map(Bound::interface).collect()
    }

    /// The members of an interface, for a type that conforms.
    pub(super) fn interface_scope(&mut self, decl: DeclId, args: &[Arg], this: TypeId) -> ScopeId {
        let key = (decl, args.to_vec(), this);
        if let Some(scope) = self.interfaces.scopes.get(&key) {
            return *scope;
        }
        let info = self.info(decl);
        let What::Interface(s) = info.what else { return info.scope };
        let outer = match &s.generics {
            Some(generics) => self.bind_generics(generics, args, info.scope),
            None => info.scope,
        };
        let scope = self.scope(Some(outer), ScopeKind::Members(this));
        self.interfaces.scopes.insert(key, scope);
        self.note_members(scope, Rc::from([(decl, args.to_vec())]));
        self.bind(scope, self.words.this_type, Entity::Type(this));
        let place =
            DeclContext { scope, source: info.source, owner: Some(this), depth: info.depth + 1, in_interface: true };
        for member in s.members.iter().flatten().filter(|member| super::decl::foreign(member).is_none()) {
            self.declare(member, place);
        }
        scope
    }

    /// Members that interfaces implement for a type.
    pub(super) fn default_members(&mut self, ty: TypeId, name: Symbol) -> Vec<Entity> {
        for (decl, args) in self.conformances(ty) {
            let scope = self.interface_scope(decl, &args, ty);
            let named: Vec<Entity> = self.named(scope, name).to_vec();
            let list: Vec<Entity> = named.into_iter().filter(|e| self.is_implemented(*e)).collect();
            if !list.is_empty() {
                return list;
            }
        }
        Vec::new()
    }

    /// Reports what structs of the user leave out of the interfaces that they say they conform to.
    pub(super) fn check_conformances(&mut self) {
        let mut index = 0;
        while let Some(instance) = self.structs.list.get(index) {
            let (decl, ty) = (instance.decl, instance.ty);
            index += 1;
            // What stands for the values of an interface has no more than that.
            let is_defined = !matches!(
                self.info(decl).what,
                What::Struct(ast::StructDecl { members: None, .. }) | What::Interface(_)
            );
            if self.source_of(decl).builtin || !is_defined {
                continue;
            }
            for (interface, args) in self.conformances(ty) {
                if let Some(missing) = self.missing_member(ty, interface, &args) {
                    let (name, of) = (self.type_text(ty), self.info(interface).name);
                    let message = format!("`{name}` does not conform to `{of}`: {missing}");
                    let required = self.info(interface).span;
                    let diagnostic = Diagnostic::error(Code::CONSTRAINT, self.info(decl).span, message);
                    self.diags.push(diagnostic.label(required, "the interface"));
                }
            }
        }
    }

    /// What a type lacks of an interface: the first function, property or associated type that it does not have under any
    /// signature, or else a property that can only be read.
    fn missing_member(&mut self, ty: TypeId, interface: DeclId, args: &[Arg]) -> Option<String> {
        if self.source_of(interface).builtin {
            return None;
        }
        let scope = self.interface_scope(interface, args, ty);
        let mut required: Vec<DeclId> = self.at(scope).order.clone();
        required.retain(|d| self.info(*d).name != self.words.init && self.is_asked_for(*d));
        let mut read_only = None;
        for asked in required {
            let name = self.info(asked).name;
            let found = self.quiet(|c| c.members(ty, name));
            // An associated type is no type that stands for itself.
            let is_given = |e: &Entity| !matches!(e, Entity::Decl(d) if self.is_associated(*d));
            if !found.iter().any(is_given) {
                return Some(format!("it has no `{name}`"));
            }
            let kept = self.can_be_set(asked) && found.iter().all(|e| self.is_read_only(e));
            read_only = read_only.or(kept.then(|| format!("its `{name}` has no `set`")));
        }
        read_only
    }

    /// Whether an interface leaves a declaration to the types that conform to it.
    fn is_asked_for(&self, decl: DeclId) -> bool {
        match self.info(decl).what {
            What::Function(_) | What::Property(_) => !self.is_implemented(Entity::Decl(decl)),
            What::Associated(param) => matches!(param.kind, GenericParamKind::Type { default: None, .. }),
            _ => false,
        }
    }

    fn is_associated(&self, decl: DeclId) -> bool {
        matches!(self.info(decl).what, What::Associated(_))
    }

    fn can_be_set(&self, decl: DeclId) -> bool {
        matches!(self.info(decl).what, What::Property(p) if p.accessors.iter().any(|a| a.name.name == *"set"))
    }

    /// Whether a member is a property that has nothing but a `get`.
    fn is_read_only(&self, member: &Entity) -> bool {
        let Entity::Decl(decl) = member else { return false };
        let What::Property(p) = self.info(*decl).what else { return false };
        !p.accessors.is_empty() && p.accessors.iter().all(|a| a.name.name == *"get")
    }

    pub(super) fn is_implemented(&self, entity: Entity) -> bool {
        let Entity::Decl(decl) = entity else { return false };
        match self.info(decl).what {
            What::Function(f) => f.body.is_some(),
            What::Property(p) | What::Subscript(p) => p.accessors.iter().any(|a| a.body.is_some()),
            What::Associated(_) => false,
            _ => true,
        }
    }

    /// The type that stands for an associated type of the interface whose members are looked at.
    pub(super) fn associated_type(&mut self, decl: DeclId, span: Span) -> Name<'a> {
        let info = self.info(decl);
        let Some(owner) = info.owner else { return Name::Error };
        let mut current = Some(owner);
        for _ in 0..super::MAX_BASES {
            let Some(at) = current else { break };
            for entity in self.own_members(at, info.name) {
                // Another interface may ask for a type of that name, too.
                if matches!(entity, Entity::Decl(other) if matches!(self.info(other).what, What::Associated(_))) {
                    continue;
                }
                let found = super::scope::Found { entities: vec![entity], member_of: Some(at), ..Default::default() };
                let segment_scope = info.scope;
                if let Name::Type(ty) = self.name_of_plain(found, segment_scope, span) {
                    return Name::Type(ty);
                }
            }
            current = self.structs.instance(at).and_then(|i| i.base);
        }
        if let What::Associated(param) = info.what
            && let GenericParamKind::Type { default: Some(default), .. } = &param.kind
        {
            return Name::Type(self.resolve_type(default, info.scope));
        }
        if let Some(ty) = self.associated_existential(decl) {
            return Name::Type(ty);
        }
        let (owner, name) = (self.type_text(owner), info.name);
        self.error(Code::CONSTRAINT, span, format!("`{owner}` does not define its associated type `{name}`"));
        Name::Error
    }

    /// The scopes of the extensions of a type; of those of the library at least the ones that declare a name.
    pub(super) fn extension_scopes(&mut self, ty: TypeId, name: Symbol) -> Rc<[ScopeId]> {
        self.match_extensions(ty);
        let known = self.interfaces.matched.entry(ty).or_default();
        let asked: Vec<Waiting> = known.waiting.extract_if(.., |of| of.names.contains(&name)).collect();
        for Waiting { place, decl, .. } in asked {
            if let Some(scope) = self.match_extension(decl, ty, &mut Vec::new()) {
                self.interfaces.matched.entry(ty).or_default().add(place, scope);
            }
        }
        self.interfaces.matched.get(&ty).map(|known| known.scopes.clone()).unwrap_or_default()
    }

    /// The names of members that extensions may add to a type: whether they do is found when one of them is asked for.
    pub(super) fn extension_names(&mut self, ty: TypeId) -> Vec<Symbol> {
        self.match_extensions(ty);
        let Some(known) = self.interfaces.matched.get(&ty) else { return Vec::new() };
        let matched = known.scopes.iter().flat_map(|scope| &self.at(*scope).order);
        let mut names: Vec<Symbol> = matched.map(|decl| self.info(*decl).name).collect();
        #[expect(clippy::disallowed_methods, reason = "they are sorted")]
        names.extend(known.waiting.iter().flat_map(|waiting| waiting.names.iter().copied()));
        names.sort_by_key(|name| name.as_str());
        names.dedup();
        names
    }

    /// The interfaces that extensions add to a type.
    fn interfaces_added(&mut self, ty: TypeId) -> Rc<[InterfaceRef]> {
        self.match_extensions(ty);
        self.interfaces.matched.get(&ty).map(|known| known.interfaces.clone()).unwrap_or_default()
    }

    /// Finds the extensions of a type once. While it does, the type has those found so far.
    pub(super) fn match_extensions(&mut self, ty: TypeId) {
        if self.interfaces.matched.contains_key(&ty) {
            return;
        }
        self.interfaces.matched.insert(ty, Matched::default());
        let (mut left, mut waiting) = (Vec::new(), Vec::new());
        for place in 0..self.interfaces.extensions.len() {
            let Some(&decl) = self.interfaces.extensions.get(place) else { break };
            if !self.head_matches(decl, ty) {
                continue;
            }
            match self.only_members(decl) {
                Some(names) => waiting.push(Waiting { place, decl, names }),
                None => left.push((place, decl)),
            }
        }
        self.interfaces.matched.entry(ty).or_default().waiting = waiting;
        // What a later one adds to the type may be what an earlier one asks for.
        let mut interfaces = Vec::new();
        loop {
            let before = interfaces.len();
            left.retain(|(place, decl)| match self.match_extension(*decl, ty, &mut interfaces) {
                Some(scope) => {
                    let known = self.interfaces.matched.entry(ty).or_default();
                    known.add(*place, scope);
                    known.interfaces = Rc::from(interfaces.as_slice());
                    false
                }
                None => true,
            });
            if interfaces.len() == before {
                break;
            }
        }
    }

    /// The names that an extension of the library declares, if it adds nothing but members.
    fn only_members(&mut self, decl: DeclId) -> Option<Rc<FxHashSet<Symbol>>> {
        if let Some(known) = self.interfaces.names.get(&decl) {
            return known.clone();
        }
        let info = self.info(decl);
        let names = match info.what {
            What::Extension(e) if e.bases.is_empty() && self.source(info.source).builtin => {
                let further = self.interfaces.further.get(&decl).into_iter().flatten().copied();
                let members = std::iter::once(e.members.as_slice()).chain(further).flatten();
                members.map(|member| self.member_name(member)).collect::<Option<FxHashSet<Symbol>>>().map(Rc::new)
            }
            _ => None,
        };
        self.interfaces.names.insert(decl, names.clone());
        names
    }

    /// What a member of an extension is found by, if that is one name.
    fn member_name(&self, member: &ast::Decl) -> Option<Symbol> {
        match &member.kind {
            ast::DeclKind::Function(f) if f.owner.is_empty() && f.specializes.is_none() => Some(f.name.name),
            ast::DeclKind::Property(property) => Some(property.name.name),
            ast::DeclKind::Subscript(_) => Some(self.words.subscript),
            ast::DeclKind::Alias(alias) => Some(alias.name.name),
            ast::DeclKind::Var(var) if var.owner.is_empty() => Some(var.name.name),
            _ => None,
        }
    }

    fn head_matches(&mut self, decl: DeclId, ty: TypeId) -> bool {
        let head_of = match self.interfaces.heads.get(&decl) {
            Some(head) => *head,
            None => {
                let info = self.info(decl);
                let head = match info.what {
                    What::Extension(e) => self.head(&e.target, info.scope, 0),
                    _ => Head::Other,
                };
                self.interfaces.heads.insert(decl, head);
                head
            }
        };
        match head_of {
            // A literal text has its type before a declaration of the library is asked for that.
            Head::Struct(head) | Head::Aliased(head) => match self.structs.instance(ty) {
                Some(StructInstance { decl: of, args, .. }) => {
                    *of == head && (matches!(head_of, Head::Aliased(_)) || self.numbers_match(decl, args, ty))
                }
                None => matches!(self.program.types.get(ty), Type::Text),
            },
            Head::Vector => matches!(self.program.types.get(ty), Type::Vector(..)),
            Head::Matrix => matches!(self.program.types.get(ty), Type::Matrix(..)),
            Head::Array => matches!(self.program.types.get(ty), Type::Array(..)),
            Head::Other => true,
        }
    }

    /// Whether an extension's target has no other number for an argument than a type has. Most extensions of textures differ by that.
    fn numbers_match(&self, extension: DeclId, args: &[Arg], ty: TypeId) -> bool {
        let What::Extension(extension) = self.info(extension).what else { return true };
        let TypeKind::Path(path) = &extension.target.kind else { return true };
        let [ast::PathSegment { args: Some(written), .. }] = path.as_slice() else { return true };
        // Members for textures are those of depth textures, too.
        let is_depth = matches!(self.program.types.get(ty), Type::Texture(t) if t.depth);
        written.iter().zip(args).enumerate().all(|(at, pair)| match pair {
            (ast::GenericArg::Value(ast::Expr { kind: ast::ExprKind::Int(number, ..), .. }), Arg::Value(value)) => {
                i64::try_from(*number).is_ok_and(|number| number == *value) || is_depth && at == SHADOW
            }
            _ => true,
        })
    }

    fn head(&mut self, target: &'a TypeExpr, scope: ScopeId, depth: u32) -> Head {
        let TypeKind::Path(path) = &target.kind else { return Head::Other };
        let [only] = path.as_slice() else { return Head::Other };
        let found = self.lookup(scope, only.name.name);
        match found.entities.first() {
            Some(Entity::Generic(BuiltinGeneric::Vector)) => Head::Vector,
            Some(Entity::Generic(BuiltinGeneric::Matrix)) => Head::Matrix,
            Some(Entity::Generic(BuiltinGeneric::Array)) => Head::Array,
            Some(Entity::Decl(decl)) => match self.info(*decl).what {
                What::Struct(_) if depth > 0 => Head::Aliased(*decl),
                What::Struct(_) => Head::Struct(*decl),
                What::Alias(alias) if depth < 16 => {
                    let scope = self.info(*decl).scope;
                    self.head(&alias.target, scope, depth + 1)
                }
                _ => Head::Other,
            },
            _ => Head::Other,
        }
    }

    /// The scope of an extension's members if its target is `ty`; the interfaces that it adds.
    fn match_extension(&mut self, decl: DeclId, ty: TypeId, interfaces: &mut Vec<InterfaceRef>) -> Option<ScopeId> {
        let info = self.info(decl);
        let What::Extension(extension) = info.what else { return None };
        // Members of the library for textures are those of depth textures, too.
        let plain = if self.source(info.source).builtin { self.without_depth(ty) } else { None };
        let matched = plain.unwrap_or(ty);
        let mut bound = None;
        let outer = match &extension.generics {
            None => info.scope,
            Some(generics) => {
                let pattern = self.pattern_of(decl);
                let mut slots = vec![Slot::default(); generics.params.len()];
                let none = convert::LiteralKind::None;
                if !self.unify(&extension.target, pattern, matched, none, &mut slots) {
                    return None;
                }
                self.infer_from_bounds(generics, pattern, &mut slots);
                let args = self.solve(generics, &slots, info.scope)?;
                let outer = self.bind_generics(generics, &args, info.scope);
                bound = Some((generics, args, outer));
                outer
            }
        };
        let source = std::mem::replace(&mut self.cx.source, info.source);
        let target = match extension.generics {
            Some(_) => self.quiet(|c| c.resolve_type(&extension.target, outer)),
            None => self.resolve_extension_target(&extension.target, outer),
        };
        // In the library a vector of one component is a scalar.
        let same = target == matched
            || self.in_builtin()
                && matches!(self.program.types.get(ty), Type::Vector(s, 1) if target == self.program.types.scalar(s));
        let scope = same.then(|| self.extension_scope(decl, extension, ty, outer, interfaces));
        self.cx.source = source;
        self.interfaces.generic.extend(scope.zip(bound));
        scope
    }

    /// How many conditions the generic extension that a scope belongs to has.
    pub(super) fn asked_around(&mut self, scope: ScopeId) -> Option<usize> {
        let (generics, args, outer) = self.interfaces.generic.get(&scope).cloned()?;
        Some(self.asked(generics, &args, outer))
    }

    /// How many conditions generic arguments meet, those of inherited interfaces included.
    pub(super) fn asked(&mut self, generics: &'a Generics, args: &[Arg], scope: ScopeId) -> usize {
        let conditions = self.quiet(|c| c.conditions(generics, args, scope));
        let counts = conditions.into_iter().map(|(ty, bound)| match bound {
            Bound::Interface(decl, args) => 1 + self.all_inherited(decl, &args, ty).len(),
            Bound::Builtin(_) | Bound::Resource | Bound::Enum | Bound::Equal(_) => 1,
        });
        counts.sum()
    }

    /// A target that is an interface extends whatever conforms; that is not supported and skipped here.
    pub(super) fn resolve_extension_target(&mut self, target: &'a TypeExpr, scope: ScopeId) -> TypeId {
        match &target.kind {
            TypeKind::Path(path) => match self.resolve_path(path, scope) {
                Name::Type(ty) => ty,
                Name::Missing => self.undeclared(path, scope, target.span),
                _ => TypeId::ERROR,
            },
            _ => self.resolve_type(target, scope),
        }
    }

    fn extension_scope(
        &mut self,
        decl: DeclId,
        extension: &'a ast::ExtensionDecl,
        ty: TypeId,
        outer: ScopeId,
        interfaces: &mut Vec<InterfaceRef>,
    ) -> ScopeId {
        let info = self.info(decl);
        let scope = self.scope(Some(outer), ScopeKind::Members(ty));
        self.bind(scope, self.words.this_type, Entity::Type(ty));
        self.note_extension(scope, extension, outer);
        let place =
            DeclContext { scope, source: info.source, owner: Some(ty), depth: info.depth + 1, in_interface: false };
        let further = self.interfaces.further.get(&decl).cloned().unwrap_or_default();
        for member in std::iter::once(extension.members.as_slice()).chain(further).flatten() {
            self.declare(member, place);
        }
        for base in &extension.bases {
            let added: Vec<InterfaceRef> = self.bounds(base, outer).into_iter().filter_map(Bound::interface).collect();
            let given = self.interfaces.given.entry(ty).or_default();
            given.extend(added.iter().map(|interface| (interface.clone(), scope)));
            interfaces.extend(added);
        }
        scope
    }
}
