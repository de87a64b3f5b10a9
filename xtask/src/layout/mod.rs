//! `cargo xtask layout-cases`, `layout-fuzz`, `layout-readback` and `layout-locks`: our layouts beside those of slangc
//! and DXC, beside what other tools find in what we emit, and beside what they were before.

mod cases;
mod decided;
mod edits;
mod fuzz;
mod locks;
mod oracle;
#[path = "../../../tests/measured.rs"]
mod measured;
mod ours;
#[path = "../../../tests/positions.rs"]
mod positions;
mod readback;
mod rows;
#[path = "../../../tests/slots.rs"]
mod slots;

pub use cases::{CasesOptions, cases};
pub use fuzz::{FuzzOptions, fuzz};
pub use locks::{LocksOptions, locks};
pub use readback::{ReadbackOptions, readback};
