//! Where barriers depend on memory of the work group, it is read by what gives all invocations the same value.
//!
//! Before: `if (done) break;                         GroupMemoryBarrierWithGroupSync();`
//! After:  `if (workgroupUniformLoad(done)) break;   GroupMemoryBarrierWithGroupSync();`
//!
//! For targets without NonUniformBarriers, which prove that all invocations reach a barrier together. D3D asks the author that
//! they do, so what such a condition reads is the same for all of them. The load has barriers of its own: it stands only
//! where all invocations come together, and only as often as the proof needs it. The
//! barriers that are left are reported. Spec: WGSL, `workgroupUniformLoad`.

use super::uniformity::{self, BARRIER, RULES, UNIFORM_LOAD};
use super::{Context, Pass};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) const PASS: Pass = Pass {
    name: "uniform_loads",
    always: Some("what it proves is no need that a scan finds"),
    after: &["atomics", "lower_switch"],
    run,
    ..Pass::ROW
};

/// The most loads of which each is tried to be left out.
const TRIED: usize = 64;

fn run(cx: &mut Context) {
    if cx.profile.has(Capability::NonUniformBarriers) || cx.program.varying_barriers(&RULES).is_empty() {
        return;
    }
    load(cx.program);
    uniformity::report(cx);
}

/// Makes loads of what barriers depend on.
pub(super) fn load(program: &mut Program) {
    let mut loads = GroupLoads { program, reads: Vec::new(), functions: FxHashMap::default() };
    loads.find();
    loads.prove();
}

/// A read of memory of the work group, which may be made a load.
struct GroupRead {
    function: FunctionId,
    id: ExprId,
    plain: ExprKind,
    is_load: bool,
}

struct GroupLoads<'a> {
    program: &'a mut Program,
    reads: Vec<GroupRead>,
    /// What loads, by types.
    functions: FxHashMap<TypeId, FunctionId>,
}

impl GroupLoads<'_> {
    /// Makes loads of all reads.
    fn find(&mut self) {
        for function in self.program.functions_with_code() {
            let found = group_reads(self.program, &self.program.functions[function].code);
            for id in found {
                let plain = self.program.functions[function].code.exprs[id].kind.clone();
                self.reads.push(GroupRead { function, id, plain, is_load: false });
            }
        }
        (0..self.reads.len()).for_each(|at| self.set(at, true));
    }

    /// Leaves the loads without which more barriers would be refused.
    fn prove(&mut self) {
        // Each round makes something plain, or is the last.
        let refused = loop {
            let faults: FxHashSet<Span> = self.faults().collect();
            let is_fault = |r: &GroupRead| r.is_load && faults.contains(&self.span(r));
            let apart: Vec<usize> = (0..self.reads.len()).filter(|at| is_fault(&self.reads[*at])).collect();
            if apart.is_empty() {
                break faults.len();
            }
            apart.into_iter().for_each(|at| self.set(at, false));
        };
        let loads: Vec<usize> = (0..self.reads.len()).filter(|at| self.reads[*at].is_load).collect();
        for at in loads.into_iter().take(TRIED) {
            self.set(at, false);
            if self.faults().count() > refused {
                self.set(at, true);
            }
        }
    }

    fn faults(&self) -> impl Iterator<Item = Span> {
        self.program.varying_barriers(&RULES).into_iter().map(|fault| fault.barrier)
    }

    fn span(&self, read: &GroupRead) -> Span {
        self.program.functions[read.function].code.exprs[read.id].span
    }

    fn set(&mut self, at: usize, is_load: bool) {
        let Some(read) = self.reads.get_mut(at).filter(|read| read.is_load != is_load) else { return };
        read.is_load = is_load;
        let (function, id, plain) = (read.function, read.id, read.plain.clone());
        let Expr { ty, span, .. } = self.program.functions[function].code.exprs[id];
        if !is_load {
            self.program.functions[function].code.exprs[id].kind = plain;
            return;
        }
        let load = *self.functions.entry(ty).or_insert_with(|| declared(self.program, ty));
        let exprs = &mut self.program.functions[function].code.exprs;
        let place = exprs.push(Expr { kind: plain, ty, span });
        exprs[id].kind = ExprKind::Call(load, vec![place]);
    }
}

/// The builtin that loads a value of a type.
fn declared(program: &mut Program, ty: TypeId) -> FunctionId {
    builtin(program, "workgroupUniformLoad", &[ty], ty, &[BARRIER, UNIFORM_LOAD, "__effects"])
}

/// Declares a builtin of the target, whose first parameter is a place.
pub(super) fn builtin(
    program: &mut Program,
    name: &str,
    types: &[TypeId],
    result: TypeId,
    marks: &[&str],
) -> FunctionId {
    let span = Span::default();
    let mut code = Body::default();
    let mut pieces = vec![TemplatePiece::Text(format!("{name}("))];
    let mut params = Vec::new();
    for (at, ty) in (0..).zip(types) {
        let local = code.add_local(if at == 0 { "shared" } else { "value" }, *ty, span);
        let (mode, piece) = match at {
            0 => (ParamMode::Ref, TemplatePiece::Address(at)),
            _ => (ParamMode::In, TemplatePiece::Arg(at)),
        };
        params.push(Param { mode, ..Param::new(local) });
        if at > 0 {
            pieces.push(TemplatePiece::Text(", ".to_owned()));
        }
        pieces.push(piece);
    }
    pieces.push(TemplatePiece::Text(")".to_owned()));
    let mark =
        |name: &&str| Attribute { name: Symbol::new(name), args: Vec::new(), declared: false, written: None, span };
    program.functions.push(Function {
        builtin: true,
        body: FunctionBody::Intrinsic(Template { pieces, loose: false }),
        attributes: marks.iter().map(mark).collect(),
        ..Function::new(Symbol::new(name), params, result, code, span)
    })
}

/// Where a body reads variables of the work group, or elements and fields of them.
fn group_reads(program: &Program, body: &Body) -> Vec<ExprId> {
    let live = body.expressions();
    // What is no value of its own: the places that a longer one is a part of, and those that are written.
    let mut places: FxHashSet<ExprId> = FxHashSet::default();
    for id in &live {
        if let Some(whole) = whole(program, &body.exprs, *id) {
            places.insert(whole);
        }
        program.each_written(&body.exprs, *id, &mut |place| places.extend(body.exprs.way_to_base(place)));
    }
    let is_read = |id: &ExprId| {
        let mut way = std::iter::successors(Some(*id), |id| whole(program, &body.exprs, *id));
        let base = way.find(|id| whole(program, &body.exprs, *id).is_none());
        let is_shared = base.is_some_and(|base| match body.exprs[base].kind {
            ExprKind::Global(global) => program.globals[global].kind == GlobalKind::Groupshared,
            _ => false,
        });
        let mut is_atomic = |leaf| matches!(leaf, Type::Atomic(_));
        is_shared && !places.contains(id) && !program.any_leaf(body.exprs[*id].ty, &mut is_atomic)
    };
    live.iter().filter(|id| is_read(id)).copied().collect()
}

/// What an expression is an element of an array of, or a field.
fn whole(program: &Program, exprs: &ExprArena, id: ExprId) -> Option<ExprId> {
    match exprs[id].kind {
        ExprKind::Field(whole, _) => Some(whole),
        ExprKind::Index(whole, _) if matches!(program.types.get(exprs[whole].ty), Type::Array(..)) => Some(whole),
        _ => None,
    }
}
