//! `cargo xtask bench --identifiers TREE`: how many of the names in emitted texts are names of the source.
//!
//! Of the distinct words of a text that are none of the target's language, those are kept which the sources of the tree have.
//! The rest was made up.

use super::Options;
use shaderport::Target;
use shaderport::internals::target::Profile;
use shaderport::internals::target::reserved::Reserved;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// (names, names kept) of some texts.
#[derive(Default)]
struct Count {
    texts: usize,
    names: usize,
    kept: usize,
}

impl Count {
    fn add(&mut self, text: &str, target: Target, sources: &BTreeSet<String>) {
        let Some(profile) = Profile::default_of(target) else { return };
        let reserved = Reserved::of(profile);
        let own = |word: &str| reserved.is_keyword(word) || reserved.is_builtin(word) || word.starts_with("gl_");
        let names: BTreeSet<String> = words(text).into_iter().filter(|word| !own(word)).collect();
        self.texts += 1;
        self.names += names.len();
        self.kept += names.iter().filter(|name| sources.contains(*name)).count();
    }

    fn text(&self) -> String {
        let share = 100.0 * self.kept as f64 / self.names.max(1) as f64;
        format!("{share:.1}% of {} names in {} texts", self.names, self.texts)
    }
}

/// The names in a text, without those in comments, directives and attributes in brackets.
fn words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        if line.trim_start().starts_with(['#', '[']) {
            continue;
        }
        for word in line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                found.insert(word.to_owned());
            }
        }
    }
    found
}

pub fn run(options: &Options, ours: &Path, peer: Option<&Path>, tree: &Path) -> Result<bool, String> {
    let tree = tree.canonicalize().map_err(|e| format!("{}: {e}", tree.display()))?;
    let entries = crate::conformance::attributed_entries(&tree)?;
    let sources = names_of_tree(&tree);
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let step = entries.len().div_ceil(options.sample.max(1)).max(1);
    for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
        let (mut mine, mut theirs) = (Count::default(), Count::default());
        for (file, entry, stage) in entries.iter().step_by(step) {
            let to = out.path().join("text");
            let file = tree.join(file);
            let mut command = Command::new(ours);
            command.arg("compile").arg(&file).args(["--target", target.name(), "--entry", &format!("{entry}:{stage}")]);
            let text = text_of(command.arg("-o").arg(&to), &to);
            let mut command = Command::new(peer.unwrap_or(ours));
            command.arg(&file).args(["-target", target.name(), "-entry", entry, "-stage", stage, "-o"]);
            let other = peer.and_then(|_| text_of(command.arg(&to), &to));
            // Only what both have written is compared.
            if let (Some(text), true) = (text, peer.is_none() || other.is_some()) {
                mine.add(&text, target, &sources);
                other.iter().for_each(|other| theirs.add(other, target, &sources));
            }
        }
        let peer = if peer.is_some() { format!("; slangc {}", theirs.text()) } else { String::new() };
        println!("  {}: identifiers kept: shaderport {}{peer}", target.name(), mine.text());
    }
    Ok(true)
}

fn text_of(command: &mut Command, to: &Path) -> Option<String> {
    let _ = std::fs::remove_file(to);
    let ran = command.output().ok()?;
    ran.status.success().then(|| std::fs::read_to_string(to).ok()).flatten()
}

fn names_of_tree(tree: &Path) -> BTreeSet<String> {
    let is_source =
        |path: &Path| path.extension().is_some_and(|e| ["slang", "hlsl", "hlsli", "h"].iter().any(|s| e == *s));
    let files = walkdir::WalkDir::new(tree).into_iter().flatten().filter(|f| is_source(f.path()));
    files.filter_map(|f| std::fs::read_to_string(f.path()).ok()).flat_map(|text| words(&text)).collect()
}
