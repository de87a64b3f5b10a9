//! Sources of a tree that are no programs of their own.

use crate::support::{shaderport, tree};
use shaderport::{Build, Target};

const MAIN: &str = "#define COUNT 4\ncbuffer C { float4 albedo; };\n#include \"lighting.hlsl\"\n\
                    float4 main(float3 n : NORMAL) : SV_Target { return float4(shade(n), 1); }\n";
const PART: &str = "float3 shade(float3 n) { return n * albedo.rgb + COUNT; }\n";

/// A source that others include, and that means nothing without what they declare, is no error; one that nothing includes is.
#[test]
fn included_sources_are_no_programs() {
    let files = [("main.hlsl", MAIN), ("lighting.hlsl", PART)];
    let (directory, built) = (tree(&files), tree(&[]));
    let build = Build::new(directory.path()).target(Target::Hlsl).out_dir(built.path());
    assert_eq!(build.try_run().map(|files| files.len()), Ok(2));
    let run = shaderport(directory.path(), &["build", ".", "--target", "hlsl,glsl", "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 programs, 1 files without entry points"), "{}", run.stdout);
    std::fs::remove_file(directory.path().join("main.hlsl")).expect("a file");
    let run = shaderport(directory.path(), &["build", ".", "--target", "hlsl", "--out", "out"]);
    assert_ne!(run.code, 0);
    assert!(run.stderr.contains("`albedo` is not declared"), "{}", run.stderr);
}

/// A part of a module is checked with it, also where it alone is wrong.
#[test]
fn parts_of_modules_are_no_programs() {
    let files = [
        ("scene.slang", "module scene;\n__include light;\n__include camera;\n"),
        ("light.slang", "implementing scene;\npublic struct Light { public float4 color; }\n"),
        ("camera.slang", "implementing scene;\npublic float4 seen(Light l) { return l.color; }\n"),
        (
            "main.slang",
            "import scene;\nConstantBuffer<Light> light;\n[shader(\"fragment\")] float4 main() : SV_Target { return seen(light); }\n",
        ),
    ];
    let directory = tree(&files);
    let run = shaderport(directory.path(), &["build", ".", "--target", "hlsl", "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 programs, 3 files without entry points"), "{}", run.stdout);
}

/// A macro of the command line is meant instead of the manifest's, without a word.
#[test]
fn macros_of_the_command_line_come_first() {
    let files = [
        ("shaderport.toml", "[build]\ndefines = { SIZE = 1 }\n"),
        ("main.hlsl", "float4 main() : SV_Target { return SIZE; }\n"),
    ];
    let directory = tree(&files);
    let run = shaderport(directory.path(), &["build", ".", "--target", "hlsl", "-D", "SIZE=7", "--out", "out"]);
    assert!(run.code == 0 && run.stderr.is_empty(), "{}", run.stderr);
    let text = std::fs::read_to_string(directory.path().join("out/hlsl/main.hlsl")).expect("a text");
    assert!(text.contains("#define SIZE 7\n") && text.contains("return SIZE;"), "{text}");
}
