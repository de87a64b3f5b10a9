//! Recorded cases as pages of the repository, so that its own tests compare them without the peers.

use super::cases::{Case, Recorded, read_cases};
use super::peer_rows::Row;
use crate::process;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The options of `cargo xtask layout-record`.
#[derive(clap::Args)]
pub struct RecordOptions {
    /// A directory of cases: sources, and beside each the rows that the peers gave, as `run_cases.py` writes them.
    directory: PathBuf,
    /// Where the pages go.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Writes a page for each case.
pub fn record(options: &RecordOptions) -> Result<bool, String> {
    let to = options.out.clone().unwrap_or_else(|| process::repository().join("tests/peers"));
    std::fs::create_dir_all(&to).map_err(|e| e.to_string())?;
    let cases = read_cases(&options.directory)?;
    for case in &cases {
        let page = page(&options.directory, case)?;
        std::fs::write(to.join(format!("{}.md", case.case)), page).map_err(|e| e.to_string())?;
    }
    println!("{} pages in {}", cases.len(), to.display());
    Ok(true)
}

fn page(directory: &Path, case: &Case) -> Result<String, String> {
    let mut text = format!("# {}\n\nfiles: {}\nentries: {}\n", case.case, case.files.join(" "), case.entries.join(" "));
    for (name, source) in sources(directory, case)? {
        let language = name.rsplit_once('.').map_or("slang", |(_, ending)| ending);
        let _ = write!(text, "\n```{language} {name}\n{source}```\n");
    }
    // Targets of the same rows share a section.
    let mut sections: Vec<(Vec<&str>, String)> = Vec::new();
    for (target, recorded) in &case.results {
        let body = section(target, recorded);
        match sections.iter_mut().find(|(_, other)| *other == body) {
            Some((targets, _)) => targets.push(target),
            None => sections.push((vec![target], body)),
        }
    }
    for (targets, body) in sections {
        let _ = write!(text, "\n## {}\n\n{body}", targets.join(", "));
    }
    Ok(text)
}

/// What a peer gave, below its heading.
fn section(target: &str, recorded: &Recorded) -> String {
    let mut text = format!("from: {}\n", recorded.tool);
    if !recorded.options.is_empty() {
        let _ = writeln!(text, "options: {}", recorded.options.join(" "));
    }
    if let Some(profile) = &recorded.profile {
        let _ = writeln!(text, "profile: {profile}");
    }
    text.push_str("\n```text\n");
    if recorded.status == "ok" {
        for row in recorded.rows.iter().filter_map(|r| row(r, target == "dxc")) {
            let _ = writeln!(text, "{row}");
        }
    } else {
        text.push_str("an error\n");
    }
    text.push_str("```\n");
    text
}

/// The files of a case and what they include or import, without the lines at the head that say how they are measured.
fn sources(directory: &Path, case: &Case) -> Result<Vec<(String, String)>, String> {
    let mut names = case.files.clone();
    let mut list = Vec::new();
    let mut next = 0;
    while let Some(name) = names.get(next).cloned() {
        next += 1;
        let text = std::fs::read_to_string(directory.join(&name)).map_err(|e| format!("{name}: {e}"))?;
        let lines: Vec<&str> = text.lines().skip_while(|line| line.starts_with("//")).collect();
        let words = text.split(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
        let besides: Vec<String> = words
            .flat_map(|word| [word.to_owned(), format!("{word}.slang")])
            .filter(|file| file.contains('.') && directory.join(file).is_file())
            .collect();
        let named = besides.into_iter().filter(|file| is_named(&text, file)).collect::<Vec<_>>();
        for file in named {
            if !names.contains(&file) {
                names.push(file);
            }
        }
        list.push((name, format!("{}\n", lines.join("\n"))));
    }
    Ok(list)
}

/// Whether a source includes or imports a file.
fn is_named(text: &str, file: &str) -> bool {
    let module = file.strip_suffix(".slang").unwrap_or(file);
    text.contains(&format!("#include \"{file}\"")) || text.contains(&format!("import {module};"))
}

/// A row of the oracle (`layout-rows/1`).
fn row(json: &Value, dxc: bool) -> Option<Row> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let number = |value: &Value| value.as_u64();
    let known = |value: &Value| (!value.is_null()).then(|| text(value));
    let list = |name: &str| json[name].as_array().map(Vec::as_slice).unwrap_or_default().iter().map(text);
    let row = Row {
        kind: text(&json["kind"]),
        path: text(&json["path"]),
        index: number(&json["index"]),
        space: number(&json["space"]).unwrap_or(0),
        count: known(&json["count"]).filter(|n| n != "1"),
        arrays: list("dims").zip(list("strides")).collect(),
        semantic: known(&json["semantic"]),
        offset: number(&json["offset"]),
        size: known(&json["size"]),
        buffer: known(&json["buffer"]).map(|_| {
            let of = &json["buffer"];
            (text(&of["kind"]), number(&of["index"]).unwrap_or(0), number(&of["space"]).unwrap_or(0))
        }),
    };
    if dxc { row.into_dxc_listing() } else { Some(row) }
}
