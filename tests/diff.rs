//! `shaderport diff`: what each edit of a source changes in its interface, exit codes, and what is no sidecar.

use crate::support::{shaderport, tree};
use shaderport::compile::{Options, Target, compile};
use shaderport::reflect::Reflection;
use shaderport::reflect::diff::{ChangeKind, Diff, Subject, diff};
use shaderport::source::MemoryLoader;

const SOURCE: &str = "
struct Pair { Texture2D a; Texture2D b; };
Pair gPairs[8];
float gScale;
cbuffer Frame { float4x4 view; float3 eye; float time; };
struct Item { float3 at; float weight; };
StructuredBuffer<Item> items;
RWStructuredBuffer<float> result;
[shader(\"compute\")] [numthreads(8, 4, 1)]
void main(uint3 id : SV_DispatchThreadID, uniform float4 tint) { result[0] = gScale + time + tint.x; }
[shader(\"vertex\")]
float4 vs(float3 position : POSITION, float2 uv : TEXCOORD1) : SV_Position { return float4(position, uv.x); }
";

fn sidecar(source: &str, target: Target) -> Reflection {
    let loader = MemoryLoader::new().with("a.slang", source);
    let output = compile(&loader, &["a.slang"], &Options::for_target(target));
    assert!(!output.has_errors(), "{}", output.render(false));
    output.reflections.into_iter().next().expect("a sidecar").1
}

/// The changes that an edit makes, as `kind path`.
fn changes(from: &str, to: &str, target: Target) -> Vec<String> {
    assert!(SOURCE.contains(from), "{from}");
    let found = diff(&sidecar(SOURCE, target), &sidecar(&SOURCE.replace(from, to), target));
    let back: Diff = serde_json::from_str(&found.to_json()).expect("its own format");
    assert_eq!(back, found);
    assert_eq!(found.to_text().lines().count(), found.changes.len() + 1);
    found.changes.iter().map(|c| format!("{} {}", c.change.word(), c.path)).collect()
}

#[test]
fn every_kind_of_change() {
    let none: [&str; 0] = [];
    let hlsl = |from, to| changes(from, to, Target::Hlsl);
    assert_eq!(hlsl("gScale + time", "gScale * time"), none);
    assert_eq!(hlsl("float gScale;", "\n\nfloat gScale;"), none, "another line is no change");
    assert_eq!(
        hlsl("float4x4 view; float3 eye;", "float4x4 view; float3 eye2;"),
        ["removed Frame.eye", "added Frame.eye2"]
    );
    assert_eq!(
        hlsl("float3 eye; float time;", "float time; float3 eye;"),
        ["moved Frame.eye", "moved Frame.time"],
        "the buffer itself stays"
    );
    assert_eq!(hlsl("Pair gPairs[8];", "Pair gPairs[8]; Texture2D more;"), ["moved items", "added more"]);
    assert_eq!(hlsl("float3 at; float weight;", "float3 at; uint weight;"), ["retyped items.weight"]);
    assert_eq!(
        hlsl("float3 at; float weight;", "float4 at; float weight;"),
        ["resized items", "resized items.at", "retyped items.at", "moved items.weight"]
    );
    assert_eq!(
        hlsl("StructuredBuffer<Item> items", "RWStructuredBuffer<Item> items"),
        ["moved items", "resized items", "retyped items", "moved result"]
    );
    assert_eq!(hlsl("8, 4, 1", "8, 8, 1"), ["resized main"]);
    assert_eq!(hlsl("TEXCOORD1", "TEXCOORD2"), ["retyped vs.uv"]);
    assert_eq!(hlsl("float4 tint", "float3 tint"), ["resized main.$Params", "resized main.tint", "retyped main.tint"]);
    // A cbuffer of its own is one binding more before the others.
    let glsl = changes("float gScale;", "static float gScale;", Target::Glsl);
    assert!(glsl.contains(&"removed $Globals".to_owned()) && glsl.contains(&"moved result".to_owned()), "{glsl:?}");
}

#[test]
fn a_field_that_goes_along_with_its_parameter_is_not_told() {
    let all = changes("Pair gPairs[8];", "Texture2D first; Pair gPairs[8];", Target::Hlsl);
    assert_eq!(all, ["moved gPairs", "moved items", "added first"]);
    let all = diff(&sidecar(SOURCE, Target::Hlsl), &sidecar(&SOURCE.replace("uv", "uw"), Target::Hlsl));
    assert!(all.changes.iter().all(|c| c.subject == Subject::Varying && c.change != ChangeKind::Moved), "{all:?}");
}

#[test]
fn exit_codes_and_text() {
    let tree =
        tree(&[("a.slang", SOURCE), ("b.slang", &SOURCE.replace("float3 eye; float time", "float time; float3 eye"))]);
    for (source, target, out) in [("a", "hlsl", "a.json"), ("b", "hlsl", "b.json"), ("a", "glsl", "g.json")] {
        let source = format!("{source}.slang");
        let run = shaderport(tree.path(), &["reflect", &source, "--target", target, "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        std::fs::write(tree.path().join(out), run.stdout).expect("a file");
    }
    let run = |args: &[&str]| shaderport(tree.path(), args);
    let same = run(&["diff", "a.json", "a.json"]);
    assert_eq!((same.code, same.stdout.as_str(), same.stderr.as_str()), (0, "no differences\n", ""));
    let moved = run(&["diff", "a.json", "b.json"]);
    assert_eq!(moved.code, 1);
    assert_eq!(
        moved.stdout,
        "moved  field  Frame.eye   byte 64 -> byte 68\nmoved  field  Frame.time  byte 76 -> byte 64\n2 moved\n"
    );
    let json = run(&["diff", "a.json", "b.json", "--json"]);
    assert_eq!(json.code, 1);
    assert!(json.stdout.contains("\"schema\": \"shaderport-diff/1\""), "{}", json.stdout);
    assert_eq!(run(&["diff", "a.json"]).code, 2);
    let other = run(&["diff", "a.json", "g.json"]);
    assert_eq!((other.code, other.stdout.as_str()), (2, ""));
    assert!(other.stderr.contains("E0701") && other.stderr.contains("g.json for glsl"), "{}", other.stderr);
}

#[test]
fn what_is_no_sidecar() {
    let tree = tree(&[
        ("source.slang", SOURCE),
        ("cut.json", "{\n  \"schema\": \"shaderport-reflection/1\",\n  \"tool\": \"shad"),
        ("older.json", "{\n  \"tool\": \"shaderport\",\n  \"schema\": \"shaderport-reflection/0\"\n}\n"),
        ("list.json", "[1, 2]"),
        ("empty.json", ""),
        ("wrong.json", "{\n  \"schema\": \"shaderport-reflection/1\",\n  \"parameters\": 3\n}\n"),
    ]);
    std::fs::write(tree.path().join("binary.json"), [0u8, 159, 146, 150, 255]).expect("a file");
    for (name, code, place) in [
        ("source.slang", "E0705", "source.slang:2:1"),
        ("cut.json", "E0705", "cut.json:3:1"),
        ("older.json", "E0705", "older.json:3:3"),
        ("list.json", "E0705", "list.json:1:1"),
        ("empty.json", "E0705", "empty.json"),
        ("wrong.json", "E0705", "wrong.json:3:"),
        ("binary.json", "E0705", "binary.json:1:1"),
        ("missing.json", "E0101", "missing.json"),
    ] {
        let run = shaderport(tree.path(), &["diff", name, "older.json"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{name}: {}", run.stderr);
        assert!(run.stderr.contains(code) && run.stderr.contains(place), "{name}: {}", run.stderr);
        // The other one is told of as well.
        assert!(run.stderr.contains("older.json:3:3"), "{name}: {}", run.stderr);
    }
}
