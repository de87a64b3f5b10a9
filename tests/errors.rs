//! Error fixtures: sources under `tests/errors` that say on their lines what is reported there.
//!
//! ```text
//! float4 color = missing; // error[E0301]: `missing` is not declared
//! ```
//!
//! The words after the code must occur in the message or its labels. Each comment stands for exactly one diagnostic, and there must be no
//! others. `// options: target=wgsl` in the first line chooses targets; without it the source is only checked. A comment on
//! a line of its own that begins with `//^` speaks of the line above it.

use crate::fixtures::in_the_library;
use crate::support::{files_under, relative, root};
use libtest_mimic::Trial;
use shaderport::internals::options;
use shaderport::{MemoryLoader, Options, Severity, compile};
use std::path::{Path, PathBuf};

/// A diagnostic, expected or found.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Said {
    file: String,
    line: usize,
    /// `error[E0301]`.
    head: String,
    message: String,
}

fn expected(file: &str, text: &str) -> Vec<Said> {
    let mut list = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let above = line.trim_start().starts_with("//^");
        for severity in ["error", "warning"] {
            let mut rest = line;
            while let Some(at) = rest.find(&format!("{severity}[E")) {
                let said = &rest[at..];
                let Some((head, tail)) = said.split_once("]:") else { break };
                // Several on one line are separated by ` // `.
                let message = tail.split(" // ").next().unwrap_or(tail).trim();
                list.push(Said {
                    file: file.to_owned(),
                    line: if above { index } else { index + 1 },
                    head: format!("{head}]"),
                    message: message.to_owned(),
                });
                rest = tail;
            }
        }
    }
    list
}

/// Compiles one fixture beside all files of its directory; the diagnostics with places in the user's text.
fn found(path: &Path, text: &str) -> Vec<Said> {
    let directory = path.parent().expect("a parent");
    let name = |p: &Path| p.strip_prefix(directory).expect("a path below").to_string_lossy().replace('\\', "/");
    let mut loader = MemoryLoader::new();
    for other in files_under(directory, &[]) {
        loader = loader.with(&name(&other), &String::from_utf8_lossy(&std::fs::read(&other).expect("readable")));
    }
    let mut options = Options::default();
    let first = text.lines().next().unwrap_or("");
    for word in first.strip_prefix("// options:").unwrap_or("").split_whitespace() {
        match word.split_once('=') {
            Some(("target", list)) => options.targets = list.split(',').filter_map(|t| t.parse().ok()).collect(),
            Some(("entry", value)) => options.entries.extend(options::entry(value).ok()),
            Some(("profile", value)) => options.profile = Some(value.to_owned()),
            Some(("define", value)) => options.defines.extend(options::define(value).ok()),
            Some(("policy", value)) => options.policy = value.parse().expect("a policy"),
            _ => panic!("`{word}` is not an option of an error fixture"),
        }
    }
    let output = compile(&loader, &[&name(path)], &options);
    let said = |d: &shaderport::Diagnostic| {
        let (file, line) = match d.span.and_then(|span| output.position(span)) {
            Some((file, line, _)) => (file.to_owned(), line),
            None => (String::new(), 0),
        };
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let words: Vec<&str> =
            std::iter::once(&d.message).chain(d.labels.iter().map(|l| &l.message)).map(String::as_str).collect();
        Said { file, line, head: format!("{severity}[{}]", d.code), message: words.join("; ") }
    };
    let library = output.diagnostics.iter().find(in_the_library);
    assert!(library.is_none(), "said of the library: {}", output.render(false));
    output.diagnostics.iter().map(said).filter(|s| !s.head.starts_with("note")).collect()
}

fn check(path: &PathBuf) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a readable fixture");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut expected = expected(&name, &text);
    let mut wrong = Vec::new();
    if expected.is_empty() {
        wrong.push(format!("{}: expects nothing", relative(path)));
    }
    for said in found(path, &text) {
        let matches = |e: &Said| {
            e.file == said.file && e.line == said.line && e.head == said.head && said.message.contains(&e.message)
        };
        match expected.iter().position(matches) {
            Some(at) => {
                expected.remove(at);
            }
            None => wrong.push(format!(
                "{}: found {} in {}:{}: {}",
                relative(path),
                said.head,
                said.file,
                said.line,
                said.message
            )),
        }
    }
    wrong.extend(expected.iter().map(|e| format!("{}:{}: missing {}: {}", relative(path), e.line, e.head, e.message)));
    wrong
}

/// A test for each source.
pub fn trials() -> Vec<Trial> {
    // Files in directories named `include` are there for others.
    let own = |p: &PathBuf| !p.components().any(|c| c.as_os_str() == "include");
    let sources = files_under(&root().join("tests/errors"), &["slang", "hlsl"]).into_iter().filter(own);
    let trial = |path: PathBuf| {
        Trial::test(format!("errors/{}", crate::support::page_name(&path)), move || match check(&path).as_slice() {
            [] => Ok(()),
            wrong => Err(wrong.join("\n").into()),
        })
    };
    let comments = Trial::test("errors/comments_are_read", || {
        comments_are_read();
        Ok(())
    });
    sources.map(trial).chain([comments]).collect()
}

fn comments_are_read() {
    let text = "int a = b; // error[E0301]: `b` // warning[E0109]: careful\nint c;\n//^ error[E0302]: twice\n";
    let said =
        |line, head: &str, message: &str| Said { file: "f".into(), line, head: head.into(), message: message.into() };
    assert_eq!(
        expected("f", text),
        [said(1, "error[E0301]", "`b`"), said(1, "warning[E0109]", "careful"), said(2, "error[E0302]", "twice")]
    );
}
