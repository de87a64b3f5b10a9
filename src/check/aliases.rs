//! Aliases of types: what they stand for, the arguments that make them a type, and aliases of function types.

use super::convert::LiteralKind;
use super::generic::Slot;
use super::scope::{DeclId, Entity, ScopeId, What};
use super::types::Name;
use super::{Arg, Checker};
use crate::ast::{self, GenericArg, PathSegment, TypeExpr, TypeKind};
use crate::diagnostic::Code;
use crate::lex::Comment;
use crate::source::{Remark, Span};
use crate::tree::{Alias, Aliases, TypeId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How many aliases may stand for each other.
const MAX_ALIASES: usize = 32;

/// What is not supported of function types.
pub(super) const FUNCTION_TYPE: &str = "a function type other than of a parameter or of a local variable with a value";

/// The attribute of an alias that stands for a member of a parameter: the types that the parameter may be.
const MEMBER_OF: &str = "__member_of";

/// The path that an argument of an attribute is.
fn path_of(arg: &ast::Expr) -> Option<&[PathSegment]> {
    match &arg.kind {
        ast::ExprKind::Path(path) => Some(path),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// What an alias stands for.
    pub(super) fn alias_type(&mut self, decl: DeclId, args: Vec<Arg>, span: Span) -> TypeId {
        let key = (decl, args);
        if let Some(ty) = self.aliases.get(&key) {
            return *ty;
        }
        let info = self.info(decl);
        let What::Alias(alias) = info.what else { return TypeId::ERROR };
        if self.active_aliases.contains(&decl) && self.active_aliases.len() > MAX_ALIASES {
            return self.type_error(Code::RECURSION, span, format!("the alias `{}` contains itself", info.name));
        }
        self.active_aliases.push(decl);
        // A fault of what an alias of the library stands for is reported where the alias is named.
        if !span.file.is_library() {
            self.user_span = Some(span);
        }
        let scope = match &alias.generics {
            Some(generics) => self.bind_generics(generics, &key.1, info.scope),
            None => info.scope,
        };
        let source = std::mem::replace(&mut self.cx.source, info.source);
        // An alias of a function type is no fault of its own: each place that cannot have one is.
        let is_function = self.function_type(&alias.target, scope).is_some();
        let ty = if is_function { TypeId::ERROR } else { self.resolve_type(&alias.target, scope) };
        self.cx.source = source;
        self.active_aliases.pop();
        if is_function {
            return self.unsupported_type(span, FUNCTION_TYPE);
        }
        // Errors that nobody cares for now are found again by who does.
        if ty != TypeId::ERROR || !self.is_quiet() {
            self.aliases.insert(key, ty);
        }
        ty
    }

    /// Aliases without parameters, where the source writes them.
    pub(super) fn written_aliases(&self) -> Aliases {
        let mut known: FxHashMap<DeclId, Option<Arc<Alias>>> = FxHashMap::default();
        #[expect(clippy::disallowed_methods, reason = "a map becomes a map")]
        let found = self.alias_uses.values().filter_map(|(span, decl)| {
            let alias = known.entry(*decl).or_insert_with(|| self.written_alias(*decl).map(Arc::new));
            Some((*span, alias.clone()?))
        });
        found.collect()
    }

    /// What is known of an alias that may be declared in a text: outside of everything, whatever scope the source declares it in, since
    /// no target has declarations of types in all of these.
    fn written_alias(&self, decl: DeclId) -> Option<Alias> {
        let info = self.info(decl);
        let What::Alias(alias) = info.what else { return None };
        // Modifiers, as `row_major`, are of what is declared.
        let is_plain = alias.generics.is_none() && !matches!(alias.target.kind, TypeKind::Modified(..));
        let definition = alias.name.span;
        let ty = *self.aliases.get(&(decl, Vec::new()))?;
        let remark = |comment: &Comment| {
            let Comment { text, trailing, blank_before, .. } = *comment;
            Remark { text, trailing, blank_before }
        };
        // What heads the file is about that.
        let is_own = |comment: &&Comment| self.program.header.iter().all(|head| head.span != comment.span);
        let remarks = info.ast.into_iter().flat_map(|decl| &decl.comments).filter(is_own).map(remark).collect();
        let mut innermost = &alias.target.kind;
        while let TypeKind::Array(element, _) = innermost {
            innermost = &element.kind;
        }
        let target = match innermost {
            TypeKind::Path(path) => path.last().map(|last| last.name.span),
            _ => None,
        };
        let found = Alias { name: info.name, definition, ty, target, remarks };
        (is_plain && !definition.file.is_library()).then_some(found)
    }

    /// Finds the arguments that make the alias this type, then matches the written arguments against them.
    pub(super) fn unify_alias(
        &mut self,
        decl: DeclId,
        alias: &'a ast::AliasDecl,
        args: &'a [GenericArg],
        scope: ScopeId,
        ty: TypeId,
        slots: &mut Vec<Slot>,
    ) -> bool {
        let Some(generics) = &alias.generics else { return true };
        let inner_scope = self.pattern_of(decl);
        let mut inner = vec![Slot::default(); generics.params.len()];
        if self.info(decl).attribute(MEMBER_OF).is_some() {
            return self
                .unify_member(decl, alias, ty)
                .is_some_and(|known| self.unify_alias_args(args, scope, &known, slots));
        }
        self.unify(&alias.target, inner_scope, ty, LiteralKind::None, &mut inner)
            && self.unify_alias_args(args, scope, &inner, slots)
    }

    /// What is known of the parameters of an alias that stands for a member of one of them, as `P` in `typealias A<P, T> = P.M<T>`,
    /// if it is this type.
    fn unify_member(&mut self, decl: DeclId, alias: &'a ast::AliasDecl, ty: TypeId) -> Option<Vec<Slot>> {
        let (TypeKind::Path(path), Some(generics)) = (&alias.target.kind, &alias.generics) else { return None };
        let [owner, member] = path.as_slice() else { return None };
        let scope = self.pattern_of(decl);
        let Some(Entity::Param(position)) = self.lookup(scope, owner.name.name).entities.first().copied() else {
            return None;
        };
        let owners = self.info(decl).attribute(MEMBER_OF)?.args.iter().filter_map(path_of);
        for path in owners.collect::<Vec<_>>() {
            let Name::Type(owner) = self.quiet(|c| c.resolve_path(path, scope)) else { continue };
            let found = self.type_members(owner, member.name.name).entities.first().copied();
            let Some(Entity::Decl(inner)) = found else { continue };
            let What::Alias(inner_alias) = self.info(inner).what else { continue };
            let mut slots = vec![Slot::default(); generics.params.len()];
            let args = member.args.as_deref().unwrap_or(&[]);
            if !self.unify_alias(inner, inner_alias, args, scope, ty, &mut slots) {
                continue;
            }
            slots.get_mut(position as usize)?.suggest(&Arg::Type(owner), LiteralKind::None);
            if let Some(whole) = self.with_numbers(decl, slots, ty) {
                return Some(whole);
            }
        }
        None
    }

    /// The arguments of an alias that is this type. Numbers that the type does not tell are 0, or one of them is 1.
    fn with_numbers(&mut self, decl: DeclId, slots: Vec<Slot>, ty: TypeId) -> Option<Vec<Slot>> {
        let open: Vec<usize> =
            (0..slots.len()).filter(|at| slots.get(*at).is_some_and(|s| s.suggestion().is_none())).collect();
        for one in std::iter::once(None).chain(open.iter().copied().map(Some)) {
            let mut whole = slots.clone();
            for at in &open {
                let number = Arg::Value(i64::from(one == Some(*at)));
                whole.get_mut(*at)?.suggest(&number, LiteralKind::None);
            }
            let args: Option<Vec<Arg>> = whole.iter().map(Slot::suggestion).collect();
            if self.quiet(|c| c.alias_type(decl, args.unwrap_or_default(), Span::default())) == ty {
                return Some(whole);
            }
        }
        None
    }

    /// Written arguments of an alias against what is known of its parameters.
    fn unify_alias_args(
        &mut self,
        args: &'a [GenericArg],
        scope: ScopeId,
        known: &[Slot],
        slots: &mut Vec<Slot>,
    ) -> bool {
        args.iter().zip(known).all(|(arg, slot)| match slot.suggestion() {
            Some(actual) => self.unify_arg(arg, scope, &actual, LiteralKind::None, slots),
            None => true,
        })
    }

    /// The parameters of the function type that a written type is, by itself or by the aliases that it names.
    pub(super) fn function_type(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> Option<&'a [TypeExpr]> {
        match &ty.kind {
            TypeKind::Function(params, _) => Some(params),
            TypeKind::Modified(_, inner) => self.function_type(inner, scope),
            TypeKind::Path(path) => {
                let (decl, alias) = self.alias_of(path, scope)?;
                self.inside_alias(decl, |c, scope| c.function_type(&alias.target, scope))
            }
            _ => None,
        }
    }

    /// What a function that is passed tells of open parameters by an alias of its type: `typealias F<T> = functype(T) -> T;`.
    /// False: the written type is no such alias.
    pub(super) fn infer_from_alias(
        &mut self,
        path: &'a [PathSegment],
        scope: ScopeId,
        ty: TypeId,
        slots: &mut Vec<Slot>,
    ) -> bool {
        let Some((decl, alias)) = self.alias_of(path, scope) else { return false };
        if self.inside_alias(decl, |c, scope| c.function_type(&alias.target, scope)).is_none() {
            return false;
        }
        let count = alias.generics.as_ref().map_or(0, |g| g.params.len());
        let mut inner = vec![Slot::default(); count];
        self.inside_alias(decl, |c, scope| {
            c.infer_from_function(&alias.target, scope, ty, &mut inner);
            Some(())
        });
        let written = path.last().and_then(|last| last.args.as_deref()).unwrap_or(&[]);
        self.unify_alias_args(written, scope, &inner, slots);
        true
    }

    /// Looks at what an alias stands for, with its generic parameters open.
    fn inside_alias<R>(&mut self, decl: DeclId, look: impl FnOnce(&mut Self, ScopeId) -> Option<R>) -> Option<R> {
        if self.active_aliases.len() > MAX_ALIASES {
            return None;
        }
        let scope = self.pattern_of(decl);
        let own = self.info(decl).source;
        let source = std::mem::replace(&mut self.cx.source, own);
        self.active_aliases.push(decl);
        let found = look(self, scope);
        self.active_aliases.pop();
        self.cx.source = source;
        found
    }

    /// The alias that a path names, whatever its arguments are.
    fn alias_of(&mut self, path: &'a [PathSegment], scope: ScopeId) -> Option<(DeclId, &'a ast::AliasDecl)> {
        let (last, outer) = path.split_last()?;
        let found = if outer.is_empty() {
            if self.builtin_type(last.name.name).is_some() {
                return None;
            }
            self.lookup_path_start(scope, last.name.name)
        } else {
            match self.quiet(|c| c.resolve_path(outer, scope)) {
                Name::Namespace(inner) => self.lookup_namespace(inner, last.name.name),
                Name::Type(ty) => self.type_members(ty, last.name.name),
                Name::Interface(..) | Name::Values(..) | Name::Generic(_) | Name::Missing | Name::Error => return None,
            }
        };
        let Entity::Decl(decl) = *found.entities.first()? else { return None };
        let decl = self.exported_for(decl).unwrap_or(decl);
        match self.info(decl).what {
            What::Alias(alias) => Some((decl, alias)),
            _ => None,
        }
    }
}
