//! Scopes and what names stand for.

use super::Checker;
use crate::ast;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::{Symbol, edit_distance};
use crate::tree::{LocalId, Type, TypeId};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ScopeId(pub u32);

/// A declaration in a scope. The members of each instance of a generic are declarations of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct DeclId(pub u32);

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Entity {
    /// A declaration, resolved when used.
    Decl(DeclId),
    /// A bound type parameter, associated type or `This`.
    Type(TypeId),
    /// A bound value parameter.
    Value(i64, TypeId),
    /// A parameter or variable of the body with this number.
    Local(LocalId, u32),
    /// A generic parameter that is being inferred.
    Param(u32),
    /// A parameter pack that is being inferred.
    OpenPack(u32),
    /// A generic type that the checker knows: `vector`, `matrix`, `Array`.
    Generic(BuiltinGeneric),
    /// A bound parameter pack: index in `Checker::packs`.
    Pack(u32),
}

/// Generic types that are no structs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BuiltinGeneric {
    /// `vector<T, N>`
    Vector,
    /// `matrix<T, R, C>`
    Matrix,
    /// `Array<T, N>`
    Array,
    /// `Ptr<T>`
    Pointer,
}

/// What a scope is, for lookups that end or branch at it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ScopeKind {
    /// A file, a namespace, a block, generic parameters.
    Plain,
    /// The members of a type: its bases and extensions are searched too.
    Members(TypeId),
}

/// What a name stands for in one scope: mostly one thing, so that few names need memory of their own.
#[derive(Debug)]
pub(super) enum Entities {
    One([Entity; 1]),
    Several(Vec<Entity>),
}

impl Entities {
    fn push(&mut self, entity: Entity) {
        match self {
            Entities::One([first]) => *self = Entities::Several(vec![*first, entity]),
            Entities::Several(list) => list.push(entity),
        }
    }
}

impl std::ops::Deref for Entities {
    type Target = [Entity];
    fn deref(&self) -> &[Entity] {
        match self {
            Entities::One(one) => one,
            Entities::Several(list) => list,
        }
    }
}

/// Names and the scope around them.
#[derive(Debug)]
pub(super) struct Scope {
    pub parent: Option<ScopeId>,
    pub kind: ScopeKind,
    pub names: FxHashMap<Symbol, Entities>,
    /// Names in order of declaration, for members.
    pub order: Vec<DeclId>,
    /// Namespaces opened by `using`, imported modules, unscoped enums.
    pub opened: Vec<ScopeId>,
    /// Generic parameters are open in it.
    pub open: bool,
    /// The names of the namespaces around what it holds, `Outer.Inner`.
    pub namespace: Option<Symbol>,
}

/// What was declared.
#[derive(Clone, Copy, Debug)]
pub(super) enum What<'a> {
    Var(&'a ast::VarDecl),
    /// A field of a struct instance: its index.
    Field(&'a ast::VarDecl, u32),
    /// A member of a cbuffer: the buffer and the index.
    BufferMember(DeclId, u32),
    Function(&'a ast::FunctionDecl),
    Struct(&'a ast::StructDecl),
    Interface(&'a ast::StructDecl),
    Enum(&'a ast::EnumDecl),
    /// The enum and the index of the case.
    EnumCase(DeclId, u32),
    Alias(&'a ast::AliasDecl),
    Associated(&'a ast::GenericParam),
    Namespace(ScopeId),
    Buffer(&'a ast::BufferDecl),
    Property(&'a ast::PropertyDecl),
    Subscript(&'a ast::PropertyDecl),
    Extension(&'a ast::ExtensionDecl),
}

impl What<'_> {
    /// Whether it is a variable at global scope, which may have the name of a type.
    pub fn is_variable(&self) -> bool {
        matches!(self, What::Var(_) | What::BufferMember(..))
    }

    /// Whether it may stand before `::` or name a type.
    fn is_type_or_namespace(&self) -> bool {
        match self {
            What::Struct(_)
            | What::Interface(_)
            | What::Enum(_)
            | What::Alias(_)
            | What::Associated(_)
            | What::Namespace(_) => true,
            What::Var(_)
            | What::Field(..)
            | What::BufferMember(..)
            | What::Function(_)
            | What::EnumCase(..)
            | What::Buffer(_)
            | What::Property(_)
            | What::Subscript(_)
            | What::Extension(_) => false,
        }
    }
}

/// A declaration with its place among scopes.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeclInfo<'a> {
    pub name: Symbol,
    pub span: Span,
    pub what: What<'a>,
    /// Attributes, modifiers and comments; enum cases have none.
    pub ast: Option<&'a ast::Decl>,
    /// The scope that it stands in.
    pub scope: ScopeId,
    /// The type whose member it is; for members of interfaces the type that conforms.
    pub owner: Option<TypeId>,
    /// Index in `Checker::sources`.
    pub source: u32,
    /// Depth of namespaces.
    pub depth: u32,
    /// Declared in an interface.
    pub in_interface: bool,
}

impl<'a> DeclInfo<'a> {
    /// Whether a keyword stands before the declaration.
    pub fn has(&self, word: &str) -> bool {
        self.ast.is_some_and(|d| has_modifier(d, word))
    }
    /// The attribute of a name.
    pub fn attribute(&self, name: &str) -> Option<&'a ast::Attribute> {
        self.ast.and_then(|d| attribute(d, name))
    }
}

/// Whether a keyword stands before a declaration.
pub(super) fn has_modifier(decl: &ast::Decl, word: &str) -> bool {
    decl.modifiers.iter().any(|m| m.name == *word)
}

/// The attribute of a name, without regard to case.
pub(super) fn attribute<'a>(decl: &'a ast::Decl, name: &str) -> Option<&'a ast::Attribute> {
    decl.attributes.iter().find(|a| a.name.name.as_str().eq_ignore_ascii_case(name))
}

/// What a lookup found: everything of that name in the innermost scope that has it, and functions that it overloads.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub entities: Vec<Entity>,
    /// Functions that are not seen in HLSL, from the inside outwards: they are meant where none of the others fits.
    pub unseen: Vec<Entity>,
    /// The type whose members these are, if any.
    pub member_of: Option<TypeId>,
}

impl<'a> Checker<'a> {
    pub(super) fn scope(&mut self, parent: Option<ScopeId>, kind: ScopeKind) -> ScopeId {
        let namespace = parent.and_then(|p| self.at(p).namespace);
        self.scopes.push(Scope {
            parent,
            kind,
            names: FxHashMap::default(),
            order: Vec::new(),
            opened: Vec::new(),
            open: false,
            namespace,
        });
        ScopeId(self.scopes.len() as u32 - 1)
    }

    pub(super) fn at(&self, scope: ScopeId) -> &Scope {
        &self.scopes[scope.0 as usize]
    }

    pub(super) fn at_mut(&mut self, scope: ScopeId) -> &mut Scope {
        &mut self.scopes[scope.0 as usize]
    }

    /// A scope and those around it, from the inside outwards.
    pub(super) fn outward(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |id| self.at(*id).parent)
    }

    /// What a name stands for in a scope itself.
    pub(super) fn named(&self, scope: ScopeId, name: Symbol) -> &[Entity] {
        self.at(scope).names.get(&name).map_or(&[], |entities| entities)
    }

    pub(super) fn info(&self, decl: DeclId) -> DeclInfo<'a> {
        self.decls[decl.0 as usize]
    }

    pub(super) fn bind(&mut self, scope: ScopeId, name: Symbol, entity: Entity) {
        self.note_shadowed(name);
        match self.at_mut(scope).names.entry(name) {
            Entry::Occupied(known) => known.into_mut().push(entity),
            Entry::Vacant(free) => drop(free.insert(Entities::One([entity]))),
        }
    }

    /// Binds a name that hides earlier ones of the same scope.
    pub(super) fn rebind(&mut self, scope: ScopeId, name: Symbol, entity: Entity) {
        self.note_shadowed(name);
        self.at_mut(scope).names.insert(name, Entities::One([entity]));
    }

    /// Remembers that a name of a builtin type means something else somewhere.
    fn note_shadowed(&mut self, name: Symbol) {
        if self.builtin_type(name).is_some() {
            self.shadowed.insert(name);
        }
    }

    /// Looks a name up from a scope outwards. Free functions of outer scopes overload those of inner ones (a user's
    /// `lerp` beside the builtin one), in Slang also methods: what fits as well as the other is the inner one.
    pub(super) fn lookup(&mut self, scope: ScopeId, name: Symbol) -> Found {
        let mut functions = Found::default();
        let mut method = None;
        let mut later = None;
        let mut current = Some(scope);
        while let Some(id) = current {
            let found = self.lookup_here(id, name);
            if self.is_declared_later(&found, id) {
                later.get_or_insert(found);
            } else if !found.entities.is_empty() {
                if !self.are_functions(&found) {
                    return match method.is_none() && functions.entities.is_empty() && functions.unseen.is_empty() {
                        true => found,
                        false => self.overloads(method, functions),
                    };
                }
                match found.member_of {
                    // An outer type's methods have another `this`.
                    Some(_) if method.is_some() => break,
                    Some(_) if functions.entities.is_empty() => {
                        if self.language() == Language::Hlsl && !self.in_builtin() {
                            return found;
                        }
                        method = Some(found);
                    }
                    _ => self.see_functions(&mut functions, found.entities, id),
                }
            }
            current = self.at(id).parent;
        }
        let found = self.overloads(method, functions);
        later.filter(|_| found.entities.is_empty()).unwrap_or(found)
    }

    /// HLSL: whether a variable or type is declared behind the function that names it, so that one of an outer scope is meant if there
    /// is one.
    fn is_declared_later(&self, found: &Found, scope: ScopeId) -> bool {
        let (Some(last), [Entity::Decl(decl)]) = (self.cx.sees_until, found.entities.as_slice()) else { return false };
        let hides = matches!(
            self.info(*decl).what,
            What::Var(_)
                | What::BufferMember(..)
                | What::EnumCase(..)
                | What::Struct(_)
                | What::Enum(_)
                | What::Alias(_)
        );
        hides && *decl > last && self.outward(self.info(last).scope).any(|around| around == scope)
    }

    /// Looks the name of a type or namespace up from a scope outwards, past what else has it.
    pub(super) fn lookup_types(&mut self, scope: ScopeId, name: Symbol) -> Found {
        let mut current = Some(scope);
        let mut later = None;
        while let Some(id) = current {
            let mut found = self.lookup_here(id, name);
            found.entities.retain(|entity| match entity {
                Entity::Decl(decl) => self.info(*decl).what.is_type_or_namespace(),
                Entity::Value(..) | Entity::Local(..) => false,
                Entity::Type(_) | Entity::Param(_) | Entity::OpenPack(_) | Entity::Generic(_) | Entity::Pack(_) => true,
            });
            if self.is_declared_later(&found, id) {
                later.get_or_insert(found);
            } else if !found.entities.is_empty() {
                return found;
            }
            current = self.at(id).parent;
        }
        later.unwrap_or_default()
    }

    /// Adds what is seen of the functions of a scope to those that inner scopes have.
    ///
    /// HLSL has the rules of C++: functions are seen that are declared before, and those of a namespace hide those around it. Functions
    /// of the file are found by their arguments as well, if these are vectors, matrices or structs. What the language itself has is
    /// always seen.
    fn see_functions(&mut self, inner: &mut Found, mut entities: Vec<Entity>, scope: ScopeId) {
        if self.language() == Language::Hlsl && !self.in_builtin() {
            let hides = inner.entities.iter().any(|e| !self.is_of_library(e));
            let is_file = self.at(scope).namespace.is_none();
            let last = self.cx.sees_until;
            entities.retain(|e| {
                let is_before = last.is_none_or(|last| matches!(e, Entity::Decl(d) if *d <= last));
                let seen =
                    self.is_of_library(e) || is_before && (!hides || is_file && self.takes_more_than_scalars(*e));
                if !seen {
                    inner.unseen.push(*e);
                }
                seen
            });
        }
        inner.entities.append(&mut entities);
    }

    pub(super) fn is_of_library(&self, entity: &Entity) -> bool {
        !matches!(entity, Entity::Decl(d) if !self.source_of(*d).builtin)
    }

    /// Whether a function has a parameter of a type that is not one of the scalars.
    fn takes_more_than_scalars(&mut self, entity: Entity) -> bool {
        let Entity::Decl(decl) = entity else { return true };
        let What::Function(function) = self.info(decl).what else { return true };
        let mut is_scalar = |param: &ast::Decl| match &param.kind {
            ast::DeclKind::Var(ast::VarDecl { ty: ast::TypeExpr { kind: ast::TypeKind::Path(path), .. }, .. }) => {
                match &path[..] {
                    [only] => self
                        .builtin_type(only.name.name)
                        .is_some_and(|ty| matches!(self.program.types.get(ty), Type::Scalar(_))),
                    _ => false,
                }
            }
            _ => false,
        };
        !function.params.iter().all(&mut is_scalar)
    }

    /// Methods, and the free functions of their name around their type.
    fn overloads(&self, method: Option<Found>, functions: Found) -> Found {
        match method {
            // A method of the standard library that calls its own name means the free function.
            Some(_) if self.in_builtin() && !functions.entities.is_empty() => functions,
            Some(mut method) => {
                method.entities.extend(functions.entities);
                method
            }
            None if functions.entities.is_empty() => Found { entities: functions.unseen, ..Found::default() },
            None => functions,
        }
    }

    fn are_functions(&self, found: &Found) -> bool {
        found.entities.iter().all(|e| matches!(e, Entity::Decl(d) if matches!(self.info(*d).what, What::Function(_))))
    }

    /// Looks a name up in one scope with what it opens, and in a type's members with bases and extensions.
    pub(super) fn lookup_here(&mut self, scope: ScopeId, name: Symbol) -> Found {
        if let ScopeKind::Members(ty) = self.at(scope).kind {
            let entities = self.members_of_scope(scope, ty, name);
            return Found { entities, member_of: Some(ty), ..Found::default() };
        }
        let mut entities = Vec::new();
        self.lookup_opened(scope, name, &mut Vec::new(), &mut entities);
        Found { entities, ..Found::default() }
    }

    /// One scope; if it has nothing, the scopes that it opens.
    fn lookup_opened(&self, scope: ScopeId, name: Symbol, seen: &mut Vec<ScopeId>, out: &mut Vec<Entity>) {
        if seen.contains(&scope) {
            return;
        }
        let list = self.named(scope, name);
        if out.is_empty() {
            out.extend_from_slice(list);
        } else {
            list.iter().for_each(|e| {
                if !out.contains(e) {
                    out.push(*e)
                }
            });
        }
        let may_be_opened = |e: &Entity| matches!(e, Entity::Decl(d) if matches!(self.info(*d).what, What::Function(_) | What::Namespace(_)));
        let opened = &self.at(scope).opened;
        if opened.is_empty() || !list.iter().all(may_be_opened) {
            return;
        }
        seen.push(scope);
        for opened in opened {
            self.lookup_opened(*opened, name, seen, out);
        }
    }

    /// Names that resemble `name`, for error notes.
    pub(super) fn similar(&self, scope: ScopeId, name: Symbol) -> Option<Symbol> {
        let mut best: Option<(usize, &'static str, Symbol)> = None;
        for id in self.outward(scope) {
            #[expect(
                clippy::iter_over_hash_type,
                clippy::disallowed_methods,
                reason = "of equally near names it is the first"
            )]
            for candidate in self.at(id).names.keys() {
                let text = candidate.as_str();
                if text.starts_with("__") {
                    continue;
                }
                let distance = edit_distance(name.as_str(), text);
                if distance <= 1 + name.as_str().len() / 5
                    && best.is_none_or(|(d, t, _)| distance < d || (distance == d && text < t))
                {
                    best = Some((distance, text, *candidate));
                }
            }
        }
        best.map(|(_, _, s)| s)
    }
}
