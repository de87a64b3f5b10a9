//! What becomes of the pages of `tests/fixtures` and of those beside the passes: a test each; see `page` for their form.
//! `BLESS=1 cargo test --test pages fixtures/NAME` rewrites what is generated. Whatever is emitted must be legal, blessed or
//! not.

use crate::page::{self, Page, compile_page};
use crate::support::{difference, files_under, glsl_is_legal, root, wgsl_is_legal};
use libtest_mimic::Trial;
use shaderport::{Code, Diagnostic, MemoryLoader, Options, Output, Target, compile};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A test for each page, and one for each pass.
pub fn trials() -> Vec<Trial> {
    let bless = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    let trial = |kind: &str, path: PathBuf| {
        let name = format!("{kind}/{}", crate::support::page_name(&path));
        Trial::test(name, move || {
            check(&path, bless).map_err(|why| format!("{why}\n(BLESS=1 rewrites the page)").into())
        })
    };
    let fixtures = files_under(&root().join("tests/fixtures"), &["md"]).into_iter().map(|p| trial("fixtures", p));
    let of_passes = files_under(&root().join("src/legalize"), &["md"]);
    let beside = of_passes.clone().into_iter().map(|p| trial("fixtures/legalize", p));
    let sources = Arc::new(of_passes);
    let mut passes: Vec<&'static str> = shaderport::internals::legalize::PASSES.iter().map(|pass| pass.name).collect();
    passes.sort_unstable();
    passes.dedup();
    let shown = passes.into_iter().map(|pass| {
        let pages = Arc::clone(&sources);
        Trial::test(format!("passes/{pass}"), move || shows(pass, &pages))
    });
    let legality = Trial::test("fixtures/illegal_text_is_seen", || {
        illegal_text_is_seen();
        Ok(())
    });
    fixtures.chain(beside).chain(shown).chain([legality]).collect()
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
    list.extend(
        output.diagnostics.iter().filter(in_the_library).map(|d| format!("said of the library: {}", d.message)),
    );
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

/// Whether a diagnostic is placed in the standard library, where no user can mend anything.
pub fn in_the_library(diagnostic: &&Diagnostic) -> bool {
    diagnostic.span.is_some_and(|span| span.file.is_library())
}

/// Checks one page, or rewrites it.
fn check(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?.replace("\r\n", "\n");
    let page = page::parse(&text)?;
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

fn illegal_text_is_seen() {
    assert!(wgsl_is_legal("fn f() -> u32 { return 1.5; }").is_err());
    assert!(wgsl_is_legal("fn f() -> u32 { return 1u; }").is_ok());
    let stages =
        "@vertex fn v() -> @builtin(position) vec4f { return vec4f(); } @fragment fn f(@location(1) x: f32) {}";
    assert!(wgsl_is_legal(stages).is_err());
    let stage = shaderport::Stage::Compute;
    assert!(glsl_is_legal("#version 450\nvoid main() { undeclared(); }\n", stage).is_err());
    assert!(glsl_is_legal("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n", stage).is_ok());
}

/// A pass that does nothing must show in its page or in another, else nothing would report that it is broken.
fn shows(pass: &str, pages: &[PathBuf]) -> Result<(), libtest_mimic::Failed> {
    let read = |path: &PathBuf| page::parse(&std::fs::read_to_string(path).expect("a page")).expect("a good page");
    let mut pages: Vec<Page> = pages.iter().map(read).collect();
    // Its own pages first: one of them nearly always does.
    pages.sort_by_key(|page| page.options.dump_after.as_deref() != Some(pass));
    match pages.iter().any(|page| shows_without(page, pass)) {
        true => Ok(()),
        false => Err("no page beside a pass differs without it".into()),
    }
}

/// Whether a page differs without a pass. Later passes and the emitter may fail then as they like.
fn shows_without(page: &Page, pass: &str) -> bool {
    let loader = page.sources.iter().fold(MemoryLoader::new(), |l, (name, text)| l.with(name, text));
    let main: Vec<&str> = page.sources.first().map(|(name, _)| name.as_str()).into_iter().collect();
    let said = |options: Options| {
        let output = compile(&loader, &main, &options);
        let texts: Vec<String> = output.artifacts.iter().map(|artifact| artifact.text().to_owned()).collect();
        (output.render(false), output.dumps, texts)
    };
    let with = said(page.options.clone());
    let without = page.options.clone().left_out_pass(pass);
    !with.1.is_empty() && std::panic::catch_unwind(|| said(without)).map_or(true, |without| without != with)
}
