//! Functions that are passed to functions: values of `functype` parameters.
//!
//! Before: `float square(float x) {...}    apply(square, 2)`
//! After:  `struct __FunctionValue {}`, whose `operator()` is `square`;    `apply(__FunctionValue(), 2)`
//!
//! A function as a value is an empty struct, one for each set of overloads with its written generic arguments, like a
//! lambda that takes nothing from around it. What is called of it are the functions themselves, so that overloads and
//! generics are chosen where they are called.

use super::expr::Operand;
use super::function::{InstanceId, WHOLE};
use super::overload::Candidates;
use super::scope::{DeclId, Entity, ScopeId, What};
use super::{Arg, Checker};
use crate::ast::{Expr, ExprKind as AstKind, GenericArg};
use crate::diagnostic::Code;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ExprKind, Type, TypeId};
use rustc_hash::FxHashMap;

/// The fault of a function where a value is needed.
pub(super) const NOT_CALLED: &str = "a function must be called; it is not a value by itself";

/// Functions that are passed, by the types of their values.
#[derive(Default)]
pub(super) struct FunctionValues<'a> {
    /// Those without written generic arguments, by their overloads: all mentions are of one type.
    plain: FxHashMap<Vec<DeclId>, TypeId>,
    of_type: FxHashMap<TypeId, Passed<'a>>,
    /// Types of the default values of parameters, by the arguments of the parameters before them.
    of_default: FxHashMap<(DeclId, usize, Vec<Arg>), TypeId>,
}

/// A function that is passed.
#[derive(Clone)]
struct Passed<'a> {
    decls: Vec<DeclId>,
    explicit: Option<Written<'a>>,
}

/// Generic arguments as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written<'a> {
    pub args: &'a [GenericArg],
    /// Where they are written: the scope and the source; `None`: where the call is.
    pub place: Option<(ScopeId, u32)>,
}

impl<'a> Checker<'a> {
    /// The value of a variable that takes its type.
    pub(super) fn held_value(&mut self, e: &'a Expr) -> ExprId {
        let operand = self.operand(e);
        self.argument_value(operand, e.span)
    }

    /// The value of an argument, where functions are values, too.
    pub(super) fn argument_value(&mut self, operand: Operand<'a>, span: Span) -> ExprId {
        match operand {
            Operand::Functions(decls, None, explicit) if self.language() == Language::Slang => {
                match self.function_value_type(decls.seen, explicit, span) {
                    Some(ty) => self.push(ExprKind::Zero, ty, span),
                    None => self.error_at(Code::NOT_A_VALUE, span, NOT_CALLED),
                }
            }
            other => self.value(other, span),
        }
    }

    /// The type of the default value of a parameter that has the type of its argument, where the parameters before it are known.
    pub(super) fn type_of_default(&mut self, decl: DeclId, index: usize, args: &[Arg]) -> Option<TypeId> {
        let key = (decl, index, args.to_vec());
        if let Some(known) = self.function_values.of_default.get(&key) {
            return Some(*known);
        }
        let info = self.info(decl);
        let What::Function(own) = info.what else { return None };
        let scope = match &own.generics {
            Some(generics) => self.bind_generics(generics, args, info.scope),
            None => info.scope,
        };
        let (place, scope) = self.place_of_default(decl, index, scope);
        let place = self.info(place);
        let What::Function(written) = place.what else { return None };
        let crate::ast::DeclKind::Var(var) = &written.params.get(index)?.kind else { return None };
        let default = var.init.as_ref()?;
        let (ty, _) = self.in_context(scope, place.source, |c| c.call_arg(default).ty().map(|(ty, _)| ty));
        let ty = ty.filter(|ty| *ty != TypeId::ERROR)?;
        self.function_values.of_default.insert(key, ty);
        Some(ty)
    }

    /// A default value that is a function: its type says all of it.
    pub(super) fn default_function(&mut self, default: &'a Expr, ty: TypeId) -> Option<ExprId> {
        let is_function = self.is_function_value(ty) || matches!(default.kind, AstKind::Lambda(_));
        is_function.then(|| self.push(ExprKind::Zero, ty, default.span))
    }

    fn function_value_type(
        &mut self,
        decls: Vec<DeclId>,
        explicit: Option<&'a [GenericArg]>,
        span: Span,
    ) -> Option<TypeId> {
        if let (None, Some(known)) = (explicit, self.function_values.plain.get(&decls)) {
            return Some(*known);
        }
        // The program has no parameter that takes functions otherwise.
        let library = self.library_struct("__FunctionValue")?;
        let number = self.function_values.of_type.len() as i64;
        let ty = self.instantiate_struct(library, vec![Arg::Value(number)], span);
        let Type::Struct(id) = self.program.types.get(ty) else { return None };
        self.program.structs[id].made = true;
        // What is made for the function is named by it.
        if let Some(first) = decls.first() {
            self.program.structs[id].name = self.info(*first).name;
        }
        let scope = self.structs.instance(ty)?.scope;
        for decl in &decls {
            self.bind(scope, Symbol::new("operator()"), Entity::Decl(*decl));
        }
        if explicit.is_none() {
            self.function_values.plain.insert(decls.clone(), ty);
        }
        let place = Some((self.cx.scope, self.cx.source));
        let explicit = explicit.map(|args| Written { args, place });
        self.function_values.of_type.insert(ty, Passed { decls, explicit });
        Some(ty)
    }

    /// The generic arguments that were written where a function was passed.
    pub(super) fn passed_args(&self, ty: TypeId) -> Option<Written<'a>> {
        self.function_values.of_type.get(&ty)?.explicit
    }

    /// Whether a type is that of a function that is passed.
    pub(super) fn is_function_value(&self, ty: TypeId) -> bool {
        self.function_values.of_type.contains_key(&ty)
    }

    /// What a function that is passed is, where that is one thing whatever it is called with.
    pub(super) fn passed_instance(&mut self, ty: TypeId) -> Option<InstanceId> {
        let Passed { decls, explicit } = self.function_values.of_type.get(&ty)?.clone();
        let mut found = Vec::new();
        for decl in decls {
            let What::Function(f) = self.info(decl).what else { continue };
            if !self.implicit_params(decl).is_empty() {
                return None;
            }
            let args = match (&f.generics, explicit) {
                (None, None) => Some(Vec::new()),
                (None, Some(_)) => None,
                (Some(generics), explicit) => {
                    let candidates = Candidates { explicit, ..Candidates::of(f.name.name, Vec::new()) };
                    let scope = self.info(decl).scope;
                    self.given_slots(generics, &candidates).and_then(|slots| self.solve(generics, &slots, scope))
                }
            };
            found.extend(args.and_then(|args| self.instance(decl, WHOLE, args)));
        }
        found.dedup();
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether one of the functions that are passed takes so many arguments.
    pub(super) fn passed_takes(&mut self, ty: TypeId, count: usize) -> bool {
        let Some(passed) = self.function_values.of_type.get(&ty) else { return false };
        passed.decls.iter().any(|d| matches!(self.info(*d).what, What::Function(f) if f.params.len() == count))
    }
}
