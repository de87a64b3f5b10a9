//! The samples build for every target, and everything that is emitted for them is legal.

use crate::support::{contents, glsl_is_legal, root, shaderport, wgsl_is_legal};
use shaderport::Stage;

#[test]
fn samples_are_legal() {
    let out = tempfile::tempdir().expect("a temporary directory");
    let directory = out.path().to_string_lossy().into_owned();
    let run = shaderport(&root(), &["build", "samples", "--target", "hlsl,glsl,wgsl", "--out", &directory]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut wrong = Vec::new();
    let (mut wgsl, mut glsl) = (0, 0);
    for (name, bytes) in contents(out.path()) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let result = match (name.rsplit_once('.').map_or("", |(_, ending)| ending), glsl_stage(&name)) {
            ("wgsl", _) => {
                wgsl += 1;
                wgsl_is_legal(&text)
            }
            (_, Some(stage)) => {
                glsl += 1;
                glsl_is_legal(&text, stage)
            }
            _ => Ok(()),
        };
        if let Err(reason) = result {
            wrong.push(format!("{name}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
    assert!(wgsl >= 15 && glsl >= 15, "{wgsl} WGSL and {glsl} GLSL files");
}

/// The stage of an emitted GLSL file, told by its ending.
fn glsl_stage(name: &str) -> Option<Stage> {
    const ENDINGS: &[(&str, Stage)] =
        &[(".vert", Stage::Vertex), (".frag", Stage::Fragment), (".comp", Stage::Compute)];
    ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, stage)| *stage)
}
