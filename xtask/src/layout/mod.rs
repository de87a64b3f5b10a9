//! `cargo xtask layout-cases`, `layout-fuzz` and `layout-readback`: our layouts beside those of slangc and DXC, and
//! beside what other tools find in what we emit.

mod cases;
mod decided;
mod fuzz;
mod oracle;
#[path = "../../../tests/measured.rs"]
mod measured;
mod ours;
mod readback;
mod rows;

pub use cases::{CasesOptions, cases};
pub use fuzz::{FuzzOptions, fuzz};
pub use readback::{ReadbackOptions, readback};
