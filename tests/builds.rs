//! Builds of trees: programs of several files, permutations, what is built again after which edit, what is left out.

use crate::random::Random;
use crate::support::{Run, contents, shaderport, tree};
use shaderport::reflection::Reflection;
use std::path::Path;

const MANIFEST: &str = "shaderport.toml";

const VERTEX: &str = "cbuffer Camera { float4x4 view; };\nstruct V { float4 at : SV_Position; float2 uv : TEXCOORD0; };\n\
    V main(float3 at : POSITION) { V v; v.at = mul(view, float4(at, 1)); v.uv = at.xy; return v; }\n";
const FRAGMENT: &str = "Texture2D image;\nSamplerState linearSampler;\nstruct V { float4 at : SV_Position; float2 uv : TEXCOORD0; };\n\
    float4 main(V v) : SV_Target { return image.Sample(linearSampler, v.uv); }\n";

fn build(directory: &Path, more: &[&str]) -> Run {
    shaderport(directory, &[&["build", "s", "--target", "wgsl", "--out", "out"], more].concat())
}

/// Names of outputs, sorted.
fn outputs(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = contents(&directory.join("out")).into_iter().map(|(name, _)| name).collect();
    names.sort();
    names
}

fn write(directory: &Path, name: &str, text: &str) {
    std::fs::write(directory.join(name), text).expect("a file");
}

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The sources that were built, with the reasons.
fn built(run: &Run) -> Vec<String> {
    let line = |line: &str| {
        Some(line.strip_prefix("note: ")?.split_once(" was built: ")?).map(|(f, why)| format!("{f}: {why}"))
    };
    run.stderr.lines().filter_map(line).collect()
}

/// Two files of one program have one layout; by themselves both begin at binding 0.
#[test]
fn a_program_of_two_files_has_one_layout() {
    let manifest = "[[program]]\nname = \"quad\"\nfiles = [\"q.vert.hlsl\", \"q.frag.hlsl\"]\n";
    let directory = tree(&[("s/q.vert.hlsl", VERTEX), ("s/q.frag.hlsl", FRAGMENT), ("s/shaderport.toml", manifest)]);
    let run = build(directory.path(), &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert_eq!(outputs(directory.path()), ["wgsl/quad.json", "wgsl/quad.wgsl"]);
    let text = read(directory.path(), "out/wgsl/quad.wgsl");
    for (binding, name) in [(0, "view"), (1, "image"), (2, "linearSampler")] {
        let declared = format!("@binding({binding}) @group(0) var");
        let line = text.lines().find(|line| line.contains(&declared)).unwrap_or_else(|| panic!("{declared}\n{text}"));
        assert!(line.to_lowercase().contains(&name.to_lowercase()), "{line}");
    }
    assert!(text.contains("@vertex") && text.contains("@fragment"), "{text}");
    // `compile` knows the program by its files.
    let run = shaderport(directory.path(), &["compile", "s/q.vert.hlsl", "s/q.frag.hlsl", "--target", "wgsl"]);
    assert_eq!((run.code, run.stdout), (0, text));
}

/// Entry points of one name are told apart by their files, and by what the files are called.
#[test]
fn entry_points_of_one_name() {
    let directory = tree(&[("a.hlsl", VERTEX), ("b.hlsl", FRAGMENT)]);
    let compile = |entries: &[&str]| {
        let mut args = vec!["compile", "a.hlsl", "b.hlsl", "--target", "wgsl"];
        entries.iter().for_each(|entry| args.extend(["--entry", entry]));
        shaderport(directory.path(), &args)
    };
    let run = compile(&["a.hlsl:main:vertex", "b.hlsl:main:fragment"]);
    assert!(run.code == 0 && run.stdout.contains("@vertex") && run.stdout.contains("@fragment"), "{}", run.stderr);
    let run = compile(&["b.hlsl:main:fragment"]);
    assert!(run.code == 0 && !run.stdout.contains("@vertex") && run.stdout.contains("@fragment"), "{}", run.stderr);
    let run = compile(&["c.hlsl:main:fragment"]);
    assert!(run.code == 1 && run.stderr.contains("no function `main` in c.hlsl"), "{}", run.stderr);
}

#[test]
fn outputs_are_named_by_templates() {
    let manifest = "[build]\noutput = \"{target}-{stage}/{file}.{entry}\"\n";
    let source = "[shader(\"vertex\")] float4 vs() : SV_Position { return 0; }\n\
                  [shader(\"fragment\")] float4 ps() : SV_Target { return 1; }\n";
    let directory = tree(&[("s/x/a.slang", source), ("s/shaderport.toml", manifest)]);
    let run = build(directory.path(), &["--target", "glsl"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let names = ["glsl-frag/x/a.ps.frag", "glsl-vert/x/a.vs.vert", "glsl/x/a.json", "wgsl/x/a.json", "wgsl/x/a.wgsl"];
    assert_eq!(outputs(directory.path()), names);
    for (output, fault) in [("{nme}", "there is no `{nme}`"), ("../{file}", "leads out"), ("/x/{file}", "leads out")] {
        write(directory.path(), "s/shaderport.toml", &format!("[build]\noutput = \"{output}\"\n"));
        let run = build(directory.path(), &[]);
        assert!(run.code == 2 && run.stderr.contains(fault), "{}", run.stderr);
    }
}

/// Nothing is written of programs whose outputs have one name, whether that is known from the start or by their entry points.
#[test]
fn outputs_of_one_name() {
    let source = |name: &str| format!("[shader(\"fragment\")] float4 {name}() : SV_Target {{ return 1; }}\n");
    for (template, first, second, clash) in [
        ("{target}/all", "a", "b", true),
        ("{target}/{entry}", "same", "same", true),
        ("{target}/{entry}", "one", "other", false),
    ] {
        let manifest = format!("[build]\noutput = \"{template}\"\n");
        let files = [("s/a.slang", source(first)), ("s/b.slang", source(second)), ("s/shaderport.toml", manifest)];
        let directory = tree(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
        let run = shaderport(directory.path(), &["build", "s", "--target", "glsl", "--out", "out"]);
        assert_eq!(run.code, i32::from(clash), "{template}: {}", run.stderr);
        assert_eq!(
            run.stderr.contains("error[E0703]: s/a.slang and s/b.slang would write the same output"),
            clash,
            "{}",
            run.stderr
        );
        let texts = outputs(directory.path()).into_iter().filter(|name| name.ends_with(".frag")).count();
        assert_eq!(texts, if clash { 0 } else { 2 }, "{template}");
    }
}

const LIT: &str = "Texture2D image;\nSamplerState linearSampler;\n#ifdef FOG\n#define FOGGED(c) (c + 0.25)\n#else\n#define FOGGED(c) c\n#endif\n\
    float4 main(float2 uv : TEXCOORD0) : SV_Target\n{\n    float4 c = image.Sample(linearSampler, uv);\n\
    #if SHADOWS\n    c *= STRENGTH;\n#endif\n    return FOGGED(c);\n}\n";

fn lit(conditions: &str) -> String {
    let axes = "permute = { SHADOWS = [0, 1], STRENGTH = [2, '(1 + 1)', 3], FOG = [false, true], NEVER = ['a', 'b'] }";
    format!("[[shader]]\nfiles = [\"lit.hlsl\"]\nentries = [\"main:fragment\"]\n{axes}\n{conditions}\n")
}

/// Axes that a text does not ask for make no texts, and neither do those that change nothing.
#[test]
fn variants_are_stored_once() {
    let directory = tree(&[("s/lit.hlsl", LIT), ("s/shaderport.toml", &lit(""))]);
    let run = build(directory.path(), &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 programs in 24 variants"), "{}", run.stdout);
    let table: serde_json::Value =
        serde_json::from_str(&read(directory.path(), "out/lit.variants.json")).expect("JSON");
    let rows = table["variants"].as_array().expect("variants");
    assert_eq!(rows.len(), 24);
    let file = |row: &serde_json::Value| row["texts"][0]["file"].as_str().expect("a file").to_owned();
    let reason = |row: &serde_json::Value| row["reason"].as_str().expect("a reason").to_owned();
    let mut files: Vec<String> = rows.iter().map(file).collect();
    files.sort();
    files.dedup();
    // Without shadows two, as FOG tells; with them one for each strength, which is written differently though, and FOG.
    assert_eq!(files.len(), 8, "{files:#?}");
    let texts: Vec<String> = outputs(directory.path()).into_iter().filter(|name| name.ends_with(".wgsl")).collect();
    assert_eq!(texts, files);
    assert_eq!(reason(&rows[0]), "its own files");
    let first = "SHADOWS-0.STRENGTH-2.FOG-undefined.NEVER-a";
    assert_eq!(reason(&rows[1]), format!("as {first}: the sources do not ask for NEVER"));
    let values = serde_json::json!({ "SHADOWS": "0", "STRENGTH": "(1 + 1)", "FOG": null, "NEVER": "a" });
    let row = rows.iter().find(|row| row["values"] == values).expect("a variant");
    assert_eq!((reason(row), file(row)), (format!("as {first}: the sources do not ask for STRENGTH"), file(&rows[0])));
    // Every variant is what a compilation with its macros gives.
    for row in rows.iter().step_by(5) {
        let mut args = vec!["compile".to_owned(), "s/lit.hlsl".to_owned(), "--target".to_owned(), "wgsl".to_owned()];
        args.extend(["--no-manifest", "--entry", "main:fragment"].map(str::to_owned));
        for (name, value) in row["values"].as_object().expect("values") {
            args.extend(value.as_str().map(|value| format!("-D{name}={value}")));
        }
        let run = shaderport(directory.path(), &args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(run.stdout, read(&directory.path().join("out"), &file(row)), "{row}");
    }
}

/// Two entry points have a text each, also if the texts are equal; variants share those of one entry point.
#[test]
fn equal_texts_of_two_entry_points() {
    let source = "struct V { float4 at : SV_Position; };\nV VSOne(float3 at : POSITION) { V v; v.at = float4(at, WIDE); return v; }\n\
        V VSTwo(float3 at : POSITION) { V v; v.at = float4(at, WIDE); return v; }\n";
    let manifest = "[[shader]]\nfiles = [\"a.hlsl\"]\nentries = [\"VSOne:vertex\", \"VSTwo:vertex\"]\npermute = { WIDE = [1, \"1.0\"] }\n";
    let directory = tree(&[("s/a.hlsl", source), ("s/shaderport.toml", manifest)]);
    let run = build(directory.path(), &["--target", "glsl"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let texts: Vec<String> = outputs(directory.path()).into_iter().filter(|name| name.ends_with(".vert")).collect();
    let first = ["VSOne", "VSTwo"].map(|entry| format!("glsl/a.WIDE-1.{entry}.vert"));
    assert_eq!(texts.iter().filter(|name| first.contains(name)).count(), 2, "{texts:?}");
    let table: serde_json::Value =
        serde_json::from_str(&read(directory.path(), "out/a.variants.json")).expect("a table");
    for name in &texts {
        assert!(table.to_string().contains(name.as_str()), "{name}: {table}");
    }
}

/// `[numthreads]` tells no stage by itself: the name of the file may say that it is an amplification shader, and a function with
/// a result is none beside another one.
#[test]
fn stages_with_workgroups() {
    let task = "struct P { uint count; };\ngroupshared P payload;\n[numthreads(1, 1, 1)] void main() { DispatchMesh(1, 1, 1, payload); }\n";
    let compute = "RWStructuredBuffer<uint> data;\n[numthreads(8, 1, 1)] bool isOdd(uint n) { return n % 2 == 1; }\n\
        [numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { data[id.x] = isOdd(id.x) ? 1 : 0; }\n";
    let directory = tree(&[("grid.task", task), ("grid_as.hlsl", task), ("odd.comp.hlsl", compute)]);
    for (file, stage) in
        [("grid.task", "amplification"), ("grid_as.hlsl", "amplification"), ("odd.comp.hlsl", "compute")]
    {
        let run = shaderport(directory.path(), &["reflect", file, "--target", "hlsl", "--format", "json"]);
        assert_eq!(run.code, 0, "{file}: {}", run.stderr);
        let sidecar = Reflection::from_json(&run.stdout).expect("a sidecar");
        let stages: Vec<&str> = sidecar.entry_points.iter().map(|entry| entry.stage.as_str()).collect();
        assert_eq!(stages, [stage], "{file}");
    }
    // Without another one it is taken for what was meant.
    write(directory.path(), "sole.hlsl", "[numthreads(8, 1, 1)] float main() { return 1; }\n");
    let run = shaderport(directory.path(), &["compile", "sole.hlsl", "--target", "wgsl"]);
    assert!(run.code == 1 && run.stderr.contains("E0603"), "{}", run.stderr);
}

/// Where two files have a `main` each, their names in a text are others, by which validators are asked.
#[test]
fn validators_know_names_of_texts() {
    let directory = tree(&[("q.vert.hlsl", VERTEX), ("q.frag.hlsl", FRAGMENT)]);
    let files = ["q.vert.hlsl", "q.frag.hlsl"].map(|name| directory.path().join(name).to_string_lossy().into_owned());
    let loader = shaderport::FileLoader::new(std::iter::empty::<&Path>());
    let targets = [shaderport::Target::Hlsl, shaderport::Target::Glsl, shaderport::Target::Wgsl];
    let options = targets.into_iter().fold(shaderport::Options::default(), shaderport::Options::target);
    let output = shaderport::compile(&loader, &files.each_ref().map(String::as_str), &options);
    assert!(!output.artifacts.is_empty());
    for artifact in &output.artifacts {
        for (name, _) in &artifact.emitted {
            assert!(artifact.text().contains(&format!(" {name}(")), "{name}: {}", artifact.text());
        }
        let names: std::collections::BTreeSet<_> = artifact.emitted.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), if artifact.entry.is_some() { 1 } else { 2 }, "{names:?}");
    }
    let run = shaderport(
        directory.path(),
        &["compile", "q.vert.hlsl", "q.frag.hlsl", "--target", "hlsl", "-o", "out.hlsl", "--validate"],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn conditions_choose_variants() {
    let directory = tree(&[("s/lit.hlsl", LIT), ("s/shaderport.toml", "")]);
    for (conditions, variants) in [
        ("except = [{ SHADOWS = 0, STRENGTH = [3, '(1 + 1)'] }]", "16 variants"),
        ("only = [{ SHADOWS = 1, FOG = true, NEVER = 'a' }]", "3 variants"),
        ("only = [{ FOG = false, NEVER = 'a' }]\nexcept = [{ SHADOWS = 0 }]", "3 variants"),
    ] {
        write(directory.path(), "s/shaderport.toml", &lit(conditions));
        let run = build(directory.path(), &[]);
        assert!(run.code == 0 && run.stdout.contains(variants), "{conditions}: {}{}", run.stdout, run.stderr);
    }
    // A macro of the command line is no axis any more.
    let run = build(directory.path(), &["-D", "STRENGTH=5"]);
    assert!(run.code == 0 && run.stdout.contains("1 programs, "), "{}{}", run.stdout, run.stderr);
    for (conditions, fault, place) in [
        ("only = [{ FOGS = true }]", "names `FOGS`, which is no axis", ":5:1: error"),
        ("except = [{ SHADOWS = 2 }]", "asks for `SHADOWS` = `2`, which it never is", ":5:1: error"),
        ("only = [{ SHADOWS = 1 }]\nexcept = [{ SHADOWS = 1 }]", "leave no variant", ":6:1: error"),
    ] {
        write(directory.path(), "s/shaderport.toml", &lit(conditions));
        let run = build(directory.path(), &[]);
        assert!(run.code == 2 && run.stderr.contains(fault) && run.stderr.contains(place), "{}", run.stderr);
    }
}

/// Exactly what an edit concerns is built again, with the reason; nothing else is touched.
#[test]
fn what_is_built_again() {
    let user = |n: u32| format!("#include \"h{n}.hlsli\"\nfloat4 main() : SV_Target {{ return value{n}; }}\n");
    let files = [
        ("s/h1.hlsli", "static const float value1 = 1;\n".to_owned()),
        ("s/h2.hlsli", "static const float value2 = 2;\n".to_owned()),
        ("s/a.frag.hlsl", user(1)),
        ("s/b.frag.hlsl", user(1)),
        ("s/c.frag.hlsl", user(2)),
        (
            "s/shaderport.toml",
            "[build]\ninclude = [\"lib\"]\n[[shader]]\nfiles = [\"c.*\"]\ndefines = { D = 1 }\n".to_owned(),
        ),
    ];
    let directory = tree(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let at = directory.path();
    let again = || {
        let run = build(at, &["--explain-rebuild"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        built(&run)
    };
    assert_eq!(again().len(), 3);
    assert_eq!(again(), [""; 0]);
    write(at, "s/h1.hlsli", "static const float value1 = 11;\n");
    let changed = "h1.hlsli has changed";
    assert_eq!(again(), [format!("s/a.frag.hlsl: {changed}"), format!("s/b.frag.hlsl: {changed}")]);
    // The same bytes, with another time.
    write(at, "s/h1.hlsli", "static const float value1 = 11;\n");
    assert_eq!(again(), [""; 0]);
    // A file where one was looked for before another was found.
    std::fs::create_dir(at.join("s/lib")).expect("a directory");
    write(at, "s/lib/h2.hlsli", "static const float value2 = 22;\n");
    assert_eq!(again(), [""; 0]);
    std::fs::rename(at.join("s/h2.hlsli"), at.join("s/h2.old")).expect("a file");
    assert_eq!(again(), ["s/c.frag.hlsl: h2.hlsli has changed"]);
    std::fs::rename(at.join("s/h2.old"), at.join("s/h2.hlsli")).expect("a file");
    assert_eq!(again(), ["s/c.frag.hlsl: h2.hlsli is there now"]);
    // An output that somebody changed, and one that is gone.
    write(at, "out/wgsl/a.frag.wgsl", "changed");
    std::fs::remove_file(at.join("out/wgsl/b.frag.json")).expect("an output");
    let wrong = |file: &str, output: &str| format!("s/{file}: the output wgsl/{output} is not what was written");
    assert_eq!(again(), [wrong("a.frag.hlsl", "a.frag.wgsl"), wrong("b.frag.hlsl", "b.frag.json")]);
    // A setting of one file.
    write(
        at,
        "s/shaderport.toml",
        "[build]\ninclude = [\"lib\"]\n[[shader]]\nfiles = [\"c.*\"]\ndefines = { D = 2 }\n",
    );
    let options = "options, the manifest's settings or the tool have changed";
    assert_eq!(again(), [format!("s/c.frag.hlsl: {options}")]);
    assert_eq!(again(), [""; 0]);
}

/// Warnings and errors are there again when nothing is built, and so is the exit code.
#[test]
fn what_was_said_is_said_again() {
    let files = [
        ("s/bad.frag.hlsl", "float4 main() : SV_Target { return unknown; }\n"),
        ("s/warn.frag.hlsl", "[numthread(1)] float4 main() : SV_Target { return 1; }\n"),
    ];
    let directory = tree(&files);
    let first = build(directory.path(), &["-q"]);
    assert!(
        first.code == 1 && first.stderr.contains("warning[") && first.stderr.contains("`unknown`"),
        "{}",
        first.stderr
    );
    let second = build(directory.path(), &["-q"]);
    assert_eq!((second.code, &second.stderr, second.stdout.as_str()), (1, &first.stderr, ""));
    assert!(built(&build(directory.path(), &["--explain-rebuild"])).is_empty());
}

/// Outputs of sources that are gone are named, and removed on request; a build does not read what builds have written.
#[test]
fn outputs_of_no_program_and_own_outputs() {
    let source = "[shader(\"fragment\")] float4 ps() : SV_Target { return 1; }\n";
    let directory = tree(&[("s/a.slang", source), ("s/b.slang", source)]);
    let at = directory.path();
    // Into the tree itself, beside the sources: HLSL that was written is no source.
    let inside = |more: &[&str]| shaderport(at, &[&["build", "s", "--target", "hlsl", "--out", "s"], more].concat());
    for _ in 0..2 {
        let run = inside(&[]);
        assert!(run.code == 0 && run.stdout.starts_with("2 programs, 0 files"), "{}{}", run.stdout, run.stderr);
    }
    // Into a directory of the tree.
    for _ in 0..2 {
        let run = shaderport(&at.join("s"), &["build", "--target", "hlsl"]);
        assert!(run.code == 0 && run.stdout.starts_with("2 programs, 0 files"), "{}{}", run.stdout, run.stderr);
    }
    std::fs::remove_file(at.join("s/b.slang")).expect("a source");
    let run = inside(&[]);
    assert!(run.stderr.contains("note: the output s/hlsl/b.hlsl is there"), "{}", run.stderr);
    assert!(at.join("s/hlsl/b.hlsl").is_file());
    let run = inside(&["--prune"]);
    assert!(run.stderr.contains("note: the output s/hlsl/b.hlsl was removed"), "{}", run.stderr);
    assert!(
        !at.join("s/hlsl/b.hlsl").exists() && !at.join("s/hlsl/b.json").exists() && at.join("s/hlsl/a.hlsl").is_file()
    );
    assert!(!inside(&[]).stderr.contains("b.hlsl"));
}

#[test]
fn check_writes_nothing_and_shows_what_would_change() {
    let source = "struct P { float a; };\nConstantBuffer<P> p;\n[shader(\"fragment\")] float4 ps() : SV_Target { return p.a; }\n";
    let directory = tree(&[("s/a.slang", source)]);
    let at = directory.path();
    let run = build(at, &["--check"]);
    assert!(run.code == 1 && run.stdout.contains("wgsl/a.wgsl is not there"), "{}{}", run.stdout, run.stderr);
    assert!(!at.join("out").exists());
    assert_eq!(build(at, &[]).code, 0);
    let run = build(at, &["--check"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let before = contents(&at.join("out"));
    write(at, "s/a.slang", &source.replace("float a;", "float4 more; float a;"));
    let run = build(at, &["--check"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("\n+    more: vec4f,"), "{}", run.stdout);
    assert!(run.stdout.contains("wgsl/a.json has changed:\n") && run.stdout.contains("p.a"), "{}", run.stdout);
    assert_eq!(contents(&at.join("out")), before);
}

/// Files without entry points are named, and so are functions that seem to be some, with the lines to add.
#[test]
fn nothing_is_left_out_silently() {
    let files = [
        ("s/lib.hlsl", "float twice(float v) { return 2 * v; }\n"),
        (
            "s/fx.hlsl",
            "float4 PSRGBToYUV(float2 uv : TEXCOORD0) : SV_Target { return uv.xyxy; }\n\
            float4 VSNPREffect(float3 p : POSITION) : SV_Position { return p.xyzz; }\n\
            float4 Sprite(float2 uv : TEXCOORD0) : SV_Target { return uv.xyxy; }\n",
        ),
        ("s/odd.txt", "float4 main() : SV_Target { return 1; }\n"),
        (
            "s/shaderport.toml",
            "[[shader]]\nfiles = [\"odd.txt\"]\nentries = [\"main:fragment\"]\n\n[[shader]]\nfiles = [\"none/*.hlsl\"]\n",
        ),
    ];
    let directory = tree(&files);
    let run = build(directory.path(), &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("note: s/lib.hlsl has no entry points\n"), "{}", run.stderr);
    assert!(run.stderr.contains("files = [\"fx.hlsl\"]\nentries = [\"Sprite:fragment\"]\n"), "{}", run.stderr);
    assert!(
        run.stderr.contains("shaderport.toml:6:10: warning[E0701]: there is no file `none/*.hlsl`"),
        "{}",
        run.stderr
    );
    let text = read(directory.path(), "out/wgsl/fx.wgsl");
    assert!(text.contains("fn PSRGBToYUV") && text.contains("fn VSNPREffect") && !text.contains("fn Sprite"), "{text}");
    assert!(outputs(directory.path()).contains(&"wgsl/odd.wgsl".to_owned()));
}

/// The manifest above a directory holds for it, and a build of the directory has the same outputs as one of the tree.
#[test]
fn the_manifest_above_a_directory() {
    let files = [
        ("s/deep/x/a.hlsl", "float4 shade() : SV_Target { return SIZE; }\n"),
        ("s/b.hlsl", "float4 main() : SV_Target { return 1; }\n"),
        (
            "s/shaderport.toml",
            "[build]\ndefines = { SIZE = 3 }\n[[shader]]\nfiles = [\"deep/**/a.hlsl\"]\nentries = [\"shade:fragment\"]\n",
        ),
    ];
    let directory = tree(&files);
    let run = shaderport(directory.path(), &["build", "s/deep", "--target", "wgsl", "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(outputs(directory.path()), ["wgsl/deep/x/a.json", "wgsl/deep/x/a.wgsl"]);
    assert_eq!(MANIFEST, "shaderport.toml");
}

#[test]
fn the_first_failure_stops_a_build() {
    let bad = "float4 main() : SV_Target { return unknown; }\n";
    let sources: Vec<(String, &str)> = (0..40).map(|n| (format!("s/f{n:02}.frag.hlsl"), bad)).collect();
    let files: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let directory = tree(&files);
    let run = build(directory.path(), &["--fail-fast", "--jobs", "1"]);
    assert_eq!(run.code, 1);
    assert_eq!(run.stderr.matches("`unknown` is not declared").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("39 programs were not begun"), "{}", run.stderr);
    let run = build(directory.path(), &["--jobs", "1"]);
    assert_eq!(run.stderr.matches("`unknown` is not declared").count(), 40);
}

/// Another checkout, in another directory, finds everything in the cache, and its outputs are the same bytes.
#[test]
fn a_cache_is_shared_by_checkouts() {
    let files = [
        ("s/a.slang", "import lib;\n[shader(\"fragment\")] float4 ps() : SV_Target { return value(); }\n"),
        (
            "s/b.frag.hlsl",
            "#include \"h.hlsli\"\n[numthread(1)] float4 main() : SV_Target { return half_of(__LINE__); }\n",
        ),
        ("s/inc/h.hlsli", "float half_of(float v) { return v / 2; }\n"),
        ("s/lib.slang", "float4 value() { return 3; }\n"),
        ("s/lit.hlsl", LIT),
        ("s/shaderport.toml", &format!("[build]\ninclude = [\"inc\"]\n{}", lit(""))),
    ];
    let cache = tempfile::tempdir().expect("a directory");
    let cached = cache.path().join("cache").to_string_lossy().into_owned();
    let run_in = |directory: &Path, more: &[&str]| {
        let run = build(directory, &[&["--target", "glsl", "--cache", &cached], more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let line = run.stdout.lines().find(|line| line.starts_with("cache: ")).map(str::to_owned).unwrap_or_default();
        (line, run.stderr)
    };
    let (first, second) = (tree(&files), tree(&files));
    let (line, said) = run_in(first.path(), &["-j1"]);
    assert_eq!(line, "cache: 0 of 4 programs found");
    assert_eq!(run_in(second.path(), &[]), ("cache: 4 of 4 programs found".to_owned(), said.clone()));
    assert_eq!(contents(&second.path().join("out")), contents(&first.path().join("out")));
    // By the name of another directory.
    let whole = second.path().join("s").to_string_lossy().into_owned();
    let run = shaderport(cache.path(), &["build", &whole, "--target", "wgsl,glsl", "--cache", &cached, "--out", "o"]);
    assert!(run.stdout.contains("cache: 4 of 4"), "{}", run.stdout);
    assert!(run.stderr.contains(&format!("{whole}/b.frag.hlsl:2:")), "{}", run.stderr);
    assert_eq!(run.stderr.replace(&format!("{whole}/"), "s/"), said);
    // What differs is not found, and what is as before is found again.
    write(second.path(), "s/inc/h.hlsli", "float half_of(float v) { return v / 3; }\n");
    assert_eq!(run_in(second.path(), &[]).0, "cache: 0 of 1 programs found");
    std::fs::remove_dir_all(second.path().join("out")).expect("outputs");
    assert_eq!(run_in(second.path(), &[]).0, "cache: 4 of 4 programs found");
    write(second.path(), "s/inc/h.hlsli", "float half_of(float v) { return v / 2; }\n");
    assert_eq!(run_in(second.path(), &[]).0, "cache: 1 of 1 programs found");
    assert_eq!(contents(&second.path().join("out")), contents(&first.path().join("out")));
    // A file that is found before the one that was read.
    write(second.path(), "s/h.hlsli", "float half_of(float v) { return v / 4; }\n");
    assert_eq!(run_in(second.path(), &[]).0, "cache: 0 of 1 programs found");
    // Damaged entries are compiled again.
    for entry in walkdir::WalkDir::new(&cached).into_iter().flatten().filter(|e| e.file_type().is_file()) {
        let mut bytes = std::fs::read(entry.path()).expect("an entry");
        bytes.pop();
        bytes.push(b'!');
        std::fs::write(entry.path(), bytes).expect("an entry");
    }
    std::fs::remove_file(second.path().join("s/h.hlsli")).expect("a file");
    std::fs::remove_dir_all(second.path().join("out")).expect("outputs");
    let (line, _) = run_in(second.path(), &[]);
    assert!(line.starts_with("cache: 0 of 4 programs found, 4 entries were damaged"), "{line}");
    assert_eq!(contents(&second.path().join("out")), contents(&first.path().join("out")));
}

#[test]
fn caches_are_shown_and_cleaned() {
    let directory = tree(&[("s/q.frag.hlsl", FRAGMENT), ("s/q.vert.hlsl", VERTEX)]);
    assert_eq!(build(directory.path(), &["--cache", "c"]).code, 0);
    let cache = |args: &[&str]| shaderport(directory.path(), &[&["cache"], args].concat());
    let stat = cache(&["stat", "--cache", "c"]);
    // Of each program a list of files, and outputs.
    assert!(stat.code == 0 && stat.stdout.starts_with("4 entries with "), "{}{}", stat.stdout, stat.stderr);
    assert!(cache(&["clean", "--cache", "c", "--cache-size", "1G"]).stdout.starts_with("0 entries"));
    assert!(cache(&["clean", "--cache", "c"]).stdout.starts_with("4 entries"));
    assert!(cache(&["stat", "--cache", "c"]).stdout.starts_with("0 entries with 0 bytes"));
    let run = cache(&["stat"]);
    assert!(run.code == 2 && run.stderr.contains("no cache is named"), "{}", run.stderr);
    // A build keeps the bound.
    assert_eq!(build(directory.path(), &["--cache", "c", "--cache-size", "100", "--target", "hlsl"]).code, 0);
    assert!(cache(&["stat", "--cache", "c"]).stdout.starts_with("0 entries with 0 bytes"));
}

/// Without the feature for them, services are a wrong usage that names it.
#[cfg(not(feature = "shared-cache"))]
#[test]
fn a_service_needs_a_feature() {
    let directory = tree(&[("s/q.frag.hlsl", FRAGMENT)]);
    let url = "redis://user:secret@host/x";
    for run in
        [build(directory.path(), &["--cache", url]), shaderport(directory.path(), &["cache", "stat", "--cache", url])]
    {
        assert!(run.code == 2 && run.stderr.contains("without the feature `shared-cache`"), "{}", run.stderr);
        assert!(!run.stderr.contains("secret"), "{}", run.stderr);
    }
    assert!(!directory.path().join("out").exists());
}

/// However often and whenever builds are killed, the next one is right. `SHADERPORT_KILLS` says how often, else it is a short run.
#[cfg(unix)]
#[test]
fn builds_that_are_killed_leave_nothing_wrong() {
    let sources: Vec<(String, String)> = (0..12)
        .map(|n| (format!("s/f{n}.hlsl"), LIT.replace("return", &format!("c.x += {n};\n    return"))))
        .chain([("s/shaderport.toml".to_owned(), lit("").replace("lit.hlsl", "f*.hlsl"))])
        .collect();
    let files: Vec<(&str, &str)> = sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (directory, fresh) = (tree(&files), tree(&[]));
    let at = directory.path();
    let spawn = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_shaderport"));
        command.args(["build", "s", "--target", "wgsl", "--out", "out", "--cache", "c", "-q"]).current_dir(at);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().expect("a process")
    };
    let out = fresh.path().join("out").to_string_lossy().into_owned();
    let is_right = || {
        assert_eq!(build(at, &["--cache", "c", "--prune"]).code, 0);
        assert_eq!(shaderport(at, &["build", "s", "--target", "wgsl", "--out", &out, "--prune"]).code, 0);
        assert_eq!(contents(&at.join("out")), contents(&fresh.path().join("out")));
    };
    let rounds = std::env::var("SHADERPORT_KILLS").map_or(20, |kills| kills.parse().expect("a number"));
    let mut random = Random::of_seed(rounds);
    for round in 0..rounds {
        let source = at.join(format!("s/f{}.hlsl", round % 12));
        let text = std::fs::read_to_string(&source).expect("a source");
        std::fs::write(&source, text.replace("return FOGGED", &format!("c.y += {round}; return FOGGED")))
            .expect("a source");
        // Two builds into one directory, both killed.
        let (mut one, mut other) = (spawn(), spawn());
        std::thread::sleep(std::time::Duration::from_micros(random.below(120_000)));
        for child in [&mut one, &mut other] {
            child.kill().expect("a process");
            child.wait().expect("a process");
        }
        for name in outputs(at).iter().filter(|name| name.ends_with(".wgsl")) {
            let text = read(&at.join("out"), name);
            assert!(text.ends_with("}\n") && text.contains("@fragment"), "{name} is part of a text:\n{text}");
        }
        if round % 10 == 9 {
            is_right();
        }
    }
    is_right();
}

/// The module of host code has what is built and what need not be, compiles, and holds the texts.
#[test]
fn a_build_script_writes_host_code() {
    let light = "struct Light { float3 direction; float strength; };\nConstantBuffer<Light> light;\n\
        [shader(\"fragment\")] float4 NAME() : SV_Target { return float4(light.direction * light.strength, 1); }\n";
    let (one, other) = (light.replace("NAME", "shade"), light.replace("NAME", "shadeAgain"));
    let (directory, out) = (tree(&[("s/one.slang", &one), ("s/x/other.slang", &other)]), tree(&[]));
    let build = || {
        let build = shaderport::Build::new(directory.path().join("s")).out_dir(out.path()).module("shaders.rs");
        build.target(shaderport::Target::Wgsl).try_run().expect("a build")
    };
    assert!(build().contains(&out.path().join("shaders.rs")));
    let text = read(out.path(), "shaders.rs");
    assert!(text.contains("include_str!(\"one.wgsl\")") && text.contains("include_str!(\"x/other.wgsl\")"), "{text}");
    assert!(text.contains("pub direction: [f32; 3]") && text.contains("offset_of!"), "{text}");
    // The type that both have is there once.
    assert_eq!(text.matches("pub struct Light").count(), 1, "{text}");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut rustc = std::process::Command::new(compiler);
    rustc
        .args(["--edition", "2021", "--crate-type", "lib", "--emit", "metadata", "shaders.rs"])
        .current_dir(out.path());
    let compiled = rustc.output().expect("rustc");
    assert!(compiled.status.success(), "{}\n{text}", String::from_utf8_lossy(&compiled.stderr));
    let modified = |name: &str| std::fs::metadata(out.path().join(name)).and_then(|m| m.modified()).expect("an output");
    let before = ["one.wgsl", "x/other.wgsl"].map(modified);
    write(directory.path(), "s/one.slang", &one.replace("strength, 1", "strength, 2"));
    build();
    assert_eq!(read(out.path(), "shaders.rs"), text);
    assert!(modified("one.wgsl") > before[0] && modified("x/other.wgsl") == before[1]);
}

/// The ending of a file tells its stage before its name does, and what a hull shader calls for its patch is no hull shader.
#[test]
fn stages_that_names_tell() {
    let fragment = "float4 main(float2 uv : TEXCOORD0) : SV_Target { return uv.xyxy; }\n";
    let hull = "struct C { float4 at : POSITION; };\nstruct T { float edges[3] : SV_TessFactor; float inner : SV_InsideTessFactor; };\n\
        T ConstantsHS(InputPatch<C, 3> p, uint id : SV_PrimitiveID) { T t = (T)1; return t; }\n\
        [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)] [patchconstantfunc(\"ConstantsHS\")]\n\
        C main(InputPatch<C, 3> p, uint id : SV_OutputControlPointID) { return p[id]; }\n";
    let directory = tree(&[
        ("s/mesh.frag", fragment),
        ("s/mesh.vert", "float4 main(float3 at : POSITION) : SV_Position { return at.xyzz; }\n"),
        ("s/a.tesc", hull),
        ("s/old.frag", "#version 450\nvoid main() {}\n"),
        ("s/lib/common/h.hlsli", "float twice(float v) { return 2 * v; }\n"),
        ("s/rainPS_shadow.hlsl", "void main(float4 at : TEXCOORD0) { if (at.x < 0) discard; }\n"),
        ("s/SkyPS.hlsl", "#include \"common/h.hlsli\"\nfloat4 main() : SV_Target { return twice(1); }\n"),
    ]);
    let suggested = shaderport(directory.path(), &["build", "s", "--suggest-manifest"]);
    assert_eq!((suggested.code, suggested.stderr.as_str()), (0, ""), "{}", suggested.stdout);
    assert!(suggested.stdout.contains("include = [\"lib\"]\n"), "{}", suggested.stdout);
    let program = "[[program]]\nname = \"mesh\"\nfiles = [\"mesh.vert\", \"mesh.frag\"]\n";
    assert!(suggested.stdout.contains(program), "{}", suggested.stdout);
    write(directory.path(), "s/shaderport.toml", &suggested.stdout);
    let run = shaderport(directory.path(), &["build", "s", "--target", "glsl", "--out", "out"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    let names = [
        "glsl/SkyPS.json",
        "glsl/SkyPS.main.frag",
        "glsl/a.json",
        "glsl/a.main.tesc",
        "glsl/mesh.json",
        "glsl/mesh.main.frag",
        "glsl/mesh.main.vert",
        "glsl/rainPS_shadow.json",
        "glsl/rainPS_shadow.main.frag",
    ];
    assert_eq!(outputs(directory.path()), names);
}

/// Modules that lie elsewhere in the tree, and includes that are spelled in another case, are found by the manifest.
#[test]
fn a_manifest_says_how_includes_are_found() {
    let directory = tree(&[
        (
            "s/demos/tint.slang",
            "import color_tools;\n[shader(\"fragment\")]\nfloat4 main() : SV_Target { return warm(1); }\n",
        ),
        (
            "s/engine/lib/color-tools.slang",
            "module color_tools;\npublic float4 warm(float v) { return float4(v, v, 0, 1); }\n",
        ),
        ("s/sky/SkyPS.hlsl", "#include \"../Common/Curve.hlsli\"\nfloat4 main() : SV_Target { return curve(1); }\n"),
        ("s/common/curve.hlsli", "float curve(float v) { return v * v; }\n"),
    ]);
    let suggested = shaderport(directory.path(), &["build", "s", "--suggest-manifest"]);
    assert_eq!((suggested.code, suggested.stderr.as_str()), (0, ""), "{}", suggested.stdout);
    let keys = "[build]\ninclude = [\"engine/lib\"]\nincludes-in-any-case = true\n";
    assert!(suggested.stdout.contains(keys), "{}", suggested.stdout);
    write(directory.path(), "s/shaderport.toml", &suggested.stdout);
    let run = build(directory.path(), &[]);
    let note = "note: s/engine/lib/color-tools.slang has no entry points\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, note), "{}", run.stdout);
    let one = shaderport(directory.path(), &["compile", "s/sky/SkyPS.hlsl", "--target", "glsl"]);
    assert_eq!((one.code, one.stderr.as_str()), (0, ""), "{}", one.stdout);
    write(directory.path(), "s/shaderport.toml", &suggested.stdout.replace("case = true", "case = false"));
    let strict = build(directory.path(), &[]);
    assert_ne!(strict.code, 0, "what is up to date is not taken for found in any case");
    assert!(strict.stderr.contains("differs in case alone"), "{}", strict.stderr);
}

/// Two parts of a tree have headers of the same names: each file finds those of its part, also where other files need one of them
/// first, and where it needs the second one only behind the first.
#[test]
fn parts_of_a_tree_have_include_roots_of_their_own() {
    let shader = |headers: &[&str], value: &str| {
        let includes: String = headers.iter().map(|header| format!("#include \"{header}\"\n")).collect();
        format!("{includes}float4 main() : SV_Target {{ return {value}; }}\n")
    };
    let directory = tree(&[
        ("s/a/src/onePS.hlsl", &shader(&["shared.hlsli"], "strength()")),
        ("s/a/src/twoPS.hlsl", &shader(&["../extra.hlsli"], "strength() * extra()")),
        ("s/a/extra.hlsli", "#include \"shared.hlsli\"\nfloat extra() { return 2; }\n"),
        ("s/a/inc/shared.hlsli", "float strength() { return 0.125; }\n"),
        ("s/b/src/onePS.hlsl", &shader(&["first.hlsli"], "strength()")),
        ("s/b/inc/first.hlsli", "#include <shared.hlsli>\n"),
        ("s/b/inc/shared.hlsli", "float strength() { return 0.25; }\n"),
        ("s/c/skyVS.hlsl", "#include <shared.hlsli>\nfloat4 main() : SV_Position { return strength(); }\n"),
        ("s/c/skyPS.hlsl", &shader(&["shared.hlsli"], "strength()")),
        ("s/c/deep/inc/shared.hlsli", "float strength() { return 0.5; }\n"),
        ("s/d/lonelyPS.hlsl", &shader(&["only.hlsli"], "only()")),
        ("s/e/only.hlsli", "float only() { return 1; }\n"),
    ]);
    let suggested = shaderport(directory.path(), &["build", "s", "--suggest-manifest"]);
    assert_eq!((suggested.code, suggested.stderr.as_str()), (0, ""), "{}", suggested.stdout);
    for keys in [
        "[build]\ninclude = [\"b/inc\", \"e\", \"a/inc\", \"c/deep/inc\"]\n",
        "[[shader]]\nfiles = [\"a/src/onePS.hlsl\", \"a/src/twoPS.hlsl\"]\ninclude = [\"a/inc\"]\n",
        "[[program]]\nname = \"c/sky\"\nfiles = [\"c/skyVS.hlsl\", \"c/skyPS.hlsl\"]\ninclude = [\"c/deep/inc\"]\n",
    ] {
        assert!(suggested.stdout.contains(keys), "{keys}\n{}", suggested.stdout);
    }
    assert!(!suggested.stdout.contains("b/src"), "{}", suggested.stdout);
    write(directory.path(), "s/shaderport.toml", &suggested.stdout);
    let run = build(directory.path(), &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    for (name, value) in [("a/src/onePS", "0.125"), ("a/src/twoPS", "0.125"), ("b/src/onePS", "0.25"), ("c/sky", "0.5")]
    {
        let text = read(directory.path(), &format!("out/wgsl/{name}.wgsl"));
        assert!(text.contains(value), "{name}: {text}");
    }
}

/// A build of a part of a tree says nothing of the outputs of other parts.
#[test]
fn a_part_of_a_tree_prunes_nothing_else() {
    let source = "float4 main() : SV_Target { return 1; }\n";
    let files = [("s/x/a.frag.hlsl", source), ("s/y/b.frag.hlsl", source), ("s/shaderport.toml", "[build]\n")];
    let directory = tree(&files);
    assert_eq!(build(directory.path(), &[]).code, 0);
    let all = outputs(directory.path());
    for part in ["s/x", "s/y/b.frag.hlsl"] {
        let args = ["build", part, "--target", "wgsl", "--out", "out", "--prune"];
        let run = shaderport(directory.path(), &args);
        assert!(run.code == 0 && !run.stderr.contains("removed"), "{}", run.stderr);
        assert!(all.iter().all(|name| outputs(directory.path()).contains(name)), "{part}");
    }
}

/// What a stopped build did not reach is built by the next one, though others of its files were.
#[test]
fn what_was_not_begun_is_built_later() {
    let user = |name: &str| format!("#include \"h.hlsli\"\nfloat4 main() : SV_Target {{ return {name}; }}\n");
    let files = [
        ("s/a.frag.hlsl", user("value")),
        ("s/b.frag.hlsl", user("broken")),
        ("s/c.frag.hlsl", user("value")),
        ("s/h.hlsli", "static const float value = 1, broken = 1;\n".to_owned()),
    ];
    let directory = tree(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    assert_eq!(build(directory.path(), &[]).code, 0);
    write(directory.path(), "s/h.hlsli", "static const float value = 2;\n");
    let run = build(directory.path(), &["--fail-fast", "-j1"]);
    assert!(run.code == 1 && run.stderr.contains("1 programs were not begun"), "{}", run.stderr);
    write(directory.path(), "s/b.frag.hlsl", &user("value"));
    assert_eq!(build(directory.path(), &[]).code, 0);
    let text = |name: &str| read(directory.path(), &format!("out/wgsl/{name}.frag.wgsl"));
    assert!(text("a").contains('2') && text("c") == text("a") && text("b") == text("a"), "{}", text("c"));
}

/// Dependency files have everything that an output depends on, and build systems read them.
#[test]
fn dependency_files() {
    let files = [
        ("s/a b.hlsl", "#include \"h.hlsli\"\nTexture2D t;\nfloat4 main() : SV_Target { return value * t.Load(0); }\n"),
        ("s/h.hlsli", "static const float value = 1;\n"),
        (
            "s/shaderport.toml",
            "[build]\nbindings-lock = \"bindings.lock\"\n[[shader]]\nfiles = [\"*.hlsl\"]\nentries = [\"main:fragment\"]\n",
        ),
    ];
    let directory = tree(&files);
    let at = directory.path();
    let compile = |more: &[&str]| shaderport(at, &[&["compile", "s/a b.hlsl", "--target", "wgsl"], more].concat());
    let inputs = "s/a\\ b.hlsl s/h.hlsli s/shaderport.toml s/bindings.lock\n";
    assert_eq!(compile(&["-o", "out/x.wgsl", "-MD"]).code, 0);
    assert_eq!(read(at, "out/x.d"), format!("out/x.wgsl: {inputs}"));
    assert_eq!(compile(&["-o", "x.wgsl", "-MF", "deps/y.d", "-MT", "the target"]).code, 0);
    assert_eq!(read(at, "deps/y.d"), format!("the\\ target: {inputs}"));
    assert_eq!(compile(&["-o", "z.wgsl", "-MD", "-MP"]).code, 0);
    let rules = "s/a\\ b.hlsl:\ns/h.hlsli:\ns/shaderport.toml:\ns/bindings.lock:\n";
    assert_eq!(read(at, "z.d"), format!("z.wgsl: {inputs}{rules}"));
    let run = compile(&["-MD"]);
    assert!(run.code == 2 && run.stderr.contains("name one with --output"), "{}", run.stderr);
    assert_eq!(build(at, &["--depfiles"]).code, 0);
    assert_eq!(read(at, "out/wgsl/a b.d"), format!("out/wgsl/a\\ b.wgsl: {inputs}"));
    let modified = |name: &str| std::fs::metadata(at.join(name)).and_then(|m| m.modified()).expect("a file");
    assert!(modified("s/bindings.lock") <= modified("out/wgsl/a b.wgsl"));
}

/// What nothing reaches is checked in one variant, and again in those in which it, or what is declared around it, is another.
#[test]
fn code_that_nothing_reaches_is_checked() {
    let source = "#ifdef WIDE\n#define NUMBER float3\n#else\n#define NUMBER float2\n#endif\n\
        struct Light { NUMBER color; };\n\
        float2 unused(Light light) { return light.color; }\n\
        float2 other(float3 color) {\n#if KIND == 1\n return color;\n#elif KIND == 2\n return light.missing;\n#endif\n return color.xy; }\n\
        float reached(float2 a) { return dot(a, a) + KIND; }\n\
        float4 main(float2 uv : UV) : SV_Target { return reached(uv); }\n";
    let manifest = |axes: &str| {
        format!("[[shader]]\nfiles = [\"a.hlsl\"]\nentries = [\"main:fragment\"]\npermute = {{ {axes} }}\n")
    };
    let axes = "WIDE = [false, true], KIND = [0, 1]";
    let directory = tree(&[("s/a.hlsl", source), ("s/shaderport.toml", &manifest(axes))]);
    let run = build(directory.path(), &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let places = |line: u32| run.stderr.matches(&format!("s/a.hlsl:{line}:9: warning[E0324]")).count();
    let of_light = run.stderr.matches("s/a.hlsl:7:37: warning[E0324]").count();
    assert_eq!((of_light, places(10)), (1, 1), "{}", run.stderr);
    for (is_wide, kind) in [(false, 0), (true, 1)] {
        let wide: &[&str] = if is_wide { &["-DWIDE=1"] } else { &[] };
        let kind = format!("-DKIND={kind}");
        let alone = ["compile", "s/a.hlsl", "--target", "wgsl", "--no-manifest", "--entry", "main:fragment", &kind];
        let text = shaderport(directory.path(), &[&alone[..], wide].concat()).stdout;
        assert!(
            outputs(directory.path()).iter().any(|name| read(&directory.path().join("out"), name) == text),
            "{text}"
        );
    }
    write(directory.path(), "s/shaderport.toml", &manifest("KIND = [0, 2]"));
    let run = build(directory.path(), &[]);
    assert!(run.code == 1 && run.stderr.contains("light"), "{}", run.stderr);
}

/// A compact sidecar has each type once, and says what the full one says.
#[test]
fn compact_sidecars_are_full_ones() {
    let source = "struct Light { float4 color; float4x4 matrices[4]; };\nstruct Pair { Light a; Light b; };\n\
        ConstantBuffer<Pair> first;\nConstantBuffer<Pair> second;\n\
        [shader(\"fragment\")] float4 main() : SV_Target { return first.a.color + second.b.color; }\n";
    let directory = tree(&[("s/a.slang", source)]);
    let out = |form: &str| {
        let run = shaderport(directory.path(), &["build", "s", "--sidecar", form, "--out", form, "--target", "glsl"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        read(directory.path(), &format!("{form}/glsl/a.json"))
    };
    let (full, compact) = (out("full"), out("compact"));
    assert!(compact.len() * 3 < full.len() && compact.lines().count() == 1, "{} {}", compact.len(), full.len());
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let in_full = |text: &str| {
        let sidecar = Reflection::from_json(text).expect("a sidecar");
        serde_json::to_value(sidecar).expect("JSON")
    };
    assert_eq!(in_full(&compact), value(&full));
    assert_eq!(in_full(&full), value(&full));
    // They are the same interface.
    let run = shaderport(directory.path(), &["diff", "full/glsl/a.json", "compact/glsl/a.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let run = shaderport(directory.path(), &["build", "s", "--sidecar", "none", "--out", "none", "--target", "glsl"]);
    assert_eq!((run.code, contents(&directory.path().join("none")).len()), (0, 1));
}

/// An axis that only expressions use may be a specialization constant: the table has the declaration, which works.
#[test]
fn specialization_constants_are_offered() {
    let source = "#ifndef FOG\n#define FOG 0\n#endif\n\
        static const float weights[SIZE] = { WEIGHTS };\n\
        [shader(\"fragment\")] float4 main(float2 uv : UV) : SV_Target\n{\n    float sum = FOG * weights[0];\n    \
        for (int i = 0; i < STEPS; ++i) sum += uv.x * STRENGTH;\n    return sum;\n}\n";
    let axes = "STEPS = [2, 4], STRENGTH = ['0.5', '1.5'], FOG = [0, 1], SIZE = [2, 1], WEIGHTS = [1, 2]";
    let manifest = format!("[[shader]]\nfiles = [\"a.hlsl\"]\npermute = {{ {axes} }}\nexcept = [{{ SIZE = 1 }}]\n");
    let source = source.replace("{ WEIGHTS }", "{ WEIGHTS, 2 }");
    let directory = tree(&[("s/a.hlsl", &source), ("s/shaderport.toml", &manifest)]);
    let run = build(directory.path(), &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let table = read(directory.path(), "out/a.variants.json");
    let table: serde_json::Value = serde_json::from_str(&table).expect("JSON");
    let offer = |axis: &str, declared: &str| {
        let declaration = format!("[[vk::constant_id(0)]] const {declared};");
        serde_json::json!({ "axis": axis, "declaration": declaration, "targets": ["wgsl"] })
    };
    let wanted = [
        offer("STEPS", "int STEPS = 2"),
        offer("STRENGTH", "float STRENGTH = 0.5"),
        offer("WEIGHTS", "int WEIGHTS = 1"),
    ];
    assert_eq!(table["offers"], serde_json::Value::from(wanted.to_vec()), "{table:#}");
}

/// Outputs have their names whatever the directory of the tree is called, and messages have those of the checkout.
#[test]
fn names_from_a_cache_are_those_of_the_tree() {
    let source = format!("float2 narrow(float3 a) {{ return a; }}\n{FRAGMENT}");
    let files = [("s/effects/a.frag.hlsl", source.as_str()), ("t/effects/a.frag.hlsl", &source)];
    let directory = tree(&files);
    let build = |tree: &str| {
        let run = shaderport(directory.path(), &["build", tree, "--target", "wgsl", "--out", tree, "--cache", "c"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run
    };
    let (first, second) = (build("s"), build("t"));
    assert!(second.stdout.contains("1 of 1 programs found"), "{}", second.stdout);
    assert!(
        first.stderr.contains("s/effects/a.frag.hlsl:1:") && second.stderr.contains("t/effects/a.frag.hlsl:1:"),
        "{}",
        second.stderr
    );
    assert!(directory.path().join("t/wgsl/effects/a.frag.wgsl").is_file());
}

/// Files of one name are told apart by their endings, and stages that have declared one buffer differently are no program.
#[test]
fn files_of_one_name_are_told_apart() {
    let vertex = "cbuffer ubo : register(b0) { float4x4 view; };\nfloat4 main(float3 at : POSITION) : SV_Position { return mul(view, float4(at, 1)); }\n";
    let fragment = |buffer: &str| {
        format!("cbuffer ubo : register(b0) {{ {buffer} }};\nfloat4 main() : SV_Target {{ return view[0].xxxx; }}\n")
    };
    let compute =
        "RWStructuredBuffer<float> data : register(u0);\n[numthreads(1, 1, 1)]\nvoid main() { data[0] = 1; }\n";
    let (same, other) = (fragment("float4x4 view;"), fragment("float4 view;"));
    let directory = tree(&[
        ("s/a.vert", vertex),
        ("s/a.frag", &same),
        ("s/a.comp", compute),
        ("s/b.vert", vertex),
        ("s/b.frag", &other),
        ("s/c.vert", vertex),
        ("s/c.comp", compute),
    ]);
    let suggested = shaderport(directory.path(), &["build", "s", "--suggest-manifest"]);
    assert_eq!((suggested.code, suggested.stderr.as_str()), (0, ""), "{}", suggested.stdout);
    write(directory.path(), "s/shaderport.toml", &suggested.stdout);
    let run = build(directory.path(), &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}\n{}", suggested.stdout, run.stdout);
    let texts: Vec<String> = outputs(directory.path()).into_iter().filter(|name| name.ends_with(".wgsl")).collect();
    let names = ["a.comp", "a", "b.frag", "b.vert", "c.comp", "c.vert"];
    assert_eq!(texts, names.map(|name| format!("wgsl/{name}.wgsl")), "{}", suggested.stdout);
}

/// A struct without a name that two files of a program declare alike is one type.
#[test]
fn structs_without_names_are_one_in_a_program() {
    let constants = "[[vk::push_constant]]\nstruct { uint draw; struct { uint mesh; } inner; } constants;\n";
    let vertex = format!(
        "{constants}float4 main(float3 at : POSITION) : SV_Position {{ return float4(at, constants.inner.mesh); }}\n"
    );
    let fragment =
        format!("{constants}float4 main() : SV_Target {{ return constants.draw + constants.inner.mesh; }}\n");
    let manifest = "[[program]]\nname = \"p\"\nfiles = [\"a.vert.hlsl\", \"a.frag.hlsl\"]\n";
    let files = [("s/a.vert.hlsl", vertex.as_str()), ("s/a.frag.hlsl", &fragment), ("s/shaderport.toml", manifest)];
    let directory = tree(&files);
    let run = shaderport(directory.path(), &["build", "s", "--out", "out"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    for name in ["out/hlsl/p.hlsl", "out/wgsl/p.wgsl"] {
        let text = read(directory.path(), name);
        assert_eq!(text.matches("struct ").count(), 2, "{text}");
    }
}
