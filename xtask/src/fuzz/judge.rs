//! What becomes of one program: it is compiled in process, and each text that comes out is judged. glslang and naga judge in
//! process, where they take a hundredth of the time of a program that starts; DXC, spirv-val and Tint are programs.

use super::legality;
use super::seeds::Program;
use super::tolerated::is_tolerated;
use crate::conformance::enumerate::Entry;
use crate::conformance::judge::{Judge, Outcome};
use serde::{Deserialize, Serialize};
use shaderport::{Artifact, Code, Diagnostic, MemoryLoader, Output, Severity, Stage, Target, compile};
use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Entry points of an HLSL text that DXC compiles; each costs a run.
const MOST_ENTRIES: usize = 2;

/// Something that must not be.
#[derive(Serialize, Deserialize, Clone)]
pub struct Finding {
    /// The target, where it is of one.
    pub target: String,
    pub judge: String,
    pub reason: String,
    pub text: String,
}

impl Finding {
    /// What findings of one cause have in common.
    pub fn class(&self) -> String {
        format!("{} {}", self.judge, normalised(&self.reason))
    }
}

/// What came of a program.
#[derive(Serialize, Deserialize, Default)]
pub struct Verdict {
    /// Names of targets with a text.
    pub emitted: Vec<String>,
    /// How many texts were judged that had not been before.
    pub judged: usize,
    /// Microseconds of compiling and of judging.
    pub compiling: u64,
    pub judging: u64,
    pub findings: Vec<Finding>,
}

/// The judges, and which texts they have accepted.
pub struct Bench {
    judge: Judge,
    directory: tempfile::TempDir,
    accepted: HashSet<u64>,
    /// Keeps what they accepted for other processes and runs: many mutants have the same text, that of the seed most of all.
    kept: Option<File>,
}

/// What the last panic said, and where.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// What the last panic said.
pub fn panicked() -> String {
    PANIC.lock().map(|last| last.clone()).unwrap_or_default()
}

/// Keeps what panics say, which compilation turns into a diagnostic.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        let said = info.payload_as_str().unwrap_or("").lines().next().unwrap_or("").to_owned();
        let at = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        if let Ok(mut last) = PANIC.lock() {
            *last = format!("{at}: {said}");
        }
    }));
}

impl Bench {
    pub fn new() -> Result<Bench, String> {
        let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
        Ok(Bench { judge: Judge::find()?, directory, accepted: HashSet::new(), kept: None })
    }

    /// With the texts that were accepted before, by their hashes in a file.
    pub fn with(path: &Path) -> Result<Bench, String> {
        let fail = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut bench = Bench::new()?;
        let mut file = File::options().read(true).append(true).create(true).open(path).map_err(fail)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(fail)?;
        bench.accepted = bytes.as_chunks().0.iter().map(|hash| u64::from_le_bytes(*hash)).collect();
        bench.kept = Some(file);
        Ok(bench)
    }

    fn accept(&mut self, hash: u64) -> Result<(), String> {
        self.accepted.insert(hash);
        match &mut self.kept {
            Some(file) => file.write_all(&hash.to_le_bytes()).map_err(|e| e.to_string()),
            None => Ok(()),
        }
    }

    pub fn verdict(&mut self, program: &Program, output: &Output) -> Result<Verdict, String> {
        let mut verdict = Verdict { findings: faults(output), ..Verdict::default() };
        let is_judged = !has_spellings(program);
        for artifact in output.artifacts.iter().filter(|_| is_judged) {
            let name = artifact.target.name().to_owned();
            if !verdict.emitted.contains(&name) {
                verdict.emitted.push(name);
            }
            let mut hasher = DefaultHasher::new();
            (artifact.target.name(), artifact.entry.map(|(_, s)| s.name()), artifact.text()).hash(&mut hasher);
            let hash = hasher.finish();
            if self.accepted.contains(&hash) {
                continue;
            }
            verdict.judged += 1;
            match self.judged(artifact, &emitted_entries(output, artifact.target))? {
                Outcome::Illegal { judge, reason } if !is_tolerated(&judge, &reason) => {
                    let reason = reason.replace(&*self.directory.path().to_string_lossy(), "");
                    let (target, text) = (artifact.target.name().to_owned(), artifact.text().to_owned());
                    verdict.findings.push(Finding { target, judge, reason, text });
                }
                _ => self.accept(hash)?,
            }
        }
        Ok(verdict)
    }

    fn judged(&self, artifact: &Artifact, entries: &[(String, Stage)]) -> Result<Outcome, String> {
        let write = |name: &str, bytes: &[u8]| -> Result<PathBuf, String> {
            let path = self.directory.path().join(name);
            std::fs::write(&path, bytes).map_err(|e| e.to_string())?;
            Ok(path)
        };
        match (artifact.target, artifact.entry) {
            (Target::Hlsl, _) => {
                let path = write("text.hlsl", &artifact.bytes)?;
                let of =
                    |(name, stage): &(String, Stage)| Entry { file: path.clone(), name: name.clone(), stage: *stage };
                let mut outcome = Outcome::Legal;
                for entry in entries.iter().map(of).take(MOST_ENTRIES) {
                    outcome = self.judge.hlsl(&entry, &path)?;
                    if !outcome.is_legal() {
                        break;
                    }
                }
                Ok(outcome)
            }
            (Target::Glsl, Some((_, stage))) => match legality::glsl_words(artifact.text(), stage) {
                Ok(words) => {
                    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                    self.judge.spirv("vulkan1.3", &write("text.spv", &bytes)?)
                }
                // Another version of it, and other environments, decide.
                Err(_) => self.judge.glsl(stage, &write("text.glsl", &artifact.bytes)?),
            },
            (Target::Wgsl, _) => {
                let outcome = self.judge.tint(&write("text.wgsl", &artifact.bytes)?)?;
                let naga = || match shaderport::internals::validate::check_wgsl(artifact.text()) {
                    Ok(()) => Outcome::Legal,
                    Err(reason) => Outcome::Illegal { judge: "naga".into(), reason: of_naga(&reason) },
                };
                Ok(if outcome.is_legal() { naga() } else { outcome })
            }
            _ => Ok(Outcome::Legal),
        }
    }
}

/// The entry points by their names in the text.
fn emitted_entries(output: &Output, target: Target) -> Vec<(String, Stage)> {
    let reflection = output.reflections.iter().find(|(t, _)| *t == target).map(|(_, r)| r);
    let emitted = |name: &str, stage: Stage| {
        // One name may be there for several stages.
        let found = reflection.and_then(|r| r.entry_points.iter().find(|e| e.name == name && e.stage == stage.name()));
        found.map_or_else(|| name.to_owned(), |e| e.emitted_name.clone())
    };
    output.entries.iter().map(|(name, stage)| (emitted(name.as_str(), *stage), *stage)).collect()
}

pub fn compiled(program: &Program) -> Output {
    let loader = program.sources.iter().fold(MemoryLoader::new(), |l, (name, text)| l.with(name, text));
    compile(&loader, &program.main_files(), &program.options)
}

/// What is wrong with an output whatever the judges say: faults inside, errors without a place, diagnostics that drive a
/// terminal.
fn faults(output: &Output) -> Vec<Finding> {
    let finding = |judge: &str, reason: String| Finding {
        target: String::new(),
        judge: judge.to_owned(),
        reason,
        text: output.render(false),
    };
    let mut found = Vec::new();
    for diagnostic in &output.diagnostics {
        if diagnostic.code == Code::INTERNAL {
            found.push(finding("panic", panicked()));
        } else if diagnostic.severity == Severity::Error && diagnostic.span.is_none() && !has_no_place(diagnostic) {
            found.push(finding("unlocated", diagnostic.message.clone()));
        }
    }
    if output.render(false).chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        found.push(finding("control", "a control character in diagnostics".to_owned()));
    }
    found
}

/// What is not there has no place.
fn has_no_place(diagnostic: &Diagnostic) -> bool {
    // A conformance is an option, and so are the names in it.
    let of_option = diagnostic.message.starts_with("there is no") && diagnostic.message.contains("shall conform");
    of_option || matches!(diagnostic.code, Code::ENTRY_NOT_FOUND | Code::CONSTRAINT)
}

/// Whether a source brings words of a target itself: they are as it writes them, legal or not.
fn has_spellings(program: &Program) -> bool {
    program.sources.iter().any(|(_, text)| text.contains("__intrinsic_asm") || text.contains("spirv_asm"))
}

/// The lines of naga that say what is wrong: the first, and the causes below the source.
fn of_naga(said: &str) -> String {
    let causes =
        said.lines().map(str::trim).filter(|l| l.starts_with('=') || l.contains("invalid") || l.starts_with("error"));
    let text: Vec<&str> = causes.take(6).collect();
    if text.is_empty() { said.lines().next().unwrap_or("").to_owned() } else { text.join(" ") }
}

/// A message without what differs from text to text: names in quotes, numbers, places.
pub fn normalised(reason: &str) -> String {
    let start = ["error:", "ERROR:", "error ["].iter().find_map(|mark| reason.find(mark)).unwrap_or(0);
    let mut out = String::new();
    let mut quote = None;
    for c in reason[start..].chars() {
        match quote {
            Some(end) if c == end => {
                quote = None;
                out.push('_');
            }
            Some(_) => {}
            None if matches!(c, '\'' | '"' | '`') => quote = Some(c),
            None if c.is_ascii_digit() => {
                if !out.ends_with('N') {
                    out.push('N');
                }
            }
            None => out.push(c),
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(180).collect()
}

#[cfg(test)]
mod tests {
    use super::normalised;

    #[test]
    fn messages_of_one_cause_are_alike() {
        let [a, b] =
            ["one/a.hlsl:12:4: error: use of 'x' at 12", "one/b.hlsl:3:40: error: use of 'yy' at 7"].map(normalised);
        assert_eq!(a, b);
        assert_eq!(a, "error: use of _ at N");
    }
}
