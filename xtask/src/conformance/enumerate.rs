//! The entry points of a tree, by the customs of three kinds of trees.

use super::judge::Judge;
use crate::layout::tree::DXC_STAGES;
use shaderport::Stage;
use shaderport::internals::batch::glsl_extension;
use std::path::{Path, PathBuf};

/// How a tree says what its entry points are.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Custom {
    /// Looked up in the tree.
    Auto,
    /// Slang files with `[shader("...")]` attributes, as in SaschaWillems/Vulkan.
    #[value(alias = "attributes")]
    Sascha,
    /// HLSL files with a compute `main` that DXC accepts, as in EmbarkStudios/kajiya.
    #[value(alias = "compute")]
    Kajiya,
    /// The list of a `CompileShaders.cmd`, as in microsoft/DirectXTK12.
    #[value(alias = "cmd")]
    Directxtk,
    /// HLSL files whose names end with a stage, `shadow.geom`, and hold its `main`.
    Suffixes,
}

impl Custom {
    pub fn describe(self) -> &'static str {
        match self {
            Custom::Auto => "auto",
            Custom::Sascha => "[shader] attributes",
            Custom::Kajiya => "compute `main` that DXC's front end accepts",
            Custom::Directxtk => "the entries of CompileShaders.cmd",
            Custom::Suffixes => "`main` of files named by stages",
        }
    }
}

/// One entry point.
#[derive(Clone)]
pub struct Entry {
    /// Relative to the tree.
    pub file: PathBuf,
    pub name: String,
    pub stage: Stage,
}

impl Entry {
    pub fn label(&self) -> String {
        format!("{}:{}", self.file.display(), self.name)
    }
}

pub struct Tree {
    pub custom: Custom,
    /// Where the files are: the given directory, or the one below it with the list.
    pub root: PathBuf,
    pub entries: Vec<Entry>,
}

pub fn tree(root: &Path, custom: Custom) -> Result<Tree, String> {
    let files = shader_files(root);
    let list = files.iter().find(|f| f.ends_with("CompileShaders.cmd"));
    let custom = match custom {
        Custom::Auto if list.is_some() => Custom::Directxtk,
        Custom::Auto if files.iter().any(|f| has_extension(f, "slang")) => Custom::Sascha,
        Custom::Auto if !files.iter().any(|f| has_extension(f, "hlsl")) => Custom::Suffixes,
        Custom::Auto => Custom::Kajiya,
        given => given,
    };
    let mut tree = Tree { custom, root: root.to_path_buf(), entries: Vec::new() };
    match (custom, list) {
        (Custom::Directxtk, None) => return Err("no CompileShaders.cmd in the tree".into()),
        (Custom::Directxtk, Some(list)) => {
            tree.root = root.join(list).parent().unwrap_or(root).to_path_buf();
            tree.entries = listed(&read(&root.join(list)));
        }
        (Custom::Kajiya, _) => tree.entries = compute_mains(root, &files)?,
        (Custom::Suffixes, _) => tree.entries = suffixed(root),
        _ => tree.entries = attributed(root, &files),
    }
    match tree.entries.is_empty() {
        true => Err(format!("{}: no entry points", root.display())),
        false => Ok(tree),
    }
}

/// Files below a directory, relative to it, sorted.
pub fn shader_files(root: &Path) -> Vec<PathBuf> {
    const EXTENSIONS: &[&str] = &["slang", "hlsl", "hlsli", "fx", "fxh", "h", "cmd", "slangh"];
    let walk = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().flatten();
    let files = walk.filter(|f| f.file_type().is_file() && EXTENSIONS.iter().any(|e| has_extension(f.path(), e)));
    files.filter_map(|f| Some(f.path().strip_prefix(root).ok()?.to_path_buf())).collect()
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Files whose names end with a stage.
fn suffixed(root: &Path) -> Vec<Entry> {
    let mut stages: Vec<Stage> = Stage::NAMES.iter().map(|(_, stage)| *stage).collect();
    stages.dedup();
    let walk = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().flatten();
    let entry = |file: walkdir::DirEntry| {
        let stage = *stages.iter().find(|s| has_extension(file.path(), glsl_extension(**s)))?;
        let path = file.path().strip_prefix(root).ok()?.to_path_buf();
        file.file_type().is_file().then(|| Entry { file: path, name: "main".into(), stage })
    };
    walk.filter_map(entry).collect()
}

/// Functions under a `[shader("STAGE")]`.
fn attributed(root: &Path, files: &[PathBuf]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for file in files.iter().filter(|f| has_extension(f, "slang") || has_extension(f, "hlsl")) {
        let text = without_comments(&read(&root.join(file)));
        for (at, _) in text.match_indices("[shader(\"") {
            let rest = &text[at + "[shader(\"".len()..];
            let Some((stage, rest)) = rest.split_once('"') else { continue };
            if let (Some(stage), Some(name)) = (Stage::parse(stage), function_name(rest)) {
                entries.push(Entry { file: file.clone(), name, stage });
            }
        }
    }
    entries
}

/// The name before the first `(` outside of attributes.
fn function_name(text: &str) -> Option<String> {
    let mut depth = 1usize; // inside of the attribute that was found
    let mut name = String::new();
    let mut ended = false;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '(' => return (!name.is_empty()).then_some(name),
            c if c.is_alphanumeric() || c == '_' => {
                if ended {
                    name.clear();
                    ended = false;
                }
                name.push(c);
            }
            _ => ended = true,
        }
    }
    None
}

/// Lines `call :CompileShader%1 FILE STAGE ENTRY` and `call :CompileComputeShader%1 FILE ENTRY`.
fn listed(list: &str) -> Vec<Entry> {
    let stage_of = |word: &str| DXC_STAGES.iter().find(|(_, own)| *own == word).map(|(stage, _)| *stage);
    let entry = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["call", how, file, stage, name] if how.starts_with(":CompileShader") => {
                Some(Entry { file: format!("{file}.fx").into(), name: name.into(), stage: stage_of(stage)? })
            }
            ["call", how, file, name] if how.starts_with(":CompileComputeShader") => {
                Some(Entry { file: format!("{file}.hlsl").into(), name: name.into(), stage: Stage::Compute })
            }
            _ => None,
        }
    };
    list.lines().filter_map(entry).collect()
}

/// Files with `[numthreads]` and a `main`. Such trees also hold old files that nothing compiles any more, so DXC's front
/// end decides (bindings come from the application, which DXC alone does not know).
fn compute_mains(root: &Path, files: &[PathBuf]) -> Result<Vec<Entry>, String> {
    let judge = Judge::find()?;
    let mut entries = Vec::new();
    for file in files.iter().filter(|f| has_extension(f, "hlsl")) {
        let text = without_comments(&read(&root.join(file)));
        let main = text.find("numthreads").is_some_and(|at| text[at..].contains("main"));
        let entry = Entry { file: file.clone(), name: "main".into(), stage: Stage::Compute };
        if main && judge.dxc_front_end_accepts(root, &entry)? {
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        out.push_str(&rest[..at]);
        let (end, skip) = if rest[at..].starts_with("//") { ("\n", 0) } else { ("*/", 2) };
        rest = rest[at + 2..].find(end).map_or("", |e| &rest[at + 2 + e + skip..]);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(directory.path().join("a.slang"), text).expect("writable");
        let entries = attributed(directory.path(), &["a.slang".into()]);
        entries.iter().map(|e| format!("{} {}", e.name, e.stage.name())).collect()
    }

    #[test]
    fn functions_below_shader_attributes() {
        assert_eq!(found("[shader(\"vertex\")]\nfloat4 vs(float3 p) : SV_Position { }"), ["vs vertex"]);
        assert_eq!(found("[shader(\"compute\")] [numthreads(8, (4), 1)] void cs() { }"), ["cs compute"]);
        assert_eq!(found("[shader(\"pixel\")]\nVector<float, 4> ps() { }"), ["ps fragment"]);
    }

    #[test]
    fn comments_do_not_count() {
        assert!(found("// [shader(\"vertex\")]\nvoid f() {} /* [shader(\"vertex\")] void g() {} */").is_empty());
        assert_eq!(found("[shader(\"raygeneration\")] void rgen() {}"), ["rgen raygeneration"]);
    }

    #[test]
    fn lines_of_a_list() {
        let entries = listed("rem x\ncall :CompileShader%1 Fog vs VSFog\r\ncall :CompileComputeShader%1 Mips main\n");
        let labels: Vec<String> = entries.iter().map(Entry::label).collect();
        assert_eq!(labels, ["Fog.fx:VSFog", "Mips.hlsl:main"]);
    }
}
