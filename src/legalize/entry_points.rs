//! Make entry points take their inputs and give their outputs in the way of the target.
//!
//! It stands after the passes that split resources and entry uniforms, and before those that lower statements.

use super::{Context, Pass, entry_attributes, entry_globals};
use crate::target::{Capability, StageIo};

/// The pass.
pub const PASS: Pass = Pass {
    name: "entry_points",
    always: Some("every target has its own way to declare inputs and outputs"),
    after: &["split_resources", "entry_uniforms", "called_entry_points", "called_values", "subpass_inputs", "varyings"],
    // Outputs that are put together by statements may hide the last return.
    // Inputs and outputs are variables that calls may change.
    adds: &[
        Capability::MissingReturns,
        Capability::ValueBeforePlace,
        Capability::ArgumentsInOrder,
        Capability::MutableParameters,
        // Inputs of vertices.
        Capability::PassedInterpolants,
        // A parameter of the entry point is no plain variable any more.
        Capability::SampledChoices,
    ],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    match cx.profile.facts.stage_io {
        StageIo::Semantics => {}
        StageIo::Globals => entry_globals::run(cx),
        StageIo::Attributes => entry_attributes::run(cx),
    }
}
