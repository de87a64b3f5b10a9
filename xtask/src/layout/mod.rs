//! `cargo xtask layout-cases` and `layout-fuzz`: our layouts beside those of slangc and DXC.

mod cases;
mod decided;
mod fuzz;
mod oracle;
mod ours;
mod rows;

pub use cases::{CasesOptions, cases};
pub use fuzz::{FuzzOptions, fuzz};
