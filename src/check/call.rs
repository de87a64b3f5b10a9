//! Calls.

use super::convert::LiteralKind;
use super::expr::{Operand, decl_of};
use super::function::{InstanceId, WHOLE};
use super::function_values::Written;
use super::overload::{ArgKind, CallArg, Candidates};
use super::scope::{DeclId, What};
use super::{Checker, convert};
use crate::ast::{self, ExprKind as Ast};
use crate::diagnostic::Code;
use crate::limits::TEXEL_OFFSETS;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{BinaryOp, BufferKind, ExprId, ExprKind, GlobalKind, ParamMode, Scalar, Swizzle, Type, TypeId};

impl<'a> Checker<'a> {
    /// `callee(args)`.
    pub(super) fn call_expr(&mut self, callee: &'a ast::Expr, args: &'a [ast::Expr], span: Span) -> ExprId {
        let name = match &callee.kind {
            Ast::Path(path) => path.last().map(|s| s.name.name),
            Ast::Member(_, segment) => Some(segment.name.name),
            _ => None,
        };
        let operand = self.operand(callee);
        if let (Operand::Type(ty), Ast::Path(path)) = (&operand, &callee.kind)
            && let [only] = path.as_slice()
            && let Some(shown) = self.shown_constructors(*ty, only.name.name)
        {
            return self.construct_by(*ty, shown, args, span);
        }
        self.call_operand(operand, name, args, span)
    }

    /// A call of functions with checked arguments.
    pub(super) fn call_functions(
        &mut self,
        callee: Operand<'a>,
        name: Option<Symbol>,
        args: &[CallArg<'a>],
        span: Span,
    ) -> ExprId {
        let Operand::Functions(decls, this, explicit) = callee else { return self.value(callee, span) };
        let name = name.or_else(|| decls.seen.first().map(|d| self.info(*d).name));
        let name = name.unwrap_or_else(|| Symbol::new(""));
        let explicit = explicit.map(|args| Written { args, place: None });
        let candidates = Candidates { name, decls: decls.seen, unseen: decls.unseen, accessor: WHOLE, explicit };
        self.call(&candidates, this, args, span)
    }

    /// A call of what a callee turned out to be.
    pub(super) fn call_operand(
        &mut self,
        callee: Operand<'a>,
        name: Option<Symbol>,
        args: &'a [ast::Expr],
        span: Span,
    ) -> ExprId {
        match callee {
            Operand::Functions(..) => {
                let args = self.call_args(args);
                let (effects, args) = self.split_void(args);
                let call = self.call_functions(callee, name, &args, span);
                effects.into_iter().rev().fold(call, |call, effect| {
                    let ty = self.ty(call);
                    self.push(ExprKind::Comma(effect, call), ty, span)
                })
            }
            Operand::Type(ty) => self.construct(ty, args, span),
            Operand::Generic(decl) => self.construct_generic(decl, args, span),
            Operand::Value(value) => self.call_object(value, args, span),
            Operand::Place(place) if args.is_empty() => place,
            Operand::Place(_) => self.error_at(Code::NO_OVERLOAD, span, "`Get` of a pointer takes no arguments"),
            Operand::Error => {
                // The arguments may have faults of their own.
                self.call_args(args);
                self.error_value(span)
            }
            Operand::Namespace(_) => self.error_at(Code::NOT_A_VALUE, span, "a namespace cannot be called"),
        }
    }

    /// `value(args)`: `operator()` of its type.
    fn call_object(&mut self, value: ExprId, args: &'a [ast::Expr], span: Span) -> ExprId {
        let args = self.call_args(args);
        let ty = self.ty(value);
        if ty == TypeId::ERROR {
            return value;
        }
        self.call_member_operator(value, "operator()", &args, span).unwrap_or_else(|| {
            let text = self.type_text(ty);
            self.error_at(Code::NOT_A_VALUE, span, format!("a value of type `{text}` cannot be called"))
        })
    }

    /// A call of an operator that the type of `value` has as a member, if it has it.
    pub(super) fn call_member_operator(
        &mut self,
        value: ExprId,
        operator: &'static str,
        args: &[CallArg<'a>],
        span: Span,
    ) -> Option<ExprId> {
        let name = Symbol::new(operator);
        let decls: Vec<DeclId> = self.members(self.ty(value), name).into_iter().filter_map(decl_of).collect();
        let explicit = self.passed_args(self.ty(value));
        let candidates = Candidates { explicit, ..Candidates::of(name, decls) };
        (!candidates.decls.is_empty()).then(|| self.call(&candidates, Some(value), args, span))
    }

    /// Checks arguments; lists wait for their parameter.
    pub(super) fn call_args(&mut self, args: &'a [ast::Expr]) -> Vec<CallArg<'a>> {
        let mut list = Vec::with_capacity(args.len());
        for e in args {
            match self.spread(e) {
                Some(values) => list.extend(values.into_iter().map(|v| self.value_arg_of(v))),
                None => list.push(self.call_arg(e)),
            }
        }
        list
    }

    pub(super) fn call_arg(&mut self, e: &'a ast::Expr) -> CallArg<'a> {
        match &e.kind {
            Ast::InitList(_) | Ast::Null => CallArg { kind: ArgKind::List(e), span: e.span },
            _ => {
                let operand = self.operand(e);
                let value = self.argument_value(operand, e.span);
                self.value_arg_of(value)
            }
        }
    }

    /// An argument that is a checked value.
    pub(super) fn value_arg_of(&self, value: ExprId) -> CallArg<'a> {
        CallArg { kind: ArgKind::Value(value, self.ty(value), self.literal(value)), span: self.span(value) }
    }

    /// Chooses among candidates and calls.
    pub(super) fn call(
        &mut self,
        candidates: &Candidates<'a>,
        this: Option<ExprId>,
        args: &[CallArg<'a>],
        span: Span,
    ) -> ExprId {
        let arrays = self.texts_as_arrays(candidates, args);
        let args = arrays.as_deref().unwrap_or(args);
        match self.choose(candidates, args, span) {
            Some(instance) => self.call_instance(instance, this, args, span),
            None => self.error_value(span),
        }
    }

    /// The call of an instance.
    pub(super) fn call_instance(
        &mut self,
        instance: InstanceId,
        this: Option<ExprId>,
        args: &[CallArg<'a>],
        span: Span,
    ) -> ExprId {
        let signed = self.floats_as_int(instance, args);
        let args = signed.as_deref().unwrap_or(args);
        if let Some(call) = self.image_variant(instance, args, span) {
            return call;
        }
        let signature = self.functions.get(instance).signature.clone();
        let decl = self.functions.get(instance).decl;
        if !self.is_made_for_data(instance, span) {
            return self.error_value(span);
        }
        let mut list = Vec::new();
        if let (Some(owner), false) = (signature.owner, signature.is_static) {
            let this = this.or_else(|| self.value_of_dynamic_type(owner, span));
            match this.map(|t| self.receiver(t, owner)) {
                Some(Some(this)) => list.push(this),
                _ => {
                    let name = self.info(decl).name;
                    return self.error_at(Code::NOT_A_VALUE, span, format!("the method `{name}` needs an object"));
                }
            }
        }
        let scope = self.functions.get(instance).scope;
        for (index, param) in signature.params.iter().enumerate() {
            let value = match args.get(index) {
                Some(arg) => self.pass(arg, param.mode, param.ty),
                None => match param.default {
                    Some(default) => {
                        let (decl, scope) = self.place_of_default(decl, index, scope);
                        self.default_argument(default, scope, decl, param.ty)
                    }
                    None => self.error_value(span),
                },
            };
            let value = if param.constexpr { self.fold_argument(value) } else { value };
            if param.constexpr {
                if self.is_component(decl, list.len()) {
                    self.check_component(value);
                } else {
                    self.check_texel_offset(value);
                }
                self.check_cluster(value, decl);
            }
            list.push(value);
        }
        let function = self.function(instance);
        let kind = self.written_hash(function, &list).unwrap_or(ExprKind::Call(function, list));
        let call = self.push(kind, signature.result, span);
        match signature.throws {
            Some(throws) => self.tried(call, throws, span),
            None => call,
        }
    }

    /// HLSL: the arguments of a function that takes floats as signed integers, whatever it takes.
    fn floats_as_int(&mut self, instance: InstanceId, args: &[CallArg<'a>]) -> Option<Vec<CallArg<'a>>> {
        if self.language() != crate::parse::Language::Hlsl {
            return None;
        }
        let decl = self.functions.get(instance).decl;
        self.info(decl).attribute("__floats_as_int")?;
        let signature = self.functions.get(instance).signature.clone();
        let mut args = args.to_vec();
        for (arg, param) in args.iter_mut().zip(&signature.params) {
            let component = |ty| self.program.types.component(ty);
            let ArgKind::Value(value, ty, _) = arg.kind else { continue };
            let Some(taken) = component(param.ty).filter(|s| param.mode == ParamMode::In && s.is_integer()) else {
                continue;
            };
            if component(ty).is_some_and(|s| s.is_float()) {
                let signed = if taken.size() == 8 { Scalar::I64 } else { Scalar::I32 };
                let signed = self.program.types.scalar(signed);
                let converted = self.coerce(value, signed);
                *arg = self.value_arg_of(converted);
            }
        }
        Some(args)
    }

    /// The object of a method call as the type that declares the method.
    pub(super) fn receiver(&mut self, this: ExprId, owner: TypeId) -> Option<ExprId> {
        let ty = self.ty(this);
        if ty == owner || ty == TypeId::ERROR {
            return Some(this);
        }
        if let Some(up) = self.upcast(this, owner) {
            return Some(up);
        }
        let contents = self.plain(this);
        if contents != this {
            return self.receiver(contents, owner);
        }
        convert::rank(&self.program, ty, owner, LiteralKind::None)?;
        Some(self.convert(this, owner, false))
    }

    /// An argument as its parameter takes it.
    pub(super) fn pass(&mut self, arg: &CallArg<'a>, mode: ParamMode, ty: TypeId) -> ExprId {
        let value = match arg.kind {
            ArgKind::List(e) => self.expr_of(e, ty),
            ArgKind::Value(id, ..) => id,
        };
        if mode == ParamMode::In {
            self.signed_literal(value, ty);
            return self.coerce(value, ty);
        }
        // HLSL: what is given no other resource in the function is known when all bodies are.
        let is_parameter = matches!(self.kind(value), ExprKind::Global(id) if self.program.globals[*id].kind == GlobalKind::Parameter)
            && self.language() == crate::parse::Language::Hlsl
            && self.program.types.get(ty).is_resource();
        if is_parameter && mode == ParamMode::InOut && self.ty(value) == ty {
            return value;
        }
        if !self.check_assignable(value) {
            return self.error_value(arg.span);
        }
        let count = |c: &Self, ty| match c.program.types.get(ty) {
            Type::Enum(_) => Some(1),
            _ => convert::numeric(&c.program.types, ty).map(|(_, shape)| shape.count()),
        };
        if let (Some(given), Some(taken)) = (count(self, self.ty(value)), count(self, ty))
            && given != taken
            && !self.is_splat_output(self.ty(value), ty)
        {
            let (from, to) = (self.type_text(self.ty(value)), self.type_text(ty));
            let message = format!("an output of type `{to}` cannot be written to a `{from}`");
            return self.error_at(Code::TYPE_MISMATCH, arg.span, message);
        }
        // The component of a vector that has one is a place itself.
        if let (Type::Vector(from, 1), Type::Scalar(to)) =
            (self.program.types.get(self.ty(value)), self.program.types.get(ty))
            && from == to
        {
            return self.push(ExprKind::Swizzle(value, Swizzle::new(&[0])), ty, arg.span);
        }
        // An output of another type is converted on the way back; legalization makes a variable for it.
        if self.ty(value) != ty && self.ty(value) != TypeId::ERROR {
            return self.push(ExprKind::Convert(value, false), ty, arg.span);
        }
        value
    }

    /// HLSL: a number is passed to an output vector in all components, and takes the first of what comes back.
    fn is_splat_output(&self, given: TypeId, taken: TypeId) -> bool {
        let types = &self.program.types;
        let from_number = matches!((types.get(given), types.get(taken)), (Type::Scalar(_), Type::Vector(..)));
        self.language() == crate::parse::Language::Hlsl && from_number
    }

    /// A default argument, checked where the function was declared.
    fn default_argument(
        &mut self,
        default: &'a ast::Expr,
        scope: super::scope::ScopeId,
        decl: DeclId,
        ty: TypeId,
    ) -> ExprId {
        if let Some(function) = self.default_function(default, ty) {
            return function;
        }
        let source = self.info(decl).source;
        self.expr_at(default, ty, scope, source)
    }

    /// An argument of a `constexpr` parameter becomes its value, if it has one.
    fn fold_argument(&mut self, value: ExprId) -> ExprId {
        let ty = self.ty(value);
        if ty == TypeId::ERROR {
            return value;
        }
        if matches!(self.kind(value), ExprKind::Local(_)) && self.in_builtin() {
            // Handed on by a function whose own parameter it is.
            return value;
        }
        let span = self.span(value);
        let found = self.known_value(value).ok();
        found.and_then(|v| v.to_expr(&mut self.cx.body.exprs, &mut self.program, ty, span)).unwrap_or(value)
    }

    /// What the library takes as constant integers is an offset in texels.
    fn check_texel_offset(&mut self, value: ExprId) {
        let is_int =
            |ty| matches!(self.program.types.get(ty), Type::Scalar(Scalar::I32) | Type::Vector(Scalar::I32, _));
        if !is_int(self.ty(value)) {
            return;
        }
        let outside = |id: &ExprId| {
            let found = self.known_value(*id).ok().and_then(|v| v.int());
            found.filter(|n| !TEXEL_OFFSETS.contains(n))
        };
        let found = match self.kind(value) {
            ExprKind::Construct(parts) => parts.iter().find_map(outside),
            _ => outside(&value),
        };
        if let Some(n) = found {
            let span = self.span(value);
            self.error(Code::NO_OVERLOAD, span, format!("an offset in texels is from -8 to 7, not {n}"));
        }
    }

    /// What the library moves between memory and values is data.
    fn is_made_for_data(&mut self, instance: InstanceId, span: Span) -> bool {
        let instance = self.functions.get(instance);
        if self.info(instance.decl).attribute("__data").is_none() {
            return true;
        }
        let no_data = |ty: TypeId| self.program.any_leaf(ty, &mut |leaf| leaf.is_resource() || leaf.is_object());
        let fault = instance.args.iter().find_map(|arg| match arg {
            super::Arg::Type(ty) if no_data(*ty) => Some(*ty),
            _ => None,
        });
        let Some(ty) = fault else { return true };
        let message = format!("a `{}` is no data that a buffer holds", self.type_text(ty));
        self.error(Code::NO_OVERLOAD, span, message);
        false
    }

    /// The size of a cluster of invocations is known, and a power of two.
    fn check_cluster(&mut self, value: ExprId, callee: DeclId) {
        let handed_on = matches!(self.kind(value), ExprKind::Local(_)) && self.in_builtin();
        if self.ty(value) == TypeId::ERROR || handed_on || self.info(callee).attribute("__clusters").is_none() {
            return;
        }
        let size = self.known_value(value).ok().and_then(|v| v.int());
        // GLSL takes it for an `int`.
        if !size.and_then(|n| i32::try_from(n).ok()).is_some_and(|n| n > 0 && n.unsigned_abs().is_power_of_two()) {
            let span = self.span(value);
            self.error(Code::NOT_CONSTANT, span, "the size of a cluster is a constant, and a power of two");
        }
    }

    /// Whether an argument of a function of the library is the number of a component.
    fn is_component(&self, callee: DeclId, at: usize) -> bool {
        let attribute = self.info(callee).attribute("__component");
        let number = attribute.and_then(|a| a.args.first()).and_then(|arg| match &arg.kind {
            Ast::Int(number, ..) => usize::try_from(*number).ok(),
            _ => None,
        });
        number == Some(at)
    }

    /// The component to gather is known, and one of four (GLSL 4.60, 8.9.4).
    fn check_component(&mut self, value: ExprId) {
        let handed_on = matches!(self.kind(value), ExprKind::Local(_)) && self.in_builtin();
        if self.ty(value) == TypeId::ERROR || handed_on {
            return;
        }
        let component = self.known_value(value).ok().and_then(|v| v.int());
        if !component.is_some_and(|n| (0..4).contains(&n)) {
            let span = self.span(value);
            self.error(Code::NOT_CONSTANT, span, "the component to gather is a constant from 0 to 3");
        }
    }

    /// `InterlockedAdd(tex[p], x)`: an element of a texture has no address; the function names its variant.
    fn image_variant(&mut self, instance: InstanceId, args: &[CallArg<'a>], span: Span) -> Option<ExprId> {
        let decl = self.functions.get(instance).decl;
        let attribute = self.info(decl).attribute("__image_variant")?;
        let Some(ast::Expr { kind: Ast::String(name), .. }) = attribute.args.first() else { return None };
        let ArgKind::Value(first, ..) = args.first()?.kind else { return None };
        let ExprKind::Property(property) = self.kind(first).clone() else { return None };
        let object = *property.args.first()?;
        let is_image =
            matches!(self.program.types.get(self.ty(object)), Type::Texture(_) | Type::Buffer(BufferKind::Typed, ..));
        if !is_image {
            return None;
        }
        if !self.check_assignable(first) {
            return Some(self.error_value(span));
        }
        let mut variant_args: Vec<CallArg<'a>> = property.args.iter().map(|a| self.value_arg_of(*a)).collect();
        variant_args.extend(args.iter().skip(1).copied());
        let scope = self.info(decl).scope;
        let found = self.lookup(scope, *name);
        let decls = found.entities.into_iter().filter_map(decl_of).collect();
        let candidates = Candidates::of(*name, decls);
        Some(self.call(&candidates, None, &variant_args, span))
    }

    /// A user's operator: free functions (or static ones) with all operands, methods with the rest. `None` if none fits,
    /// so that a builtin operator may.
    pub(super) fn call_operator(
        &mut self,
        name: Symbol,
        decls: Vec<DeclId>,
        methods: Vec<DeclId>,
        values: &[ExprId],
        builtin_too: bool,
        span: Span,
    ) -> Option<ExprId> {
        let args: Vec<CallArg<'a>> = values.iter().map(|v| self.value_arg_of(*v)).collect();
        if !methods.is_empty() {
            let candidates = Candidates::of(name, methods);
            let rest = args.get(1..).unwrap_or(&[]);
            let found = self.quiet(|c| c.choose(&candidates, rest, span));
            if let (Some(instance), Some(this)) = (found, values.first()) {
                return Some(self.call_instance(instance, Some(*this), rest, span));
            }
        }
        if decls.is_empty() {
            return None;
        }
        let candidates = Candidates::of(name, decls);
        let is_user = |c: &Self, d: &DeclId| !c.source_of(*d).builtin;
        if builtin_too || !candidates.decls.iter().any(|d| is_user(self, d)) {
            let instance = self.quiet(|c| c.choose(&candidates, &args, span))?;
            return Some(self.call_instance(instance, None, &args, span));
        }
        Some(self.call(&candidates, None, &args, span))
    }

    /// A call of an operator that the program defines for builtin types: only what takes just these types.
    pub(super) fn operator_of(
        &mut self,
        name: Symbol,
        decls: Vec<DeclId>,
        values: &[ExprId],
        span: Span,
    ) -> Option<ExprId> {
        let decls = decls.into_iter().filter(|d| !self.source_of(*d).builtin).collect();
        let args: Vec<CallArg<'a>> = values.iter().map(|v| self.value_arg_of(*v)).collect();
        let instance = self.quiet(|c| c.choose(&Candidates::of(name, decls), &args, span))?;
        let params = self.functions.get(instance).signature.params.clone();
        let exact = params.iter().zip(values).all(|(param, value)| param.ty == self.ty(*value));
        (exact && params.len() == values.len()).then(|| self.call_instance(instance, None, &args, span))
    }

    /// Products of matrices in programs with GLSL's words: `m * v` is what it is in GLSL, where columns are our rows.
    pub(super) fn algebraic_product(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Option<ExprId> {
        let shapes = [left, right].map(|e| self.program.types.get(self.ty(e)));
        let algebraic = matches!(
            shapes,
            [Type::Matrix(..), Type::Vector(..) | Type::Matrix(..)] | [Type::Vector(..), Type::Matrix(..)]
        );
        if op != BinaryOp::Mul || !algebraic || self.in_builtin() || !self.has_algebraic_products() {
            return None;
        }
        Some(self.library_call("mul", &[right, left], span))
    }

    /// Vectors are equal as a whole in programs with GLSL's words: `==` and `!=` give one bool.
    pub(super) fn equal_as_whole(&mut self, op: BinaryOp, compared: ExprId, span: Span) -> ExprId {
        let function = match op {
            BinaryOp::Equal => "all",
            BinaryOp::NotEqual => "any",
            _ => return compared,
        };
        let vectors = matches!(self.program.types.get(self.ty(compared)), Type::Vector(..));
        if !vectors || self.in_builtin() || !self.has_algebraic_products() {
            return compared;
        }
        self.library_call(function, &[compared], span)
    }

    /// Whether the program has the module of GLSL's words.
    pub(super) fn has_algebraic_products(&mut self) -> bool {
        !self.library_decls(Symbol::new("__algebraicProducts")).is_empty()
    }

    /// `x++` of a type that has it as in C++, with a parameter that tells it from `++x`.
    pub(super) fn user_postfix(&mut self, op: Symbol, target: ExprId, span: Span) -> Option<ExprId> {
        let ty = self.ty(target);
        if !matches!(self.program.types.get(ty), Type::Struct(_)) {
            return None;
        }
        let name = Symbol::new(&format!("operator{op}"));
        let members: Vec<DeclId> = self.members(ty, name).into_iter().filter_map(decl_of).collect();
        let postfix = |c: &Self, d: &DeclId| matches!(c.info(*d).what, What::Function(f) if f.params.len() == 1);
        let methods: Vec<DeclId> =
            members.into_iter().filter(|d| postfix(self, d) && !self.info(*d).has("static")).collect();
        if methods.is_empty() {
            return None;
        }
        let unused = self.int_value(0, TypeId::INT, span);
        self.call_operator(name, Vec::new(), methods, &[target, unused], true, span)
    }

    /// Constructors of a type.
    pub(super) fn constructors(&mut self, ty: TypeId) -> Vec<DeclId> {
        let name = self.words.init;
        let own: Vec<DeclId> = self.own_members(ty, name).into_iter().filter_map(decl_of).collect();
        own.into_iter().filter(|d| matches!(self.info(*d).what, What::Function(_))).collect()
    }

    /// A call of a constructor of one parameter that makes a value of a type.
    pub(super) fn implicit_constructor(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let instance = self.implicit_choice(value, to)?;
        let args = [self.value_arg_of(value)];
        Some(self.call_instance(instance, None, &args, self.span(value)))
    }

    /// The constructor of one parameter that makes a value of a type.
    pub(super) fn implicit_choice(&mut self, value: ExprId, to: TypeId) -> Option<InstanceId> {
        if !matches!(self.program.types.get(to), Type::Struct(_) | Type::Enum(_)) || self.ty(value) == TypeId::ERROR {
            return None;
        }
        let decls: Vec<DeclId> = self
            .constructors(to)
            .into_iter()
            .filter(|d| matches!(self.info(*d).what, What::Function(f) if f.params.len() == 1))
            .collect();
        if decls.is_empty() {
            return None;
        }
        let span = self.span(value);
        let args = [self.value_arg_of(value)];
        let candidates = Candidates::of(self.words.init, decls);
        self.quiet(|c| c.choose(&candidates, &args, span))
    }
}
