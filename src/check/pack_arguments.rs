//! Packs among generic arguments and parameters: which of many arguments belong to which pack, and what is inferred of them.

use super::expr::decl_of;
use super::function::{ParamSignature, param_mode};
use super::generic::Slot;
use super::overload::CallArg;
use super::packs::Item;
use super::scope::{DeclId, Entity, ScopeId, What, has_modifier};
use super::{Arg, Checker, convert};
use crate::ast::{self, ExprKind as Ast, GenericArg, GenericParamKind, Generics, PathSegment, TypeExpr, TypeKind};
use crate::symbol::Symbol;
use crate::tree::{ExprId, TypeId};
use std::rc::Rc;

/// How many arguments a parameter takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Arity {
    One,
    /// It is of a pack whose elements are known.
    Known(usize),
    /// It is of a pack that is being inferred.
    Open,
}

/// A generic argument as written, or one of those that a written one stands for.
pub(super) enum Given<'a> {
    Written(&'a GenericArg),
    Known(Arg),
}

impl<'a> Checker<'a> {
    // ---- Generic arguments ----

    /// Generic arguments as written, packs among them expanded.
    pub(super) fn given_args(&mut self, given: &'a [GenericArg], scope: ScopeId) -> Vec<Given<'a>> {
        let mut list = Vec::with_capacity(given.len());
        for arg in given {
            let items = match arg {
                GenericArg::Type(ty) => self.type_pack(ty, scope),
                GenericArg::Value(e) => match &e.kind {
                    Ast::Expand(inner) => {
                        let outer = std::mem::replace(&mut self.cx.scope, scope);
                        let mut count = None;
                        self.count_in_expr(inner, &mut count);
                        let values = self.for_each(count.unwrap_or(0), |c, _| c.constant_int(inner, scope));
                        self.cx.scope = outer;
                        Some(values.into_iter().flatten().map(|n| Item::Value(n, TypeId::INT)).collect())
                    }
                    _ => None,
                },
            };
            match items {
                None => list.push(Given::Written(arg)),
                Some(items) => list.extend(items.into_iter().filter_map(item_arg).map(Given::Known)),
            }
        }
        list
    }

    /// The argument for a parameter.
    pub(super) fn given_value(
        &mut self,
        param: &'a ast::GenericParam,
        given: &Given<'a>,
        scope: ScopeId,
    ) -> Option<Arg> {
        match given {
            Given::Known(arg) => Some(arg.clone()),
            Given::Written(arg) => self.given_arg(param, arg, scope),
        }
    }

    /// The types that are bound to a pack in a constraint: `expand each T : I`, `T == int`.
    pub(super) fn subject_types(&mut self, subject: &'a TypeExpr, scope: ScopeId) -> Vec<TypeId> {
        let is_type = |item: Item| if let Item::Type(ty) = item { Some(ty) } else { None };
        match &subject.kind {
            TypeKind::Each(pack) if self.element.is_none() => {
                self.type_items(pack, scope).unwrap_or_default().into_iter().filter_map(is_type).collect()
            }
            _ => match self.type_pack(subject, scope) {
                Some(items) => items.into_iter().filter_map(is_type).collect(),
                None => vec![self.resolve_type(subject, scope)],
            },
        }
    }

    // ---- Parameters ----

    /// How many arguments each parameter takes; nothing where each takes one.
    pub(super) fn arities(&mut self, decl: DeclId, params: &'a [ast::Decl]) -> Rc<[Arity]> {
        if let Some(known) = self.functions.arities.get(&decl) {
            return known.clone();
        }
        let scope = self.pattern_of(decl);
        let mut list = Vec::new();
        for param in params {
            list.push(match &param.kind {
                ast::DeclKind::Var(var) => self.arity(&var.ty, scope),
                _ => Arity::One,
            });
        }
        if list.iter().all(|a| *a == Arity::One) {
            list.clear();
        }
        let list: Rc<[Arity]> = Rc::from(list);
        self.functions.arities.insert(decl, list.clone());
        list
    }

    fn arity(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> Arity {
        match &ty.kind {
            TypeKind::Modified(_, inner) => self.arity(inner, scope),
            TypeKind::Expand(_) | TypeKind::Path(_) | TypeKind::PackQuery(..) => {
                if self.is_open_pack(ty, scope, 0) {
                    return Arity::Open;
                }
                if let TypeKind::Path(path) = &ty.kind {
                    return self.named_pack(path, scope).map_or(Arity::One, |p| Arity::Known(p.len()));
                }
                self.quiet(|c| c.type_pack(ty, scope)).map_or(Arity::One, |items| Arity::Known(items.len()))
            }
            _ => Arity::One,
        }
    }

    /// Whether a type is a pack that is being inferred, or an expansion of one.
    fn is_open_pack(&mut self, ty: &'a TypeExpr, scope: ScopeId, depth: u32) -> bool {
        match &ty.kind {
            TypeKind::Path(_) => self.open_pack(ty, scope).is_some(),
            TypeKind::Expand(inner) => self.holds_open_pack(inner, scope, depth),
            TypeKind::PackQuery(_, args, _) => args.first().is_some_and(|ty| self.is_open_pack(ty, scope, depth)),
            _ => false,
        }
    }

    fn holds_open_pack(&mut self, ty: &'a TypeExpr, scope: ScopeId, depth: u32) -> bool {
        if depth > 64 {
            return false;
        }
        match &ty.kind {
            TypeKind::Each(pack) => {
                self.open_pack(pack, scope).is_some() || self.holds_open_pack(pack, scope, depth + 1)
            }
            TypeKind::Path(path) => path.iter().flat_map(|s| s.args.iter().flatten()).any(|arg| match arg {
                GenericArg::Type(ty) => self.holds_open_pack(ty, scope, depth + 1),
                GenericArg::Value(e) => matches!(&e.kind, Ast::Each(_)),
            }),
            TypeKind::Array(inner, _)
            | TypeKind::Pointer(inner)
            | TypeKind::Modified(_, inner)
            | TypeKind::Optional(inner)
            | TypeKind::Some(inner) => self.holds_open_pack(inner, scope, depth + 1),
            TypeKind::Tuple(list) | TypeKind::PackQuery(_, list, _) => {
                list.iter().any(|ty| self.holds_open_pack(ty, scope, depth + 1))
            }
            _ => false,
        }
    }

    /// The number of the open pack that a type names, also by `each`.
    fn open_pack(&mut self, ty: &'a TypeExpr, scope: ScopeId) -> Option<u32> {
        match &ty.kind {
            TypeKind::Each(pack) => self.open_pack(pack, scope),
            TypeKind::Path(path) => self.open_pack_named(path, scope),
            _ => None,
        }
    }

    fn open_pack_named(&mut self, path: &[PathSegment], scope: ScopeId) -> Option<u32> {
        let [only] = path else { return None };
        // Most programs have none: no name has to be looked up.
        if !self.has_open_packs {
            return None;
        }
        match self.lookup(scope, only.name.name).entities.first() {
            Some(Entity::OpenPack(index)) => Some(*index),
            _ => None,
        }
    }

    /// Which parameter takes each of some arguments, with the number of the element of its pack. `None`: they do not fit.
    pub(super) fn assign_args(arities: &[Arity], count: usize) -> Option<Vec<(usize, Option<usize>)>> {
        let open = arities.iter().filter(|a| **a == Arity::Open).count();
        let fixed: usize = arities
            .iter()
            .map(|a| match a {
                Arity::One => 1,
                Arity::Known(n) => *n,
                Arity::Open => 0,
            })
            .sum();
        let each = match count.checked_sub(fixed) {
            Some(rest) if open > 0 && !rest.is_multiple_of(open) => return None,
            Some(rest) => rest.checked_div(open).unwrap_or(0),
            None => 0,
        };
        let mut list = Vec::new();
        for (index, arity) in arities.iter().enumerate() {
            match arity {
                Arity::One => list.push((index, None)),
                Arity::Known(n) => list.extend((0..*n).map(|i| (index, Some(i)))),
                Arity::Open => list.extend((0..each).map(|i| (index, Some(i)))),
            }
        }
        Some(list)
    }

    /// The parameters that one of the type of a pack stands for.
    pub(super) fn pack_params(
        &mut self,
        param: &'a ast::Decl,
        scope: ScopeId,
    ) -> Option<(Symbol, Vec<ParamSignature<'a>>)> {
        let ast::DeclKind::Var(var) = &param.kind else { return None };
        let items = self.type_pack(&var.ty, scope)?;
        let mut list = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            let ty = if let Item::Type(ty) = item { ty } else { TypeId::ERROR };
            list.push(ParamSignature {
                name: Symbol::new(&format!("{}_{index}", var.name.name)),
                span: var.name.span,
                ty,
                mode: param_mode(param),
                default: None,
                constexpr: has_modifier(param, "constexpr"),
                decl: Some(param),
            });
        }
        Some((var.name.name, list))
    }

    // ---- Inference ----

    /// What an argument says about the pack that a pattern names. `None`: the pattern names none.
    pub(super) fn unify_open_pack(
        &mut self,
        pattern: &'a TypeExpr,
        scope: ScopeId,
        actual: &Arg,
        literal: convert::LiteralKind,
        slots: &mut [Slot],
    ) -> Option<()> {
        let index = self.open_pack(pattern, scope)?;
        self.note_pack_element(index, actual, literal, slots);
        Some(())
    }

    fn note_pack_element(&mut self, index: u32, actual: &Arg, literal: convert::LiteralKind, slots: &mut [Slot]) {
        let (Some(slot), Some(element)) = (slots.get_mut(index as usize), self.element) else { return };
        if slot.pack.len() <= element {
            slot.pack.resize(element + 1, Slot::default());
        }
        if let Some(inner) = slot.pack.get_mut(element) {
            inner.suggest(actual, literal);
        }
    }

    /// Written arguments against those of a type, of which packs are expanded.
    pub(super) fn unify_args(
        &mut self,
        args: &'a [GenericArg],
        scope: ScopeId,
        actual: &[Arg],
        slots: &mut Vec<Slot>,
    ) -> bool {
        let none = convert::LiteralKind::None;
        let holds_packs = actual.iter().any(|arg| matches!(arg, Arg::Pack(_)));
        if !holds_packs && !self.has_open_packs && self.packs.is_empty() {
            return args.iter().zip(actual).all(|(arg, actual)| self.unify_arg(arg, scope, actual, none, slots));
        }
        let actual = flattened(actual);
        let mut arities = Vec::new();
        for arg in args {
            arities.push(match arg {
                GenericArg::Type(ty) => self.arity(ty, scope),
                GenericArg::Value(e) => match &e.kind {
                    Ast::Expand(_) => Arity::Open,
                    _ => Arity::One,
                },
            });
        }
        if arities.iter().all(|a| *a == Arity::One) {
            return args.iter().zip(&actual).all(|(arg, actual)| self.unify_arg(arg, scope, actual, none, slots));
        }
        let Some(assigned) = Self::assign_args(&arities, actual.len()).filter(|a| a.len() == actual.len()) else {
            return false;
        };
        for ((index, element), actual) in assigned.into_iter().zip(&actual) {
            let Some(arg) = args.get(index) else { return false };
            let outer = self.element;
            self.element = element.or(outer);
            let fits = match arg {
                GenericArg::Type(TypeExpr { kind: TypeKind::Expand(inner), .. }) => {
                    self.unify_inner(inner, scope, actual, slots)
                }
                GenericArg::Type(ty) if element.is_some() => self.unify_inner(ty, scope, actual, slots),
                GenericArg::Value(ast::Expr { kind: Ast::Expand(inner), .. }) => {
                    if let Ast::Each(pack) = &inner.kind
                        && let Ast::Path(path) = &pack.kind
                        && let Some(open) = self.open_pack_named(path, scope)
                    {
                        self.note_pack_element(open, actual, none, slots);
                    }
                    true
                }
                _ => self.unify_arg(arg, scope, actual, none, slots),
            };
            self.element = outer;
            if !fits {
                return false;
            }
        }
        true
    }

    fn unify_inner(&mut self, pattern: &'a TypeExpr, scope: ScopeId, actual: &Arg, slots: &mut Vec<Slot>) -> bool {
        let none = convert::LiteralKind::None;
        if self.unify_open_pack(pattern, scope, actual, none, slots).is_some() {
            return true;
        }
        match actual {
            Arg::Type(ty) => self.unify(pattern, scope, *ty, none, slots),
            Arg::Value(_) | Arg::Pack(_) => true,
        }
    }

    /// Spreads arguments that are given over generic parameters: how many each takes. `None`: they are too many, or
    /// cannot be shared among packs.
    pub(super) fn shares(generics: &Generics, count: usize) -> Option<Vec<usize>> {
        let is_pack = |p: &&ast::GenericParam| matches!(p.kind, GenericParamKind::Pack { .. });
        let packs = generics.params.iter().filter(is_pack).count();
        let fixed = generics.params.len() - packs;
        let rest = count.saturating_sub(fixed);
        if rest > 0 && (packs == 0 || !rest.is_multiple_of(packs)) {
            return None;
        }
        let each = rest.checked_div(packs).unwrap_or(0);
        let mut left = count;
        let mut take = |n: usize| {
            let taken = n.min(left);
            left -= taken;
            taken
        };
        Some(generics.params.iter().map(|p| take(if is_pack(&p) { each } else { 1 })).collect())
    }

    /// Values without a type do what they do before the call they are arguments of.
    pub(super) fn split_void(&self, args: Vec<CallArg<'a>>) -> (Vec<ExprId>, Vec<CallArg<'a>>) {
        let mut effects = Vec::new();
        let mut rest = Vec::new();
        for arg in args {
            match arg.kind {
                super::overload::ArgKind::Value(value, TypeId::VOID, _) => effects.push(value),
                _ => rest.push(arg),
            }
        }
        (effects, rest)
    }

    /// The declaration of an interface of the library.
    pub(super) fn library_interface(&mut self, name: &str) -> Option<DeclId> {
        let library = self.sources.first().map_or(ScopeId(0), |s| s.scope);
        let found = self.lookup_here(library, Symbol::new(name));
        let decls = found.entities.iter().copied().filter_map(decl_of);
        decls.into_iter().find(|d| matches!(self.info(*d).what, What::Interface(_)))
    }

    /// The declaration of a struct of the library.
    pub(super) fn library_struct(&mut self, name: &str) -> Option<DeclId> {
        let library = self.sources.first().map_or(ScopeId(0), |s| s.scope);
        let found = self.lookup_here(library, Symbol::new(name));
        let decls = found.entities.iter().copied().filter_map(decl_of);
        decls.into_iter().find(|d| matches!(self.info(*d).what, What::Struct(_)))
    }
}

fn item_arg(item: Item) -> Option<Arg> {
    match item {
        Item::Type(ty) => Some(Arg::Type(ty)),
        Item::Value(n, _) => Some(Arg::Value(n)),
        Item::Local(..) | Item::Expr(_) => None,
    }
}

fn flattened(args: &[Arg]) -> Vec<Arg> {
    let mut list = Vec::new();
    for arg in args {
        match arg {
            Arg::Pack(inner) => list.extend(flattened(inner)),
            _ => list.push(arg.clone()),
        }
    }
    list
}
