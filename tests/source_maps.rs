//! Source maps: every token of every text has a place in a source, and it is the right one.

use crate::page::{self, compile_page};
use crate::support::{files_under, relative, root};
use crate::traced::{Mapped, Wrong};
use shaderport::{FileLoader, MapForm, Options, Output, SourceMap, SourceMapUse, Target, compile};

/// The outputs of a page or sample with maps and without.
fn both(make: &dyn Fn(SourceMapUse) -> Output) -> Vec<(String, SourceMap)> {
    let (plain, mapped) = (make(SourceMapUse::None), make(SourceMapUse::File));
    let texts = |output: &Output| output.artifacts.iter().map(|a| a.text().to_owned()).collect::<Vec<_>>();
    assert_eq!(texts(&plain), texts(&mapped), "a map changes a text");
    assert!(plain.artifacts.iter().all(|artifact| artifact.source_map.is_none()));
    let pairs = mapped.artifacts.into_iter().map(|a| (a.text().to_owned(), a.source_map));
    pairs.filter_map(|(text, map)| Some((text, map?))).collect()
}

/// The maps of all fixtures and samples, by names.
fn all(see: &mut dyn FnMut(&str, &str, &SourceMap)) {
    let pages = [root().join("tests/fixtures"), root().join("src/legalize")];
    for path in pages.iter().flat_map(|directory| files_under(directory, &["md"])) {
        let read = std::fs::read_to_string(&path).expect("a page");
        if page::parse(&read).is_err() {
            continue;
        }
        let make = |maps| {
            let mut page = page::parse(&read).expect("a page");
            page.options.dump_after = None;
            page.options = page.options.source_map(maps);
            compile_page(&page)
        };
        both(&make).iter().for_each(|(text, map)| see(&relative(&path), text, map));
    }
    for path in files_under(&root().join("samples"), &["slang", "hlsl"]) {
        for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
            let loader = FileLoader::new([root().join("samples")]).allow_anywhere(true);
            let name = path.to_string_lossy().into_owned();
            let make = |maps| compile(&loader, &[&name], &Options::for_target(target).source_map(maps));
            both(&make).iter().for_each(|(text, map)| see(&relative(&path), text, map));
        }
    }
}

#[test]
fn every_token_is_mapped_and_names_to_themselves() {
    let mut sum = Wrong::default();
    let (mut known, mut astray) = (0, Vec::new());
    all(&mut |name, text, map| {
        let mapped = Mapped::new(text, map);
        let wrong = mapped.wrong();
        sum.tokens += wrong.tokens;
        sum.names += wrong.names;
        let named = |what: &String| format!("{name}: {what}");
        sum.unmapped.extend(wrong.unmapped.iter().map(named));
        sum.strange.extend(wrong.strange.iter().map(named));
        for found in mapped.known() {
            known += 1;
            let word = &mapped.words[found.word];
            if !mapped.segment(word).is_some_and(|segment| mapped.leads(&found, segment)) {
                astray.push(format!("{name}:{}: `{}` is of line {}", word.line + 1, word.text, found.line + 1));
            }
        }
        // What is written comes back.
        let form = MapForm { file: "a", way: "", has_texts: true };
        assert_eq!(SourceMap::read(&map.to_json(&form)).as_ref(), Ok(map), "{name}");
    });
    println!("{} tokens, {} names, {known} known", sum.tokens, sum.names);
    let first = |list: &[String]| list.iter().take(60).cloned().collect::<Vec<_>>().join("\n");
    assert!(sum.unmapped.is_empty(), "{} tokens are not mapped\n{}", sum.unmapped.len(), first(&sum.unmapped));
    assert!(astray.is_empty(), "{} of {known} names lead elsewhere\n{}", astray.len(), first(&astray));
    assert!(sum.strange.is_empty(), "{} of {} names are others\n{}", sum.strange.len(), sum.names, first(&sum.strange));
    assert!(sum.tokens > 100_000 && known > 10_000, "{} tokens, {known} names", sum.tokens);
}
