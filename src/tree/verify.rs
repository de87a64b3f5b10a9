//! The invariants of the typed tree, checked after every pass in tests and debug builds.
//!
//! | of | what holds |
//! | --- | --- |
//! | the program | every id is in range; an item is listed once; changes of its lists are made ([`super::Listed`]) |
//! | types | none is the error type, of fields, globals, results, variables and expressions |
//! | a body | each expression has one parent; a variable and its initializer, a function and what it returns, a `switch` and its labels have one type; a condition is a `bool` |
//! | an expression | its type follows from its kind and its parts: the table in [`kinds`] |
//!
//! Of two types of a resource the same kind is enough, since passes note on the type of a texture what is known of it beyond
//! its declaration; so it is of atomics and their scalars.

mod kinds;

use super::{Arena, Body, ExprId, FunctionBody, Id, Item, Program, Stmt, StmtKind, Type, TypeId};
use kinds::Scope;
use rustc_hash::FxHashSet;

/// Every invariant that does not hold, in words; empty is good.
pub fn verify(program: &Program) -> Vec<String> {
    let mut v = Verify { program, faults: Vec::new(), place: String::new() };
    v.items();
    for (_, s) in program.structs.iter() {
        v.place = format!("struct {}", s.name);
        s.fields.iter().for_each(|f| v.ty(f.ty));
    }
    for (_, g) in program.globals.iter() {
        v.place = format!("global {}", g.name);
        v.ty(g.ty);
        if let Some(tree) = &g.init {
            let mut seen = FxHashSet::default();
            let scope = Scope { exprs: &tree.exprs, locals: &Arena::default() };
            v.tree(&scope, tree.root, &mut seen);
        }
    }
    for (_, f) in program.functions.iter() {
        v.place = format!("function {}", f.name);
        v.ty(f.result);
        for p in &f.params {
            v.range("parameter", p.local, &f.code.locals);
        }
        if matches!(f.body, FunctionBody::Block) {
            v.body(&f.code, f.result);
        }
    }
    v.faults
}

struct Verify<'a> {
    program: &'a Program,
    faults: Vec<String>,
    place: String,
}

impl Verify<'_> {
    fn fault(&mut self, what: String) {
        // The first faults tell the story; a broken pass would else print thousands.
        if self.faults.len() < 20 {
            self.faults.push(format!("{}: {what}", self.place));
        }
    }

    fn range<I: Id + std::fmt::Debug, T>(&mut self, what: &str, id: I, arena: &Arena<I, T>) -> bool {
        let good = id.index() < arena.len();
        if !good {
            self.fault(format!("{what} {id:?} out of range"));
        }
        good
    }

    fn ty(&mut self, ty: TypeId) {
        if ty.0 as usize >= self.program.types.len() {
            self.fault(format!("type {ty:?} out of range"));
            return;
        }
        match self.program.types.get(ty) {
            Type::Error => self.fault("error type".to_owned()),
            Type::Struct(id) => {
                self.range("struct", id, &self.program.structs);
            }
            Type::Enum(id) => {
                self.range("enum", id, &self.program.enums);
            }
            _ => {}
        }
    }

    fn items(&mut self) {
        self.place = "items".to_owned();
        let mut seen = FxHashSet::default();
        for item in &self.program.items {
            if !seen.insert(*item) {
                self.fault(format!("{item:?} is listed twice"));
            }
            match *item {
                Item::Struct(id) => self.range("struct", id, &self.program.structs),
                Item::Enum(id) => self.range("enum", id, &self.program.enums),
                Item::Global(id) => self.range("global", id, &self.program.globals),
                Item::Function(id) => self.range("function", id, &self.program.functions),
            };
        }
        if !self.program.items.is_settled() || !self.program.parameters.is_settled() {
            self.fault("changes are not made".to_owned());
        }
        for &g in &self.program.parameters {
            self.range("parameter", g, &self.program.globals);
        }
        for e in &self.program.entry_points {
            self.range("entry point", e.function, &self.program.functions);
            for &g in &e.interface {
                self.range("stage variable", g, &self.program.globals);
            }
        }
    }

    fn body(&mut self, body: &Body, result: TypeId) {
        for (_, local) in body.locals.iter() {
            self.ty(local.ty);
        }
        let mut seen = FxHashSet::default();
        let scope = Scope { exprs: &body.exprs, locals: &body.locals };
        body.block.visit(&mut |stmt| self.stmt(&scope, stmt, result, &mut seen));
    }

    fn stmt(&mut self, scope: &Scope, stmt: &Stmt, result: TypeId, seen: &mut FxHashSet<ExprId>) {
        let mut known = true;
        stmt.own_exprs(&mut |e| {
            known &= self.range("expression", e, scope.exprs);
            self.tree(scope, e, seen);
        });
        if !known {
            return;
        }
        match &stmt.kind {
            StmtKind::Local(local, init) => {
                if self.range("variable", *local, scope.locals)
                    && let Some(init) = init
                {
                    self.same("initializer", scope.locals[*local].ty, scope.exprs[*init].ty);
                }
            }
            StmtKind::If(condition, ..) | StmtKind::While(condition, ..) | StmtKind::DoWhile(_, condition, _) => {
                self.same("condition", scope.exprs[*condition].ty, TypeId::BOOL);
            }
            StmtKind::For(_, condition, ..) => {
                if let Some(condition) = condition {
                    self.same("condition", scope.exprs[*condition].ty, TypeId::BOOL);
                }
            }
            StmtKind::Switch(value, cases, _) => {
                for label in cases.iter().flat_map(|c| &c.labels).flatten() {
                    self.same("label", scope.exprs[*value].ty, scope.exprs[*label].ty);
                }
            }
            StmtKind::Return(Some(value)) => self.same("result", result, scope.exprs[*value].ty),
            StmtKind::Return(None)
            | StmtKind::Expr(_)
            | StmtKind::Block(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Discard
            | StmtKind::Intrinsic(_) => {}
        }
    }

    fn tree(&mut self, scope: &Scope, root: ExprId, seen: &mut FxHashSet<ExprId>) {
        let exprs = scope.exprs;
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !self.range("expression", id, exprs) {
                continue;
            }
            if !seen.insert(id) {
                self.fault(format!("expression {id:?} ({:?}) has two parents", exprs[id].kind));
                continue;
            }
            self.ty(exprs[id].ty);
            self.kind(scope, id);
            exprs[id].kind.children(&mut |c| stack.push(c));
        }
    }

    fn same(&mut self, what: &str, a: TypeId, b: TypeId) {
        // Passes note on the type of a texture what is known of it beyond its declaration.
        let resource = |ty: TypeId| self.program.types.get(self.program.types.innermost(ty)).is_resource();
        let atomic = |ty: TypeId| matches!(self.program.types.get(ty), Type::Atomic(_));
        let known_more = resource(a) && resource(b) || atomic(a) || atomic(b);
        if a != b && !known_more {
            let (a, b) = (self.program.type_name(a), self.program.type_name(b));
            self.fault(format!("{what}: {a} against {b}"));
        }
    }
}
