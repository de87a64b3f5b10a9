//! Make entry points take their inputs and give their outputs in the way of the target.
//!
//! Runs always. Adds: none. Runs after the passes that split resources and entry uniforms,
//! and before those that lower statements.

use super::{Context, Pass, entry_attributes, entry_globals};
use crate::target::StageIo;

/// The pass.
pub const PASS: Pass = Pass { name: "entry_points", removes: &[], adds: &[], run };

fn run(cx: &mut Context) {
    match cx.profile.facts.stage_io {
        StageIo::Semantics => {}
        StageIo::Globals => entry_globals::run(cx),
        StageIo::Attributes => entry_attributes::run(cx),
    }
}
