//! How it shows that data in buffers cannot be stored as it is.

use super::super::needs::{Data, Find, Finder};
use super::copies::copies;
use super::types::{is_mixed, mixes_orders};
use crate::target::Capability;
use crate::tree::{AddressSpace, ExprKinds, MatrixOrder, Scalar, Type, Types};

/// What [`super::PASS`] removes.
pub(super) const ALL: &[Finder] = &[
    PACK_OFFSETS,
    BOTH_ORDERS,
    BOOLS,
    SPARSE_ARRAYS,
    super::super::non_float_matrices::MATRICES,
    UNIT_VECTORS,
    MIXED_ORDERS,
    MIXED_BEHIND_POINTERS,
    (Capability::BufferCopies, Find::list(ExprKinds::ALL, |p, exprs, live| copies(p, exprs, live).first().copied())),
];

const PACK_OFFSETS: Finder = (
    Capability::PackOffsets,
    Find::Data(|_, data| data.field.is_some_and(|f| f.explicit.packoffset.is_some() && f.offset.is_none())),
);

const BOOLS: Finder =
    (Capability::BoolInBuffers, Find::Data(|p, data| p.types.component(data.ty) == Some(Scalar::Bool)));

const BOTH_ORDERS: Finder = (
    Capability::BothMatrixOrders,
    Find::Data(|p, data| matches!(p.types.get(data.ty), Type::Matrix(..)) && data.order == MatrixOrder::Column),
);

const MIXED_ORDERS: Finder = (
    Capability::MixedMatrixOrders,
    Find::Parameter(|p, g, t| match *t {
        Type::ConstantBuffer(t, _) | Type::TextureBuffer(t) | Type::Buffer(_, _, t) => mixes_orders(p, g, t),
        _ => false,
    }),
);

const MIXED_BEHIND_POINTERS: Finder = (
    Capability::MixedMatrixOrders,
    Find::Type(|p, t| match *t {
        Type::Pointer(data, AddressSpace::Device(_)) => is_mixed(p, data, p.default_matrix_order),
        _ => false,
    }),
);

const SPARSE_ARRAYS: Finder =
    (Capability::SparseUniformArrays, Find::Data(|p, data| data.uniform && is_sparse(&p.types, data)));

/// Whether elements lie at a greater distance than their size.
fn is_sparse(types: &Types, data: &Data) -> bool {
    let small = |s: Scalar, length: u8| s.size() * u32::from(length) < 12;
    match types.get(data.ty) {
        Type::Matrix(s, rows, _) if data.order == MatrixOrder::Column => small(s, rows),
        Type::Matrix(s, _, columns) => small(s, columns),
        Type::Array(element, _) => match types.get(element) {
            Type::Scalar(_) => true,
            Type::Vector(s, n) => small(s, n),
            _ => false,
        },
        _ => false,
    }
}

const UNIT_VECTORS: Finder = (
    Capability::UnitVectors,
    Find::Type(|_, t| matches!(t, Type::Vector(_, 1) | Type::Matrix(_, 1, _) | Type::Matrix(_, _, 1))),
);
