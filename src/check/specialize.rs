//! Explicit and partial specializations of templates: `template<> struct S<int>`, `template<> float f<int>(int x)`.

use super::function::{InstanceId, Signature, WHOLE};
use super::generic::Slot;
use super::scope::{DeclId, Found, ScopeId, What};
use super::{Arg, Checker};
use crate::ast::{self, GenericArg};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::TypeId;

impl<'a> Checker<'a> {
    /// The specialization of a struct template that these arguments choose, with the scope that binds its parameters.
    ///
    /// Of several that fit, the one with the fewest parameters is the most specialized; two such are an error (C++,
    /// [temp.spec.partial.match]).
    pub(super) fn specialized_struct(
        &mut self,
        template: DeclId,
        args: &[Arg],
        span: Span,
    ) -> Option<(DeclId, &'a ast::StructDecl, ScopeId)> {
        let mut best: Option<(usize, DeclId, &'a ast::StructDecl, ScopeId)> = None;
        for decl in self.specializations_of(template) {
            let What::Struct(s) = self.info(decl).what else { continue };
            let Some((count, scope)) = self.fits(decl, s, args) else { continue };
            match best {
                Some((least, other, ..)) if least == count => {
                    let message = format!("two specializations of `{}` fit these arguments", self.info(template).name);
                    let diagnostic = Diagnostic::error(Code::GENERIC_ARGUMENTS, span, message);
                    let diagnostic = diagnostic.label(self.info(other).span, "this one");
                    self.diags.push(diagnostic.label(self.info(decl).span, "and this one"));
                }
                Some((least, ..)) if least < count => {}
                _ => best = Some((count, decl, s, scope)),
            }
        }
        best.map(|(_, decl, s, scope)| (decl, s, scope))
    }

    /// The specialization of a function template that stands in for an instance: that of the same arguments, or, where these are
    /// not written, of the same parameter types.
    pub(super) fn specialized_function(&mut self, id: InstanceId) -> Option<InstanceId> {
        let instance = self.functions.get(id).clone();
        if instance.args.is_empty() || self.specializations.is_empty() {
            return None;
        }
        let types: Vec<_> = instance.signature.params.iter().map(|p| p.ty).collect();
        for decl in self.specializations_of(instance.decl) {
            let What::Function(f) = self.info(decl).what else { continue };
            let written = f.specializes.as_deref().unwrap_or_default();
            let scope = self.info(decl).scope;
            if self.param_types(decl).as_deref() != Some(&types) || !self.are_args(written, &instance.args, scope) {
                continue;
            }
            let special = self.instance(decl, WHOLE, Vec::new())?;
            let called = |s: &Signature| (s.result, s.params.iter().map(|p| p.mode).collect::<Vec<_>>());
            if called(&self.functions.get(special).signature) == called(&instance.signature) {
                return Some(special);
            }
            let (span, name) = (self.info(decl).span, self.info(decl).name);
            let message = format!("`{name}` is specialized with another result, or another direction of a parameter");
            let template = self.info(instance.decl).span;
            self.diags.push(Diagnostic::error(Code::GENERIC_ARGUMENTS, span, message).label(template, "than this has"));
        }
        None
    }

    /// The value of an instance of a variable template.
    pub(super) fn value_of_template(&mut self, ty: TypeId) -> Option<Found> {
        self.is_variable_template(ty).then(|| self.type_members(ty, Symbol::new(ast::TEMPLATE_VALUE)))
    }

    /// Whether a type stands for an instance of a variable template.
    pub(super) fn is_variable_template(&self, ty: TypeId) -> bool {
        let decl = self.structs.instance(ty).map(|instance| instance.decl);
        decl.is_some_and(|decl| matches!(self.info(decl).what, What::Struct(s) if s.is_variable))
    }

    fn specializations_of(&self, template: DeclId) -> Vec<DeclId> {
        let info = self.info(template);
        self.specializations.get(&(info.scope, info.name)).cloned().unwrap_or_default()
    }

    /// How many parameters a specialization has, and the scope that binds them, if its arguments fit.
    fn fits(&mut self, decl: DeclId, s: &'a ast::StructDecl, args: &[Arg]) -> Option<(usize, ScopeId)> {
        let written = s.specializes.as_deref().filter(|list| list.len() == args.len())?;
        let info = self.info(decl);
        let Some(generics) = s.generics.as_ref().filter(|g| !g.params.is_empty()) else {
            return self.are_args(written, args, info.scope).then_some((0, info.scope));
        };
        let pattern = self.pattern_of(decl);
        let mut slots = vec![Slot::default(); generics.params.len()];
        if !self.unify_args(written, pattern, args, &mut slots) {
            return None;
        }
        let bound = self.solve(generics, &slots, info.scope)?;
        let scope = self.bind_generics(generics, &bound, info.scope);
        self.are_args(written, args, scope).then_some((generics.params.len(), scope))
    }

    /// Whether written arguments are these; of those that are left out nothing is said.
    fn are_args(&mut self, written: &'a [GenericArg], args: &[Arg], scope: ScopeId) -> bool {
        self.quiet(|c| {
            written.iter().zip(args).all(|(arg, actual)| match actual {
                Arg::Type(ty) => c.type_arg(arg, scope) == *ty,
                Arg::Value(n) => c.value_arg(arg, scope) == Some(*n),
                Arg::Pack(_) => false,
            })
        })
    }
}
