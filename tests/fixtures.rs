//! End-to-end fixtures: Markdown pages under `tests/fixtures`, each a source and what becomes of it.
//!
//! A page begins with what a person wrote: a title, words, code blocks with the sources (`slang` or `hlsl`, their names
//! after the language: ```` ```slang main.slang ````, where the first one is compiled and the others are there for
//! `#include` and `import`), and perhaps a line of options:
//!
//! ```text
//! options: target=hlsl,wgsl entry=psMain:fragment profile=sm_5_1 define=N=4 matrix=row policy=dxc sidecar
//! options: units=2 shift=t=100,s=200 globals=7,1 layouts
//! ```
//!
//! `dump=PASS` shows the tree after a legalization pass in place of the texts; such a page stands beside the pass.
//!
//! From the first `## ` heading on it is written by `BLESS=1 cargo test fixtures`: the diagnostics, and for each target the
//! emitted texts and, if asked for, the sidecar as a table (`sidecar`) and the layouts of types as an outline (`layouts`). Whatever is emitted must be legal, blessed or not.

use crate::support::{files_under, glsl_is_legal, relative, root, wgsl_is_legal};
use rayon::prelude::*;
use shaderport::compile::{Options, Output, Target, compile};
use shaderport::diagnostic::Code;
use shaderport::options;
use shaderport::source::MemoryLoader;
use shaderport::tree::MatrixOrder;
use std::path::Path;

/// A page: what was written, and what is generated.
pub struct Page {
    written: String,
    generated: String,
    /// (name, text); the first is the main file.
    sources: Vec<(String, String)>,
    options: Options,
    sidecar: bool,
    layouts: bool,
    /// How many of the sources are named for compilation.
    units: usize,
}

pub fn parse(text: &str) -> Result<Page, String> {
    let at = text.find("\n## ").map_or(text.len(), |at| at + 1);
    let (written, generated) = text.split_at(at);
    let mut page = Page {
        written: written.to_owned(),
        generated: generated.to_owned(),
        sources: Vec::new(),
        options: Options { targets: vec![Target::Hlsl, Target::Glsl, Target::Wgsl], ..Options::default() },
        sidecar: false,
        layouts: false,
        units: 1,
    };
    let mut open: Option<(String, String)> = None;
    for line in written.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => page.sources.extend(open.take()),
            (Some((_, text)), _) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, Some(info)) => {
                let (language, name) = info.split_once(' ').unwrap_or((info, ""));
                let name = if name.is_empty() { format!("main.{language}") } else { name.to_owned() };
                open = Some((name, String::new()));
            }
            (None, None) => {
                if let Some(words) = line.strip_prefix("options:") {
                    words.split_whitespace().try_for_each(|word| option(&mut page, word))?;
                }
            }
        }
    }
    if open.is_some() {
        return Err("a code block is not closed".into());
    }
    if page.sources.is_empty() {
        return Err("there is no source".into());
    }
    Ok(page)
}

/// One word of the options line.
fn option(page: &mut Page, word: &str) -> Result<(), String> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let to = &mut page.options;
    match name {
        "target" => to.targets = value.split(',').map(options::target).collect::<Result<_, _>>()?,
        "entry" => to.entries.push(options::entry(value)?),
        "profile" => to.profile = Some(value.to_owned()),
        "define" => to.defines.push(options::define(value)?),
        "policy" => to.policy = options::policy(value)?,
        "layout" => to.buffer_layout = options::buffer_layout(value)?,
        "lint" => {
            to.lint_layout = value == "layout";
            to.lint_stages = value == "stages";
        }
        "matrix" => to.matrix_order = if value == "row" { MatrixOrder::Row } else { MatrixOrder::Column },
        "dump" => to.dump_after = Some(value.to_owned()),
        "unsized" => to.unsized_array_size = Some(value.parse().map_err(|_| format!("`{value}` is no size"))?),
        "sidecar" => page.sidecar = true,
        "layouts" => page.layouts = true,
        "units" => page.units = value.parse().map_err(|e| format!("units: {e}"))?,
        "shift" => to.shift = options::shift(value)?,
        "globals" => to.globals_binding = Some(options::binding(value)?),
        _ => return Err(format!("`{word}` is no option of a fixture")),
    }
    Ok(())
}

/// Compiles the sources of a page.
pub fn compile_page(page: &Page) -> Output {
    let loader = page.sources.iter().fold(MemoryLoader::new(), |l, (name, text)| l.with(name, text));
    let main: Vec<&str> = page.sources.iter().take(page.units).map(|(name, _)| name.as_str()).collect();
    compile(&loader, &main, &page.options)
}

/// The generated half of a page.
fn generate(page: &Page) -> String {
    let output = compile_page(page);
    let mut text = String::new();
    if !output.diagnostics.is_empty() {
        section(&mut text, "diagnostics", "text", &output.render(false));
    }
    for dump in &output.dumps {
        section(&mut text, "after the pass", "slang", dump);
    }
    // A page of one pass shows the tree after it.
    for artifact in output.artifacts.iter().filter(|_| page.options.dump_after.is_none()) {
        let title = match artifact.entry {
            Some((name, _)) => format!("{}: {name}", artifact.target.name()),
            None => artifact.target.name().to_owned(),
        };
        match artifact.target {
            Target::Spirv => section(&mut text, &title, "wgsl", &artifact.intermediate),
            target => section(&mut text, &title, target.extension(), artifact.text()),
        }
    }
    for (target, reflection) in output.reflections.iter().filter(|_| page.sidecar) {
        section(&mut text, &format!("{}: sidecar", target.name()), "text", &reflection.to_text());
    }
    for (target, reflection) in output.reflections.iter().filter(|_| page.layouts) {
        section(&mut text, &format!("{}: layouts", target.name()), "text", &reflection.to_layouts());
    }
    text
}

fn section(to: &mut String, title: &str, language: &str, text: &str) {
    let space = if to.is_empty() { "" } else { "\n" };
    to.push_str(&format!("{space}## {title}\n\n```{language}\n{}\n```\n", text.trim_end()));
}

/// What independent compilers say of all that was emitted, and faults of our own.
pub fn complaints(output: &Output) -> Vec<String> {
    let faults = output.diagnostics.iter().filter(|d| d.code == Code::INTERNAL);
    let mut list: Vec<String> = faults.map(|d| format!("a fault inside: {}", d.message)).collect();
    for artifact in &output.artifacts {
        let result = match (artifact.target, artifact.entry) {
            (Target::Wgsl, _) => wgsl_is_legal(artifact.text()),
            (Target::Glsl, Some((_, stage))) => glsl_is_legal(artifact.text(), stage),
            _ => Ok(()),
        };
        if let Err(reason) = result {
            list.push(format!("illegal {}: {reason}\n{}", artifact.target.name(), artifact.text()));
        }
    }
    list
}

/// Checks one page, or rewrites it.
fn check(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?.replace("\r\n", "\n");
    let page = parse(&text)?;
    let generated = generate(&page);
    let legal = complaints(&compile_page(&page));
    if !legal.is_empty() {
        return Err(legal.join("\n"));
    }
    if generated == page.generated {
        return Ok(());
    }
    if bless {
        let space = if page.written.ends_with("\n\n") { "" } else { "\n" };
        return std::fs::write(path, format!("{}{space}{generated}", page.written)).map_err(|e| e.to_string());
    }
    Err(difference(&page.generated, &generated))
}

/// A unified diff from what a page says to what is so.
pub fn difference(expected: &str, actual: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, actual);
    diff.unified_diff().context_radius(3).header("expected", "actual").to_string()
}

#[test]
fn fixtures() {
    let bless = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    let mut pages = files_under(&root().join("tests/fixtures"), &["md"]);
    assert!(!pages.is_empty(), "there are no fixtures");
    // The pages of passes stand beside them.
    pages.extend(files_under(&root().join("src/legalize"), &["md"]));
    let check = |path: &std::path::PathBuf| check(path, bless).err().map(|e| format!("{}:\n{e}", relative(path)));
    let wrong: Vec<String> = pages.par_iter().filter_map(check).collect();
    let hint = "BLESS=1 cargo test fixtures rewrites the pages";
    assert!(wrong.is_empty(), "{} of {} pages differ ({hint}):\n\n{}", wrong.len(), pages.len(), wrong.join("\n\n"));
}

#[test]
fn pages_are_read() {
    let text = "# T\n\n```slang a.slang\nint x;\n```\n\noptions: target=wgsl entry=f:compute sidecar\n\n## wgsl\n\n```wgsl\n```\n";
    let page = parse(text).expect("a good page");
    assert_eq!(page.sources, [("a.slang".to_owned(), "int x;\n".to_owned())]);
    assert_eq!(page.options.targets, [Target::Wgsl]);
    assert_eq!(page.options.entries.len(), 1);
    assert!(page.sidecar);
    assert_eq!(page.generated, "## wgsl\n\n```wgsl\n```\n");
    assert!(parse("# T\n").is_err());
    assert!(parse("```slang\nint x;\n").is_err());
    assert!(parse("```slang\n```\noptions: nonsense\n").is_err());
}

#[test]
fn illegal_text_is_seen() {
    assert!(wgsl_is_legal("fn f() -> u32 { return 1.5; }").is_err());
    assert!(wgsl_is_legal("fn f() -> u32 { return 1u; }").is_ok());
    let stages =
        "@vertex fn v() -> @builtin(position) vec4f { return vec4f(); } @fragment fn f(@location(1) x: f32) {}";
    assert!(wgsl_is_legal(stages).is_err());
    let stage = shaderport::tree::Stage::Compute;
    assert!(glsl_is_legal("#version 450\nvoid main() { undeclared(); }\n", stage).is_err());
    assert!(glsl_is_legal("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n", stage).is_ok());
}

/// A pass that does nothing must show in its page, else nothing would tell that it is broken.
#[test]
fn a_missing_pass_is_seen() {
    let pages: Vec<Page> = files_under(&root().join("src/legalize"), &["md"])
        .iter()
        .map(|path| parse(&std::fs::read_to_string(path).expect("a page")).expect("a good page"))
        .collect();
    let mut names: Vec<&str> = shaderport::legalize::PASSES.iter().map(|pass| pass.name).collect();
    names.sort_unstable();
    names.dedup();
    let is_of = |page: &&Page, name: &str| page.options.dump_after.as_deref() == Some(name);
    let unseen = |name: &&str| {
        let own = pages.iter().filter(|page| is_of(page, name));
        !own.chain(pages.iter().filter(|page| !is_of(page, name))).any(|page| shows_without(page, name))
    };
    let unseen: Vec<&str> = names.into_par_iter().filter(unseen).collect();
    assert!(unseen.is_empty(), "no page beside a pass differs without it: {}", unseen.join(", "));
}

/// Whether a page differs without a pass. Later passes and the emitter may fail then as they like.
fn shows_without(page: &Page, pass: &str) -> bool {
    let loader = page.sources.iter().fold(MemoryLoader::new(), |l, (name, text)| l.with(name, text));
    let main: Vec<&str> = page.sources.first().map(|(name, _)| name.as_str()).into_iter().collect();
    let said = |options: Options| {
        let output = compile(&loader, &main, &options);
        (output.render(false), output.dumps)
    };
    let with = said(page.options.clone());
    let without = Options { left_out_pass: Some(pass.to_owned()), ..page.options.clone() };
    !with.1.is_empty() && std::panic::catch_unwind(|| said(without)).map_or(true, |without| without != with)
}
