//! Definitions: where the statements of a declared function stand. A forward declaration names one that is defined later, or
//! in another file of the unit; a method may be defined outside of its struct.

use super::Checker;
use super::function::{Instance, InstanceId, WHOLE};
use super::operation::POSTFIX;
use super::scope::{DeclId, DeclInfo, Entity, ScopeId, ScopeKind, What};
use crate::ast;
use crate::diagnostic::Code;
use crate::parse::Language;
use crate::symbol::Symbol;
use crate::tree::TypeId;

/// A definition of a method outside of its struct.
pub(super) type OutOfLine<'a> = (&'a ast::Decl, &'a ast::FunctionDecl);

/// A value of a static member outside of its struct.
pub(super) type ValueOutOfLine<'a> = (&'a ast::Decl, &'a ast::VarDecl);

/// The statements of a function, and what is written at them.
pub(super) struct Definition<'a> {
    pub attributes: &'a [ast::Attribute],
    pub body: Option<&'a ast::Block>,
    /// The parameters of a definition elsewhere, by whose names its body knows them.
    pub params: Option<&'a [ast::Decl]>,
    /// The parameters of templates, as a definition elsewhere names them.
    pub generics: Option<&'a ast::Generics>,
    /// A definition outside of the struct, and the name there.
    pub outside: Option<(&'a ast::Decl, ast::Ident)>,
}

impl<'a> Checker<'a> {
    /// The statements of an instance: of the declaration, of a later definition, or of one outside of the struct.
    pub(super) fn code_of(&mut self, instance: &Instance<'a>) -> Definition<'a> {
        let info = self.info(instance.decl);
        let attributes = info.ast.map_or(&[][..], |d| d.attributes.as_slice());
        match info.what {
            What::Function(f) => {
                if f.body.is_some() {
                    return Definition {
                        attributes,
                        body: f.body.as_ref(),
                        params: None,
                        generics: None,
                        outside: None,
                    };
                }
                let definition = self.definition_of(instance, f);
                let is_method = info.owner.is_some();
                let outside = definition.filter(|_| is_method).map(|(decl, f)| (decl, f.name));
                // Those of a method are where it is declared.
                let own = definition.filter(|_| !is_method).map_or(attributes, |(d, _)| d.attributes.as_slice());
                let attributes = if attributes.is_empty() { own } else { attributes };
                let definition = definition.map(|(_, f)| f);
                Definition {
                    attributes,
                    body: definition.and_then(|f| f.body.as_ref()),
                    params: definition.map(|f| f.params.as_slice()),
                    generics: definition.and_then(|f| f.generics.as_ref()),
                    outside,
                }
            }
            What::Property(p) | What::Subscript(p) => match p.accessors.get(instance.accessor as usize) {
                Some(accessor) => {
                    let attributes =
                        if accessor.attributes.is_empty() { attributes } else { accessor.attributes.as_slice() };
                    Definition { attributes, body: accessor.body.as_ref(), params: None, generics: None, outside: None }
                }
                None => Definition { attributes, body: None, params: None, generics: None, outside: None },
            },
            _ => Definition { attributes, body: None, params: None, generics: None, outside: None },
        }
    }

    /// Whether a method may write to its object: in HLSL each may, in Slang those that say so, and setters. What gives a
    /// reference is checked as a whole.
    pub(super) fn may_change_object(&mut self, instance: &Instance<'a>, attributes: &[ast::Attribute]) -> bool {
        let source = self.source_of(instance.decl);
        let (is_setter, refers) = match self.info(instance.decl).what {
            What::Property(p) | What::Subscript(p) => {
                let accessor = p.accessors.get(instance.accessor as usize);
                (accessor.is_some_and(|a| a.name.name != *"get"), false)
            }
            What::Function(f) => (false, self.referred(f, instance.scope).is_some()),
            _ => (false, false),
        };
        let says = |word: &str| attributes.iter().any(|a| a.name.name.as_str().eq_ignore_ascii_case(word));
        let is_free = source.builtin || source.language == Language::Hlsl;
        is_free || is_setter || refers || says("mutating") || says("__ref")
    }

    /// The definition that a forward declaration announces.
    fn definition_of(
        &mut self,
        instance: &Instance<'a>,
        f: &'a ast::FunctionDecl,
    ) -> Option<(&'a ast::Decl, &'a ast::FunctionDecl)> {
        let info = self.info(instance.decl);
        if let Some(owner) = info.owner {
            let list = self.out_of_line.get(&(self.qualified_name(owner)?, f.name.name))?;
            let mut list = list.clone();
            list.retain(|(_, d)| d.params.len() == f.params.len());
            if self.has_overload(instance.decl, f) {
                list.retain(|(_, d)| self.takes_the_same(instance, d));
            }
            return list.first().copied();
        }
        let decl = self.definition_decl(instance.decl)?;
        match self.info(decl).what {
            What::Function(f) => Some((self.info(decl).ast?, f)),
            _ => None,
        }
    }

    /// Whether another method of the struct has the name and as many parameters.
    fn has_overload(&self, decl: DeclId, f: &ast::FunctionDecl) -> bool {
        let siblings = self.named(self.info(decl).scope, f.name.name).iter();
        let alike = siblings.filter(|entity| match entity {
            Entity::Decl(sibling) if *sibling != decl => match self.info(*sibling).what {
                What::Function(other) => other.params.len() == f.params.len(),
                _ => false,
            },
            _ => false,
        });
        alike.count() > 0
    }

    /// Whether a definition outside of a struct has the parameters of an instance of a method.
    fn takes_the_same(&mut self, instance: &Instance<'a>, definition: &'a ast::FunctionDecl) -> bool {
        let scope = self.renamed(&self.info(instance.decl), instance.scope, definition.generics.as_ref());
        let params = definition.params.iter().filter_map(|p| self.param_signature(p, None, scope));
        params.map(|p| p.ty).eq(instance.signature.params.iter().map(|p| p.ty))
    }

    /// A scope in which the parameters of the templates that a member belongs to have the names that its definition outside of
    /// them gives them, as in `template<typename U> U Box<U>::get() { ... }`.
    pub(super) fn renamed(
        &mut self,
        member: &DeclInfo<'a>,
        scope: ScopeId,
        written: Option<&ast::Generics>,
    ) -> ScopeId {
        let Some(written) = written else { return scope };
        let declared = self.template_parameters(member);
        let names: Vec<Symbol> = written.params.iter().map(|p| p.name.name).collect();
        if names.len() != declared.len() || names == declared {
            return scope;
        }
        let found: Vec<Vec<Entity>> = declared.into_iter().map(|name| self.lookup(scope, name).entities).collect();
        let inner = self.scope(Some(scope), ScopeKind::Plain);
        for (name, entities) in names.into_iter().zip(found) {
            entities.into_iter().for_each(|entity| self.bind(inner, name, entity));
        }
        inner
    }

    /// The parameters of the templates around a member, the outermost first.
    fn template_parameters(&self, member: &DeclInfo<'a>) -> Vec<Symbol> {
        let mut lists = Vec::new();
        let mut current = member.owner;
        while let Some(instance) = current.and_then(|owner| self.structs.instance(owner)) {
            let info = self.info(instance.decl);
            if let What::Struct(ast::StructDecl { generics: Some(generics), .. }) = info.what {
                lists.push(&generics.params);
            }
            current = info.owner;
        }
        lists.into_iter().rev().flatten().map(|param| param.name.name).collect()
    }

    /// The instance of the definition of a free function that an instance only declares.
    pub(super) fn defined(&mut self, id: InstanceId) -> Option<InstanceId> {
        let Instance { decl, args, accessor, .. } = self.functions.get(id).clone();
        let info = self.info(decl);
        let What::Function(ast::FunctionDecl { body: None, .. }) = info.what else { return None };
        if info.owner.is_some() || accessor != WHOLE {
            return None;
        }
        let definition = self.definition_decl(decl)?;
        let other = self.instance(definition, WHOLE, args)?;
        let [declared, defined] = [id, other].map(|id| self.functions.get(id).signature.result);
        if declared == defined {
            return Some(other);
        }
        let (a, b) = (self.type_text(declared), self.type_text(defined));
        let (name, span) = (info.name, self.info(definition).span);
        let message = format!("`{name}` gives `{b}` here, and was declared to give `{a}`");
        self.error(Code::REDECLARED, span, message);
        None
    }

    /// The names of a struct and of what it stands in, from the outside, namespaces as one.
    pub(super) fn qualified_name(&self, ty: TypeId) -> Option<Vec<Symbol>> {
        let mut path = Vec::new();
        let mut current = Some(ty);
        while let Some(ty) = current {
            let info = self.info(self.structs.instance(ty)?.decl);
            path.push(info.name);
            current = info.owner;
            if current.is_none() {
                path.extend(self.at(info.scope).namespace);
            }
        }
        path.reverse();
        Some(path)
    }

    /// The declaration with a body of the same parameter types as a forward declaration.
    pub(super) fn definition_decl(&mut self, decl: DeclId) -> Option<DeclId> {
        let info = self.info(decl);
        let What::Function(f) = info.what else { return None };
        // One that is declared in a function is defined outside of it.
        let scopes: Vec<ScopeId> = match (info.owner, &f.body) {
            (None, None) => self.outward(info.scope).collect(),
            _ => vec![info.scope],
        };
        let named = scopes.into_iter().flat_map(|scope| self.named(scope, info.name));
        let siblings: Vec<DeclId> =
            named.filter_map(|e| if let Entity::Decl(d) = e { Some(*d) } else { None }).collect();
        for sibling in siblings {
            let What::Function(other) = self.info(sibling).what else { continue };
            let elsewhere = self.info(sibling).source != info.source && self.source_of(sibling).builtin;
            // `++x` and `x++` of one type are two functions.
            let is_other_side = self.info(sibling).has(POSTFIX) != info.has(POSTFIX);
            if sibling == decl
                || elsewhere
                || is_other_side
                || other.body.is_none()
                || other.params.len() != f.params.len()
            {
                continue;
            }
            if f.generics.is_some() || other.generics.is_some() {
                if f.generics.is_some() && other.generics.is_some() {
                    return Some(sibling);
                }
                continue;
            }
            if self.param_types(decl) == self.param_types(sibling) {
                return Some(sibling);
            }
        }
        None
    }

    /// What is written at the forward declarations of a function with a body.
    pub(super) fn announced_attributes(&mut self, decl: DeclId) -> Vec<&'a [ast::Attribute]> {
        let info = self.info(decl);
        let What::Function(ast::FunctionDecl { body: Some(_), params, .. }) = info.what else { return Vec::new() };
        if info.owner.is_some() || self.source_of(decl).builtin {
            return Vec::new();
        }
        let others = self.named(info.scope, info.name).iter();
        let others: Vec<DeclId> =
            others.filter_map(|e| if let Entity::Decl(d) = e { Some(*d) } else { None }).collect();
        let mut found = Vec::new();
        for other in others {
            let announcement = self.info(other);
            let attributes = announcement.ast.map_or(&[][..], |ast| ast.attributes.as_slice());
            let is_like = match announcement.what {
                What::Function(f) => f.body.is_none() && f.params.len() == params.len(),
                _ => false,
            };
            if is_like && !attributes.is_empty() && self.param_types(other) == self.param_types(decl) {
                found.push(attributes);
            }
        }
        found
    }

    /// Types of the parameters of a function that is not generic.
    pub(super) fn param_types(&mut self, decl: DeclId) -> Option<Vec<TypeId>> {
        if !self.implicit_params(decl).is_empty() {
            return None;
        }
        let id = self.instance(decl, WHOLE, Vec::new())?;
        Some(self.functions.get(id).signature.params.iter().map(|p| p.ty).collect())
    }
}
