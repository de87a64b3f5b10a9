//! The pages of the error codes: the example that fails gives the code and nothing else, the mended one gives no error.

use shaderport::compile::{Options, Target, compile};
use shaderport::diagnostic::{Code, Severity, codes};
use shaderport::source::MemoryLoader;

/// Codes whose examples need further files, or options.
const NOT_ALONE: [Code; 6] = [
    Code::FILE_NOT_FOUND,
    Code::INCLUDE_CYCLE,
    Code::OUTSIDE_ROOTS,
    Code::MODULE_NOT_FOUND,
    Code::DECLARATION_CONFLICT,
    Code::CAPABILITY,
];

/// The fenced blocks of a page: language and text.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("```").skip(1).step_by(2).filter_map(|b| b.split_once('\n')).collect()
}

/// The codes of the errors of one source.
fn errors(language: &str, text: &str) -> Vec<Code> {
    let name = format!("main.{language}");
    let loader = MemoryLoader::new().with(&name, text);
    let options = Options { targets: vec![Target::Hlsl], skip_libraries: true, ..Options::default() };
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
            let mut found = errors(language, text);
            found.dedup();
            let expected = if index == 0 { vec![*code] } else { Vec::new() };
            if found != expected {
                wrong.push(format!("{code}, example {}: {found:?}", index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
