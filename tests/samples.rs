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

/// The OpenGL texts of samples whose stages are linked into one program, and of a program with all that may clash there.
#[test]
fn opengl_stages_link() {
    if std::process::Command::new("glslangValidator").arg("--version").output().is_err() {
        eprintln!("skipped: opengl_stages_link: glslangValidator was not found");
        return;
    }
    let page = std::fs::read_to_string(root().join("tests/fixtures/opengl_linked.md")).expect("the page");
    let source = page.split("```slang\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a source");
    let out = tempfile::tempdir().expect("a temporary directory");
    let clashes = out.path().join("clashes");
    std::fs::create_dir(&clashes).expect("a directory");
    std::fs::write(clashes.join("clashes.slang"), source).expect("a file");
    let clashes = clashes.to_string_lossy().into_owned();
    let (mut wrong, mut linked) = (Vec::new(), 0);
    for profile in ["glsl_330", "glsl_430", "glsl_450_gl", "glsl_es_300", "glsl_es_310", "glsl_es_320"] {
        for tree in ["samples", &clashes] {
            let texts = tempfile::tempdir().expect("a temporary directory");
            let directory = texts.path().to_string_lossy().into_owned();
            // What a version lacks is an error of that file alone.
            shaderport(&root(), &["build", tree, "--target", "glsl", "--profile", profile, "--out", &directory]);
            let names: Vec<String> = contents(texts.path()).into_iter().map(|(name, _)| name).collect();
            for vertex in names.iter().filter(|name| name.ends_with(".vert")) {
                let program = program_of(vertex);
                let fits = |name: &&String| name.ends_with(".frag") && program_of(name) == program;
                for fragment in names.iter().filter(fits) {
                    let run = std::process::Command::new("glslangValidator")
                        .args(["-l", vertex, fragment])
                        .current_dir(texts.path())
                        .output()
                        .expect("glslangValidator runs");
                    linked += 1;
                    if !run.status.success() {
                        wrong.push(format!("{profile} {vertex} {fragment}: {}", String::from_utf8_lossy(&run.stdout)));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
    assert!(linked >= 40, "{linked} programs");
}

/// The program of a text: its file without the stage.
fn program_of(name: &str) -> String {
    let file = name.rsplitn(3, '.').last().unwrap_or(name);
    file.trim_end_matches("_vs").trim_end_matches("_ps").to_owned()
}
