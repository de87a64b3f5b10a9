//! All integration tests that are functions, in one program, so that they link once; those that are pages are in `pages`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read pages and run programs")]
#![allow(clippy::iter_over_hash_type, reason = "nothing is written")]

mod support;
mod bad_input;
mod bad_layout;
mod bindings;
mod builds;
mod capabilities;
mod check;
mod code_pages;
mod determinism;
mod diff;
mod explain;
mod guarantees;
mod host;
mod layers;
mod limits;
mod lint;
mod locks;
mod measured;
mod merged;
mod messages;
mod numbers;
mod options;
#[allow(dead_code, reason = "what a page expects is used by the tests of pages alone")]
mod page;
mod parse_trees;
mod parts;
mod pipes;
mod plan;
mod port;
mod positions;
mod random;
mod readback;
mod recipes;
mod reflection;
#[cfg(feature = "remote")]
mod remote;
mod samples;
mod schema;
#[cfg(feature = "shared-cache")]
mod shared_cache;
mod slots;
mod source_maps;
#[allow(dead_code, reason = "some is for `cargo xtask trace` alone")]
mod traced;
mod tree_layout;
mod type_layout;
mod variants;
mod watching;
mod words;
