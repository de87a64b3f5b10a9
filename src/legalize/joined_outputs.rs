//! Vectors that `modf` and `frexp` give out come into a variable of their own where other values reach the variable,
//! too.
//!
//! Before: `if (c) x = modf(x, whole);`
//! After:  `if (c) { float4 part;  x = modf(x, part);  whole = part; }`
//!
//! DXC keeps a vector that such a builtin writes in one piece. Where the flow joins such values it makes an instruction that its
//! validator refuses, and with elements of arrays it does not end. Variables of the module, of the work group and of buffers are
//! in memory, where nothing joins.

use super::references::{self, ByReference};
use super::{Context, Pass};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "joined_outputs",
    always: Some("whatever makes blocks may bring such a join"),
    after: &["inline_builtins", "flatten", "short_circuit"],
    run,
    ..Pass::ROW
};

/// The attribute of builtins that DXC has write so.
const WHOLE: &str = "__writes_whole";

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::JoinedOutputs) {
        return;
    }
    let by_reference = written_by(cx.program);
    if by_reference.is_empty() {
        return;
    }
    let effects = cx.effects();
    cx.each_body(&mut |cx, _, body| {
        let straight = straight(cx.program, body);
        references::copy(cx.program, &effects, body, &by_reference, &mut |program, body, place| {
            is_vector(program, body.exprs[place].ty) && joins(&body.exprs, place, &straight)
        });
    });
}

/// What these builtins write, by function.
fn written_by(program: &Program) -> ByReference {
    let mut list = references::by_reference(program);
    list.retain(|id, _| is_one(&program.functions[*id]));
    list
}

fn is_one(function: &Function) -> bool {
    matches!(function.body, FunctionBody::Intrinsic(_)) && function.is_marked(WHOLE)
}

fn is_vector(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Vector(..) | Type::Matrix(..))
}

/// Whether other values reach a variable of the function that is written, or it is an element of one. DXC copies swizzles.
fn joins(exprs: &ExprArena, place: ExprId, straight: &FxHashSet<LocalId>) -> bool {
    if matches!(exprs[place].kind, ExprKind::Swizzle(..)) {
        return false;
    }
    let Some(local) = exprs.base_local(place) else { return false };
    let is_element = exprs.way_to_base(place).any(|id| matches!(exprs[id].kind, ExprKind::Index(..)));
    is_element || !straight.contains(&local)
}

/// Variables that are written only in statements of the block that declares them, if at all.
fn straight(program: &Program, body: &Body) -> FxHashSet<LocalId> {
    let mut writes = Writes { program, body, blocks: 0, declared: FxHashMap::default(), nested: FxHashSet::default() };
    writes.block(&body.block, 0);
    let is_straight = |local: &LocalId| !writes.nested.contains(local);
    body.locals.ids().filter(is_straight).collect()
}

/// Follows where variables are declared and written. Parameters are declared by the outermost block.
struct Writes<'a> {
    program: &'a Program,
    body: &'a Body,
    blocks: usize,
    declared: FxHashMap<LocalId, usize>,
    nested: FxHashSet<LocalId>,
}

impl Writes<'_> {
    fn block(&mut self, block: &Block, here: usize) {
        for stmt in &block.stmts {
            if let StmtKind::Local(local, _) = stmt.kind {
                self.declared.insert(local, here);
            }
            let is_loop = matches!(stmt.kind, StmtKind::For(..) | StmtKind::While(..) | StmtKind::DoWhile(..));
            stmt.own_exprs(&mut |root| self.expression(root, here, is_loop));
            if let StmtKind::Block(inner) = &stmt.kind {
                self.block(inner, here);
                continue;
            }
            stmt.blocks(&mut |inner| {
                self.blocks += 1;
                self.block(inner, self.blocks);
            });
        }
    }

    fn expression(&mut self, root: ExprId, here: usize, is_loop: bool) {
        for id in self.body.exprs.post_order(root) {
            self.program.each_written(&self.body.exprs, id, &mut |place| {
                let Some(local) = self.body.exprs.base_local(place) else { return };
                if is_loop || self.declared.get(&local).copied().unwrap_or_default() != here {
                    self.nested.insert(local);
                }
            });
        }
    }
}
