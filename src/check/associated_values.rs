//! Associated types of values of interfaces.
//!
//! Before: `IShape s = Circle(2);    s.Outline.count()`
//! After:  `IShape_associated(s)` gives a value of the interface that bounds `Outline`, of which the type alone counts: it is
//!         chosen by the type of `s`. Its method `count`, which is static, chooses by that value.

use super::existential::WIDENS_INTERFACE;
use super::existential_methods::{Choice, Own};
use super::expr::{Operand, decl_of};
use super::function::{Instance, WHOLE};
use super::interfaces::Bound;
use super::scope::{DeclId, DeclInfo, What};
use super::types::Name;
use super::{Arg, Checker};
use crate::ast::{GenericParamKind, PathSegment};
use crate::diagnostic::Code;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, TypeId};

/// The attribute of the library's function that gives what an associated type of a value of an interface is.
pub(super) const GIVES_ASSOCIATED: &str = "__gives_associated";

/// Whether a function of the library chooses by the type of its parameter.
pub(super) fn chooses_by_parameter(info: &DeclInfo) -> bool {
    [WIDENS_INTERFACE, GIVES_ASSOCIATED].into_iter().any(|name| info.attribute(name).is_some())
}

impl<'a> Checker<'a> {
    /// What an associated type of an interface value is: a value of the interfaces that bound it, or of whatever it is for
    /// each type.
    pub(super) fn associated_existential(&mut self, decl: DeclId) -> Option<TypeId> {
        let info = self.info(decl);
        self.existential(info.owner?)?;
        let What::Associated(param) = info.what else { return None };
        let GenericParamKind::Type { bounds, .. } = &param.kind else { return None };
        if self.existentials.open.contains(&decl) {
            let message = format!("`{}` is an associated type, and no interface that bounds one", info.name);
            self.error(Code::CONSTRAINT, info.span, message);
            return Some(TypeId::ERROR);
        }
        self.existentials.open.push(decl);
        let mut list = Vec::new();
        for bound in bounds {
            for bound in self.bounds(bound, info.scope) {
                if let Bound::Interface(interface, args) = bound
                    && !self.source_of(interface).builtin
                {
                    list.push((interface, args));
                }
            }
        }
        self.existentials.open.pop();
        let of = list.is_empty().then_some(decl);
        Some(self.existential_with(list, of))
    }

    /// A parameter of a type of interface values: what a static function of the type is, is what it is for this parameter, in
    /// `calc<T : IShape>(T shape) { T::sides(); }`.
    pub(super) fn value_of_dynamic_type(&mut self, ty: TypeId, span: Span) -> Option<ExprId> {
        self.existential(ty)?;
        let locals = &self.cx.body.locals;
        let local = locals.ids().find(|id| locals[*id].ty == ty)?;
        Some(self.push(ExprKind::Local(local), ty, span))
    }

    /// The associated type with a name of a value of an interface, as a value of it.
    pub(super) fn associated_value(&mut self, value: ExprId, name: Symbol, span: Span) -> Option<ExprId> {
        let from = self.ty(value);
        self.existential(from)?;
        let decl = self.members(from, name).into_iter().find_map(decl_of)?;
        if !matches!(self.info(decl).what, What::Associated(_)) {
            return None;
        }
        let Name::Type(to) = self.associated_type(decl, span) else { return None };
        self.existential(to)?;
        let function = self.library_decls(Symbol::new("__associatedOf")).first().copied()?;
        let args = vec![Arg::Type(to), Arg::Type(from), Arg::Value(decl.0.into())];
        let instance = self.instance(function, WHOLE, args)?;
        let function = self.function(instance);
        self.program.functions[function].name = Symbol::new(&format!("{}_{name}", self.type_text(from)));
        Some(self.push(ExprKind::Call(function, vec![value]), to, span))
    }

    /// `T::S::f` of a parameter that is a type of interface values: `f` of what `S` is for the value at hand.
    pub(super) fn path_of_dynamic_type(&mut self, path: &'a [PathSegment], span: Span) -> Option<Operand<'a>> {
        let [_, second, rest @ ..] = path else { return None };
        if self.existentials.list.is_empty() {
            return None;
        }
        let (last, between) = rest.split_last()?;
        let Name::Type(ty) = self.quiet(|c| c.resolve_path(path.get(..1).unwrap_or(path), c.cx.scope)) else {
            return None;
        };
        let value = self.value_of_dynamic_type(ty, span)?;
        let mut value = self.associated_value(value, second.name.name, span)?;
        for segment in between {
            value = self.associated_value(value, segment.name.name, span)?;
        }
        Some(self.member_of(value, last, span))
    }

    /// What an associated type is for one of the types of a value.
    pub(super) fn associated_choice(&mut self, instance: &Instance<'a>, ty: TypeId) -> Option<Choice> {
        let Some(Arg::Value(number)) = instance.args.get(2) else { return None };
        let asked = self.info(DeclId(u32::try_from(*number).ok()?));
        let found = self.type_members(ty, asked.name);
        let Name::Type(own) = self.name_of_plain(found, asked.scope, asked.span) else { return None };
        let existential = self.existential(instance.signature.result)?;
        // That it conforms is a matter of the type by itself: the bound may name other associated types.
        let result = self.add_variant(existential, own, asked.span)?;
        Some(Choice { own: Own::Zero(own), owner: None, args: Vec::new(), result: Some(result) })
    }
}
