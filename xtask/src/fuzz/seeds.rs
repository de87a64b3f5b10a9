//! What mutations start from: sources of the pages of tests, and files of trees with what they include.

use super::page;
use crate::conformance::shader_files;
use shaderport::{Options, Target};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The targets whose texts are judged.
pub const TARGETS: [Target; 3] = [Target::Hlsl, Target::Glsl, Target::Wgsl];

/// Sources and options of one compilation.
#[derive(Clone)]
pub struct Program {
    pub name: String,
    /// (name, text); the first ones are compiled, the others are there for includes.
    pub sources: Vec<(String, String)>,
    pub units: usize,
    pub options: Options,
}

impl Program {
    pub fn main_files(&self) -> Vec<&str> {
        self.sources.iter().take(self.units).map(|(name, _)| name.as_str()).collect()
    }

    /// The sources as the code blocks of a page.
    pub fn to_page(&self) -> String {
        let fence = |(name, text): &(String, String)| {
            let language = name.rsplit_once('.').map_or("slang", |(_, e)| e);
            format!("```{language} {name}\n{}\n```\n\n", text.trim_end())
        };
        format!("# {}\n\n{}", self.name, self.sources.iter().map(fence).collect::<String>())
    }
}

/// The pages and files at some paths, in an order that does not depend on the machine.
pub fn at(paths: &[PathBuf]) -> Result<Vec<Program>, String> {
    let mut list = Vec::new();
    for path in paths {
        if path.is_dir() {
            list.extend(of_pages(path));
            let files = shader_files(path).into_iter().filter(|f| is_source(f));
            list.extend(files.filter_map(|file| of_file(path, &file)));
        } else {
            let directory = path.parent().unwrap_or(Path::new("."));
            let file = path.file_name().map(PathBuf::from).ok_or(format!("{}: no file", path.display()))?;
            match path.extension().is_some_and(|e| e == "md") {
                true => list.extend(of_page(path)),
                false => list.extend(of_file(directory, &file)),
            }
        }
    }
    match list.is_empty() {
        true => Err("there are no seeds".into()),
        false => Ok(list),
    }
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "slang" || e == "hlsl" || e == "fx")
}

fn of_pages(directory: &Path) -> Vec<Program> {
    let walk = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter().flatten();
    let pages = walk.filter(|f| f.path().extension().is_some_and(|e| e == "md"));
    pages.filter_map(|f| of_page(f.path())).collect()
}

fn of_page(path: &Path) -> Option<Program> {
    let text = std::fs::read_to_string(path).ok()?;
    let page = page::parse(&text).ok()?;
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let mut options = page.options;
    options.targets = TARGETS.to_vec();
    options.profile = None;
    options.dump_after = None;
    Some(Program { name, sources: page.sources, units: page.units, options })
}

/// A file of a tree, with the files that it includes.
fn of_file(root: &Path, file: &Path) -> Option<Program> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let name = file.to_string_lossy().replace('\\', "/");
    let mut open = vec![name.clone()];
    while let Some(next) = open.pop() {
        let Ok(bytes) = std::fs::read(root.join(&next)) else { continue };
        if found.contains_key(&next) || bytes.len() > 64 << 10 {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let directory = next.rsplit_once('/').map_or("", |(d, _)| d);
        for path in text.lines().filter_map(included) {
            open.extend([directory, ""].map(|d| shaderport::internals::source::join_path(d, &path)));
        }
        found.insert(next, text);
    }
    let main = found.remove_entry(&name)?;
    let options = TARGETS.iter().fold(Options::default(), |options, target| options.target(*target));
    Some(Program { name, sources: std::iter::once(main).chain(found).collect(), units: 1, options })
}

/// The file that a line brings in.
fn included(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("#include") {
        let quoted = rest.trim_start().strip_prefix(['"', '<'])?;
        return quoted.split(['"', '>']).next().map(str::to_owned);
    }
    let rest = line.strip_prefix("import ").or(line.strip_prefix("__include "))?;
    let path = rest.split(';').next()?.trim().trim_matches('"').replace('.', "/");
    Some(format!("{path}.slang"))
}
