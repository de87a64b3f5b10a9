//! The `shaderport` program.
#![forbid(unsafe_code)]

fn main() {}
