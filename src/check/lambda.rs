//! Lambda expressions.
//!
//! Before: `float scale = 2;    apply((float x) => x * scale)`
//! After:  `struct Lambda { float scale; float call(float x) { return x * scale; } };    apply(Lambda(scale))`
//!
//! A lambda is a struct with an `operator()`, which conforms to `IFunc` and `IMutatingFunc`. It holds copies of the variables
//! of the function around it that its body names. The body is checked where the expression stands, which tells these
//! variables and the type of the result.

use super::decl::DeclContext;
use super::expr::{Operand, decl_of};
use super::function::{InstanceId, WHOLE};
use super::scope::{DeclId, ScopeKind, What};
use super::{Arg, Checker};
use crate::ast;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Arena, Body, ExprId, ExprKind, Field, FunctionBody, Local, LocalId, Modifiers, Origin, Type, TypeId,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Lambdas that are checked.
#[derive(Default)]
pub(super) struct Lambdas {
    /// Result types of their `operator()`.
    results: FxHashMap<DeclId, TypeId>,
    /// Their bodies, until they become functions of the program.
    bodies: FxHashMap<DeclId, Body>,
}

/// What the body of a lambda takes from around it.
#[derive(Clone, Default)]
pub(super) struct Captures {
    /// The variables of the functions and lambdas around, by the numbers of their bodies.
    outer: Vec<(u32, Rc<Arena<LocalId, Local>>)>,
    /// The `this` of the method around.
    this: Option<(LocalId, u32, TypeId)>,
    /// Those that it names: a field each.
    taken: Vec<(LocalId, u32)>,
    fields: Vec<Field>,
}

impl<'a> Checker<'a> {
    /// `(int x) => e`
    pub(super) fn lambda(&mut self, decl: &'a ast::Decl, span: Span) -> ExprId {
        let ast::DeclKind::Struct(s) = &decl.kind else { return self.error_value(span) };
        let place =
            DeclContext { scope: self.cx.scope, source: self.cx.source, owner: None, depth: 0, in_interface: false };
        let id = self.add_decl(Some(decl), s.name.name, s.name.span, What::Struct(s), place);
        let ty = self.instantiate_struct(id, Vec::new(), span);
        let Type::Struct(struct_id) = self.program.types.get(ty) else { return self.error_value(span) };
        self.program.structs[struct_id].made = true;
        let members = self.members(ty, Symbol::new("operator()"));
        let Some(call) = members.into_iter().find_map(decl_of) else { return self.error_value(span) };
        let What::Function(f) = self.info(call).what else { return self.error_value(span) };
        let Some(captures) = self.lambda_body(call, f, ty) else { return self.error_value(span) };
        self.set_fields(struct_id, captures.fields);
        self.conform_to_function(call, ty);
        let mut parts = Vec::new();
        for (local, context) in captures.taken {
            let operand = self.local_operand(local, context, span);
            parts.push(self.value(operand, span));
        }
        let kind = if parts.is_empty() { ExprKind::Zero } else { ExprKind::Construct(parts) };
        self.push(kind, ty, span)
    }

    /// Checks the body of a lambda and keeps it for its function.
    fn lambda_body(&mut self, call: DeclId, f: &'a ast::FunctionDecl, ty: TypeId) -> Option<Captures> {
        let info = self.info(call);
        let block = f.body.as_ref()?;
        let mut outer = self.cx.captures.as_ref().map(|c| c.outer.clone()).unwrap_or_default();
        outer.push((self.cx.id, Rc::new((*self.cx.body.locals).clone())));
        let own_this = self.cx.this.zip(self.cx.this_ty).map(|(local, ty)| (local, self.cx.id, ty));
        let this = match &self.cx.captures {
            Some(captures) => captures.this,
            None => own_this,
        };
        let captures = Captures { outer, this, ..Captures::default() };
        let scope = self.scope(Some(info.scope), ScopeKind::Plain);
        let mut params = Vec::new();
        for param in &f.params {
            params.extend(self.param_signature(param, None, scope));
        }
        let element = self.element;
        let (captures, body) = self.in_context(scope, info.source, |c| {
            let local = |name, ty, constant, span| Local { name, ty, constant, modifiers: Modifiers::default(), span };
            c.cx.body.locals.push(local(Symbol::new("this"), ty, true, info.span));
            c.cx.captures = Some(captures);
            c.cx.infers = true;
            for param in &params {
                let id = c.cx.body.locals.push(local(param.name, param.ty, false, param.span));
                c.bind(scope, param.name, super::scope::Entity::Local(id, c.cx.id));
            }
            c.cx.body.block = c.block(block).into();
            let result = c.cx.result.unwrap_or(TypeId::VOID);
            c.lambdas.results.insert(call, result);
            c.cx.captures.take()
        });
        self.element = element;
        self.lambdas.bodies.insert(call, body);
        captures
    }

    /// The result type of the `operator()` of a lambda.
    pub(super) fn lambda_result(&self, decl: DeclId) -> Option<TypeId> {
        self.lambdas.results.get(&decl).copied()
    }

    /// Makes a lambda's function of the body that was checked. False: it is none.
    pub(super) fn finish_lambda(&mut self, decl: DeclId, function: crate::tree::FunctionId) -> bool {
        let Some(body) = self.lambdas.bodies.get(&decl) else { return false };
        let function = &mut self.program.functions[function];
        function.code = body.clone();
        function.body = FunctionBody::Block;
        true
    }

    /// A lambda is an `IFunc` of its types.
    fn conform_to_function(&mut self, call: DeclId, ty: TypeId) {
        let Some(instance) = self.instance(call, WHOLE, Vec::new()) else { return };
        let signature = self.functions.get(instance).signature.clone();
        let params = signature.params.iter().map(|p| Arg::Type(p.ty)).collect();
        let Some(interface) = self.library_interface("IFunc") else { return };
        let args = vec![Arg::Type(signature.result), Arg::Pack(params)];
        if let Some(lambda) = self.structs.instance_mut(ty) {
            lambda.interfaces.push((interface, args));
        }
    }

    /// A variable of a function around the lambda at hand: a field of the lambda. `None`: there is no such variable.
    pub(super) fn captured(&mut self, local: LocalId, context: u32, span: Span) -> Option<Operand<'a>> {
        let captures = self.cx.captures.as_mut()?;
        let (_, locals) = captures.outer.iter().find(|(id, _)| *id == context)?;
        let known = locals.iter().find(|(id, _)| *id == local)?.1.clone();
        let field = match captures.taken.iter().position(|t| *t == (local, context)) {
            Some(field) => field,
            None => {
                let name = if known.name == *"this" { Symbol::new("self") } else { known.name };
                captures.taken.push((local, context));
                captures.fields.push(Field { origin: Origin::Declared, ..Field::new(name, known.ty, known.span) });
                captures.taken.len() - 1
            }
        };
        let (own, lambda) = self.cx.body.locals.iter().next().map(|(id, l)| (id, l.ty))?;
        let this = self.push(ExprKind::Local(own), lambda, span);
        Some(Operand::Value(self.push(ExprKind::Field(this, field as u32), known.ty, span)))
    }

    /// `this` as a value with its type: in a lambda that of the method around.
    pub(super) fn this_expr(&mut self, span: Span) -> Option<(ExprId, TypeId)> {
        if let Some(captures) = &self.cx.captures {
            let (local, context, ty) = captures.this?;
            return match self.captured(local, context, span)? {
                Operand::Value(value) => Some((value, ty)),
                _ => None,
            };
        }
        let (local, ty) = (self.cx.this?, self.cx.this_ty?);
        Some((self.push(ExprKind::Local(local), ty, span), ty))
    }

    /// The result of calling a value, where it can be called in one way, with the types of its parameters.
    fn called(&mut self, ty: TypeId) -> Option<(TypeId, Vec<TypeId>)> {
        if let Some(instance) = self.passed_instance(ty) {
            return Some(self.called_instance(instance));
        }
        let calls: Vec<DeclId> = self.members(ty, Symbol::new("operator()")).into_iter().filter_map(decl_of).collect();
        let [only] = calls.as_slice() else { return None };
        let What::Function(f) = self.info(*only).what else { return None };
        if f.generics.is_some() || !self.implicit_params(*only).is_empty() {
            return None;
        }
        let instance = self.instance(*only, WHOLE, Vec::new())?;
        Some(self.called_instance(instance))
    }

    fn called_instance(&self, instance: InstanceId) -> (TypeId, Vec<TypeId>) {
        let signature = &self.functions.get(instance).signature;
        (signature.result, signature.params.iter().map(|p| p.ty).collect())
    }

    /// Whether a value can be called with so many arguments.
    pub(super) fn takes(&mut self, ty: TypeId, count: usize) -> bool {
        match self.is_function_value(ty) {
            true => self.passed_takes(ty, count),
            false => self.called(ty).is_some_and(|(_, params)| params.len() == count),
        }
    }

    /// What a function that is passed tells of open parameters: `functype (int) -> vector<float, N>`, `IFunc<T, int>`.
    pub(super) fn infer_from_function(
        &mut self,
        pattern: &'a ast::TypeExpr,
        scope: super::ScopeId,
        ty: TypeId,
        slots: &mut Vec<super::generic::Slot>,
    ) {
        let none = super::convert::LiteralKind::None;
        match &pattern.kind {
            ast::TypeKind::Function(params, result) => {
                let Some((returned, taken)) = self.called(ty) else { return };
                self.unify(result, scope, returned, none, slots);
                for (param, ty) in params.iter().zip(taken) {
                    self.unify(param, scope, ty, none, slots);
                }
            }
            ast::TypeKind::Modified(_, inner) => self.infer_from_function(inner, scope, ty, slots),
            ast::TypeKind::Path(path) => {
                if self.infer_from_alias(path, scope, ty, slots) {
                    return;
                }
                let Some(last) = path.last() else { return };
                let Some(written) = last.args.as_deref() else { return };
                let found = self.lookup(scope, last.name.name);
                let Some(interface) = found.entities.first().copied().and_then(decl_of) else { return };
                let actual = self.conformances(ty).into_iter().find(|(d, _)| *d == interface);
                if let Some((_, actual)) = actual {
                    self.unify_args(written, scope, &actual, slots);
                }
            }
            _ => {}
        }
    }
}
