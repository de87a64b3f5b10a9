//! `cargo xtask layout-cases`, `layout-fuzz`, `layout-readback`, `layout-locks` and `layout-record`: our layouts beside those of slangc
//! and DXC, beside what other tools find in what we emit, and beside what they were before.

mod cases;
#[path = "../../../tests/decided.rs"]
mod decided;
mod edits;
mod fuzz;
mod locks;
mod oracle;
#[path = "../../../tests/measured.rs"]
mod measured;
#[path = "../../../tests/peer_options.rs"]
mod peer_options;
#[path = "../../../tests/peer_rows.rs"]
mod peer_rows;
#[path = "../../../tests/positions.rs"]
mod positions;
mod readback;
mod record;
mod rows;
#[path = "../../../tests/slots.rs"]
mod slots;
pub mod tree;

pub use cases::{CasesOptions, cases};
pub use fuzz::{FuzzOptions, fuzz};
pub use locks::{LocksOptions, locks};
pub use readback::{ReadbackOptions, readback};
pub use record::{RecordOptions, record};
