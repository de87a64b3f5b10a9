//! Variants of a program know of each other what they have alike. Each is still what a compilation by itself gives.

use crate::support::{contents, shaderport, tree};
use std::path::Path;

/// What differs between variants stands before, in and behind what they have alike: in a header, in bodies, in what is declared.
const COMMON: &str = "// Of all variants.\n\
    #ifndef COMMON\n#define COMMON\n\
    #define PI 3.14159\n#define HALF(x) ((x) * 0.5)\n\
    #if EARLY\n// Only here.\nstatic const float early = HALF(EARLY);\n#endif\n\
    enum Mode { Plain, Bright = 4 };\n\
    struct Light\n{\n    float3 color; // Linear.\n    float power;\n\
        float3 at(float distance) { return color * power / max(distance * distance, 0.01); }\n\
        static float most() { return PI * BODY; }\n};\n\
    float weight(float3 n, float3 l)\n{\n    // One.\n    float d = saturate(dot(n, l));\n\
    #if BODY > 1\n    // Two.\n    d *= d;\n#endif\n    return pow(d, PI) + HALF(d);\n}\n\
    float same(float3 n)\n{\n    float sum = 0;\n    [unroll] for (int i = 0; i < 3; ++i)\n    {\n\
            float parts[2] = { n[i], HALF(n.x) };\n        sum += parts[i & 1]; // Of both.\n    }\n\n    return sum;\n}\n\
    #endif\n";

const HLSL: &str = "#include \"common.hlsli\"\n\
    static const int COUNT = BODY;\n\
    cbuffer Scene : register(b1) { Light lights[2]; float4x4 view; int mode; };\n\
    Texture2D<float4> image : register(t3);\n#if EARLY > 1\nTexture2D<float> depth;\n#endif\nSamplerState smooth_;\n\
    namespace tools { float3 mixed(float3 a, float3 b) { return lerp(a, b, weight(a, b)); } }\n\
    template<typename T> T twice(T value) { return value + value; }\n\
    float sized(float a) { float all[COUNT + 1]; all[0] = a; all[COUNT] = a * 2; return all[0] + all[COUNT]; }\n\
    float3 lit(float3 n)\n{\n    float3 sum = 0;\n    for (int i = 0; i < BODY; ++i)\n        sum += lights[i & 1].at(float(i));\n    return sum;\n}\n\
    float counted(float v) { static int calls = 0; calls += BODY; return v * calls; }\n\
    float4 main(float3 n : NORMAL, float2 uv : TEXCOORD0) : SV_Target\n{\n\
        float3 c = image.Sample(smooth_, uv).rgb * same(n);\n    if (mode == Bright) c = twice(tools::mixed(c, lit(n)));\n\
    #if EARLY > 1\n    c *= depth.SampleLevel(smooth_, uv, 0);\n#endif\n\
        return float4(c, sized(c.x) + counted(c.y) + Light::most());\n}\n";

const SLANG: &str = "#include \"common.hlsli\"\n\
    interface IShape { float area(); }\n\
    struct Square : IShape { float side; float area() { return side * side; } property float twice { get { return side * 2; } } }\n\
    struct Disc : IShape { float radius; float area() { return PI * radius * radius * BODY; } }\n\
    extension Square { float grown(float by) { return HALF(side + by); } }\n\
    int squared(int n) { return n * n; }\n\
    float total<S : IShape>(S shape) { return shape.area() + BODY; }\n\
    T largest<T : __BuiltinFloatingPointType>(T a, T b) { return max(a, b); }\n\
    #if EARLY\nStructuredBuffer<float> more;\n#endif\n\
    RWStructuredBuffer<float> results;\nParameterBlock<Light> sun;\n\
    float local(float v) { struct Pair { float a; float b; }; Pair p = { v, v * 2 }; return p.a + p.b; }\n\
    [shader(\"compute\")] [numthreads(8, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{\n\
        Square square = { float(id.x) };\n    Disc disc = { 0.5 };\n    float values[squared(2)];\n\
        values[id.x & 3] = largest(total(square), total(disc)) + square.twice + square.grown(2) + local(same(sun.color));\n\
        results[id.x] = values[id.x & 3] + weight(sun.at(1), sun.color) + Light.most();\n\
    #if EARLY\n    results[id.x] += more[id.x];\n#endif\n}\n";

const AXES: &str = "permute = { EARLY = [0, 1, 2], BODY = [1, 2, 3] }\n";

fn texts(directory: &Path) -> Vec<(String, String)> {
    let text = |(name, bytes): (String, Vec<u8>)| Some((name, String::from_utf8(bytes).ok()?));
    contents(directory).into_iter().filter_map(text).collect()
}

#[test]
fn each_is_what_a_compilation_by_itself_gives() {
    let manifest = format!(
        "[[shader]]\nfiles = [\"a.hlsl\"]\nentries = [\"main:fragment\"]\n{AXES}\n[[shader]]\nfiles = [\"b.slang\"]\n{AXES}"
    );
    let directory =
        tree(&[("s/common.hlsli", COMMON), ("s/a.hlsl", HLSL), ("s/b.slang", SLANG), ("s/shaderport.toml", &manifest)]);
    let at = directory.path();
    let run = shaderport(at, &["build", "s", "--target", "hlsl,glsl,wgsl", "--sidecar", "none", "--out", "out"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for (file, entry) in [("a.hlsl", Some("main:fragment")), ("b.slang", None)] {
        let table =
            texts(&at.join("out")).into_iter().find(|(name, _)| *name == format!("{}.variants.json", &file[..1]));
        let table: serde_json::Value = serde_json::from_str(&table.expect("a table").1).expect("JSON");
        let rows = table["variants"].as_array().expect("variants");
        assert_eq!(rows.len(), 9);
        for (row, text) in
            rows.iter().flat_map(|row| row["texts"].as_array().expect("texts").iter().map(move |t| (row, t)))
        {
            let source = format!("s/{file}");
            let target = text["target"].as_str().expect("a target");
            let mut args = vec!["compile", &source, "--target", target, "--no-manifest"];
            args.extend(entry.iter().flat_map(|entry| ["--entry", entry]));
            let values = row["values"].as_object().expect("values").iter();
            let macros: Vec<String> =
                values.map(|(name, value)| format!("-D{name}={}", value.as_str().unwrap_or(""))).collect();
            args.extend(macros.iter().map(String::as_str));
            let alone = shaderport(at, &args);
            let name = text["file"].as_str().expect("a file");
            let built = std::fs::read_to_string(at.join("out").join(name)).expect("a text");
            assert_eq!(alone.stdout, built, "{name}, {args:?}: {}", alone.stderr);
        }
    }
}
