//! Warns of attributes that say how invocations run together, where the stage or the target has nothing for them.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::target::Profile;
use crate::target::invocation_modes::InvocationMode;
use crate::tree::Program;

pub(super) fn check(program: &Program, profile: &Profile, diags: &mut Diagnostics) {
    for entry in &program.entry_points {
        for attribute in &program.functions[entry.function].attributes {
            let Some(mode) = InvocationMode::of(attribute) else { continue };
            let warning = |message| Diagnostic::warning(Code::OMITTED, attribute.span, message);
            if !mode.is_of(entry.stage) {
                diags.push(warning(format!("`[{}]` means nothing in the {} stage", mode.name, entry.stage.name())));
            } else if !mode.is_in(profile) {
                let warning = warning(format!("`[{}]` is omitted: {} has nothing like it", mode.name, profile.name));
                diags.push(match mode.other(profile) {
                    Some(other) => warning.note(format!("the profile `{}` has it", other.name)),
                    None => warning,
                });
            }
        }
    }
}
