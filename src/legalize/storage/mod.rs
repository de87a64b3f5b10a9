//! How the data of buffers lies in the text: what is declared for it, and how accesses follow.
//!
//! | before | after | decided in |
//! | --- | --- | --- |
//! | `cbuffer C { float3 p; float2 q; }` with other bytes than the target's | `{ float3 p; uint padding; float2 q; }` | [`frame`] |
//! | `struct S { float3 p; }` at a distance that the target has not | `struct S_stored { float p[3]; }` | [`frame`] |
//! | `int8_t a[8]` in a constant buffer with D3D's bytes | `uint4 rows[1]` | [`frame`] |
//! | a bare `row_major float3x3`, where others of the type are stored by columns | `struct { row_major float3x3 value; }` | [`buffers`] |
//! | `float4x4 m` by columns, where all are stored by rows | `float4x4 m`, the transposed | [`types`] |
//! | `ConstantBuffer<float4>` in a descriptor heap, where these are of structs | `ConstantBuffer<float4_element>` | [`buffers`] |
//! | `bool on`, where buffers have none | `uint on` | [`types`] |
//! | `float w[3]` in a constant buffer, where elements lie densely | `float4 w[3]` | [`types`] |
//! | `int2x3 m` by columns, where that will be an array | `int2 m[3]` | [`types`] |
//! | `float2 a : packoffset(c1)` behind what follows it | in the order of the bytes | [`buffers`] |
//! | a struct that lies otherwise in constant buffers | a second declaration for these | [`uniform`] |
//! | fields at other bytes than the target's own rules have | `@align`, `@size`, offsets of members; padding where the target has none of these | [`place`] |
//! | `float1x3 m`, where dimensions of one are none | `float3 m` | [`unit_vectors`] |
//! | `bool flags[2] = buffer.flags`, where the compilers take that wrongly | `{ buffer.flags[0], buffer.flags[1] }` | [`copies`] |
//!
//! One [`plan::Plan`] of [`slot::Slot`]s says how each buffer or field is stored. [`buffers`] finds the buffers whose bytes are
//! not those of the target's own rules and gives each type of them structs of its own ([`frame`]). [`types`] finds what the
//! target cannot store, or stores otherwise, as the type that it has, there and elsewhere, and changes the fields of the one
//! declaration of a struct, so that a struct in the text is the struct of the source wherever that is possible.
//! [`access::rewrite`] follows all accesses to what is planned and reads ([`loads`]), writes ([`stores`]), passes by reference,
//! appends and consumes ([`elements`]) what they have come to.
//!
//! `split_resources` and `uniform_blocks` make the buffers, `resolve_resources` leaves no parameters that are buffers;
//! `non_float_matrices`, which comes later, changes the types of values. Rules: `layout-d3d-constant`, `layout-matrices`.

mod access;
pub(super) use access::MOST_COPIED;
mod buffers;
mod copies;
mod elements;
mod finders;
mod frame;
mod leaves;
mod loads;
mod place;
mod plan;
mod products;
mod rows;
mod sharing;
mod slot;
mod stores;
mod strides;
mod types;
mod uniform;
mod unit_vectors;
mod words;

use super::needs::needs_among;
use super::{Context, Pass, runtime_initializers};
use crate::target::{Capabilities, Capability};

pub(super) use self::copies::parts;
pub(super) use self::place::native_settings;
pub(super) use self::products::transpose;

pub(super) const PASS: Pass = Pass {
    name: "storage",
    always: Some(
        "whether bytes differ from the rules of the target depends on the layout, not on what the program needs",
    ),
    removes: finders::ALL,
    // Matrices of one part are made of it; one of one row or column is a vector, whose elements are components.
    adds: &[
        Capability::AggregateExpressions,
        Capability::SwizzleAssignment,
        Capability::MatrixSwizzles,
        Capability::MatrixComponentOps,
        // A matrix whose rows are stored apart is put together.
        Capability::MatrixParts,
        Capability::DynamicMatrixRows,
        Capability::MatrixTruncation,
        // A matrix of one number is none any more.
        Capability::ConvertedOutArguments,
        // A struct without its resources is data.
        Capability::CopiedStatics,
    ],
    after: &["resolve_resources", "split_resources", "uniform_blocks"],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    strides::number(cx);
    let mut plan = buffers::plan(cx);
    // From here on members have the offsets that they are to have.
    for (_, s) in cx.program.structs.iter_mut() {
        s.fields.iter_mut().for_each(|f| f.explicit.packoffset = None);
    }
    if cx.diags.has_errors() {
        return;
    }
    let wanted = place::wanted(cx);
    let mut removed = Capabilities::EMPTY;
    PASS.removes.iter().for_each(|(c, _)| removed.insert(*c));
    let needs = needs_among(cx.program, cx.profile, removed);
    let twins = uniform::twins(cx);
    if !twins.is_empty() || !needs.is_empty() {
        types::plan(cx, &mut plan, twins);
    }
    if !plan.is_empty() {
        access::rewrite(cx, &mut plan);
        if !cx.profile.has(Capability::ConstantBits) {
            runtime_initializers::set_where_it_starts(cx, &products::is_turned);
        }
    }
    if needs.contains_key(&Capability::UnitVectors) {
        unit_vectors::narrow_all(cx.program);
    }
    place::place(cx, wanted);
    if !cx.profile.has(Capability::BufferCopies) && (!plan.is_empty() || needs.contains_key(&Capability::BufferCopies))
    {
        copies::split(cx);
    }
}
