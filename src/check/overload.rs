//! Overload resolution: the candidate whose conversions cost least.

use super::convert::{self, Cost, LiteralKind, PassedValue, Rank, Rule};
use super::function::{InstanceId, Signature, WHOLE};
use super::function_values::{NOT_CALLED, Written};
use super::generic::Slot;
use super::interfaces::Bound;
use super::pack_arguments::Arity;
use super::scope::{DeclId, DeclInfo, Entity, What};
use super::{Arg, Checker};
use crate::ast::{self, GenericArg, Generics};
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{ExprId, ParamMode, Type, TypeId};
use std::rc::Rc;

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallArg<'a> {
    pub kind: ArgKind<'a>,
    pub span: Span,
}

/// What an argument is.
#[derive(Clone, Copy, Debug)]
pub(super) enum ArgKind<'a> {
    /// A value, perhaps a literal.
    Value(ExprId, TypeId, LiteralKind),
    /// `{ ... }`, typed by its parameter.
    List(&'a ast::Expr),
}

impl<'a> CallArg<'a> {
    pub(super) fn ty(&self) -> Option<(TypeId, LiteralKind)> {
        match self.kind {
            ArgKind::Value(_, ty, literal) => Some((ty, literal)),
            ArgKind::List(_) => None,
        }
    }

    /// The argument, of which the type is known even if it is a literal.
    fn typed(&self) -> Self {
        let kind = match self.kind {
            ArgKind::Value(value, ty, _) => ArgKind::Value(value, ty, LiteralKind::None),
            ArgKind::List(list) => ArgKind::List(list),
        };
        CallArg { kind, span: self.span }
    }
}

/// Functions of a name: those that are seen, and those that are meant where none of these fits.
#[derive(Clone, Debug, Default)]
pub(super) struct Overloads {
    pub seen: Vec<DeclId>,
    pub unseen: Vec<DeclId>,
}

impl Overloads {
    /// Functions that are all seen.
    pub(super) fn of(seen: Vec<DeclId>) -> Overloads {
        Overloads { seen, unseen: Vec::new() }
    }
}

/// Functions to choose from.
#[derive(Clone, Debug)]
pub(super) struct Candidates<'a> {
    pub name: Symbol,
    pub decls: Vec<DeclId>,
    /// Those that are meant where none of the others fits.
    pub unseen: Vec<DeclId>,
    /// [`WHOLE`] or an accessor.
    pub accessor: u32,
    pub explicit: Option<Written<'a>>,
}

impl<'a> Candidates<'a> {
    /// Functions without generic arguments.
    pub(super) fn of(name: Symbol, decls: Vec<DeclId>) -> Candidates<'a> {
        Candidates { name, decls, unseen: Vec::new(), accessor: WHOLE, explicit: None }
    }
}

/// What a choice among functions of the library depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct ChoiceKey {
    decls: Vec<DeclId>,
    accessor: u32,
    /// The types of the arguments, whether they are literals, and the integers that are written.
    args: Vec<(TypeId, LiteralKind, Option<i64>)>,
    /// The call is in Slang of the program.
    is_slang: bool,
    in_library: bool,
}

/// Why a candidate does not fit.
enum Misfit {
    Count,
    Generics,
    /// The argument of this index.
    Argument(usize, TypeId),
}

struct Fit {
    instance: InstanceId,
    /// By the rule of the library, which tells a function of the program from those.
    general: Cost,
    /// By the rule of the call.
    cost: Cost,
    /// Later criteria, less is better: builtin, generic, defaults used; for builtins how general and which is declared first.
    tie: (bool, bool, usize, usize, u32),
    decl: DeclId,
}

impl<'a> Checker<'a> {
    /// The best candidate; reports when there is none or several.
    pub(super) fn choose(
        &mut self,
        candidates: &Candidates<'a>,
        args: &[CallArg<'a>],
        span: Span,
    ) -> Option<InstanceId> {
        let rule = self.rule(candidates);
        let key = self.choice_key(candidates, rule, args);
        if let Some(known) = key.as_ref().and_then(|key| self.choices.get(key)) {
            return Some(*known);
        }
        let mut fits: Vec<Fit> = Vec::new();
        let mut misfits = Vec::new();
        for &decl in &candidates.decls {
            match self.fit(decl, candidates, rule, args) {
                Ok(fit) => fits.push(fit),
                Err(misfit) => misfits.push((decl, misfit)),
            }
        }
        let any_error = args.iter().any(|a| matches!(a.kind, ArgKind::Value(_, TypeId::ERROR, _)));
        // DXC and slangc have other functions in their libraries, so that only what is of one kind is compared as they do.
        if let Some(nearest) = fits.iter().min_by_key(|f| (f.general, f.tie)) {
            let builtin = nearest.tie.0;
            fits.retain(|f| f.tie.0 == builtin);
        }
        fits.sort_by_key(|f| (f.cost, f.tie));
        self.keep_takers(&mut fits, args);
        let Some(best) = fits.first() else {
            if !any_error && !candidates.unseen.is_empty() {
                let unseen = Candidates { decls: candidates.unseen.clone(), unseen: Vec::new(), ..candidates.clone() };
                if let Some(chosen) = self.quiet(|c| c.choose(&unseen, args, span)) {
                    return Some(chosen);
                }
            }
            if !any_error {
                self.report_misfit(candidates, args, &misfits, span);
            }
            return None;
        };
        let equal: Vec<(InstanceId, DeclId)> = fits
            .iter()
            .filter(|f| f.cost == best.cost && f.tie == best.tie && f.decl != best.decl)
            .map(|f| (f.instance, f.decl))
            .collect();
        let chosen = (best.instance, best.decl);
        let result = |f: &Fit| self.functions.get(f.instance).signature.result;
        if any_error && fits.iter().any(|f| result(f) != result(best)) {
            // What is meant is not known, and what is wrong is said already.
            return None;
        }
        if !equal.is_empty() && !any_error {
            return self.tie(candidates, chosen, &equal, span);
        }
        if let Some(key) = key.filter(|key| fits.len() == 1 || !key.is_slang) {
            self.choices.insert(key, chosen.0);
        }
        Some(chosen.0)
    }

    /// What the choice among functions of the library depends on: a program calls few of them, with few types, many times. Among
    /// several that fit, Slang also asks what is known of a value whose type is a parameter.
    fn choice_key(&self, candidates: &Candidates<'a>, rule: Rule, args: &[CallArg<'a>]) -> Option<ChoiceKey> {
        if rule != Rule::Library || candidates.explicit.is_some() || self.element.is_some() {
            return None;
        }
        let mut types = Vec::with_capacity(args.len());
        for arg in args {
            let ArgKind::Value(value, ty, literal) = arg.kind else { return None };
            if ty == TypeId::ERROR {
                return None;
            }
            types.push((ty, literal, convert::written_integer(&self.cx.body.exprs, &self.cx.literals, value)));
        }
        let (language, in_library) = (self.language(), self.in_builtin());
        Some(ChoiceKey {
            decls: candidates.decls.clone(),
            accessor: candidates.accessor,
            args: types,
            is_slang: language == Language::Slang && !in_library,
            in_library,
        })
    }

    /// Leaves those that take arguments of types that are parameters by what is known of them, if one fits as well as the best.
    fn keep_takers(&mut self, fits: &mut Vec<Fit>, args: &[CallArg<'a>]) {
        let best = match fits.as_slice() {
            [first, _, ..] => first.cost,
            _ => return,
        };
        let opaque = self.opaque_args(args);
        if opaque.is_empty() {
            return;
        }
        let takers: Vec<bool> = fits.iter().map(|fit| self.takes_opaque(fit.decl, &opaque)).collect();
        if fits.iter().zip(&takers).any(|(fit, taker)| *taker && fit.cost == best) {
            let mut takers = takers.into_iter();
            fits.retain(|_| takers.next().unwrap_or(true));
        }
    }

    /// Candidates of equal cost: declarations of one function, overloads that are alike for these arguments, or an
    /// ambiguity.
    fn tie(
        &mut self,
        candidates: &Candidates<'a>,
        (instance, decl): (InstanceId, DeclId),
        others: &[(InstanceId, DeclId)],
        span: Span,
    ) -> Option<InstanceId> {
        let types = |c: &Self, id: InstanceId| -> Vec<(TypeId, bool)> {
            let signature = &c.functions.get(id).signature;
            signature.params.iter().map(|p| (p.ty, p.mode == ParamMode::In)).collect()
        };
        let own = types(self, instance);
        let has_body = |c: &Self, d: DeclId| matches!(c.info(d).what, What::Function(f) if f.body.is_some());
        let mut ambiguous = Vec::new();
        let mut chosen = instance;
        // A type that is in error has been reported.
        let is_faulty = |types: &[(TypeId, bool)]| types.iter().any(|(ty, _)| *ty == TypeId::ERROR);
        if is_faulty(&own) || others.iter().any(|(id, _)| is_faulty(&types(self, *id))) {
            return Some(chosen);
        }
        for &(id, other) in others {
            if types(self, id) == own {
                // The definition rather than its announcement.
                if has_body(self, other) && !has_body(self, decl) {
                    chosen = id;
                }
            } else if self.info(other).scope == self.info(decl).scope && !self.source_of(decl).builtin {
                // Families of the library are of one meaning: the first that is declared will do.
                ambiguous.push(other);
            }
        }
        if ambiguous.is_empty() {
            return Some(chosen);
        }
        let mut diagnostic = Diagnostic::error(
            Code::AMBIGUOUS,
            span,
            format!("this call of `{}` fits several overloads", candidates.name),
        );
        ambiguous.insert(0, decl);
        for decl in ambiguous.iter().take(8) {
            diagnostic = diagnostic.note(format!("candidate: {}", self.signature_text(*decl)));
        }
        self.diags.push(diagnostic);
        None
    }

    /// By which rule candidates are compared: where none is of the program, its language has no say.
    fn rule(&self, candidates: &Candidates<'a>) -> Rule {
        let is_own = |decl: &DeclId| !self.source_of(*decl).builtin;
        if self.in_builtin() || !candidates.decls.iter().any(is_own) {
            return Rule::Library;
        }
        match self.language() {
            Language::Slang => Rule::Slang,
            Language::Hlsl => Rule::Hlsl { is_16_bit: self.source(self.cx.source).is_16_bit },
        }
    }

    fn fit(
        &mut self,
        decl: DeclId,
        candidates: &Candidates<'a>,
        rule: Rule,
        args: &[CallArg<'a>],
    ) -> Result<Fit, Misfit> {
        let info = self.info(decl);
        let (generics, params) = match info.what {
            What::Function(f) => (f.generics.as_ref(), f.params.as_slice()),
            What::Subscript(p) | What::Property(p) => (p.generics.as_ref(), p.params.as_slice()),
            _ => return Err(Misfit::Count),
        };
        if self.language() != Language::Hlsl && self.is_for_hlsl(&info) {
            return Err(Misfit::Count);
        }
        let is_void =
            |p: &ast::Decl| matches!(&p.kind, ast::DeclKind::Var(v) if v.name.name.is_empty() && is_void_type(&v.ty));
        let most = params.iter().filter(|p| !is_void(p)).count();
        let least = params
            .iter()
            .enumerate()
            .filter(|(index, p)| !self.may_be_left_out(decl, *index, p) && !is_void(p))
            .count();
        let arities = self.arities(decl, params);
        let open = arities.contains(&Arity::Open);
        let (most, least) = match arities.is_empty() {
            true => (most, least.min(most)),
            false => arity_range(params, &arities),
        };
        if args.len() > most && !open || args.len() < least {
            return Err(Misfit::Count);
        }
        let most = if open { args.len() } else { most };
        if candidates.explicit.is_some() && generics.is_none() {
            return Err(Misfit::Generics);
        }
        let arguments = self.infer_args(decl, generics, params, candidates, args).ok_or(Misfit::Generics)?;
        let accessor = if matches!(info.what, What::Function(_)) { WHOLE } else { candidates.accessor };
        let is_generic = !arguments.is_empty();
        let builtin = self.source_of(decl).builtin;
        // The library's functions of a name may not be for these arguments: `any<7>(x)` of the user is no vector of 7.
        let instance = match builtin {
            true => self.quiet(|c| c.instance(decl, accessor, arguments)),
            false => self.instance(decl, accessor, arguments),
        };
        let instance = instance.ok_or(Misfit::Generics)?;
        let signature = self.functions.get(instance).signature.clone();
        let is_faulty = signature.result == TypeId::ERROR || signature.params.iter().any(|p| p.ty == TypeId::ERROR);
        if builtin && is_faulty {
            return Err(Misfit::Generics);
        }
        let general = self.cost_of_args(Rule::Library, &signature, args)?;
        let cost = match builtin || rule == Rule::Library {
            true => general,
            false => self.cost_of_args(rule, &signature, args)?,
        };
        // There is no ambiguity among builtins.
        let (generality, order) = match builtin {
            true => (self.generality(&info, generics), decl.0),
            false => (self.looseness(instance, &info, generics), 0),
        };
        Ok(Fit { instance, general, cost, tie: (builtin, is_generic, most - args.len(), generality, order), decl })
    }

    /// Whether a function of the library is one of HLSL alone, where it means something else than in Slang.
    fn is_for_hlsl(&self, info: &DeclInfo<'a>) -> bool {
        let attributes = info.ast.map_or(&[][..], |ast| &ast.attributes);
        self.source(info.source).builtin && attributes.iter().any(|a| a.name.name == *"__hlsl_calls")
    }

    /// The less, the more its generic parameters must conform to, and those of the extension around it.
    fn looseness(&mut self, instance: InstanceId, info: &DeclInfo<'a>, generics: Option<&'a Generics>) -> usize {
        let (args, scope) = (self.functions.get(instance).args.clone(), self.functions.get(instance).scope);
        let own = generics.map(|generics| self.asked(generics, &args, scope));
        match (own, self.asked_around(info.scope)) {
            (None, None) => 0,
            (own, around) => usize::MAX - own.unwrap_or(0) - around.unwrap_or(0),
        }
    }

    /// How many generic parameters a declaration and the extension around it have.
    #[expect(clippy::disallowed_methods, reason = "they are counted")]
    fn generality(&self, info: &DeclInfo<'a>, generics: Option<&'a Generics>) -> usize {
        let outer = self.at(info.scope).parent.map_or(0, |parent| {
            let bound = |e: &&Entity| matches!(e, Entity::Type(_) | Entity::Value(..));
            self.at(parent).names.values().flat_map(|e| e.iter()).filter(bound).count()
        });
        // What is for all that conform to an interface is more general than what is for numbers.
        let is_wide = |p: &&ast::GenericParam| match &p.kind {
            ast::GenericParamKind::Type { bounds, .. } => bounds.iter().any(|b| match &b.kind {
                ast::TypeKind::Path(path) => !super::interfaces::is_builtin(path),
                _ => false,
            }),
            ast::GenericParamKind::Value { .. } | ast::GenericParamKind::Pack { .. } => false,
        };
        outer + generics.map_or(0, |g| g.params.len() + 8 * g.params.iter().filter(is_wide).count())
    }

    /// Generic arguments of a candidate: written ones, then inferred ones, then those of parameters of interface type.
    fn infer_args(
        &mut self,
        decl: DeclId,
        generics: Option<&'a Generics>,
        params: &'a [ast::Decl],
        candidates: &Candidates<'a>,
        args: &[CallArg<'a>],
    ) -> Option<Vec<Arg>> {
        // Written arguments are looked up where the call is, all else where the candidate is declared.
        let given = match generics {
            Some(generics) => self.given_slots(generics, candidates)?,
            None => Vec::new(),
        };
        let mut args: Vec<CallArg<'a>> = match self.literals_adapt() {
            true => args.to_vec(),
            false => args.iter().map(CallArg::typed).collect(),
        };
        if self.language() == Language::Hlsl && self.source_of(decl).builtin {
            args.iter_mut().for_each(|arg| self.take_tag(arg));
        }
        let own_source = self.info(decl).source;
        let call = self.cx.call.replace(self.language());
        let source = std::mem::replace(&mut self.cx.source, own_source);
        let result = self.inferred_args(decl, generics, params, given, &args);
        (self.cx.source, self.cx.call) = (source, call);
        result
    }

    /// HLSL: to a builtin an enum is the integer that it has.
    fn take_tag(&mut self, arg: &mut CallArg<'a>) {
        if let ArgKind::Value(_, ty, _) = &mut arg.kind
            && let Type::Enum(id) = self.program.types.get(*ty)
        {
            *ty = self.program.types.scalar(convert::enum_tag(&self.program, id));
        }
    }

    /// A slot for each generic parameter, with the arguments that are written.
    pub(super) fn given_slots(&mut self, generics: &'a Generics, candidates: &Candidates<'a>) -> Option<Vec<Slot>> {
        let slots = vec![Slot::default(); generics.params.len()];
        let Some(written) = candidates.explicit else { return Some(slots) };
        let (scope, source) = written.place.unwrap_or((self.cx.scope, self.cx.source));
        let before = std::mem::replace(&mut self.cx.source, source);
        let slots = self.written_slots(generics, slots, written.args, scope);
        self.cx.source = before;
        slots
    }

    fn written_slots(
        &mut self,
        generics: &'a Generics,
        mut slots: Vec<Slot>,
        written: &'a [GenericArg],
        scope: super::ScopeId,
    ) -> Option<Vec<Slot>> {
        let given = self.quiet(|c| c.given_args(written, scope));
        let shares = Self::shares(generics, given.len())?;
        let mut given = given.iter();
        for ((slot, param), share) in slots.iter_mut().zip(&generics.params).zip(shares) {
            let own: Vec<_> = given.by_ref().take(share).collect();
            let is_pack = matches!(param.kind, ast::GenericParamKind::Pack { .. });
            let mut args = Vec::new();
            for arg in own {
                args.push(self.quiet(|c| c.given_value(param, arg, scope))?);
            }
            // An empty pack is left to be inferred.
            slot.fixed = match is_pack {
                true if args.is_empty() => None,
                true => Some(Arg::Pack(args)),
                false => args.pop(),
            };
        }
        Some(slots)
    }

    fn inferred_args(
        &mut self,
        decl: DeclId,
        generics: Option<&'a Generics>,
        params: &'a [ast::Decl],
        mut slots: Vec<Slot>,
        args: &[CallArg<'a>],
    ) -> Option<Vec<Arg>> {
        let info = self.info(decl);
        let implicit = match info.what {
            What::Function(_) => self.implicit_params(decl),
            _ => Rc::from([]),
        };
        let mut result = Vec::new();
        let arities = self.arities(decl, params);
        let assigned = match arities.is_empty() {
            true => (0..params.len()).map(|index| (index, None)).collect(),
            false => Self::assign_args(&arities, args.len())?,
        };
        if let Some(generics) = generics {
            let scope = self.pattern_of(decl);
            // Where all are written, arguments convert to what follows from them, as to `Optional<T>`.
            let is_open = slots.iter().any(|slot| slot.fixed.is_none());
            // What is referred to says more than what is written to, and that more than what is only read: outputs are
            // converted on the way back, inputs on the way in. A resource does not convert, so that it says as much as a reference.
            for modes in [&[ParamMode::Ref][..], &[ParamMode::Out, ParamMode::InOut], &[ParamMode::In]] {
                for ((index, element), arg) in assigned.iter().zip(args).filter(|_| is_open) {
                    let is_resource = arg.ty().is_some_and(|(ty, _)| self.program.types.get(ty).is_resource());
                    let is_next = |p: &&ast::Decl| match super::function::param_mode(p) {
                        ParamMode::In if is_resource => modes.contains(&ParamMode::Ref),
                        mode => modes.contains(&mode),
                    };
                    let Some(param) = params.get(*index).filter(is_next) else { continue };
                    let ast::DeclKind::Var(var) = &param.kind else { continue };
                    if implicit.contains(index) && !matches!(var.ty.kind, ast::TypeKind::Array(..)) {
                        if let Some((ty, _)) = arg.ty() {
                            let ty = self.program.types.get(ty).contents().unwrap_or(ty);
                            self.infer_from_function(&var.ty, scope, ty, &mut slots);
                            self.infer_from_interface(some_inner(&var.ty), scope, ty, &mut slots);
                        }
                        continue;
                    }
                    if let Some((ty, literal)) = arg.ty() {
                        let outer = self.element;
                        self.element = element.or(outer);
                        let fits = self.unify_argument(&var.ty, scope, (ty, literal), &mut slots);
                        self.element = outer;
                        fits?;
                    }
                }
                slots.iter_mut().for_each(Slot::settle);
            }
            self.infer_from_bounds(generics, scope, &mut slots);
            result = self.solve(generics, &slots, info.scope)?;
        }
        let scope = self.pattern_of(decl);
        for &index in implicit.iter() {
            let given = assigned.iter().position(|(i, _)| *i == index).and_then(|at| args.get(at));
            let ty = match given {
                Some(arg) => arg.ty()?.0,
                None => self.type_of_default(decl, index, &result)?,
            };
            // Of a constant buffer its contents are passed.
            let ty = self.program.types.get(ty).contents().unwrap_or(ty);
            let ast::DeclKind::Var(var) = &params.get(index)?.kind else { return None };
            if let ast::TypeKind::Array(..) = &var.ty.kind {
                if !matches!(self.program.types.get(ty), Type::Array(..)) {
                    return None;
                }
                result.push(Arg::Type(ty));
                continue;
            }
            if let Some(params) = self.function_type(&var.ty, scope) {
                if !self.takes(ty, params.len()) {
                    return None;
                }
                result.push(Arg::Type(ty));
                continue;
            }
            let bounds = self.quiet(|c| c.bounds(some_inner(&var.ty), scope));
            if !bounds.iter().all(|b| self.meets(ty, b)) || bounds.iter().any(|b| matches!(b, Bound::Builtin(_))) {
                return None;
            }
            result.push(Arg::Type(ty));
        }
        Some(result)
    }

    /// Infers from an argument: from a `ConstantBuffer<T>` as it is, where the parameter may be one, else from its contents.
    fn unify_argument(
        &mut self,
        pattern: &'a ast::TypeExpr,
        scope: super::ScopeId,
        (ty, literal): (TypeId, LiteralKind),
        slots: &mut Vec<Slot>,
    ) -> Option<()> {
        // What a `ConstantBuffer<T>` argument counts as where a plain type is expected.
        let contents = self.program.types.get(ty).contents().unwrap_or(ty);
        let generic =
            matches!(&pattern.kind, ast::TypeKind::Path(path) if path.last().is_some_and(|s| s.args.is_some()));
        if contents != ty && generic {
            let before = slots.clone();
            if self.unify(pattern, scope, ty, literal, slots) {
                return Some(());
            }
            *slots = before;
        }
        self.unify(pattern, scope, contents, literal, slots).then_some(())
    }

    fn cost_of_args(&mut self, rule: Rule, signature: &Signature<'a>, args: &[CallArg<'a>]) -> Result<Cost, Misfit> {
        let mut total = Cost::default();
        for (index, (param, arg)) in signature.params.iter().zip(args).enumerate() {
            let cost = match arg.kind {
                ArgKind::List(_) => Some(Cost::default()),
                ArgKind::Value(value, ty, literal) => {
                    let number = convert::written_integer(&self.cx.body.exprs, &self.cx.literals, value);
                    let literal = match rule {
                        Rule::Hlsl { .. } => convert::untyped_kind(&self.cx.body.exprs, &self.cx.literals, value),
                        Rule::Library | Rule::Slang => literal,
                    };
                    self.cost_of_arg(rule, param.mode, param.ty, PassedValue { ty, literal, number })
                }
            };
            total = total + cost.ok_or(Misfit::Argument(index, param.ty))?;
        }
        Ok(total)
    }

    fn cost_of_arg(&mut self, rule: Rule, mode: ParamMode, param: TypeId, arg: PassedValue) -> Option<Cost> {
        if mode == ParamMode::In {
            let rank = self.conversion_rank(arg.ty, param, arg.literal)?;
            return Some(convert::cost(&self.program, rule, arg, param, rank));
        }
        let program = &self.program;
        let cost = |from: PassedValue, to: TypeId| {
            let rank = convert::rank(program, from.ty, to, from.literal)?;
            Some(convert::cost(program, rule, from, to, rank))
        };
        let back = || cost(PassedValue { ty: param, literal: LiteralKind::None, number: None }, arg.ty);
        match mode {
            ParamMode::In => None,
            ParamMode::Out => match rule {
                // Between numbers that narrow on the way back, and those of another class, those of the class are meant.
                Rule::Library | Rule::Slang => Some(back()? + cost(arg, param).unwrap_or_default()),
                Rule::Hlsl { .. } => Some(back()?.without_sum()),
            },
            ParamMode::InOut => {
                let both = cost(arg, param)? + back()?;
                // slangc converts nothing that is written to.
                Some(match rule {
                    Rule::Hlsl { .. } => both.without_sum(),
                    Rule::Library | Rule::Slang => both,
                })
            }
            // A place of a matrix of one number is no place of a number.
            ParamMode::Ref => {
                let is_matrix = |ty: TypeId| matches!(program.types.get(ty), Type::Matrix(..));
                let is_near = || Some(convert::rank(program, arg.ty, param, arg.literal)? <= Rank::UNIT);
                let fits =
                    arg.ty == param || arg.ty == TypeId::ERROR || is_matrix(arg.ty) == is_matrix(param) && is_near()?;
                fits.then_some(Cost::default())
            }
        }
    }

    fn report_misfit(
        &mut self,
        candidates: &Candidates<'a>,
        args: &[CallArg<'a>],
        misfits: &[(DeclId, Misfit)],
        span: Span,
    ) {
        let name = candidates.name;
        let span = self.blamed(span);
        if let [(decl, misfit)] = misfits {
            let diagnostic = match misfit {
                Misfit::Argument(index, param) => {
                    let at = args.get(*index).map_or(span, |a| self.blamed(a.span));
                    if args.get(*index).and_then(|a| a.ty()).is_some_and(|(ty, _)| self.is_function_value(ty)) {
                        return self.error(Code::NOT_A_VALUE, at, NOT_CALLED);
                    }
                    let from = args.get(*index).and_then(|a| a.ty()).map_or(String::new(), |a| self.type_text(a.0));
                    let to = self.type_text(*param);
                    Diagnostic::error(Code::TYPE_MISMATCH, at, format!("`{name}` takes `{to}` here, not `{from}`"))
                }
                Misfit::Count => {
                    let message = format!("`{name}` does not take {}", plural(args.len(), "argument"));
                    Diagnostic::error(Code::ARGUMENT_COUNT, span, message)
                }
                Misfit::Generics => {
                    let message = format!("the generic arguments of `{name}` do not fit or cannot be determined");
                    Diagnostic::error(Code::GENERIC_ARGUMENTS, span, message)
                }
            };
            let text = self.signature_text(*decl);
            self.diags.push(diagnostic.note(format!("declared as: {text}")));
            return;
        }
        // Helpers of the library stand for what calls them.
        let name = name.as_str().trim_start_matches("__");
        let types: Vec<String> =
            args.iter().map(|a| a.ty().map_or("{...}".to_owned(), |t| self.type_text(t.0))).collect();
        let counts = misfits.iter().all(|(_, m)| matches!(m, Misfit::Count));
        let (code, message) = if counts {
            (Code::ARGUMENT_COUNT, format!("no overload of `{name}` takes {}", plural(args.len(), "argument")))
        } else {
            (Code::NO_OVERLOAD, format!("no overload of `{name}` takes ({})", types.join(", ")))
        };
        let mut diagnostic = Diagnostic::error(code, span, message);
        for (decl, _) in misfits.iter().take(8) {
            diagnostic = diagnostic.note(format!("candidate: {}", self.signature_text(*decl)));
        }
        if misfits.len() > 8 {
            diagnostic = diagnostic.note(format!("and {} more", misfits.len() - 8));
        }
        self.diags.push(diagnostic);
    }

    /// A declaration's signature as it is written.
    pub(super) fn signature_text(&self, decl: DeclId) -> String {
        let info = self.info(decl);
        let (generics, params, result) = match info.what {
            What::Function(f) => (f.generics.as_ref(), f.params.as_slice(), Some(&f.result)),
            What::Subscript(p) | What::Property(p) => (p.generics.as_ref(), p.params.as_slice(), Some(&p.ty)),
            _ => return info.name.as_str().to_owned(),
        };
        let list: Vec<String> = params
            .iter()
            .filter_map(|p| match &p.kind {
                ast::DeclKind::Var(v) => {
                    let (element, sizes) = written_array(&v.ty);
                    Some(format!("{} {}{sizes}", written_type(element), v.name.name))
                }
                _ => None,
            })
            .collect();
        let generics = generics.map_or(String::new(), |g| format!("<{}>", self.generic_names(g)));
        let result = result.map_or(String::new(), |r| format!("{} ", written_type(r)));
        format!("{result}{}{generics}({})", info.name, list.join(", "))
    }
}

/// The most and the least arguments that parameters take, some of them packs.
fn arity_range(params: &[ast::Decl], arities: &[Arity]) -> (usize, usize) {
    let (mut most, mut least) = (0, 0);
    for (param, arity) in params.iter().zip(arities) {
        let n = match arity {
            Arity::One => 1,
            Arity::Known(n) => *n,
            Arity::Open => 0,
        };
        let has_default = matches!(&param.kind, ast::DeclKind::Var(v) if v.init.is_some());
        most += n;
        least += if has_default { 0 } else { n };
    }
    (most, least)
}

fn is_void_type(ty: &ast::TypeExpr) -> bool {
    matches!(&ty.kind, ast::TypeKind::Path(p) if matches!(p.as_slice(), [only] if only.name.name == *"void"))
}

/// The interface of `some I`.
fn some_inner(ty: &ast::TypeExpr) -> &ast::TypeExpr {
    match &ty.kind {
        ast::TypeKind::Some(inner) | ast::TypeKind::Modified(_, inner) => some_inner(inner),
        _ => ty,
    }
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// A type as written, shortened, for messages.
pub(super) fn written_type(ty: &ast::TypeExpr) -> String {
    use ast::TypeKind;
    match &ty.kind {
        TypeKind::Path(path) => {
            let parts: Vec<String> = path
                .iter()
                .map(|s| {
                    let args = s.args.as_ref().map_or(String::new(), |args| {
                        let list: Vec<String> = args
                            .iter()
                            .map(|a| match a {
                                GenericArg::Type(t) => written_type(t),
                                GenericArg::Value(e) => written_number(e),
                            })
                            .collect();
                        format!("<{}>", list.join(", "))
                    });
                    format!("{}{args}", s.name.name)
                })
                .collect();
            parts.join("::")
        }
        TypeKind::Array(..) => {
            let (element, sizes) = written_array(ty);
            format!("{}{sizes}", written_type(element))
        }
        TypeKind::Modified(_, inner) => written_type(inner),
        TypeKind::Pointer(inner) => format!("{}*", written_type(inner)),
        TypeKind::This => "This".to_owned(),
        _ => "...".to_owned(),
    }
}

/// The element of an array of any dimensions, and these: `int` and `[2][3]`.
fn written_array(ty: &ast::TypeExpr) -> (&ast::TypeExpr, String) {
    let (mut element, mut sizes) = (ty, String::new());
    while let ast::TypeKind::Array(inner, size) = &element.kind {
        sizes.push_str(&format!("[{}]", size.as_ref().map_or(String::new(), |e| written_number(e))));
        element = inner;
    }
    (element, sizes)
}

/// A number in a type as written, shortened.
fn written_number(e: &ast::Expr) -> String {
    match &e.kind {
        ast::ExprKind::Int(_, _, text) => text.as_str().to_owned(),
        ast::ExprKind::Path(path) => path.last().map_or(String::new(), |s| s.name.name.as_str().to_owned()),
        _ => "...".to_owned(),
    }
}
