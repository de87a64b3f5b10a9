//! Layouts that cannot be, for every target under every policy: a located error that shows all declarations concerned, or a
//! text; never an internal fault, and never a text that a validator refuses.

use crate::support::{glsl_is_legal, wgsl_is_legal};
use rayon::prelude::*;
use shaderport::internals::options;
use shaderport::internals::target::Profile;
use shaderport::{BufferLayout, Code, MemoryLoader, Options, Output, Policy, Severity, Target, compile};

/// Declarations that are used as `USE` says, one a line.
struct Case {
    name: &'static str,
    /// The files; each but modules has an entry point in which the first file's last line is a statement.
    files: &'static [&'static str],
    body: &'static str,
    /// `--globals-binding`, `--shift`.
    options: &'static str,
    /// Where it is refused, by which code, and the lines that the message shows: `1`, or `b1` in the second file.
    refused: &'static [(&'static str, Code, &'static [&'static str])],
}

const fn case(
    name: &'static str,
    files: &'static [&'static str],
    body: &'static str,
    refused: &'static [(&'static str, Code, &'static [&'static str])],
) -> Case {
    Case { name, files, body, options: "", refused }
}

const OVERLAP: Code = Code::BINDING_OVERLAP;
const REGISTER: Code = Code::BAD_REGISTER;
const LAYOUT: Code = Code::BAD_LAYOUT;
const FULL: Code = Code::BINDING_EXHAUSTED;
const CONFLICT: Code = Code::DECLARATION_CONFLICT;
const READ: &str = "s += a.Load(int3(0, 0, 0)).x + b.Load(int3(0, 0, 0)).x;";
/// Where the policy does not pass over it with a warning.
const NOT_SLANGC: &str = "hlsl/spec hlsl/dxc glsl/spec glsl/dxc wgsl/spec wgsl/dxc";
/// Everywhere.
const ALL: &str = "hlsl glsl wgsl";
/// Where `register` places things: D3D, and under `slangc` and `dxc` also the others; `slangc` only warns, but for D3D, whose
/// compiler refuses registers that two resources have, and WebGPU, where bindings have no aliases.
const BY_REGISTER: &str = "hlsl glsl/dxc wgsl/dxc wgsl/slangc";
/// The same of `vk::binding`.
const BY_BINDING: &str = "glsl/spec glsl/dxc wgsl";

const CASES: &[Case] = &[
    case(
        "one register",
        &["Texture2D a : register(t3);\nTexture2D b : register(t3);\n"],
        READ,
        &[(BY_REGISTER, OVERLAP, &["2", "1"])],
    ),
    case(
        "one that overlaps with two",
        &[
            "Texture2D z[2] : register(t0, space1);\nTexture2D a[2] : register(t2, space1);\nTexture2D b[3] : register(t1, space1);\n",
        ],
        "s += a[0].Load(int3(0, 0, 0)).x + b[0].Load(int3(0, 0, 0)).x + z[1].Load(int3(0, 0, 0)).x;",
        &[("hlsl", OVERLAP, &["3", "2", "1"])],
    ),
    case(
        "a struct and what lies in it",
        &["struct P { Texture2D x; Texture2D y; };\nP a : register(t3);\nTexture2D b : register(t4);\n"],
        "s += a.x.Load(int3(0, 0, 0)).x + a.y.Load(int3(0, 0, 0)).x + b.Load(int3(0, 0, 0)).x;",
        &[(BY_REGISTER, OVERLAP, &["3", "2"])],
    ),
    case(
        "one binding",
        &["[[vk::binding(3, 1)]] Texture2D a;\n[[vk::binding(3, 1)]] Texture2D b;\n"],
        READ,
        &[(BY_BINDING, OVERLAP, &["2", "1"])],
    ),
    case(
        "an alias that is asked for",
        &[
            "[allow(\"overlapping-bindings\")] [[vk::binding(3)]] Texture2D a;\n[allow(\"overlapping-bindings\")] [[vk::binding(3)]] Texture2D b;\n",
        ],
        READ,
        &[("wgsl", OVERLAP, &["2", "1"])],
    ),
    case(
        "two blocks in one space",
        &[
            "struct P { float x; Texture2D t; };\nParameterBlock<P> a : register(space2);\nParameterBlock<P> b : register(space2);\n",
        ],
        "s += a.x + b.x + a.t.Load(int3(0, 0, 0)).x + b.t.Load(int3(0, 0, 0)).x;",
        &[("hlsl/spec hlsl/dxc glsl/dxc wgsl/dxc", OVERLAP, &["3", "2"])],
    ),
    case(
        "a binding in the set of a block",
        &[
            "struct P { float x; Texture2D t; };\n[[vk::binding(0, 2)]] ParameterBlock<P> a;\n[[vk::binding(1, 2)]] Texture2D b;\n",
        ],
        "s += a.x + a.t.Load(int3(0, 0, 0)).x + b.Load(int3(0, 0, 0)).x;",
        &[(BY_BINDING, OVERLAP, &["3", "2"])],
    ),
    case(
        "above an array without bound",
        &["Texture2D a[] : register(t2, space1);\nTexture2D b : register(t7, space1);\n"],
        "s += a[3].Load(int3(0, 0, 0)).x + b.Load(int3(0, 0, 0)).x;",
        &[("hlsl", OVERLAP, &["2", "1"])],
    ),
    case(
        "one constant id",
        &["[[vk::constant_id(3)]] const int a = 1;\n[[vk::constant_id(3)]] const int b = 2;\n"],
        "s += a + b;",
        &[("glsl wgsl", OVERLAP, &["2", "1"])],
    ),
    case(
        "three fields on one another",
        &["cbuffer C {\nfloat4 a : packoffset(c1);\nfloat b : packoffset(c1.y);\nfloat2 c : packoffset(c1.y);\n}\n"],
        "s += a.x + b + c.x;",
        // A union, of which a warning tells.
        &[],
    ),
    case(
        "plain globals on one another",
        &["float4 a : register(c3);\nfloat b : register(c3);\n"],
        "s += a.x + b;",
        &[("hlsl/slangc glsl/slangc wgsl/slangc", REGISTER, &["1"])],
    ),
    case(
        "offsets on one another",
        &["struct S {\n[[vk::offset(0)]] float4 a;\n[[vk::offset(4)]] float4 b; };\nConstantBuffer<S> c;\n"],
        "s += c.a.x + c.b.x;",
        &[("glsl/spec glsl/dxc", OVERLAP, &["3", "2"])],
    ),
    Case {
        options: "globals=2",
        ..case(
            "the globals' buffer on another",
            &["float a;\n[[vk::binding(2)]] cbuffer C : register(b2) { float b; }\n"],
            "s += a + b;",
            &[("hlsl glsl/spec glsl/dxc wgsl", OVERLAP, &["2"])],
        )
    },
    case(
        "one location",
        &[
            "struct V {\n[[vk::location(2)]] float4 a : A;\n[[vk::location(2)]] float4 b : B; };\n[shader(\"fragment\")] float4 fs(V v) : SV_Target { return v.a + v.b; }\n",
        ],
        "",
        &[("glsl wgsl", OVERLAP, &["3", "2"])],
    ),
    case(
        "one semantic, an array's index running into another's",
        &[
            "[shader(\"fragment\")] float4 fs(float4 a[3] : COLOR1,\nfloat4 b : COLOR2) : SV_Target { return a[0] + b; }\n",
        ],
        "",
        &[("hlsl", Code::BAD_ENTRY, &["2", "1"])],
    ),
    case(
        "one render target",
        &[
            "struct O {\nfloat4 a : SV_Target0;\nfloat4 b : SV_Target0; };\n[shader(\"fragment\")] O fs() { O o; o.a = 1; o.b = 2; return o; }\n",
        ],
        "",
        &[("glsl/spec glsl/dxc wgsl/spec wgsl/dxc", OVERLAP, &["3", "2"]), ("hlsl", Code::BAD_ENTRY, &["3", "2"])],
    ),
    case(
        "an array of what holds parameter blocks",
        &["struct I { float x; };\nstruct B { ParameterBlock<I> i; float y; };\nB b[2];\nConstantBuffer<B> c[2];\n"],
        "s += b[1].i.x;",
        &[(ALL, LAYOUT, &["3"])],
    ),
    // slangc takes it and does not hear it, DXC refuses it.
    case(
        "a texture buffer at a b register",
        &["tbuffer a : register(b0) { float x; }\n"],
        "",
        &[(ALL, REGISTER, &["1"])],
    ),
    case("a class of another type", &["Texture2D a : register(u0);\n"], "", &[(ALL, REGISTER, &["1"])]),
    case(
        "a class that no field has",
        &["struct M { float x; Texture2D t; };\nM a : register(u3);\n"],
        "",
        &[(NOT_SLANGC, REGISTER, &["2"])],
    ),
    case(
        "a block in t",
        &["struct S { float x; };\nParameterBlock<S> a : register(t0);\n"],
        "",
        &[(NOT_SLANGC, REGISTER, &["2"])],
    ),
    case("plain data in t", &["struct S { float x; };\nS a : register(t0);\n"], "", &[(NOT_SLANGC, REGISTER, &["2"])]),
    case("a cbuffer in t", &["cbuffer C : register(t0) { float x; }\n"], "", &[(ALL, REGISTER, &["1"])]),
    case(
        "two registers of one class",
        &["Texture2D a\n: register(t0)\n: register(t1);\n"],
        "",
        &[(ALL, REGISTER, &["3", "2"])],
    ),
    case(
        "two packoffsets",
        &["cbuffer C { float a\n: packoffset(c0)\n: packoffset(c1); }\n"],
        "",
        &[(ALL, REGISTER, &["3", "2"])],
    ),
    case(
        "packoffset on a resource",
        &["cbuffer C { Texture2D a : packoffset(c0); float b; }\n"],
        "",
        &[(ALL, REGISTER, &["1"])],
    ),
    case("packoffset on a global", &["float a : packoffset(c0);\n"], "", &[(ALL, REGISTER, &["1"])]),
    case("packoffset on a local", &["\n"], "\nfloat q : packoffset(c0) = 1;", &[(ALL, REGISTER, &["4"])]),
    case("packoffset across a row", &["cbuffer C { float3 a : packoffset(c0.z); }\n"], "", &[(ALL, REGISTER, &["1"])]),
    case(
        "packoffset beyond all rows",
        &["cbuffer C { float a : packoffset(c4294967295); }\n"],
        "",
        &[(ALL, REGISTER, &["1"])],
    ),
    case("a constant beyond all rows", &["float a : register(c4096);\n"], "", &[(ALL, REGISTER, &["1"])]),
    case(
        "an end beyond all rows",
        &["cbuffer C { float4 a[3] : packoffset(c4094); }\n"],
        "s += a[2].x;",
        &[("hlsl", Code::BAD_LAYOUT, &["1"])],
    ),
    case("a space of 33 bits", &["Texture2D a : register(t0, space4294967296);\n"], "", &[(ALL, REGISTER, &["1"])]),
    case(
        "nested blocks beyond the last space",
        &[
            "struct I { float y; };\nstruct P { float x; ParameterBlock<I> i; };\n[[vk::binding(0, 4294967295)]] ParameterBlock<P> a : register(space4294967295);\n",
        ],
        "s += a.x + a.i.y;",
        &[("hlsl/spec hlsl/dxc glsl wgsl", FULL, &["3"])],
    ),
    case(
        "an array beyond the last register",
        &["Texture2D a[4] : register(t4294967294);\n"],
        "s += a[3].Load(int3(0, 0, 0)).x;",
        &[("hlsl", FULL, &["1"]), ("glsl/slangc glsl/dxc wgsl/slangc wgsl/dxc spirv/slangc", FULL, &["1"])],
    ),
    case(
        "a struct beyond the last binding",
        &["struct P { Texture2D x; Texture2D y; };\n[[vk::binding(4294967295)]] P a;\n"],
        "s += a.x.Load(int3(0, 0, 0)).x + a.y.Load(int3(0, 0, 0)).x;",
        &[("glsl wgsl", FULL, &["2"])],
    ),
    case(
        "the last binding of all",
        &["[[vk::binding(4294967295)]] Texture2D a;\n"],
        "s += a.Load(int3(0, 0, 0)).x;",
        &[("glsl wgsl spirv", FULL, &["1"])],
    ),
    case("a negative binding", &["[[vk::binding(-1)]] Texture2D a;\n"], "", &[(ALL, Code::BAD_ATTRIBUTE, &["1"])]),
    case(
        "a large constant id",
        &["[[vk::constant_id(4294967294)]] const int a = 1;\n"],
        "s += a;",
        &[("glsl wgsl", FULL, &["1"])],
    ),
    case(
        "locations that end beyond the last",
        &[
            "[shader(\"fragment\")] float4 fs([[vk::location(4294967294)]] float4 a[3] : A) : SV_Target { return a[0]; }\n",
        ],
        "",
        &[("glsl wgsl", FULL, &["1"])],
    ),
    case(
        "more inputs than any stage has",
        &["[shader(\"fragment\")] float4 fs(float4 a[100000] : A) : SV_Target { return a[0]; }\n"],
        "",
        &[(ALL, FULL, &["1"])],
    ),
    case(
        "the ninth render target",
        &["[shader(\"fragment\")] float4 fs() : SV_Target8 { return 1; }\n"],
        "",
        &[(ALL, REGISTER, &["1"])],
    ),
    Case {
        options: "t=4294967290",
        ..case(
            "a shift beyond the last binding",
            &["Texture2D a : register(t9);\n"],
            "s += a.Load(int3(0, 0, 0)).x;",
            &[("glsl wgsl", FULL, &["1"])],
        )
    },
    Case {
        options: "b=0,t=1,s=2",
        ..case(
            "ranges of classes without room for a block",
            &["struct M { float4 f; Texture2D a; Texture2D b; SamplerState s; };\nParameterBlock<M> p;\n"],
            "s += p.f.x + p.b.SampleLevel(p.s, float2(0, 0), 0).x;",
            &[("glsl wgsl", OVERLAP, &["2"])],
        )
    },
    case(
        "cbuffers of other members",
        &["cbuffer C { float x; }\n", "cbuffer C { float x; float y; }\n"],
        "s += x;",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b1", "1"])],
    ),
    case(
        "another type",
        &["Texture2D a;\n", "\nTexture3D a;\n"],
        "",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b2", "1"])],
    ),
    case(
        "another kind",
        &["Texture2D a;\n", "cbuffer a { float x; }\n"],
        "",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b1", "1"])],
    ),
    case(
        "another register",
        &["Texture2D a : register(t0);\n", "Texture2D a : register(t1);\n"],
        "",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b1", "1"])],
    ),
    case(
        "another space",
        &["Texture2D a : register(t0);\n", "Texture2D a : register(t0, space1);\n"],
        "",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b1", "1"])],
    ),
    case(
        "another binding",
        &["[[vk::binding(0)]] Texture2D a;\n", "[[vk::binding(1)]] Texture2D a;\n"],
        "",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b1", "1"])],
    ),
    case(
        "another id",
        &["[[vk::constant_id(1)]] const int a = 3;\n", "[[vk::constant_id(2)]] const int a = 3;\n"],
        "s += a;",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b1", "1"])],
    ),
    case(
        "another place in its cbuffer",
        &["cbuffer C { float x : packoffset(c1); }\n", "cbuffer C { float x : packoffset(c2); }\n"],
        "",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b1", "1"])],
    ),
    case(
        "another order of matrices",
        &["row_major float4x4 a;\n", "column_major float4x4 a;\n"],
        "",
        &[("hlsl/spec glsl/spec wgsl/spec", CONFLICT, &["b1", "1"])],
    ),
];

impl Case {
    fn compile(&self, target: Target, policy: Policy, buffer_layout: BufferLayout) -> Output {
        let mut loader = MemoryLoader::new();
        let names = ["a.hlsl", "b.hlsl"];
        for ((text, name), entry) in self.files.iter().zip(names).zip(["one", "two"]) {
            let out = format!("RWStructuredBuffer<float> {entry}Out;\n");
            let main = format!(
                "{out}[shader(\"compute\")] [numthreads(1, 1, 1)] void {entry}() {{ float s = 0; {} {entry}Out[0] = s; }}\n",
                self.body
            );
            let all = format!("{text}{}", if text.contains("[shader") { "" } else { &main });
            loader = loader.with(name, &all);
        }
        let mut options = Options::for_target(target).binding_policy(policy).buffer_layout(buffer_layout);
        match self.options.strip_prefix("globals=") {
            Some(n) => options.globals_binding = options::binding(n).ok(),
            None if self.options.is_empty() => {}
            None => options.shift = self.options.parse().expect("a shift"),
        }
        let files: Vec<&str> = names.into_iter().take(self.files.len()).collect();
        compile(&loader, &files, &options)
    }

    /// What is expected of a target under a policy.
    fn refusal(&self, target: &str, policy: &str) -> Option<(Code, &'static [&'static str])> {
        let here = |w: &str| w == target || w == format!("{target}/{policy}");
        self.refused.iter().find(|(words, ..)| words.split(' ').any(here)).map(|(_, code, lines)| (*code, *lines))
    }

    fn check(&self, target: Target, policy: Policy, layout: BufferLayout) -> Vec<String> {
        let at = format!("{} for {} under {} with {layout:?}", self.name, target.name(), policy.name);
        let language = Profile::default_of(target).map_or("", |p| p.language.name());
        let output = self.compile(target, policy, layout);
        let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        let mut faults = Vec::new();
        let limits = [Code::INTERNAL, Code::VALIDATION];
        faults.extend(errors.iter().filter(|d| limits.contains(&d.code)).map(|d| format!("{at}: {}", d.message)));
        let Some((code, lines)) = self.refusal(language, policy.name) else {
            // What slangc has no arrays for, it has no arrays for.
            let other = errors.iter().find(|d| d.code != Code::CAPABILITY);
            faults.extend(other.map(|d| format!("{at}: {} {}", d.code, d.message)));
            faults.extend(illegal(&output).map(|why| format!("{at}: {why}")));
            return faults;
        };
        if !output.artifacts.is_empty() || !output.reflections.is_empty() {
            faults.push(format!("{at}: something was written"));
        }
        let line = |span: shaderport::Span| {
            let (file, line, _) = output.position(span).unwrap_or_default();
            format!("{}{line}", if file == "b.hlsl" { "b" } else { "" })
        };
        let shown = |d: &&&shaderport::Diagnostic| {
            let spans = d.span.into_iter().chain(d.labels.iter().map(|l| l.span));
            let places: Vec<String> = spans.map(line).collect();
            d.code == code && lines.iter().all(|l| places.iter().any(|p| p == l))
        };
        if !errors.iter().any(|d| shown(&d)) {
            faults.push(format!("{at}: no {code} that shows the lines {lines:?}, but\n{}", output.render(false)));
        }
        faults
    }
}

/// Why a text is refused by tools that are not ours, if it is.
fn illegal(output: &Output) -> Option<String> {
    output.artifacts.iter().find_map(|a| match a.target {
        Target::Wgsl => wgsl_is_legal(a.text()).err(),
        Target::Glsl => a.entry.and_then(|(_, stage)| glsl_is_legal(a.text(), stage).err()),
        _ => None,
    })
}

#[test]
fn each_is_told_with_all_its_declarations() {
    let mut runs = Vec::new();
    for case in CASES {
        for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
            runs.extend(Policy::ALL.iter().map(|policy| (case, target, *policy, BufferLayout::Native)));
            if case.files[0].contains("cbuffer") || case.files[0].contains("float") {
                let others = BufferLayout::TABLE.iter().filter(|(_, l)| *l != BufferLayout::Native);
                runs.extend(others.map(|(_, layout)| (case, target, Policy::ALL[0], *layout)));
            }
        }
        runs.push((case, Target::Spirv, Policy::ALL[1], BufferLayout::Native));
    }
    let faults: Vec<String> =
        runs.par_iter().flat_map(|(case, target, policy, layout)| case.check(*target, *policy, *layout)).collect();
    assert!(faults.is_empty(), "{} of {} runs:\n{}", faults.len(), runs.len(), faults.join("\n\n"));
}
