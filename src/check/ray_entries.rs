//! What a stage of ray tracing may take and give: its payload and the attributes of the hit, and no result.

use super::Checker;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use crate::tree::{Expr, ExprKind, FunctionId, Local, PASSES, ParamMode, Stage, TypeId, is_uniform};

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
    /// Reports values that are passed to other shaders and are no data: a payload is memory that they share.
    pub(super) fn check_passed(&mut self) {
        let mut faults: Vec<Span> = Vec::new();
        for (_, function) in self.program.functions.iter().filter(|(_, f)| !f.builtin) {
            for (_, e) in function.code.exprs.iter() {
                let ExprKind::Call(callee, args) = &e.kind else { continue };
                let Some(&passed) = args.last() else { continue };
                if self.program.functions[*callee].is_marked(PASSES) {
                    let Expr { ty, span, .. } = function.code.exprs[passed];
                    let is_data = !self.program.holds_resource(ty) && !self.program.holds_object(ty);
                    faults.extend((!is_data).then_some(span));
                }
            }
        }
        for span in faults {
            let message = "a payload is data: it holds no resource, ray query or hit object";
            self.diags.push(Diagnostic::error(Code::BAD_ENTRY, span, message));
        }
    }

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
