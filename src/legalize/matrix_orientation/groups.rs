//! Matrices in buffers, and those whose place or form others decide.

use super::carries;
use super::plan::{FIXED, NodeId, Orientations};
use crate::target::{Capability, Profile};
use crate::tree::*;
use rustc_hash::FxHashSet;

/// What says in which order matrices are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OrderHolder {
    /// A buffer.
    Buffer(GlobalId),
    /// A member of a block that lists its members.
    Member(StructId, u32),
}

/// Matrices that are stored in one order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) holder: OrderHolder,
    /// The order that they have.
    pub(super) order: MatrixOrder,
    /// They are turned together.
    pub(super) node: NodeId,
}

/// Finds the groups, and fixes what cannot be turned.
pub(super) fn find(plan: &mut Orientations, program: &Program, profile: &Profile) {
    for entry in &program.entry_points[..] {
        for root in entry.roots() {
            fix_signature(plan, program, root);
        }
    }
    for id in program.types.ids() {
        if let Type::Pointer(ty, _) | Type::Patch(_, ty, _) | Type::MeshOutput(_, ty, _) | Type::Stream(_, ty) =
            program.types.get(id)
        {
            fix_fields(plan, program, ty);
        }
    }
    let has_orders = profile.has(Capability::BothMatrixOrders) && !profile.facts.linked_blocks;
    for (id, global) in program.globals.iter() {
        match global.kind {
            GlobalKind::Parameter if has_orders && is_buffer(program, global) => {
                buffer(plan, program, id);
            }
            GlobalKind::Static | GlobalKind::Const | GlobalKind::Groupshared => {}
            GlobalKind::Parameter
            | GlobalKind::Specialization
            | GlobalKind::Input
            | GlobalKind::Output
            | GlobalKind::Passed
            | GlobalKind::Heap => {
                fix_fields(plan, program, global.ty);
                if carries(&program.types, global.ty) {
                    let node = plan.place(MatrixPlace::Global(id));
                    plan.fix(node);
                }
            }
        }
    }
}

/// Inputs, outputs and payloads are what other stages have.
fn fix_signature(plan: &mut Orientations, program: &Program, id: FunctionId) {
    let function = &program.functions[id];
    let locals = function.params.iter().map(|p| (MatrixPlace::Local(id, p.local), function.code.locals[p.local].ty));
    for (place, ty) in locals.chain([(MatrixPlace::Result(id), function.result)]) {
        fix_fields(plan, program, ty);
        if carries(&program.types, ty) {
            let node = plan.place(place);
            plan.fix(node);
        }
    }
}

fn is_buffer(program: &Program, global: &Global) -> bool {
    match program.types.get(program.types.innermost(global.ty)) {
        Type::ConstantBuffer(..) | Type::TextureBuffer(_) => true,
        Type::Buffer(kind, ..) => kind != BufferKind::Typed,
        _ => false,
    }
}

/// The groups of a buffer: each member of a block has its own order, other buffers have one.
fn buffer(plan: &mut Orientations, program: &Program, id: GlobalId) {
    let global = &program.globals[id];
    let order = global.matrix_order.unwrap_or(program.default_matrix_order);
    let Some(element) = program.types.get(program.types.innermost(global.ty)).element() else { return };
    if let (true, Type::Struct(owner)) = (global.transparent, program.types.get(element)) {
        for (index, field) in (0..).zip(&program.structs[owner].fields) {
            let own = field.matrix_order.unwrap_or(order);
            let first = carries(&program.types, field.ty).then(|| plan.place(MatrixPlace::Field(owner, index)));
            group(plan, program, (OrderHolder::Member(owner, index), own), (first, field.ty));
        }
        return;
    }
    let first = carries(&program.types, element).then(|| plan.place(MatrixPlace::Global(id)));
    group(plan, program, (OrderHolder::Buffer(id), order), (first, element));
}

/// Joins the matrices of a type, and `first`, which holds it.
fn group(
    plan: &mut Orientations,
    program: &Program,
    (holder, order): (OrderHolder, MatrixOrder),
    (first, ty): (Option<NodeId>, TypeId),
) {
    let mut found: Vec<(NodeId, MatrixOrder)> = first.map(|node| (node, order)).into_iter().collect();
    each_field(program, ty, order, &mut |place, order| found.push((plan.place(place), order)));
    let Some((node, _)) = found.first().copied() else { return };
    for (other, order) in found {
        plan.join(node, other);
        if order == MatrixOrder::Column {
            plan.by_columns(other);
        }
    }
    plan.orders.push(Group { holder, order, node });
}

/// The fields of structs in a type that are matrices or arrays of these, with their storage order, are not turned.
pub(super) fn fix_fields(plan: &mut Orientations, program: &Program, ty: TypeId) {
    each_field(program, ty, MatrixOrder::default(), &mut |place, _| {
        let node = plan.place(place);
        plan.join(FIXED, node);
    });
}

/// Calls `f` with each matrix in the structs of a type.
fn each_field(program: &Program, ty: TypeId, order: MatrixOrder, f: &mut dyn FnMut(MatrixPlace, MatrixOrder)) {
    let (mut open, mut seen) = (vec![(ty, order)], FxHashSet::default());
    while let Some((ty, order)) = open.pop() {
        match program.types.get(ty) {
            Type::Struct(id) if seen.insert((id, order)) => {
                for (index, field) in (0..).zip(&program.structs[id].fields) {
                    let own = field.matrix_order.unwrap_or(order);
                    if carries(&program.types, field.ty) {
                        f(MatrixPlace::Field(id, index), own);
                    } else {
                        open.push((field.ty, own));
                    }
                }
            }
            Type::Array(element, _)
            | Type::Buffer(_, _, element)
            | Type::ConstantBuffer(element, _)
            | Type::TextureBuffer(element) => open.push((element, order)),
            _ => {}
        }
    }
}
