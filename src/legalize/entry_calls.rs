//! Where functions call entry points, those that no pass changed are called as in the source.
//!
//! Before: `Out one_function(In v) { <body> }    Out one(In v) { <body> }    Out both(In v) { <body> }`
//! After:  `Out one(In v) { <body> }    Out both(In v) { return one(v); }`
//!
//! What stands for an entry point that is called ([`called_entry_points`](super::called_entry_points)) has to be what the entry point
//! itself is in the end: of the same types, with the same statements.

use super::{Context, Pass};
use crate::check::body_text;
use crate::target::Capability;
use crate::tree::{Body, ExprKind, FunctionId, LocalId, Program};
use rustc_hash::FxHashMap;

pub(super) const PASS: Pass = Pass {
    name: "entry_calls",
    always: Some("what stands for an entry point that is called is no need"),
    adds: &[Capability::CalledEntryPoints],
    run,
    ..Pass::ROW
};

/// An entry point with the body of another one, and what it had before.
pub struct TakenBody {
    /// The entry point.
    pub entry: FunctionId,
    /// The one whose body it has.
    pub of: FunctionId,
    /// Its own body.
    pub own: Body,
    /// Its parameters in that.
    pub params: Vec<LocalId>,
}

fn run(cx: &mut Context) {
    let (copies, taken) = (std::mem::take(&mut cx.notes.entry_copies), std::mem::take(&mut cx.notes.taken_bodies));
    if !cx.profile.has(Capability::CalledEntryPoints) {
        return;
    }
    let is_one = |(copy, entry): &(FunctionId, FunctionId)| is_same(cx.program, *copy, *entry);
    let entries: FxHashMap<FunctionId, FunctionId> = copies.into_iter().filter(is_one).collect();
    let taken: Vec<TakenBody> = taken.into_iter().filter(|taken| is_as_before(cx.program, taken)).collect();
    for TakenBody { entry, own, params, .. } in taken {
        let function = &mut cx.program.functions[entry];
        function.code = own;
        function.params.iter_mut().zip(params).for_each(|(param, local)| param.local = local);
    }
    if entries.is_empty() {
        return;
    }
    cx.program.each_exprs_mut(&mut |_, exprs, live| {
        for &id in live {
            let entry = match &exprs[id].kind {
                ExprKind::Call(callee, _) => entries.get(callee).copied(),
                _ => None,
            };
            if let (Some(entry), ExprKind::Call(callee, _)) = (entry, &mut exprs[id].kind) {
                *callee = entry;
            }
        }
    });
}

/// Whether two functions take and give the same, and do the same.
fn is_same(program: &Program, a: FunctionId, b: FunctionId) -> bool {
    let [a, b] = [a, b].map(|id| &program.functions[id]);
    let params = |f: &crate::tree::Function| -> Vec<_> {
        f.params.iter().map(|p| (format!("{:?}", p.mode), f.code.locals[p.local].ty)).collect()
    };
    a.result == b.result && params(a) == params(b) && body_text(&a.code) == body_text(&b.code)
}

/// Whether an entry point still has the body of the other one, which takes what its own body gives.
fn is_as_before(program: &Program, taken: &TakenBody) -> bool {
    let function = &program.functions[taken.entry];
    let types =
        |code: &Body, locals: &mut dyn Iterator<Item = LocalId>| locals.map(|l| code.locals[l].ty).collect::<Vec<_>>();
    let now = types(&function.code, &mut function.params.iter().map(|p| p.local));
    let before = types(&taken.own, &mut taken.params.iter().copied());
    now == before && is_same(program, taken.entry, taken.of)
}
