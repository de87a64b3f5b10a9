//! Source maps: every token of every text has a place in a source, and it is the right one.

use crate::page::{self, compile_page};
use crate::support::{files_under, relative, root, shaderport, tree};
use crate::traced::{Mapped, Wrong};
use shaderport::{FileLoader, MapForm, Options, Output, SourceMap, SourceMapUse, Target, compile};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

/// The outputs of a page or sample with maps and without.
fn both(make: &dyn Fn(SourceMapUse) -> Output) -> Vec<(String, SourceMap)> {
    let (plain, mapped) = (make(SourceMapUse::None), make(SourceMapUse::File));
    let texts = |output: &Output| output.artifacts.iter().map(|a| a.text().to_owned()).collect::<Vec<_>>();
    assert_eq!(texts(&plain), texts(&mapped), "a map changes a text");
    assert!(plain.artifacts.iter().all(|artifact| artifact.source_map.is_none()));
    let pairs = mapped.artifacts.into_iter().map(|a| (a.text().to_owned(), a.source_map));
    pairs.filter_map(|(text, map)| Some((text, map?))).collect()
}

/// The maps of a page, whose texts other tests know.
fn of_page(path: &Path) -> Vec<(String, SourceMap)> {
    let Ok(mut page) = page::parse(&std::fs::read_to_string(path).expect("a page")) else { return Vec::new() };
    page.options.dump_after = None;
    page.options = page.options.source_map(SourceMapUse::File);
    let texts = compile_page(&page).artifacts.into_iter();
    texts.filter_map(|artifact| Some((artifact.text().to_owned(), artifact.source_map?))).collect()
}

/// Those of a sample, which are made with and without maps.
fn of_sample(path: &Path) -> Vec<(String, SourceMap)> {
    let of_target = |target: Target| {
        let loader = FileLoader::new([root().join("samples")]).allow_anywhere(true);
        let name = path.to_string_lossy().into_owned();
        both(&|maps| compile(&loader, &[&name], &Options::for_target(target).source_map(maps)))
    };
    [Target::Hlsl, Target::Glsl, Target::Wgsl].into_iter().flat_map(of_target).collect()
}

/// What is found in the maps of all fixtures and samples.
#[derive(Default)]
struct Found {
    sum: Wrong,
    /// Names of which it is known where the source has them, with what is said of those that lead elsewhere.
    known: Vec<(String, Option<String>)>,
    /// Names in texts whose sources have none of the kind: passes and printers write them.
    made: BTreeSet<String>,
}

impl Found {
    fn see(&mut self, name: &str, text: &str, map: &SourceMap) {
        let mapped = Mapped::new(text, map);
        let wrong = mapped.wrong();
        self.sum.tokens += wrong.tokens;
        self.sum.names += wrong.names;
        let named = |what: &String| format!("{name}: {what}");
        self.sum.unmapped.extend(wrong.unmapped.iter().map(named));
        self.sum.strange.extend(wrong.strange.iter().map(named));
        for found in mapped.known() {
            let word = &mapped.words[found.word];
            let leads = mapped.segment(word).is_some_and(|segment| mapped.leads(&found, segment));
            let source = &map.sources()[found.source].name;
            let astray = format!("{name}:{}: `{}` is of {source}:{}", word.line + 1, word.text, found.line + 1);
            self.known.push((word.text.clone(), (!leads).then_some(astray)));
        }
        self.made.extend(mapped.made());
        // What is written comes back.
        let form = MapForm { file: "a", way: "", has_texts: true };
        assert_eq!(SourceMap::read(&map.to_json(&form)).as_ref(), Ok(map), "{name}");
    }
}

#[test]
fn every_token_is_mapped_and_names_to_themselves() {
    let pages = ["tests/fixtures", "src/legalize"].map(|directory| files_under(&root().join(directory), &["md"]));
    let samples = files_under(&root().join("samples"), &["slang", "hlsl"]);
    let found = Mutex::new(Found::default());
    let left = Mutex::new(pages.into_iter().flatten().chain(samples).collect::<Vec<_>>());
    let work = || {
        while let Some(path) = { left.lock().expect("paths").pop() } {
            let is_page = path.extension().is_some_and(|ending| ending == "md");
            for (text, map) in if is_page { of_page(&path) } else { of_sample(&path) } {
                found.lock().expect("no other failure").see(&relative(&path), &text, &map);
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let Found { sum, mut known, made } = found.into_inner().expect("no other failure");
    known.retain(|(name, _)| !made.contains(name));
    let mut astray: Vec<String> = known.iter().filter_map(|(_, astray)| astray.clone()).collect();
    let known = known.len();
    println!("{} tokens, {} names ({} strange), {known} known", sum.tokens, sum.names, sum.strange.len());
    astray.sort();
    let first = |list: &[String]| list.iter().take(60).cloned().collect::<Vec<_>>().join("\n");
    assert!(sum.unmapped.is_empty(), "{} tokens are not mapped\n{}", sum.unmapped.len(), first(&sum.unmapped));
    // Blocks of GLSL lead to their instances, and announced attributes to their announcement.
    assert!(astray.len() * 200 < known, "{} of {known} names lead elsewhere\n{}", astray.len(), first(&astray));
    // Passes write names that the source has elsewhere: those of types and fields of what they take apart. Pages of passes are full
    // of these (9.7% in them, 2 to 3% in trees).
    let few = sum.strange.len() * 10 <= sum.names;
    assert!(few, "{} of {} names are others\n{}", sum.strange.len(), sum.names, first(&sum.strange));
    assert!(sum.tokens > 100_000 && known > 1_000, "{} tokens, {known} names", sum.tokens);
}

const HEADER: &str = "#pragma once
#define GAIN 0.75
#define MIXED(a, b) lerp(a, b, GAIN)
float twice(float value) { return value * 2; }
#define PLUS + 0.25
";

const SOURCE: &str = "#include \"lib/common.hlsli\"
Texture2D<float4> picture;
SamplerState filter;
[shader(\"fragment\")]
float4 shade(float2 place : TEXCOORD0) : SV_Target
{
    float4 texel = picture.Sample(filter, place);
    float half_of_it = twice(texel.a) PLUS;
    return MIXED(texel, half_of_it);
}
";

/// A tree with a program, and the program built into it.
fn built(args: &[&str]) -> tempfile::TempDir {
    let tree =
        tree(&[("shaders/a.slang", SOURCE), ("shaders/lib/common.hlsli", HEADER), ("shaders/shaderport.toml", "")]);
    build(&tree, args);
    tree
}

fn build(tree: &tempfile::TempDir, args: &[&str]) -> Vec<String> {
    let run = shaderport(tree.path(), &[&["build", "shaders", "-o", "out"], args].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let files = files_under(&tree.path().join("out"), &[]);
    files.iter().map(|path| path.strip_prefix(tree.path()).expect("below").to_string_lossy().into_owned()).collect()
}

/// `FILE:LINE:COL` of a word in a text.
fn place_of(tree: &tempfile::TempDir, name: &str, word: &str) -> String {
    let text = std::fs::read_to_string(tree.path().join(name)).expect("a text");
    let (row, line) = text.lines().enumerate().find(|(_, line)| line.contains(word)).expect("the word");
    format!("{name}:{}:{}", row + 1, line.find(word).expect("the word") + 1)
}

#[test]
fn places_are_traced_through_macros_and_includes() {
    for args in [&["--source-map"][..], &["--source-map=inline"], &["--source-map", "--source-map-content"]] {
        let tree = built(&[&["--target", "hlsl,glsl,wgsl"], args].concat());
        // Where the macro stays, or is a function, it is defined and used.
        for (output, defined, place) in [
            ("out/hlsl/a.hlsl", "lerp(", "3:21"),
            ("out/glsl/a.shade.frag", "mix(", "3:21"),
            ("out/wgsl/a.wgsl", "GAIN)", "3:32"),
        ] {
            let traced = |word: &str| {
                let run = shaderport(tree.path(), &["trace", &place_of(&tree, output, word)]);
                assert_eq!(run.code, 0, "{}", run.stderr);
                run.stdout
            };
            let text = traced("half_of_it");
            assert!(text.contains("shaders/a.slang:8:11: note: `half_of_it`"), "{text}");
            assert!(text.contains("float half_of_it = twice(texel.a) PLUS;"), "{text}");
            let text = traced("value * 2");
            assert!(text.contains("shaders/lib/common.hlsli:4:35"), "{text}");
            assert!(text.contains("included from shaders/a.slang:1:"), "{text}");
            let text = traced("MIXED(texel");
            assert!(text.contains("shaders/a.slang:9:12"), "{text}");
            let text = traced(defined);
            assert!(text.contains(&format!("shaders/lib/common.hlsli:{place}")), "{text}");
            let text = traced("0.25");
            assert!(text.contains("in the expansion of macro `PLUS`"), "{text}");
            let json =
                shaderport(tree.path(), &["trace", &place_of(&tree, output, "texel"), "--message-format", "json"]);
            let message: serde_json::Value = serde_json::from_str(&json.stdout).expect("a message");
            assert_eq!(message["location"]["line_start"], 7, "{message}");
        }
    }
}

#[test]
fn what_cannot_be_traced_is_told() {
    let tree = built(&["--target", "hlsl"]);
    let trace = |place: &str| shaderport(tree.path(), &["trace", place]);
    let (none, nowhere, no_file) = (trace("out/hlsl/a.hlsl:1:1"), trace("out/hlsl/a.hlsl"), trace("none.hlsl:1:1"));
    assert_eq!((none.code, nowhere.code, no_file.code), (1, 2, 1));
    assert!(none.stderr.contains("E0705") && none.stderr.contains("--source-map"), "{}", none.stderr);
    build(&tree, &["--target", "hlsl", "--source-map"]);
    let beyond = trace("out/hlsl/a.hlsl:9999:1");
    assert!(beyond.code == 2 && beyond.stderr.contains("lines"), "{}", beyond.stderr);
    std::fs::write(
        tree.path().join("out/hlsl/a.hlsl.map"),
        "{\"version\": 3, \"sources\": [], \"mappings\": \"AAAA\"}",
    )
    .expect("a map");
    let wrong = trace("out/hlsl/a.hlsl:1:1");
    assert!(wrong.stderr.contains("a.hlsl.map:1:") && wrong.stderr.contains("not there"), "{}", wrong.stderr);
    std::fs::remove_file(tree.path().join("out/hlsl/a.hlsl.map")).expect("a file");
    assert_eq!(trace("out/hlsl/a.hlsl:1:1").code, 1);
    for (target, option) in [("spirv", "--source-map"), ("wgsl", "--line-directives")] {
        let run = shaderport(tree.path(), &["compile", "shaders/a.slang", "--target", target, option, "-o", "x"]);
        assert_eq!(run.code, 2, "{target}: {}", run.stderr);
    }
}

/// A token that is none of the source has the pass that wrote it; others, and those of printers alone, have none.
#[test]
fn tokens_of_passes_have_their_names() {
    let source = "struct Pair { Texture2D<float4> picture; SamplerState filter; float gain; };
Texture2D<float4> picture;
SamplerState filter;
float4 look(Pair pair, float2 at) { return pair.picture.Sample(pair.filter, at) * pair.gain; }
[shader(\"fragment\")]
float4 shade(float2 place : TEXCOORD0) : SV_Target
{
    Pair pair = { picture, filter, 2 };
    int i = 0;
    int both = i++ + i++;
    return look(pair, place) * both;
}
";
    let tree = tree(&[("shaders/a.slang", source), ("shaders/shaderport.toml", "")]);
    build(&tree, &["--target", "glsl,wgsl", "--source-map"]);
    let traced = |output: &str, word: &str| {
        let run = shaderport(tree.path(), &["trace", &place_of(&tree, output, word)]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    for output in ["out/glsl/a.shade.frag", "out/wgsl/a.wgsl"] {
        for word in ["both =", "look(", "gain"] {
            let text = traced(output, word);
            assert!(!text.contains("the pass"), "{output}: {text}");
        }
    }
    let text = traced("out/wgsl/a.wgsl", "value =");
    assert!(text.contains("shaders/a.slang:10:") && text.contains("the pass `flatten` wrote it"), "{text}");
    let text = traced("out/glsl/a.shade.frag", "out_target");
    assert!(text.contains("the pass `entry_points` wrote it"), "{text}");
}

/// A name that the source does not have comes from the pass that gave it, where it is declared and where it is used.
#[test]
fn names_that_passes_gave_have_theirs() {
    let source = "struct Patch { float buffer; float size; };
float sample(Patch patch, float input) { float output = input * patch.buffer; return output + patch.size; }
Texture2D<float4> texture;
[shader(\"fragment\")]
float4 shade(float2 place : TEXCOORD0) : SV_Target
{
    Patch one = { place.x, 2 };
    return texture.Load(int3(place, 0)) * sample(one, place.y);
}
";
    let tree = tree(&[("shaders/a.slang", source), ("shaders/shaderport.toml", "")]);
    build(&tree, &["--target", "glsl", "--source-map"]);
    let output = "out/glsl/a.shade.frag";
    let text = std::fs::read_to_string(tree.path().join(output)).expect("a text");
    let traced = |line: &str, word: &str| {
        let (number, line) = (1..).zip(text.lines()).find(|(_, text)| text.contains(line)).expect(line);
        let column = line.find(word).expect(word) + 1;
        let run = shaderport(tree.path(), &["trace", &format!("{output}:{number}:{column}")]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    for (line, word) in [
        ("uniform texture2D", "texture_"),
        ("float sample_(", "sample_"),
        ("float sample_(", "patch_"),
        ("float output_ =", "output_"),
        ("float output_ =", "input_"),
        ("float output_ =", "buffer_"),
        ("return output_", "output_"),
        ("texelFetch", "texture_"),
        ("texelFetch", "sample_"),
    ] {
        assert!(traced(line, word).contains("the pass `names` wrote it"), "{word}: {}\n{text}", traced(line, word));
    }
    for (line, word) in [("float sample_(", "float"), ("return output_", "size"), ("texelFetch", "one")] {
        assert!(!traced(line, word).contains("the pass"), "{word}: {}", traced(line, word));
    }
}

/// Maps are outputs like texts: they are kept, found in caches, removed, and in dependency files.
#[test]
fn maps_are_outputs() {
    let tree = built(&["--target", "wgsl", "--source-map", "--cache", "cache", "--depfiles"]);
    let map = tree.path().join("out/wgsl/a.wgsl.map");
    let first = std::fs::read(&map).expect("a map");
    assert!(String::from_utf8_lossy(&first).contains("../../shaders/a.slang"));
    // One that is gone is written again, from the cache.
    std::fs::remove_file(&map).expect("a file");
    build(&tree, &["--target", "wgsl", "--source-map", "--cache", "cache", "--depfiles"]);
    assert_eq!(std::fs::read(&map).expect("a map"), first);
    let elsewhere = shaderport(
        tree.path(),
        &["build", "shaders", "-o", "far/out", "--target", "wgsl", "--source-map", "--cache", "cache"],
    );
    assert_eq!(elsewhere.code, 0, "{}", elsewhere.stderr);
    let moved = std::fs::read_to_string(tree.path().join("far/out/wgsl/a.wgsl.map")).expect("a map");
    assert!(moved.contains("\"../../../shaders/a.slang\""), "{moved}");
    let files = build(&tree, &["--target", "wgsl", "--prune"]);
    assert!(!files.iter().any(|name| name.ends_with(".map")), "{files:?}");
}

#[test]
fn complaints_of_validators_are_told_of_sources() {
    let tree = built(&["--target", "wgsl", "--source-map", "--sidecar", "full"]);
    let path = tree.path().join("out/wgsl/a.wgsl");
    let text = std::fs::read_to_string(&path).expect("a text");
    std::fs::write(&path, text.replace("twice(texel", "thrice(texel")).expect("a text");
    let run = shaderport(tree.path(), &["validate", "out/wgsl/a.wgsl", "out/wgsl/a.json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("shaders/a.slang:8:24: error[E0801]: naga: "), "{}", run.stderr);
    assert!(run.stderr.contains("is what naga refuses") && run.stderr.contains("out/wgsl/a.wgsl:"), "{}", run.stderr);
}

#[test]
fn lines_are_told_to_compilers() {
    let tree = built(&["--target", "hlsl,glsl,wgsl", "--line-directives", "--source-map"]);
    let read = |name: &str| std::fs::read_to_string(tree.path().join(name)).expect("a text");
    // The file and the line that a compiler takes a line for.
    let told = |name: &str, word: &str| {
        let (text, mut place) = (read(name), (String::new(), 0));
        for line in text.lines() {
            if let Some((number, file)) = line.strip_prefix("#line ").and_then(|rest| rest.split_once(' ')) {
                place = (file.trim_matches('"').to_owned(), number.parse::<usize>().expect("a line"));
                continue;
            }
            if line.contains(word) {
                return place;
            }
            place.1 += 1;
        }
        panic!("`{word}` is not in {name}");
    };
    for name in ["out/hlsl/a.hlsl", "out/glsl/a.shade.frag"] {
        let lines = ["half_of_it =", "value * 2", "picture", "GAIN 0.75"].map(|word| told(name, word));
        let expected = [("a.slang", 8), ("lib/common.hlsli", 4), ("a.slang", 2), ("lib/common.hlsli", 2)];
        assert_eq!(lines, expected.map(|(file, line)| (file.to_owned(), line)), "{}", read(name));
    }
    let glsl = read("out/glsl/a.shade.frag");
    let extension = "#extension GL_GOOGLE_cpp_style_line_directive : require\n";
    assert!(glsl.starts_with(&format!("#version 460\n{extension}")), "{glsl}");
    assert!(!read("out/wgsl/a.wgsl").contains("#line"));
    // The map is of the text with them.
    let run = shaderport(tree.path(), &["trace", &place_of(&tree, "out/glsl/a.shade.frag", "half_of_it")]);
    assert!(run.stdout.contains("shaders/a.slang:8:11"), "{}", run.stdout);
}
