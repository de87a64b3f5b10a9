//! Calls whose arguments are of a type that is a parameter of the place.
//!
//! Bodies are checked once per instance, with the types of the arguments in place of the parameters (see `views`). Which function
//! is called is nevertheless what the constraints say: `g(x)` with an `x` of the type `T` never means `g(int)` in Slang, not
//! even where `T` is `int`. Candidates that take something else than a parameter fall behind those that fit as well and do.

use super::Checker;
use super::interfaces::{Bound, InterfaceRef};
use super::overload::{ArgKind, CallArg};
use super::scope::{DeclId, Entity, ScopeId, What};
use crate::ast::{self, ExprKind as Ast, GenericArg, Generics, TypeExpr, TypeKind};
use crate::parse::Language;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, TypeId};

/// What is known of an argument's type that is a parameter, or is made of one.
pub(super) struct Opaque {
    ty: TypeId,
    /// All interfaces of the parameter; `None` where more is known of it, or it is a part of the type.
    interfaces: Option<Vec<InterfaceRef>>,
}

impl<'a> Checker<'a> {
    /// What is known of each argument whose type is a parameter of the place.
    pub(super) fn opaque_args(&mut self, args: &[CallArg<'a>]) -> Vec<(usize, Opaque)> {
        if self.in_builtin() || self.language() != Language::Slang {
            return Vec::new();
        }
        let values = args.iter().enumerate().filter_map(|(index, arg)| match arg.kind {
            ArgKind::Value(value, ..) => Some((index, value)),
            ArgKind::List(_) => None,
        });
        values.filter_map(|(index, value)| Some((index, self.opaque(value)?))).collect()
    }

    fn opaque(&mut self, value: ExprId) -> Option<Opaque> {
        let ty = self.ty(value);
        match self.kind(value).clone() {
            ExprKind::Local(local) if Some(local) == self.cx.this => {
                let view = self.view_of(value)?;
                Some(self.opaque_by(ty, view.to_vec()))
            }
            ExprKind::Call(function, args) => {
                let decl = self.functions.get(*self.functions.of_function.get(function.0 as usize)?).decl;
                let What::Function(f) = self.info(decl).what else { return None };
                let pattern = self.pattern_of(decl);
                let gives_parameter = f.generics.is_some() && self.is_made_of_parameter(&f.result, pattern);
                let of_opaque = gives_parameter && args.into_iter().any(|arg| self.opaque(arg).is_some());
                of_opaque.then_some(Opaque { ty, interfaces: None })
            }
            _ => {
                let (written, scope) = self.written_type_of(value)?;
                self.opaque_type(written, ty, scope)
            }
        }
    }

    /// The type of a variable, a field or an element as it is written.
    pub(super) fn written_type_of(&mut self, value: ExprId) -> Option<(&'a TypeExpr, ScopeId)> {
        match *self.kind(value) {
            ExprKind::Local(local) => self.cx.written.get(&local).copied(),
            ExprKind::Index(base, _) => match self.written_type_of(base)? {
                (TypeExpr { kind: TypeKind::Array(element, _), .. }, scope) => Some((&**element, scope)),
                _ => None,
            },
            ExprKind::Field(base, index) => {
                let is_this = matches!(*self.kind(base), ExprKind::Local(local) if Some(local) == self.cx.this);
                // The parameters of another struct are those of the place only where it is made of them.
                if !is_this && self.opaque(base).is_none() {
                    return None;
                }
                let scope = self.structs.instance(self.ty(base))?.scope;
                self.at(scope).order.iter().find_map(|decl| match self.info(*decl).what {
                    What::Field(var, i) if i == index => Some((&var.ty, scope)),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    fn opaque_type(&mut self, written: &'a TypeExpr, ty: TypeId, scope: ScopeId) -> Option<Opaque> {
        if let Some(view) = self.view_of_interface(written, ty, scope) {
            return Some(self.opaque_by(ty, view.to_vec()));
        }
        match &written.kind {
            TypeKind::Modified(_, inner) => self.opaque_type(inner, ty, scope),
            TypeKind::This => {
                let view = self.view_of_type(written, scope)?;
                Some(self.opaque_by(ty, view.to_vec()))
            }
            TypeKind::Path(path) => match path.as_slice() {
                [only] if only.args.is_none() => {
                    let (generics, holder) = self.parameter_named(only.name.name, scope)?;
                    let bounds = self.bounds_of_parameter(generics, only.name.name, holder);
                    // A parameter that is said to be a type is that type.
                    if bounds.iter().any(|b| matches!(b, Bound::Equal(_))) {
                        return None;
                    }
                    let all: Option<Vec<InterfaceRef>> = bounds.into_iter().map(Bound::interface).collect();
                    Some(match all {
                        Some(interfaces) => self.opaque_by(ty, interfaces),
                        None => Opaque { ty, interfaces: None },
                    })
                }
                _ => self.is_made_of_parameter(written, scope).then_some(Opaque { ty, interfaces: None }),
            },
            _ => self.is_made_of_parameter(written, scope).then_some(Opaque { ty, interfaces: None }),
        }
    }

    fn opaque_by(&mut self, ty: TypeId, mut interfaces: Vec<InterfaceRef>) -> Opaque {
        let inherited: Vec<InterfaceRef> =
            interfaces.iter().flat_map(|(decl, args)| self.all_inherited(*decl, args, ty)).collect();
        interfaces.extend(inherited);
        Opaque { ty, interfaces: Some(interfaces) }
    }

    /// The parameters among which a name is, and the scope where it is bound to an argument.
    fn parameter_named(&self, name: Symbol, scope: ScopeId) -> Option<(&'a Generics, ScopeId)> {
        let holder = self.outward(scope).find(|id| !self.named(*id, name).is_empty())?;
        let generics = self.generics_of(holder)?;
        generics.params.iter().any(|p| p.name.name == name).then_some((generics, holder))
    }

    /// Whether a written type is a parameter, bound or open, or is made of one.
    fn is_made_of_parameter(&mut self, written: &'a TypeExpr, scope: ScopeId) -> bool {
        match &written.kind {
            TypeKind::Array(inner, size) => {
                self.is_made_of_parameter(inner, scope) || size.as_ref().is_none_or(|e| self.names_parameter(e, scope))
            }
            TypeKind::Modified(_, inner) | TypeKind::Pointer(inner) => self.is_made_of_parameter(inner, scope),
            TypeKind::Path(path) => {
                let is_parameter = matches!(path.as_slice(), [only] if only.args.is_none() && self.is_parameter(only.name.name, scope));
                let args = path.iter().filter_map(|s| s.args.as_deref()).flatten();
                is_parameter
                    || args.into_iter().any(|arg| match arg {
                        GenericArg::Type(ty) => self.is_made_of_parameter(ty, scope),
                        GenericArg::Value(e) => self.names_parameter(e, scope),
                    })
            }
            _ => true,
        }
    }

    fn names_parameter(&self, e: &ast::Expr, scope: ScopeId) -> bool {
        match &e.kind {
            Ast::Path(path) => matches!(path.as_slice(), [only] if self.is_parameter(only.name.name, scope)),
            _ => false,
        }
    }

    fn is_parameter(&self, name: Symbol, scope: ScopeId) -> bool {
        let holder = self.outward(scope).find(|id| !self.named(*id, name).is_empty());
        let found = holder.and_then(|holder| self.named(holder, name).first());
        match found {
            Some(Entity::Param(_) | Entity::OpenPack(_) | Entity::Pack(_)) => true,
            Some(Entity::Type(_) | Entity::Value(..)) => self.parameter_named(name, scope).is_some(),
            Some(Entity::Decl(decl)) => matches!(self.info(*decl).what, What::Associated(_)),
            Some(Entity::Local(..) | Entity::Generic(_)) | None => false,
        }
    }

    /// Whether a candidate takes all arguments of such types by what is known of them.
    pub(super) fn takes_opaque(&mut self, decl: DeclId, args: &[(usize, Opaque)]) -> bool {
        let (generics, params) = match self.info(decl).what {
            What::Function(f) => (f.generics.as_ref(), f.params.as_slice()),
            What::Subscript(p) => (p.generics.as_ref(), p.params.as_slice()),
            _ => return true,
        };
        if !self.arities(decl, params).is_empty() {
            return true;
        }
        let pattern = self.pattern_of(decl);
        args.iter().all(|(index, opaque)| match params.get(*index).map(|p| &p.kind) {
            Some(ast::DeclKind::Var(var)) => self.takes_opaque_as(&var.ty, pattern, generics, opaque),
            _ => true,
        })
    }

    fn takes_opaque_as(
        &mut self,
        written: &'a TypeExpr,
        pattern: ScopeId,
        generics: Option<&'a Generics>,
        opaque: &Opaque,
    ) -> bool {
        let TypeKind::Path(path) = &written.kind else { return self.is_made_of_parameter(written, pattern) };
        let bounds = match (self.is_interface_type(written, pattern), path.as_slice()) {
            (true, _) => self.quiet(|c| c.bounds(written, pattern)),
            (false, [only]) if only.args.is_none() => match generics {
                Some(generics) if generics.params.iter().any(|p| p.name.name == only.name.name) => {
                    self.bounds_of_parameter(generics, only.name.name, pattern)
                }
                _ => return self.is_made_of_parameter(written, pattern),
            },
            (false, _) => return self.is_made_of_parameter(written, pattern),
        };
        let Some(known) = &opaque.interfaces else { return true };
        bounds.iter().all(|bound| match bound {
            Bound::Interface(decl, _) => known.iter().any(|(k, _)| k == decl),
            Bound::Builtin(_) | Bound::Resource | Bound::Enum => false,
            Bound::Equal(ty) => *ty == opaque.ty,
        })
    }
}
