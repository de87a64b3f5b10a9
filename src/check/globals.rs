//! Global variables, constants, shader parameters, constant buffers; attributes and positions of declarations.

use super::constant::Value;
use super::definition::ValueOutOfLine;
use super::expr::Operand;
use super::function::WHOLE;
use super::scope::{DeclId, DeclInfo, ScopeId, ScopeKind, What};
use super::stage_variables::StageVariable;
use super::types::{Name, element_modifiers, modifiers_of};
use super::{Arg, Checker, Language, attributes, constant};
use crate::ast::{self, DeclKind, TypeKind};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Attribute, Body, BufferKind, DataLayout, Explicit, ExprId, ExprKind, ExprTree, Field, Global, GlobalId, GlobalKind,
    Length, Literal, Modifiers, Namespace, Origin, Outside, ParamMode, Scalar, StaticMember, Struct, Type, TypeId,
};

/// How far a global is.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Its type is being found.
    Busy,
    Done(GlobalId),
    Failed,
}

impl<'a> Checker<'a> {
    /// The namespaces around a declaration; a number tells those of one depth apart.
    fn namespace_of(&self, info: &DeclInfo) -> Namespace {
        let order = (info.depth, if info.depth == 0 { 0 } else { info.scope.0 });
        Namespace { order, path: self.at(info.scope).namespace }
    }

    /// Resolves attributes, reporting what is wrong with them.
    pub(super) fn attributes(&mut self, list: &'a [ast::Attribute], scope: ScopeId) -> Vec<Attribute> {
        if list.is_empty() {
            return Vec::new();
        }
        let mut errors = Vec::new();
        let unused = self.entries_checked && self.language() == Language::Slang;
        let mut valueless = Vec::new();
        let eval = &mut |e: &'a ast::Expr| {
            let value = match self.specialization(e, scope) {
                Some(constant) => self.first_group_size(constant),
                None => self.try_constant(e, scope),
            };
            valueless.extend(value.is_none().then_some(e));
            value
        };
        let mut resolved = attributes::resolve(list, unused, eval, &mut errors);
        for error in errors {
            // A hint that is warned of stays one.
            let argument = valueless.iter().find(|e| error.severity == Severity::Error && error.span == Some(e.span));
            if !argument.is_some_and(|e| self.has_undeclared(e, scope)) {
                self.diags.push(error);
            }
        }
        self.user_attributes(list, &mut resolved, scope);
        resolved.retain(attributes::is_kept);
        resolved
    }

    /// Reports a name in an argument that is not declared, which says more than that the argument has no value; whether there is
    /// one.
    fn has_undeclared(&mut self, e: &'a ast::Expr, scope: ScopeId) -> bool {
        match &e.kind {
            ast::ExprKind::Path(path) if matches!(self.resolve_path(path, scope), Name::Missing) => {
                self.undeclared(path, scope, e.span);
                true
            }
            ast::ExprKind::Paren(inner) | ast::ExprKind::Prefix(_, inner) => self.has_undeclared(inner, scope),
            ast::ExprKind::Binary(_, left, right) => {
                self.has_undeclared(left, scope) || self.has_undeclared(right, scope)
            }
            _ => false,
        }
    }

    /// Positions that a declaration gives itself.
    pub(super) fn explicit(
        &mut self,
        decl: &'a ast::Decl,
        semantics: &'a [ast::Semantic],
        resolved: &[Attribute],
        scope: ScopeId,
    ) -> Explicit {
        if semantics.is_empty() && resolved.is_empty() && decl.layout.is_empty() {
            return Explicit::default();
        }
        let mut errors = Vec::new();
        let (as_dxc, language) = (self.options.places_as_dxc, self.language());
        let eval = &mut |e| self.try_constant(e, scope);
        let explicit = attributes::explicit(semantics, resolved, &decl.layout, eval, (as_dxc, language), &mut errors);
        for error in errors {
            self.diags.push(error);
        }
        explicit
    }

    /// The specialization constant for sizes that an expression names. In HLSL's files they have no value before the pipeline is
    /// made, as DXC has it.
    pub(super) fn specialization(&mut self, e: &'a ast::Expr, scope: ScopeId) -> Option<GlobalId> {
        if !matches!(e.kind, ast::ExprKind::Path(_)) || self.language() != Language::Slang {
            return None;
        }
        let source = self.cx.source;
        let (operand, body) = self.quiet(|c| c.in_context(scope, source, |c| c.operand(e)));
        let Operand::Value(value) = operand else { return None };
        match body.exprs[value].kind {
            ExprKind::Global(id) => {
                let global = &self.program.globals[id];
                (global.kind == GlobalKind::Specialization && self.is_group_size(global.ty)).then_some(id)
            }
            _ => None,
        }
    }

    /// The size of a group that a specialization constant gives which nobody sets. One that is 0 in the source, or has no
    /// value there, has to be set.
    pub(super) fn first_group_size(&self, constant: GlobalId) -> Option<constant::Value> {
        let Some(tree) = self.program.globals[constant].init.as_ref() else {
            return Some(constant::Value::Int(1, Scalar::I32));
        };
        let value = constant::eval(&self.program, &tree.exprs, tree.root).ok()?;
        Some(if value.int() == Some(0) { constant::Value::Int(1, Scalar::I32) } else { value })
    }

    /// Whether a specialization constant of a type can be a size of a group.
    pub(super) fn is_group_size(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Scalar(scalar) => matches!(scalar, Scalar::I32 | Scalar::U32),
            Type::Enum(id) => matches!(self.program.enums[id].tag, Scalar::I32 | Scalar::U32),
            _ => false,
        }
    }

    /// The value of an expression if it is a constant; reports nothing.
    pub(super) fn try_constant(&mut self, e: &'a ast::Expr, scope: ScopeId) -> Option<constant::Value> {
        if let ast::ExprKind::String(text) = &e.kind {
            return Some(constant::Value::Text(*text));
        }
        self.quiet(|c| c.evaluate(scope, |c| c.expr(e)).ok().flatten())
    }

    /// A global variable as part of an expression.
    pub(super) fn global_operand(&mut self, decl: DeclId, span: Span) -> Operand<'a> {
        let info = self.info(decl);
        if info.in_interface && matches!(info.what, What::Var(var) if var.init.is_none()) {
            let message =
                format!("`{}` is a constant of each type that conforms: no value of any of them tells it", info.name);
            return self.operand_error(Code::NOT_A_VALUE, span, message);
        }
        match self.global(decl, span) {
            Some(id) => {
                let ty = self.program.globals[id].ty;
                let value = self.push(ExprKind::Global(id), ty, span);
                Operand::Value(match self.program.globals[id].wraps {
                    Some(content) => self.push(ExprKind::Contents(value), content, span),
                    None => value,
                })
            }
            None => Operand::Error,
        }
    }

    /// The global that a variable declaration is.
    pub(super) fn global(&mut self, decl: DeclId, span: Span) -> Option<GlobalId> {
        let decl = self.exported_for(decl).unwrap_or(decl);
        let name = self.info(decl).name;
        self.made_once(decl, span, Self::make_global, || format!("the type of `{name}` depends on itself"))
    }

    /// The constant or type that a module exports for one that is `extern`; what stands at the latter is for when there is none.
    pub(super) fn exported_for(&self, decl: DeclId) -> Option<DeclId> {
        let info = self.info(decl);
        let is_type = matches!(info.what, What::Struct(_) | What::Alias(_));
        if !(is_type || matches!(info.what, What::Var(_))) || !info.has("extern") || info.owner.is_some() {
            return None;
        }
        let namespace = self.at(info.scope).namespace;
        let defines = |what: &What| match what {
            What::Var(var) => !is_type && var.init.is_some(),
            What::Struct(s) => is_type && s.members.is_some(),
            What::Alias(_) => is_type,
            _ => false,
        };
        let gives = |other: &DeclInfo| {
            let same = other.name == info.name && other.owner.is_none() && self.at(other.scope).namespace == namespace;
            same && other.has("export") && defines(&other.what)
        };
        self.decls.iter().position(gives).map(|index| DeclId(index as u32))
    }

    /// The global of a declaration, made when it is first asked for; what asks for itself meanwhile is an error.
    fn made_once(
        &mut self,
        decl: DeclId,
        span: Span,
        make: fn(&mut Self, DeclId) -> Option<GlobalId>,
        recursion: impl Fn() -> String,
    ) -> Option<GlobalId> {
        match self.globals.get(&decl) {
            Some(State::Done(id)) => return Some(*id),
            Some(State::Failed) => return None,
            Some(State::Busy) => {
                self.error(Code::RECURSION, span, recursion());
                return None;
            }
            None => {}
        }
        self.globals.insert(decl, State::Busy);
        let id = self.lasting(|c| make(c, decl));
        self.globals.insert(decl, id.map_or(State::Failed, State::Done));
        if let Some(id) = id {
            self.global_decls.push((id, decl));
        }
        id
    }

    fn make_global(&mut self, decl: DeclId) -> Option<GlobalId> {
        let info = self.info(decl);
        let (What::Var(var), Some(ast)) = (info.what, info.ast) else { return None };
        let source = std::mem::replace(&mut self.cx.source, info.source);
        let resolved = self.attributes(&ast.attributes, info.scope);
        let explicit = self.explicit(ast, &var.semantics, &resolved, info.scope);
        let infer = matches!(var.ty.kind, TypeKind::Infer);
        let written = if infer { TypeId::ERROR } else { self.resolve_type(&var.ty, info.scope) };
        let mut modifiers = modifiers_of(ast, &var.ty);
        modifiers.set(element_modifiers(&var.ty));
        modifiers.set(attributes::modifiers(&resolved));
        modifiers.set(layout_modifiers(ast));
        let kind = match self.global_kind(info, var, &explicit) {
            // No application sets a text, so that DXC takes each as static.
            GlobalKind::Parameter if self.program.types.get(written) == Type::Text => GlobalKind::Const,
            // What a ray query is before it is traced is no value: it begins by itself, and only its operations change it.
            GlobalKind::Const if var.init.is_none() && self.program.holds_object(written) => GlobalKind::Static,
            // No application sets it. DXC takes it for a variable, for slangc it is a constant.
            GlobalKind::Parameter
                if self.program.holds_object(written) && self.source(info.source).language == Language::Hlsl =>
            {
                GlobalKind::Static
            }
            GlobalKind::Parameter if self.is_versioned_variable(info, written, modifiers) => match info.has("const") {
                true => GlobalKind::Const,
                false => GlobalKind::Static,
            },
            kind => kind,
        };
        let (ty, init) = self.global_type(var, written, kind, info);
        let given = if kind == GlobalKind::Parameter { self.value_of_parameter(var, ty, info) } else { Vec::new() };
        let ty = self.with_data_layout(ty, data_layout(ast));
        self.keep_bindings(&mut modifiers, ty, info.span);
        let matrix_order = self.matrix_order(ast, var, ty, info.scope);
        let stage = self.stage_mode(ast, kind, ty);
        let kind = if stage.is_some() { GlobalKind::Static } else { kind };
        self.cx.source = source;
        if ty == TypeId::ERROR {
            return None;
        }
        let name = match info.owner {
            Some(owner) if self.is_variable_template(owner) => Symbol::new(&self.arg_name(owner)),
            Some(owner) => Symbol::new(&format!("{}_{}", self.arg_name(owner), info.name)),
            None => info.name,
        };
        let global = Global {
            modifiers,
            matrix_order,
            explicit,
            init,
            given,
            semantic: attributes::semantic(&var.semantics),
            attributes: resolved,
            member: self.static_member(var, info),
            ..self.declared_global(decl, Global::new(name, ty, kind, info.span))
        };
        let id = self.program.globals.push(global);
        if let Some(mode) = stage {
            self.stage_variables.push(StageVariable { global: id, mode });
            return Some(id);
        }
        self.wrap_push_constant(id, data_layout(ast));
        self.check_global_place(id, self.source(info.source).language);
        Some(id)
    }

    /// A global with the place of its declaration in the source.
    fn declared_global(&self, decl: DeclId, global: Global) -> Global {
        let info = self.info(decl);
        let source = self.source(info.source);
        Global {
            // What the library says of its variables is not the author's.
            comments: info.ast.filter(|_| !source.builtin).map(|ast| ast.comments.clone()).unwrap_or_default(),
            file: source.file,
            unit: source.unit,
            ordinal: decl.0,
            namespace: self.namespace_of(&info),
            origin: Origin::Declared,
            ..global
        }
    }

    /// `in float3 position : POSITION;` at global scope: an input of the stage in Slang, and in HLSL a uniform with a word that
    /// does not suit it.
    fn stage_mode(&mut self, ast: &ast::Decl, kind: GlobalKind, ty: TypeId) -> Option<ParamMode> {
        let word = ast.modifiers.iter().find(|m| ["in", "out", "inout"].iter().any(|w| m.name == **w))?;
        if kind != GlobalKind::Parameter {
            return None;
        }
        // Stages pass on numbers alone.
        let is_passed = word.name != *"inout" && !self.program.holds_resource(ty);
        if self.language() == Language::Slang && is_passed {
            return Some(if word.name == *"in" { ParamMode::In } else { ParamMode::Out });
        }
        let message = format!("`{}` is for parameters of functions, not for global variables", word.name);
        let note = "make it a parameter of the entry point";
        self.diags.push(Diagnostic::error(Code::BAD_ATTRIBUTE, word.span, message).note(note));
        None
    }

    /// A block is where it is asked to be; other resources have bindings.
    fn keep_bindings(&mut self, modifiers: &mut Modifiers, ty: TypeId, span: Span) {
        let innermost = self.program.types.get(self.program.types.innermost(ty));
        if !innermost.is_resource() || matches!(innermost, Type::ConstantBuffer(..)) {
            return;
        }
        for (modifier, what) in
            [(Modifiers::PUSH_CONSTANT, "push constants"), (Modifiers::SHADER_RECORD, "shader records")]
        {
            if modifiers.has(modifier) {
                modifiers.clear(modifier);
                let message = format!("only constant buffers are {what}: the attribute is ignored");
                self.diags.push(Diagnostic::warning(Code::BAD_ATTRIBUTE, span, message));
            }
        }
    }

    /// Plain data that is a push constant is a buffer of its own.
    fn wrap_push_constant(&mut self, id: GlobalId, layout: DataLayout) {
        let global = &self.program.globals[id];
        let ty = global.ty;
        if global.kind == GlobalKind::Specialization && global.modifiers.has(Modifiers::PUSH_CONSTANT) {
            let message = format!("`{}` cannot be a push constant and a specialization constant", global.name);
            return self.error(Code::BAD_ATTRIBUTE, global.span, message);
        }
        let plain =
            self.program.holds_data(ty) && !self.program.types.get(self.program.types.innermost(ty)).is_resource();
        if plain && global.kind == GlobalKind::Parameter && global.modifiers.has(Modifiers::PUSH_CONSTANT) {
            self.program.globals[id].wraps = Some(ty);
            self.program.globals[id].ty = self.program.types.intern(Type::ConstantBuffer(ty, layout));
        }
    }

    /// A buffer, or an array of some, with the layout that a `layout(...)` before its declaration names.
    fn with_data_layout(&mut self, ty: TypeId, layout: DataLayout) -> TypeId {
        let inner = self.program.types.innermost(ty);
        let laid = match self.program.types.get(inner) {
            Type::ConstantBuffer(element, DataLayout::Default) => Type::ConstantBuffer(element, layout),
            Type::Buffer(BufferKind::Structured(DataLayout::Default), access, element) => {
                Type::Buffer(BufferKind::Structured(layout), access, element)
            }
            Type::Buffer(BufferKind::Block(DataLayout::Default), access, element) => {
                Type::Buffer(BufferKind::Block(layout), access, element)
            }
            _ => return ty,
        };
        // The layout is the last argument of both. With it the type is an instance of the library's, and has its members.
        let instance = self.structs.instance(inner).filter(|_| layout != DataLayout::Default);
        let laid = match instance.map(|of| (of.decl, of.args.clone())) {
            Some((decl, mut args)) => {
                args.pop();
                args.push(Arg::Type(self.layout_type(layout)));
                self.instantiate_struct(decl, args, Span::default())
            }
            None => self.program.types.intern(laid),
        };
        self.program.types.beside(ty, laid)
    }

    /// A type's name as part of another name.
    fn arg_name(&self, ty: TypeId) -> String {
        self.args_text(&[super::Arg::Type(ty)])
    }

    fn global_kind(&mut self, info: DeclInfo<'a>, var: &ast::VarDecl, explicit: &Explicit) -> GlobalKind {
        let has = |word| info.has(word);
        // In HLSL `shared` says something of effects, which is ignored.
        let shared = has("shared") && self.has_algebraic_products();
        match (has("static"), has("const") || var.is_let) {
            _ if has("groupshared") || shared => GlobalKind::Groupshared,
            _ if explicit.constant_id.is_some() => GlobalKind::Specialization,
            (true, true) => GlobalKind::Const,
            (true, false) => GlobalKind::Static,
            (false, _) if var.is_let && var.init.is_some() => GlobalKind::Const,
            // Members of interfaces and extensions that are constants.
            (false, true) if info.owner.is_some() => GlobalKind::Const,
            (false, false) if has("__global") => GlobalKind::Static,
            _ => GlobalKind::Parameter,
        }
    }

    /// Whether a global without a word for what it is belongs to the shader, as in GLSL, where only `uniform` makes parameters.
    fn is_versioned_variable(&self, info: DeclInfo<'a>, written: TypeId, modifiers: Modifiers) -> bool {
        const OF_OTHERS: &[&str] = &["uniform", "in", "out", "inout"];
        let is_plain = !OF_OTHERS.iter().any(|word| info.has(word))
            && !modifiers.has(Modifiers::PUSH_CONSTANT)
            && !modifiers.has(Modifiers::SHADER_RECORD);
        self.source(info.source).is_versioned && is_plain && !self.program.holds_resource(written)
    }

    /// The type and the initializer; the type may be written or that of the initializer.
    fn global_type(
        &mut self,
        var: &'a ast::VarDecl,
        written: TypeId,
        kind: GlobalKind,
        info: DeclInfo<'a>,
    ) -> (TypeId, Option<ExprTree>) {
        let infer = matches!(var.ty.kind, TypeKind::Infer);
        if written == TypeId::VOID {
            self.error(Code::NOT_A_TYPE, info.span, format!("`{}` cannot be void", info.name));
            return (TypeId::ERROR, None);
        }
        if !infer && written == TypeId::ERROR {
            return (TypeId::ERROR, None);
        }
        if kind == GlobalKind::Parameter && self.program.holds_object(written) {
            let message = format!("`{}` is no shader parameter; `static` makes a variable of it", info.name);
            self.error(Code::NOT_A_TYPE, info.span, message);
            return (TypeId::ERROR, None);
        }
        if kind == GlobalKind::Groupshared && self.program.holds_resource(written) {
            let message = format!("`{}` cannot be groupshared: it is or holds a resource", info.name);
            self.error(Code::NOT_A_TYPE, info.span, message);
            return (TypeId::ERROR, None);
        }
        // Initializers of shader parameters are of no meaning: the application sets them. Nothing sets memory of a work group.
        let has_value = !matches!(kind, GlobalKind::Parameter | GlobalKind::Groupshared);
        let outside = self.value_outside(var, info).map(|(_, var)| var);
        let init = var.init.as_ref().or(outside.and_then(|var| var.init.as_ref()));
        let unsized_array = |c: &Self| matches!(c.program.types.get(written), Type::Array(_, Length::Unsized));
        if kind == GlobalKind::Groupshared && init.is_some() {
            self.report_shared_initializer(info);
        }
        // But for the type, where that is known from them alone.
        let gives_type = infer || unsized_array(self);
        if kind == GlobalKind::Parameter && init.is_some() && !gives_type {
            self.report_parameter_initializer(info.name, info.span);
        }
        let Some(init) = init.filter(|_| has_value || gives_type) else {
            if infer {
                self.error(Code::BAD_INITIALIZER, info.span, format!("`{}` needs a type or a value", info.name));
            }
            let init = match kind {
                GlobalKind::Static => self.default_init(written, info),
                // DXC gives it zero. What an interface asks for, and what is linked later, is given elsewhere.
                GlobalKind::Const if !info.in_interface && !info.has("extern") => {
                    self.default_init(written, info).or_else(|| self.zero_init(written, info))
                }
                _ => None,
            };
            return (written, init);
        };
        // While the initializer is checked, the variable counts as busy: it cannot use itself.
        let scope = self.renamed(&info, info.scope, outside.and_then(|var| var.generics.as_ref()));
        let (root, body) = self.in_context(scope, info.source, |c| match infer {
            true => c.expr(init),
            false => {
                let value = c.expr_of(init, written);
                // An array without a size takes it from its value.
                match c.program.types.get(written) {
                    Type::Array(_, Length::Unsized) => value,
                    _ => c.coerce(value, written),
                }
            }
        });
        // What is used several times would be held in a variable, which no initializer has.
        if body.exprs.any_part(root, |id| matches!(body.exprs[id].kind, ExprKind::Local(_))) {
            let message = format!("the first value of `{}` has to be put together by statements", info.name);
            self.error(Code::BAD_INITIALIZER, info.span, message);
            return (TypeId::ERROR, None);
        }
        let ty = body.exprs[root].ty;
        let ty = if gives_type { ty } else { written };
        (ty, has_value.then_some(ExprTree { exprs: body.exprs.into_value(), root }))
    }

    /// Where a static member is given its value that its struct only declares.
    fn value_outside(&self, var: &'a ast::VarDecl, info: DeclInfo<'a>) -> Option<ValueOutOfLine<'a>> {
        let path = self.qualified_name(info.owner.filter(|_| var.init.is_none())?)?;
        self.values_out_of_line.get(&(path, info.name)).copied()
    }

    /// How a static member of a struct stands in there.
    fn static_member(&self, var: &'a ast::VarDecl, info: DeclInfo<'a>) -> Option<StaticMember> {
        let of = info.owner.filter(|_| info.has("static"))?;
        let outside = self.value_outside(var, info);
        let outside = outside.map(|(decl, var)| Outside { span: var.name.span, comments: decl.comments.clone() });
        matches!(self.program.types.get(of), Type::Struct(_)).then_some(StaticMember { of, name: info.name, outside })
    }

    /// The numbers of the value of a shader parameter, which the application may begin with; nothing where they are not known. It is no
    /// error of the shader that it has no such value.
    fn value_of_parameter(&mut self, var: &'a ast::VarDecl, ty: TypeId, info: DeclInfo<'a>) -> Vec<Literal> {
        let Some(init) = var.init.as_ref().filter(|_| self.program.holds_data(ty)) else { return Vec::new() };
        let (root, body) = self.quiet(|c| {
            c.in_context(info.scope, info.source, |c| {
                let value = c.expr_of(init, ty);
                c.coerce(value, ty)
            })
        });
        let mut numbers = Vec::new();
        match constant::eval_first(&self.program, &body.exprs, root) {
            Ok(value) if body.exprs[root].ty == ty && flat_numbers(&value, &mut numbers) => numbers,
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    /// DXC ignores such a value and says so, slangc refuses it.
    /// HLSL and Slang take the value of a shader parameter and drop it; often a constant is meant.
    fn report_parameter_initializer(&mut self, name: Symbol, span: Span) {
        let message = format!("the value of the shader parameter `{name}` is ignored: the application sets it");
        let warning = Diagnostic::warning(Code::BAD_INITIALIZER, span, message);
        self.diags.push(warning.note("`static` makes it a variable of the shader, `static const` a constant"));
    }

    fn report_shared_initializer(&mut self, info: DeclInfo<'a>) {
        let message = format!("`{}` is groupshared, which no initializer sets", info.name);
        self.diags.push(match self.source(info.source).language {
            Language::Hlsl => {
                Diagnostic::warning(Code::BAD_INITIALIZER, info.span, format!("{message}; it is ignored"))
            }
            Language::Slang => Diagnostic::error(Code::BAD_INITIALIZER, info.span, message),
        });
    }

    fn default_init(&mut self, ty: TypeId, info: DeclInfo<'a>) -> Option<ExprTree> {
        let (root, body) = self.in_context(info.scope, info.source, |c| c.default_value(ty, info.span));
        if root.is_some() && self.program.holds_object(ty) {
            // No value is a ray query before it begins, and nothing assigns the other parts here.
            let message = format!("`{}` has default values beside a ray query or hit object", info.name);
            self.diags.push(
                Diagnostic::error(Code::BAD_INITIALIZER, info.span, message)
                    .note("declare it in a function, where its parts are assigned"),
            );
            return None;
        }
        root.map(|root| ExprTree { exprs: body.exprs.into_value(), root })
    }

    fn zero_init(&mut self, ty: TypeId, info: DeclInfo<'a>) -> Option<ExprTree> {
        let mut exprs = crate::tree::Arena::default();
        let root = exprs.push(crate::tree::Expr { kind: crate::tree::ExprKind::Zero, ty, span: info.span });
        (ty != TypeId::ERROR && !self.program.has_no_copies(ty)).then_some(ExprTree { exprs, root })
    }

    // ---- Constant buffers ----

    /// The global of a cbuffer or tbuffer.
    pub(super) fn buffer_global(&mut self, decl: DeclId, span: Span) -> Option<GlobalId> {
        self.made_once(decl, span, Self::make_buffer, || "this constant buffer depends on itself".to_owned())
    }

    fn make_buffer(&mut self, decl: DeclId) -> Option<GlobalId> {
        let info = self.info(decl);
        let (What::Buffer(buffer), Some(ast)) = (info.what, info.ast) else { return None };
        let source_index = std::mem::replace(&mut self.cx.source, info.source);
        let mut fields = Vec::new();
        for member in &buffer.members {
            if let DeclKind::Var(var) = &member.kind
                && !super::scope::has_modifier(member, "static")
            {
                let field = self.field(member, var, info.scope);
                if var.init.is_some() {
                    self.report_parameter_initializer(field.name, field.span);
                }
                fields.push(Field { given: self.value_of_parameter(var, field.ty, info), ..field });
            }
        }
        fields.iter().for_each(|field| self.check_field_place(field, true));
        let resolved = self.attributes(&ast.attributes, info.scope);
        let explicit = self.explicit(ast, &buffer.semantics, &resolved, info.scope);
        self.cx.source = source_index;
        let id = self.program.structs.push(Struct::new(info.name, Vec::new(), info.span));
        self.structs.decls.push(decl);
        self.set_fields(id, fields);
        let content = self.program.types.intern(Type::Struct(id));
        let ty =
            if buffer.texture { Type::TextureBuffer(content) } else { Type::ConstantBuffer(content, data_layout(ast)) };
        let ty = self.program.types.intern(ty);
        let mut modifiers = attributes::modifiers(&resolved);
        modifiers.set(layout_modifiers(ast));
        self.keep_bindings(&mut modifiers, ty, info.span);
        let global = Global {
            transparent: true,
            modifiers,
            explicit,
            attributes: resolved,
            ..self.declared_global(decl, Global::new(info.name, ty, GlobalKind::Parameter, info.span))
        };
        let id = self.program.globals.push(global);
        self.check_global_place(id, self.source(info.source).language);
        Some(id)
    }

    /// A member of a cbuffer by its bare name.
    pub(super) fn buffer_member(&mut self, buffer: DeclId, index: u32, span: Span) -> Operand<'a> {
        let Some(id) = self.buffer_global(buffer, span) else { return Operand::Error };
        let ty = self.program.globals[id].ty;
        let (Type::ConstantBuffer(content, _) | Type::TextureBuffer(content)) = self.program.types.get(ty) else {
            return Operand::Error;
        };
        let Type::Struct(s) = self.program.types.get(content) else { return Operand::Error };
        let Some(field_ty) = self.program.structs[s].fields.get(index as usize).map(|f| f.ty) else {
            return Operand::Error;
        };
        let global = self.push(ExprKind::Global(id), ty, span);
        let contents = self.push(ExprKind::Contents(global), content, span);
        self.field_value(contents, index, field_ty, span)
    }

    // ---- Parameters and everything else of the units ----

    /// All shader parameters in the global order: units, then modules, each in textual order.
    pub(super) fn check_parameters(&mut self) {
        let mut decls: Vec<(bool, u32, DeclId)> = Vec::new();
        for index in 0..self.decls.len() {
            let decl = DeclId(index as u32);
            let info = self.info(decl);
            let source = self.source(info.source);
            if !source.builtin && matches!(info.what, What::Var(_) | What::Buffer(_)) {
                decls.push((source.module, source.unit, decl));
            }
        }
        decls.sort_by_key(|(module, unit, decl)| (*module, *unit, *decl));
        for (_, _, decl) in decls {
            let info = self.info(decl);
            let id = match info.what {
                What::Buffer(_) => self.buffer_global(decl, info.span),
                What::Var(var) => {
                    let maybe = !info.has("static") && !info.has("groupshared") && !var.is_let;
                    if maybe { self.global(decl, info.span) } else { None }
                }
                _ => None,
            };
            if let Some(id) = id
                && self.program.globals[id].kind == GlobalKind::Parameter
            {
                self.program.parameters.push(id);
            }
        }
    }

    /// Whether two types are declared alike.
    pub(super) fn same_shape(&self, a: TypeId, b: TypeId, depth: u32) -> bool {
        if a == b || depth > 32 {
            return true;
        }
        match (self.program.types.get(a), self.program.types.get(b)) {
            (Type::Array(x, n), Type::Array(y, m)) => n == m && self.same_shape(x, y, depth + 1),
            (Type::ConstantBuffer(x, k), Type::ConstantBuffer(y, l)) => k == l && self.same_shape(x, y, depth + 1),
            (Type::TextureBuffer(x), Type::TextureBuffer(y)) | (Type::ParameterBlock(x), Type::ParameterBlock(y)) => {
                self.same_shape(x, y, depth + 1)
            }
            (Type::Buffer(k, c, x), Type::Buffer(l, d, y)) => k == l && c == d && self.same_shape(x, y, depth + 1),
            (Type::Struct(x), Type::Struct(y)) => {
                let (x, y) = (&self.program.structs[x].fields, &self.program.structs[y].fields);
                let same = |x: &Field, y: &Field| {
                    let place = |f: &Field| (f.explicit.packoffset.map(|p| p.0), f.explicit.vk_offset);
                    x.name == y.name && x.matrix_order == y.matrix_order && x.bits == y.bits && place(x) == place(y)
                };
                x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y) && self.same_shape(x.ty, y.ty, depth + 1))
            }
            (Type::Enum(x), Type::Enum(y)) => {
                let (x, y) = (&self.program.enums[x], &self.program.enums[y]);
                x.name == y.name && x.tag == y.tag
            }
            _ => false,
        }
    }

    /// Checks what no entry point reaches: all functions, types and globals of the units that are not generic.
    pub(super) fn check_everything(&mut self) {
        let mut index = 0;
        while index < self.decls.len() && !self.is_futile() {
            let decl = DeclId(index as u32);
            index += 1;
            let info = self.info(decl);
            let source = self.source(info.source);
            if source.builtin || source.module || info.in_interface || self.views.implementations.contains_key(&decl) {
                continue;
            }
            match info.what {
                What::Function(f) => {
                    let generic = f.generics.is_some() || !self.implicit_params(decl).is_empty();
                    let waits = self.waits_for_use(source.language, info.scope);
                    let is_own = !generic && !waits && f.body.is_some() && !self.inside_generic(info.scope);
                    if is_own && !self.is_known(f) {
                        self.check_knowing(f, |c| c.check_function(decl));
                    }
                }
                What::Struct(s) if s.generics.is_none() && s.members.is_some() => {
                    self.instantiate_struct(decl, Vec::new(), info.span);
                }
                What::Enum(_) => {
                    self.enum_type(decl);
                }
                What::Var(_) if self.is_unit_scope(info.scope) || info.owner.is_some() => {
                    self.global(decl, info.span);
                }
                _ => {}
            }
        }
        self.drain();
    }

    /// Checks a function that is not generic.
    fn check_function(&mut self, decl: DeclId) {
        self.check_duplicates(decl);
        if let Some(instance) = self.instance(decl, WHOLE, Vec::new()) {
            self.function(instance);
            self.drain();
        }
    }

    /// Whether a scope is a file or namespace rather than a block of a body.
    fn is_unit_scope(&self, scope: ScopeId) -> bool {
        self.sources.iter().any(|s| s.scope == scope)
    }

    /// Whether generic parameters around a scope are bound to arguments or open: instances are checked when used.
    fn inside_generic(&self, scope: ScopeId) -> bool {
        self.outward(scope).any(|id| self.at(id).open)
    }

    /// Whether methods of a scope are checked when they are used alone: those of templates of HLSL, as in C++, since they need not
    /// suit all arguments that the template has; those of generics of Slang for the first instance. A method may name
    /// another instance, whose method names the next one.
    fn waits_for_use(&self, language: Language, scope: ScopeId) -> bool {
        let waits = |ty: TypeId| match language {
            Language::Hlsl => self.structs.instance(ty).is_some_and(|i| !i.args.is_empty()),
            Language::Slang => self.structs.is_further_instance(ty),
        };
        self.outward(scope).any(|id| matches!(self.at(id).kind, ScopeKind::Members(ty) if waits(ty)))
    }

    /// Whether the type of a parameter is in error.
    fn has_faulty_parameters(&mut self, decl: DeclId) -> bool {
        let instance = self.instance(decl, WHOLE, Vec::new());
        instance.is_some_and(|id| self.functions.get(id).signature.params.iter().any(|p| p.ty == TypeId::ERROR))
    }

    /// Two definitions of one signature.
    fn check_duplicates(&mut self, decl: DeclId) {
        if let Some(other) = self.definition_decl(decl)
            && other < decl
            && matches!(self.info(other).what, What::Function(f) if f.generics.is_none())
        {
            let (info, first) = (self.info(decl), self.info(other));
            // A header that several parts of a unit include is a file of its own for each.
            let range = |of: &DeclInfo| (of.source, of.span.start, of.span.end);
            // Types that are in error have been reported, and are all one.
            if range(&first) == range(&info) || self.has_faulty_parameters(decl) {
                return;
            }
            let message = format!("`{}` is defined twice", info.name);
            let diagnostic = Diagnostic::error(Code::REDECLARED, info.span, message);
            self.diags.push(diagnostic.label(first.span, "first defined here"));
        }
    }

    /// A constant expression as a value.
    pub(super) fn evaluate(
        &mut self,
        scope: ScopeId,
        f: impl FnOnce(&mut Self) -> ExprId,
    ) -> Result<Option<constant::Value>, constant::NotConstant> {
        let (root, body) = self.constant_body(scope, f);
        self.constant_value(&body, root)
    }

    /// The expression that `f` builds, by itself, in which constant variables of the function around may be named.
    pub(super) fn constant_body(&mut self, scope: ScopeId, f: impl FnOnce(&mut Self) -> ExprId) -> (ExprId, Body) {
        let source = self.cx.source;
        let (outer_id, seen) = (self.cx.id, std::mem::take(&mut self.cx.body.locals));
        let count = seen.len();
        let (root, mut body) = self.in_context(scope, source, |c| {
            c.cx.id = outer_id;
            c.cx.body.locals = seen;
            c.cx.exact = true;
            f(c)
        });
        self.cx.body.locals = std::mem::take(&mut body.locals);
        self.cx.body.locals.truncate(count);
        self.note_names(&body);
        (root, body)
    }

    /// The value of such an expression; none of one with errors.
    pub(super) fn constant_value(
        &mut self,
        body: &Body,
        root: ExprId,
    ) -> Result<Option<constant::Value>, constant::NotConstant> {
        if body.exprs[root].ty == TypeId::ERROR {
            return Ok(None);
        }
        let value = |c: &Self| {
            let lookup = |id| c.cx.constants.iter().find(|(l, _)| *l == id).map(|(_, v)| v.clone());
            constant::eval_exact(&c.program, &body.exprs, root, &lookup).map(Some)
        };
        let mut found = value(self);
        // It may call functions, itself or in the constants that it names, whose bodies are needed now.
        if found.is_err() && !self.queue.is_empty() {
            self.drain();
            found = value(self);
        }
        found
    }
}

/// The layout of a buffer's data that a `layout(...)` word names: the last, as in GLSL.
fn data_layout(decl: &ast::Decl) -> DataLayout {
    decl.layout.iter().rev().find_map(|(word, _)| DataLayout::named(word.name.as_str())).unwrap_or_default()
}

/// Modifiers written as `layout(...)` words.
fn layout_modifiers(decl: &ast::Decl) -> Modifiers {
    let mut modifiers = Modifiers::default();
    for (word, _) in &decl.layout {
        match word.name.as_str() {
            "push_constant" => modifiers.set(Modifiers::PUSH_CONSTANT),
            "shaderRecordEXT" | "shaderRecordNV" => modifiers.set(Modifiers::SHADER_RECORD),
            _ => {}
        }
    }
    modifiers
}

/// More numbers than the value of a shader parameter is told with.
const MOST_GIVEN: usize = 1 << 12;

/// The numbers of a value, those of its parts one after the other. Gives false for a value that has others, or too many.
fn flat_numbers(value: &Value, out: &mut Vec<Literal>) -> bool {
    let number = match value {
        Value::Bool(value) => Literal::Bool(*value),
        Value::Int(value, _) => Literal::Int(*value),
        Value::Float(value, _) if value.is_finite() => Literal::Float(*value),
        Value::Composite(parts) => return parts.iter().all(|part| flat_numbers(part, out)),
        Value::Float(..) | Value::Text(_) => return false,
    };
    out.push(number);
    out.len() <= MOST_GIVEN
}
