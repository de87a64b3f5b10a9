//! `cargo xtask opengl TREE`: the GLSL of a tree for each OpenGL profile, compiled and linked by Mesa.
//!
//! `link.cpp`, which the C++ compiler makes a program of, opens Mesa without a window. A vertex and a fragment shader of one source
//! are a program if there is one of each; every other stage is a separable program of its own.

use crate::process::target_directory;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The options of `cargo xtask opengl`.
#[derive(clap::Args)]
pub struct Options {
    /// The shader tree.
    tree: PathBuf,
    /// The shaderport to run.
    #[arg(long, default_value = "target/release/shaderport")]
    bin: PathBuf,
    /// Further arguments for shaderport.
    #[arg(last = true)]
    more: Vec<String>,
}

/// (profile, the API whose driver takes it).
const PROFILES: &[(&str, &str)] = &[
    ("glsl_330", "gl"),
    ("glsl_430", "gl"),
    ("glsl_450_gl", "gl"),
    ("glsl_es_300", "es"),
    ("glsl_es_310", "es"),
    ("glsl_es_320", "es"),
];

/// Prints for each profile how many programs Mesa links, and what it says of the others.
pub fn run(options: &Options) -> Result<bool, String> {
    let directory = target_directory().join("opengl");
    std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let linker = directory.join("link");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/opengl/link.cpp");
    let made = Command::new("c++").arg("-O1").arg("-o").arg(&linker).arg(source).arg("-ldl").status();
    if !made.is_ok_and(|status| status.success()) {
        return Err("the C++ compiler `c++` is missing or failed".into());
    }
    let mut good = true;
    for (profile, api) in PROFILES {
        let out = directory.join(profile);
        let _ = std::fs::remove_dir_all(&out);
        let mut build = Command::new(&options.bin);
        build.arg("build").arg(&options.tree).args(["--target", "glsl", "--profile", profile, "--out"]).arg(&out);
        // What a version lacks is an error of that file alone.
        build.args(&options.more).output().map_err(|e| format!("{}: {e}", options.bin.display()))?;
        let programs = programs(&out);
        let verdicts = link(&linker, api, &programs)?;
        let wrong: Vec<_> = programs.iter().zip(&verdicts).filter(|(_, verdict)| *verdict != "ok").collect();
        println!("{profile}: {} of {} programs link", programs.len() - wrong.len(), programs.len());
        for (program, verdict) in &wrong {
            println!("  {}\n    {verdict}", program.replace('\t', " + "));
        }
        good &= wrong.is_empty() && verdicts.len() == programs.len();
    }
    Ok(good)
}

/// The programs of a directory: the paths of the stages of each, with a tab between.
fn programs(out: &Path) -> Vec<String> {
    let mut sources: BTreeMap<String, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for entry in walkdir::WalkDir::new(out).sort_by_file_name().into_iter().flatten() {
        let path = entry.path().to_string_lossy().into_owned();
        let stage = ["vert", "frag", "comp"].into_iter().find(|stage| path.ends_with(&format!(".{stage}")));
        if let Some(stage) = stage {
            // `terrain.mainVertex.vert`, `tonemap_ps.main.frag`
            let file = path.rsplitn(3, '.').last().unwrap_or(&path).to_owned();
            let source = file.trim_end_matches("_vs").trim_end_matches("_ps").to_owned();
            sources.entry(source).or_default().entry(stage).or_default().push(path);
        }
    }
    let mut programs = Vec::new();
    for stages in sources.into_values() {
        match (stages.get("vert").map(Vec::as_slice), stages.get("frag").map(Vec::as_slice)) {
            (Some([vertex]), Some([fragment])) => programs.push(format!("{vertex}\t{fragment}")),
            (vertex, fragment) => programs.extend(vertex.into_iter().chain(fragment).flatten().cloned()),
        }
        programs.extend(stages.get("comp").into_iter().flatten().cloned());
    }
    programs
}

/// What Mesa says of each program.
fn link(linker: &Path, api: &str, programs: &[String]) -> Result<Vec<String>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", linker.display());
    let mut child = Command::new(linker);
    child.arg(api).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().map_err(failed)?;
    let mut input = child.stdin.take();
    let text = programs.join("\n");
    let output = std::thread::scope(|scope| {
        // Its answers are read meanwhile. If it ends early, its status says why.
        scope.spawn(move || input.take().map(|mut input| input.write_all(text.as_bytes())));
        child.wait_with_output()
    });
    let output = output.map_err(failed)?;
    if output.status.code() == Some(3) {
        return Err(format!("no driver: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}
