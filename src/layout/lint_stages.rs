//! `--lint stages`: where stages of one program follow one another, what one takes under a semantic is where the other gives
//! it. Vulkan and WebGPU link stages by location and Direct3D by register, none by the semantic alone.

use super::locations::{semantic_text, varyings};
use super::{Api, Policy, Settings, Unit};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::tree::{EntryPoint, Program, Stage};

/// The orders in which stages follow one another.
const PIPELINES: [&[Stage]; 2] =
    [&[Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry, Stage::Fragment], &[Stage::Mesh, Stage::Fragment]];

/// Differences that one warning tells.
const REPORTED: usize = 4;

/// Warns of every two entry points that follow one another and disagree.
pub fn lint(program: &Program, policy: Policy, diags: &mut Diagnostics) {
    let settings = Settings::native(Api::Vulkan, policy);
    let of = |stage: Stage| program.entry_points.iter().filter(move |e| e.stage == stage);
    for pipeline in PIPELINES {
        let present: Vec<Stage> = pipeline.iter().copied().filter(|stage| of(*stage).next().is_some()).collect();
        for (before, after) in present.iter().zip(present.iter().skip(1)) {
            for (from, to) in of(*before).flat_map(|from| of(*after).map(move |to| (from, to))) {
                compare(program, &settings, (from, to), diags);
            }
        }
    }
}

/// A stage input or output with a semantic.
struct Located {
    semantic: (String, u32),
    location: u32,
    /// One for a whole patch; those are declared by the function of patch constants.
    of_patch: bool,
}

fn located(program: &Program, settings: &Settings, entry: &EntryPoint, unit: Unit) -> Vec<Located> {
    let mut list = Vec::new();
    for varying in varyings(program, settings, entry).iter().filter(|v| v.unit == unit) {
        varying.part.walk(&mut Vec::new(), &mut |part, _| {
            if let (Some(semantic), 1.., true) = (&part.semantic, part.count, part.parts.is_empty()) {
                let (semantic, location) = (semantic.clone(), part.start);
                list.push(Located { semantic, location, of_patch: varying.of_patch });
            }
            true
        });
    }
    list
}

fn compare(program: &Program, settings: &Settings, (from, to): (&EntryPoint, &EntryPoint), diags: &mut Diagnostics) {
    let given = located(program, settings, from, Unit::VaryingOutput);
    let mut reported = Vec::new();
    for taken in located(program, settings, to, Unit::VaryingInput).iter().filter(|taken| !taken.of_patch) {
        let shown = semantic_text(&taken.semantic);
        match given.iter().find(|g| g.semantic == taken.semantic) {
            Some(g) if g.location == taken.location => {}
            Some(g) => reported.push(format!("`{shown}` is output {} and input {}", g.location, taken.location)),
            None => reported.push(format!("`{shown}` is input {} and no output", taken.location)),
        }
    }
    if reported.is_empty() {
        return;
    }
    let more =
        if reported.len() > REPORTED { format!(", and {} more", reported.len() - REPORTED) } else { String::new() };
    reported.truncate(REPORTED);
    let span = |entry: &EntryPoint| program.functions[entry.function].span;
    let message = format!("`{}` does not read what `{}` writes: {}{more}", to.name, from.name, reported.join(", "));
    let warning = Diagnostic::warning(Code::BAD_ENTRY, span(to), message)
        .label(span(from), "the stage before it")
        .note("stages are linked by location or register, not by semantic: give both one struct, or one order");
    diags.push(warning);
}
