//! `build --layout tree`: headers stay headers, and texts with their headers are the flat ones.

use crate::support::{Run, find_tool, shaderport, tree};
use std::path::Path;
use std::process::Command;

const LIGHT: &str = "// Licence of the light.\n\n#include \"math.hlsli\"\n#define LIGHTS 3\n\n// A light.\nstruct Light { float3 color; float range; };\n\
    // How strong it is.\nfloat strength(Light light, float d) { return square(saturate(1 - d / light.range)) * LIGHTS; }\n\
    float unused(float x) { return x * 2; }\nfloat slope(float x) { return ddx(x); }\n";
const MATH: &str = "float square(float x) { return x * x; }\nfloat cube(float x) { return x * square(x); }\n";
const ONE: &str = "// The first.\n\n#include \"inc/light.hlsli\"\ncbuffer C { Light light; float d; };\n\
    [shader(\"vertex\")] float4 vs(float4 p : POSITION) : SV_Position { return p * strength(light, d); }\n\
    [shader(\"fragment\")] float4 ps(float4 p : SV_Position) : SV_Target { return slope(p.x) * strength(light, p.y); }\n";
const TWO: &str = "#include \"inc/light.hlsli\"\nTexture2D t;\ncbuffer D { Light light; };\nRWStructuredBuffer<float> o;\n\
    [shader(\"compute\")] [numthreads(8, 1, 1)] void cs(uint3 i : SV_DispatchThreadID) { o[i.x] = cube(strength(light, t[i.xy].x)); }\n";
const FILES: [(&str, &str); 4] =
    [("s/one.hlsl", ONE), ("s/two.hlsl", TWO), ("s/inc/light.hlsli", LIGHT), ("s/inc/math.hlsli", MATH)];

fn build(directory: &Path, more: &[&str]) -> Run {
    let layout = ["build", "s", "--out", "out", "--layout", "tree"];
    let run = shaderport(directory, &[&layout[..], more].concat());
    assert_eq!(run.code, 0, "{}{}", run.stderr, run.stdout);
    run
}

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn headers_stay_headers() {
    let directory = tree(&FILES);
    build(directory.path(), &["--validate"]);
    let at = |name: &str| read(directory.path(), &format!("out/{name}"));
    let light = at("hlsl/inc/light.hlsl");
    assert!(
        light.starts_with("// Licence of the light.\n\n#ifndef INC_LIGHT_HLSL\n#define INC_LIGHT_HLSL\n"),
        "{light}"
    );
    for part in [
        "#include \"math.hlsl\"",
        "#define LIGHTS 3",
        "// A light.\nstruct Light",
        "// How strong it is.\nfloat strength(",
    ] {
        assert!(light.contains(part), "{part}\n{light}");
    }
    let one = at("hlsl/one.hlsl");
    assert!(one.starts_with("// The first.\n\n#include \"inc/light.hlsl\"\n\ncbuffer C"), "{one}");
    assert!(!one.contains("struct Light") && !one.contains("square("), "{one}");
    let two = at("glsl/two.cs.comp");
    let head: Vec<&str> = lines(&two).into_iter().take_while(|line| !line.starts_with("layout")).collect();
    assert!(head.contains(&"#extension GL_GOOGLE_include_directive : require"), "{two}");
    let lines_of_includes = head.iter().filter(|line| line.starts_with("#include")).copied().collect::<Vec<_>>();
    // In the source, the light includes the math.
    assert_eq!(lines_of_includes, ["#include \"inc/light.glsl\"", "#include \"inc/math.glsl\""], "{two}");
    // What is of a stage stays where it is used.
    assert!(at("glsl/one.ps.frag").contains("dFdx(") && !at("glsl/inc/light.glsl").contains("dFdx("));
    let wgsl = at("wgsl/two.wgsl");
    assert!(!wgsl.contains("#include") && !wgsl.contains("struct Light"), "{wgsl}");
    let sidecar: serde_json::Value = serde_json::from_str(&at("wgsl/two.json")).expect("JSON");
    let modules =
        serde_json::json!([{"text": "wgsl/two.wgsl", "files": ["wgsl/inc/math.wgsl", "wgsl/inc/light.wgsl"]}]);
    assert_eq!(sidecar["modules"], modules);
}

/// All declarations of a text, as tokens between which there is one space, by a reader that is not the build's: it goes by lines that
/// begin and end a declaration.
fn declarations(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default();
        if code.starts_with(|c: char| !c.is_whitespace() && c != '}' && c != '{' && c != ')') {
            found.push(String::new());
        }
        let words: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        found.last_mut().into_iter().for_each(|last| last.push_str(&words));
    }
    found.retain(|text| !text.is_empty() && !text.starts_with('#'));
    found.sort();
    found
}

/// What a preprocessor that is not ours makes of a text: the declarations of the flat one, and those of headers for others.
#[test]
fn texts_with_headers_are_the_flat_ones() {
    let Some(glslang) = find_tool("glslangValidator", "texts of trees in GLSL") else { return };
    let directory = tree(&FILES);
    build(directory.path(), &["--target", "glsl"]);
    for name in ["glsl/one.vs.vert", "glsl/one.ps.frag", "glsl/two.cs.comp"] {
        let preprocessed = |below: &str| {
            let path = directory.path().join(below).join(name);
            let output = Command::new(&glslang).arg("-E").arg(&path).output().expect("glslang runs");
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            declarations(&String::from_utf8_lossy(&output.stdout))
        };
        let (flat, whole) = (preprocessed("out/.shaderport/flat"), preprocessed("out"));
        let mut more = whole.clone();
        for declaration in &flat {
            let at = more.iter().position(|other| other == declaration);
            more.remove(at.unwrap_or_else(|| panic!("{name}: {declaration} is not in\n{whole:#?}")));
        }
        for other in more {
            assert!(other.starts_with("floatcube(") || other.starts_with("floatunused("), "{name}: {other}");
        }
    }
}

#[test]
fn trees_are_written_again_where_sources_changed() {
    let directory = tree(&FILES);
    let stamp = |name: &str| {
        let metadata = std::fs::metadata(directory.path().join("out").join(name)).expect("an output");
        metadata.modified().expect("a time")
    };
    let names = ["hlsl/one.hlsl", "hlsl/two.hlsl", "hlsl/inc/math.hlsl", "hlsl/inc/light.hlsl"];
    build(directory.path(), &["--target", "hlsl"]);
    let first = names.map(stamp);
    build(directory.path(), &["--target", "hlsl"]);
    assert_eq!(names.map(stamp), first);
    assert!(build(directory.path(), &["--target", "hlsl", "--check"]).stdout.is_empty());
    // A change of a header changes that alone.
    std::fs::write(directory.path().join("s/inc/math.hlsli"), MATH.replace("x * x;", "x * x * 1.5;")).expect("a write");
    let check = ["build", "s", "--out", "out", "--layout", "tree", "--target", "hlsl", "--check"];
    let run = shaderport(directory.path(), &check);
    assert!(run.code != 0 && run.stdout.contains("+    return x * x * 1.5;"), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("hlsl/inc/math.hlsl") && !run.stdout.contains("hlsl/one.hlsl"), "{}", run.stdout);
    build(directory.path(), &["--target", "hlsl"]);
    let second = names.map(stamp);
    assert!(second[2] != first[2] && second[0] == first[0] && second[1] == first[1] && second[3] == first[3]);
    // An output that was changed is made again, and what no program has is named, or removed.
    std::fs::write(directory.path().join("out/hlsl/one.hlsl"), "x").expect("a write");
    std::fs::remove_file(directory.path().join("s/two.hlsl")).expect("a removal");
    let run = build(directory.path(), &["--target", "hlsl"]);
    assert!(run.stderr.contains("two.hlsl is there: it is of no program any more"), "{}", run.stderr);
    assert!(read(directory.path(), "out/hlsl/one.hlsl").contains("cbuffer C"));
    build(directory.path(), &["--target", "hlsl", "--prune"]);
    assert!(!directory.path().join("out/hlsl/two.hlsl").exists());
}

/// Headers that differ between programs, need each other, or have one name twice.
#[test]
fn what_differs_stays_in_texts() {
    let directory = tree(&[
        (
            "s/inc/a.hlsli",
            "#ifndef A\n#define A\nfloat late(float x);\nfloat first(float x) { return x + SIZE; }\nfloat second(float x) { return x * 3; }\n#include \"b.hlsli\"\nfloat fourth(float x) { return third(x) + 1; }\n#endif\n",
        ),
        ("s/inc/b.hlsli", "float third(float x) { return second(x) * 5; }\n"),
        ("s/inc/c.hlsli", "float helper(float x) { return x * 7; }\nfloat other(float x) { return x * 9; }\n"),
        (
            "s/one.hlsl",
            "#define SIZE 1\n#include \"inc/a.hlsli\"\n#include \"inc/c.hlsli\"\n[shader(\"fragment\")] float4 ps(float4 p : SV_Position) : SV_Target { return first(p.x) + fourth(p.y) + other(p.z); }\n",
        ),
        (
            "s/two.hlsl",
            "#define SIZE p.x + 2\nstatic float2 p;\n#include \"inc/a.hlsli\"\n[shader(\"fragment\")] float4 ps(float4 q : SV_Position) : SV_Target { return first(q.x) + fourth(q.y); }\n",
        ),
        (
            "s/three.hlsl",
            "#include \"inc/c.hlsli\"\n[shader(\"fragment\")] float4 ps(float4 q : SV_Position) : SV_Target { return helper(q.x); }\n",
        ),
        (
            "s/four.hlsl",
            "#include \"inc/c.hlsli\"\n[shader(\"fragment\")] float4 ps(float4 q : SV_Position) : SV_Target { float helper = q.x; return other(helper); }\n",
        ),
    ]);
    build(directory.path(), &["--validate"]);
    for target in ["hlsl", "glsl", "wgsl"] {
        let all = |name: &str| {
            let path = directory.path().join("out").join(target).join(name);
            std::fs::read_to_string(path).unwrap_or_default()
        };
        let ending = if target == "glsl" { "ps.frag" } else { target };
        let (one, two) = (all(&format!("one.{ending}")), all(&format!("two.{ending}")));
        let is_in = |text: &str, name: &str| {
            text.contains(&format!("{name}(float x) "))
                || text.contains(&format!("{name}(x: f32)"))
                || text.contains(&format!("{name}(float x)\n"))
        };
        assert!(is_in(&one, "first") && is_in(&two, "first"), "{target}\n{one}{two}");
        assert!(
            is_in(&all(&format!("inc/c.{}", if target == "glsl" { "glsl" } else { target })), "helper"),
            "{target}"
        );
        // `b` needs `a`, which includes it: what `a` needs of `b` stays in the texts.
        let a = all(&format!("inc/a.{}", if target == "glsl" { "glsl" } else { target }));
        assert!(is_in(&a, "second") && !is_in(&a, "fourth"), "{target}\n{a}");
    }
}

/// A header whose functions use a buffer of the text stands behind that buffer, which may have another register in each program. A
/// text with an overload of what the header calls has its own copy.
#[test]
fn headers_that_need_texts_stand_behind_what_they_need() {
    let tint = "// Tints.\nfloat half_of(float x) { return x * 0.5; }\nfloat3 tinted(float3 x) { return x * tint * half_of(x.x); }\n";
    let program = |register: &str, behind: &str, code: &str| {
        format!(
            "cbuffer Frame : register({register}) {{ float3 tint; float size; }};\nstatic const float SCALE = 3;\n#include \"inc/tint.hlsli\"\n\
             {behind}[shader(\"fragment\")] float4 ps(float4 p : SV_Position) : SV_Target {{ return float4(tinted(p.xyz){code}, SCALE); }}\n"
        )
    };
    let (one, two) = (program("b0", "", ""), program("b3", "", " * size"));
    let three = program("b0", "", " + half_of(size)");
    let four = program("b0", "float half_of(int x) { return x; }\n", " + half_of(2)");
    let directory = tree(&[
        ("s/inc/tint.hlsli", tint),
        ("s/one.hlsl", &one),
        ("s/two.hlsl", &two),
        ("s/three.hlsl", &three),
        ("s/four.hlsl", &four),
    ]);
    build(directory.path(), &["--validate", "--source-map"]);
    let at = |name: &str| read(directory.path(), &format!("out/{name}"));
    for (target, ending) in [("hlsl", "hlsl"), ("glsl", "ps.frag")] {
        let header = at(&format!("{target}/inc/tint.{target}"));
        assert!(
            header.contains(" tinted(") && header.contains("float half_of(") && !header.contains("size"),
            "{header}"
        );
        for name in ["one", "two", "three"] {
            let text = at(&format!("{target}/{name}.{ending}"));
            let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}\n{text}"));
            assert!(!text.contains(" tinted(float3 x") && !text.contains(" tinted(vec3 x"), "{text}");
            assert!(
                place(" tint;") < place("\n\n#include \"inc/tint.") && place("#include \"inc/tint.") < place("tinted("),
                "{text}"
            );
        }
        let four = at(&format!("{target}/four.{ending}"));
        assert!(!four.contains("#include") && four.matches("half_of(").count() > 3, "{four}");
    }
    let (header, text) = (at("wgsl/inc/tint.wgsl"), at("wgsl/two.wgsl"));
    assert!(header.contains("fn tinted(") && !text.contains("fn tinted("), "{header}{text}");
    // Maps are those of the lines where they stand now.
    let text = at("hlsl/two.hlsl");
    let row = 1 + text.lines().position(|line| line.contains("return float4(tinted(")).expect("a line");
    let run = shaderport(directory.path(), &["trace", &format!("out/hlsl/two.hlsl:{row}")]);
    assert!(run.stdout.contains("s/two.hlsl:4:"), "{}", run.stdout);
    // Imports name files: there a header needs nothing of texts.
    build(directory.path(), &["--target", "wgsl", "--wgsl-imports", "wesl"]);
    assert!(at("wgsl/two.wgsl").contains("fn tinted(") && at("wgsl/inc/tint.wgsl").contains("fn half_of("));
}

/// Without sidecars texts are checked all the same.
#[test]
fn trees_without_sidecars_are_checked() {
    let directory = tree(&FILES);
    build(directory.path(), &["--sidecar", "none", "--validate"]);
    let out = directory.path().join("out");
    assert!(out.join("hlsl/inc/light.hlsl").is_file() && !out.join("hlsl/one.json").exists());
    assert!(out.join(".shaderport/flat/hlsl/one.json").is_file());
    build(directory.path(), &[]);
    assert!(out.join("hlsl/one.json").is_file());
}

/// Specialization constants are in the text of every entry point, used or not.
#[test]
fn what_no_function_uses_is_there() {
    let vertex = "struct U { float4 a; };\ncbuffer u { U all; };\nfloat4 main() : SV_Position { return all.a; }\n";
    let fragment =
        "[[vk::constant_id(3)]] const bool MASK = false;\nfloat4 main() : SV_Target { return MASK ? 1 : 2; }\n";
    let directory = tree(&[
        (
            "s/shaderport.toml",
            "[[program]]\nname = \"x\"\nfiles = [\"x.vert\", \"x.frag\"]\nentries = [\"x.vert:main:vertex\", \"x.frag:main:fragment\"]\n",
        ),
        ("s/x.vert", vertex),
        ("s/x.frag", fragment),
    ]);
    build(directory.path(), &["--target", "glsl", "--validate"]);
    assert!(read(directory.path(), "out/glsl/inc/x.glsl").contains("layout(constant_id = 3) const bool MASK"));
    for name in ["x.main.vert", "x.main.frag"] {
        let text = read(directory.path(), &format!("out/glsl/{name}"));
        assert!(text.contains("#include \"inc/x.glsl\"") && !text.contains("constant_id"), "{text}");
    }
}

/// Variants are texts of their own. What the command line defines is in no header.
#[test]
fn variants_have_headers_in_common() {
    let manifest = "[[shader]]\nfiles = [\"*.hlsl\"]\npermute = { QUALITY = [1, 2] }\n";
    let main = "#include \"a.hlsli\"\nfloat4 main(float2 p : TEXCOORD) : SV_Target { return f(p.x) * QUALITY; }\n";
    let directory = tree(&[
        ("s/shaderport.toml", manifest),
        ("s/x_ps.hlsl", main),
        ("s/a.hlsli", "float f(float x) { return x * 3; }\n"),
    ]);
    build(directory.path(), &["--validate"]);
    for (target, ending) in [("hlsl", "hlsl"), ("glsl", "main.frag"), ("wgsl", "wgsl")] {
        let headers = std::fs::read_dir(directory.path().join("out").join(target).join("inc")).expect("headers");
        assert_eq!(headers.count(), 1, "{target}");
        for quality in [1, 2] {
            let text = read(directory.path(), &format!("out/{target}/x_ps.QUALITY-{quality}.{ending}"));
            assert!(text.contains("QUALITY") && !text.contains("float f(") && !text.contains("fn f("), "{text}");
        }
    }
}

const FOG: &str = "// How far fog is.\nfloat fogged(float d) { return 1 - exp(-d * 2); }\n";
const TONE: &str = "float3 tone(float3 c) { return c / (1 + c); }\n\
    #if QUALITY >= 2\nfloat3 lifted(float3 c) { return pow(c, 0.9); }\n#endif\n";
const LIT: &str = "// Lit.\n\n#include \"tone.hlsli\"\n#ifdef FOG\n#include \"fog.hlsli\"\n#endif\n\
    float4 main(float4 p : TEXCOORD) : SV_Target\n{\n    float4 color = p;\n    color.rgb = tone(color.rgb);\n\
    #if QUALITY >= 2\n    color.rgb = lifted(color.rgb);\n#endif\n#ifdef FOG\n    color *= fogged(p.w);\n#endif\n    return color;\n}\n";
const MERGED: &str = "[build]\npermutations = 'merged'\n[[shader]]\nfiles = ['*.hlsl']\nentries = ['main:fragment']\n\
    permute = { QUALITY = [1, 2], FOG = [false, true] }\n";

/// Texts of variants are one text, which includes the headers of all.
#[test]
fn variants_are_merged_in_trees() {
    let files = [("s/lit.hlsl", LIT), ("s/tone.hlsli", TONE), ("s/fog.hlsli", FOG), ("s/shaderport.toml", MERGED)];
    let directory = tree(&files);
    build(directory.path(), &["--validate", "--depfiles"]);
    let names = |below: &str| {
        let files = std::fs::read_dir(directory.path().join("out").join(below)).expect("outputs");
        let files = files.flatten().filter(|file| file.file_type().is_ok_and(|ty| ty.is_file()));
        let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| !name.ends_with(".json"));
        names.sort();
        names
    };
    assert_eq!(names("hlsl"), ["lit.d", "lit.hlsl"]);
    assert_eq!(names("glsl"), ["lit.d", "lit.main.frag"]);
    assert_eq!(names("hlsl/inc"), ["fog.hlsl", "tone.hlsl"]);
    assert_eq!(names("glsl/inc"), ["fog.glsl", "tone.glsl"]);
    let text = read(directory.path(), "out/hlsl/lit.hlsl");
    let expected = "// Lit.\n\n#ifndef QUALITY\n#define QUALITY 1\n#endif\n\n\
        #include \"inc/tone.hlsl\"\n#ifdef FOG\n#include \"inc/fog.hlsl\"\n#endif\n\nfloat4 main(";
    assert!(text.starts_with(expected), "{text}");
    for part in ["#if QUALITY >= 2\n    color.rgb = lifted", "#ifdef FOG\n    color *= fogged"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let depfile = read(directory.path(), "out/hlsl/lit.d");
    assert!(depfile.starts_with("out/hlsl/lit.hlsl: ") && depfile.contains("s/fog.hlsli"), "{depfile}");
    let table: serde_json::Value =
        serde_json::from_str(&read(directory.path(), "out/lit.variants.json")).expect("a table");
    let rows = table["variants"].as_array().expect("variants");
    assert_eq!(rows.len(), 4);
    for row in rows {
        let text = row["texts"].as_array().into_iter().flatten().find(|text| text["target"] == "glsl").expect("a text");
        assert_eq!(text["file"], "glsl/lit.main.frag");
        let defines = text["defines"].as_object().expect("defines");
        // Another preprocessor takes each variant.
        let Some(glslang) = find_tool("glslangValidator", "merged texts of trees") else { continue };
        let args = defines.iter().map(|(name, value)| format!("-D{name}={}", value.as_str().unwrap_or_default()));
        let path = directory.path().join("out/glsl/lit.main.frag");
        let output = Command::new(glslang).args(["-V", "-o", "/dev/null"]).args(args).arg(path).output();
        let output = output.expect("glslang runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    // Nothing is done twice, and what the command line says is done.
    assert!(build(directory.path(), &["--validate", "--depfiles", "--check"]).stdout.is_empty());
    build(directory.path(), &["--prune", "--permutations", "separate"]);
    assert!(!names("hlsl").contains(&"lit.hlsl".to_owned()));
    build(directory.path(), &["--prune"]);
    assert_eq!(names("hlsl"), ["lit.hlsl"]);
}

const BASE: &str = "float base(float x) { return x * 2; }\n";
const MIDDLE: &str = "#include \"base.hlsli\"\nfloat middle(float x) { return base(x) + 1; }\n";
const MODES: &str = "#include \"base.hlsli\"\n#include \"middle.hlsli\"\nfloat4 main(float4 p : TEXCOORD) : SV_Target\n{\n    float4 color = p;\n\
    #if MODE == 1\n    color.x = base(p.x);\n#endif\n#if MODE >= 1\n    color.y = middle(p.y);\n#endif\n    return color;\n}\n";

fn modes(permutations: &str) -> tempfile::TempDir {
    let manifest = format!(
        "[build]\npermutations = '{permutations}'\n[[shader]]\nfiles = ['*.hlsl']\nentries = ['main:fragment']\n\
         permute = {{ MODE = [0, 1, 2] }}\n"
    );
    let files =
        [("s/lit.hlsl", MODES), ("s/base.hlsli", BASE), ("s/middle.hlsli", MIDDLE), ("s/shaderport.toml", &manifest)];
    tree(&files)
}

/// A variant includes a header that another one has by way of a second one only.
#[test]
fn headers_of_some_variants_are_those_of_others_too() {
    let directory = modes("merged");
    let run = build(directory.path(), &["--validate"]);
    assert!(!run.stderr.contains("E0708"), "{}", run.stderr);
    let text = read(directory.path(), "out/hlsl/lit.hlsl");
    let includes =
        "#if MODE >= 1\n#if MODE == 1\n#include \"inc/base.hlsl\"\n#endif\n#include \"inc/middle.hlsl\"\n#endif\n";
    assert!(text.contains(includes), "{text}");
    for (mode, glslang) in
        (0..3).filter_map(|mode| Some((mode, find_tool("glslangValidator", "merged texts of trees")?)))
    {
        let path = directory.path().join("out/glsl/lit.main.frag");
        let output =
            Command::new(glslang).args(["-V", "-o", "/dev/null", &format!("-DMODE={mode}")]).arg(path).output();
        let output = output.expect("glslang runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Variants of WGSL import what they need, each by itself.
#[test]
fn imports_of_wesl_have_conditions() {
    let directory = modes("merged-wesl");
    let run = build(directory.path(), &["--validate", "--wgsl-imports", "wesl"]);
    assert!(!run.stderr.contains("E0708"), "{}", run.stderr);
    let text = read(directory.path(), "out/wgsl/lit.wgsl");
    let head = "@if(MODE_1)\nimport package::inc::base::{base};\n@if(!MODE_0)\nimport package::inc::middle::{middle};\n\n@fragment\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("    @if(MODE_1)\n    color.x = base(p.x);\n    @if(!MODE_0)\n    color.y = "), "{text}");
    if let Some(wesl) = find_tool("wesl", "conditional imports of WESL") {
        for mode in 0..3 {
            let mut command = Command::new(&wesl);
            let flags = (0..3).map(|at| format!("-DMODE_{at}={}", if at == mode { "enable" } else { "disable" }));
            command.current_dir(directory.path().join("out/wgsl")).args(["compile", "--base", "."]).args(flags);
            let output = command.arg("lit.wgsl").output().expect("wesl runs");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!((text.contains("base("), text.contains("middle(")), (mode > 0, mode > 0), "{text}");
        }
    }
    // Lists of modules are of all variants, and other tools have no attributes.
    for imports in ["none", "naga-oil"] {
        let run = build(directory.path(), &["--wgsl-imports", imports]);
        let told = "the variants stay separate wgsl texts: only imports of WESL may be there for some variants";
        assert!(run.stderr.contains(told), "{}", run.stderr);
    }
}

/// A header of which nothing is used is a file, which texts and headers include where their sources do.
#[test]
fn unused_headers_are_included_too() {
    let files = [
        ("s/used.hlsli", "#include \"far.hlsli\"\nfloat used(float x) { return x * 2; }\n"),
        (
            "s/far.hlsli",
            "#include \"used.hlsli\"\n// Far.\nfloat far(float x) { return x * 5; }\nfloat4 placed(float4 p : SV_Position) { return p; }\n",
        ),
        ("s/list.hlsli", "#include \"morton.hlsli\"\n#include \"needy.hlsli\"\n"),
        ("s/morton.hlsli", "struct Code { uint value; };\nuint morton(Code c) { return c.value & 0x55555555u; }\n"),
        ("s/needy.hlsli", "float needy(float x) { return used(x) + far(x); }\n"),
        (
            "s/one_ps.hlsl",
            "#include \"used.hlsli\"\n#include \"list.hlsli\"\nfloat4 main(float4 p : TEXCOORD) : SV_Target { return used(p.x); }\n",
        ),
        (
            "s/two_ps.hlsl",
            "#include \"morton.hlsli\"\nfloat morton2(float x) { return x; }\nfloat4 main(float4 p : TEXCOORD) : SV_Target { return morton2(p.x); }\n",
        ),
    ];
    let guarded = |(name, text): &(&'static str, &'static str)| {
        let is_header = name.ends_with("hlsli");
        (*name, if is_header { format!("#pragma once\n{text}") } else { (*text).to_owned() })
    };
    let files: Vec<(&str, String)> = files.iter().map(guarded).collect();
    let directory = tree(&files.iter().map(|(name, text)| (*name, text.as_str())).collect::<Vec<_>>());
    build(directory.path(), &["--validate"]);
    for (target, ending, one, two) in
        [("hlsl", "hlsl", "one_ps.hlsl", "two_ps.hlsl"), ("glsl", "glsl", "one_ps.main.frag", "two_ps.main.frag")]
    {
        let of = |name: &str| read(directory.path(), &format!("out/{target}/{name}"));
        let header = |name: &str| of(&format!("inc/{name}.{ending}"));
        let include = |name: &str| format!("#include \"inc/{name}.{ending}\"\n");
        let (one, two) = (of(one), of(two));
        assert!(one.contains(&[include("used"), include("morton")].concat()), "{one}");
        assert!(two.contains(&include("morton")) && !two.contains("used"), "{two}");
        assert!(header("morton").contains("struct Code") && header("morton").contains("uint morton(Code c)"));
        assert!(header("used").contains(&format!("#include \"far.{ending}\"")), "{}", header("used"));
        assert!(
            header("far").contains("float far(float x)") && !header("far").contains("#include"),
            "{}",
            header("far")
        );
    }
    assert!(read(directory.path(), "out/wgsl/inc/morton.wgsl").contains("fn morton("));
    assert!(!read(directory.path(), "out/wgsl/one_ps.wgsl").contains("morton"));
}

/// A header that has a word for something else that the macro of an axis is.
#[test]
fn headers_that_macros_of_axes_would_change_keep_variants_apart() {
    let main = "#include \"f.hlsli\"\n#ifdef FOG\n#undef FOG\n#include \"g.hlsli\"\n#endif\n\
        float4 main(float4 p : TEXCOORD) : SV_Target { return f(p.x)\n#ifdef WITH_FOG\n + g(p.y)\n#endif\n; }\n";
    let header = "float g(float x)\n{\n    float FOG = x * 2;\n    return FOG;\n}\n#define WITH_FOG\n";
    let manifest = MERGED.replace("QUALITY = [1, 2], ", "");
    let files = [
        ("s/lit.hlsl", main),
        ("s/f.hlsli", "float f(float x) { return x * 3; }\n"),
        ("s/g.hlsli", header),
        ("s/shaderport.toml", &manifest),
    ];
    let directory = tree(&files);
    let told =
        "warning[E0708]: s/lit.hlsl: the variants stay separate hlsl texts: a header would not be right with FOG=1";
    // It is told again where nothing is built.
    for _ in 0..2 {
        let run = build(directory.path(), &["--target", "hlsl"]);
        assert!(run.stderr.contains(told), "{}", run.stderr);
    }
    assert!(read(directory.path(), "out/hlsl/inc/g.hlsl").contains("float FOG = x * 2;"));
    assert!(directory.path().join("out/hlsl/lit.FOG-1.hlsl").is_file());
}

/// A manifest says how outputs are cut; the command line says it last.
#[test]
fn manifests_ask_for_trees() {
    let manifest = "[build]\nlayout = 'tree'\nwgsl-imports = 'wesl'\ntargets = ['hlsl', 'wgsl']\n";
    let directory = tree(&[&FILES[..], &[("s/shaderport.toml", manifest)]].concat());
    let run = |more: &[&str]| shaderport(directory.path(), &[&["build", "s", "--out", "out"], more].concat());
    let first = run(&[]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(read(directory.path(), "out/hlsl/one.hlsl").contains("#include \"inc/light.hlsl\""));
    assert!(read(directory.path(), "out/wgsl/two.wgsl").starts_with("import package::inc::light::"));
    assert_eq!(run(&["--wgsl-imports", "none"]).code, 0);
    assert!(!read(directory.path(), "out/wgsl/two.wgsl").contains("import package"));
    let flat = shaderport(directory.path(), &["build", "s", "--out", "flat", "--layout", "flat"]);
    assert_eq!(flat.code, 0, "{}", flat.stderr);
    assert!(read(directory.path(), "flat/hlsl/one.hlsl").contains("float square(float x)"));
    // Commands of build systems each write a program of their own.
    let action =
        shaderport(directory.path(), &["build", "s", "--out", "action", "--no-record", "--program", "one.hlsl"]);
    assert_eq!(action.code, 0, "{}", action.stderr);
    assert!(read(directory.path(), "action/hlsl/one.hlsl").contains("float square(float x)"));
    let wrong = "[build]\nlayout = 'trees'\n";
    std::fs::write(directory.path().join("s/shaderport.toml"), wrong).expect("a manifest");
    let wrong = run(&[]);
    assert!(wrong.code == 2 && wrong.stderr.contains("shaderport.toml:2:10"), "{}", wrong.stderr);
}

#[test]
fn what_trees_cannot_have_is_named() {
    let directory = tree(&FILES);
    let args = ["build", "s", "--out", "out", "--layout", "tree", "--line-directives"];
    let run = shaderport(directory.path(), &args);
    assert!(run.code != 0 && run.stderr.contains("--line-directives are of"), "{}", run.stderr);
}

/// Texts and headers have maps, from which places of sources are found.
#[test]
fn trees_have_source_maps() {
    let files = [("s/lit.hlsl", LIT), ("s/tone.hlsli", TONE), ("s/fog.hlsli", FOG), ("s/shaderport.toml", MERGED)];
    let directory = tree(&files);
    for form in ["file", "inline"] {
        build(directory.path(), &["--validate", "--prune", &format!("--source-map={form}")]);
        assert_eq!(directory.path().join("out/hlsl/inc/fog.hlsl.map").is_file(), form == "file");
        for (name, line, place) in [
            ("hlsl/inc/fog.hlsl", "exp(-d * 2)", "s/fog.hlsli:2:36"),
            ("wgsl/inc/tone.wgsl", "c / (1.0 + c)", "s/tone.hlsli:1:32"),
            ("hlsl/lit.hlsl", "lifted(color.rgb)", "s/lit.hlsl:12:17"),
            ("glsl/lit.main.frag", "fogged(", "s/lit.hlsl:15:14"),
        ] {
            let text = read(directory.path(), &format!("out/{name}"));
            let (at, found) = text.lines().enumerate().find(|(_, text)| text.contains(line)).expect(line);
            let column = found.find(line).expect(line) + 1;
            let run = shaderport(directory.path(), &["trace", &format!("out/{name}:{}:{column}", at + 1)]);
            assert!(run.code == 0 && run.stdout.contains(place), "{name}: {}{}", run.stdout, run.stderr);
        }
    }
}

/// What no program uses is in the header of its source, if nothing is in its way there.
#[test]
fn what_no_program_uses_is_in_headers() {
    let header = "#define SCALE 4.0\n#define NEVER 5\nstatic const float LIMIT = 0.25;\nstruct Light { float3 color; float range; };\n\
        // Of nobody.\nstruct Spot { Light light; float3 way; };\n\
        float used(float x) { return x * x; }\n\
        // Not called.\nfloat spare(Spot s, inout float w) { w += LIMIT; return used(s.light.range) * SCALE; }\n\
        float two(float x) { return x; }\nfloat two(float2 x) { return spare_two(x); }\n";
    let header = header
        .replace("float two(float x)", "float spare_two(float2 x) { return x.x + used(x.y); }\nfloat two(float x)");
    // Not there: what overloads a function that is used, needs a binding, is generic, or would be another `mine`.
    let more = "float used(float2 x) { return x.x; }\nfloat load(Buffer<float> b) { return b[0]; }\n\
        template<typename T> T twice(T x) { return x + x; }\n#ifndef OWN\nfloat mine(float x) { return x * 3; }\n\
        float needs_mine(float x) { return mine(x); }\n#endif\n";
    let main = "#include \"h.hlsli\"\nfloat4 x;\n\
        [shader(\"fragment\")] float4 ps(float4 p : SV_Position) : SV_Target { return x * used(p.x); }\n";
    let own = format!(
        "#define OWN\n{}",
        main.replace("float4 x", "float4 mine, more").replace("return x", "return more * mine")
    );
    let directory = tree(&[("s/a.hlsl", main), ("s/h.hlsli", &(header + more)), ("s/b.hlsl", &own)]);
    let run = build(directory.path(), &["--validate", "--verbose"]);
    for (target, ending) in [("hlsl", "hlsl"), ("glsl", "glsl"), ("wgsl", "wgsl")] {
        let text = read(directory.path(), &format!("out/{target}/inc/h.{ending}"));
        for part in [
            "SCALE",
            "NEVER",
            "LIMIT",
            "// Of nobody.\nstruct Spot",
            "// Not called.\n",
            " spare(",
            "two",
            "spare_two(",
        ] {
            assert!(text.contains(part), "{target}: {part}\n{text}");
        }
        for part in ["twice", "load", "spare_code", "main"] {
            assert!(!text.contains(part), "{target}: {part}\n{text}");
        }
        // Several uniforms of WGSL are members of a struct.
        let is_free = target == "wgsl";
        assert_eq!(text.contains("needs_mine"), is_free, "{target}\n{text}");
        let told = format!("note: {target}: h.hlsli: mine, which no entry point uses, is in no header");
        assert_eq!(run.stderr.contains(&told), !is_free, "{}", run.stderr);
    }
    assert!(!read(directory.path(), "out/hlsl/inc/h.hlsl").contains("used(float2"));
    let files = std::fs::read_dir(directory.path().join("out/hlsl")).expect("outputs");
    assert!(files.flatten().all(|file| !file.file_name().to_string_lossy().contains("spare")));
    // A change of it is one of the header.
    let path = directory.path().join("s/h.hlsli");
    let changed = std::fs::read_to_string(&path).expect("a header").replace("w += LIMIT", "w -= LIMIT");
    std::fs::write(&path, changed).expect("a write");
    build(directory.path(), &[]);
    assert!(read(directory.path(), "out/hlsl/inc/h.hlsl").contains("w -= LIMIT"));
}

/// What is kept of a header brings what it needs of headers that its source includes. A macro that is a number is kept by itself, but
/// not one that conditions ask for: it says nothing in a text without them.
#[test]
fn what_no_program_uses_has_what_it_needs() {
    let filter = "// Licence of the filter.\n\n#pragma once\n#include \"waves.hlsli\"\nfloat used(float x) { return x * 2; }\n\
        float lanczos(float x, float a) { return sinc(x) * sinc(x / a); }\n\
        // Needs what the source does not include.\n#ifdef ELSEWHERE\nfloat loose(float x) { return elsewhere(x); }\n#endif\n";
    let waves = "// Licence of the waves.\n\n#pragma once\n#include \"numbers.hlsli\"\nfloat sinc(float x) { return sin(PI * x) / (PI * x); }\n";
    let numbers = "#pragma once\n#define PI 3.14159265\n#define TAU (6.28318531) // Twice.\n// Below.\n#define LOWEST -2.5e3f\n\
        #define MASK 0xFFFFFFF0u\n#define MODE 2\n#if MODE == 2\n#define COUNT 4\n#endif\n#define FAST 1\n#ifdef FAST\n#define STEPS 8\n#endif\n\
        #ifndef LIMIT\n#define LIMIT 7\n#endif\n#define WORDS a + b\n#define NOTHING\n#define CALL(x) 1\n";
    let main = "// The program.\n\n#include \"filter.hlsli\"\nfloat4 x;\n\
        [shader(\"fragment\")] float4 ps(float4 p : SV_Position) : SV_Target { return x * used(p.x); }\n";
    let other = "#include \"elsewhere.hlsli\"\n#include \"filter.hlsli\"\nfloat4 x;\n\
        [shader(\"fragment\")] float4 ps(float4 p : SV_Position) : SV_Target { return x * elsewhere(used(p.x)); }\n";
    let files = [
        ("s/a.hlsl", main),
        ("s/b.hlsl", other),
        ("s/filter.hlsli", filter),
        ("s/waves.hlsli", waves),
        ("s/numbers.hlsli", numbers),
        ("s/elsewhere.hlsli", "#pragma once\n#define ELSEWHERE 1\nfloat elsewhere(float x) { return x; }\n"),
    ];
    let directory = tree(&files);
    build(directory.path(), &["--validate"]);
    for (target, ending) in [("hlsl", "hlsl"), ("glsl", "glsl"), ("wgsl", "wgsl")] {
        let header = |name: &str| read(directory.path(), &format!("out/{target}/inc/{name}.{ending}"));
        let (filter, waves, numbers) = (header("filter"), header("waves"), header("numbers"));
        assert!(filter.contains(" lanczos(") && !filter.contains("loose"), "{filter}");
        assert!(waves.contains(" sinc("), "{waves}");
        for part in [
            "PI",
            "TAU",
            "// Twice.",
            "// Below.\n",
            "LOWEST",
            "-2.5e3",
            "MASK",
            "0xFFFFFFF0",
            "COUNT",
            "STEPS",
            "LIMIT",
        ] {
            assert!(numbers.contains(part), "{target}: {part}\n{numbers}");
        }
        for part in ["MODE", "FAST", "WORDS", "NOTHING", "CALL"] {
            assert!(!numbers.contains(part), "{target}: {part}\n{numbers}");
        }
        let is_included = target != "wgsl";
        assert_eq!(filter.contains(&format!("#include \"waves.{ending}\"")), is_included, "{filter}");
        assert_eq!(waves.contains(&format!("#include \"numbers.{ending}\"")), is_included, "{waves}");
        // Each header begins with its licence, which texts do not have.
        assert_eq!(filter.matches("// Licence of the filter.").count(), 1, "{filter}");
        assert_eq!(waves.matches("// Licence of the waves.").count(), 1, "{waves}");
    }
    for text in ["hlsl/a.hlsl", "glsl/a.ps.frag", "wgsl/a.wgsl"] {
        let text = read(directory.path(), &format!("out/{text}"));
        assert!(text.contains("// The program.") && !text.contains("Licence"), "{text}");
    }
}

/// A struct in a header has the methods of all programs, each once, and those of nobody that fit there.
#[test]
fn structs_in_headers_have_all_methods() {
    let header = "float square(float x) { return x * x; }\nstruct Hit;\n\
        // A ray.\nstruct Ray {\n    float3 from;\n\n    // Strong.\n    float strong(float x) { return square(x) * from.x; }\n\
        \x20   Hit hit(float at);\n    float3 way;\n    float weak(float x) { return strong(x) / 2; }\n\
        \x20   // Of nobody.\n    float spare(float x) { return weak(x) + square(x); }\n\
        \x20   static Ray make() { Ray ray = (Ray)0; return ray; }\n};\n\
        struct Hit : Ray { float at; Ray ray() { Ray ray; ray.from = from; ray.way = way; return ray; } };\n\
        Hit Ray::hit(float at) { Hit hit; hit.from = from; hit.way = way; hit.at = at; return hit; }\n";
    let main = |code: &str| {
        let head =
            "#include \"ray.hlsli\"\nfloat4 x;\n[shader(\"fragment\")] float4 ps(float4 p : SV_Position) : SV_Target";
        format!("{head} {{ Ray r = Ray::make(); r.from = x.xyz; return {code}; }}\n")
    };
    let (one, two) = (main("r.strong(p.x)"), main("r.hit(p.x).ray().weak(p.y)"));
    // A function that is in no other program, where a method would hide it.
    let three = main("r.strong(p.x) + weak(p.y)").replace("float4 x;", "float4 x;\nfloat weak(float y) { return y; }");
    let files = [("s/one.hlsl", &*one), ("s/two.hlsl", &*two), ("s/three.hlsl", &*three), ("s/ray.hlsli", header)];
    let directory = tree(&files);
    build(directory.path(), &["--validate"]);
    let ray = read(directory.path(), "out/hlsl/inc/ray.hlsl");
    let order = [
        "float square(float x)",
        "struct Hit;",
        "// A ray.\nstruct Ray",
        "    float3 from;",
        "    // Strong.\n    float strong(float x)",
        "    Hit hit(float at);",
        "    float3 way;",
        "    float weak(float x)",
        "    // Of nobody.\n    float spare(float x)",
        "    static Ray make()",
        "struct Hit : Ray",
        "    Ray ray()",
        "Hit Ray::hit(float at)",
    ];
    let places: Vec<Option<usize>> = order.iter().map(|part| ray.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{ray}");
    assert!(order.iter().all(|part| ray.matches(part).count() == 1) && !ray.contains("this_"), "{ray}");
    for name in ["one", "two", "three"] {
        let text = read(directory.path(), &format!("out/hlsl/{name}.hlsl"));
        assert!(text.contains("#include \"inc/ray.hlsl\"") && !text.contains("struct"), "{name}\n{text}");
    }
    // The same methods are functions elsewhere.
    for (target, ending) in [("glsl", "glsl"), ("wgsl", "wgsl")] {
        let text = read(directory.path(), &format!("out/{target}/inc/ray.{ending}"));
        assert!(
            ["Ray_strong(", "Ray_weak(", "Ray_spare(", "Hit_ray("].iter().all(|name| text.contains(name)),
            "{text}"
        );
    }
}

/// A program need not use a struct to include the header that has it, nor all of its static members.
#[test]
fn structs_in_headers_have_all_static_members() {
    let header = "// A light.\nstruct Light\n{\n    // How many.\n    static const int Count = 4;\n    \
        static const int Spare = Count + 1; // Of nobody.\n    float x[Count];\n    static const float2 Offsets[2];\n    \
        float sum() { return x[0] * Count; }\n};\nstatic const float2 Light::Offsets[2] = { float2(1, 2), float2(3, 4) };\n\
        struct Tile { static const uint Width = 8; static const uint Area = Width * Width; float v; };\n\
        struct Curve { float values[4]; static float gamma(float x) { return pow(x, 2.2); } };\n";
    let main = |head: &str, code: &str| {
        format!(
            "#include \"light.hlsli\"\n{head}RWStructuredBuffer<float> o;\n[shader(\"compute\")] [numthreads(Tile::Width, 1, 1)] void \
            cs(uint3 i : SV_DispatchThreadID) {{ o[i.x] = {code}; }}\n"
        )
    };
    let one = main("cbuffer C { Light light; };\n", "light.sum() + Light::Count");
    let two = main("groupshared float values[Tile::Area];\n", "values[i.x] + Light::Offsets[i.x & 1].y");
    let three = main("", "Curve::gamma(i.x) + Tile::Area");
    let files = [("s/one.hlsl", &*one), ("s/two.hlsl", &*two), ("s/three.hlsl", &*three), ("s/light.hlsli", header)];
    let directory = tree(&files);
    build(directory.path(), &["--validate"]);
    let light = read(directory.path(), "out/hlsl/inc/light.hlsl");
    let order = [
        "// A light.\nstruct Light\n{\n    // How many.\n    static const int Count = 4;\n",
        "    static const int Spare = Count + 1; // Of nobody.\n    float x[Count];\n    static const float2 Offsets[2];\n",
        "    float sum()",
        "static const float2 Light::Offsets[2] = { float2(1, 2), float2(3, 4) };\n",
        "struct Tile\n{\n    static const uint Width = 8;\n    static const uint Area = Width * Width;\n    float v;\n};",
        "struct Curve\n{\n    float values[4];\n\n    static float gamma(float x)",
    ];
    let places: Vec<Option<usize>> = order.iter().map(|part| light.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{light}");
    for (name, code) in [
        ("one", "light.sum() + Light::Count"),
        ("two", "Light::Offsets[i.x & 1].y"),
        ("three", "Curve::gamma(i.x) + Tile::Area"),
    ] {
        let text = read(directory.path(), &format!("out/hlsl/{name}.hlsl"));
        assert!(text.contains("#include \"inc/light.hlsl\"") && !text.contains("struct "), "{name}\n{text}");
        assert!(text.contains(code) && text.contains("[numthreads(Tile::Width, 1, 1)]"), "{name}\n{text}");
    }
}

/// Of methods of two programs of which each needs the struct of the other, one is defined behind both. One that would hide what
/// another program means in the struct stays in its text.
#[test]
fn methods_that_are_in_the_way_are_apart() {
    let module = "module shapes;\npublic struct A { public float x; public float by(float y) { B b; b.y = x; return b.y * y; } }\n\
        public struct B { public float y; public float of(float x) { A a; a.x = y; return a.x * x; } }\n";
    let main = |code: &str| {
        format!(
            "import shapes;\nuniform float4 x;\n[shader(\"fragment\")] float4 ps(float4 p : SV_Position) : SV_Target {{ {code} }}\n"
        )
    };
    let (one, two) = (main("A a = { x.x }; return a.by(p.x);"), main("B b = { x.x }; return b.of(p.x);"));
    let directory = tree(&[("s/one.slang", &*one), ("s/two.slang", &*two), ("s/shapes.slang", module)]);
    build(directory.path(), &["--target", "hlsl", "--validate"]);
    let shapes = read(directory.path(), "out/hlsl/inc/shapes.hlsl");
    assert!(shapes.contains("    float by(float y);") && shapes.contains("float A::by(float y)\n{"), "{shapes}");
    assert!(shapes.contains("    float of(float x)\n    {"), "{shapes}");
}

/// What the size of a member names is named by the struct in every variant, whichever function asks for it first.
#[test]
fn sizes_of_members_are_named_in_all_variants() {
    let header = "struct Light\n{\n    static const int Count = 4;\n    float x[Count];\n    static int twice() { return Count * 2; }\n};\n";
    let source = "#include \"inc/light.hlsli\"\n#if MORE\n#define EXTRA 2\n#else\n#define EXTRA 1.0\n#endif\n\
        RWStructuredBuffer<float> result;\n[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID)\n\
        { result[id.x] = Light::twice() + EXTRA; }\n";
    let manifest =
        "[build]\npermutations = \"merged\"\n[[shader]]\nfiles = [\"b.hlsl\"]\npermute = { MORE = [0, 1] }\n";
    let files = [("s/inc/light.hlsli", header), ("s/b.hlsl", source), ("s/shaderport.toml", manifest)];
    let directory = tree(&files);
    build(directory.path(), &[]);
    assert!(read(directory.path(), "out/hlsl/inc/light.hlsl").contains("float x[Count];"));
    assert!(read(directory.path(), "out/hlsl/b.hlsl").contains("#if MORE"));
}

/// A header of which only one text uses what has attributes of loops: all that include it ask for the extension.
#[test]
fn texts_ask_for_what_their_headers_need() {
    let header = "float twice(float x) { return x * 2; }\nfloat many(float x)\n{\n    [unroll]\n    for (int i = 0; i < 4; i++)\n        \
        x = twice(x);\n    return x;\n}\n";
    let source = |call: &str| {
        format!("#include \"inc/h.hlsli\"\nfloat4 main(float x : X) : SV_Target {{ return {call}(x); }}\n")
    };
    let files = [("s/inc/h.hlsli", header), ("s/a.frag.hlsl", &source("twice")), ("s/b.frag.hlsl", &source("many"))];
    let directory = tree(&files);
    build(directory.path(), &["--target", "glsl", "--validate"]);
    for name in ["a", "b"] {
        let text = read(directory.path(), &format!("out/glsl/{name}.frag.main.frag"));
        let asked = text.matches("#extension GL_EXT_control_flow_attributes : require\n").count();
        assert_eq!(asked, 1, "{text}");
    }
    assert!(read(directory.path(), "out/glsl/inc/h.glsl").contains("[[unroll]]"));
}

#[test]
fn the_sidecar_of_each_variant_lists_its_modules() {
    let source = "#include \"inc/math.hlsli\"\n#if WIDE\nBuffer<float4> more;\n#endif\nRWStructuredBuffer<float4> o;\n\
        [shader(\"compute\")] [numthreads(8, 1, 1)] void cs(uint3 i : SV_DispatchThreadID)\n{\n    o[i.x] = cube(i.y);\n\
        #if WIDE\n    o[i.x] += more[i.y];\n#endif\n}\n";
    let manifest = "[[shader]]\nfiles = [\"a.hlsl\"]\npermute = { WIDE = [0, 1] }\n";
    let files = [("s/a.hlsl", source), ("s/inc/math.hlsli", MATH), ("s/shaderport.toml", manifest)];
    let directory = tree(&files);
    build(directory.path(), &[]);
    for wide in [0, 1] {
        for ending in ["hlsl", "wgsl"] {
            let sidecar = read(directory.path(), &format!("out/{ending}/a.WIDE-{wide}.json"));
            let sidecar: serde_json::Value = serde_json::from_str(&sidecar).expect("a sidecar");
            let text = format!("{ending}/a.WIDE-{wide}.{ending}");
            let modules = serde_json::json!([{ "text": text, "files": [format!("{ending}/inc/math.{ending}")] }]);
            assert_eq!(sidecar["modules"], modules);
        }
    }
}

/// Texts of WGSL that name what they need, for tools that put modules together.
#[test]
fn modules_of_wgsl_are_imported() {
    let directory = tree(&FILES);
    let text = |imports: &str, name: &str| {
        build(directory.path(), &["--target", "wgsl", "--validate", "--wgsl-imports", imports]);
        read(directory.path(), &format!("out/wgsl/{name}"))
    };
    let two = text("wesl", "two.wgsl");
    assert!(
        two.starts_with("import package::inc::light::{Light, strength};\nimport package::inc::math::{cube};\n\n"),
        "{two}"
    );
    let light = read(directory.path(), "out/wgsl/inc/light.wgsl");
    assert!(light.contains("\nimport package::inc::math::{square};\n\n"), "{light}");
    let two = text("naga-oil", "two.wgsl");
    assert!(two.starts_with("#import inc::light::{Light, strength}\n"), "{two}");
    let math = read(directory.path(), "out/wgsl/inc/math.wgsl");
    assert!(math.starts_with("#define_import_path inc::math\n\nfn square("), "{math}");
    let run = shaderport(directory.path(), &["build", "s", "--out", "flat", "--wgsl-imports", "wesl"]);
    assert!(run.code == 2 && run.stderr.contains("it needs --layout tree"), "{}", run.stderr);
}

/// What naga_oil passes on is what naga writes: it has no constants without a type, and spells members that end with digits otherwise.
/// Directives come first.
#[test]
fn naga_oil_gets_what_it_passes_on() {
    let header = "static const float SCALE = 2;\n#define HALF_SCALE (SCALE * 0.5)\n#define TWICE 2\n\
        struct Pair { float a0; float a1; };\nstruct Wide { float wide; };\n\
        float sum(Pair p) { return (p.a0 + p.a1) * TWICE; }\nfloat width(Wide w) { return w.wide * HALF_SCALE * TWICE; }\n";
    let main = |name: &str| {
        format!(
            "/* A sum. */\n\n#include \"h.hlsli\"\nRWStructuredBuffer<float> {name};\n[numthreads(32, 1, 1)]\nvoid main(uint i : SV_GroupIndex)\n{{\n    \
             Pair p = {{ 1, i }};\n    Wide w = {{ i }};\n    {name}[i] = WaveActiveSum(sum(p) + width(w)) * TWICE;\n}}\n"
        )
    };
    let directory = tree(&[("s/h.hlsli", header), ("s/one.hlsl", &main("one")), ("s/two.hlsl", &main("two"))]);
    build(directory.path(), &["--target", "wgsl", "--validate", "--wgsl-imports", "naga-oil"]);
    let text = read(directory.path(), "out/wgsl/one.wgsl");
    let h = read(directory.path(), "out/wgsl/inc/h.wgsl");
    assert!(
        text.starts_with("enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n\n/* A sum. */\n\n#import inc::h::{Wide, width}\n\n"),
        "{text}"
    );
    assert!(text.contains("}\n\nconst TWICE = 2.0;\n\nstruct Pair {"), "{text}");
    assert!(text.contains("struct Pair {") && text.contains("fn sum(") && !text.contains("fn width("), "{text}");
    assert!(h.contains("const TWICE = 2.0;\n") && h.contains("fn width(") && !h.contains("Pair"), "{h}");
    build(directory.path(), &["--target", "wgsl", "--validate", "--wgsl-imports", "wesl"]);
    let text = read(directory.path(), "out/wgsl/one.wgsl");
    assert!(text.starts_with("import package::inc::h::{Pair, "), "{text}");
}
