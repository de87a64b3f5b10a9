//! Generic arguments: as written, by default, and inferred from call arguments.

use super::interfaces::Bound;
use super::packs::Item;
use super::scope::{BuiltinGeneric, DeclId, Entity, ScopeId, ScopeKind, What};
use super::types::Name;
use super::{Arg, Checker, convert};
use crate::ast::{self, ExprKind, GenericArg, GenericParam, GenericParamKind, Generics, TypeExpr, TypeKind};
use crate::diagnostic::Code;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{Length, Program, Scalar, Type, TypeId};

/// What is known of a parameter that is being inferred.
#[derive(Clone, Debug, Default)]
pub(super) struct Slot {
    /// Given or fixed by a pattern that allows no conversion.
    pub fixed: Option<Arg>,
    /// Types that arguments suggest, with whether a literal does.
    types: Vec<(TypeId, convert::LiteralKind)>,
    /// Numbers that arguments suggest.
    values: Vec<i64>,
    /// A length that a scalar argument leaves open.
    scalar: bool,
    /// How many of the types decide.
    settled: usize,
    /// Of a pack: what is known of its elements.
    pub pack: Vec<Slot>,
}

impl Slot {
    /// One thing that arguments suggest.
    pub(super) fn suggestion(&self) -> Option<Arg> {
        match (self.types.first(), self.values.first()) {
            (Some((ty, _)), _) => Some(Arg::Type(*ty)),
            (None, Some(n)) => Some(Arg::Value(*n)),
            (None, None) => None,
        }
    }

    /// Takes note of what an argument suggests.
    pub(super) fn suggest(&mut self, arg: &Arg, literal: convert::LiteralKind) {
        match arg {
            Arg::Type(ty) => self.types.push((*ty, literal)),
            Arg::Value(n) => self.values.push(*n),
            Arg::Pack(_) => {}
        }
    }

    /// The types that are suggested so far decide, if there are any.
    pub(super) fn settle(&mut self) {
        if self.settled == 0 {
            self.settled = self.types.len();
        }
    }

    /// The types that decide: all, unless some were settled on.
    fn suggested(&self) -> &[(TypeId, convert::LiteralKind)] {
        let count = if self.settled == 0 { self.types.len() } else { self.settled };
        self.types.get(..count).unwrap_or(&[])
    }
}

/// Whether a parameter has a default.
pub(super) fn has_default(param: &GenericParam) -> bool {
    match &param.kind {
        GenericParamKind::Type { default, .. } => default.is_some(),
        GenericParamKind::Value { default, .. } => default.is_some(),
        GenericParamKind::Pack { .. } => true,
    }
}

impl<'a> Checker<'a> {
    /// A scope in which generic parameters stand for arguments.
    pub(super) fn bind_generics(&mut self, generics: &'a Generics, args: &[Arg], parent: ScopeId) -> ScopeId {
        let scope = self.scope(Some(parent), ScopeKind::Plain);
        for (param, arg) in generics.params.iter().zip(args) {
            self.bind_arg(scope, param, arg);
        }
        self.note_generics(scope, generics);
        scope
    }

    pub(super) fn bind_arg(&mut self, scope: ScopeId, param: &'a GenericParam, arg: &Arg) {
        let entity = match arg {
            Arg::Type(ty) => Entity::Type(*ty),
            Arg::Value(n) => {
                let ty = match &param.kind {
                    GenericParamKind::Value { ty, .. } => self.value_type(ty, scope),
                    _ => TypeId::INT,
                };
                Entity::Value(*n, ty)
            }
            Arg::Pack(list) => {
                let value = match &param.kind {
                    GenericParamKind::Pack { value: Some(ty), .. } => self.resolve_type(ty, scope),
                    _ => TypeId::INT,
                };
                let item = |arg: &Arg| match arg {
                    Arg::Type(ty) => Some(Item::Type(*ty)),
                    Arg::Value(n) => Some(Item::Value(*n, value)),
                    Arg::Pack(_) => None,
                };
                self.new_pack(list.iter().filter_map(item).collect())
            }
        };
        self.bind(scope, param.name.name, entity);
    }

    /// The type of a generic value, which is one number.
    fn value_type(&mut self, written: &'a TypeExpr, scope: ScopeId) -> TypeId {
        let ty = self.resolve_type(written, scope);
        match self.program.types.get(ty) {
            Type::Enum(_) | Type::Error => ty,
            Type::Scalar(s) if s.is_integer() || s == Scalar::Bool => ty,
            _ => {
                let text = self.type_text(ty);
                let message = format!("a generic value is an integer, a bool or of an enum, not a `{text}`");
                self.error(Code::NOT_A_TYPE, written.span, message);
                TypeId::ERROR
            }
        }
    }

    /// Arguments as written at a type or function, filled up with defaults and checked against constraints.
    pub(super) fn explicit_args(
        &mut self,
        decl: DeclId,
        generics: &'a Generics,
        given: &'a [GenericArg],
        use_scope: ScopeId,
        span: Span,
    ) -> Option<Vec<Arg>> {
        let info = self.info(decl);
        let given = self.given_args(given, use_scope);
        let Some(shares) = Self::shares(generics, given.len()) else {
            let message =
                format!("`{}` takes {} generic arguments, not {}", info.name, generics.params.len(), given.len());
            self.error(Code::GENERIC_ARGUMENTS, span, message);
            return None;
        };
        let mut given = given.iter();
        let scope = self.scope(Some(info.scope), ScopeKind::Plain);
        let mut args = Vec::new();
        for (param, share) in generics.params.iter().zip(shares) {
            let own: Vec<_> = given.by_ref().take(share).collect();
            let arg = match (&param.kind, own.first()) {
                (GenericParamKind::Pack { .. }, _) => {
                    let list: Option<Vec<Arg>> =
                        own.into_iter().map(|arg| self.given_value(param, arg, use_scope)).collect();
                    Arg::Pack(list?)
                }
                (_, Some(arg)) => self.given_value(param, arg, use_scope)?,
                (_, None) => match self.default_arg(param, scope) {
                    Some(arg) => arg,
                    None => {
                        let message = format!("`{}` needs an argument for `{}`", info.name, param.name.name);
                        self.error(Code::GENERIC_ARGUMENTS, span, message);
                        return None;
                    }
                },
            };
            self.bind_arg(scope, param, &arg);
            args.push(arg);
        }
        self.check_constraints(generics, &args, scope, span).then_some(args)
    }

    /// The default of a parameter, in a scope where the parameters before it are bound.
    pub(super) fn default_arg(&mut self, param: &'a GenericParam, scope: ScopeId) -> Option<Arg> {
        match &param.kind {
            GenericParamKind::Type { default: Some(ty), .. } => {
                Some(self.resolve_type(ty, scope)).filter(|t| *t != TypeId::ERROR).map(Arg::Type)
            }
            GenericParamKind::Value { default: Some(value), .. } => self.constant_int(value, scope).map(Arg::Value),
            GenericParamKind::Pack { .. } => Some(Arg::Pack(Vec::new())),
            _ => None,
        }
    }

    pub(super) fn given_arg(&mut self, param: &'a GenericParam, arg: &'a GenericArg, scope: ScopeId) -> Option<Arg> {
        match &param.kind {
            GenericParamKind::Value { .. } | GenericParamKind::Pack { value: Some(_), .. } => {
                self.value_arg(arg, scope).map(Arg::Value)
            }
            GenericParamKind::Type { .. } | GenericParamKind::Pack { .. } => {
                Some(self.type_arg(arg, scope)).filter(|t| *t != TypeId::ERROR).map(Arg::Type)
            }
        }
    }

    /// An argument that must be a type.
    pub(super) fn type_arg(&mut self, arg: &'a GenericArg, scope: ScopeId) -> TypeId {
        match arg {
            GenericArg::Type(ty) => self.resolve_type(ty, scope),
            GenericArg::Value(e) => match &e.kind {
                ExprKind::Path(path) => match self.resolve_type_path(path, scope) {
                    Name::Type(ty) => ty,
                    Name::Error => TypeId::ERROR,
                    Name::Missing => self.undeclared(path, scope, e.span),
                    _ => self.not_a_type(e.span),
                },
                _ => self.not_a_type(e.span),
            },
        }
    }

    fn not_a_type(&mut self, span: Span) -> TypeId {
        self.error(Code::NOT_A_TYPE, span, "a type is needed as generic argument here");
        TypeId::ERROR
    }

    /// An argument that must be a constant.
    pub(super) fn value_arg(&mut self, arg: &'a GenericArg, scope: ScopeId) -> Option<i64> {
        match arg {
            GenericArg::Value(e) => self.constant_int(e, scope),
            GenericArg::Type(TypeExpr { kind: TypeKind::Path(path), span }) => {
                self.constant_of(scope, *span, |c| c.path_expr(path, *span))
            }
            // `table[3]` reads as an array type.
            GenericArg::Type(TypeExpr { kind: TypeKind::Array(inner, Some(size)), span })
                if matches!(inner.kind, TypeKind::Path(_)) =>
            {
                let TypeKind::Path(path) = &inner.kind else { return None };
                self.constant_of(scope, *span, |c| {
                    let base = c.path_expr(path, *span);
                    let index = c.call_arg(size);
                    c.index(base, &[index], *span)
                })
            }
            GenericArg::Type(ty) => {
                if let Some(n) = self.pack_value(ty, scope) {
                    return Some(n);
                }
                self.error(Code::NOT_CONSTANT, ty.span, "a constant is needed as generic argument here");
                None
            }
        }
    }

    /// Arguments as text for names.
    pub(super) fn args_text(&self, args: &[Arg]) -> String {
        let parts: Vec<String> = args.iter().map(|a| self.arg_text(a)).collect();
        parts.join("_")
    }

    /// Arguments as the source may write them.
    pub(super) fn args_written(&self, args: &[Arg], name: impl Copy + Fn(&Program, TypeId) -> String) -> String {
        let parts = args.iter().map(|arg| match arg {
            Arg::Type(ty) => name(&self.program, *ty),
            Arg::Value(n) => n.to_string(),
            Arg::Pack(list) => self.args_written(list, name),
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    /// How deep struct instances are nested in arguments.
    pub(super) fn args_depth(&self, args: &[Arg]) -> u32 {
        let depth = |arg: &Arg| match arg {
            Arg::Type(ty) => self.structs.instance(*ty).map_or(0, |i| i.depth),
            Arg::Value(_) => 0,
            Arg::Pack(list) => self.args_depth(list),
        };
        args.iter().map(depth).max().unwrap_or(0)
    }

    fn arg_text(&self, arg: &Arg) -> String {
        match arg {
            Arg::Type(ty) => {
                let text = self.type_text(*ty);
                let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
                text.trim_end_matches('>').chars().map(word).collect()
            }
            Arg::Value(n) if *n < 0 => format!("n{}", n.unsigned_abs()),
            Arg::Value(n) => n.to_string(),
            Arg::Pack(list) => self.args_text(list),
        }
    }

    /// A scope in which generic parameters are open, for patterns.
    pub(super) fn pattern_scope(&mut self, generics: &'a Generics, parent: ScopeId) -> ScopeId {
        let scope = self.scope(Some(parent), ScopeKind::Plain);
        for (index, param) in generics.params.iter().enumerate() {
            let entity = match param.kind {
                GenericParamKind::Pack { .. } => {
                    self.has_open_packs = true;
                    Entity::OpenPack(index as u32)
                }
                GenericParamKind::Type { .. } | GenericParamKind::Value { .. } => Entity::Param(index as u32),
            };
            self.bind(scope, param.name.name, entity);
        }
        self.at_mut(scope).open = true;
        scope
    }

    /// Notes what matching a written type against an argument's type says about open parameters. Gives false where the
    /// written type can never be that type.
    pub(super) fn unify(
        &mut self,
        pattern: &'a TypeExpr,
        scope: ScopeId,
        ty: TypeId,
        literal: convert::LiteralKind,
        slots: &mut Vec<Slot>,
    ) -> bool {
        if ty == TypeId::ERROR {
            return true;
        }
        if self.unify_open_pack(pattern, scope, &Arg::Type(ty), literal, slots).is_some() {
            return true;
        }
        match &pattern.kind {
            TypeKind::Expand(inner) => self.unify(inner, scope, ty, literal, slots),
            TypeKind::Modified(_, inner) => self.unify(inner, scope, ty, literal, slots),
            TypeKind::Array(element, size) => {
                let Type::Array(inner, count) = self.program.types.get(ty) else { return false };
                match (size, count) {
                    (Some(size), Length::Fixed(count))
                        if !self.unify_value_expr(size, scope, i64::from(count), slots) =>
                    {
                        return false;
                    }
                    _ => {}
                }
                self.unify(element, scope, inner, convert::LiteralKind::None, slots)
            }
            TypeKind::Pointer(inner) => match self.program.types.get(ty) {
                Type::Pointer(to, _) => self.unify(inner, scope, to, convert::LiteralKind::None, slots),
                _ => false,
            },
            TypeKind::Path(path) => self.unify_path(path, scope, ty, literal, slots),
            _ => true,
        }
    }

    fn unify_path(
        &mut self,
        path: &'a [ast::PathSegment],
        scope: ScopeId,
        ty: TypeId,
        literal: convert::LiteralKind,
        slots: &mut Vec<Slot>,
    ) -> bool {
        let Some(last) = path.last() else { return true };
        let head = if path.len() == 1 && self.builtin_type(last.name.name).is_none() {
            self.lookup(scope, last.name.name).entities.first().copied()
        } else {
            None
        };
        let args = last.args.as_deref().unwrap_or(&[]);
        match head {
            Some(Entity::Param(index)) => {
                if let Some(slot) = slots.get_mut(index as usize) {
                    slot.types.push((ty, literal));
                }
                true
            }
            Some(Entity::Generic(generic)) => self.unify_builtin(generic, args, scope, ty, literal, slots),
            Some(Entity::Decl(decl)) => match self.info(decl).what {
                What::Struct(_) if !args.is_empty() => self.unify_struct(decl, args, scope, ty, slots),
                What::Alias(alias) if alias.generics.is_some() && !args.is_empty() => {
                    self.unify_alias(decl, alias, args, scope, ty, slots)
                }
                _ => true,
            },
            _ => true,
        }
    }

    fn unify_builtin(
        &mut self,
        generic: BuiltinGeneric,
        args: &'a [GenericArg],
        scope: ScopeId,
        ty: TypeId,
        literal: convert::LiteralKind,
        slots: &mut Vec<Slot>,
    ) -> bool {
        let types = &mut self.program.types;
        let none = convert::LiteralKind::None;
        let (element, literal, numbers): (TypeId, _, Vec<i64>) = match (generic, types.get(ty)) {
            (BuiltinGeneric::Vector | BuiltinGeneric::Matrix, Type::Scalar(_)) => (ty, literal, Vec::new()),
            (BuiltinGeneric::Vector, Type::Vector(s, n)) => (types.scalar(s), none, vec![n.into()]),
            (BuiltinGeneric::Matrix, Type::Vector(s, 1)) => (types.scalar(s), none, Vec::new()),
            (BuiltinGeneric::Matrix, Type::Matrix(s, r, c)) => {
                // The number behind the sizes is a storage order: 0 is that of the program.
                (types.scalar(s), none, vec![r.into(), c.into(), 0])
            }
            (BuiltinGeneric::Array, Type::Array(e, Length::Fixed(n))) => (e, none, vec![n.into()]),
            (BuiltinGeneric::Pointer, Type::Pointer(e, space)) => {
                let layout = Arg::Type(self.layout_type(space.data_layout()));
                if let Some(arg) = args.get(3)
                    && !self.unify_arg(arg, scope, &layout, none, slots)
                {
                    return false;
                }
                (e, none, Vec::new())
            }
            _ => return false,
        };
        let mut args = args.iter();
        if let Some(arg) = args.next()
            && !self.unify_arg(arg, scope, &Arg::Type(element), literal, slots)
        {
            return false;
        }
        if numbers.is_empty() && generic == BuiltinGeneric::Vector {
            for arg in args {
                if let Some(slot) = self.open_param(arg, scope).and_then(|p| slots.get_mut(p as usize)) {
                    slot.scalar = true;
                }
            }
            return true;
        }
        args.zip(numbers).all(|(arg, n)| self.unify_number(arg, scope, n, generic, slots))
    }

    /// A length: vectors and matrices may be cut to a smaller one.
    fn unify_number(
        &mut self,
        arg: &'a GenericArg,
        scope: ScopeId,
        n: i64,
        generic: BuiltinGeneric,
        slots: &mut Vec<Slot>,
    ) -> bool {
        let param = self.open_param(arg, scope);
        match (param.and_then(|p| slots.get_mut(p as usize)), generic) {
            (Some(slot), _) => {
                slot.values.push(n);
                true
            }
            // A written length takes anything that converts to it.
            (None, BuiltinGeneric::Vector | BuiltinGeneric::Matrix) => true,
            (None, _) => self.unify_arg(arg, scope, &Arg::Value(n), convert::LiteralKind::None, slots),
        }
    }

    /// The open parameter that an argument is.
    fn open_param(&mut self, arg: &'a GenericArg, scope: ScopeId) -> Option<u32> {
        let path = match arg {
            GenericArg::Type(TypeExpr { kind: TypeKind::Path(path), .. }) => path,
            GenericArg::Value(ast::Expr { kind: ExprKind::Path(path), .. }) => path,
            _ => return None,
        };
        let [only] = path.as_slice() else { return None };
        match self.lookup(scope, only.name.name).entities.first() {
            Some(Entity::Param(index)) => Some(*index),
            _ => None,
        }
    }

    fn unify_struct(
        &mut self,
        decl: DeclId,
        args: &'a [GenericArg],
        scope: ScopeId,
        ty: TypeId,
        slots: &mut Vec<Slot>,
    ) -> bool {
        // The type itself or a base of it.
        let mut current = ty;
        for _ in 0..super::MAX_BASES {
            let Some(instance) = self.structs.instance(current) else { return false };
            if instance.decl == decl {
                let actual = instance.args.clone();
                return self.unify_args(args, scope, &actual, slots);
            }
            match instance.base {
                Some(base) => current = base,
                None => return false,
            }
        }
        false
    }

    /// One written argument against an actual one.
    pub(super) fn unify_arg(
        &mut self,
        arg: &'a GenericArg,
        scope: ScopeId,
        actual: &Arg,
        literal: convert::LiteralKind,
        slots: &mut Vec<Slot>,
    ) -> bool {
        if let GenericArg::Type(pattern) = arg
            && self.unify_open_pack(pattern, scope, actual, literal, slots).is_some()
        {
            return true;
        }
        match (arg, actual) {
            (GenericArg::Type(pattern), Arg::Type(ty)) => self.unify(pattern, scope, *ty, literal, slots),
            (_, Arg::Value(n)) => match self.open_param(arg, scope) {
                Some(param) => {
                    if let Some(slot) = slots.get_mut(param as usize) {
                        slot.values.push(*n);
                    }
                    true
                }
                None => match arg {
                    GenericArg::Value(e) => self.unify_value_expr(e, scope, *n, slots),
                    GenericArg::Type(_) => self.quiet(|c| c.value_arg(arg, scope)).is_none_or(|v| v == *n),
                },
            },
            _ => true,
        }
    }

    /// A written number against an actual one: an open name, a constant that must be equal, or an expression of open
    /// names that is left to be checked when all are known.
    fn unify_value_expr(&mut self, e: &'a ast::Expr, scope: ScopeId, actual: i64, slots: &mut [Slot]) -> bool {
        if let ExprKind::Path(path) = &e.kind
            && let [only] = path.as_slice()
            && let Some(Entity::Param(index)) = self.lookup(scope, only.name.name).entities.first()
        {
            if let Some(slot) = slots.get_mut(*index as usize) {
                slot.values.push(actual);
            }
            return true;
        }
        self.quiet(|c| c.constant_int(e, scope)).is_none_or(|n| n == actual)
    }

    /// Runs something whose errors are of no interest, but for the [lasting](Self::lasting) ones.
    pub(super) fn quiet<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let kept = self.diags.take();
        self.quiet_depth += 1;
        let result = f(self);
        self.quiet_depth -= 1;
        self.diags.take();
        kept.into_iter().for_each(|d| self.diags.push(d));
        if self.quiet_depth == 0 {
            std::mem::take(&mut self.lasting).into_iter().for_each(|d| self.diags.push(d));
        }
        result
    }

    /// Whether errors are of no interest at the moment.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet_depth > 0
    }

    /// Makes something that is made once and then found again: who asks for it first may not care for its errors, but
    /// nobody would meet them later.
    pub(super) fn lasting<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let kept = self.diags.take();
        let result = f(self);
        let found = self.diags.take();
        kept.into_iter().for_each(|d| self.diags.push(d));
        match self.quiet_depth {
            0 => found.into_iter().for_each(|d| self.diags.push(d)),
            _ => self.lasting.extend(found),
        }
        result
    }

    /// What bounds say: `a : A<T>` with a known `a` tells `T` by the way in which it conforms.
    pub(super) fn infer_from_bounds(&mut self, generics: &'a Generics, scope: ScopeId, slots: &mut Vec<Slot>) {
        let mut conditions: Vec<(usize, &'a TypeExpr)> = Vec::new();
        for (index, param) in generics.params.iter().enumerate() {
            if let GenericParamKind::Type { bounds, .. } = &param.kind {
                conditions.extend(bounds.iter().map(|b| (index, b)));
            }
        }
        for (subject, bounds) in &generics.constraints {
            if let TypeKind::Path(path) = &subject.kind
                && let [only] = path.as_slice()
                && let Some(index) = generics.params.iter().position(|p| p.name.name == only.name.name)
            {
                conditions.extend(bounds.iter().map(|b| (index, b)));
            }
        }
        for (index, bound) in conditions {
            let Some(slot) = slots.get(index) else { continue };
            let known = match (&slot.fixed, slot.types.first()) {
                (Some(Arg::Type(ty)), _) | (None, Some((ty, _))) => *ty,
                _ => continue,
            };
            self.infer_from_interface(bound, scope, known, slots);
        }
    }

    /// What the arguments of an interface are by which a type conforms to it.
    pub(super) fn infer_from_interface(
        &mut self,
        bound: &'a TypeExpr,
        scope: ScopeId,
        known: TypeId,
        slots: &mut Vec<Slot>,
    ) {
        let TypeKind::Path(path) = &bound.kind else { return };
        let Some(last) = path.last() else { return };
        let Some(written) = last.args.as_deref() else { return };
        let found = self.lookup(scope, last.name.name);
        let Some(Entity::Decl(interface)) = found.entities.first().copied() else { return };
        let actual = self.conformances(known).into_iter().find(|(d, _)| *d == interface);
        if let Some((_, actual)) = actual {
            self.unify_args(written, scope, &actual, slots);
        }
    }

    /// The arguments that slots agree on; `None` if one cannot be determined or breaks a constraint.
    pub(super) fn solve(&mut self, generics: &'a Generics, slots: &[Slot], parent: ScopeId) -> Option<Vec<Arg>> {
        let scope = self.scope(Some(parent), ScopeKind::Plain);
        let mut args = Vec::new();
        for (param, slot) in generics.params.iter().zip(slots) {
            let arg = match &slot.fixed {
                Some(arg) => arg.clone(),
                None => match self.solve_slot(param, slot, scope) {
                    Some(arg) => arg,
                    None => match self.quiet(|c| c.default_arg(param, scope)) {
                        Some(arg) => arg,
                        // A length that only scalars stand for.
                        None if slot.scalar => Arg::Value(1),
                        None => return None,
                    },
                },
            };
            self.bind_arg(scope, param, &arg);
            args.push(arg);
        }
        self.satisfied(generics, &args, scope).then_some(args)
    }

    fn solve_slot(&mut self, param: &'a GenericParam, slot: &Slot, scope: ScopeId) -> Option<Arg> {
        match &param.kind {
            GenericParamKind::Value { .. } => {
                let smallest = slot.values.iter().copied().filter(|n| *n > 1).min();
                smallest.or(slot.values.first().copied()).map(Arg::Value)
            }
            GenericParamKind::Type { bounds, .. } => {
                let bounds: Vec<Bound> = bounds.iter().flat_map(|b| self.bounds(b, scope)).collect();
                self.solve_type(slot.suggested(), &bounds).map(Arg::Type)
            }
            GenericParamKind::Pack { value: Some(_), .. } => {
                let list: Option<Vec<Arg>> =
                    slot.pack.iter().map(|s| s.values.first().copied().map(Arg::Value)).collect();
                list.map(Arg::Pack)
            }
            GenericParamKind::Pack { bounds, value: None } => {
                let bounds: Vec<Bound> = bounds.iter().flat_map(|b| self.bounds(b, scope)).collect();
                let list: Option<Vec<Arg>> =
                    slot.pack.iter().map(|s| self.solve_type(s.suggested(), &bounds).map(Arg::Type)).collect();
                list.map(Arg::Pack)
            }
        }
    }

    /// The common type of what arguments suggest, moved to a kind that builtin constraints allow.
    fn solve_type(&mut self, types: &[(TypeId, convert::LiteralKind)], bounds: &[Bound]) -> Option<TypeId> {
        let mut joined: Option<(TypeId, convert::LiteralKind)> = None;
        for (ty, literal) in types {
            joined = Some(match joined {
                None => (*ty, *literal),
                Some((a, l)) => self.join_candidates((a, l), (*ty, *literal))?,
            });
        }
        let (ty, _) = joined?;
        let builtin: Vec<&[Scalar]> =
            bounds.iter().filter_map(|b| if let Bound::Builtin(list) = b { Some(*list) } else { None }).collect();
        if builtin.is_empty() {
            return Some(ty);
        }
        let scalar = match self.program.types.get(ty) {
            Type::Scalar(s) | Type::Vector(s, 1) => s,
            Type::Enum(id) => convert::enum_tag(&self.program, id),
            _ => return None,
        };
        let allowed = |s: Scalar| builtin.iter().all(|list| list.contains(&s));
        if allowed(scalar) {
            return Some(self.program.types.scalar(scalar));
        }
        // The nearest kind that is allowed: int to float, bool to int, float to int.
        let preferred = [Scalar::F32, Scalar::I32, Scalar::U32, Scalar::F16, Scalar::F64, Scalar::U64, Scalar::I64];
        let first: &[Scalar] = match scalar {
            Scalar::Bool => &[Scalar::I32],
            s if s.is_unsigned() => &[Scalar::F32, Scalar::U32, Scalar::I32],
            _ => &[],
        };
        let order: Vec<Scalar> = first.iter().copied().chain(preferred).collect();
        let nearest = order.into_iter().find(|s| allowed(*s))?;
        Some(self.program.types.scalar(nearest))
    }

    fn join_candidates(
        &mut self,
        (a, x): (TypeId, convert::LiteralKind),
        (b, y): (TypeId, convert::LiteralKind),
    ) -> Option<(TypeId, convert::LiteralKind)> {
        use convert::LiteralKind::{Float, Int, None as Known};
        if a == b {
            return Some((a, if x == Known { y.min_known(x) } else { x.min_known(y) }));
        }
        let kind = |ty: TypeId, types: &crate::tree::Types| types.component(ty);
        let (p, q) = (kind(a, &self.program.types), kind(b, &self.program.types));
        // A literal takes the kind of what stands beside it, if it has such a value.
        match (x, y, p, q) {
            (Known, Int, Some(p), _) if p != Scalar::Bool => return Some((a, Known)),
            (Int, Known, _, Some(q)) if q != Scalar::Bool => return Some((b, Known)),
            (Known, Float, Some(p), _) if p.is_float() => return Some((a, Known)),
            (Float, Known, _, Some(q)) if q.is_float() => return Some((b, Known)),
            _ => {}
        }
        let same_shape = |types: &crate::tree::Types| {
            convert::numeric(types, a).map(|n| n.1) == convert::numeric(types, b).map(|n| n.1)
        };
        if p.is_some() && q.is_some() && same_shape(&self.program.types) {
            let language = self.cx.call.unwrap_or_else(|| self.language());
            return convert::join(&mut self.program.types, a, b, language).map(|t| (t, Known));
        }
        // In Slang a scalar beside a vector stands for one that has it in each component; the library has functions for both.
        let language = self.cx.call.unwrap_or_else(|| self.language());
        let kinds = [a, b].map(|ty| self.program.types.get(ty));
        let of_vector = matches!(kinds, [Type::Scalar(_), Type::Vector(..)] | [Type::Vector(..), Type::Scalar(_)]);
        if of_vector && language == Language::Slang && !self.in_builtin() {
            return convert::join(&mut self.program.types, a, b, language).map(|t| (t, Known));
        }
        // Structs: a value of the derived type may stand for the base.
        let literal = convert::LiteralKind::None;
        if p.is_none() && convert::rank(&self.program, b, a, literal).is_some() {
            return Some((a, Known));
        }
        (q.is_none() && convert::rank(&self.program, a, b, literal).is_some()).then_some((b, Known))
    }

    /// The name of a symbol of the pattern scope, for messages.
    pub(super) fn generic_names(&self, generics: &Generics) -> String {
        let names: Vec<Symbol> = generics.params.iter().map(|p| p.name.name).collect();
        names.iter().map(|n| n.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Literal kinds when two suggestions of one type meet.
trait MinKnown {
    fn min_known(self, other: Self) -> Self;
}

impl MinKnown for convert::LiteralKind {
    fn min_known(self, other: Self) -> Self {
        if self == other { self } else { convert::LiteralKind::None }
    }
}
