//! All integration tests in one program, so that they link once.

mod support;
mod bad_input;
mod bad_layout;
mod bindings;
mod determinism;
mod diff;
mod errors;
mod explain;
mod fixtures;
mod guarantees;
mod layers;
mod lint;
mod locks;
mod measured;
mod options;
mod pages;
mod parse_trees;
mod positions;
mod random;
mod readback;
mod reflection;
mod samples;
mod schema;
mod slots;
mod type_layout;
