//! Rows of matrices that are stored by columns are read and written element by element.
//!
//! ```text
//! before: f(m[i]);                                        m[i].xz = v;
//! after:  f(float3(m[i][0], m[i][1], m[i][2]));           m[i][0] = v.x;  m[i][2] = v.y;
//! ```

use super::super::Context;
use super::super::hoist::{Mark, Marks, hoist, temporary_name};
use super::{Plan, stored_at};
use crate::symbol::Symbol;
use crate::tree::analyses::is_trivial;
use crate::tree::{Body, Build, ExprArena, ExprId, ExprKind, Program, Stmt, StmtKind, Type, Types};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows of matrices that are stored by columns are read and written element by element: `m[i]` is
/// `float3(m[i][0], m[i][1], m[i][2])`. What that repeats, and what packing and unpacking repeats, goes into locals first.
pub(super) fn rows(cx: &mut Context, plan: &Plan) {
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        let found = Found::of(cx.program, body, plan);
        if found.is_empty() {
            return;
        }
        hoist(cx.program, &effects, body, found.marks);
        let found = Found::of(cx.program, body, plan);
        for &row in &found.reads {
            let copy = body.exprs.displace(row);
            let parts = elements(&mut cx.program.types, &mut body.exprs, copy);
            body.exprs[row].kind = ExprKind::Construct(parts);
        }
        write_rows(cx.program, body, &found.writes);
    });
}

/// The elements of a vector, each with a copy of it.
fn elements(types: &mut Types, exprs: &mut ExprArena, vector: ExprId) -> Vec<ExprId> {
    let count = if let Type::Vector(_, n) = types.get(exprs[vector].ty) { n } else { 1 };
    let element = |c: u8| {
        let copy = exprs.duplicate(vector);
        let span = exprs[vector].span;
        Build::new(types, exprs, span).swizzle(copy, &[c])
    };
    (0..count).map(element).collect()
}

/// `m[i] = v` and `m[i].xz = v` become an assignment an element.
fn write_rows(program: &mut Program, body: &mut Body, writes: &FxHashSet<ExprId>) {
    let mut block = std::mem::take(&mut body.block);
    block.rewrite(&mut |mut stmt, out| {
        let StmtKind::Expr(root) = stmt.kind else { return out.push(stmt) };
        let ExprKind::Assign(op, target, value) = body.exprs[root].kind else { return out.push(stmt) };
        if !writes.contains(&target) {
            return out.push(stmt);
        }
        let span = stmt.span;
        let (row, list) = match body.exprs[target].kind.clone() {
            ExprKind::Swizzle(row, swizzle) => (row, swizzle.list().to_vec()),
            _ => match program.types.get(body.exprs[target].ty) {
                Type::Vector(_, n) => (target, (0..n).collect()),
                _ => (target, vec![0]),
            },
        };
        let ty = body.exprs[value].ty;
        let mut kept = value;
        if !is_trivial(&body.exprs, value) {
            let local = body.add_local("row", ty, span);
            body.locals[local].constant = true;
            let mut first = Stmt::new(StmtKind::Local(local, Some(value)), span);
            (first.comments, first.blank_before) = (std::mem::take(&mut stmt.comments), stmt.blank_before);
            out.push(first);
            kept = Build::new(&mut program.types, &mut body.exprs, span).local(local, ty);
        }
        for (i, component) in (0..).zip(list) {
            let (row, value) = (body.exprs.duplicate(row), body.exprs.duplicate(kept));
            let mut b = Build::new(&mut program.types, &mut body.exprs, span);
            let element = b.swizzle(row, &[component]);
            let value = if matches!(b.types.get(ty), Type::Vector(..)) { b.swizzle(value, &[i]) } else { value };
            let element_ty = b.exprs[element].ty;
            let assign = b.add(ExprKind::Assign(op, element, value), element_ty);
            let mut each = Stmt::new(StmtKind::Expr(assign), span);
            each.comments = std::mem::take(&mut stmt.comments);
            each.blank_before = std::mem::take(&mut stmt.blank_before) && out.is_empty();
            out.push(each);
        }
    });
    body.block = block;
}

/// Accesses of a body that repeat something.
#[derive(Default)]
struct Found {
    /// Rows that are read.
    reads: Vec<ExprId>,
    /// Rows, or parts of rows, that are assigned.
    writes: FxHashSet<ExprId>,
    marks: Marks,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.marks.is_empty()
    }

    fn of(program: &Program, body: &Body, plan: &Plan) -> Found {
        let mut found = Found::default();
        let exprs = &body.exprs;
        let live = body.expressions();
        let mut parents: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for &id in &live {
            exprs[id].kind.children(&mut |c| {
                parents.insert(c, id);
            });
        }
        let mut statements = FxHashSet::default();
        body.block.visit(&mut |s| {
            if let StmtKind::Expr(e) = s.kind {
                statements.insert(e);
            }
        });
        for &id in &live {
            if let (ExprKind::Construct(parts), Type::Struct(s)) = (&exprs[id].kind, program.types.get(exprs[id].ty)) {
                let stored = |index: u32| plan.fields.get(&(s, index)).map(|f| program.types.get(f.ty));
                for (_, part) in (0..).zip(parts).filter(|(i, _)| matches!(stored(*i), Some(Type::Array(..)))) {
                    found.keep(program, body, *part);
                }
            }
            let Some(stored) = stored_at(&program.types, exprs, plan, id) else { continue };
            let parent = parents.get(&id).copied();
            let kind = parent.map(|p| &exprs[p].kind);
            let selected = match kind {
                Some(ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) | ExprKind::MatrixSwizzle(base, _)) => {
                    *base == id
                }
                _ => false,
            };
            if let (ExprKind::Index(base, _), Type::Vector(..)) = (&exprs[id].kind, program.types.get(exprs[id].ty))
                && stored.transposed
                && matches!(program.types.get(exprs[*base].ty), Type::Matrix(..))
            {
                found.row(program, body, id, &parents, &statements);
                continue;
            }
            let whole = matches!(program.types.get(stored.ty), Type::Array(..)) && !selected;
            let compound = matches!(kind, Some(ExprKind::Assign(Some(_), t, _)) if *t == id);
            if whole || compound {
                found.keep_indices(program, body, id);
            }
            if let (true, Some(ExprKind::Assign(_, target, value))) = (whole, kind)
                && *target == id
            {
                found.keep(program, body, *value);
            }
        }
        found
    }

    /// A row of a matrix that is stored by columns.
    fn row(
        &mut self,
        program: &Program,
        body: &Body,
        id: ExprId,
        parents: &FxHashMap<ExprId, ExprId>,
        statements: &FxHashSet<ExprId>,
    ) {
        let exprs = &body.exprs;
        let parent = parents.get(&id).copied();
        let mut outer = id;
        match parent.map(|p| &exprs[p].kind) {
            // One element: its indices change places.
            Some(ExprKind::Index(base, _)) if *base == id => return,
            Some(ExprKind::Swizzle(base, s)) if *base == id && s.len == 1 => return,
            Some(ExprKind::Swizzle(base, _)) if *base == id => outer = parent.unwrap_or(id),
            _ => {}
        }
        self.keep_indices(program, body, id);
        match parents.get(&outer).map(|p| (*p, &exprs[*p].kind)) {
            Some((root, ExprKind::Assign(_, target, _))) if *target == outer => {
                self.writes.insert(outer);
                if !statements.contains(&root) {
                    self.marks.insert(root, Mark::Effect);
                }
            }
            _ => self.reads.push(id),
        }
    }

    fn keep(&mut self, program: &Program, body: &Body, id: ExprId) {
        if !is_trivial(&body.exprs, id) {
            let scalar = matches!(program.types.get(body.exprs[id].ty), Type::Scalar(_));
            let name = if scalar { Symbol::new("index") } else { temporary_name(program, body, id) };
            self.marks.insert(id, Mark::Value(name));
        }
    }

    fn keep_indices(&mut self, program: &Program, body: &Body, id: ExprId) {
        let mut id = id;
        loop {
            match body.exprs[id].kind {
                ExprKind::Index(a, index) => {
                    self.keep(program, body, index);
                    id = a;
                }
                ExprKind::Field(a, _) | ExprKind::Contents(a) | ExprKind::Swizzle(a, _) | ExprKind::Deref(a) => id = a,
                _ => return,
            }
        }
    }
}
