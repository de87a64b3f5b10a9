//! All integration tests in one program, so that they link once.

mod support;
mod layers;
mod parse_trees;
