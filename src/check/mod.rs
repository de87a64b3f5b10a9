//! See the architecture in the crate documentation.

pub mod attributes;
pub mod constant;
pub mod convert;
pub mod operators;
pub mod swizzle;
