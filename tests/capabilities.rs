//! The table of capabilities in the guide is what becomes of programs today.

#[path = "capability_table.rs"]
mod capability_table;

use crate::support::{difference, files_under, glsl_is_legal, root, wgsl_is_legal};
use capability_table::{COLUMNS, program, table, translated};
use shaderport::Target;
use shaderport::internals::target::Capability;

#[test]
fn the_table_of_the_guide_is_what_compiles() {
    let guide = std::fs::read_to_string(root().join("src/guide/capabilities.md")).expect("the guide");
    let part = guide.split_once("<!-- capability-table:begin -->\n").and_then(|(_, rest)| rest.split_once("\n<!--"));
    let (shown, _) = part.expect("a table");
    let made = table(&root()).unwrap_or_else(|why| panic!("{why}"));
    let stale = difference(shown.trim_end(), made.trim_end());
    assert!(stale.is_empty(), "run `cargo xtask readme`:\n{stale}");
}

#[test]
fn programs_of_capabilities_are_legal() {
    let mut programs = 0;
    for (capability, ..) in Capability::TABLE {
        let Some(source) = program(&root(), *capability) else { continue };
        programs += 1;
        for artifact in COLUMNS.iter().flat_map(|target| translated(&source, *target).artifacts) {
            let legal = match (artifact.target, artifact.entry) {
                (Target::Wgsl, _) => wgsl_is_legal(artifact.text()),
                (Target::Glsl, Some((_, stage))) => glsl_is_legal(artifact.text(), stage),
                _ => Ok(()),
            };
            assert_eq!(legal, Ok(()), "{capability:?}\n{}", artifact.text());
        }
    }
    let files = files_under(&root().join("tests/capabilities"), &["slang"]).len();
    assert_eq!(programs, files, "a program in tests/capabilities is of no capability");
}
