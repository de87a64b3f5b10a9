//! Elements of descriptor heaps get variables of their types, by which alone the target knows what they are.
//!
//! Before: `color = ResourceDescriptorHeap[material.albedo].Load(p);`
//! After:  `Texture2D<float4> albedo = ResourceDescriptorHeap[material.albedo];  color = albedo.Load(p);`
//!
//! What the source itself gives a variable, a parameter or a result is there already.

use super::hoist::{self, Mark, Marks};
use super::needs::Find;
use super::{Context, Pass};
use crate::symbol::Symbol;
use crate::target::Capability;
use crate::tree::{
    Body, ExprArena, ExprId, ExprKind, ExprKinds, Function, FunctionBody, FunctionId, GlobalKind, Program, StmtKind,
    Type,
};
use rustc_hash::FxHashSet;

pub(super) const PASS: Pass = Pass {
    name: "heap_variables",
    removes: &[(
        Capability::BareHeapElements,
        Find::body(ExprKinds::INDEX, |p, _, body, live| bare(p, body, live).first().map(|e| body.exprs[*e].span)),
    )],
    after: &["resolve_resources"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    hoist::hoist_all(cx, &mut |program, body| {
        let live = body.expressions();
        let marks = bare(program, body, &live).into_iter();
        marks.map(|e| (e, Mark::Value(name_of(program, body, e)))).collect::<Marks>()
    });
}

/// Whether an expression is an element of a heap that the target has.
pub(super) fn is_element(program: &Program, exprs: &ExprArena, id: ExprId) -> bool {
    let ExprKind::Index(base, _) = exprs[id].kind else { return false };
    matches!(exprs[base].kind, ExprKind::Global(g) if program.globals[g].kind == GlobalKind::Heap)
}

/// The elements of heaps that are used without being given to something of their type.
fn bare(program: &Program, body: &Body, live: &[ExprId]) -> Vec<ExprId> {
    let elements = live.iter().copied().filter(|e| is_element(program, &body.exprs, *e));
    let elements: Vec<ExprId> = elements.collect();
    if elements.is_empty() {
        return elements;
    }
    let mut typed = FxHashSet::default();
    body.block.visit(&mut |stmt| {
        if let StmtKind::Local(_, Some(e)) | StmtKind::Return(Some(e)) = stmt.kind {
            typed.insert(e);
        }
    });
    for &id in live {
        match &body.exprs[id].kind {
            ExprKind::Assign(None, _, value) => drop(typed.insert(*value)),
            ExprKind::Call(f, args) if is_only(program, *f) => typed.extend(args),
            _ => {}
        }
    }
    elements.into_iter().filter(|e| !typed.contains(e)).collect()
}

/// Whether a function is the user's and has no overloads, among which the type of an argument would have to choose.
fn is_only(program: &Program, f: FunctionId) -> bool {
    let function = &program.functions[f];
    let block = |g: &Function| matches!(g.body, FunctionBody::Block);
    let alike = |g: &Function| g.name == function.name && block(g);
    block(function) && program.functions.iter().filter(|(_, g)| alike(g)).count() == 1
}

/// A name for the variable of an element: that of the index, or of the kind of resource.
fn name_of(program: &Program, body: &Body, element: ExprId) -> Symbol {
    let kind = match program.types.get(body.exprs[element].ty) {
        Type::Sampler(_) => "filter",
        Type::Texture(_) => "image",
        Type::ConstantBuffer(_, _) => "constants",
        Type::AccelerationStructure => "scene",
        _ => "buffer",
    };
    let ExprKind::Index(_, mut at) = body.exprs[element].kind else { return Symbol::new(kind) };
    loop {
        match &body.exprs[at].kind {
            ExprKind::Swizzle(of, _) | ExprKind::Convert(of, _) | ExprKind::Index(of, _) => at = *of,
            ExprKind::Call(_, args) => match args.first() {
                Some(first) => at = *first,
                None => return Symbol::new(kind),
            },
            ExprKind::Field(of, field) => {
                return program.field(body.exprs[*of].ty, *field).map_or(Symbol::new(kind), |f| f.name);
            }
            _ => return Symbol::new(kind),
        }
    }
}
