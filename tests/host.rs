//! Host code: what is generated compiles with the compilers of C++ and Rust, whose assertions hold, under all layouts.

use crate::page;
use crate::random::Random;
use crate::support::{difference, files_under, root, shaderport, tree};
use shaderport::host::{CppOptions, CppTables, HostProgram, HostText, RustBindings, RustOptions, header, module};
use shaderport::reflection::{BufferMemory, Count, MemoryRow, Reflection, Repeat, SCHEMA_VERSION};
use shaderport::{BufferLayout, MemoryLoader, Options, Output, Target, compile};
use std::path::Path;
use std::process::Command;

const TARGETS: [Target; 3] = [Target::Hlsl, Target::Glsl, Target::Wgsl];
const LAYOUTS: [BufferLayout; 2] = [BufferLayout::Native, BufferLayout::D3d];

/// Host code of some programs, under names that count up.
#[derive(Default)]
struct Generated {
    names: Vec<String>,
    sidecars: Vec<Reflection>,
}

impl Generated {
    fn add(&mut self, output: Output) {
        output.reflections.into_iter().for_each(|(_, sidecar)| self.push(sidecar));
    }

    fn push(&mut self, sidecar: Reflection) {
        self.names.push(format!("p{}", self.names.len()));
        self.sidecars.push(sidecar);
    }

    fn cpp(&self) -> String {
        let options = CppOptions { namespace: "shaders".to_owned(), tables: vec![CppTables::Vulkan, CppTables::D3d12] };
        let headers = self.names.iter().zip(&self.sidecars).map(|(name, sidecar)| header(name, sidecar, &options));
        headers.map(|text| text.replace("#pragma once\n", "")).collect()
    }

    fn rust(&self, options: &RustOptions) -> String {
        let programs = self.names.iter().zip(&self.sidecars);
        let programs = programs.map(|(name, reflection)| HostProgram { name, texts: Vec::new(), reflection });
        module(&programs.collect::<Vec<_>>(), options)
    }

    /// How many buffers have a size. Those of a heap are declared nowhere, nor are those that a `__DynamicResource` is used as.
    fn buffers(&self) -> usize {
        let of_dynamic = |sidecar: &Reflection, parameter: &str| {
            sidecar.parameters.iter().any(|variable| {
                let element = variable.ty.as_ref().and_then(|ty| ty.element_type.as_ref());
                let name = variable.name.as_deref().filter(|_| element.is_some_and(|ty| ty.kind == "DynamicResource"));
                name.and_then(|name| parameter.strip_prefix(name)).is_some_and(|rest| rest.starts_with('_'))
            })
        };
        let sized = |sidecar: &Reflection, memory: &BufferMemory| {
            let is_placed = !memory.parameter.contains("DescriptorHeap") && !of_dynamic(sidecar, &memory.parameter);
            matches!(memory.size, Count::Number(_)) && is_placed
        };
        let counts = self.sidecars.iter().map(|sidecar| sidecar.memory.iter().filter(|m| sized(sidecar, m)).count());
        counts.sum()
    }
}

/// Types of the APIs whose tables are written, as their headers have them.
const APIS: &str = include_str!("host/apis.h");
const WGPU: &str = include_str!("host/wgpu.rs");
const BYTEMUCK: &str = include_str!("host/bytemuck.rs");

/// What the compiler of C++ says of a text, if it refuses it.
fn cpp_refuses(text: &str) -> Option<String> {
    let files = tree(&[("apis.h", APIS), ("all.cpp", &format!("#include \"apis.h\"\n{text}"))]);
    let compiler = std::env::var("CXX").unwrap_or("c++".to_owned());
    let args = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "all.cpp"];
    refuses(Command::new(compiler).args(args).current_dir(files.path()))
}

fn refuses(command: &mut Command) -> Option<String> {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said: String = String::from_utf8_lossy(&output.stderr).chars().take(3000).collect();
    (!output.status.success()).then_some(said)
}

fn rustc(directory: &Path) -> Command {
    let mut command = Command::new(std::env::var("RUSTC").unwrap_or("rustc".to_owned()));
    command.args(["--edition", "2021", "-D", "warnings"]).current_dir(directory);
    command
}

/// What the compiler of Rust says of a text, if it refuses it.
fn rust_refuses(text: &str, texts: &[(&str, &str)]) -> Option<String> {
    let mut files = vec![("wgpu.rs", WGPU), ("bytemuck.rs", BYTEMUCK), ("all.rs", text)];
    files.extend(texts);
    let files = tree(&files);
    let refused = refuses(rustc(files.path()).args(["wgpu.rs", "--crate-name", "wgpu", "--crate-type", "lib"]));
    assert_eq!(refused, None, "wgpu.rs");
    let refused =
        refuses(rustc(files.path()).args(["bytemuck.rs", "--crate-name", "bytemuck", "--crate-type", "proc-macro"]));
    assert_eq!(refused, None, "bytemuck.rs");
    let bytemuck = files_under(files.path(), &["so", "dylib", "dll"]).into_iter().next().expect("a library");
    let bytemuck = format!("bytemuck={}", bytemuck.display());
    let extern_crates = ["--extern", "wgpu=libwgpu.rlib", "--extern", &bytemuck];
    refuses(rustc(files.path()).args(["all.rs", "--crate-type", "lib", "--emit", "metadata"]).args(extern_crates))
}

fn options(layout: BufferLayout) -> Options {
    TARGETS.into_iter().fold(Options::default(), Options::target).buffer_layout(layout).layouts_anyway()
}

/// Every program of the samples, and every fifth fixture.
#[test]
fn compilers_agree_on_samples_and_fixtures() {
    let mut all = Generated::default();
    for layout in ["native", "d3d"] {
        let out = tempfile::tempdir().expect("a temporary directory");
        let directory = out.path().to_string_lossy().into_owned();
        let args = ["build", "samples", "--target", "hlsl,glsl,wgsl", "--buffer-layout", layout, "--out", &directory];
        let run = shaderport(&root(), &args);
        assert_eq!(run.code, 0, "{}", run.stderr);
        for file in files_under(out.path(), &["json"]) {
            let text = std::fs::read_to_string(&file).expect("a sidecar");
            let value: serde_json::Value = serde_json::from_str(&text).expect("a file of JSON");
            // The record of the build is none.
            if value["schema"] == SCHEMA_VERSION {
                all.push(Reflection::from_json(&text).expect("a sidecar"));
            }
        }
    }
    let samples = all.names.len();
    for file in files_under(&root().join("tests/fixtures"), &["md"]).iter().step_by(5) {
        let text = std::fs::read_to_string(file).expect("a page");
        let Ok(mut page) = page::parse(&text) else { continue };
        for layout in LAYOUTS {
            page.options = page.options.buffer_layout(layout).layouts_anyway();
            all.add(page::compile_page(&page));
        }
    }
    let (programs, buffers) = (all.names.len(), all.buffers());
    assert!(samples > 90 && programs > 900 && buffers > 1000, "{samples}, {programs}, {buffers}");
    let cpp = all.cpp();
    assert_eq!(cpp.matches("\nusing ").count(), buffers);
    assert_eq!(cpp_refuses(&cpp), None);
    let options = RustOptions { bindings: RustBindings::Wgpu, ..RustOptions::default() };
    assert_eq!(rust_refuses(&all.rust(&options), &[]), None);
}

/// Types of fields that layouts differ in.
const TYPES: &[&str] = &[
    "float",
    "float",
    "float2",
    "float3",
    "float4",
    "int",
    "uint3",
    "bool",
    "double",
    "half",
    "half3",
    "uint64_t",
    "int16_t",
    "float2x2",
    "float3x3",
    "float4x3",
    "row_major float3x4",
    "row_major float2x3",
    "double2",
    "double2x2",
];

/// A field of such a type or of one of the structs before.
fn field(random: &mut Random, name: &str, structs: usize) -> String {
    let ty = match structs {
        n if n > 0 && random.chance(30) => format!("S{}", random.index(n)),
        _ => random.one_of(TYPES).to_owned(),
    };
    format!("    {ty} {name}{};\n", random.one_of(&["", "", "[2]", "[3]", "[2][3]"]))
}

/// Structs in structs, in a constant buffer and in structured buffers.
fn generated(seed: u64) -> String {
    let mut random = Random::of_seed(seed);
    let mut text = String::new();
    for n in 0..4 {
        let fields = (0..random.index(4) + 1).map(|i| field(&mut random, &format!("f{i}"), n));
        text.push_str(&format!("struct S{n}\n{{\n{}}};\n", fields.collect::<String>()));
    }
    let members: String = (0..5).map(|i| field(&mut random, &format!("m{i}"), 4)).collect();
    text.push_str(&format!("cbuffer Constants\n{{\n{members}}};\n"));
    let globals: String = (0..2).map(|i| field(&mut random, &format!("g{i}"), 4)).collect();
    text.push_str(&globals.replace("    ", "uniform "));
    text.push_str("StructuredBuffer<S3> items;\nConstantBuffer<S2> block;\nStructuredBuffer<float3> points;\n");
    text + "[shader(\"compute\")]\n[numthreads(1, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID) {}\n"
}

/// What the rows of a buffer say of its struct, which was made in another way: offsets, and distances of elements.
fn assertions(buffer: &BufferMemory, program: &str) -> Vec<String> {
    let whole = format!("shaders::{program}::buffers::{}", buffer.parameter.trim_start_matches('$'));
    let rows = buffer.rows.iter().filter(|row| !row.padding && !row.path.is_empty());
    let of_row = |row: &MemoryRow| {
        let (mut ty, mut offset, mut all) = (whole.clone(), "0".to_owned(), String::new());
        let names: Vec<&str> = row.path.split('.').collect();
        for (nth, name) in names.iter().enumerate() {
            offset.push_str(&format!(" + offsetof({ty}, {name})"));
            let field = format!("decltype({ty}::{name})");
            ty = format!("std::remove_all_extents_t<{field}>");
            let is_last = nth + 1 == names.len();
            let repeats =
                || row.repeats.iter().filter(|r| r.name == Some(nth as u32) || is_last && r.vectors.is_some());
            let several = |repeat: &&Repeat| repeat.count != Count::Number(1);
            if let (true, Some(first)) = (is_last, repeats().next()) {
                // Numbers without room for padding are one array.
                let element = format!("std::rank_v<{field}> == 1 || sizeof(std::remove_extent_t<{field}>)");
                all.push_str(&format!("static_assert({element} == {}, \"a distance\");\n", first.stride));
            } else if let Some(inner) = repeats().next_back().filter(several) {
                all.push_str(&format!("static_assert(sizeof({ty}) == {}, \"a distance\");\n", inner.stride));
            }
        }
        all + &format!("static_assert({offset} == {}, \"a row\");\n", row.offset)
    };
    rows.map(of_row).collect()
}

/// Generated programs: the offsets of structs are those of the rows of memory, which are made in another way.
#[test]
fn compilers_agree_on_generated_layouts() {
    let mut all = Generated::default();
    for seed in 0..60 {
        let source = generated(seed);
        let loader = MemoryLoader::new().with("a.slang", &source);
        for layout in LAYOUTS.into_iter().chain([BufferLayout::Scalar]) {
            let output = compile(&loader, &["a.slang"], &options(layout));
            assert!(!output.has_errors(), "{source}\n{}", output.render(false));
            all.add(output);
        }
    }
    let memory = all.names.iter().zip(&all.sidecars).flat_map(|(name, s)| s.memory.iter().map(move |m| (name, m)));
    let rows: Vec<String> = memory.flat_map(|(name, buffer)| assertions(buffer, name)).collect();
    assert!(rows.len() > 5000, "{}", rows.len());
    assert_eq!(cpp_refuses(&format!("#include <type_traits>\n{}{}", all.cpp(), rows.concat())), None);
    assert_eq!(rust_refuses(&all.rust(&RustOptions::default()), &[]), None);
}

const SOURCE: &str = include_str!("host/lights.slang");

fn lights(target: Target, layout: BufferLayout) -> Output {
    let loader = MemoryLoader::new().with("lights.slang", SOURCE);
    let output = compile(&loader, &["lights.slang"], &Options::for_target(target).buffer_layout(layout));
    assert!(!output.has_errors(), "{}", output.render(false));
    output
}

/// A text that is as it was written down; `BLESS=1 cargo test host` rewrites it.
fn golden(name: &str, text: &str) {
    let path = root().join("tests/host").join(name);
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, text).expect("a file");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name}:\n{}(BLESS=1 rewrites it)", difference(&expected, text));
}

#[test]
fn the_text_is_as_written_down() {
    let output = lights(Target::Hlsl, BufferLayout::Native);
    let options = CppOptions { tables: vec![CppTables::D3d12], ..CppOptions::default() };
    golden("lights.h", &header("lights", &output.reflections[0].1, &options));
    let output = lights(Target::Wgsl, BufferLayout::Native);
    let options = RustOptions { bytemuck: true, bindings: RustBindings::Wgpu };
    let texts = vec![HostText { entry: "", path: "lights.wgsl", is_binary: false }];
    let program = HostProgram { name: "lights", texts, reflection: &output.reflections[0].1 };
    let text = module(&[program], &options);
    golden("lights.rs", &text);
    assert_eq!(rust_refuses(&text, &[("lights.wgsl", output.artifacts[0].text())]), None);
}

/// A wrong offset is found by the compilers.
#[test]
fn wrong_offsets_are_refused() {
    let mut all = Generated::default();
    all.add(lights(Target::Hlsl, BufferLayout::D3d));
    let (cpp, rust) = (all.cpp(), all.rust(&RustOptions::default()));
    let refused = (cpp_refuses(&cpp), rust_refuses(&rust, &[]));
    assert_eq!(refused, (None, None));
    let broken = cpp.replace("offsetof(Frame, time) == 60", "offsetof(Frame, time) == 80");
    assert!(broken != cpp && cpp_refuses(&broken).is_some_and(|said| said.contains("an offset")), "{cpp}");
    let broken = rust.replace("offset_of!(Frame, time) == 60", "offset_of!(Frame, time) == 80");
    assert!(broken != rust && rust_refuses(&broken, &[]).is_some_and(|said| said.contains("assert")), "{rust}");
    let broken = cpp.replace("float eye[3];", "float eye[4];");
    assert!(broken != cpp && cpp_refuses(&broken).is_some());
}

/// Types that programs have in common are written once; those of one name and different layouts stay where they are.
#[test]
fn common_types_are_written_once() {
    let common = "struct Light { float3 at; float power; };\nstruct Pair { Light a; float b; };\n";
    let main = "[shader(\"compute\")]\n[numthreads(1, 1, 1)]\nvoid main() { result[0] = items[0].b; }\n";
    let program = |more: &str| {
        let source = format!("{common}{more}StructuredBuffer<Pair> items;\nRWStructuredBuffer<float> result;\n{main}");
        compile(&MemoryLoader::new().with("a.slang", &source), &["a.slang"], &Options::for_target(Target::Wgsl))
    };
    let outputs = [program("cbuffer Own { float x; }\n"), program("cbuffer Own { float2 x; }\n"), program("")];
    let names = ["one", "two", "three/four"];
    let texts = || vec![HostText { entry: "", path: "a.wgsl", is_binary: false }];
    let binary = || vec![HostText { entry: "main", path: "a.wgsl", is_binary: true }];
    let all: Vec<HostProgram> = outputs
        .iter()
        .zip(names)
        .map(|(output, name)| {
            assert!(!output.has_errors(), "{}", output.render(false));
            let texts = if name == "two" { binary() } else { texts() };
            HostProgram { name, texts, reflection: &output.reflections[0].1 }
        })
        .collect();
    let text = module(&all, &RustOptions::default());
    let count = |what: &str| text.matches(what).count();
    assert_eq!(
        (count("pub struct Light {"), count("pub struct Pair {"), count("pub struct Own {")),
        (1, 1, 2),
        "{text}"
    );
    assert_eq!(count("pub use super::types::{Light, Pair};"), 3, "{text}");
    assert!(text.contains("pub mod three_four {"), "{text}");
    let uses =
        "const _: usize = two::sources::main.len() + one::SOURCE.len() + core::mem::size_of::<three_four::Pair>();\n";
    assert_eq!(rust_refuses(&(text + uses), &[("a.wgsl", "text")]), None);
}

/// What a root signature and the states of samplers say, as tables of the APIs.
const ROOT: &str = "cbuffer Draw : register(b0)
{
    float4 tint;
    uint layer;
};
Texture2DArray<float4> picture : register(t0);
SamplerState smooth : register(s0);
SamplerComparisonState shadow : register(s1);
SamplerState least : register(s2);
SamplerState own : register(s3)
{
    Filter = MIN_MAG_LINEAR_MIP_POINT;
    AddressU = Border;
    AddressV = Mirror;
    BorderColor = float4(0, 0, 0, 1);
    MaxLOD = 4;
    Priority = 2;
};
SamplerState other : register(s4);
Texture2D<float> depth : register(t1);

[RootSignature(\"RootConstants(b0, num32BitConstants = 5), DescriptorTable(SRV(t0, numDescriptors = 2)), \"
               \"StaticSampler(s0, filter = FILTER_ANISOTROPIC, addressU = TEXTURE_ADDRESS_CLAMP, maxAnisotropy = 8), \"
               \"StaticSampler(s1, filter = FILTER_COMPARISON_MIN_MAG_MIP_LINEAR, visibility = SHADER_VISIBILITY_PIXEL), \"
               \"StaticSampler(s2, filter = FILTER_MINIMUM_MIN_MAG_MIP_POINT, mipLODBias = -0.5f), \"
               \"DescriptorTable(Sampler(s3, numDescriptors = 2))\")]
[shader(\"fragment\")]
float4 shade(float2 uv : TEXCOORD0) : SV_Target0
{
    float4 color = tint * picture.Sample(smooth, float3(uv, layer)) * picture.Sample(least, float3(uv, 0));
    return color * depth.SampleCmp(shadow, uv, 0.5) + picture.Sample(own, float3(uv, 1)) + picture.Sample(other, 0);
}
";

#[test]
fn samplers_and_constants_of_root_signatures_are_tables() {
    let mut all = Generated::default();
    all.add(compile(&MemoryLoader::new().with("a.hlsl", ROOT), &["a.hlsl"], &options(BufferLayout::D3d)));
    assert_eq!(all.names.len(), TARGETS.len());
    let cpp = all.cpp();
    let d3d = "D3D12_ROOT_CONSTANTS root_constants[] = {
    {0, 0, 5},
};
// own: `Priority = 2` has no value here
constexpr D3D12_STATIC_SAMPLER_DESC static_samplers[] = {
    {D3D12_FILTER_ANISOTROPIC, D3D12_TEXTURE_ADDRESS_MODE_CLAMP, D3D12_TEXTURE_ADDRESS_MODE_WRAP, \
     D3D12_TEXTURE_ADDRESS_MODE_WRAP, 0.0f, 8, D3D12_COMPARISON_FUNC_LESS_EQUAL, D3D12_STATIC_BORDER_COLOR_OPAQUE_WHITE, \
     0.0f, 3.4028235e38f, 0, 0, D3D12_SHADER_VISIBILITY_ALL},
    {D3D12_FILTER_COMPARISON_MIN_MAG_MIP_LINEAR, D3D12_TEXTURE_ADDRESS_MODE_WRAP, D3D12_TEXTURE_ADDRESS_MODE_WRAP, \
     D3D12_TEXTURE_ADDRESS_MODE_WRAP, 0.0f, 1, D3D12_COMPARISON_FUNC_LESS_EQUAL, D3D12_STATIC_BORDER_COLOR_OPAQUE_WHITE, \
     0.0f, 3.4028235e38f, 1, 0, D3D12_SHADER_VISIBILITY_PIXEL},
    {D3D12_FILTER_MINIMUM_MIN_MAG_MIP_POINT, D3D12_TEXTURE_ADDRESS_MODE_WRAP, D3D12_TEXTURE_ADDRESS_MODE_WRAP, \
     D3D12_TEXTURE_ADDRESS_MODE_WRAP, -0.5f, 1, D3D12_COMPARISON_FUNC_LESS_EQUAL, D3D12_STATIC_BORDER_COLOR_OPAQUE_WHITE, \
     0.0f, 3.4028235e38f, 2, 0, D3D12_SHADER_VISIBILITY_ALL},
    {D3D12_FILTER_MIN_MAG_LINEAR_MIP_POINT, D3D12_TEXTURE_ADDRESS_MODE_BORDER, D3D12_TEXTURE_ADDRESS_MODE_MIRROR, \
     D3D12_TEXTURE_ADDRESS_MODE_CLAMP, 0.0f, 1, D3D12_COMPARISON_FUNC_NEVER, D3D12_STATIC_BORDER_COLOR_OPAQUE_BLACK, \
     -3.4028235e38f, 4.0f, 3, 0, D3D12_SHADER_VISIBILITY_ALL},
};";
    assert!(cpp.contains(d3d), "{cpp}");
    // The one sampler without states is the one in a table; the buffer of root constants is in none.
    assert_eq!(cpp.matches("D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER, 1, 4, 0").count(), 1, "{cpp}");
    assert_eq!(cpp.matches("D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER").count(), 1, "{cpp}");
    assert!(!cpp.contains("D3D12_DESCRIPTOR_RANGE_TYPE_CBV"), "{cpp}");
    let vulkan = "    {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &least_reduction, 0, VK_FILTER_NEAREST, VK_FILTER_NEAREST, \
                  VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_REPEAT, \
                  VK_SAMPLER_ADDRESS_MODE_REPEAT, -0.5f, VK_FALSE, 1.0f, VK_FALSE, VK_COMPARE_OP_LESS_OR_EQUAL, 0.0f, \
                  VK_LOD_CLAMP_NONE, VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE, VK_FALSE},\n";
    assert!(cpp.contains(vulkan), "{cpp}");
    let bindings = cpp.split_once("Binding immutable_sampler_bindings[]").expect("a table").1;
    assert_eq!(bindings.lines().take_while(|line| *line != "};").count(), 5, "{cpp}");
    assert_eq!(cpp_refuses(&cpp), None);
    let rust = all.rust(&RustOptions { bindings: RustBindings::Wgpu, ..RustOptions::default() });
    for what in [
        "pub const shadow_sampler: ::wgpu::SamplerDescriptor<'static> = ::wgpu::SamplerDescriptor {",
        "compare: Some(::wgpu::CompareFunction::LessEqual),",
        "border_color: Some(::wgpu::SamplerBorderColor::OpaqueBlack),",
        "anisotropy_clamp: 8,",
        "// least: wgpu has no samplers of the least or greatest texel",
        "pub const own: Sampler = Sampler {",
        "address: [Address::Border, Address::Mirror, Address::Clamp],",
    ] {
        assert!(rust.contains(what), "{what}\n{rust}");
    }
    assert_eq!(rust_refuses(&rust, &[]), None);
}

/// Values of plain parameters, which no text has.
const VALUED: &str = "float4 tint = float4(1, 0.5, 0.25, 1);
static const float base = 2;
float scale = base * 1.5f;
bool lit = true;
int count = -3;
uint mask = 0xffffffff;
float2 taps[2] = { float2(0, 1), { 2, 3 } };
float2x3 turn = { 1, 2, 3, 4, 5, 6 };
half4 small = 1;
double wide = 0.1;
float4 none;
cbuffer Frame { float3 up = float3(0, 0, 1); float range[2] = { 0.5, 2 }; float4 rest; };
float4 wrong = unknown(1);
float later = tint.x;
RWStructuredBuffer<float> result;
[shader(\"compute\")] [numthreads(1, 1, 1)]
void main()
{
    result[0] = tint.x + scale + lit + count + mask + taps[1].x + turn[0].x + small.x + wide + none.x + wrong.x + later;
}
";

#[test]
fn values_of_parameters_are_told() {
    let mut all = Generated::default();
    all.add(compile(&MemoryLoader::new().with("a.hlsl", VALUED), &["a.hlsl"], &options(BufferLayout::D3d)));
    assert_eq!(all.names.len(), TARGETS.len());
    for sidecar in &all.sidecars {
        let of = |name: &str| {
            let is_it = |p: &&shaderport::reflection::Variable| p.name.as_deref() == Some(name);
            serde_json::to_string(&sidecar.parameters.iter().find(is_it).expect(name).default_values).expect("JSON")
        };
        assert_eq!(of("tint"), "[1.0,0.5,0.25,1.0]");
        assert_eq!(of("turn"), "[1.0,2.0,3.0,4.0,5.0,6.0]");
        let buffer = sidecar.parameters.iter().find(|p| p.name.as_deref() == Some("Frame")).expect("Frame");
        let held = buffer.ty.as_deref().and_then(|ty| ty.element_type.as_deref()).expect("a struct");
        let of_fields: Vec<_> = held.fields.iter().flatten().map(|field| &field.default_values).collect();
        assert_eq!(serde_json::to_string(&of_fields).expect("JSON"), "[[0.0,0.0,1.0],[0.5,2.0],[]]");
        assert_eq!([of("none"), of("wrong"), of("later")], ["[]", "[]", "[]"]);
        assert_eq!(Reflection::from_json(&sidecar.to_json()).expect("a sidecar").parameters, sidecar.parameters);
        assert_eq!(Reflection::from_json(&sidecar.to_compact_json()).expect("a sidecar").leaves, sidecar.leaves);
    }
    let cpp = all.cpp();
    for what in [
        "constexpr float tint[] = {1.0f, 0.5f, 0.25f, 1.0f};\n",
        "constexpr float scale[] = {3.0f};\n",
        "constexpr std::uint32_t lit[] = {1u};\n",
        "constexpr std::int32_t count[] = {-3};\n",
        "constexpr std::uint32_t mask[] = {4294967295u};\n",
        "constexpr float taps[] = {0.0f, 1.0f, 2.0f, 3.0f};\n",
        "constexpr double wide[] = {0.1};\n",
    ] {
        assert_eq!(cpp.matches(what).count(), TARGETS.len(), "{what}\n{cpp}");
    }
    assert_eq!(cpp_refuses(&cpp), None);
    let rust = all.rust(&RustOptions::default());
    assert!(rust.contains("pub const taps: [f32; 4] = [0.0, 1.0, 2.0, 3.0];"), "{rust}");
    assert_eq!(rust_refuses(&rust, &[]), None);
}

/// A texture that the text combines with a sampler is one descriptor, which may have the state of that sampler.
#[test]
fn textures_that_are_combined_are_one_descriptor() {
    let mut all = Generated::default();
    let options = options(BufferLayout::Native).combine_samplers(true);
    let source = "Texture2D<float4> picture : register(t1);
SamplerState smooth : register(s2) { Filter = MIN_MAG_MIP_POINT; };
[shader(\"fragment\")]
float4 shade(float2 uv : TEXCOORD0) : SV_Target0 { return picture.Sample(smooth, uv); }
";
    all.add(compile(&MemoryLoader::new().with("a.hlsl", source), &["a.hlsl"], &options));
    let cpp = all.cpp();
    let tables = "constexpr VkDescriptorSetLayoutBinding set0[] = {
    {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
};
constexpr VkSamplerCreateInfo immutable_samplers[] = {
    {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, nullptr, 0, VK_FILTER_NEAREST, ";
    assert!(cpp.contains(tables), "{cpp}");
    assert!(cpp.contains("immutable_sampler_bindings[] = {\n    {0, 0, 1},\n};"), "{cpp}");
    assert_eq!(cpp_refuses(&cpp), None);
    let glsl = all.sidecars.iter().find(|sidecar| sidecar.target == "glsl").expect("a sidecar");
    let pairs = glsl.leaves.iter().flat_map(|leaf| &leaf.pairs).map(|pair| (pair.sampler.as_deref(), pair.index));
    assert_eq!(pairs.collect::<Vec<_>>(), [(Some("smooth"), Some(0))]);
}

/// Entry points that disagree leave the sampler to the application.
#[test]
fn samplers_that_differ_are_in_no_table() {
    let entry = |name: &str, filter: &str| {
        format!(
            "[RootSignature(\"DescriptorTable(SRV(t0)), StaticSampler(s0, filter = FILTER_{filter})\")]\n\
             [shader(\"fragment\")]\nfloat4 {name}() : SV_Target0 {{ return picture.Sample(smooth, 0.5); }}\n"
        )
    };
    let globals = "Texture2D<float4> picture : register(t0);\nSamplerState smooth : register(s0);\n";
    let source = format!("{globals}{}{}", entry("one", "MIN_MAG_MIP_LINEAR"), entry("two", "MIN_MAG_MIP_POINT"));
    let mut all = Generated::default();
    all.add(compile(&MemoryLoader::new().with("a.hlsl", &source), &["a.hlsl"], &options(BufferLayout::D3d)));
    let cpp = all.cpp();
    assert!(cpp.contains("// smooth: `two` has another sampler here than `one`: there is none"), "{cpp}");
    assert!(!cpp.contains("static_samplers[]") && !cpp.contains("immutable_samplers[]"), "{cpp}");
    assert!(cpp.contains("D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER, 1, 0, 0"), "{cpp}");
    assert_eq!(cpp_refuses(&cpp), None);
}

#[test]
fn the_command_line_shows_host_code() {
    let files = tree(&[("lights.slang", SOURCE)]);
    let shown = |args: &[&str]| {
        let run = shaderport(files.path(), &[&["reflect", "lights.slang"], args].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    let cpp = shown(&["--format", "cpp", "--target", "glsl,hlsl", "--cpp-tables", "vulkan", "--cpp-namespace", "game"]);
    for what in
        ["namespace game::lights_glsl {", "namespace game::lights_hlsl {", "VkDescriptorSetLayoutBinding set0[]"]
    {
        assert!(cpp.contains(what), "{what}\n{cpp}");
    }
    assert!(!cpp.contains("D3D12_"), "{cpp}");
    let rust = shown(&["--format", "rust", "--rust-bytemuck"]);
    assert!(rust.contains("::bytemuck::Pod") && !rust.contains("::wgpu::"), "{rust}");
    let run = shaderport(files.path(), &["reflect", "lights.slang", "--format", "cpp", "--cpp-tables", "metal"]);
    assert!(run.code == 2 && run.stderr.contains("there are vulkan, d3d12"), "{}", run.stderr);
}

/// Constants that the application may set, with what they are if it does not.
const SET: &str = "[vk::constant_id(1)] const bool on = true;
[vk::constant_id(2)] const int below = -(1 << 31) + 1;
[vk::constant_id(3)] const uint most = 0xffffffff;
[vk::constant_id(4)] const float tenth = 0.1;
[vk::constant_id(5)] const float large = 3e38;
static const int base = 20;
[vk::constant_id(6)] const int made = base * 2 + 2;
[vk::constant_id(7)] const int other = base + 23;
[vk::constant_id(8)] const float whole = 2;
[vk::constant_id(9)] const float endless = 1.0 / 0.0;
RWStructuredBuffer<float> result;
[shader(\"compute\")] [numthreads(1, 1, 1)]
void main()
{
    result[0] = (on ? tenth : large) + below + most + made + other + whole + endless;
}
";

#[test]
fn constants_have_the_values_of_the_source() {
    let output = compile(&MemoryLoader::new().with("a.slang", SET), &["a.slang"], &options(BufferLayout::Native));
    let json = |value: f32| serde_json::json!(f64::from(value));
    let expected = [
        ("on", serde_json::json!(true)),
        ("below", serde_json::json!(-2147483647)),
        ("most", serde_json::json!(4294967295u32)),
        ("tenth", json(0.1)),
        ("large", json(3e38)),
        ("made", serde_json::json!(42)),
        ("other", serde_json::json!(43)),
        ("whole", serde_json::json!(2.0)),
        ("endless", serde_json::Value::Null),
    ];
    assert_eq!(output.reflections.len(), TARGETS.len(), "{}", output.render(false));
    let mut all = Generated::default();
    for (target, reflection) in &output.reflections {
        let (full, compact) = (reflection.to_json(), reflection.to_compact_json());
        // Of D3D's targets they are no constants that are set: there is no leaf.
        let rows = if *target == Target::Hlsl { &[][..] } else { &expected[..] };
        for text in [full, compact] {
            let sidecar: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let leaves = sidecar["leaves"].as_array().expect("leaves");
            let constants: Vec<_> = leaves.iter().filter(|leaf| leaf["kind"] == "specializationConstant").collect();
            assert_eq!(constants.len(), rows.len(), "{target:?}");
            for (path, value) in rows {
                let leaf = constants.iter().find(|leaf| leaf["path"] == *path).unwrap_or_else(|| panic!("{path}"));
                assert_eq!(leaf["defaultValue"], *value, "{target:?}: {path}");
            }
            let back = Reflection::from_json(&text).expect("a sidecar");
            assert_eq!(back.leaves, reflection.leaves, "what is read is what was written");
        }
        if !rows.is_empty() {
            all.push(reflection.clone());
        }
    }
    // The compilers compute what the texts say.
    let bits = |name: &str, is_known: bool, bits: u64| {
        format!("static_assert(c::{name}.has_default == {is_known} && c::{name}.default_bits == {bits}ull);\n")
    };
    let mut cpp = all.cpp();
    let mut rust = all.rust(&RustOptions::default());
    for name in &all.names {
        let float = |value: f32| u64::from(value.to_bits());
        cpp.push_str(&format!("namespace of_{name} {{ namespace c = ::shaders::{name}::constants;\n"));
        let rows =
            [("on", 1), ("below", 0x8000_0001), ("most", 0xffff_ffff), ("tenth", float(0.1)), ("large", float(3e38))];
        rows.iter()
            .chain(&[("made", 42), ("other", 43), ("whole", float(2.0))])
            .for_each(|(n, v)| cpp.push_str(&bits(n, true, *v)));
        cpp.push_str(&bits("endless", false, 0));
        cpp.push_str("}\n");
        let is = |constant: &str, value: &str| {
            format!("const _: () = assert!(matches!({name}::constants::{constant}.default, {value}));\n")
        };
        for (constant, value) in [
            ("on", "Some(interface::Scalar::Bool(true))"),
            ("below", "Some(interface::Scalar::I32(-2147483647))"),
            ("most", "Some(interface::Scalar::U32(u32::MAX))"),
            ("tenth", "Some(interface::Scalar::F32(0.1f32))"),
            ("large", "Some(interface::Scalar::F32(3e38f32))"),
            ("made", "Some(interface::Scalar::I32(42))"),
            ("other", "Some(interface::Scalar::I32(43))"),
            ("whole", "Some(interface::Scalar::F32(2.0f32))"),
            ("endless", "None"),
        ] {
            rust.push_str(&is(constant, value));
        }
    }
    assert_eq!(cpp_refuses(&cpp), None, "{cpp}");
    assert_eq!(rust_refuses(&rust, &[]), None, "{rust}");
    let broken = cpp.replace("default_bits == 42ull", "default_bits == 41ull");
    assert!(broken != cpp && cpp_refuses(&broken).is_some());
}
