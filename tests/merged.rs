//! The variants of a program as one text with `#if`.

use crate::support::{Run, contents, find_tool, shaderport, tree};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const LIT: &str = include_str!("merged/lit.hlsl");
const MANIFEST: &str = "[build]\npermutations = 'merged'\n[[shader]]\nfiles = ['lit.hlsl']\nentries = ['main:fragment']\n\
    permute = { SHADOWS = [0, 1], QUALITY = [1, 2, 3], FOG = [false, true] }\nexcept = [{ SHADOWS = 1, QUALITY = 3 }]\n";

fn lit() -> tempfile::TempDir {
    tree(&[("s/lit.hlsl", LIT), ("s/shaderport.toml", MANIFEST)])
}

fn build(directory: &Path, more: &[&str]) -> Run {
    let args = ["build", "s", "--target", "hlsl,glsl,wgsl", "--style", "own-line,4", "--out"];
    let run = shaderport(directory, &[&args[..], more].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The names of texts.
fn texts(directory: &Path, out: &str) -> Vec<String> {
    let names = contents(&directory.join(out)).into_iter().map(|(name, _)| name);
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".hlsl") || name.ends_with(".frag")).collect();
    names.sort();
    names
}

/// A variant's values, the file of its text, and what is to be defined.
type Row = (Value, String, Vec<(String, String)>);

/// The rows of the table for a target.
fn rows(directory: &Path, out: &str, target: &str) -> Vec<Row> {
    let table: Value = serde_json::from_str(&read(directory, &format!("{out}/lit.variants.json"))).expect("JSON");
    let row = |row: &Value| {
        let texts = row["texts"].as_array().expect("texts");
        let text = texts.iter().find(|text| text["target"] == target).expect("a text");
        let defines = text["defines"].as_object().into_iter().flatten();
        let define = |(name, value): (&String, &Value)| (name.clone(), value.as_str().expect("a value").to_owned());
        (row["values"].clone(), text["file"].as_str().expect("a file").to_owned(), defines.map(define).collect())
    };
    table["variants"].as_array().expect("variants").iter().map(row).collect()
}

#[test]
fn variants_are_one_text() {
    let directory = lit();
    let directory = directory.path();
    build(directory, &["out", "--depfiles"]);
    assert_eq!(texts(directory, "out"), ["glsl/lit.main.frag", "hlsl/lit.hlsl"]);
    assert_eq!(read(directory, "out/hlsl/lit.hlsl"), include_str!("merged/lit.merged.hlsl"));
    assert_eq!(read(directory, "out/glsl/lit.main.frag"), include_str!("merged/lit.merged.frag"));
    let depfile = read(directory, "out/hlsl/lit.d");
    assert!(depfile.starts_with("out/hlsl/lit.hlsl: ") && depfile.contains("s/lit.hlsl"), "{depfile}");
    // WGSL has nothing like `#if`.
    let wgsl = rows(directory, "out", "wgsl");
    assert_eq!(wgsl.len(), 10);
    assert!(wgsl.iter().all(|(_, file, defines)| file.starts_with("wgsl/lit.SHADOWS-") && defines.is_empty()));
    for (values, file, defines) in rows(directory, "out", "hlsl") {
        assert_eq!(file, "hlsl/lit.hlsl");
        let told: Vec<(String, String)> = values
            .as_object()
            .expect("values")
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        assert_eq!(defines, told);
    }
}

/// Another preprocessor makes the same of a variant as of its own text, and takes it.
#[test]
fn each_variant_is_its_own_text() {
    if Command::new("glslangValidator").arg("--version").output().is_err() {
        eprintln!("skipped: each_variant_is_its_own_text: glslangValidator was not found");
        return;
    }
    let directory = lit();
    let directory = directory.path();
    build(directory, &["one"]);
    build(directory, &["many", "--permutations", "separate"]);
    let (one, many) = (rows(directory, "one", "glsl"), rows(directory, "many", "glsl"));
    assert_eq!(one.len(), 10);
    for ((_, merged, defines), (_, own, _)) in one.iter().zip(&many) {
        let args: Vec<String> = defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
        let run = |more: &[&str], args: &[String], file: String| {
            let run = Command::new("glslangValidator").args(more).args(args).arg(directory.join(file)).output();
            let run = run.expect("glslangValidator runs");
            let said = String::from_utf8_lossy(&run.stdout).into_owned();
            assert!(run.status.success(), "{args:?}: {said}");
            said
        };
        run(&["-V", "-o", "/dev/null"], &args, format!("one/{merged}"));
        let tokens = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let expected = tokens(run(&["-E"], &[], format!("many/{own}")));
        assert_eq!(tokens(run(&["-E"], &args, format!("one/{merged}"))), expected, "{args:?}");
    }
}

#[test]
fn builds_know_what_is_right() {
    let directory = lit();
    let directory = directory.path();
    build(directory, &["out", "--cache", "cache"]);
    let again = build(directory, &["out", "--cache", "cache"]);
    assert!(again.stdout.contains("0 built"), "{}", again.stdout);
    // From the cache they are the same.
    build(directory, &["other", "--cache", "cache"]);
    assert_eq!(contents(&directory.join("out/glsl")), contents(&directory.join("other/glsl")));
    assert_eq!(contents(&directory.join("out/hlsl")), contents(&directory.join("other/hlsl")));
    // An edit that is about one variant changes the text of all.
    std::fs::write(directory.join("s/lit.hlsl"), LIT.replace("color *= 1.5;", "color *= 1.25;")).expect("a file");
    build(directory, &["out"]);
    let edited = include_str!("merged/lit.merged.hlsl").replace("color *= 1.5;", "color *= 1.25;");
    assert_eq!(read(directory, "out/hlsl/lit.hlsl"), edited);
    // What is not merged any more goes.
    build(directory, &["out", "--prune", "--permutations", "separate"]);
    assert!(!texts(directory, "out").iter().any(|name| name == "hlsl/lit.hlsl"));
    build(directory, &["out", "--prune"]);
    assert_eq!(texts(directory, "out"), ["glsl/lit.main.frag", "hlsl/lit.hlsl"]);
}

/// Values that are no numbers have numbers, or macros of their own.
#[test]
fn words_and_types_are_values() {
    let source = "#define low 0\n#define high 1\nRWStructuredBuffer<float> result;\n[numthreads(1, 1, 1)]\nvoid main()\n{\n    TYPE a = 1;\n\
                  #if QUALITY == high\n    a += 1;\n#endif\n    result[0] = a;\n}\n";
    let manifest = "[build]\npermutations = 'merged'\n[[shader]]\nfiles = ['*.hlsl']\n\
                    permute = { QUALITY = ['low', 'high'], TYPE = ['int', 'float'] }\n";
    let directory = tree(&[("s/lit.hlsl", source), ("s/shaderport.toml", manifest)]);
    build(directory.path(), &["out"]);
    let text = read(directory.path(), "out/hlsl/lit.hlsl");
    for part in [
        "#define high 2\n",
        "#if QUALITY == high\n    a += ",
        "#ifdef TYPE_int\n    int a = 1;\n#else\n    float a = 1",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let rows = rows(directory.path(), "out", "hlsl");
    let defines: Vec<String> = rows[1].2.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(defines, ["QUALITY=low", "TYPE=float", "TYPE_float=1"]);
}

#[test]
fn what_stays_separate_is_told() {
    let directory = lit();
    let directory = directory.path();
    let run = build(directory, &["out", "--line-directives"]);
    let told = "warning[E0708]: s/lit.hlsl: the variants stay separate hlsl texts: merged texts have no `#line`";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert!(texts(directory, "out").len() > 2);
    let args = ["build", "s", "--target", "hlsl", "--out", "out", "--line-directives", "-W", "E0708=error"];
    let refused = shaderport(directory, &args);
    assert!(refused.code == 1 && refused.stderr.contains("error[E0708]"), "{}", refused.stderr);
    let quiet = build(directory, &["out", "--line-directives", "-W", "E0708=off"]);
    assert!(!quiet.stderr.contains("E0708"), "{}", quiet.stderr);
}

/// The map of a merged text is made of those of its variants.
#[test]
fn merged_texts_have_source_maps() {
    let directory = lit();
    let directory = directory.path();
    build(directory, &["out", "--source-map"]);
    let names: Vec<String> = contents(&directory.join("out/hlsl")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.iter().filter(|name| name.ends_with(".map")).count(), 1, "{names:?}");
    for name in ["hlsl/lit.hlsl", "glsl/lit.main.frag"] {
        let text = read(directory, &format!("out/{name}"));
        // Of branches that no variant has all of.
        let mean = if name.ends_with(".hlsl") { "return sum / TAPS;" } else { "return sum / float(TAPS);" };
        for line in ["color *= 1.5;", "color *= 4.0;", "color.a *= fogDensity;", mean] {
            let at = text.lines().position(|text| text.trim_start().starts_with(line)).expect(line);
            let place = format!("out/{name}:{}", at + 1);
            let run = shaderport(directory, &["trace", &place]);
            assert!(run.code == 0, "{}{}", run.stdout, run.stderr);
            let found = run.stdout.split("s/lit.hlsl:").nth(1).and_then(|rest| rest.split(':').next());
            let found: usize = found.and_then(|line| line.parse().ok()).expect("a line");
            let is_same = LIT.lines().nth(found - 1).is_some_and(|text| text.contains(&line[..9]));
            assert!(is_same, "{line}: {}", run.stdout);
        }
    }
}

/// A program must not write what is merged of another one.
#[test]
fn names_of_merged_texts_are_taken() {
    let manifest =
        format!("{MANIFEST}[[program]]\nname = 'lit'\nfiles = ['other.hlsl']\nentries = ['main:fragment']\n");
    let other = "float4 main() : SV_Target\n{\n    return 0;\n}\n";
    let directory = tree(&[("s/lit.hlsl", LIT), ("s/other.hlsl", other), ("s/shaderport.toml", &manifest)]);
    let run = shaderport(directory.path(), &["build", "s", "--target", "hlsl", "--out", "out"]);
    assert!(run.code == 1 && run.stderr.contains("E0703"), "{}", run.stderr);
}

/// What a line of WESL's attributes says of the features that there are; `None`: it is no such line. `before`: an alternative before it was
/// taken.
fn attribute(line: &str, features: &Value, before: bool) -> Option<bool> {
    let line = line.trim();
    let condition = match line.strip_prefix("@elif").map_or(line.strip_prefix("@if"), Some) {
        Some(condition) => condition,
        None => return (line == "@else").then_some(!before),
    };
    let is_open = line.starts_with("@if") || !before;
    let mut text: String = condition.to_owned();
    let mut names: Vec<&String> = features.as_object().expect("features").keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names {
        text = text.replace(name.as_str(), if features[name] == true { "1" } else { "0" });
    }
    let rules = [("!0", "1"), ("!1", "0"), ("(0)", "0"), ("(1)", "1")];
    let products = [("0 && 0", "0"), ("0 && 1", "0"), ("1 && 0", "0"), ("1 && 1", "1")];
    let sums = [("0 || 0", "0"), ("0 || 1", "1"), ("1 || 0", "1"), ("1 || 1", "1")];
    while text.len() > 1 {
        let all = rules.iter().chain(&products).chain(&sums);
        let (from, to) =
            all.clone().find(|(from, _)| text.contains(from)).unwrap_or_else(|| panic!("{condition}: {text}"));
        text = text.replacen(from, to, 1);
    }
    Some(is_open && text == "1")
}

/// The lines of a text of WESL that are there with some features, by the way it is laid out: a node goes on to the line that ends it.
fn stripped(text: &str, features: &Value) -> Vec<String> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_comment = |line: &str| line.trim().starts_with("//");
    let (mut kept, mut at) = (Vec::new(), 0);
    // The alternatives of each depth.
    let mut taken = [false; 80];
    while let Some(line) = lines.get(at) {
        at += 1;
        let depth_of = depth(line);
        let Some(is_there) = attribute(line, features, taken[depth_of]) else {
            if !is_comment(line) {
                kept.push(line.trim().to_owned());
            }
            continue;
        };
        taken[depth_of] = is_there || taken[depth_of] && !line.trim().starts_with("@if");
        if is_there {
            continue;
        }
        loop {
            let line = lines[at].split(" //").next().expect("a part").trim_end();
            at += 1;
            if depth(line) == depth_of && (line.ends_with([';', ',']) || line.trim() == "}") {
                break;
            }
        }
    }
    kept
}

/// In WGSL the conditions are those of WESL, over features.
#[test]
fn wgsl_has_attributes() {
    let directory = lit();
    let directory = directory.path();
    build(directory, &["one", "--permutations", "merged-wesl"]);
    build(directory, &["many", "--permutations", "separate"]);
    let text = read(directory, "one/wgsl/lit.wgsl");
    assert_eq!(text, include_str!("merged/lit.merged.wgsl"));
    assert_eq!(read(directory, "one/hlsl/lit.hlsl"), include_str!("merged/lit.merged.hlsl"));
    let wesl = find_tool("wesl", "conditions of WESL");
    let (one, many) = (features(directory, "one"), rows(directory, "many", "wgsl"));
    assert_eq!(one.len(), 10);
    for ((values, file, features), (_, own, _)) in one.iter().zip(&many) {
        assert_eq!(file, "wgsl/lit.wgsl");
        let has = |name: &str| features[name] == true;
        assert_eq!((has("SHADOWS"), has("FOG")), (values["SHADOWS"] == "1", values["FOG"] == "1"));
        assert!(has(&format!("QUALITY_{}", values["QUALITY"].as_str().expect("a value"))), "{features}");
        let flat = read(directory, &format!("many/{own}"));
        let lines = flat.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        assert_eq!(stripped(&text, features), lines.collect::<Vec<_>>(), "{features}");
        if let Some(wesl) = &wesl {
            assert_eq!(
                translated(wesl, directory, "one/wgsl/lit.wgsl", features),
                translated(wesl, directory, &format!("many/{own}"), &Value::Null)
            );
        }
    }
}

/// What WESL's own translator, which checks it too, makes of a text.
fn translated(wesl: &Path, directory: &Path, file: &str, features: &Value) -> String {
    // A name with more parts is no path of a module.
    let plain = directory.join("plain.wgsl");
    std::fs::copy(directory.join(file), &plain).expect("a copy");
    let flags = features.as_object().into_iter().flatten();
    let flags = flags.map(|(name, value)| format!("-D{name}={}", if value == true { "enable" } else { "disable" }));
    let mut args = vec!["compile".to_owned(), "--mangler".to_owned(), "none".to_owned()];
    args.extend(flags);
    let run = Command::new(wesl).args(args).arg(&plain).output().expect("wesl runs");
    assert!(run.status.success(), "{file}: {features}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).into_owned()
}

/// The values of each variant, the file of its WGSL, and its features.
fn features(directory: &Path, out: &str) -> Vec<(Value, String, Value)> {
    let table: Value = serde_json::from_str(&read(directory, &format!("{out}/lit.variants.json"))).expect("JSON");
    let rows = table["variants"].as_array().expect("variants").iter();
    let of_row = |row: &Value| {
        let texts = row["texts"].as_array().expect("texts");
        let text = texts.iter().find(|text| text["target"] == "wgsl").expect("a text");
        assert!(text.get("defines").is_none(), "{text}");
        (row["values"].clone(), text["file"].as_str().expect("a file").to_owned(), text["features"].clone())
    };
    rows.map(of_row).collect()
}
