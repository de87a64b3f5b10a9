//! `shaderport explain FILE PARAMETER` and the page of `reflect --format html`: the numbers are those of the sidecar, every
//! step has its rule and its line, and nothing of a source becomes a part of the page.

use crate::support::{shaderport, tree};
use shaderport::internals::reflect::{explain, html};
use shaderport::reflection::Count;
use shaderport::{MemoryLoader, Options, Target, compile};
use std::collections::BTreeSet;
use std::process::Command;

const SOURCE: &str = "struct Pair { Texture2D a; Texture2D b; };
Texture2D first : register(t2);
Pair gPairs[8];
float gain; // </script><script>document.title = 'broken'</script> & \"quotes\"
float3 tint[2];
struct Light { float3 position; Texture2D shadow; float k; };
ParameterBlock<Light> key;
cbuffer Frame { float3x3 basis; float time; float2 size; };
struct Item { float2 at; float3 normal; };
StructuredBuffer<Item> items;
RWStructuredBuffer<float> result;
[shader(\"compute\")] [numthreads(8, 4, 1)]
void main(uniform float4 scale) { result[0] = gain + time + scale.x; }
";

fn explained(path: &str, target: &str) -> String {
    let tree = tree(&[("a.slang", SOURCE)]);
    let run = shaderport(tree.path(), &["explain", "a.slang", path, "--target", target]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    run.stdout
}

/// An element of an array is told where it is; an index that leads nowhere is told to.
#[test]
fn elements_and_namespaces_are_found() {
    let source = "struct P { float4 a; Texture2D b[2]; };\nP pairs[4];\nfloat4x4 m[3];\nConstantBuffer<float4> c[2];\n\
                  struct I { float x; float3 y; };\nStructuredBuffer<I> items;\nSampler2D s[2];\n\
                  namespace One { Texture2D same; cbuffer B { float z; } }\nnamespace Two { Texture2D same; }\n\
                  [shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main(uniform float q[3]) { }\n";
    let tree = tree(&[("a.slang", source)]);
    let explain = |path: &str, target: &str| {
        let run = shaderport(tree.path(), &["explain", "a.slang", path, "--target", target]);
        (run.code, run.stdout + &run.stderr)
    };
    for (path, target, said) in [
        ("pairs[3].a", "hlsl", "`pairs[3].a` is at byte 0 + 48: byte 48"),
        ("pairs[3].b[1]", "hlsl", "`pairs[3].b[1]` is at 0 + 7: t7, space 0"),
        ("pairs[3].b[1]", "wgsl", "`pairs[3].b[1]` is at 1 + 7: binding 8, set 0"),
        ("pairs[3].b[1]", "glsl", "binding 1, set 0, which holds all elements: it is number 7"),
        ("m[2][1]", "glsl", "`m[2][1]` is at byte 64 + 128: byte 192"),
        ("c[1]", "hlsl", "`c[1]` is at 1 + 1: b2, space 0"),
        ("s[1]", "hlsl", ": s1, space 0"),
        ("q[2]", "hlsl", "`q[2]` is at byte 0 + 32: byte 32"),
        ("items[5].y", "glsl", "items.y: byte 16"),
        ("Two::same", "glsl", "same: binding 7, set 0"),
        ("One.same", "glsl", "same: binding 5, set 0"),
        ("One::B.z", "glsl", "B.z: byte 0"),
    ] {
        let (code, text) = explain(path, target);
        assert!(code == 0 && text.contains(said), "{path} for {target}: {said}\n{text}");
    }
    for (path, said) in [
        ("pairs[4].a", "`pairs` has 4 elements there, and none of index 4"),
        ("pairs[x].a", "is not a number in brackets"),
        ("pairs[", "is not a number in brackets"),
        ("pairs.a[1][2]", "`a` has fewer than 2 dimensions"),
        ("One::B.z[0]", "`z` is not an array"),
        ("same", "`same` may be `One.same`, `Two.same`: choose one"),
    ] {
        let (code, text) = explain(path, "hlsl");
        assert!(code == 2 && text.contains(said), "{path}: {said}\n{text}");
    }
}

#[test]
fn derivations_say_numbers_rules_and_lines() {
    for (path, target, said) in [
        (
            "gPairs[3].b",
            "hlsl",
            &[
                "gPairs.b: t11 to t18, space 0\n",
                "Global order: `gPairs` is number 2 of",
                "after `first`",
                "takes 16 t registers",
                "First fit: t3 to t18, space 0 is the first gap of 16",
                "t2, space 0 taken by `first` (explicit, a.slang:2:19)",
                "the arrays around it have 8 elements, and leaf after leaf becomes an array: +8",
                "a.slang:1:38: struct Pair { Texture2D a; Texture2D b; };",
                "rule: layout-first-fit",
                "rule: layout-arrays",
            ][..],
        ),
        ("gPairs.b", "glsl", &["gPairs.b: binding 3, set 0", "binding 0, set 0 taken by `$Globals`", "+1\n"]),
        (
            "first",
            "hlsl",
            &["first: t2, space 0", "Explicit positions come first: t2, space 0 is asked for", "rule: layout-explicit"],
        ),
        ("time", "hlsl", &["Frame.time: byte 44, 4 bytes", "`basis` before it ends at byte 44", "D3D constant buffer"]),
        ("size", "hlsl", &["Frame.size: byte 48, 8 bytes"]),
        ("tint", "wgsl", &["tint: byte 16, 32 bytes", "its elements are 16 bytes apart", "std140"]),
        ("items.normal", "hlsl", &["items.normal: byte 8, 12 bytes", "Its elements are 20 bytes apart"]),
        ("items.normal", "glsl", &["items.normal: byte 16, 12 bytes", "Its elements are 32 bytes apart"]),
        (
            "key.shadow",
            "glsl",
            &["key.shadow: binding 1, set 1", "space 1, the first that is free", "come after 1 binding"],
        ),
        ("main.scale", "glsl", &["main.scale: byte 0, 16 bytes", "rule: layout-entry-points", "a.slang:13:26"]),
        ("$Globals", "hlsl", &["$Globals: b0, space 0, 44 bytes"]),
    ] {
        let text = explained(path, target);
        for part in said {
            assert!(text.contains(part), "{part} of {path} for {target}:\n{text}");
        }
    }
    let row = explained("size", "hlsl");
    assert!(!row.contains("cross a row"), "{row}");
}

#[test]
fn every_leaf_of_the_sidecar_is_explained() {
    let loader = MemoryLoader::new().with("a.slang", SOURCE);
    let targets = vec![Target::Hlsl, Target::Glsl, Target::Wgsl];
    let options = targets.into_iter().fold(Options::default(), Options::target).explain();
    let output = compile(&loader, &["a.slang"], &options);
    assert!(!output.has_errors(), "{}", output.render(false));
    assert_eq!(output.explanations().len(), 3);
    for ((target, reflection), list) in output.reflections.iter().zip(output.explanations()) {
        let paths: BTreeSet<&str> = list.iter().map(|e| e.path.as_str()).collect();
        assert_eq!(paths.len(), list.len(), "each path once");
        for leaf in &reflection.leaves {
            let found = explain::find(list, &leaf.path).unwrap_or_else(|| panic!("{} of {target:?}", leaf.path));
            let number = leaf.offset.or(leaf.index).unwrap_or(0).to_string();
            assert!(found.position.contains(&number), "{}: {number} in {}", leaf.path, found.position);
            assert!(found.steps.iter().all(|s| !s.text.is_empty() && !s.rule.is_empty()), "{found:?}");
            assert!(found.steps.iter().any(|s| s.source.is_some()), "{found:?}");
        }
    }
}

#[test]
fn arrays_have_an_input_attachment_for_each_element() {
    let source = "struct In { SubpassInput a; SubpassInput b[2]; Texture2D t; };
        struct Out { In x[2]; SubpassInput l; };
        In s[3];
        Out o[2];
        [shader(\"fragment\")] float4 main() : SV_Target { return s[1].b[1].SubpassLoad(); }";
    let loader = MemoryLoader::new().with("a.slang", source);
    let targets = vec![Target::Hlsl, Target::Glsl];
    let options = targets.into_iter().fold(Options::default(), Options::target).explain();
    let output = compile(&loader, &["a.slang"], &options);
    assert!(!output.has_errors(), "{}", output.render(false));
    for ((target, reflection), list) in output.reflections.iter().zip(output.explanations()) {
        for leaf in reflection.leaves.iter().filter(|l| l.kind == "inputAttachmentIndex") {
            let n = leaf.count.map_or(1, |n| if let Count::Number(n) = n { n } else { 0 });
            let (first, last) = (leaf.index.unwrap_or(0), leaf.index.unwrap_or(0) + n - 1);
            let said = &explain::find(list, &leaf.path).expect("an explanation").position;
            let range = match n {
                1 => format!("input attachment {first}"),
                _ => format!("input attachment {first} to input attachment {last}"),
            };
            assert!(said.ends_with(&range), "{} of {target:?}: {range} in {said}", leaf.path);
        }
        let part = explain::find(list, "o.x").expect("an explanation");
        assert!(part.position.ends_with("input attachment 9 to input attachment 20"), "{}", part.position);
    }
}

const TESSELLATION: &str = "struct Control { float3 at : POSITION; float2 uv : UV; };
struct Weights { float4 far; float2 near; };
struct Constants { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float4 color : COLOR; };
Constants constants(InputPatch<Control, 3> patch, out Weights weights[2] : WEIGHT)
{ weights = (Weights[2])0; return (Constants)0; }
[shader(\"hull\")] [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")]
[outputcontrolpoints(3)] [patchconstantfunc(\"constants\")]
Control hs(InputPatch<Control, 3> patch, uint id : SV_OutputControlPointID) { return patch[id]; }
[shader(\"domain\")] [domain(\"tri\")]
float4 ds(const OutputPatch<Control, 3> patch, Constants constants, float3 at : SV_DomainLocation) : SV_Position
{ return patch[0].uv.x + constants.color; }
";

#[test]
fn constants_of_patches_are_explained() {
    let tree = tree(&[("a.slang", TESSELLATION)]);
    for (path, policy, said) in [
        (
            "hs.$patch.weights",
            "spec",
            &[
                "hs.$patch.weights: location 0 to location 3 of outputs (WEIGHT)\n",
                "The outputs of `constants` for a patch come in their order, the result last: `weights` is number 1 of 2",
                "There is one for each patch\n",
                "The index of its semantic runs over its elements: +2\n",
            ][..],
        ),
        ("hs.$patch.weights.near", "spec", &["location 1 of outputs (WEIGHT1)"]),
        ("hs.$patch.$result.color", "spec", &["location 4 of outputs (COLOR)", "location 0 to location 3 taken by"]),
        ("hs.$patch.$result.edges", "spec", &["takes no location (SV_TESSFACTOR)"]),
        ("ds.constants.color", "spec", &["location 0 of inputs (COLOR)", "`constants` is number 1 of 1"]),
        ("ds.constants.color", "slangc", &["location 2 of inputs (COLOR)", "`constants` is number 2 of 2"]),
    ] {
        let run = shaderport(tree.path(), &["explain", "a.slang", path, "--binding-policy", policy]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{path}");
        said.iter().for_each(|s| assert!(run.stdout.contains(s), "{path}: {s}\n{}", run.stdout));
    }
}

#[test]
fn what_cannot_be_explained() {
    let tree = tree(&[("a.slang", SOURCE), ("bad.slang", "float x = ;\n")]);
    let run = |args: &[&str]| shaderport(tree.path(), args);
    let missing = run(&["explain", "a.slang", "gMissing"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (2, ""));
    assert!(
        missing.stderr.contains("no parameter `gMissing`; there are $Globals, first, gPairs"),
        "{}",
        missing.stderr
    );
    let bad = run(&["explain", "bad.slang", "x"]);
    assert_eq!(bad.code, 1);
    assert!(bad.stderr.contains("bad.slang:1:11"), "{}", bad.stderr);
    assert_eq!(run(&["explain", "nowhere.slang", "x"]).code, 1);
    assert_eq!(run(&["explain", "a.slang"]).code, 2);
    assert_eq!(run(&["explain", "a.slang", "gain", "--target", "cobol"]).code, 2);
    assert_eq!(run(&["explain", "a.slang", "[[[]"]).code, 2);
}

fn page() -> String {
    let loader = MemoryLoader::new().with("<b>.slang", SOURCE);
    let targets = vec![Target::Hlsl, Target::Glsl, Target::Wgsl];
    let output =
        compile(&loader, &["<b>.slang"], &targets.into_iter().fold(Options::default(), Options::target).explain());
    let sides: Vec<html::Side> =
        output.reflections.iter().zip(output.explanations()).map(|((_, r), e)| (r, e.as_slice())).collect();
    html::page("<b>.slang", &sides)
}

#[test]
fn the_page_stands_alone_and_is_escaped() {
    let page = page();
    assert!(page.starts_with("<!doctype html>"));
    assert_eq!(page.matches("<script").count(), 2, "one for data, one for code");
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<b>") && page.contains("&lt;b&gt;.slang"));
    for outside in ["http://", "https://", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    for part in ["title=\"float gain: bytes 0 to 3\"", "12 bytes of padding", "Frame: cbuffer", "basis column 2"] {
        assert!(page.contains(part), "{part}");
    }
    for buffer in ["$Globals (plain globals)", "main.$Params (plain parameters)", "key (its plain data)"] {
        assert!(page.contains(buffer), "{buffer}: the source does not declare it");
    }
    assert_eq!(page, self::page(), "the same again");
}

/// The name of a browser; where there is none, the test that asks for it says that it is skipped.
fn browser(test: &str) -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|b| Command::new(b).arg("--version").output().is_ok_and(|o| o.status.success()));
    if found.is_none() {
        eprintln!("skipped: {test}: chromium was not found");
    }
    found
}

/// A link to a derivation shows it when the page is opened, and one that leads nowhere shows none.
#[test]
fn links_into_the_page_work_in_a_browser() {
    let Some(browser) = browser("links_into_the_page_work_in_a_browser") else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("page.html");
    std::fs::write(&file, page()).expect("a file");
    let profile = format!("--user-data-dir={}", directory.path().join("profile").display());
    for (link, said) in [
        ("#2:gPairs.b", "<strong>gPairs.b (wgsl (wgsl)): binding 10 to binding 17, set 0</strong>"),
        ("#0:%24Globals", "<strong>$Globals (hlsl (sm_6_6)): b0, space 0, "),
        ("#7:gPairs.b", ""),
        ("#0:nothing", ""),
        ("#gPairs", ""),
    ] {
        let address = format!("file://{}{link}", file.display());
        let options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &profile, &address];
        let output = Command::new(browser).args(options).output().expect("the browser starts");
        let dom = String::from_utf8_lossy(&output.stdout);
        let panel = dom.split("<div id=\"why\"").nth(1).and_then(|d| d.split("<script").next()).unwrap_or("");
        assert!(!panel.is_empty() && panel.contains(said), "{link}: {said} in {panel}");
        assert_eq!(panel.contains("<strong>"), !said.is_empty(), "{link}: {panel}");
    }
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = browser("the_page_works_in_a_browser") else { return };
    let click = "<script>document.querySelectorAll('button[data-path=\"gPairs.b\"]')[1].click();</script></body>";
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("page.html");
    std::fs::write(&file, page().replace("</body>", click)).expect("a file");
    let profile = format!("--user-data-dir={}", directory.path().join("profile").display());
    let address = format!("file://{}", file.display());
    let options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &profile, &address];
    let output = Command::new(browser).args(options).output().expect("the browser starts");
    let dom = String::from_utf8_lossy(&output.stdout);
    let panel = dom.split("<div id=\"why\"").nth(1).and_then(|d| d.split("<script").next()).unwrap_or("");
    for part in
        ["<strong>gPairs.b (glsl (glsl_460)): binding 3, set 0</strong>", "<li>Global order", "taken by `$Globals`"]
    {
        assert!(panel.contains(part), "{part} in {panel}");
    }
    assert!(dom.contains("<title>&lt;b&gt;.slang</title>"), "the source did not run");
    assert_eq!(dom.matches("class=\"selected\"").count() + dom.matches(" selected\"").count(), 3, "in all targets");
}

#[test]
fn formats_of_reflect() {
    let tree = tree(&[("a.slang", SOURCE)]);
    let page = shaderport(tree.path(), &["reflect", "a.slang", "--format", "html"]);
    assert_eq!((page.code, page.stderr.as_str()), (0, ""));
    for name in ["hlsl (sm_6_6)", "glsl (glsl_460)", "wgsl (wgsl)"] {
        assert!(page.stdout.contains(&format!("data-name=\"{name}\"")), "{name}");
    }
    let one = shaderport(tree.path(), &["reflect", "a.slang", "--format", "html", "--target", "wgsl"]);
    assert_eq!(one.stdout.matches("data-name=").count(), 1);
    let slang = shaderport(tree.path(), &["reflect", "a.slang", "--format", "slang-json"]);
    let value: serde_json::Value = serde_json::from_str(&slang.stdout).expect("JSON");
    let keys: Vec<&String> = value.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["bindlessSpaceIndex", "entryPoints", "globalScope", "parameters"]);
    for ours in ["location", "emittedName", "requested", "leaves"] {
        assert!(!slang.stdout.contains(&format!("\"{ours}\"")), "{ours}");
    }
}
