//! What a stage of ray tracing may take and give: its payload and the attributes of the hit, and no result.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::tree::{FunctionId, Local, ParamMode, Stage, TypeId, is_uniform};

/// What a stage takes, in order: parameters that go in and out, and those that come in.
fn taken(stage: Stage) -> Option<(usize, usize)> {
    match stage {
        Stage::RayGeneration | Stage::Intersection => Some((0, 0)),
        Stage::Miss | Stage::Callable => Some((1, 0)),
        Stage::AnyHit | Stage::ClosestHit => Some((1, 1)),
        Stage::Vertex
        | Stage::Hull
        | Stage::Domain
        | Stage::Geometry
        | Stage::Fragment
        | Stage::Compute
        | Stage::Amplification
        | Stage::Mesh => None,
    }
}

/// What the stage takes, in words.
fn words(taken: (usize, usize)) -> &'static str {
    match taken {
        (0, _) => "it has none",
        (_, 0) => "it has one, which is `inout`",
        _ => "it has an `inout` payload and the `in` attributes of the hit",
    }
}

impl Checker<'_> {
    /// Reports parameters that the stage of an entry point has not, and a result.
    pub(super) fn check_ray_entry(&mut self, function: FunctionId, stage: Stage) {
        let Some(most) = taken(stage) else { return };
        let declared = &self.program.functions[function];
        let mut faults: Vec<(Span, String)> = Vec::new();
        if declared.result != TypeId::VOID {
            faults.push((declared.span, format!("a {} entry point has no result", stage.name())));
        }
        let mut found = (0, 0);
        for param in &declared.params {
            let Local { name, ty, span, .. } = declared.code.locals[param.local];
            if is_uniform(&self.program, param, ty) {
                continue;
            }
            let (count, of) = match param.mode {
                ParamMode::In => (&mut found.1, most.1),
                ParamMode::Out | ParamMode::InOut | ParamMode::Ref => (&mut found.0, most.0),
            };
            *count += 1;
            if *count > of {
                faults.push((span, format!("a {} entry point has no parameter like `{name}`", stage.name())));
            }
        }
        for (span, message) in faults {
            self.diags.push(Diagnostic::error(Code::BAD_ENTRY, span, message).note(words(most)));
        }
    }
}
