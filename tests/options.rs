//! Options have one meaning on the command line, in a manifest and in a build script, and none of the three lacks one.

use crate::support::{contents, shaderport, tree};
use shaderport::internals::options::Choices;
use shaderport::internals::source_map::data_of_url;
use shaderport::{
    BufferLayout, Build, Code, Lint, MatrixOrder, PermutationTexts, Policy, RootConstants, Shift, SourceMap,
    SourceMapUse, Target, WarningLevel,
};
use std::path::Path;

/// The name, arguments, lines of a manifest, setters, and the target whose text shows it.
type Row = (&'static str, &'static [&'static str], &'static str, fn(Build) -> Build, Target);

const ROWS: &[Row] = &[
    ("profile", &["--profile", "glsl_450"], "profile = 'glsl_450'", |b| b.profile("glsl_450"), Target::Glsl),
    (
        "matrix-layout",
        &["--matrix-layout", "row"],
        "matrix-layout = 'row'",
        |b| b.matrix_layout(MatrixOrder::Row),
        Target::Glsl,
    ),
    (
        "binding-policy",
        &["--binding-policy", "slangc"],
        "binding-policy = 'slangc'",
        |b| b.binding_policy(Policy::SLANGC),
        Target::Glsl,
    ),
    (
        "shift",
        &["--shift", "t=100,u=200"],
        "shift = { t = 100, u = 200 }",
        |b| {
            let mut shift = Shift::NONE;
            assert!(shift.set('t', 100) && shift.set('u', 200));
            b.shift(shift)
        },
        Target::Glsl,
    ),
    (
        "globals-binding",
        &["--globals-binding", "7,2"],
        "globals-binding = [7, 2]",
        |b| b.globals_binding(7, 2),
        Target::Wgsl,
    ),
    (
        "resource-heap",
        &["--resource-heap", "5,7", "-D", "HEAPS"],
        "resource-heap = [5, 7]\ndefines = { HEAPS = 1 }",
        |b| b.resource_heap(5, 7).define("HEAPS", Some("1")),
        Target::Glsl,
    ),
    (
        "sampler-heap",
        &["--sampler-heap", "6,7", "-D", "HEAPS"],
        "sampler-heap = '6,7'\ndefines = { HEAPS = 1 }",
        |b| b.sampler_heap(6, 7).define("HEAPS", Some("1")),
        Target::Glsl,
    ),
    (
        "reserve-unused",
        &["--reserve-unused", "--binding-policy", "dxc"],
        "reserve-unused = true\nbinding-policy = 'dxc'",
        |b| b.reserve_unused(true).binding_policy(Policy::DXC),
        Target::Hlsl,
    ),
    (
        "unsized-array-size",
        &["--unsized-array-size", "3", "-D", "ARRAY"],
        "unsized-array-size = 3\ndefines = { ARRAY = 1 }",
        |b| b.unsized_array_size(3).define("ARRAY", Some("1")),
        Target::Wgsl,
    ),
    (
        "varying-derivatives",
        &["--varying-derivatives", "-D", "DERIVATIVES"],
        "varying-derivatives = true\ndefines = { DERIVATIVES = 1 }",
        |b| b.varying_derivatives(true).define("DERIVATIVES", Some("1")),
        Target::Wgsl,
    ),
    (
        "invert-y",
        &["--invert-y", "-D", "POSITIONS"],
        "invert-y = true\ndefines = { POSITIONS = 1 }",
        |b| b.invert_y(true).define("POSITIONS", Some("1")),
        Target::Wgsl,
    ),
    (
        "dx-position-w",
        &["--dx-position-w=false", "-D", "POSITIONS"],
        "dx-position-w = false\ndefines = { POSITIONS = 1 }",
        |b| b.dx_position_w(false).define("POSITIONS", Some("1")),
        Target::Wgsl,
    ),
    (
        "combine-samplers",
        &["--combine-samplers", "-D", "SAMPLED"],
        "combine-samplers = true\ndefines = { SAMPLED = 1 }",
        |b| b.combine_samplers(true).define("SAMPLED", Some("1")),
        Target::Glsl,
    ),
    (
        "root-constants",
        &["--root-constants", "push", "-D", "ROOT"],
        "root-constants = 'push'\ndefines = { ROOT = 1 }",
        |b| b.root_constants(RootConstants::Push).define("ROOT", Some("1")),
        Target::Glsl,
    ),
    (
        "buffer-layout",
        &["--buffer-layout", "d3d"],
        "buffer-layout = 'd3d'",
        |b| b.buffer_layout(BufferLayout::D3d),
        Target::Glsl,
    ),
    (
        "register-comments",
        &["--register-comments"],
        "register-comments = true",
        |b| b.register_comments(true),
        Target::Glsl,
    ),
    (
        "style",
        &["--style", "tab,same-line"],
        "style = 'tab,same-line'",
        |b| b.style("tab,same-line".parse().expect("a style")),
        Target::Glsl,
    ),
    (
        "conformance",
        &["--conformance", "Two:IKind=0", "--conformance", "One:IKind", "-D", "KINDS"],
        "conformance = ['Two:IKind=0', 'One:IKind']\ndefines = { KINDS = 1 }",
        |b| b.conformance("Two:IKind=0").conformance("One:IKind").define("KINDS", Some("1")),
        Target::Wgsl,
    ),
    ("lint", &["--lint", "layout"], "lint = ['layout']", |b| b.lint(Lint::Layout), Target::Hlsl),
    (
        "severity",
        &["--severity", "E0315=off"],
        "severity = { E0315 = 'off' }",
        |b| b.severity(Some(Code::BAD_ATTRIBUTE), WarningLevel::Off),
        Target::Hlsl,
    ),
    (
        "source-map",
        &["--source-map=inline"],
        "source-map = 'inline'",
        |b| b.source_map(SourceMapUse::Inline),
        Target::Hlsl,
    ),
    (
        "source-map-content",
        &["--source-map=inline", "--source-map-content"],
        "source-map = 'inline'\nsource-map-content = true",
        |b| b.source_map(SourceMapUse::Inline).source_map_content(true),
        Target::Glsl,
    ),
    ("line-directives", &["--line-directives"], "line-directives = true", |b| b.line_directives(true), Target::Glsl),
    (
        "permutations",
        &["--permutations", "merged"],
        "permutations = 'merged'",
        |b| b.permutations(PermutationTexts::Merged),
        Target::Hlsl,
    ),
    (
        "limit",
        &["--limit", "output=100000"],
        "limit = { output = 100000 }",
        |b| b.limit("output=100000".parse().expect("a limit")),
        Target::Hlsl,
    ),
];

const SOURCE: &str = "struct Part { float3 at; };
cbuffer Frame { Part part; float2x3 turn; float last; };
float gain;
Texture2D unused : register(t1);
Texture2D image : register(t3);
Texture2D other[2];
#ifdef SAMPLED
SamplerState smooth;
#endif
#ifdef ARRAY
Texture2D maps[];
#endif
#ifdef KINDS
interface IKind { float get(); };
struct One : IKind { float get() { return 1; } };
struct Two : IKind { float get() { return 2; } };
StructuredBuffer<IKind> kinds;
#endif
RWStructuredBuffer<float> result : register(u2);
#ifdef ROOT
cbuffer Draw : register(b9) { float scale; };
[RootSignature(\"RootConstants(b9, num32BitConstants = 1)\")]
#else
static const float scale = 1;
#endif
[shader(\"compute\")] [numthreads(1, 1, 1)]
void main()
{
    float sum = gain + last + part.at.x + turn[1].z + image.Load(int3(0)).x + other[1].Load(int3(0)).x;
#ifdef ARRAY
    sum += maps[1].Load(int3(0)).x;
#endif
#ifdef SAMPLED
    sum += unused.SampleLevel(smooth, 0, 0).x;
#endif
#ifdef HEAPS
    Texture2D found = ResourceDescriptorHeap[1];
    SamplerState filter = SamplerDescriptorHeap[2];
    sum += found.SampleLevel(filter, 0, 0).x;
#endif
#ifdef KINDS
    sum += kinds[1].get();
#endif
    result[0] = sum * scale;
}
#ifdef DERIVATIVES
[shader(\"fragment\")]
float4 shade(float x : TEXCOORD) : SV_Target
{
    while (x < 1)
        x += ddx(x * x);
    return x;
}
#endif
#ifdef POSITIONS
[shader(\"vertex\")]
float4 place(float3 at : POSITION) : SV_Position { return float4(at, 1); }
[shader(\"fragment\")]
float4 depth(float4 at : SV_Position) : SV_Target { return at.w; }
#endif
";

/// The files with a target's texts, by name.
fn texts(directory: &Path, target: Target) -> Vec<(String, String)> {
    let ending = if target == Target::Glsl { "comp" } else { target.extension() };
    let all = contents(directory).into_iter().filter(|(name, _)| name.ends_with(&format!(".{ending}")));
    let base = |name: String| name.rsplit(['/', '\\']).next().map_or(String::new(), str::to_owned);
    all.map(|(name, bytes)| (base(name), with_plain_map(String::from_utf8_lossy(&bytes).into_owned()))).collect()
}

/// A text whose map can be read, without the way from one to the sources: outputs of build scripts are in no directory of a target.
fn with_plain_map(text: String) -> String {
    let json = SourceMap::url_in(&text).and_then(data_of_url).flatten();
    json.map_or(text.clone(), |json| {
        let (before, _) = text.rsplit_once("//# source").expect("a comment");
        format!("{before}{}", json.replace("../", ""))
    })
}

#[test]
fn the_command_line_manifests_and_build_scripts_have_the_same_options() {
    let names: Vec<&str> = ROWS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(Choices::names(), names, "an option has a key, a setter and a row here");
    for (name, args, manifest, set, target) in ROWS {
        let build = |args: &[&str], manifest: &str| {
            let tree = tree(&[("shaders/a.slang", SOURCE), ("shaders/shaderport.toml", manifest)]);
            let args = [&["build", "shaders", "--target", target.name(), "-o", "out"], args].concat();
            let run = shaderport(tree.path(), &args);
            assert_eq!(run.code, 0, "{name}: {}", run.stderr);
            (texts(&tree.path().join("out"), *target), run.stderr)
        };
        let from_args = build(args, "");
        assert_eq!(build(&[], &format!("[build]\n{manifest}\n")), from_args, "{name}");
        let section = format!("[[shader]]\nfiles = ['*.slang']\n{manifest}\n");
        assert_eq!(build(&[], &section), from_args, "{name} in [[shader]]");

        let tree = tree(&[("shaders/a.slang", SOURCE)]);
        let out = tree.path().join("out");
        let build_script = set(Build::new(tree.path().join("shaders")).target(*target).out_dir(&out));
        build_script.try_run().expect("a build");
        assert_eq!(texts(&out, *target), from_args.0, "{name} in a build script");
        // And it is an option that does something here; of one of those a test below shows it, and the others have
        // no text without. Limits change nothing of what keeps to them, severities nothing of what is not warned of, and one variant is
        // merged with none (`tests/merged.rs`).
        if !["reserve-unused", "unsized-array-size", "varying-derivatives", "severity", "permutations", "limit"]
            .contains(name)
        {
            assert_ne!(build(&[], ""), from_args, "{name}");
        }
    }
}

#[test]
fn the_command_line_goes_before_the_manifest() {
    let manifest = "[build]\nreserve-unused = true\nbinding-policy = 'dxc'\nbuffer-layout = 'd3d'\n";
    let tree = tree(&[("a.slang", SOURCE), ("shaderport.toml", manifest)]);
    let built = |args: &[&str]| {
        let run = shaderport(tree.path(), &[&["build", ".", "--target", "hlsl", "-o", "out"], args].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        texts(&tree.path().join("out"), Target::Hlsl)
    };
    let other = |text: &[(String, String)]| text[0].1.lines().find(|l| l.contains("other")).map(str::to_owned);
    assert_eq!(other(&built(&[])).as_deref(), Some("Texture2D other[2] : register(t4);"));
    assert_eq!(other(&built(&["--reserve-unused=false"])).as_deref(), Some("Texture2D other[2] : register(t0);"));
}

#[test]
fn one_program_has_the_options_of_its_tree() {
    for (name, args, manifest, _, target) in ROWS {
        let tree = tree(&[
            ("shaders/deep/a.slang", SOURCE),
            ("shaders/shaderport.toml", &format!("[[shader]]\nfiles = ['deep/*.slang']\n{manifest}\n")),
        ]);
        let run = |directory: &str, args: &[&str]| {
            let run = shaderport(&tree.path().join(directory), args);
            assert_eq!(run.code, 0, "{name}: {}", run.stderr);
            run.stdout
        };
        for command in [&["compile"][..], &["reflect"], &["reflect", "--format", "json"]] {
            let told = |directory: &str, file: &str, more: &[&str]| {
                let text = run(directory, &[command, &[file, "--target", target.name()], more].concat());
                // A map says where the sources are from here.
                text.lines()
                    .filter(|l| !l.starts_with("//# sourceMappingURL="))
                    .map(|l| format!("{l}\n"))
                    .collect::<String>()
            };
            let here = told("", "shaders/deep/a.slang", &[]);
            let from_args = told("", "shaders/deep/a.slang", &[args, &["--no-manifest"][..]].concat());
            assert_eq!(here, from_args, "{name}: {command:?}");
            // It does not matter from where the file is named.
            for (directory, file) in [("shaders/deep", "a.slang"), ("shaders", "deep/a.slang")] {
                assert_eq!(told(directory, file, &[]), here, "{name}: {command:?}");
            }
        }
        // A build of the one file, and of the tree, are the same.
        run("", &["build", "shaders", "--target", target.name(), "-o", "all"]);
        run("", &["build", "shaders/deep/a.slang", "--target", target.name(), "-o", "one"]);
        let text = |out: &str| texts(&tree.path().join(out), *target);
        assert_eq!(text("all"), text("one"), "{name}");
    }
}

#[test]
fn positions_are_explained_as_they_are_built() {
    let manifest = "[build]\nshift = 't=40'\nbindings-lock = 'b.lock'\ninclude = ['lib']\ndefines = { MORE = 1 }\n";
    let source = "#include \"more.h\"\nTexture2D image : register(t2);\nTexture2D free;\n[shader(\"fragment\")]\nfloat4 \
                  main() : SV_Target { return image.Load(0) + free.Load(0); }\n";
    let more = "#ifdef MORE\nTexture2D first : register(t0);\n#endif\n";
    let tree = tree(&[("s/x/a.slang", source), ("s/lib/more.h", more), ("s/shaderport.toml", manifest)]);
    let run = |args: &[&str]| shaderport(tree.path(), args);
    let (explain, file) = (&["explain", "s/x/a.slang", "free", "--target", "glsl"][..], "s/x/a.slang");
    let explained = run(explain);
    assert!(explained.code == 0 && explained.stdout.contains("binding 41"), "{}{}", explained.stdout, explained.stderr);
    // A lock is read; only what writes texts writes it.
    assert!(run(&["reflect", file]).code == 0 && run(&["check", file]).code == 0);
    assert!(!tree.path().join("s/b.lock").exists());
    assert_eq!(run(&["build", "s", "--target", "glsl", "-o", "out"]).code, 0);
    let lock = std::fs::read_to_string(tree.path().join("s/b.lock")).expect("a lock");
    assert_eq!(run(&["compile", file, "--target", "glsl", "--locked"]).code, 0);
    assert_eq!(std::fs::read_to_string(tree.path().join("s/b.lock")).expect("a lock"), lock);
    // What is recorded stays, and is told to be so.
    std::fs::write(tree.path().join("s/x/a.slang"), source.replace("Texture2D free", "Texture2D new, free")).unwrap();
    let explained = run(explain);
    assert!(explained.code == 0 && explained.stdout.contains("binding 41"), "{}{}", explained.stdout, explained.stderr);
    assert!(explained.stdout.contains("on record"), "{}", explained.stdout);
    // The command line goes before, and without the manifest there is no macro and no directory of it.
    let other = run(&[explain, &["--shift", "t=7"]].concat());
    assert!(other.code == 1 && other.stderr.contains("binding 7 in set 0 is asked for it"), "{}", other.stderr);
    let bare = run(&["check", file, "--no-manifest"]);
    assert!(bare.code == 1 && bare.stderr.contains("more.h"), "{}", bare.stderr);
}

#[test]
fn files_of_one_program_have_one_manifest_and_one_answer() {
    let manifest = "[[shader]]\nfiles = ['b.slang']\nbinding-policy = 'dxc'\n";
    let files = [("s/a.slang", SOURCE), ("s/b.slang", "Texture2D far;\n"), ("s/shaderport.toml", manifest)];
    let tree = tree(&[&files[..], &[("s/c/.git/HEAD", ""), ("s/c/a.slang", SOURCE), ("bad.toml", "[")]].concat());
    let refused = shaderport(tree.path(), &["reflect", "s/a.slang", "s/b.slang"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        ["s/shaderport.toml", "s/a.slang", "s/b.slang"].iter().all(|n| refused.stderr.contains(n)),
        "{}",
        refused.stderr
    );
    assert_eq!(shaderport(tree.path(), &["reflect", "s/a.slang", "s/b.slang", "--no-manifest"]).code, 0);
    // What lies in a repository of its own has nothing to do with what is above it.
    std::fs::write(tree.path().join("s/shaderport.toml"), "[build]\nno-such-key = 1\n").expect("a file");
    let told = shaderport(tree.path(), &["reflect", "s/a.slang"]);
    assert!(told.code == 2 && told.stderr.contains("no-such-key"), "{}", told.stderr);
    assert_eq!(shaderport(tree.path(), &["reflect", "s/c/a.slang"]).code, 0);
}

#[test]
fn what_a_manifest_cannot_say() {
    for (manifest, said) in [
        (
            "[build]\ninclude = []\nbinding-polcy = 'dxc'\n",
            ":3:1: error[E0701]: [build] has no key `binding-polcy`, did you mean `binding-policy`?; there are",
        ),
        ("[build]\nfiles = ['*']\n", ":2:1: error[E0701]: [build] has no key `files`"),
        (
            "[[shader]]\nfiles = ['*']\nbindings-lock = 'x'\n",
            ":3:1: error[E0701]: [[shader]] has no key `bindings-lock`",
        ),
        ("[[shader]]\nentries = ['main']\n", ":2:1: error[E0701]: a [[shader]] needs `files`"),
        ("[build]\nbinding-policy = 'vulkan'\n", "not a binding policy; there are spec, slangc, dxc"),
        ("[build]\n\nshift = { q = 3 }\n", ":3:9: error[E0701]: "),
        ("[build]\nshift = { t = -1 }\n", ":2:9: error[E0701]: "),
        ("[build]\nshift = { t = 4294967296 }\n", ":2:9: error[E0701]: "),
        ("[build]\nglobals-binding = [1, 2, 3]\n", ":2:19: error[E0701]: "),
        ("[build]\nglobals-binding = -1\n", ":2:19: error[E0701]: "),
        ("[build]\nunsized-array-size = 100\n", "a size is a number from 1 to 64"),
        ("[build]\nmatrix-layout = 'rows'\n", "not an order of matrices; there are row, column"),
        ("[build]\nseverity = { E03150 = 'off' }\n", "`E03150` is no code; there is E0310"),
        ("[build]\nlint = ['taste']\n", "unknown variant `taste`, expected `layout` or `stages`"),
        ("[build]\ntargets = ['hlsl', 'msl']\n", ":2:1: error[E0701]: `msl`: not a target"),
        ("[shaders]\n", ":1:2: error[E0701]: unknown field `shaders`"),
    ] {
        let tree = tree(&[("a.slang", SOURCE), ("shaderport.toml", manifest)]);
        let run = shaderport(tree.path(), &["build", ".", "-o", "out"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{manifest}{}", run.stderr);
        assert!(run.stderr.starts_with("./shaderport.toml:") && run.stderr.contains(said), "{manifest}{}", run.stderr);
    }
}
