//! Functions: signatures and instances. What their bodies do is checked in `function_body`.

use super::definition::Definition;
use super::left_out::MOST_NESTED;
use super::pack_arguments::Arity;
use super::scope::{DeclId, DeclInfo, Entity, ScopeId, What, has_modifier};
use super::throwing::Throws;
use super::types::{Name, modifiers_of};
use super::{Arg, Checker};
use crate::ast::{self, TypeKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Attribute, Body, Expr, ExprKind, ExprTree, Function, FunctionBody, FunctionId, Local, MESH_ARRAYS, Member,
    Modifiers, Outside, Param, ParamMode, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An instance of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct InstanceId(pub u32);

/// Which code of a declaration: the function itself, or an accessor of a property.
pub(super) const WHOLE: u32 = u32::MAX;

/// All instances.
#[derive(Default)]
pub(super) struct Functions<'a> {
    list: Vec<Instance<'a>>,
    /// How many of them have generic arguments.
    generic: usize,
    ids: FxHashMap<(DeclId, u32, Vec<Arg>), InstanceId>,
    /// The instance whose body is being checked.
    pub checked: Option<InstanceId>,
    /// Those that are only called where nothing gets to (see [`super::left_out`]).
    unasked: FxHashSet<InstanceId>,
    /// The instance of each function of the program.
    pub of_function: Vec<InstanceId>,
    /// Parameters of interface type, by declaration.
    implicit: FxHashMap<DeclId, Rc<[usize]>>,
    pub patterns: FxHashMap<DeclId, ScopeId>,
    /// How many arguments parameters take, by declaration.
    pub arities: FxHashMap<DeclId, Rc<[Arity]>>,
}

/// A function with its generic arguments.
#[derive(Clone, Debug)]
pub(super) struct Instance<'a> {
    pub decl: DeclId,
    /// [`WHOLE`] or the index of an accessor.
    pub accessor: u32,
    pub args: Vec<Arg>,
    /// The scope in which generic parameters are bound.
    pub scope: ScopeId,
    pub signature: Rc<Signature<'a>>,
    pub function: Option<FunctionId>,
    /// Where the user first asked for it.
    pub asked: Option<Span>,
    /// How many bodies of generic functions ask for one another before it.
    pub depth: u32,
}

/// Types of parameters and result.
#[derive(Clone, Debug)]
pub(super) struct Signature<'a> {
    pub params: Vec<ParamSignature<'a>>,
    /// Parameters that are packs: the name, and which of `params` are its elements.
    pub packs: Vec<(Symbol, std::ops::Range<usize>)>,
    pub result: TypeId,
    /// The type whose method it is.
    pub owner: Option<TypeId>,
    /// Has no `this`.
    pub is_static: bool,
    pub is_constructor: bool,
    /// It throws errors: `result` holds one of them or the value.
    pub throws: Option<Throws>,
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParamSignature<'a> {
    pub name: Symbol,
    pub span: Span,
    pub ty: TypeId,
    pub mode: ParamMode,
    pub default: Option<&'a ast::Expr>,
    pub constexpr: bool,
    pub decl: Option<&'a ast::Decl>,
}

/// What a function is in the type that owns it.
fn member(info: &DeclInfo, signature: &Signature) -> Member {
    let is_named = matches!(info.what, What::Function(_)) && !info.name.as_str().starts_with("operator");
    match (signature.owner, signature.is_static) {
        _ if !is_named || signature.is_constructor || signature.throws.is_some() => Member::None,
        (Some(_), true) => Member::Static,
        (Some(_), false) => Member::Method,
        (None, _) => Member::None,
    }
}

/// The name of a parameter.
fn name_of(param: &ast::Decl) -> Option<ast::Ident> {
    match &param.kind {
        ast::DeclKind::Var(var) => Some(var.name),
        _ => None,
    }
}

impl<'a> Functions<'a> {
    pub fn get(&self, id: InstanceId) -> &Instance<'a> {
        &self.list[id.0 as usize]
    }
}

/// How a parameter is passed, by its keywords.
pub(super) fn param_mode(decl: &ast::Decl) -> ParamMode {
    let has = |word| has_modifier(decl, word);
    match (has("out"), has("in"), has("inout")) {
        _ if has("__ref") || has("ref") => ParamMode::Ref,
        (_, _, true) | (true, true, _) => ParamMode::InOut,
        (true, ..) => ParamMode::Out,
        _ => ParamMode::In,
    }
}

impl<'a> Checker<'a> {
    /// The instance of a function (or accessor) declaration for generic arguments.
    pub(super) fn instance(&mut self, decl: DeclId, accessor: u32, args: Vec<Arg>) -> Option<InstanceId> {
        let key = (decl, accessor, args);
        if let Some(id) = self.functions.ids.get(&key) {
            return Some(*id);
        }
        if !key.2.is_empty() && self.functions.generic as u64 >= self.options.limits.instances {
            let span = self.info(decl).span;
            self.error(Code::NESTING, span, "too many instances of generic functions");
            return None;
        }
        let around = self.functions.checked.map(|id| self.functions.get(id)).filter(|i| !i.args.is_empty());
        let depth = around.map_or(0, |around| around.depth + 1);
        if depth > MOST_NESTED && !key.2.is_empty() {
            let (name, span) = (self.info(decl).name, self.info(decl).span);
            let message = format!("`{name}` is asked for by more than {MOST_NESTED} generic functions, one by another");
            self.error(Code::NESTING, span, message);
            return None;
        }
        let info = self.info(decl);
        let generics = match info.what {
            What::Function(f) => f.generics.as_ref(),
            What::Subscript(p) | What::Property(p) => p.generics.as_ref(),
            _ => return None,
        };
        let scope = match generics {
            Some(generics) => self.bind_generics(generics, &key.2, info.scope),
            None => info.scope,
        };
        let source = std::mem::replace(&mut self.cx.source, info.source);
        let explicit = generics.map_or(0, |g| g.params.len());
        // Generic arguments may be a guess of overload resolution; without any, a faulty signature is one for all.
        let signature = match key.2.is_empty() {
            true => self.lasting(|c| c.signature(decl, accessor, &key.2, explicit, scope)),
            false => self.signature(decl, accessor, &key.2, explicit, scope),
        };
        self.cx.source = source;
        let id = InstanceId(self.functions.list.len() as u32);
        self.functions.generic += usize::from(!key.2.is_empty());
        let instance = Instance {
            decl,
            accessor,
            args: key.2.clone(),
            scope,
            signature: Rc::new(signature),
            function: None,
            asked: None,
            depth,
        };
        self.functions.list.push(instance);
        self.functions.ids.insert(key, id);
        Some(id)
    }

    fn signature(
        &mut self,
        decl: DeclId,
        accessor: u32,
        args: &[Arg],
        explicit: usize,
        scope: ScopeId,
    ) -> Signature<'a> {
        let around = self.cx.sees_until;
        self.cx.sees_until = Some(decl).filter(|decl| self.is_free_of_hlsl(*decl));
        let signature = self.signature_of(decl, accessor, args, explicit, scope);
        self.cx.sees_until = around;
        signature
    }

    /// Whether a declaration is a free function of HLSL and no template: it sees what is declared before it.
    fn is_free_of_hlsl(&self, decl: DeclId) -> bool {
        let info = self.info(decl);
        let is_plain = matches!(info.what, What::Function(f) if f.generics.is_none());
        is_plain && info.owner.is_none() && self.source(info.source).language == Language::Hlsl
    }

    fn signature_of(
        &mut self,
        decl: DeclId,
        accessor: u32,
        args: &[Arg],
        explicit: usize,
        scope: ScopeId,
    ) -> Signature<'a> {
        let info = self.info(decl);
        // What a static function of an interface is for a value of it, the value tells.
        let chooses = info.in_interface && info.owner.is_some_and(|o| self.existential(o).is_some());
        let mut is_static = info.owner.is_none() || info.has("static") && !chooses;
        match info.what {
            What::Function(f) => {
                let implicit = self.implicit_params(decl);
                let is_constructor = f.name.name == self.words.init && info.owner.is_some();
                is_static |= is_constructor;
                let mut params = Vec::new();
                let mut packs = Vec::new();
                let mut next = explicit;
                for (index, param) in f.params.iter().enumerate() {
                    if let Some((name, elements)) = self.pack_params(param, scope) {
                        packs.push((name, params.len()..params.len() + elements.len()));
                        params.extend(elements);
                        continue;
                    }
                    let known = match implicit.contains(&index) {
                        true => {
                            next += 1;
                            args.get(next - 1)
                        }
                        false => None,
                    };
                    params.extend(self.param_signature(param, known, scope));
                }
                self.show_defaults(decl, &mut params);
                self.check_defaults(&params);
                let result = match (is_constructor, info.owner) {
                    (true, Some(owner)) => owner,
                    _ => match self.lambda_result(decl) {
                        Some(result) => result,
                        None => self.result_type(f, scope),
                    },
                };
                let (result, throws) = self.throwing_result(f, result, is_constructor, scope);
                Signature { params, packs, result, owner: info.owner, is_static, is_constructor, throws }
            }
            What::Property(p) | What::Subscript(p) => {
                let ty = self.resolve_type(&p.ty, scope);
                let mut params: Vec<_> = Vec::new();
                for param in &p.params {
                    params.extend(self.param_signature(param, None, scope));
                }
                let accessor = p.accessors.get(accessor as usize);
                let mut result = ty;
                if let Some(accessor) = accessor.filter(|a| a.name.name == *"set") {
                    let name = accessor.param.map_or_else(|| Symbol::new("newValue"), |p| p.name);
                    let span = accessor.param.map_or(accessor.name.span, |p| p.span);
                    let mode = ParamMode::In;
                    params.push(ParamSignature { name, span, ty, mode, default: None, constexpr: false, decl: None });
                    result = TypeId::VOID;
                }
                let packs = Vec::new();
                let owner = info.owner;
                Signature { params, packs, result, owner, is_static, is_constructor: false, throws: None }
            }
            _ => Signature {
                params: Vec::new(),
                packs: Vec::new(),
                result: TypeId::ERROR,
                owner: None,
                is_static: true,
                is_constructor: false,
                throws: None,
            },
        }
    }

    /// What a function gives back, where it throws.
    fn throwing_result(
        &mut self,
        f: &'a ast::FunctionDecl,
        result: TypeId,
        is_constructor: bool,
        scope: ScopeId,
    ) -> (TypeId, Option<Throws>) {
        let Some(error) = &f.throws else { return (result, None) };
        if is_constructor {
            self.unsupported(f.name.span, "a constructor that throws");
            return (result, None);
        }
        let throws = Throws { value: result, error: self.resolve_type(error, scope) };
        (self.result_of(result, throws.error, error.span), Some(throws))
    }

    fn result_type(&mut self, f: &'a ast::FunctionDecl, scope: ScopeId) -> TypeId {
        match &f.result.kind {
            TypeKind::Infer => {
                self.unsupported(f.result.span, "a result type that is inferred");
                TypeId::ERROR
            }
            TypeKind::Some(_) => {
                self.unsupported(f.result.span, "a result of an interface type");
                TypeId::ERROR
            }
            _ => {
                let result = self.referred(f, scope).unwrap_or(&f.result);
                self.resolve_type(result, scope)
            }
        }
    }

    /// What a function that gives a reference refers to: the `T` of `Ref<T>`.
    pub(super) fn referred(&mut self, f: &'a ast::FunctionDecl, scope: ScopeId) -> Option<&'a ast::TypeExpr> {
        let TypeKind::Path(path) = &f.result.kind else { return None };
        let [only] = path.as_slice() else { return None };
        match only.args.as_deref() {
            Some([ast::GenericArg::Type(target)]) if only.name.name == *"Ref" => {
                self.lookup(scope, only.name.name).entities.is_empty().then_some(target)
            }
            _ => None,
        }
    }

    pub(super) fn param_signature(
        &mut self,
        param: &'a ast::Decl,
        known: Option<&Arg>,
        scope: ScopeId,
    ) -> Option<ParamSignature<'a>> {
        let ast::DeclKind::Var(var) = &param.kind else { return None };
        let ty = match known {
            Some(Arg::Type(ty)) => *ty,
            _ => self.resolve_type(&var.ty, scope),
        };
        let ty = self.mesh_output(param, ty);
        // `f(void)`
        if ty == TypeId::VOID {
            if !var.name.name.is_empty() {
                self.error(Code::NOT_A_TYPE, var.name.span, "a parameter cannot be void");
            }
            return None;
        }
        Some(ParamSignature {
            name: var.name.name,
            span: var.name.span,
            ty,
            // A stream is where its vertices go, however it is passed, and so are the outputs of a mesh that are objects.
            mode: match self.program.types.get(ty) {
                crate::tree::Type::Stream(..) => ParamMode::InOut,
                crate::tree::Type::MeshOutput(..) => ParamMode::In,
                _ => param_mode(param),
            },
            default: var.init.as_ref(),
            constexpr: has_modifier(param, "constexpr"),
            decl: Some(param),
        })
    }

    /// Reports a parameter without a default value behind one that has it.
    fn check_defaults(&mut self, params: &[ParamSignature<'a>]) {
        let mut given = params.iter().skip_while(|p| p.default.is_none());
        if let (Some(first), Some(later)) = (given.next(), given.find(|p| p.default.is_none())) {
            let message = format!("`{}` needs a default value: `{}` before it has one", later.name, first.name);
            self.error(Code::BAD_INITIALIZER, later.span, message);
        }
    }

    /// Parameters whose type is an interface, a function type or an array without a size: each call makes an instance for the types of its
    /// arguments.
    pub(super) fn implicit_params(&mut self, decl: DeclId) -> Rc<[usize]> {
        if let Some(known) = self.functions.implicit.get(&decl) {
            return known.clone();
        }
        let info = self.info(decl);
        let What::Function(f) = info.what else { return Rc::from([]) };
        let scope = self.pattern_of(decl);
        let mut list = Vec::new();
        for (index, param) in f.params.iter().enumerate() {
            // An entry point's shader parameter without a size is without bound.
            let uniform = info.attribute("shader").is_some() || param.modifiers.iter().any(|m| m.name == "uniform");
            if let ast::DeclKind::Var(var) = &param.kind
                && (matches!(var.ty.kind, TypeKind::Array(_, None)) && !uniform
                    || self.is_interface_type(&var.ty, scope)
                    || self.function_type(&var.ty, scope).is_some())
            {
                list.push(index);
            }
        }
        let list: Rc<[usize]> = Rc::from(list);
        self.functions.implicit.insert(decl, list.clone());
        list
    }

    pub(super) fn is_interface_type(&mut self, ty: &'a ast::TypeExpr, scope: ScopeId) -> bool {
        match &ty.kind {
            TypeKind::Some(_) => true,
            TypeKind::Modified(_, inner) => self.is_interface_type(inner, scope),
            TypeKind::Path(path) => {
                let Some(last) = path.last() else { return false };
                if self.builtin_type(last.name.name).is_some() {
                    return false;
                }
                match path.as_slice() {
                    [only] => matches!(
                        self.lookup(scope, only.name.name).entities.first(),
                        Some(Entity::Decl(d)) if matches!(self.info(*d).what, What::Interface(_))
                    ),
                    _ => self.quiet(|c| matches!(c.resolve_path(path, scope), Name::Interface(..))),
                }
            }
            _ => false,
        }
    }

    /// The scope in which a function's generic parameters are open.
    pub(super) fn pattern_of(&mut self, decl: DeclId) -> ScopeId {
        if let Some(scope) = self.functions.patterns.get(&decl) {
            return *scope;
        }
        let info = self.info(decl);
        let generics = match info.what {
            What::Function(f) => f.generics.as_ref(),
            What::Subscript(p) => p.generics.as_ref(),
            What::Alias(a) => a.generics.as_ref(),
            What::Struct(s) => s.generics.as_ref(),
            What::Extension(e) => e.generics.as_ref(),
            _ => None,
        };
        let scope = match generics {
            Some(generics) => self.pattern_scope(generics, info.scope),
            None => info.scope,
        };
        self.functions.patterns.insert(decl, scope);
        scope
    }

    /// The function of the program that an instance is; its body is queued on first use.
    pub(super) fn function(&mut self, id: InstanceId) -> FunctionId {
        let is_left_out = self.is_left_out(id);
        self.cx.left_out += usize::from(is_left_out);
        if let Some(function) = self.functions.get(id).function {
            if !is_left_out && self.functions.unasked.remove(&id) {
                self.queue.push_back(id);
            }
            return function;
        }
        // A function that is only declared is the one that is defined later.
        if let Some(other) = self.shown(id).or_else(|| self.specialized_function(id)).or_else(|| self.defined(id)) {
            let function = self.function(other);
            self.functions.list[id.0 as usize].function = Some(function);
            return function;
        }
        let function = self.new_function(id);
        match is_left_out {
            true => _ = self.functions.unasked.insert(id),
            false => self.queue.push_back(id),
        }
        function
    }

    /// Makes the function of an instance, which has no body yet.
    fn new_function(&mut self, id: InstanceId) -> FunctionId {
        let instance = self.functions.get(id).clone();
        let info = self.info(instance.decl);
        let source = self.source_of(instance.decl);
        let Definition { attributes, params: own, outside, .. } = self.code_of(&instance);
        let name = match info.what {
            What::Property(p) | What::Subscript(p) => {
                let accessor = p.accessors.get(instance.accessor as usize).map_or("get", |a| a.name.name.as_str());
                let base =
                    if p.name.name.is_empty() { "subscript" } else { p.name.name.as_str().trim_start_matches('_') };
                Symbol::new(&format!("{accessor}_{base}"))
            }
            _ if info.name == *"operator()" => Symbol::new("call"),
            _ if info.name == *"operator[]" => Symbol::new("element"),
            _ => info.name,
        };
        let comments = match (info.what, info.ast) {
            (What::Function(_), Some(ast)) if !source.builtin => ast.comments.clone(),
            _ => Vec::new(),
        };
        let signature = instance.signature.clone();
        let hlsl = source.language == crate::parse::Language::Hlsl;
        let mut code = Body { value_first: hlsl, shifts_wrap: hlsl, ..Body::default() };
        let mut params = Vec::new();
        if let (Some(owner), false) = (signature.owner, signature.is_static) {
            let kept = !self.may_change_object(&instance, attributes);
            params.push(self.this_param(&mut code, owner, kept, info.span));
        }
        for (index, param) in signature.params.iter().enumerate() {
            let named = own
                .and_then(|list| list.get(index))
                .and_then(name_of)
                .unwrap_or(ast::Ident { name: param.name, span: param.span });
            let param = ParamSignature { name: named.name, span: named.span, ..*param };
            let default = self.constant_default(&param, instance.decl, index, instance.scope);
            params.push(Param { default, ..self.param(&mut code, &param, instance.scope) });
        }
        let attributes = self.attributes_with_announced(instance.decl, attributes);
        let has = |name: &str| attributes.iter().any(|a| a.name.as_str().eq_ignore_ascii_case(name));
        let (semantics, is_ref) = match info.what {
            What::Function(f) => {
                (super::attributes::semantic(&f.semantics), self.referred(f, instance.scope).is_some())
            }
            What::Property(p) | What::Subscript(p) => {
                (None, p.accessors.get(instance.accessor as usize).is_some_and(|a| a.name.name == *"ref"))
            }
            _ => (None, false),
        };
        let semantics = self.result_semantic(semantics, signature.result, info.span);
        if is_ref && let (Some(this), true) = (params.first_mut(), signature.owner.is_some() && !signature.is_static) {
            this.mode = ParamMode::Ref;
        }
        let result_explicit = match (info.what, info.ast) {
            (What::Function(f), Some(ast)) => {
                self.check_no_place(info.name, &f.semantics);
                self.explicit(ast, &f.semantics, &attributes, info.scope)
            }
            _ => Default::default(),
        };
        let result_order = self.result_order(&info, signature.result);
        let mut modifiers = Modifiers::default();
        if info.has("precise") {
            modifiers.set(Modifiers::PRECISE);
        }
        let inline = source.builtin && has("ForceInline");
        let instance_text = Symbol::new(&self.args_text(&instance.args));
        let function = self.program.functions.push(Function {
            name,
            owner: signature.owner,
            member: member(&info, &signature),
            outside: outside.map(|(decl, name)| Outside { span: name.span, comments: decl.comments.clone() }),
            instance: instance_text,
            params,
            result: signature.result,
            result_semantic: semantics,
            result_explicit,
            result_order,
            returns_ref: is_ref,
            body: FunctionBody::None,
            code,
            attributes,
            comments,
            span: info.span,
            builtin: source.builtin,
            inline,
            modifiers,
            made: false,
        });
        self.functions.of_function.push(id);
        let asked = self.user_span;
        let instance = &mut self.functions.list[id.0 as usize];
        (instance.function, instance.asked) = (Some(function), asked);
        function
    }

    /// The attributes of a function. Those of announcements hold, too, where the definition has no such one.
    fn attributes_with_announced(&mut self, decl: DeclId, own: &'a [ast::Attribute]) -> Vec<Attribute> {
        let scope = self.info(decl).scope;
        let mut attributes = self.attributes(own, scope);
        for announced in self.announced_attributes(decl) {
            for attribute in self.attributes(announced, scope) {
                if !attributes.iter().any(|own| own.name.as_str().eq_ignore_ascii_case(attribute.name.as_str())) {
                    attributes.push(attribute);
                }
            }
        }
        attributes
    }

    /// The object of a method; `kept`: the method cannot change it.
    fn this_param(&mut self, code: &mut Body, owner: TypeId, kept: bool, span: Span) -> Param {
        let name = Symbol::new("this");
        let modifiers = if kept { Modifiers::CONST } else { Modifiers::default() };
        Param::new(code.locals.push(Local { name, ty: owner, constant: false, modifiers, span }))
    }

    /// Whether a parameter is in no signature as a whole: vertices and points of structs, streams, payloads.
    fn has_no_semantic(&self, ty: TypeId, modifiers: Modifiers) -> bool {
        let types = &self.program.types;
        let is_struct = |ty: TypeId| matches!(types.get(types.innermost(ty)), Type::Struct(_));
        match types.get(ty) {
            Type::Patch(_, element, _) | Type::MeshOutput(_, element, _) | Type::Stream(_, element) => {
                is_struct(element)
            }
            _ => modifiers.has(Modifiers::PAYLOAD),
        }
    }

    /// The default value of a parameter, if it is a constant that calls nothing. Faults in it are reported at calls.
    fn constant_default(
        &mut self,
        param: &ParamSignature<'a>,
        decl: DeclId,
        index: usize,
        scope: ScopeId,
    ) -> Option<ExprTree> {
        let is_plain = param.mode == ParamMode::In && !param.constexpr && !self.source_of(decl).builtin;
        let written = param.default.filter(|e| is_plain && e.is_plain())?;
        let (decl, scope) = self.place_of_default(decl, index, scope);
        let source = self.info(decl).source;
        let (root, body) = self.quiet(|c| c.in_context(scope, source, |c| c.expr_to(written, param.ty)));
        let is_value = param.ty != TypeId::ERROR && body.exprs[root].ty == param.ty;
        let tree = ExprTree { exprs: body.exprs.into_value(), root };
        (is_value && self.is_constant_tree(&tree)).then_some(tree)
    }

    /// Whether a value is made of literals and constants of the module or of types.
    fn is_constant_tree(&self, tree: &ExprTree) -> bool {
        !tree.exprs.any_part(tree.root, |id| match tree.exprs[id].kind {
            ExprKind::Literal(..)
            | ExprKind::EnumCase(..)
            | ExprKind::Zero
            | ExprKind::Construct(_)
            | ExprKind::Convert(..)
            | ExprKind::Swizzle(..)
            | ExprKind::Field(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(..) => false,
            ExprKind::Global(id) => {
                let global = &self.program.globals[id];
                global.kind != crate::tree::GlobalKind::Const || global.in_function.is_some()
            }
            ExprKind::Local(_)
            | ExprKind::Index(..)
            | ExprKind::MatrixSwizzle(..)
            | ExprKind::Contents(_)
            | ExprKind::Assign(..)
            | ExprKind::Step(..)
            | ExprKind::Comma(..)
            | ExprKind::Call(..)
            | ExprKind::Native(..)
            | ExprKind::Property(_)
            | ExprKind::AddressOf(_)
            | ExprKind::Deref(_) => true,
        })
    }

    fn param(&mut self, code: &mut Body, param: &ParamSignature<'a>, scope: ScopeId) -> Param {
        let mut modifiers = Modifiers::default();
        let mut semantic = None;
        let mut explicit = Default::default();
        let mut attributes = Vec::new();
        let mut matrix_order = None;
        if let Some(decl) = param.decl
            && let ast::DeclKind::Var(var) = &decl.kind
        {
            modifiers = modifiers_of(decl, &var.ty);
            // Outputs of meshes, which are nothing that comes in.
            let is_output = matches!(self.program.types.get(param.ty), Type::MeshOutput(..));
            for &(word, name, _) in MESH_ARRAYS {
                if is_output {
                    modifiers.clear(word);
                } else if param.mode != ParamMode::Out && modifiers.has(word) {
                    self.error(Code::BAD_ENTRY, param.span, format!("a parameter with `{name}` is `out`"));
                }
            }
            if param.mode != ParamMode::In && matches!(self.program.types.get(param.ty), Type::Patch(..)) {
                self.error(Code::BAD_ENTRY, param.span, format!("the patch `{}` is not written", param.name));
            }
            self.drop_interpolation_of_primitive(&mut modifiers, param.name, param.span);
            matrix_order = self.matrix_order(decl, var, param.ty, scope);
            attributes = self.attributes(&decl.attributes, scope);
            semantic = super::attributes::semantic(&var.semantics);
            if semantic.is_some() && self.has_no_semantic(param.ty, modifiers) {
                let message = format!("the semantic of `{}` is ignored: it is in no signature as a whole", param.name);
                self.diags.push(Diagnostic::warning(Code::BAD_ENTRY, param.span, message));
                semantic = None;
            }
            explicit = self.explicit(decl, &var.semantics, &attributes, scope);
            self.check_parameter_place(param.ty, &explicit);
        }
        let constant = modifiers.has(Modifiers::CONST) && param.mode == ParamMode::In;
        let local = code.locals.push(Local { name: param.name, ty: param.ty, constant, modifiers, span: param.span });
        let constant = param.constexpr;
        Param {
            mode: param.mode,
            semantic,
            modifiers,
            matrix_order,
            explicit,
            attributes,
            constant,
            comments: param.decl.map(|decl| decl.comments.clone()).unwrap_or_default(),
            ..Param::new(local)
        }
    }

    /// Checks the bodies that are queued, and those that they call; a constant that nobody asks errors of may need them now.
    pub(super) fn drain(&mut self) {
        while let Some(id) = self.queue.pop_front() {
            if self.is_futile() {
                return;
            }
            let outer = self.functions.checked.replace(id);
            self.lasting(|c| c.check_body(id));
            self.functions.checked = outer;
        }
    }

    /// Adds an expression to the body at hand.
    pub(super) fn push(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> crate::tree::ExprId {
        self.cx.body.exprs.push(Expr { kind, ty, span })
    }
}
