//! Static variables that hold resources and are never assigned stand for what they are initialized with.
//!
//! Before: `Texture2D gColors; static Texture2D colors = gColors;     colors.Load(i)`
//! After:  `Texture2D gColors;                                        gColors.Load(i)`

use super::{Context, Pass};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass =
    Pass { name: "static_resources", lessens: &[Capability::StaticResources], run, ..Pass::ROW };

/// A static variable may stand for another one, and that for another.
const MOST: usize = 64;

/// Whether an expression assigns a variable to itself.
fn changes_nothing(exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Assign(None, target, value) = exprs[id].kind else { return false };
    matches!((&exprs[target].kind, &exprs[value].kind), (ExprKind::Global(a), ExprKind::Global(b)) if a == b)
}

/// The variables that are assigned a resource, or may be.
fn written(program: &Program) -> FxHashSet<GlobalId> {
    let mut written = FxHashSet::default();
    program.each_exprs(&mut |exprs, live| {
        for id in live.iter().filter(|id| !changes_nothing(exprs, **id)) {
            program.each_written(exprs, *id, &mut |place| {
                // What a resource holds is not the resource.
                let whole = program.holds_resource(exprs[place].ty);
                if let (ExprKind::Global(global), true) = (&exprs[exprs.base(place)].kind, whole) {
                    written.insert(*global);
                }
            });
        }
    });
    written
}

/// Reports variables that are used and never hold a resource, and those that are constant buffers of no struct: these are blocks
/// where they are emitted, which nothing assigns.
pub(super) fn check(program: &Program, diags: &mut Diagnostics) {
    let is_empty = |g: &Global| {
        matches!(g.kind, GlobalKind::Static | GlobalKind::Const) && g.init.is_none() && program.holds_resource(g.ty)
    };
    let empty: Vec<GlobalId> = program.listed_globals().filter(|id| is_empty(&program.globals[*id])).collect();
    if empty.is_empty() {
        return;
    }
    let written = written(program);
    let reached: FxHashSet<GlobalId> = program.reachable_globals().iter().flatten().copied().collect();
    for id in empty.into_iter().filter(|id| reached.contains(id)) {
        let global = &program.globals[id];
        let is_block = matches!(program.types.get(global.ty),
            Type::ConstantBuffer(inner, _) if !matches!(program.types.get(inner), Type::Struct(_)));
        let message = match written.contains(&id) {
            false => format!("`{}` is used, and nothing ever gives it a resource", global.name),
            true if is_block => format!("`{}` stands for constant buffers whose contents are no struct", global.name),
            true => continue,
        };
        diags.push(Diagnostic::error(Code::CAPABILITY, global.span, message));
    }
}

fn run(cx: &mut Context) {
    let written = written(cx.program);
    // What assigns a variable to itself must not assign what it stands for.
    cx.each_body(&mut |_, _, body| {
        let exprs = &body.exprs;
        body.block.leave_out(&mut |stmt| matches!(stmt.kind, StmtKind::Expr(e) if changes_nothing(exprs, e)));
        for id in body.expressions() {
            if let ExprKind::Assign(None, _, value) = body.exprs[id].kind
                && changes_nothing(&body.exprs, id)
            {
                body.exprs.replace_by(id, value);
            }
        }
    });
    let stands = |program: &Program, id: GlobalId| {
        let global = &program.globals[id];
        let is_variable = matches!(global.kind, GlobalKind::Static | GlobalKind::Const) && !written.contains(&id);
        let tree = global.init.as_ref().filter(|_| is_variable && program.holds_resource(global.ty))?;
        is_path(&tree.exprs, tree.root).then(|| tree.clone())
    };
    cx.each_exprs(&mut |cx, exprs, live| {
        for id in live {
            for _ in 0..MOST {
                let ExprKind::Global(global) = exprs[exprs.base(*id)].kind else { break };
                let Some(tree) = stands(cx.program, global) else { break };
                let base = exprs.base(*id);
                let root = exprs.import(&tree.exprs, tree.root, &mut |_, _| None);
                exprs.replace_by(base, root);
            }
        }
    });
}

/// Whether a value is a global or an element or field of one, at indices that are always the same.
fn is_path(exprs: &ExprArena, id: ExprId) -> bool {
    let constant = |index: ExprId| exprs.integer(index).is_some();
    matches!(exprs[exprs.base(id)].kind, ExprKind::Global(_)) && exprs.indices(id).into_iter().all(constant)
}
