//! What nobody should feed to the program, through the program itself: each gives a clear located error and the right exit
//! code, writes nothing wrong, and neither panics nor hangs.

use crate::support::{Run, contents, shaderport, tree};
use std::path::Path;

/// A good compute shader.
const GOOD: &str = "RWStructuredBuffer<float> data;\n[shader(\"compute\")]\n[numthreads(64, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{\n    data[id.x] = 1.0;\n}\n";

/// Compiles `main.slang` of a tree to a file and asserts the failure: exit code 1, this code at this place, no output.
fn fails_at(files: &[(&str, &str)], code: &str, place: &str) -> Run {
    let tree = tree(files);
    let run = shaderport(
        tree.path(),
        &["compile", "main.slang", "--target", "wgsl", "-o", "out.wgsl", "--reflect", "out.json"],
    );
    assert_failed(&run, 1, code);
    assert!(run.stderr.contains(place), "no `{place}` in:\n{}", run.stderr);
    assert!(!tree.path().join("out.wgsl").exists(), "an output was written");
    assert!(!tree.path().join("out.json").exists(), "a sidecar was written");
    assert_eq!(contents(tree.path()).len(), files.len(), "something was left behind");
    run
}

fn assert_failed(run: &Run, exit: i32, code: &str) {
    assert_eq!(run.code, exit, "{}", run.stderr);
    assert!(run.stderr.contains(code), "no {code} in:\n{}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

fn main_with(body: &str) -> String {
    GOOD.replace("data[id.x] = 1.0;", body)
}

#[test]
fn a_good_source_is_compiled() {
    let tree = tree(&[("main.slang", GOOD)]);
    let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("@workgroup_size(64, 1, 1)"), "{}", run.stdout);
}

#[test]
fn a_missing_include() {
    let run = fails_at(&[("main.slang", &format!("#include \"missing.hlsli\"\n{GOOD}"))], "E0101", "main.slang:1:");
    assert!(run.stderr.contains("missing.hlsli"));
}

#[test]
fn a_missing_source() {
    let tree = tree(&[]);
    let run = shaderport(tree.path(), &["compile", "nowhere.slang", "--target", "wgsl"]);
    assert_failed(&run, 1, "E0101");
    assert!(run.stderr.contains("nowhere.slang"));
}

#[test]
fn an_include_out_of_the_roots() {
    let tree = tree(&[
        ("secret.hlsli", "float secret;\n"),
        ("shaders/shared.hlsli", "float shared_;\n"),
        ("shaders/deep/main.slang", &format!("#include \"../../secret.hlsli\"\n{GOOD}")),
        ("shaders/deep/beside.slang", &format!("#include \"../shared.hlsli\"\n{GOOD}")),
    ]);
    let directory = tree.path().join("shaders/deep");
    let run = shaderport(&directory, &["compile", "main.slang", "--target", "wgsl"]);
    assert_failed(&run, 1, "E0104");
    let run = shaderport(&directory, &["compile", "main.slang", "--target", "wgsl", "--allow-outside-roots"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    // The directory above the source's is one, wherever one stands.
    let run = shaderport(&directory, &["compile", "beside.slang", "--target", "wgsl"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn an_include_in_another_case() {
    let tree = tree(&[
        ("Shared/Lights.hlsli", "float light;\n"),
        ("main.slang", &format!("#include \"shared/lights.hlsli\"\n{GOOD}")),
    ]);
    let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl"]);
    assert_failed(&run, 1, "E0101");
    assert!(run.stderr.contains("`Shared/Lights.hlsli` differs in case alone"), "{}", run.stderr);
    for command in [&["compile", "main.slang"][..], &["build", "main.slang", "--out", "out"]] {
        let options = ["--target", "wgsl", "--includes-in-any-case"];
        let run = shaderport(tree.path(), &[command, &options[..]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}

#[test]
fn an_unknown_identifier() {
    fails_at(&[("main.slang", &main_with("data[id.x] = unknown;"))], "E0301", "main.slang:6:18");
}

#[test]
fn a_type_error() {
    fails_at(&[("main.slang", &main_with("float2 pair = 1.0; float3 v = pair;"))], "E0303", "main.slang:6:");
}

#[test]
fn a_wrong_argument_count() {
    let source = format!("float twice(float x) {{ return x * 2.0; }}\n{}", main_with("data[id.x] = twice(1.0, 2.0);"));
    let tree = tree(&[("main.slang", &source)]);
    let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("E0304") || run.stderr.contains("E0312"), "{}", run.stderr);
    assert!(run.stderr.contains("main.slang:7:"), "{}", run.stderr);
}

#[test]
fn a_malformed_literal() {
    fails_at(&[("main.slang", &main_with("data[id.x] = 0xZZ;"))], "E0107", "main.slang:6:");
}

#[test]
fn an_unterminated_comment() {
    fails_at(&[("main.slang", &format!("{GOOD}/* and so on\n"))], "E0106", "main.slang:8:1");
}

#[test]
fn an_unterminated_conditional() {
    fails_at(&[("main.slang", &format!("#if 1\n{GOOD}"))], "E0106", "main.slang:1:");
}

#[test]
fn an_include_cycle() {
    let files = [
        ("main.slang", &*format!("#include \"a.hlsli\"\n{GOOD}")),
        ("a.hlsli", "#include \"b.hlsli\"\n"),
        ("b.hlsli", "#include \"a.hlsli\"\n"),
    ];
    fails_at(&files, "E0102", ".hlsli:1:10");
}

#[test]
fn ten_thousand_parentheses() {
    let nest = format!("data[id.x] = {}1.0{};", "(".repeat(10_000), ")".repeat(10_000));
    fails_at(&[("main.slang", &main_with(&nest))], "E0202", "main.slang:6:");
}

#[test]
fn other_deep_nests() {
    let n = 10_000;
    for source in [
        main_with(&format!("{}{}", "{".repeat(n), "}".repeat(n))),
        main_with(&format!("data[id.x] = {}1.0;", "-".repeat(n))),
        main_with(&format!("data[id.x] = {}1.0;", "1.0 + (".repeat(n))),
        main_with(&format!("data[id.x] = data{}0{};", "[data".repeat(n), "]".repeat(n))),
        main_with(&"if (true) ".repeat(n)),
        format!("{}float{} x;\n{GOOD}", "vector<".repeat(n), ">".repeat(n)),
        format!("{}{}\n{GOOD}", "namespace N {".repeat(n), "}".repeat(n)),
        format!("{}{}\n{GOOD}", "struct S {".repeat(n), "};".repeat(n)),
        format!("#if {}1{}\n#endif\n{GOOD}", "(".repeat(n), ")".repeat(n)),
        format!("{}{}\n{GOOD}", "#if 1\n".repeat(n), "#endif\n".repeat(n)),
    ] {
        let tree = tree(&[("main.slang", &source)]);
        let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl"]);
        let head: String = source.chars().take(60).collect();
        assert!(matches!(run.code, 0 | 1), "{head}: exit {}\n{}", run.code, run.stderr);
        assert!(!run.stderr.contains("panicked") && !run.stderr.contains("E0901"), "{head}\n{}", run.stderr);
    }
}

#[test]
fn a_long_chain_of_operators_is_no_nest() {
    let sum = vec!["1.0"; 2_000].join(" + ");
    let tree = tree(&[("main.slang", &main_with(&format!("data[id.x] = {sum};")))]);
    let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl"]);
    assert!(matches!(run.code, 0 | 1), "{}", run.stderr);
    assert!(!run.stderr.contains("panicked") && !run.stderr.contains("E0901"), "{}", run.stderr);
}

/// What decides what is used follows conditions and composites: neither may take a time that doubles with their length.
#[test]
fn what_is_used_by_much() {
    let doubled = "b = (b || id.x == 1) && (b || id.y == 2); b = (b && id.x != 3) || (b && id.y != 4);\n".repeat(30);
    let chain: String = (0..500).map(|n| format!("b = b && id.x != {n};\n")).collect();
    let large = "S s; s.b[id.x].a[id.y].v[id.z][id.x] = 1.0; S t = s; if (b) t = (S)0; b = t.b[0].a[1].v[2][3] > 0.0;";
    let types = "struct A { float4 v[64]; }; struct B { A a[64]; }; struct S { B b[64]; };\n";
    for body in [&doubled, &chain, large] {
        let body = format!("bool b = id.z == 7;\n{body}if (b) data[id.x] = 1.0;");
        let tree = tree(&[("main.slang", &format!("{types}{}", main_with(&body)))]);
        for target in ["hlsl", "glsl"] {
            let args = ["reflect", "main.slang", "--target", target, "--binding-policy", "dxc"];
            let run = shaderport(tree.path(), &args);
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stderr);
        }
    }
}

/// Functions that call each other so that the number of ways from the first to the last doubles with every level.
#[test]
fn calls_that_double() {
    let levels = 64;
    let level = |write: &dyn Fn(usize) -> String| (1..levels).map(write).collect::<String>();
    let plain = level(&|n| {
        let m = n - 1;
        format!(
            "float a{n}(float x) {{ return a{m}(x) + b{m}(x); }} float b{n}(float x) {{ return a{m}(x) - b{m}(x); }}\n"
        )
    });
    let method = level(&|n| {
        let m = n - 1;
        format!("[mutating] void a{n}() {{ a{m}(); b{m}(); }} [mutating] void b{n}() {{ b{m}(); a{m}(); }}\n")
    });
    let written = level(&|n| {
        let m = n - 1;
        format!("void a{n}(inout float x, float y, float z) {{ a{m}(x, y, z); a{m}(x, z, y); a{m}(x, y, x); }}\n")
    });
    let last = levels - 1;
    let pixel = |f: &str| format!("[shader(\"fragment\")] float main(float x : X) : SV_Target {{ {f} }}");
    let group = |f: &str| {
        format!(
            "RWStructuredBuffer<float> o; [shader(\"compute\")] [numthreads(64, 1, 1)]\n\
             void main(uint3 id : SV_DispatchThreadID, uint3 g : SV_GroupID) {{ float x = g.x; {f} o[id.x] = x; }}"
        )
    };
    for source in [
        format!("float a0(float x) {{ return x; }} float b0(float x) {{ return ddx(x); }}\n{plain}")
            + &pixel(&format!("return x > 1 ? a{last}(x) : 0;")),
        format!(
            "struct S {{ float x; [mutating] void a0() {{ x += 1; }} [mutating] void b0() {{ x *= 2; }}\n{method}}};\n"
        ) + &pixel(&format!("S s = {{ x }}; s.a{last}(); return s.x;")),
        format!(
            "void a0(inout float x, float y, float z) {{ GroupMemoryBarrierWithGroupSync(); x = y + z; }}\n{written}"
        ) + &group(&format!("a{last}(x, g.y, g.z);")),
    ] {
        let tree = tree(&[("main.slang", &source)]);
        for (target, policy) in [("hlsl", "spec"), ("hlsl", "dxc"), ("glsl", "spec"), ("wgsl", "spec")] {
            let args = ["compile", "main.slang", "--target", target, "--binding-policy", policy, "-o", "out"];
            let run = shaderport(tree.path(), &args);
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{target}: {}", run.stderr);
        }
    }
}

/// Loops in loops, each of which needs several rounds until nothing changes, parameters beyond any fixed number, and more
/// barriers than are told apart.
#[test]
fn barriers_in_much() {
    let levels = 60;
    let open = |n: usize| {
        format!(
            "for (uint i{n} = 0; i{n} < b{n}; i{n}++) {{ b{n} = i{n} > 7 ? a : b{m}; a = b{n}; ",
            m = n.saturating_sub(1)
        )
    };
    let variables: String = (0..levels).map(|n| format!("uint b{n} = g.y;")).collect();
    let loops: String = (0..levels).map(open).collect();
    let nested = format!("uint a = g.x; {variables} {loops} GroupMemoryBarrierWithGroupSync(); {}", "}".repeat(levels));
    let function = |many: usize| {
        let params: Vec<String> = (0..many).map(|n| format!("bool p{n}")).collect();
        let waits: String = (0..many).map(|n| format!("if (p{n}) GroupMemoryBarrierWithGroupSync();\n")).collect();
        format!("void f({})\n{{\n{waits}}}\n", params.join(", "))
    };
    let call = |many: usize, last: &str| format!("f({});", vec!["g.x > 3"; many - 1].join(", ") + ", " + last);
    for (before, statements) in [
        (String::new(), nested.clone()),
        (String::new(), nested.replace("uint a = g.x;", "uint a = id.x;")),
        (function(300), call(300, "g.y > 3")),
        (function(100), call(100, "id.x > 3")),
        (function(300), call(300, "id.x > 3")),
    ] {
        let source = format!(
            "{before}RWStructuredBuffer<uint> o; [shader(\"compute\")] [numthreads(64, 1, 1)]\n\
             void main(uint3 id : SV_DispatchThreadID, uint3 g : SV_GroupID) {{ {statements} o[id.x] = g.x; }}"
        );
        let tree = tree(&[("main.slang", &source)]);
        let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl", "-o", "out"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
    }
}

#[test]
fn macros_that_explode() {
    let doubling: String = (1..40).map(|n| format!("#define M{n} M{} M{}\n", n - 1, n - 1)).collect();
    fails_at(&[("main.slang", &format!("#define M0 x\n{doubling}M39\n{GOOD}"))], "E0112", "main.slang:");
}

#[test]
fn a_file_of_100_megabytes() {
    let tree = tree(&[]);
    let line = "static const float somethingLong = 1.0; // and a comment to fill it up\n";
    std::fs::write(tree.path().join("main.slang"), line.repeat((100 << 20) / line.len())).expect("a big file");
    let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl", "-o", "out.wgsl"]);
    assert_failed(&run, 1, "E0105");
    assert!(run.stderr.contains("main.slang"), "{}", run.stderr);
    assert!(run.stderr.len() < 10_000);
    assert!(!tree.path().join("out.wgsl").exists());
}

#[test]
fn a_binary_file() {
    let tree = tree(&[]);
    let bytes: Vec<u8> = (0..5000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    std::fs::write(tree.path().join("main.slang"), bytes).expect("a file");
    let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl", "-o", "out.wgsl"]);
    assert_failed(&run, 1, "E0105");
    assert!(run.stderr.contains("main.slang"), "{}", run.stderr);
    assert!(!tree.path().join("out.wgsl").exists());
}

#[test]
fn an_empty_file_and_a_directory_without_shaders() {
    let tree = tree(&[("empty.slang", ""), ("docs/readme.txt", "no shaders here\n")]);
    let run = shaderport(tree.path(), &["compile", "empty.slang", "--target", "wgsl"]);
    assert_failed(&run, 1, "E0601");
    let run = shaderport(tree.path(), &["build", "docs", "--out", "out"]);
    assert_failed(&run, 1, "E0704");
    assert!(run.stderr.contains("docs"), "{}", run.stderr);
    let run = shaderport(tree.path(), &["build", "nowhere", "--out", "out"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("nowhere"), "{}", run.stderr);
}

#[test]
fn an_output_that_cannot_be_written() {
    // A file in the place of a directory keeps even the superuser out.
    let tree = tree(&[("shaders/main.slang", GOOD), ("blocked", "a file\n")]);
    for out in ["blocked", "blocked/below"] {
        let run = shaderport(tree.path(), &["build", "shaders", "--target", "wgsl", "--out", out]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.contains("E0702") && run.stderr.contains("blocked"), "{}", run.stderr);
    }
    let run = shaderport(tree.path(), &["compile", "shaders/main.slang", "--target", "wgsl", "-o", "blocked/out.wgsl"]);
    assert_failed(&run, 1, "E0702");
    assert_eq!(std::fs::read_to_string(tree.path().join("blocked")).expect("still there"), "a file\n");
    assert_eq!(contents(tree.path()).len(), 2, "something was left behind");
}

#[test]
fn two_sources_for_one_output() {
    let tree = tree(&[("shaders/blur.slang", GOOD), ("shaders/blur.hlsl", GOOD), ("shaders/other.slang", GOOD)]);
    let run = shaderport(tree.path(), &["build", "shaders", "--target", "wgsl", "--out", "out"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("E0703"), "{}", run.stderr);
    assert!(run.stderr.contains("blur.slang") && run.stderr.contains("blur.hlsl"), "{}", run.stderr);
    let written: Vec<String> = contents(&tree.path().join("out")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(written, ["wgsl/other.json", "wgsl/other.wgsl"]);
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let bad = main_with("data[id.x] = unknown;");
    let tree = tree(&[("shaders/bad.slang", &bad), ("shaders/good.slang", GOOD)]);
    let run = shaderport(tree.path(), &["build", "shaders", "--target", "wgsl", "--out", "out"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("bad.slang:6:18"), "{}", run.stderr);
    let written: Vec<String> = contents(&tree.path().join("out")).into_iter().map(|(name, _)| name).collect();
    assert!(written.iter().any(|n| n.contains("good.wgsl")), "{written:?}");
    assert!(!written.iter().any(|n| n.contains("bad")), "{written:?}");
}

#[test]
fn all_errors_of_a_file_are_reported() {
    let source = main_with("data[id.x] = one;\n    data[id.y] = two;\n    int n = three(4);");
    let tree = tree(&[("main.slang", &source)]);
    let run = shaderport(tree.path(), &["check", "main.slang"]);
    assert_failed(&run, 1, "E0301");
    for said in [
        "main.slang:6:18: error[E0301]: `one`",
        "main.slang:7:18: error[E0301]: `two`",
        "main.slang:8:13: error[E0301]: `three`",
    ] {
        assert_eq!(run.stderr.matches(said).count(), 1, "{said} in:\n{}", run.stderr);
    }
}

#[test]
fn an_error_in_a_macro_shows_use_and_definition() {
    let source = format!("#define BROKEN(x) ((x) + missing)\n{}", main_with("data[id.x] = BROKEN(1.0);"));
    let run = fails_at(&[("main.slang", &source)], "E0301", "main.slang:7:18");
    assert!(run.stderr.contains("#define BROKEN"), "{}", run.stderr);
}

#[test]
fn wrong_usage() {
    let tree = tree(&[("main.slang", GOOD)]);
    for args in [
        &["compile", "main.slang"][..],
        &["compile", "--target", "wgsl"],
        &["compile", "main.slang", "--target", "cobol"],
        &["compile", "main.slang", "--target", "wgsl", "--entry", "main:kitchen"],
        &["compile", "main.slang", "--target", "wgsl", "--profile", "sm_99"],
        &["compile", "main.slang", "--target", "wgsl", "-D", "1X=2"],
        &["compile", "main.slang", "--target", "wgsl", "--matrix-layout", "diagonal"],
        &["compile", "main.slang", "--target", "wgsl", "--binding-policy", "random"],
        &["explain", "E9999"],
        &["explain", "nonsense"],
        &["nonsense"],
        &[],
    ] {
        let run = shaderport(tree.path(), args);
        assert_eq!(run.code, 2, "{args:?}\n{}", run.stderr);
        assert!(!run.stderr.is_empty(), "{args:?}");
        assert_eq!(run.stdout, "", "{args:?}");
    }
}

#[test]
fn entry_points_that_are_not_there() {
    let tree = tree(&[("main.slang", GOOD), ("lib.slang", "float f() { return 1.0; }\n")]);
    let run = shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl", "--entry", "other:compute"]);
    assert_failed(&run, 1, "E0601");
    assert!(run.stderr.contains("other"), "{}", run.stderr);
    let run = shaderport(tree.path(), &["compile", "lib.slang", "--target", "wgsl"]);
    assert_failed(&run, 1, "E0601");
}

#[test]
fn every_code_is_explained() {
    let here = Path::new(".");
    for (code, name, _) in shaderport::internals::diagnostic::codes::TABLE {
        let run = shaderport(here, &["explain", &code.to_string()]);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        assert!(run.stdout.contains(&code.to_string()) && run.stdout.len() > 100, "{code}:\n{}", run.stdout);
    }
}

#[test]
fn an_unchanged_output_is_left_untouched() {
    let tree = tree(&[("shaders/main.slang", GOOD)]);
    let build = || shaderport(tree.path(), &["build", "shaders", "--target", "wgsl", "--out", "out"]);
    assert_eq!(build().code, 0);
    let written = || {
        let at = |name: &String| std::fs::metadata(tree.path().join("out").join(name)).and_then(|m| m.modified()).ok();
        contents(&tree.path().join("out")).iter().map(|(name, _)| (name.clone(), at(name))).collect::<Vec<_>>()
    };
    let before = written();
    assert!(!before.is_empty());
    assert_eq!(build().code, 0);
    assert_eq!(written(), before);
}

/// Names, sources and options that try to drive a terminal.
#[test]
fn nothing_of_a_source_drives_a_terminal() {
    let main = main_with("data[id.x] = unknown\u{1b}[31m\u{9b}2J\u{202e};");
    let include = format!("#include \"\u{1b}]0;title\u{7}.hlsli\"\n#error \u{1b}[0m\u{8}\r said\n{GOOD}");
    let shown = |files: &[(&str, &str)], args: &[&str]| {
        let tree = tree(files);
        let run = shaderport(tree.path(), args);
        let text = format!("{}{}", run.stderr, run.stdout);
        let drives = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!text.is_empty() && !text.contains(drives), "{args:?}: {text:?}");
    };
    for source in [&main, &include, &format!("// \u{1b}[31m \u{85}\n{GOOD}")] {
        shown(&[("main.slang", source)], &["compile", "main.slang", "--target", "wgsl"]);
        shown(&[("main.slang", source)], &["check", "main.slang", "--binding-policy", "\u{1b}[1m"]);
    }
}

/// File systems of Unix take any name.
#[cfg(unix)]
#[test]
fn hostile_file_names() {
    let bad = main_with("data[id.x] = unknown;");
    let names = ["a\u{1b}[31m.slang", "<script>alert(1)</script>.slang", "..slang", "a..b.slang", "c\nd.slang"];
    let files: Vec<(String, &str)> = names.iter().map(|n| (format!("tree/{}", n.replace('/', "_")), GOOD)).collect();
    let mut files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    files.push(("tree/bad\u{1b}[32m.slang", &bad));
    let tree = tree(&files);
    let run = shaderport(tree.path(), &["build", "tree", "--target", "wgsl", "--out", "out"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(!run.stderr.contains('\u{1b}') && !run.stdout.contains('\u{1b}'), "{:?}", run.stderr);
    // What was written lies in the output directory.
    let all = contents(tree.path());
    let outside = all.iter().filter(|(name, _)| !name.starts_with("out/") && !name.starts_with("tree/"));
    assert_eq!(outside.count(), 0);
    assert_eq!(all.iter().filter(|(name, _)| name.ends_with(".wgsl")).count(), names.len());
    // The page shows a name, and runs none.
    let name = files[1].0;
    let page = shaderport(tree.path(), &["reflect", name, "--format", "html"]).stdout;
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert(1)"), "{page}");
}
