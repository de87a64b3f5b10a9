//! See the architecture in the crate documentation.
