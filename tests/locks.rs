//! `--bindings-lock`: random edits never move what is recorded; what is new comes after it; what is gone is told; conflicts
//! with the source show both; what is no lock is refused at its place.

use crate::positions::{Positions, positions};
use crate::random::Random;
use crate::support::{contents, glsl_is_legal, shaderport, tree, wgsl_is_legal};
use rayon::prelude::*;
use shaderport::internals::layout::lock::{Lock, LockInput};
use shaderport::{Code, MemoryLoader, Options, Output, Policy, Severity, Target, compile};
use std::sync::Arc;

/// (type, dimensions, how it is used in an expression, register class).
type Kind = (&'static str, &'static str, &'static str, &'static str);

const GLOBALS: &[Kind] = &[
    ("float", "", "@", ""),
    ("float2", "", "@.x", ""),
    ("float3", "", "@.y", ""),
    ("float4", "", "@.z", ""),
    ("float4x4", "", "@[0].x", ""),
    ("float", "[3]", "@[1]", ""),
    ("Data", "", "@.b", ""),
    ("Data", "[2]", "@[1].a.x", ""),
    ("Mixed", "", "(@.k + @.t.Load(int3(0, 0, 0)).x)", ""),
    ("Mixed", "[3]", "@[2].k", ""),
    ("Texture2D", "", "@.Load(int3(0, 0, 0)).x", "t"),
    ("Texture2D<float4>", "[4]", "@[3].Load(int3(0, 0, 0)).x", "t"),
    ("StructuredBuffer<float4>", "", "@[0].x", "t"),
    ("RWStructuredBuffer<float>", "", "@[1]", "u"),
    ("RWStructuredBuffer<uint>", "", "@[1]", "u"),
    ("SamplerState", "", "", "s"),
    ("Sampler2D", "", "@.SampleLevel(float2(0.5), 0.0).x", ""),
    ("ConstantBuffer<Data>", "", "@.b", "b"),
    ("ConstantBuffer<Mixed>", "", "@.k", "b"),
    ("ParameterBlock<Mixed>", "", "(@.k + @.t.Load(int3(0, 0, 0)).y)", ""),
];

/// How many of [`GLOBALS`] may be uniform parameters of an entry point here.
const UNIFORMS: usize = 6;

#[derive(Clone)]
struct Declaration {
    name: String,
    kind: usize,
    used: bool,
    /// An explicit register or binding.
    explicit: Option<usize>,
}

#[derive(Clone, Default)]
struct Source {
    globals: Vec<Declaration>,
    uniforms: Vec<Declaration>,
    names: usize,
}

impl Source {
    fn declaration(&mut self, random: &mut Random, kinds: usize) -> Declaration {
        self.names += 1;
        let name = format!("p{}", self.names);
        Declaration { name, kind: random.index(kinds), used: random.chance(75), explicit: None }
    }

    /// One random change.
    fn edit(&mut self, random: &mut Random) {
        let uniform = random.chance(20);
        let kinds = if uniform { UNIFORMS } else { GLOBALS.len() };
        let new = self.declaration(random, kinds);
        let list = if uniform { &mut self.uniforms } else { &mut self.globals };
        let at = random.index(list.len() + 1);
        let other = random.index(list.len());
        let here = at < list.len();
        match random.index(10) {
            0 if here && list.len() > 1 => drop(list.remove(at)),
            1 if here => list.swap(at, other),
            2 if here => {
                let moved = list.remove(at);
                list.insert(other.min(list.len()), moved);
            }
            3 if here => list[at].kind = new.kind,
            4 if here => list[at].name = new.name,
            5 if here => list[at].used = !list[at].used,
            6 if here && !uniform => {
                list[at].explicit = if list[at].explicit.is_some() { None } else { Some(random.index(12)) };
            }
            7 if random.chance(20) => list.reverse(),
            _ => list.insert(at, new),
        }
    }

    fn text(&self) -> String {
        let mut text =
            "struct Data { float3 a; float b; };\nstruct Mixed { float k; Texture2D<float4> t; };\n".to_owned();
        let declare = |d: &Declaration| {
            let (ty, dimensions, _, class) = GLOBALS[d.kind];
            let explicit = d.explicit.filter(|_| !class.is_empty());
            let register = explicit.map_or(String::new(), |n| format!(" : register({class}{n})"));
            let binding = explicit.map_or(String::new(), |n| format!("[[vk::binding({}, 0)]] ", n * 3));
            (binding, format!("{ty} {}{dimensions}{register}", d.name))
        };
        for d in &self.globals {
            let (binding, declaration) = declare(d);
            text.push_str(&format!("{binding}{declaration};\n"));
        }
        let uses = |list: &[Declaration]| -> String {
            let used = list.iter().filter(|d| d.used && !GLOBALS[d.kind].2.is_empty());
            used.map(|d| format!("    sum += {};\n", GLOBALS[d.kind].2.replace('@', &d.name))).collect()
        };
        text.push_str("RWStructuredBuffer<float> result : register(u40);\n[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main(");
        let uniforms: Vec<String> = self.uniforms.iter().map(|d| format!("uniform {}", declare(d).1)).collect();
        text.push_str(&format!("{})\n{{\n    float sum = 0.0;\n", uniforms.join(", ")));
        text.push_str(&uses(&self.globals));
        text.push_str(&uses(&self.uniforms));
        text + "    result[0] = sum;\n}\n"
    }
}

fn run(text: &str, target: Target, policy: Policy, lock: Option<&Lock>) -> Output {
    let loader = MemoryLoader::new().with("a.slang", text);
    let input = lock.map(|lock| LockInput {
        name: "bindings.lock".into(),
        text: lock.to_json().into(),
        lock: Arc::new(lock.clone()),
        program: "a.slang".into(),
        frozen: false,
    });
    let options = Options::for_target(target).binding_policy(policy).lock(input);
    compile(&loader, &["a.slang"], &options)
}

/// Edits one program; how many edits were taken and how many were refused.
fn edits(seed: u64) -> [usize; 2] {
    let random = &mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D);
    let policy = [Policy::SPEC, Policy::SLANGC, Policy::DXC][random.index(3)];
    let target = [Target::Hlsl, Target::Glsl, Target::Wgsl][random.index(3)];
    let mut source = Source::default();
    for _ in 0..2 + random.index(6) {
        source.edit(random);
    }
    let mut lock = Lock::default();
    let mut kept = Positions::new();
    let mut counts = [0, 0];
    for step in 0..5 {
        let mut edited = source.clone();
        for _ in 0..usize::from(step > 0) + random.index(3) {
            edited.edit(random);
        }
        let text = edited.text();
        let output = run(&text, target, policy, Some(&lock));
        if output.has_errors() {
            let expected = [Code::LOCKED, Code::BINDING_OVERLAP, Code::BINDING_EXHAUSTED];
            let errors = output.diagnostics.iter().filter(|d| d.severity == Severity::Error);
            let strange: Vec<_> = errors.filter(|d| !expected.contains(&d.code)).collect();
            // What a target does not support is an error without the lock too.
            let same = strange.is_empty() || run(&text, target, policy, None).has_errors();
            assert!(same, "seed {seed}:\n{text}\n{}", output.render(false));
            counts[1] += 1;
            continue;
        }
        counts[0] += 1;
        for (_, reflection) in &output.reflections {
            let now = positions(reflection).expect("one position each");
            for (what, at) in &now {
                let was = kept.get(what).unwrap_or(at);
                assert_eq!(was, at, "seed {seed}: {what:?} moved for {}\n{text}\n{}", target.name(), lock.to_json());
            }
            // What is gone is remembered: it must come back to where it was.
            kept.extend(now);
        }
        if seed.is_multiple_of(4) {
            legal(&output, &text);
        }
        let records = output.records().cloned().expect("records");
        lock.programs.insert("a.slang".to_owned(), records);
        assert_eq!(Lock::parse(&lock.to_json()).expect("its own format"), lock);
        // The same again changes nothing.
        if seed.is_multiple_of(16) {
            let again = run(&text, target, policy, Some(&lock));
            assert_eq!(again.records(), lock.programs.get("a.slang"), "seed {seed}");
        }
        source = edited;
    }
    counts
}

fn legal(output: &Output, source: &str) {
    for artifact in &output.artifacts {
        let result = match (artifact.target, artifact.entry) {
            (Target::Wgsl, _) => wgsl_is_legal(artifact.text()),
            (Target::Glsl, Some((_, stage))) => glsl_is_legal(artifact.text(), stage),
            _ => Ok(()),
        };
        assert_eq!(result, Ok(()), "{}\n{source}", artifact.text());
    }
}

#[test]
fn random_edits_move_nothing() {
    let counts: Vec<[usize; 2]> = (0..200u64).into_par_iter().map(edits).collect();
    let [taken, refused] = counts.iter().fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
    assert!(taken > 600, "{taken} taken, {refused} refused");
}

const FIRST: &str = "Texture2D albedo;
SamplerState linearSampler;
float gain;
[shader(\"fragment\")]
float4 main(float2 uv : UV) : SV_Target { return albedo.Sample(linearSampler, uv) * gain; }
";

/// `albedo` is gone, and much is new before what stays.
const SECOND: &str = "float bias;
Texture2D normals;
SamplerState pointSampler;
SamplerState linearSampler;
float gain;
[shader(\"fragment\")]
float4 main(float2 uv : UV) : SV_Target { return normals.Sample(linearSampler, uv) * gain + normals.Sample(pointSampler, uv) * bias; }
";

const LOCKED: [&str; 4] = ["--target", "hlsl", "--bindings-lock", "bindings.lock"];

fn compile_in(tree: &tempfile::TempDir, command: &str, files: &[&str]) -> crate::support::Run {
    let args: Vec<&str> = [command].into_iter().chain(files.iter().copied()).chain(LOCKED).collect();
    shaderport(tree.path(), &args)
}

fn lock_of(tree: &tempfile::TempDir) -> String {
    std::fs::read_to_string(tree.path().join("bindings.lock")).expect("a lock")
}

#[test]
fn a_lock_is_written_and_kept() {
    let tree = tree(&[("a.slang", FIRST)]);
    let first = compile_in(&tree, "compile", &["a.slang"]);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    for position in ["albedo : register(t0)", "linearSampler : register(s0)", "register(b0)"] {
        assert!(first.stdout.contains(position), "{}", first.stdout);
    }
    let lock = lock_of(&tree);
    assert!(lock.starts_with(
        "{\n  \"programs\": {\n    \"a.slang\": {\n      \"apis\": {\n        \"d3d\": {\n          \"$Globals\""
    ));
    assert!(lock.ends_with("  \"schema\": \"shaderport-bindings/1\"\n}\n"), "{lock}");
    // Nothing changes where nothing is new.
    let same = compile_in(&tree, "reflect", &["a.slang"]);
    assert_eq!((same.code, lock_of(&tree)), (0, lock.clone()));

    std::fs::write(tree.path().join("a.slang"), SECOND).expect("a file");
    let second = compile_in(&tree, "compile", &["a.slang"]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    for position in [
        "normals : register(t1)",
        "linearSampler : register(s0)",
        "pointSampler : register(s1)",
        "gain : packoffset(c0)",
        "bias : packoffset(c0.y)",
    ] {
        assert!(second.stdout.contains(position), "{position}\n{}", second.stdout);
    }
    assert!(second.stderr.contains("bindings.lock:15:11: warning[E0406]: `albedo` is recorded"), "{}", second.stderr);
    // It comes back to where it was.
    std::fs::write(tree.path().join("a.slang"), FIRST).expect("a file");
    let third = compile_in(&tree, "compile", &["a.slang"]);
    assert!(third.stdout.contains("albedo : register(t0)"), "{}", third.stdout);
}

#[test]
fn conflicts_show_both_places() {
    let tree = tree(&[("a.slang", FIRST)]);
    assert_eq!(compile_in(&tree, "compile", &["a.slang"]).code, 0);
    let lock = lock_of(&tree);
    for (from, to, said) in [
        (
            "albedo;",
            "albedo : register(t4);",
            "`albedo` is recorded at t0 in space 0, and t4 in space 0 is asked for it",
        ),
        (
            "albedo;",
            "albedo; Texture2D other : register(t0);",
            "`albedo` cannot stay at t0 in space 0: `other` takes t0",
        ),
        ("float gain;", "float more; float gain; float2 late; float4x4 x;", ""),
    ] {
        std::fs::write(tree.path().join("a.slang"), FIRST.replace(from, to)).expect("a file");
        let run = compile_in(&tree, "compile", &["a.slang"]);
        if said.is_empty() {
            assert_eq!(run.code, 0, "{}", run.stderr);
            continue;
        }
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
        assert!(run.stderr.contains("a.slang:1:11: error[E0406]") && run.stderr.contains(said), "{}", run.stderr);
        assert!(run.stderr.contains("--> bindings.lock:15:11"), "the record is shown:\n{}", run.stderr);
        assert_eq!(lock_of(&tree), lock, "the lock is as it was");
    }
    // Data that grew into its neighbour.
    std::fs::write(tree.path().join("a.slang"), FIRST.replace("float gain;", "float more; float4 gain;"))
        .expect("a file");
    let run = compile_in(&tree, "compile", &["a.slang"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains("`gain` cannot stay at byte 0: it reaches to byte 16"), "{}", run.stderr);
}

/// Registers that were mapped to ranges of bindings lie apart; without the ranges a parameter has its bindings in a row.
#[test]
fn what_was_shifted_apart_is_not_moved_together() {
    let source = "cbuffer C { float3 a; ByteAddressBuffer b; }\nTexture2D t;\nRWStructuredBuffer<float> o;\n[shader(\"compute\")]\n\
                  [numthreads(1, 1, 1)]\nvoid main() { o[0] = a.x + b.Load(0) + t.Load(int3(0, 0, 0)).x; }\n";
    let tree = tree(&[("a.slang", source)]);
    let shifted = ["build", "a.slang", "--target", "glsl", "--out", "out", "--bindings-lock", "bindings.lock"];
    let with = shaderport(tree.path(), &[&shifted[..], &["--shift", "t=100,b=0,u=200"]].concat());
    assert_eq!(with.code, 0, "{}", with.stderr);
    let lock = lock_of(&tree);
    let without = shaderport(tree.path(), &shifted);
    assert_eq!(without.code, 1, "{}", without.stderr);
    let told = "`C` cannot stay at binding 0 in set 0: with no `--shift` it is elsewhere, it is recorded with `--shift b=0,t=100,u=200`";
    assert!(without.stderr.contains(told), "{}", without.stderr);
    assert!(without.stderr.contains("a.slang:1:"), "{}", without.stderr);
    assert_eq!(lock_of(&tree), lock, "what is on record stays");
}

/// What a parameter holds lies elsewhere in it under other options: that is told, whatever the parameter itself keeps.
#[test]
fn other_options_move_no_part() {
    const MAIN: &str = "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main() { }\n";
    let mixed = "struct M { float k; Texture2D x; SamplerState y; }\n";
    let cases = [
        (
            "cbuffer C { float3 a; Texture2D b; }\n",
            "glsl",
            "",
            "--shift t=50",
            "`C.b` cannot stay at binding 1 in set 0",
        ),
        (
            "cbuffer C { float3 a; Texture2D b; }\n",
            "glsl",
            "--shift t=50",
            "",
            "`C.b` cannot stay at binding 50 in set 0",
        ),
        (
            "cbuffer C { float3 a; Texture2D b; }\n",
            "glsl",
            "--shift t=50",
            "--shift t=50,b=4",
            "`C` cannot stay at binding 0 in set 0",
        ),
        ("ParameterBlock<M> p;\n", "wgsl", "", "--shift t=9", "`p.x` cannot stay at binding 1 in set 0"),
        (
            "ParameterBlock<M> p;\n",
            "glsl",
            "--shift t=9",
            "--shift t=9 --binding-policy slangc",
            "`p.x` cannot stay at binding 9 in set 0",
        ),
        ("M m[2];\n", "wgsl", "", "--binding-policy slangc", "`m.y` cannot stay at binding 3 in set 0"),
        ("ParameterBlock<M> p;\n", "hlsl", "", "--profile sm_5_0", "`p` cannot stay at b0 in space 0: with a profile"),
        ("Texture2D t[];\n", "hlsl", "", "--binding-policy slangc", ""),
        ("Texture2D t;\nM m;\n", "glsl", "", "--shift u=9", ""),
        ("Texture2D t;\nStructuredBuffer<float> b;\n", "glsl", "", "--shift t=0,u=50", ""),
        ("Texture2D t;\nStructuredBuffer<float> b;\n", "glsl", "--shift t=40", "", ""),
    ];
    for (declarations, target, before, after, said) in cases {
        let tree = tree(&[("a.slang", &format!("{mixed}{declarations}{MAIN}"))]);
        let run = |options: &str| {
            let fixed =
                ["reflect", "a.slang", "--format", "text", "--target", target, "--bindings-lock", "bindings.lock"];
            shaderport(tree.path(), &[&fixed[..], &options.split_whitespace().collect::<Vec<_>>()].concat())
        };
        let first = run(before);
        assert_eq!(first.code, 0, "{}", first.stderr);
        let lock = lock_of(&tree);
        let second = run(after);
        let taken = i32::from(!said.is_empty());
        assert_eq!(second.code, taken, "{declarations}{before} -> {after}:\n{}{}", first.stdout, second.stderr);
        assert!(second.stderr.contains(said), "{declarations}{before} -> {after}:\n{}", second.stderr);
        assert!(taken == 0 || lock_of(&tree) == lock, "what is on record stays");
        // What moves nothing may be taken back.
        assert_eq!(run(before).stdout, first.stdout);
    }
}

/// A parameter that becomes something of several register classes keeps its bindings, and the further ones are new.
#[test]
fn new_classes_of_a_parameter_are_new() {
    const MAIN: &str = "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main() { }\n";
    let tree = tree(&[("a.slang", "")]);
    let run = |text: &str| {
        std::fs::write(tree.path().join("a.slang"), format!("{text}{MAIN}")).expect("a file");
        let lock = ["--bindings-lock", "bindings.lock", "--shift", "b=0,t=100,u=200,s=300"];
        let run = shaderport(tree.path(), &[&["reflect", "a.slang", "--target", "glsl"], &lock[..]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    run("Texture2D a;\nSamplerState s;\n");
    let grown = run("struct A { Texture2D t; SamplerState s; };\nA a;\nSamplerState s;\n");
    for row in ["a.t set 0 binding 100", "a.s set 0 binding 301", "s set 0 binding 300"] {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(grown.lines().any(|line| words(line) == row), "{row}\n{grown}");
    }
}

/// On D3D an array without bound has a space of its own: one that gets a bound stays in it, one that loses its bound cannot
/// stay among others.
#[test]
fn bounds_of_arrays_move_nothing() {
    const REST: &str = "Texture2D x;\n[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main() { }\n";
    let run = |array: &str, lock: &str| {
        let tree = tree(&[("a.slang", &format!("{array}\n{REST}"))]);
        if !lock.is_empty() {
            std::fs::write(tree.path().join("bindings.lock"), lock).expect("a file");
        }
        let run =
            shaderport(tree.path(), &["reflect", "a.slang", "--target", "hlsl", "--bindings-lock", "bindings.lock"]);
        (run, std::fs::read_to_string(tree.path().join("bindings.lock")).unwrap_or_default())
    };
    let row = |text: &str, name: &str| {
        let line = text.lines().find(|l| l.starts_with(name)).unwrap_or_default().to_owned();
        line.split_whitespace().skip(1).take(2).collect::<Vec<_>>().join(" ")
    };
    let (open, lock) = run("Texture2D many[];", "");
    assert_eq!(row(&open.stdout, "many"), "t0.. space1", "{}", open.stdout);
    let (bounded, _) = run("Texture2D many[2];", &lock);
    assert_eq!(row(&bounded.stdout, "many"), "t0..t1 space1", "{}", bounded.stdout);

    let (_, lock) = run("Texture2D many[2];", "");
    let (refused, _) = run("Texture2D many[];", &lock);
    assert_eq!(refused.code, 1);
    let message = "`many` cannot stay at t0 to t1 in space 0: it takes a space of its own now";
    assert!(refused.stderr.contains(message), "{}", refused.stderr);
    let (asked, _) = run("Texture2D many[] : register(t5, space3);", &lock);
    assert!(asked.stderr.contains("`many` is recorded at t0 in space 0"), "{}", asked.stderr);
}

/// A block that lay in the default space, as slangc has it without a profile, is not moved to a space of its own.
#[test]
fn blocks_stay_out_of_spaces() {
    const TEXT: &str = "struct P { float4 a; };\nParameterBlock<P> block;\n\
        [shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main() { }\n";
    let tree = tree(&[("a.slang", TEXT)]);
    let run = |policy: &str| {
        let lock = ["--bindings-lock", "bindings.lock", "--binding-policy", policy];
        shaderport(tree.path(), &[&["reflect", "a.slang", "--target", "hlsl"], &lock[..]].concat())
    };
    assert!(run("slangc").stdout.contains("b0 space0"));
    let refused = run("spec");
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("`block` cannot stay at b0 in space 0"), "{}", refused.stderr);
}

#[test]
fn what_is_no_lock() {
    let schema = "\"schema\": \"shaderport-bindings/1\"";
    let record = |at: &str| {
        let apis = format!("{{\"d3d\": {{\"albedo\": {{\"at\": {at}}}}}}}");
        format!("{{\n\"programs\": {{\"a.slang\": {{\"files\": [\"a.slang\"],\n\"apis\": {apis}}}}}, {schema}}}")
    };
    for (text, place) in [
        ("not a lock".to_owned(), "bindings.lock:1:2"),
        (String::new(), "bindings.lock"),
        ("[]".to_owned(), "bindings.lock:1:1"),
        ("{\n  \"programs\": {},\n  \"schema\": \"shaderport-bindings/2\"\n}".to_owned(), "bindings.lock:3:3"),
        (format!("{{{schema}}}"), "bindings.lock:1:"),
        (format!("{{{schema}, \"programs\": {{}}, \"more\": 1}}"), "bindings.lock:1:"),
        (record("{\"registers\": {\"index\": 1}}"), "bindings.lock:3:18"),
        (record("{}").replace("d3d", "glide"), "bindings.lock:3:10: error[E0705]: `glide` is not a binding model"),
        (record("{\"shaderResource\": {\"index\": 4294967296, \"count\": 1, \"space\": 0}}"), "bindings.lock:3:18"),
        (
            record("{\"shaderResource\": {\"index\": 1, \"count\": 18446744073709551615, \"space\": 0}}"),
            "bindings.lock:3:18",
        ),
        (record("{\"shaderResource\": {\"index\": 1, \"count\": 1}}"), "bindings.lock:3:18"),
        (record("{}, \"at\": {}"), "two members named `at`"),
        (record("{}, \"under\": {\"blocksApart\": true, \"policy\": \"none\"}"), "bindings.lock:3:18"),
        (
            record("{}, \"under\": {\"blocksApart\": true, \"policy\": \"spec\", \"shift\": {\"q\": 1}}"),
            "bindings.lock:3:18",
        ),
        (record("{\"subElementRegisterSpace\": {\"index\": 1, \"count\": 4000000000}}"), "bindings.lock:3:18"),
        (record("{\"shaderResource\": {\"index\": -1, \"count\": 1, \"space\": 0}}"), "bindings.lock:3:"),
    ] {
        let tree = tree(&[("a.slang", FIRST), ("bindings.lock", &text)]);
        for (command, file) in [("compile", "a.slang"), ("reflect", "a.slang"), ("build", ".")] {
            let run = compile_in(&tree, command, &[file]);
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{text}\n{}", run.stderr);
            assert!(run.stderr.contains("error[E0705]") && run.stderr.contains(place), "{place}\n{}", run.stderr);
            assert_eq!(lock_of(&tree), text, "the file is left as it is");
        }
    }
    let tree = tree(&[("a.slang", FIRST), ("bindings.lock/file", "a directory\n")]);
    let run = compile_in(&tree, "compile", &["a.slang"]);
    assert!(run.code == 1 && run.stderr.contains("E0105"), "{}", run.stderr);
}

#[test]
fn programs_are_told_apart_by_their_files() {
    let tree = tree(&[("shaders/a.slang", FIRST), ("shaders/b.hlsl", SECOND)]);
    let build = |directory: &std::path::Path, args: &[&str]| {
        let run = shaderport(directory, args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        lock_of(&tree)
    };
    let lock = build(
        tree.path(),
        &["build", "shaders", "--target", "hlsl,wgsl", "--bindings-lock", "bindings.lock", "-j", "1"],
    );
    assert!(lock.contains("\"shaders/a.slang\"") && lock.contains("\"shaders/b.hlsl\"") && lock.contains("\"webgpu\""));
    std::fs::remove_file(tree.path().join("bindings.lock")).expect("a lock");
    let threads = build(
        tree.path(),
        &["build", "shaders", "--target", "hlsl,wgsl", "--bindings-lock", "bindings.lock", "-j", "8"],
    );
    assert_eq!(threads, lock);
    // One of them alone, and from another directory: the same program.
    let below = tree.path().join("shaders");
    let args = ["compile", "a.slang", "--target", "wgsl", "--bindings-lock", "../bindings.lock", "-o", "a.wgsl"];
    assert_eq!(build(&below, &args), lock);
    let names = contents(tree.path());
    assert!(names.iter().all(|(name, _)| !name.contains(".shaderport")), "nothing temporary is left");
    // A program that gains a file is still the same one.
    let args = ["reflect", "a.slang", "b.hlsl", "--target", "hlsl", "--bindings-lock", "ab.lock", "--entry", "main"];
    assert_ne!(shaderport(&below, &args).code, 3);
    let run = shaderport(&below, &["reflect", "a.slang", "--target", "hlsl", "--bindings-lock", "c.lock"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    std::fs::write(below.join("c.slang"), "Texture2D before; float4 unused() { return before[uint2(0)]; }\n")
        .expect("a file");
    let run = shaderport(&below, &["reflect", "c.slang", "a.slang", "--target", "hlsl", "--bindings-lock", "c.lock"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("albedo         t0") && run.stdout.contains("before         t1"), "{}", run.stdout);
    let lock = std::fs::read_to_string(below.join("c.lock")).expect("a lock");
    assert_eq!(lock.matches("\"apis\"").count(), 1, "{lock}");
}

#[test]
fn parameters_of_one_name_are_told_apart_by_their_files() {
    let unit = |more: &str, entry: &str| {
        format!("{more}Texture2D same;\n[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid {entry}() {{ }}\n")
    };
    // Names of files that differ in their directories alone do as well, seen from anywhere.
    for [a, b] in [["a.hlsl", "b.hlsl"], ["a/x.hlsl", "b/x.hlsl"], ["x.hlsl", "b/x.hlsl"]] {
        let tree = tree(&[(a, &unit("", "one")), (b, &unit("", "two")), ("c/none", "")]);
        let run_in = |directory: &str, files: &[&str], lock: &str| {
            let options = ["--target", "hlsl", "--bindings-lock", lock, "--binding-policy", "slangc"];
            let args: Vec<&str> = ["reflect"].into_iter().chain(files.iter().copied()).chain(options).collect();
            let run = shaderport(&tree.path().join(directory), &args);
            assert_eq!(run.code, 0, "{}", run.stderr);
            run.stdout
        };
        let run = |files: &[&str]| run_in("", files, "bindings.lock");
        let before = run(&[a, b]);
        assert!(before.contains("t0") && before.contains("t1"), "{before}");
        // In the other order, each keeps its own.
        let lock = lock_of(&tree);
        let after = run(&[b, a]);
        assert!(after.find("t1") < after.find("t0"), "{after}");
        assert_eq!(lock_of(&tree), lock);
        let (up_a, up_b) = (format!("../{a}"), format!("../{b}"));
        let after = run_in("c", &[&up_b, &up_a], "../bindings.lock");
        assert!(after.find("t1") < after.find("t0"), "{after}");
        // The first one is gone, the second one stays where it is, whether its file is there or not.
        std::fs::write(tree.path().join(a), unit("", "one").replace("Texture2D same;\n", "")).expect("a file");
        for files in [&[a, b][..], &[b]] {
            let alone = run(files);
            assert!(alone.contains("t1") && !alone.contains("t0"), "{alone}");
        }
        // When the first one comes back it is where it was.
        std::fs::write(tree.path().join(a), unit("", "one")).expect("a file");
        let again = run(&[b, a]);
        assert!(again.find("t1") < again.find("t0"), "{again}");
    }
}

#[test]
fn parameters_of_one_name_are_told_apart_by_namespaces_and_members() {
    const MAIN: &str = "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid main() { }\n";
    let tree = tree(&[("a.slang", "")]);
    let run = |declarations: &str| {
        std::fs::write(tree.path().join("a.slang"), format!("{declarations}{MAIN}")).expect("a file");
        let run = compile_in(&tree, "reflect", &["a.slang"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let rows = run.stdout.lines().filter_map(|l| {
            let mut words = l.split_whitespace();
            Some(format!("{} {}", words.next()?, words.next()?))
        });
        rows.filter(|r| r.starts_with("same ") || r.starts_with("C ")).collect::<Vec<_>>()
    };
    let space = |name: &str| format!("namespace {name} {{ Texture2D same; }}\n");
    assert_eq!(run(&(space("One") + &space("Two"))), ["same t0", "same t1"]);
    assert_eq!(run(&space("Two")), ["same t1"], "the other one is gone");
    assert_eq!(run(&(space("Three") + &space("Two") + &space("One"))), ["same t2", "same t1", "same t0"]);
    // Out of a namespace, or into another one: still the same parameter when no other claims its record.
    assert_eq!(
        run(&("Texture2D same;\n".to_owned() + &space("Two") + &space("One"))),
        ["same t2", "same t1", "same t0"]
    );

    let buffer = |member: &str| format!("cbuffer C {{ float4 {member}; }}\n");
    assert_eq!(run(&(buffer("a") + &buffer("b"))), ["C b0", "C b1"]);
    assert_eq!(run(&buffer("b")), ["C b1"], "the first one is gone");
    assert_eq!(run(&(buffer("b") + &buffer("c") + &buffer("a"))), ["C b1", "C b2", "C b0"]);
    let grown = buffer("b").replace("};", "; float more; }").replace("float4 b; }", "float4 b; float more; }");
    assert_eq!(run(&(grown + &buffer("a"))), ["C b1", "C b0"]);
}

#[test]
fn a_lock_may_be_frozen() {
    let tree = tree(&[("a.slang", FIRST)]);
    let locked = |more: &[&str]| {
        let args = [&["compile", "a.slang", "-o", "a.hlsl", "--locked"], &LOCKED[..2], more].concat();
        let run = shaderport(tree.path(), &args);
        let written = tree.path().join("a.hlsl").exists();
        assert_eq!(written, run.code == 0, "{}", run.stderr);
        let _ = std::fs::remove_file(tree.path().join("a.hlsl"));
        (run.code, run.stderr)
    };
    let lock = ["--bindings-lock", "bindings.lock"];
    let (code, said) = locked(&lock);
    assert!(code == 1 && said.contains("error[E0101]: there is no bindings.lock"), "{said}");
    let (code, said) = locked(&[]);
    assert!(code == 2 && said.contains("`--locked` needs a lock"), "{said}");
    assert_eq!(compile_in(&tree, "compile", &["a.slang"]).code, 0);
    let text = lock_of(&tree);
    assert_eq!(locked(&lock), (0, String::new()));

    // What is new is told at its place; what is gone changes no lock.
    std::fs::write(tree.path().join("a.slang"), SECOND).expect("a file");
    let (code, said) = locked(&lock);
    assert_eq!(code, 1);
    for new in ["1:7: error[E0406]: `bias`", "2:11: error[E0406]: `normals`", "3:14: error[E0406]: `pointSampler`"] {
        assert!(said.contains(&format!("a.slang:{new} is not recorded")), "{new}\n{said}");
    }
    let gone = FIRST.replace("Texture2D albedo;\n", "").replace("albedo.Sample(linearSampler, uv) *", "uv.x *");
    std::fs::write(tree.path().join("a.slang"), gone).expect("a file");
    let (code, said) = locked(&lock);
    assert!(code == 0 && said.contains("warning[E0406]: `albedo` is recorded"), "{said}");
    // A parameter that has grown takes more than is recorded.
    std::fs::write(
        tree.path().join("a.slang"),
        FIRST.replace("float gain;", "float2 gain;").replace("* gain", "* gain.x"),
    )
    .expect("a file");
    let (code, said) = locked(&lock);
    assert!(code == 1 && said.contains("a.slang:3:8: error[E0406]: what is recorded of `gain` would change"), "{said}");
    assert!(said.contains("bindings.lock:"), "the record is shown: {said}");
    assert_eq!(lock_of(&tree), text);
}

#[test]
fn manifests_and_build_scripts_name_locks() {
    use shaderport::Build;
    let manifest = "[build]\nbindings-lock = 'kept/bindings.lock'\n";
    let tree = tree(&[("s/a.slang", FIRST), ("s/b.slang", SECOND), ("s/shaderport.toml", manifest)]);
    let path = tree.path().join("s/kept/bindings.lock");
    let run = |more: &[&str]| shaderport(tree.path(), &[&["build", "s", "--target", "hlsl"], more].concat());
    assert_eq!(run(&["--locked"]).code, 1, "there is no lock yet");
    assert_eq!(run(&[]).code, 0);
    let first = std::fs::read_to_string(&path).expect("a lock");
    assert!(first.contains("\"../a.slang\"") && first.contains("\"../b.slang\""), "{first}");
    assert_eq!(run(&["--locked"]).code, 0);

    // A build script under the same manifest keeps the same lock, and one that names a lock has its own.
    let out = tree.path().join("script");
    let build = || Build::new(tree.path().join("s")).target(Target::Hlsl).out_dir(&out);
    assert!(build().locked(true).try_run().is_ok());
    assert_eq!(std::fs::read_to_string(&path).expect("a lock"), first);
    let other = tree.path().join("other.lock");
    assert!(build().bindings_lock(&other).locked(true).try_run().is_err());
    assert!(build().bindings_lock(&other).try_run().is_ok() && other.exists());
    std::fs::write(tree.path().join("s/a.slang"), SECOND).expect("a file");
    assert!(build().try_run().is_ok());
    let text = std::fs::read_to_string(out.join("a.hlsl")).expect("a text");
    assert!(text.contains("normals : register(t1)"), "what is new comes after what is gone:\n{text}");
    assert!(build().locked(true).try_run().is_ok());
    std::fs::write(
        tree.path().join("s/a.slang"),
        FIRST.replace("Texture2D albedo;", "Texture2D albedo; Texture2D more;"),
    )
    .expect("a file");
    let refused = build().locked(true).try_run().expect_err("a new parameter");
    assert!(refused.contains("`more` is not recorded"), "{refused}");

    // A program that is gone is told of.
    std::fs::remove_file(tree.path().join("s/b.slang")).expect("a file");
    let run = run(&[]);
    assert!(run.code == 0 && run.stderr.contains("the program `../b.slang` is recorded, but its files are gone"));
    assert!(run.stderr.contains("bindings.lock:"), "{}", run.stderr);
}

#[test]
fn numbers_of_constants_and_attachments_stay_in_the_text_too() {
    let main = |declarations: &str, sum: &str| {
        format!("{declarations}[shader(\"fragment\")]\nfloat4 main() : SV_Target {{ return {sum}; }}\n")
    };
    let constant = |name: &str| format!("[SpecializationConstant] const float {name} = 1.0;\n");
    let input = |name: &str| format!("SubpassInput<float4> {name};\n");
    let tree = tree(&[("a.slang", &main(&(constant("a") + &input("x")), "a + x.SubpassLoad()"))]);
    let run = || {
        let run =
            shaderport(tree.path(), &["compile", "a.slang", "--target", "glsl", "--bindings-lock", "bindings.lock"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    let first = run();
    assert!(
        first.contains("constant_id = 0) const float a") && first.contains("input_attachment_index = 0"),
        "{first}"
    );
    let more = constant("b") + &constant("a") + &input("y") + &input("x");
    std::fs::write(tree.path().join("a.slang"), main(&more, "a + b + x.SubpassLoad() + y.SubpassLoad()"))
        .expect("a file");
    let second = run();
    for said in [
        "constant_id = 0) const float a",
        "constant_id = 1) const float b",
        "input_attachment_index = 0) uniform subpassInput x",
        "input_attachment_index = 1) uniform subpassInput y",
    ] {
        assert!(second.contains(said), "{said}\n{second}");
    }
}
