//! The numbers that Slang's reflection documentation gives for its examples, which are fixtures (`reflection_*.md`); who uses what; user attributes.

use crate::page::parse;
use crate::support::root;
use shaderport::reflection::Leaf;
use shaderport::reflection::Reflection;
use shaderport::{Code, MemoryLoader, Options, Target, compile};

/// (fixture, target, a line of its outline below "global parameters" or an entry point). D3D's numbers are those of the
/// document; where std140 rounds, Vulkan's and WebGPU's are multiples of 16 (rule `layout-std140-std430`).
const NUMBERS: &[(&str, &str, &str)] = &[
    ("types", "hlsl", "many: Texture2D<float4>[] at t0 and all above, space 1 | unboundedly many t registers"),
    ("types", "hlsl", "rows: row_major float3x4 at byte 128 | 48 bytes (alignment 16, stride 48)"),
    ("types", "glsl", "frame: float3x4 at byte 80 | 64 bytes (alignment 16, stride 64)"),
    ("containers", "hlsl", "element: DirectionalLight at byte 0 | 28 bytes (alignment 16, stride 32)"),
    ("containers", "glsl", "element: DirectionalLight at byte 0 | 32 bytes (alignment 16, stride 32)"),
    ("containers", "wgsl", "element: DirectionalLight at byte 0 | 32 bytes (alignment 16, stride 32)"),
    ("containers", "hlsl", "light: ConstantBuffer<DirectionalLight> at b0, space 0 | 1 b register"),
    (
        "containers",
        "hlsl",
        "view: ConstantBuffer<ViewParams> at b1, space 0 and t0, space 0 | 1 b register, 1 t register",
    ),
    ("containers", "hlsl", "element: ViewParams at byte 0, t+0 | 28 bytes (alignment 16, stride 32), 1 t register"),
    ("containers", "glsl", "view: ConstantBuffer<ViewParams> at binding 1 to binding 2, set 0 | 2 bindings"),
    ("containers", "glsl", "element: ViewParams at byte 0, binding +1 | 32 bytes (alignment 16, stride 32), 1 binding"),
    ("containers", "wgsl", "element: ViewParams at byte 0, binding +1 | 32 bytes (alignment 16, stride 32), 1 binding"),
    ("containers", "glsl", "material: ConstantBuffer<Material> at binding 3 to binding 5, set 0 | 3 bindings"),
    ("containers", "wgsl", "element: Material at binding +0 | 3 bindings"),
    ("containers", "glsl", "container: nothing"),
    ("blocks", "glsl", "material: ParameterBlock<Material> at space 2 | 1 space"),
    ("blocks", "wgsl", "element: Material at binding +0 | 3 bindings"),
    ("blocks", "hlsl", "pointLights: PointLight[10] at byte 0 | 316 bytes (alignment 16, stride 320)"),
    ("blocks", "glsl", "lightEnv: ParameterBlock<LightingEnvironment> at space 3 | 1 space"),
    (
        "blocks",
        "glsl",
        "element: LightingEnvironment at byte 0, binding +1 | 320 bytes (alignment 16, stride 320), 1 binding",
    ),
    (
        "blocks",
        "wgsl",
        "element: LightingEnvironment at byte 0, binding +1 | 320 bytes (alignment 16, stride 320), 1 binding",
    ),
    ("blocks", "glsl", "params: ParameterBlock<FrameParams> at space 1 | 1 space"),
    ("blocks", "glsl", "container: binding +0, space +0"),
    ("blocks", "glsl", "element: FrameParams at byte 0, binding +1 | 64 bytes (alignment 16, stride 64), 6 bindings"),
    ("blocks", "wgsl", "element: FrameParams at byte 0, binding +1 | 64 bytes (alignment 16, stride 64), 6 bindings"),
    ("blocks", "glsl", "material: ConstantBuffer<Surface> at binding +0 | 3 bindings"),
    (
        "blocks",
        "hlsl",
        "material: Surface at byte 32, t+1, s+1 | 16 bytes (alignment 16, stride 16), 1 t register, 1 s register",
    ),
    ("global_scope", "glsl", "filter: SamplerState at binding 2, set 0 | 1 binding"),
    ("global_scope", "hlsl", "global parameters"),
    ("global_buffer", "hlsl", "global parameters, in a buffer at b0, space 0, 28 bytes"),
    ("global_buffer", "glsl", "global parameters, in a buffer at binding 0, set 0, 32 bytes"),
    ("global_buffer", "glsl", "entry point main (fragment), in a buffer at push constants 0, 16 bytes"),
    ("global_buffer", "wgsl", "entry point main (fragment), in a buffer at binding 4, set 0, 16 bytes"),
    ("global_block", "glsl", "diffuseMap: Texture2D<float4> at binding 0, set 0 | 1 binding"),
    ("global_block", "glsl", "envMap: TextureCube<float4> at binding 1, set 0 for vk::binding(1, 0) | 1 binding"),
    ("global_block", "wgsl", "filter: SamplerState at binding 2, set 0 | 1 binding"),
    ("varyings", "hlsl", "normal: float3 at location 1 : NORMAL | 1 input location"),
    ("varyings", "glsl", "more: float2[2] at location 3 to location 4 : TEXCOORD5 | 2 input locations"),
    ("varyings", "wgsl", "color: float4 at location 7 and location 0 : COLOR1 | 1 input location, 1 output location"),
    ("varyings", "glsl", "id: uint : SV_VERTEXID"),
    ("varyings", "glsl", "result: float4 : SV_POSITION"),
    (
        "cumulative",
        "hlsl",
        "b: B at byte 16, b+0, t+1 | 16 bytes (alignment 16, stride 16), 1 b register, 1 t register",
    ),
    ("stages", "hlsl", "height: float at byte 0 [Range(0.0, 90.0, \"degrees\", 9)] | 4 bytes (alignment 4, stride 4)"),
    ("stages", "hlsl", "stage: maxPrimitives 126, maxVertices 64, outputTopology triangle, payload Payload"),
];

/// (fixture, target, path, register or binding, space, byte).
type Position = (&'static str, &'static str, &'static str, Option<u64>, Option<u64>, Option<u64>);

const POSITIONS: &[Position] = &[
    ("containers", "glsl", "view.envMap", Some(2), Some(0), None),
    ("blocks", "glsl", "params.material.filter", Some(3), Some(1), None),
    ("blocks", "wgsl", "params.envMap", Some(4), Some(1), None),
    ("blocks", "glsl", "lightEnv.envMap", Some(1), Some(3), None),
    ("blocks", "hlsl", "lightEnv.envMap", Some(0), Some(3), None),
    ("cumulative", "glsl", "params.material.glossMap", Some(3), Some(0), None),
    ("cumulative", "hlsl", "c.b.y", None, None, Some(48)),
    ("cumulative", "hlsl", "c.b.a.x", None, None, Some(0)),
    ("cumulative", "hlsl", "c.b.a.t", Some(4), Some(0), None),
    ("cumulative", "glsl", "c.b.a.t", Some(7), Some(0), None),
    ("cumulative", "glsl", "outer.inner.t", Some(1), Some(2), None),
    ("cumulative", "hlsl", "outer.maps.glossMap", Some(1), Some(3), None),
];

fn reflections(fixture: &str) -> Vec<(String, Reflection)> {
    let path = root().join(format!("tests/fixtures/reflection_{fixture}.md"));
    let page = parse(&std::fs::read_to_string(path).expect("a page")).expect("a good page");
    let output = crate::page::compile_page(&page);
    assert!(!output.has_errors(), "{}", output.render(false));
    output.reflections.into_iter().map(|(target, r)| (target.name().to_owned(), r)).collect()
}

#[test]
fn numbers_of_the_document() {
    let mut wrong = Vec::new();
    let mut pages: Vec<&str> = NUMBERS.iter().map(|n| n.0).collect();
    pages.dedup();
    for page in pages {
        for (target, reflection) in reflections(page) {
            let outline = reflection.to_layouts();
            let here = |n: &&(&str, &str, &str)| n.0 == page && n.1 == target;
            for (.., line) in NUMBERS.iter().filter(here) {
                if !outline.lines().any(|l| l.trim() == *line) {
                    wrong.push(format!("{page} for {target}: {line}"));
                }
            }
            for (.., path, index, space, offset) in POSITIONS.iter().filter(|p| p.0 == page && p.1 == target) {
                let found = reflection.leaves.iter().any(|l| {
                    l.path == *path
                        && l.offset == *offset
                        && (offset.is_some() || (l.index, l.space) == (*index, *space))
                });
                if !found {
                    wrong.push(format!("{page} for {target}: {path}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn reflection(source: &str, target: Target) -> Reflection {
    let loader = MemoryLoader::new().with("a.slang", source);
    let output = compile(&loader, &["a.slang"], &Options::for_target(target));
    assert!(!output.has_errors(), "{}", output.render(false));
    output.reflections.into_iter().next().expect("a sidecar").1
}

#[test]
fn what_is_named_and_what_is_reached() {
    let source = "
        struct Maps { Texture2D color; Texture2D normal; float weight; float unused; };
        Maps maps;
        ParameterBlock<Maps> block;
        cbuffer Frame { float time; float4 tint; };
        Texture2D never;
        Texture2D hidden;
        RWStructuredBuffer<float> result;
        static const bool DEBUG = false;
        float shade(bool debug) { return debug ? hidden.Load(int3(0, 0, 0)).x : time; }
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void one(uniform float scale, uniform float other)
        {
            result[0] = shade(DEBUG) + maps.color.Load(int3(0, 0, 0)).x * maps.weight * scale;
        }
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void two() { result[1] = block.normal.Load(int3(0, 0, 0)).x; if (false) { result[1] = tint.x; } }";
    for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
        let reflection = reflection(source, target);
        let users = |path: &str| {
            let leaf: &Leaf = reflection.leaves.iter().find(|l| l.path == path).unwrap_or_else(|| panic!("{path}"));
            let uses: Vec<String> = leaf
                .references
                .iter()
                .map(|r| format!("{} {}{}", r.entry_point, r.stage, if r.reachable { "" } else { " never" }))
                .collect();
            let reached: Vec<&str> =
                leaf.references.iter().filter(|r| r.reachable).map(|r| r.entry_point.as_str()).collect();
            assert_eq!(leaf.entry_points, reached, "{path}");
            uses.join(", ")
        };
        for (path, expected) in [
            ("result", "one compute, two compute"),
            ("maps.color", "one compute"),
            ("maps.normal", ""),
            ("maps.weight", "one compute"),
            ("maps.unused", ""),
            ("$Globals", "one compute"),
            // To name a texture of a block does not use its buffer.
            ("block", ""),
            ("block.normal", "two compute"),
            ("block.color", ""),
            ("time", "one compute"),
            ("hidden", "one compute never"),
            ("never", ""),
            ("Frame", "one compute, two compute never"),
            ("one.scale", "one compute"),
            ("one.other", ""),
            ("one.$Params", "one compute"),
        ] {
            let path = if path == "time" { "Frame.time" } else { path };
            assert_eq!(users(path), expected, "{path} for {target:?}");
        }
        assert_eq!(users("Frame.tint"), "two compute never");
    }
}

/// What is of the library is at no place of the user.
#[test]
fn places_are_those_of_the_user() {
    let source = "ConstantBuffer<Tuple<float, int>> pair;\nRWStructuredBuffer<float> result;\n\
                  [shader(\"compute\")] [numthreads(1, 1, 1)] void main() { result[0] = pair._0 + pair._1; }\n";
    for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
        let text = reflection(source, target).to_json();
        assert!(text.contains("a.slang:1:") && !text.contains("stdlib/"), "{text}");
    }
}

#[test]
fn leaves_have_buffers_counts_and_strides() {
    let source = "
        struct Pair { Texture2D a; Texture2D b[2]; float k; };
        Pair pairs[3];
        struct Row { float4 cells[2]; };
        ConstantBuffer<Row> rows[4];
        AppendStructuredBuffer<float> added;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main() { added.Append(pairs[1].k + rows[0].cells[1].x); }";
    let d3d = reflection(source, Target::Hlsl);
    let shown = |leaf: &Leaf| {
        let buffer = leaf.buffer.as_ref().map_or(String::new(), |b| format!(" in {} {}", b.path, b.index));
        let strides: Vec<String> = leaf.repeats.iter().map(|r| format!("{:?}x{}", r.count, r.stride)).collect();
        let hidden = leaf.hidden.as_deref().unwrap_or("");
        let at = leaf.offset.or(leaf.index).unwrap_or(0);
        format!("{} {at} {:?} [{}]{buffer}{hidden}", leaf.path, leaf.count, strides.join(" "))
            .replace("Number", "")
            .replace(['(', ')'], "")
    };
    let lines: Vec<String> = d3d.leaves.iter().map(shown).collect();
    let expected = [
        "$Globals 0 None []globals",
        "pairs.a 0 Some3 [3x1]",
        "pairs.b 3 Some6 [3x2 2x1]",
        "pairs.k 0 None [3x16] in $Globals 0",
        "rows 1 Some4 [4x1]",
        "rows.cells 0 None [2x16] in rows 1",
        "added 0 None []",
    ];
    assert_eq!(lines, expected);
    let vulkan: Vec<String> = reflection(source, Target::Glsl).leaves.iter().map(shown).collect();
    let expected = [
        "$Globals 0 None []globals",
        "pairs.a 1 None [3x0]",
        "pairs.b 2 None [3x0 2x0]",
        "pairs.k 0 None [3x16] in $Globals 0",
        "rows 3 None [4x0]",
        "rows.cells 0 None [2x16] in rows 3",
        "added 4 None []",
        "added 5 None []counter",
    ];
    assert_eq!(vulkan, expected);
}

#[test]
fn attributes_of_users() {
    let declared = "[__AttributeUsage(_AttributeTargets.Var)] struct RangeAttribute { float low; int n; string unit; }
        namespace ui { [__AttributeUsage(_AttributeTargets.Var)] struct HintAttribute { string text; } }
        static const int N = 7;\n";
    let shader = "\n[shader(\"compute\")] [numthreads(1, 1, 1)] void main() {}";
    let ours = reflection(
        &format!("{declared}[Range(-1, N, \"m\")] [ui::Hint(\"a \\\"b\\\"\")] [Other(3)] [unroll] float gain;{shader}"),
        Target::Glsl,
    );
    let shown = serde_json::to_string(&ours.parameters[0].user_attribs).expect("JSON");
    let expected = r#"[{"name":"Range","arguments":[-1.0,7,"m"]},{"name":"ui::Hint","arguments":["a \"b\""]},"#;
    assert_eq!(shown, format!("{expected}{}]", r#"{"name":"Other","arguments":[3],"undeclared":true}"#));
    assert!(!ours.to_slang_json().contains("Other"), "slangc does not know what no struct declares");
    for (wrong, said) in [
        ("[Range(1, 2)] float a;", "`[Range]` takes 3 arguments, not 2"),
        ("[Range(\"x\", 2, \"m\")] float a;", "`low` of `[Range]` must be a constant of type float"),
        ("[Range(1, 2, 3)] float a;", "`unit` of `[Range]` must be a constant of type String"),
        ("float b; [Range(b, 2, \"m\")] float a;", "`low` of `[Range]` must be a constant of type float"),
    ] {
        let loader = MemoryLoader::new().with("a.slang", &format!("{declared}{wrong}{shader}"));
        let output = compile(&loader, &["a.slang"], &Options::for_target(Target::Hlsl));
        let found: Vec<_> = output.diagnostics.iter().map(|d| (d.code, d.message.as_str())).collect();
        assert_eq!(found, [(Code::BAD_ATTRIBUTE, said)], "{wrong}");
    }
}

#[test]
fn slangcs_form() {
    let source = "
        struct Pair<T, let N : int> { T first[N]; T second; };
        struct Inner { int n; };
        struct Links { float* f; float4* v; float2x2* m; Inner* s; int64_t* l; int** p; };
        ConstantBuffer<Pair<float2, 3>> a;
        ConstantBuffer<Pair<Pair<int, 1>, 2>> b;
        ConstantBuffer<Tuple<int, float3>> t;
        ConstantBuffer<Links> links;
        RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void one(uniform float scale, uniform Texture2D x, uniform Texture2D y) { result[0] = scale; }
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void two(uniform Texture2D z, uniform ParameterBlock<Inner> block) { result[1] = 0; }";
    let ours = reflection(source, Target::Glsl);
    let slang: serde_json::Value = serde_json::from_str(&ours.to_slang_json()).expect("JSON");
    // Types go by the names of their generics; ours tells the instance too.
    let content = |v: &serde_json::Value, n: usize| v["parameters"][n]["type"]["elementVarLayout"]["type"].clone();
    let full = serde_json::to_value(&ours).expect("JSON");
    let names = |n: usize| (content(&slang, n)["name"].clone(), content(&full, n)["instance"].clone());
    assert_eq!(names(0), ("Pair".into(), "Pair<float2, 3>".into()));
    assert_eq!(names(1), ("Pair".into(), "Pair<Pair<int, 1>, 2>".into()));
    assert_eq!(names(2), ("Tuple".into(), "Tuple<int, float3>".into()));
    assert!(content(&slang, 0)["instance"].is_null());
    let fields = content(&slang, 3)["fields"].clone();
    let targets: Vec<&str> =
        fields.as_array().into_iter().flatten().filter_map(|f| f["type"]["valueType"].as_str()).collect();
    assert_eq!(targets, ["float", "vector", "matrix", "Inner", "int64_t", "Ptr"]);
    // Parameters of an entry point are told from where the entry point's own begin; ours are absolute.
    let at = |v: &serde_json::Value, entry: usize, n: usize| {
        v["entryPoints"][entry]["parameters"][n]["binding"]["index"].clone()
    };
    assert_eq!([at(&full, 0, 1), at(&full, 0, 2), at(&full, 1, 0), at(&full, 1, 1)], [5, 6, 7, 1]);
    assert_eq!([at(&slang, 0, 1), at(&slang, 0, 2), at(&slang, 1, 0), at(&slang, 1, 1)], [0, 1, 0, 0]);
    let offsets = |entry: usize| slang["entryPoints"][entry]["scopeOffsets"].to_string();
    assert_eq!(
        offsets(0),
        r#"{"descriptorTableSlot":{"index":5,"space":0},"pushConstantBuffer":{"index":0,"space":0}}"#
    );
    assert_eq!(
        offsets(1),
        r#"{"descriptorTableSlot":{"index":7,"space":0},"subElementRegisterSpace":{"index":1,"space":0}}"#
    );
}

/// Blocks have names of their own that clash with nothing and yield to the source's, and leaves tell them.
#[test]
fn blocks_have_names() {
    let source = "
        struct Solo { float x; };
        ConstantBuffer<float4> q;
        ConstantBuffer<Solo> solo;
        ConstantBuffer<float3> several[2];
        TextureBuffer<float4> words;
        Texture2D q_block;
        groupshared float4 result_block;
        float globalParams;
        RWStructuredBuffer<float4> result;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main(uniform float entryPointParams)
        {
            result_block = q;
            result[0] = q_block.Load(int3(0, 0, 0)) + solo.x + several[1].x + words + globalParams + entryPointParams;
            result[1] = result_block;
        }";
    for (target, expected) in [
        (
            Target::Hlsl,
            &[
                ("q", "q", "q_block2", "cbuffer q_block2 : register"),
                ("solo", "solo", "", "ConstantBuffer<Solo> solo"),
                ("words", "words", "words_block", "tbuffer words_block : register"),
                ("result", "result", "", "RWStructuredBuffer<float4> result :"),
                ("$Globals", "globalParams", "", "cbuffer globalParams :"),
                ("main.$Params", "main", "", "cbuffer main :"),
            ][..],
        ),
        (
            Target::Glsl,
            &[
                ("q", "q", "q_block2", "uniform q_block2 { vec4 q; }"),
                ("solo", "solo", "Solo", "uniform Solo\n"),
                ("several", "several", "several_block", "uniform several_block { vec3 data; } several[2];"),
                ("words", "words", "words_block", "buffer words_block { vec4 words; }"),
                ("result", "result", "result_block2", "buffer result_block2 { vec4 result[]; }"),
                ("$Globals", "globalParams_block", "", "uniform globalParams_block\n"),
                ("main.$Params", "entryPointParams_block", "", "uniform entryPointParams_block\n"),
            ],
        ),
    ] {
        let loader = MemoryLoader::new().with("a.slang", source);
        let output = compile(&loader, &["a.slang"], &Options::for_target(target));
        assert!(!output.has_errors(), "{}", output.render(false));
        let (text, leaves) = (output.artifacts[0].text(), &output.reflections[0].1.leaves);
        for (path, name, block, printed) in expected {
            let is_slot = |l: &&Leaf| l.path == *path && l.offset.is_none();
            let leaf = leaves.iter().find(is_slot).unwrap_or_else(|| panic!("{path}"));
            let told = (leaf.emitted_name.as_deref(), leaf.emitted_block.as_deref().unwrap_or(""));
            assert_eq!(told, (Some(*name), *block), "{path} for {target:?}");
            assert!(text.contains(printed), "{printed} for {target:?}:\n{text}");
        }
        let bytes = |path: &str| {
            let leaf = leaves.iter().find(|l| l.path == path && l.offset.is_some()).unwrap_or_else(|| panic!("{path}"));
            leaf.emitted_name.clone().unwrap_or_default()
        };
        let contents = if target == Target::Glsl { "data" } else { "value" };
        assert_eq!([bytes("q"), bytes("several")], ["q", contents]);
        assert_eq!([bytes("globalParams"), bytes("main.entryPointParams")], ["globalParams", "entryPointParams"]);
    }
}

/// Two buffers may have one name; where they are bound tells them apart.
#[test]
fn buffers_of_one_name_have_their_own_names_in_the_text() {
    let source = "
        cbuffer A { float a; }
        cbuffer A { float b; }
        tbuffer A : register(t0) { float c; }
        RWStructuredBuffer<float> result;
        [numthreads(1, 1, 1)] void main() { result[0] = a + b + c; }";
    for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
        let reflection = reflection(source, target);
        let named: Vec<(&str, &str)> = reflection
            .memory
            .iter()
            .filter(|m| m.parameter == "A")
            .flat_map(|m| m.rows.iter().map(|row| (m.emitted_name.as_deref().unwrap_or(""), row)))
            .filter(|(_, row)| !row.padding)
            .map(|(name, row)| (name, row.emitted.as_deref().unwrap_or("")))
            .collect();
        // Where buffers are variables, each is its only member.
        let expected = match target {
            Target::Wgsl => [("a", ""), ("b", ""), ("c", "")],
            _ => [("A", "a"), ("A2", "b"), ("A3", "c")],
        };
        assert_eq!(named, expected, "{target:?}");
    }
}
