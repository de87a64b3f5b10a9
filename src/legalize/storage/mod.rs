//! How the data of buffers lies in the text: what is declared for it, and how accesses follow.
//!
//! | before | after | decided in |
//! | --- | --- | --- |
//! | `cbuffer C { float3 p; float2 q; }` with other bytes than the target's | `{ float3 p; uint padding; float2 q; }` | [`frame`] |
//! | `struct S { float3 p; }` at a distance that the target has not | `struct S_stored { float p[3]; }` | [`frame`] |
//! | `int8_t a[8]` in a constant buffer with D3D's bytes | `uint4 rows[1]` | [`frame`] |
//! | a bare `row_major float3x3`, where others of the type are stored by columns | `struct { row_major float3x3 value; }` | [`buffers`] |
//! | `float4x4 m` by columns, where all are stored by rows | `float4x4 m`, the transposed | [`types`] |
//! | `bool on`, where buffers have none | `uint on` | [`types`] |
//! | `float w[3]` in a constant buffer, where elements lie densely | `float4 w[3]` | [`types`] |
//! | `int2x3 m` by columns, where that will be an array | `int2 m[3]` | [`types`] |
//! | `float2 a : packoffset(c1)` behind what follows it | in the order of the bytes | [`buffers`] |
//! | a struct that lies otherwise in constant buffers | a second declaration for these | [`uniform`] |
//! | fields at other bytes than the target's own rules have | `@align`, `@size`, offsets of members; padding where the target has none of these | [`place`] |
//! | `float1x3 m`, where dimensions of one are none | `float3 m` | [`unit_vectors`] |
//! | `bool flags[2] = buffer.flags`, where the compilers take that wrongly | `{ buffer.flags[0], buffer.flags[1] }` | [`copies`] |
//!
//! Two steps plan, and one rewriter follows. [`BYTES`] finds the buffers whose bytes are not those of the target's own rules
//! and gives each type of them structs of its own ([`buffers`], [`frame`]). [`TYPES`] finds what the target cannot store, or
//! stores otherwise, as the type that it has, and changes the fields of the one declaration of a struct, so that a struct in
//! the text is the struct of the source wherever that is possible ([`types`]). Both say with a [`plan::Plan`] of
//! [`slot::Slot`]s how each buffer or field is stored; [`access::rewrite`] follows all accesses to these and reads
//! ([`loads`]), writes ([`stores`]), passes by reference, appends and consumes ([`elements`]) what they have come to.
//!
//! `split_resources` and `uniform_blocks` make the buffers, `resolve_resources` leaves no parameters that are buffers;
//! `non_float_matrices`, which comes later, changes the types of values. Rules: `layout-d3d-constant`, `layout-matrices`.

mod access;
mod buffers;
mod copies;
mod elements;
mod frame;
mod leaves;
mod loads;
mod place;
mod plan;
mod products;
mod sharing;
mod slot;
mod stores;
mod types;
mod uniform;
mod unit_vectors;
mod words;

pub(super) use self::buffers::PASS as BYTES;
pub(super) use self::copies::{PASS as COPIES, copies, parts};
pub(super) use self::types::{PASS as TYPES, mixes_orders};
