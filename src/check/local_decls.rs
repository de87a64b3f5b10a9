//! Declarations in functions: variables with their first values, functions, types.

use super::Checker;
use super::convert::numeric;
use super::decl::DeclContext;
use super::scope::{Entity, has_modifier};
use super::stmt::statement;
use super::types::modifiers_of;
use crate::ast::{self, DeclKind, TypeKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::parse::Language;
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, Length, Local, LocalId, Modifiers, Stmt, StmtKind, Type, TypeId};

/// The elements of arrays of ray queries and what is beside them that `{}` sets to zero, one by one.
const MOST_ZEROS: u32 = 256;

impl<'a> Checker<'a> {
    /// Checks a declaration statement.
    pub(super) fn decl_stmts(&mut self, decls: &'a [ast::Decl], span: Span, out: &mut Vec<Stmt>) {
        for decl in decls {
            match &decl.kind {
                DeclKind::Var(var) => self.local(decl, var, out),
                DeclKind::Function(_)
                | DeclKind::Struct(_)
                | DeclKind::Enum(_)
                | DeclKind::Alias(_)
                | DeclKind::UsingNamespace(_) => {
                    let place = self.local_place();
                    self.declare(decl, place);
                    self.resolve_usings();
                }
                DeclKind::Empty | DeclKind::Ignored => {}
                DeclKind::Interface(interface) => {
                    let message = format!("the interface `{}` cannot be declared here", interface.name.name);
                    self.error(Code::BAD_STATEMENT, span, message);
                }
                _ => self.error(Code::BAD_STATEMENT, span, "this declaration is not allowed in a function"),
            }
        }
    }

    pub(super) fn local_place(&self) -> DeclContext {
        DeclContext { scope: self.cx.scope, source: self.cx.source, owner: None, depth: 0, in_interface: false }
    }

    /// A variable of a function.
    fn local(&mut self, decl: &'a ast::Decl, var: &'a ast::VarDecl, out: &mut Vec<Stmt>) {
        let place = self.local_place();
        self.declare_inline_struct(&var.ty, place);
        if has_modifier(decl, "static") || has_modifier(decl, "groupshared") {
            return self.static_local(decl, var, out);
        }
        self.check_shadow(var.name);
        self.check_no_place(var.name.name, &var.semantics);
        let is_function = var.init.is_some() && self.function_type(&var.ty, self.cx.scope).is_some();
        let infer = matches!(var.ty.kind, TypeKind::Infer) || is_function;
        let written = if infer { TypeId::ERROR } else { self.resolve_type(&var.ty, self.cx.scope) };
        let early = self.is_seen_early(var, written).then(|| self.bind_early(decl, var, written));
        let mut init = None;
        if let Some(e) = &var.init {
            init = Some(match (infer, self.program.types.get(written)) {
                (true, _) => self.held_value(e),
                (_, Type::Array(_, Length::Unsized)) => self.expr_of(e, written),
                _ => self.expr_to(e, written),
            });
        }
        let unsized_array = matches!(self.program.types.get(written), Type::Array(_, Length::Unsized));
        let ty = match init {
            Some(value) if infer || unsized_array => self.ty(value),
            _ => written,
        };
        self.check_local_type(var, ty, infer && init.is_none());
        // `RayQuery<F> q = RayQuery<F>();` is `RayQuery<F> q;`.
        let made = |c: &Self, value: ExprId| match *c.kind(value) {
            ExprKind::Local(local) => c.cx.temporaries.last() == Some(&local) && c.program.types.get(ty).is_object(),
            _ => false,
        };
        if init.is_some_and(|value| made(self, value)) {
            self.cx.temporaries.pop();
            init = None;
        }
        // No value is a ray query before it begins.
        let emptied = init.filter(|value| self.is_empty_object(*value));
        init = init.filter(|_| emptied.is_none());
        let mut defaults = None;
        if init.is_none() {
            let default = self.default_value(ty, var.name.span).or(emptied);
            // A ray query is no part of a value: what stands beside it is assigned.
            (init, defaults) = if self.program.holds_object(ty) { (None, default) } else { (default, None) };
        }
        let mut modifiers = modifiers_of(decl, &var.ty);
        if has_modifier(decl, "constexpr") {
            modifiers.set(Modifiers::CONST);
        }
        // What a ray query is before it is traced is no value: it begins by itself, and only its operations change it.
        if init.is_none() && self.program.holds_object(ty) {
            modifiers.clear(Modifiers::CONST);
        }
        let constant = var.is_let || modifiers.has(Modifiers::CONST);
        // Targets ask for the value of a constant; HLSL leaves it open.
        if init.is_none() && constant && ty != TypeId::ERROR && !self.program.has_no_copies(ty) {
            init = Some(self.push(ExprKind::Zero, ty, var.name.span));
        }
        let name = var.name.name;
        let local = match early {
            Some(local) => local,
            None => self.cx.body.locals.push(Local { name, ty, constant, modifiers, span: var.name.span }),
        };
        if !name.is_empty() {
            self.rebind(self.cx.scope, name, Entity::Local(local, self.cx.id));
        }
        // No target lets a variable be named before it has a value.
        let named = |e: ExprId| matches!(self.kind(e), ExprKind::Local(l) if *l == local);
        let later = init.filter(|e| early.is_some() && self.cx.body.exprs.any_part(*e, named));
        let init = init.filter(|_| later.is_none());
        if later.is_some() {
            self.cx.body.locals[local].set_later();
        }
        self.note_local_view(local, &var.ty, init, self.cx.scope);
        if let (true, Some(value)) = (constant, init) {
            self.note_constant(local, value);
        }
        out.append(&mut self.cx.throwing.pending);
        let mut made = statement(StmtKind::Local(local, init), decl.span);
        made.comments = decl.comments.clone();
        out.push(made);
        if let Some(value) = defaults {
            let place = self.push(ExprKind::Local(local), ty, var.name.span);
            self.assign_parts(place, value, out);
        }
        if let Some(value) = later {
            let place = self.push(ExprKind::Local(local), ty, var.name.span);
            let assigned = self.push(ExprKind::Assign(None, place, value), ty, decl.span);
            out.push(statement(StmtKind::Expr(assigned), decl.span));
        }
    }

    /// Assigns the fields and elements of a value that are no objects, nor hold any.
    pub(super) fn assign_parts(&mut self, place: ExprId, value: ExprId, out: &mut Vec<Stmt>) {
        let (ty, span) = (self.ty(place), self.span(place));
        if !self.program.holds_object(ty) {
            let assigned = self.push(ExprKind::Assign(None, place, value), ty, span);
            return out.push(statement(StmtKind::Expr(assigned), span));
        }
        let parts = match self.kind(value).clone() {
            ExprKind::Construct(parts) => parts,
            ExprKind::Zero => self.zeros_of_parts(ty, span),
            // The variable begins by itself.
            ExprKind::Local(begun) => return self.cx.temporaries.retain(|local| *local != begun),
            _ => return,
        };
        for (index, part) in parts.into_iter().enumerate() {
            let (base, part_ty) = (self.copy(place), self.ty(part));
            let kind = match self.program.types.get(ty) {
                Type::Struct(_) => ExprKind::Field(base, index as u32),
                _ => ExprKind::Index(base, self.int_value(index as i64, TypeId::INT, span)),
            };
            let place = self.push(kind, part_ty, span);
            self.assign_parts(place, part, out);
        }
    }

    /// Whether a value holds ray queries or hit objects, and none of them is another one.
    fn is_empty_object(&self, value: ExprId) -> bool {
        let holds = |part: ExprId| self.program.holds_object(self.ty(part));
        holds(value)
            && match self.kind(value) {
                ExprKind::Zero => true,
                ExprKind::Construct(parts) => {
                    parts.iter().filter(|part| holds(**part)).all(|p| self.is_empty_object(*p))
                }
                _ => false,
            }
    }

    /// Zeros for the fields or elements of a value that is no object itself.
    fn zeros_of_parts(&mut self, ty: TypeId, span: Span) -> Vec<ExprId> {
        let parts: Vec<TypeId> = match self.program.types.get(ty) {
            Type::Struct(id) => self.program.structs[id].fields.iter().map(|f| f.ty).collect(),
            Type::Array(element, count) => {
                let count = count.fixed().unwrap_or(0);
                if count > MOST_ZEROS {
                    let message =
                        format!("more than {MOST_ZEROS} elements with ray queries or hit objects are set to zero");
                    self.error(Code::BAD_INITIALIZER, span, message);
                }
                vec![element; count.min(MOST_ZEROS) as usize]
            }
            _ => Vec::new(),
        };
        parts.into_iter().map(|part| self.push(ExprKind::Zero, part, span)).collect()
    }

    /// Whether a variable may be meant in its own first value, `float3 a = a = b;`: in HLSL, as in C++. A name that stands for
    /// something else as well stays that of the other thing, as old compilers have it.
    fn is_seen_early(&mut self, var: &ast::VarDecl, ty: TypeId) -> bool {
        let types = &self.program.types;
        let innermost = types.innermost(ty);
        let is_numeric = numeric(types, innermost).is_some() || matches!(types.get(innermost), Type::Struct(_));
        let is_numeric = is_numeric && !matches!(types.get(ty), Type::Array(_, Length::Unsized));
        var.init.is_some()
            && is_numeric
            && !var.name.name.is_empty()
            && self.language() == Language::Hlsl
            && self.lookup(self.cx.scope, var.name.name).entities.is_empty()
    }

    /// Declares a variable before its first value is looked at.
    fn bind_early(&mut self, decl: &ast::Decl, var: &ast::VarDecl, ty: TypeId) -> LocalId {
        let ast::Ident { name, span } = var.name;
        let modifiers = modifiers_of(decl, &var.ty);
        let constant = modifiers.has(Modifiers::CONST);
        let local = self.cx.body.locals.push(Local { name, ty, constant, modifiers, span });
        self.rebind(self.cx.scope, name, Entity::Local(local, self.cx.id));
        local
    }

    fn check_local_type(&mut self, var: &'a ast::VarDecl, ty: TypeId, missing: bool) {
        let name = var.name.name;
        if missing {
            self.error(Code::BAD_INITIALIZER, var.name.span, format!("`{name}` needs a type or a value"));
        } else if ty == TypeId::VOID {
            self.error(Code::NOT_A_TYPE, var.name.span, format!("`{name}` cannot be void"));
        } else if var.init.is_none() && matches!(self.program.types.get(ty), Type::Stream(..)) {
            let message = format!("`{name}` is no stream: the entry point is given those");
            self.error(Code::BAD_INITIALIZER, var.name.span, message);
        } else if matches!(self.program.types.get(ty), Type::Array(_, Length::Unsized)) {
            self.error(Code::BAD_INITIALIZER, var.name.span, format!("the array `{name}` needs a size"));
        }
    }

    /// Two variables of one name in one block. That of a loop that has ended is none of the block, from version 2021 on.
    fn check_shadow(&mut self, name: ast::Ident) {
        let existing = self.named(self.cx.scope, name.name).first().copied();
        if let Some(Entity::Local(local, context)) = existing
            && context == self.cx.id
            && !self.cx.ended.contains(&local)
        {
            let first = self.cx.body.locals[local].span;
            self.diags.push(
                Diagnostic::error(
                    Code::REDECLARED,
                    name.span,
                    format!("`{}` is declared twice in this scope", name.name),
                )
                .label(first, "first declared here"),
            );
        }
    }
}
