//! Each limit of a program: what passes it is an error at its place, and an option moves it.

use crate::support::{shaderport, tree};
use shaderport::Limits;

const END: &str = "RWStructuredBuffer<float> data;\n[shader(\"compute\")]\n[numthreads(1, 1, 1)]\nvoid main()\n{\n    data[0] = ((((1.0))));\n}\n";

/// (limit, one that is too low, the code of the error and its place, one that is enough, files; the first is compiled).
type Case<'a> = (&'a str, u64, &'a str, u64, &'a [(&'a str, &'a str)]);

#[test]
fn each_limit_is_an_option() {
    let plain = END.to_owned();
    let chain = format!("#include \"a.hlsli\"\n{END}");
    let macros = format!("#define TWO(x) x x\n#define FOUR(x) TWO(x) TWO(x)\nstatic float sum = 0 FOUR(+ 1);\n{END}");
    let generic = format!(
        "T one<T>(T x) {{ return x; }}\n{}",
        END.replace("((((1.0))))", "one(1.0) + one(1) + one(1u) + one(half(1.0))")
    );
    let included =
        [("main.slang", chain.as_str()), ("a.hlsli", "#include \"b.hlsli\"\n"), ("b.hlsli", "float unused;\n")];
    let alone = [("main.slang", plain.as_str())];
    let (macros, generic) = ([("main.slang", macros.as_str())], [("main.slang", generic.as_str())]);
    let cases: &[Case] = &[
        ("file-bytes", 20, "E0105", 1000, &alone),
        ("include-depth", 2, "a.hlsli:1:10: error[E0103]", 3, &included),
        ("includes", 1, "a.hlsli:1:10: error[E0103]", 2, &included),
        ("tokens", 10, "main.slang:1:1: error[E0112]", 1000, &alone),
        ("expansion", 5, "main.slang:3:", 1000, &macros),
        ("nesting", 5, "main.slang:6:", 30, &alone),
        ("instances", 2, "main.slang:1:3: error[E0202]", 10_000, &generic),
        ("output", 20, "main.slang:4:6: error[E0706]", 10_000, &alone),
    ];
    assert!(Limits::TABLE.iter().all(|(name, ..)| cases.iter().any(|(of, ..)| of == name)), "a limit without a case");
    for (name, low, place, enough, files) in cases {
        let tree = tree(files);
        let with = |n: u64| {
            let limit = format!("{name}={n}");
            shaderport(tree.path(), &["compile", "main.slang", "--target", "wgsl", "--limit", &limit])
        };
        let run = with(*low);
        assert_eq!(run.code, 1, "{name}: {}", run.stderr);
        assert!(run.stderr.contains(place), "{name}: {}", run.stderr);
        assert!(run.stdout.is_empty() && !run.stderr.contains("E0901"), "{name}: {}", run.stderr);
        let run = with(*enough);
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
    }
}

#[test]
fn limits_of_a_manifest() {
    let manifest = "[build]\ntargets = [\"wgsl\"]\nlimit = { output = 20 }\n";
    let tree = tree(&[("shaders/main.slang", END), ("shaders/shaderport.toml", manifest)]);
    let run = shaderport(tree.path(), &["build", "shaders", "--out", "out"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("E0706"), "{}", run.stderr);
    let run = shaderport(tree.path(), &["build", "shaders", "--out", "out", "--limit", "output=10000"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = shaderport(tree.path(), &["build", "shaders", "--out", "out", "--limit", "depth=3"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("file-bytes, include-depth"), "{}", run.stderr);
}
