//! Static variables of functions.
//!
//! One whose first value is known is a global variable. One whose first value is made of the function's own is set when control
//! first comes to it, as in C++:
//!
//! Before: `int f(int a) { static int first = a; return first; }`
//! After:  `static int first; static bool first_is_set = false;`
//!         `int f(int a) { if (!first_is_set) { first_is_set = true; first = a; } return first; }`

use super::Checker;
use super::globals::State;
use super::scope::{Entity, What, has_modifier};
use super::stmt::statement;
use crate::ast;
use crate::tree::{
    Block, Build, ExprArena, ExprId, ExprKind, ExprTree, Global, GlobalId, GlobalKind, Hints, InFunction, Literal,
    Stmt, StmtKind, TypeId, UnaryOp,
};

impl<'a> Checker<'a> {
    /// A variable of a function that is `static` or `groupshared`.
    pub(super) fn static_local(&mut self, decl: &'a ast::Decl, var: &'a ast::VarDecl, out: &mut Vec<Stmt>) {
        let (place, ast::Ident { name, span }) = (self.local_place(), var.name);
        let first = match has_modifier(decl, "static") && !has_modifier(decl, "groupshared") {
            true => self.own_value(var),
            false => None,
        };
        let id = self.add_decl(Some(decl), name, span, What::Var(var), place);
        self.rebind(self.cx.scope, name, Entity::Decl(id));
        let Some(value) = first else {
            if let Some(global) = self.global(id, span) {
                self.program.globals[global].in_function = Some(InFunction::default());
            }
            return;
        };
        let ty = self.ty(value);
        let made = |name: &str, ty, init| Global { init, ..Global::new(name, ty, GlobalKind::Static, span) };
        let variable = self.program.globals.push(made(name.as_str(), ty, None));
        let mut exprs = ExprArena::default();
        let root = Build::new(&mut self.program.types, &mut exprs, span).number(0, TypeId::BOOL);
        let flag_name = format!("{name}_is_set");
        let flag = self.program.globals.push(made(&flag_name, TypeId::BOOL, Some(ExprTree { exprs, root })));
        self.globals.insert(id, State::Done(variable));
        self.global_decls.extend([(variable, id), (flag, id)]);
        out.append(&mut self.cx.throwing.pending);
        let place = |c: &mut Self, global: GlobalId, ty| c.push(ExprKind::Global(global), ty, span);
        let set = |c: &mut Self, global, ty, value| {
            let target = place(c, global, ty);
            let assigned = c.push(ExprKind::Assign(None, target, value), ty, span);
            statement(StmtKind::Expr(assigned), span)
        };
        let yes = self.push(ExprKind::Literal(Literal::Bool(true), None), TypeId::BOOL, span);
        let stmts = vec![set(self, flag, TypeId::BOOL, yes), set(self, variable, ty, value)];
        let is_set = place(self, flag, TypeId::BOOL);
        let is_open = self.push(ExprKind::Unary(UnaryOp::Not, is_set), TypeId::BOOL, span);
        let block = Block { stmts, ..Block::default() };
        let mut made = statement(StmtKind::If(is_open, block, None, Hints::default()), decl.span);
        made.comments = decl.comments.clone();
        out.push(made);
    }

    /// Gives what stands before a declaration, and the comments on its line, to the variable of the module that came of it.
    pub(super) fn give_to_static(&mut self, stmt: &ast::Stmt) {
        let ast::StmtKind::Decl(decls) = &stmt.kind else { return };
        let Some(ast::DeclKind::Var(var)) = decls.first().map(|decl| &decl.kind) else { return };
        if let Some(Entity::Decl(id)) = self.named(self.cx.scope, var.name.name).first()
            && let Some(State::Done(global)) = self.globals.get(id)
        {
            let global = &mut self.program.globals[*global];
            if let Some(place) = &mut global.in_function {
                place.blank_before = stmt.blank_before;
                global.comments.clone_from(&stmt.comments);
            }
        }
    }

    /// The first value of a variable, if it is made of variables of the function.
    fn own_value(&mut self, var: &'a ast::VarDecl) -> Option<ExprId> {
        let init = var.init.as_ref()?;
        let value = |c: &mut Self| {
            let infer = matches!(var.ty.kind, ast::TypeKind::Infer);
            if infer {
                c.expr(init)
            } else {
                let ty = c.resolve_type(&var.ty, c.cx.scope);
                c.expr_to(init, ty)
            }
        };
        let temporaries = self.cx.temporaries.len();
        let tried = self.quiet(value);
        self.cx.temporaries.truncate(temporaries);
        let is_own = |e: ExprId| matches!(self.kind(e), ExprKind::Local(_));
        if !self.cx.body.exprs.any_part(tried, is_own) {
            return None;
        }
        Some(value(self))
    }
}
