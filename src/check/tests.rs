//! Source in, dump of the tree or diagnostics out.

use super::*;
use crate::preprocess::{Preprocess, preprocess};
use crate::source::{MemoryLoader, Sources};

/// Checks one file as a whole program.
pub(super) fn check_text(name: &str, text: &str) -> (Program, Vec<String>) {
    let loader = MemoryLoader::new().with(name, text);
    let mut sources = Sources::default();
    let mut diags = Diagnostics::default();
    let tokens = preprocess(&loader, name, &Preprocess::default(), &mut sources, &mut diags);
    let language = if name.ends_with(".slang") { Language::Slang } else { Language::Hlsl };
    let ast = crate::parse::parse(&tokens, language, &mut diags);
    let unit = SourceUnit { name: Symbol::new(name), file: FileId(0), ast, language, imports: Vec::new() };
    let input = Input { units: vec![unit], modules: Vec::new() };
    let options = Options { infer_entries: true, allow_no_entries: true, ..Options::default() };
    let program = check(crate::stdlib::stdlib(), &input, &options, &mut diags);
    let place = |d: &Diagnostic| {
        let span = d.span.map(|s| sources.use_site(s));
        let line = span.map_or(0, |s| sources.line_column(s.file, s.start).0 + 1);
        format!("{line}: {} {}", d.code, d.message)
    };
    let list = diags.list().iter().map(place).collect();
    (program, list)
}
