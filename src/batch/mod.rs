//! Whole trees: finding files, compiling them in parallel, writing what they become.

pub mod loader;
