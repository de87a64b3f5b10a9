//! The invariants of the typed tree, checked after every pass in tests and debug builds.

use super::{
    Arena, Block, Body, ExprArena, ExprId, ExprKind, FunctionBody, Id, Item, Program, Stmt, StmtKind, Type, TypeId,
};
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
            v.tree(&tree.exprs, tree.root, 0, &mut seen);
        }
    }
    for (_, f) in program.functions.iter() {
        v.place = format!("function {}", f.name);
        v.ty(f.result);
        for p in &f.params {
            v.range("parameter", p.local, &f.code.locals);
        }
        if matches!(f.body, FunctionBody::Block) {
            v.body(&f.code);
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

    fn body(&mut self, body: &Body) {
        for (_, local) in body.locals.iter() {
            self.ty(local.ty);
        }
        let mut seen = FxHashSet::default();
        self.block(body, &body.block, &mut seen);
    }

    fn block(&mut self, body: &Body, block: &Block, seen: &mut FxHashSet<ExprId>) {
        block.stmts.iter().for_each(|s| self.stmt(body, s, seen));
    }

    fn stmt(&mut self, body: &Body, stmt: &Stmt, seen: &mut FxHashSet<ExprId>) {
        if let StmtKind::Local(local, init) = &stmt.kind
            && self.range("local", *local, &body.locals)
            && let Some(init) = init
            && self.range("expression", *init, &body.exprs)
        {
            self.same("initializer", body.locals[*local].ty, body.exprs[*init].ty);
        }
        if let StmtKind::For(init, ..) = &stmt.kind {
            init.iter().for_each(|s| self.stmt(body, s, seen));
        }
        stmt.own_exprs(&mut |e| self.tree(&body.exprs, e, body.locals.len(), seen));
        stmt.blocks(&mut |b| self.block(body, b, seen));
    }

    fn tree(&mut self, exprs: &ExprArena, root: ExprId, locals: usize, seen: &mut FxHashSet<ExprId>) {
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
            self.node(exprs, id, locals);
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

    fn node(&mut self, exprs: &ExprArena, id: ExprId, locals: usize) {
        let expr = &exprs[id];
        let ty = |e: ExprId| if e.index() < exprs.len() { exprs[e].ty } else { TypeId::ERROR };
        match &expr.kind {
            ExprKind::Local(l) if l.index() >= locals => self.fault(format!("local {l:?} out of range")),
            ExprKind::Global(g) if self.range("global", *g, &self.program.globals) => {
                self.same("global", self.program.globals[*g].ty, expr.ty);
            }
            ExprKind::Call(f, args) if self.range("function", *f, &self.program.functions) => {
                let f = &self.program.functions[*f];
                self.same(&format!("call of {}", f.name), f.result, expr.ty);
                if f.params.len() != args.len() {
                    self.fault(format!("call of {}: {} arguments for {}", f.name, args.len(), f.params.len()));
                }
                for (p, a) in f.params.iter().zip(args) {
                    self.same(&format!("argument of {}", f.name), f.code.locals[p.local].ty, ty(*a));
                }
            }
            ExprKind::Swizzle(base, swizzle) => {
                let (from, to) = (self.program.types.get(ty(*base)), self.program.types.get(expr.ty));
                let width = |t: Type| match t {
                    Type::Scalar(s) => Some((s, 1)),
                    Type::Vector(s, n) => Some((s, n)),
                    _ => None,
                };
                let good = width(from).zip(width(to)).is_some_and(|((a, n), (b, m))| {
                    a == b && m == swizzle.len && swizzle.list().iter().all(|c| *c < n)
                });
                if !good {
                    let names = (self.program.type_name(ty(*base)), self.program.type_name(expr.ty));
                    self.fault(format!("swizzle {} of {} gives {}", swizzle.text(), names.0, names.1));
                }
            }
            ExprKind::Step(_, _, target) => self.same("step", ty(*target), expr.ty),
            ExprKind::Comma(_, value) => self.same("comma", ty(*value), expr.ty),
            ExprKind::Field(base, index) => match self.program.field_type(ty(*base), *index) {
                Some(field) => self.same("field", field, expr.ty),
                None => self.fault(format!("field {index} of {}", self.program.type_name(ty(*base)))),
            },
            ExprKind::Assign(None, a, b) => self.same("assignment", ty(*a), ty(*b)),
            ExprKind::Binary(op, a, b) if !matches!(op, super::BinaryOp::Shl | super::BinaryOp::Shr) => {
                self.same(op.spelling(), ty(*a), ty(*b));
            }
            ExprKind::Select(_, a, b) => {
                self.same("?:", ty(*a), ty(*b));
                self.same("?: result", ty(*a), expr.ty);
            }
            _ => {}
        }
    }
}
