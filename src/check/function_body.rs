//! Bodies of functions: the statements of an instance, of each target, of constructors and of what the library has by its words.

use super::Checker;
use super::body_shape::{is_assembly, sole_intrinsic, switch_targets};
use super::function::{Instance, InstanceId};
use super::link::are_same;
use super::packs::Item;
use super::scope::{DeclId, DeclInfo, Entity, ScopeKind, What};
use crate::ast;
use crate::diagnostic::Code;
use crate::parse::Language;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{
    Body, ExprKind, ExprTree, FunctionBody, FunctionId, Local, Modifiers, Stmt, StmtKind, TargetCase, Template, TypeId,
    is_default_case,
};

impl<'a> Checker<'a> {
    /// Checks the body of an instance, and gives it to its function.
    pub(super) fn check_body(&mut self, id: InstanceId) {
        let instance = self.functions.get(id).clone();
        let Some(function) = instance.function else { return };
        // A fault in code of the library is reported there.
        self.user_span = instance.asked.or(self.user_span);
        if self.chooses(id) || self.finish_lambda(instance.decl, function) {
            return;
        }
        if self.casts_by_words(id) || self.makes_dynamic_object(id) {
            return;
        }
        let code = self.code_of(&instance);
        let Some(block) = code.body else {
            return self.missing_requirement(&instance);
        };
        let builtin = self.program.functions[function].builtin;
        let mut targets = Vec::new();
        switch_targets(block, &mut targets);
        let body = if is_assembly(block) {
            FunctionBody::Switch(Vec::new())
        } else if targets.is_empty() {
            match sole_intrinsic(block, None) {
                Some((text, span)) => match self.template(text, span, self.argument_count(function)) {
                    Some(template) => FunctionBody::Intrinsic(template),
                    None => FunctionBody::None,
                },
                None => {
                    let code = self.code(id, function, block, None);
                    self.program.functions[function].code = code;
                    FunctionBody::Block
                }
            }
        } else {
            FunctionBody::Switch(self.switch_cases(id, function, block, &targets, builtin))
        };
        self.program.functions[function].body = body;
    }

    /// A function without a body: the standard library leaves it to legalization, and one that nothing reaches may stay so
    /// (see [`Checker::check_bodies`]).
    fn missing_requirement(&mut self, instance: &Instance<'a>) {
        let info = self.info(instance.decl);
        if info.in_interface && !self.source_of(instance.decl).builtin {
            self.unsupported(info.span, &format!("a use of `{}` that no type implements", info.name));
        }
    }

    /// One case per target name: the whole body with the switch decided.
    fn switch_cases(
        &mut self,
        id: InstanceId,
        function: FunctionId,
        block: &'a ast::Block,
        targets: &[Symbol],
        builtin: bool,
    ) -> Vec<(Symbol, TargetCase)> {
        let mut cases = Vec::new();
        let mut failed = Vec::new();
        for &target in targets {
            if builtin && !self.may_be_chosen(target) {
                continue;
            }
            if let Some((text, span)) = sole_intrinsic(block, Some(target)) {
                if let Some(template) = self.template(text, span, self.argument_count(function)) {
                    cases.push((target, TargetCase::Intrinsic(template)));
                }
                continue;
            }
            // Cases of users for targets that we do not have may use what only exists there.
            let before = self.diags.take();
            let globals = self.program.globals.len();
            let code = self.code(id, function, block, Some(target));
            let found = self.diags.take();
            before.into_iter().for_each(|d| self.diags.push(d));
            if builtin || !found.iter().any(|d| d.severity == crate::diagnostic::Severity::Error) {
                found.into_iter().for_each(|d| self.diags.push(d));
                cases.push((target, TargetCase::Block(Box::new(code))));
            } else {
                failed.extend(found);
                self.forget_statics(globals);
            }
        }
        if cases.is_empty() {
            failed.into_iter().for_each(|d| self.diags.push(d));
        }
        cases
    }

    /// Whether a case of a builtin may be chosen: it is for a target that is asked for, or for those without one of their own.
    fn may_be_chosen(&self, target: Symbol) -> bool {
        let asked = &self.options.targets;
        asked.is_empty() || asked.contains(&target) || is_default_case(target)
    }

    /// Leaves nothing faulty of the statics of a case that is left out, which nothing reaches.
    fn forget_statics(&mut self, before: usize) {
        // What else is met there for the first time, others may use.
        for (_, global) in self.program.globals.iter_mut().skip(before) {
            let is_faulty = |tree: &ExprTree| tree.exprs.iter().any(|(_, expr)| expr.ty == TypeId::ERROR);
            global.init = global.init.take().filter(|tree| !is_faulty(tree));
            if global.ty == TypeId::ERROR {
                (global.ty, global.init) = (TypeId::INT, None);
            }
        }
    }

    fn argument_count(&self, function: FunctionId) -> u32 {
        self.program.functions[function].params.len() as u32
    }

    /// The spelling that an `__intrinsic_asm` gives to a function of so many parameters; what a user writes must be one
    /// expression.
    pub(super) fn template(&mut self, text: Symbol, span: Span, params: u32) -> Option<Template> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let user = !span.file.is_library();
        let parsed = match text.as_str() {
            // As in Slang, a name alone is called with all arguments.
            name if user && !name.is_empty() && name.chars().all(is_name) => Template::parse(&format!("{name}($*0)")),
            other => Template::parse(other),
        };
        let message = match parsed {
            Err(what) => format!("`{what}` is not a placeholder of `__intrinsic_asm`"),
            Ok(template) => match template.fault(params).filter(|_| user) {
                None => return Some(template),
                Some(fault) => format!("the text of `__intrinsic_asm` must be one expression: {fault}"),
            },
        };
        self.error(Code::BAD_SPELLING, span, message);
        None
    }

    /// The statements of an instance, for one target where the body has a target switch: checked, or linked.
    fn code(&mut self, id: InstanceId, function: FunctionId, block: &'a ast::Block, target: Option<Symbol>) -> Body {
        let instance = self.functions.get(id).clone();
        let key = self.body_key(instance.decl, &instance.args, block, target);
        if let Some(body) = key.as_ref().and_then(|key| self.linked(key)) {
            if cfg!(debug_assertions) {
                let checked = self.check_code(instance, function, block, target);
                assert!(are_same(&body, &checked), "not what is checked:\n{body:#?}\n{checked:#?}");
            }
            return body;
        }
        // What follows from the code of others is not what the same tokens mean elsewhere.
        let before = (self.faults(), self.program.memo.runs());
        let body = self.check_code(instance, function, block, target);
        if let Some(key) = key.filter(|_| before == (self.faults(), self.program.memo.runs())) {
            self.share(key, &body);
        }
        body
    }

    /// The declaration of HLSL that a body belongs to, if it is of a free function and no template: what templates call is looked
    /// up where they are used.
    fn free_function_of(&self, info: &DeclInfo<'a>, block: &ast::Block) -> Option<DeclId> {
        let is_free = info.owner.is_none() && self.source(info.source).language == Language::Hlsl;
        let is_own = |d: &DeclId| match self.info(*d).what {
            What::Function(f) => f.generics.is_none() && f.body.as_ref().is_some_and(|b| std::ptr::eq(b, block)),
            _ => false,
        };
        let decls = self.named(info.scope, info.name).iter().copied().filter_map(super::expr::decl_of);
        decls.filter(|_| is_free).find(is_own)
    }

    /// Checks statements in a context of their own.
    fn check_code(
        &mut self,
        instance: Instance<'a>,
        function: FunctionId,
        block: &'a ast::Block,
        target: Option<Symbol>,
    ) -> Body {
        let info = self.info(instance.decl);
        let generics = self.code_of(&instance).generics;
        let around = self.renamed(&info, instance.scope, generics);
        let signature = instance.signature.clone();
        let Body { locals, value_first, shifts_wrap, .. } = self.program.functions[function].code.clone();
        let generic_vectors = self.generic_vectors(&instance.args, signature.owner);
        let (_, body) = self.in_context(around, info.source, |c| {
            c.cx.depth = 0;
            c.cx.body.locals = locals;
            c.cx.body.value_first = value_first;
            c.cx.body.shifts_wrap = shifts_wrap;
            c.cx.target = target;
            c.cx.function = Some(function);
            c.cx.generic_vectors = generic_vectors;
            c.cx.sees_until = c.free_function_of(&info, block);
            c.cx.result = Some(signature.throws.map_or(signature.result, |t| t.value));
            c.cx.throwing.function = signature.throws;
            let scope = c.scope(Some(around), ScopeKind::Plain);
            c.cx.scope = scope;
            let context = c.cx.id;
            let ids: Vec<_> = c.cx.body.locals.ids().collect();
            let has_this = signature.owner.is_some() && !signature.is_static;
            if has_this {
                c.cx.this = ids.first().copied();
                c.cx.this_ty = signature.owner;
            }
            let params = ids.get(usize::from(has_this)..).unwrap_or(&[]);
            for (index, (param, local)) in signature.params.iter().zip(params).enumerate() {
                let in_pack = signature.packs.iter().any(|(_, range)| range.contains(&index));
                let name = c.cx.body.locals[*local].name;
                if !name.is_empty() && !in_pack {
                    c.bind(scope, name, Entity::Local(*local, context));
                    c.note_param_view(*local, param, instance.scope);
                }
            }
            for (name, range) in &signature.packs {
                let elements = params.get(range.clone()).unwrap_or(&[]);
                let pack = c.new_pack(elements.iter().map(|local| Item::Local(*local, context)).collect());
                c.bind(scope, *name, pack);
            }
            if signature.is_constructor {
                c.constructor_body(block, signature.result);
            } else {
                c.cx.body.block = c.block(block).into();
                c.declare_outlived();
                c.return_named_value(block.span);
                c.end_of_throwing(block.span);
                c.check_returns(block, c.cx.result.unwrap_or(signature.result), info.span);
                c.check_loops(function);
                c.check_reference(function, info.span);
            }
        });
        body
    }

    /// A constructor makes a local `this`, fills it, and returns it.
    fn constructor_body(&mut self, block: &'a ast::Block, ty: TypeId) {
        let span = block.span;
        let this = self.cx.body.locals.push(Local {
            name: Symbol::new("this"),
            ty,
            constant: false,
            modifiers: Modifiers::default(),
            span,
        });
        self.cx.this = Some(this);
        self.cx.this_ty = Some(ty);
        self.cx.constructs = true;
        let statement = |kind| Stmt { kind, span, comments: Vec::new(), blank_before: false };
        let mut first = Vec::new();
        match self.fields_default(ty, span) {
            // A ray query is no part of a value: what stands beside it is assigned.
            Some(values) if self.program.holds_object(ty) => {
                first.push(statement(StmtKind::Local(this, None)));
                let object = self.push(ExprKind::Local(this), ty, span);
                self.assign_parts(object, values, &mut first);
            }
            init => first.push(statement(StmtKind::Local(this, init))),
        }
        let mut code = self.block(block);
        code.stmts.splice(0..0, first);
        let ends = matches!(code.stmts.last(), Some(Stmt { kind: StmtKind::Return(_), .. }));
        if !ends {
            let value = self.push(ExprKind::Local(this), ty, span);
            code.stmts.push(statement(StmtKind::Return(Some(value))));
        }
        self.cx.body.block = code.into();
    }
}
