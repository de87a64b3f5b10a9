//! The pages that `shaderport explain` shows: the example of an error code that fails gives the code and nothing else, the mended
//! one gives no error; the rules that code cites have pages, and every page is cited.

use crate::support::{files_under, relative, root};
use shaderport::guide;
use shaderport::internals::diagnostic::codes;
use shaderport::internals::layout::rules::pages;
use shaderport::{Code, MemoryLoader, Options, Severity, Target, WarningLevel, compile};

/// Codes whose examples need further files, or options.
const NOT_ALONE: [Code; 5] = [
    Code::FILE_NOT_FOUND,
    Code::INCLUDE_CYCLE,
    Code::OUTSIDE_ROOTS,
    Code::MODULE_NOT_FOUND,
    Code::DECLARATION_CONFLICT,
];

/// The fenced blocks of a page: language and text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("```").skip(1).step_by(2).filter_map(|b| b.split_once('\n')).collect()
}

/// The target of the command line that an example begins with; HLSL if it has none.
fn target(text: &str) -> Target {
    let named = text.split_once("--target ").and_then(|(_, rest)| rest.split_whitespace().next());
    named.map_or(Target::Hlsl, |name| Target::parse(name).expect("a target"))
}

/// The codes of the errors of one source; warnings of a code that is asked for are errors.
fn errors(language: &str, text: &str, asked: Code) -> Vec<Code> {
    let name = format!("main.{language}");
    let loader = MemoryLoader::new().with(&name, text);
    let options = Options::for_target(target(text)).skip_libraries().severity(Some(asked), WarningLevel::Error);
    let output = compile(&loader, &[&name], &options);
    output.diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect()
}

#[test]
fn examples_do_what_their_page_says() {
    let mut wrong = Vec::new();
    for (code, name, _) in codes::TABLE.iter().filter(|(c, ..)| !NOT_ALONE.contains(c)) {
        let page = codes::page(*code).unwrap_or_else(|| panic!("{name} has no page"));
        for (index, (language, text)) in blocks(page).into_iter().enumerate() {
            if !matches!(language, "hlsl" | "slang") {
                continue;
            }
            let mut found = errors(language, text, *code);
            found.dedup();
            let expected = if index == 0 { vec![*code] } else { Vec::new() };
            if found != expected {
                wrong.push(format!("{code}, example {}: {found:?}", index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What begins with the word of a family of rules: `layout-order`.
fn cited(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    words.filter(|word| word.starts_with("layout-") && !word.ends_with('-'))
}

/// Tasks of `cargo xtask` are named alike.
fn is_task(word: &str) -> bool {
    ["layout-cases", "layout-fuzz", "layout-locks", "layout-readback", "layout-record"].contains(&word)
}

#[test]
fn cited_rules_have_pages_and_pages_are_cited() {
    let mut known: Vec<&str> = Vec::new();
    let mut wrong = Vec::new();
    let sources = ["src", "tests"].map(|d| files_under(&root().join(d), &["rs", "md"])).concat();
    for path in sources.iter().filter(|p| !p.ends_with("tests/code_pages.rs")) {
        let text = std::fs::read_to_string(path).expect("a source");
        // A page cites itself in its title.
        let own = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        for word in cited(&text).filter(|word| !is_task(word) && *word != own) {
            match pages::PAGES.iter().find(|(id, _)| *id == word) {
                Some((id, _)) if !path.ends_with("src/layout/rules/pages.rs") => known.push(id),
                Some(_) => {}
                None => wrong.push(format!("{}: `{word}` has no page", relative(path))),
            }
        }
        let constants = pages::IDS.iter().filter(|(name, _)| text.contains(&format!("pages::{name}")));
        known.extend(constants.map(|(_, id)| *id));
    }
    wrong.extend(
        pages::PAGES.iter().filter(|(id, _)| !known.contains(id)).map(|(id, _)| format!("nothing cites `{id}`")),
    );
    for (id, text) in pages::PAGES {
        let titled = text.starts_with(&format!("# {id}: "));
        wrong.extend(Some(format!("the title of `{id}` does not begin with its id")).filter(|_| !titled));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn links_of_pages_lead_somewhere() {
    let mut wrong = Vec::new();
    let pages = files_under(&root().join("src"), &["md"]).into_iter().chain([root().join("README.md")]);
    for path in pages {
        let text = std::fs::read_to_string(&path).expect("a page");
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|t| !t.contains("://") && !t.contains(' ') && !t.starts_with('#')) {
            let there = path.parent().is_some_and(|directory| directory.join(target).exists());
            wrong.extend(Some(format!("{}: {target}", relative(&path))).filter(|_| !there));
        }
    }
    assert!(wrong.is_empty(), "links to what does not exist:\n{}", wrong.join("\n"));
}

#[test]
fn the_guide_is_found_by_name() {
    for (name, text) in guide::PAGES {
        assert!(text.starts_with("# ") && guide::page(name).is_some(), "{name}");
    }
}
