//! Sidecars are read back as they were written, and name what the text names.

use shaderport::reflection::Reflection;
use shaderport::{MemoryLoader, Options, Target, compile};

#[test]
fn a_sidecar_reads_back() {
    let source = "
        struct Light { float3 position; Texture2D<float4> shadow; };
        Light lights[2];
        ParameterBlock<Light> key;
        RWStructuredBuffer<uint> counts : register(u3);
        [shader(\"compute\")] [numthreads(8, 4, 1)]
        void main(uint3 id : SV_DispatchThreadID) { counts[id.x] = uint(lights[1].position.x + key.position.y); }";
    let loader = MemoryLoader::new().with("a.slang", source);
    for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
        let output = compile(&loader, &["a.slang"], &Options::for_target(target));
        assert!(!output.has_errors(), "{}", output.render(false));
        let (_, reflection) = output.reflections.first().expect("a sidecar");
        let back: Reflection = serde_json::from_str(&reflection.to_json()).expect("the sidecar is its own format");
        assert_eq!(&back, reflection);
        assert_eq!(back.entry_points[0].thread_group_size, Some([8, 4, 1]));
        let counts = back.leaves.iter().find(|l| l.path == "counts").expect("a leaf");
        assert_eq!(counts.entry_points, ["main"]);
        if target == Target::Hlsl {
            assert_eq!((counts.class, counts.index, counts.space), (Some('u'), Some(3), Some(0)));
        }
        // One space for the block, and its texture after its buffer where both are bindings of one kind.
        let texture = back.leaves.iter().find(|l| l.path == "key.shadow").expect("a leaf");
        assert_eq!(texture.space, Some(1));
        assert_eq!(texture.index, Some(u64::from(target != Target::Hlsl)));
    }
}

#[test]
fn buffers_of_scopes_are_told_by_their_names_in_the_text() {
    let source = "
        float gain;
        float globalParams() { return gain; }
        RWStructuredBuffer<float> result;
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void one(uniform float4 tint) { result[0] = tint.x * globalParams(); }
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void two(uniform float4 tint) { result[0] = tint.y; }";
    let loader = MemoryLoader::new().with("a.slang", source);
    for target in [Target::Hlsl, Target::Wgsl] {
        let output = compile(&loader, &["a.slang"], &Options::for_target(target));
        assert!(!output.has_errors(), "{}", output.render(false));
        let (_, reflection) = output.reflections.first().expect("a sidecar");
        let scopes = reflection.entry_points.iter().map(|e| &e.scope).chain([&reflection.global_scope]);
        for scope in scopes {
            let name = scope.emitted_name.as_deref().expect("a name");
            let text = output.artifacts[0].text();
            let shown = text.contains(&format!("cbuffer {name} ")) || text.contains(&format!("var<uniform> {name}:"));
            assert!(shown, "{name} in\n{text}");
        }
    }
}

#[test]
fn a_sidecar_has_what_an_effect_says() {
    let source = "
        texture picture;
        sampler smooth = sampler_state { Texture = <picture>; MinFilter = Linear; };
        sampler2D own { AddressU = Wrap; };
        BlendState blending { BlendEnable[0] = TRUE; };
        RasterizerState fills[2] { { FillMode = SOLID; }, { CullMode = NONE; } };
        float4 shade(float2 uv : TEXCOORD0, uniform bool lit) : COLOR
        {
            return tex2D(smooth, uv) * lit + tex2D(own, uv);
        }
        PixelShader unlit = compile ps_3_0 shade(false);
        fxgroup Sprites
        {
            technique10 Draw < string Script = \"Pass=First;\"; >
            {
                pass First < int Order = 1; >
                {
                    SetPixelShader(CompileShader(ps_3_0, shade(true)));
                    SetBlendState(blending, float4(0, 0, 0, 0), 0xFFFFFFFF);
                    CullMode = CCW;
                }
                pass Second { SetPixelShader(unlit); SetVertexShader(NULL); }
            }
        }";
    let loader = MemoryLoader::new().with("a.fx", source);
    for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
        let output = compile(&loader, &["a.fx"], &Options::for_target(target));
        assert!(!output.has_errors(), "{}", output.render(false));
        let (_, reflection) = output.reflections.first().expect("a sidecar");
        let back: Reflection = serde_json::from_str(&reflection.to_json()).expect("the sidecar is its own format");
        let [technique] = back.techniques.as_slice() else { panic!("{:?}", back.techniques) };
        assert_eq!((technique.kind.as_str(), technique.name.as_deref()), ("technique10", Some("Draw")));
        assert_eq!(technique.group.as_deref(), Some("Sprites"));
        let [script] = technique.annotations.as_slice() else { panic!("{technique:?}") };
        assert_eq!((script.ty.as_deref(), script.value.as_str()), (Some("string"), "\"Pass=First;\""));
        let [pass, second] = technique.passes.as_slice() else { panic!("{technique:?}") };
        let [shader] = pass.shaders.as_slice() else { panic!("{pass:?}") };
        assert_eq!((shader.stage.as_str(), shader.profile.as_str()), ("fragment", "ps_3_0"));
        assert_eq!((shader.entry_point.as_str(), shader.function.as_deref()), ("shade_true", Some("shade")));
        assert!(back.entry_points.iter().any(|entry| entry.name == shader.entry_point));
        // A variable of a shader is that shader.
        let [shader] = second.shaders.as_slice() else { panic!("{second:?}") };
        assert_eq!((shader.stage.as_str(), shader.entry_point.as_str()), ("fragment", "shade_false"));
        assert_eq!(second.states.iter().map(|state| state.name.as_str()).collect::<Vec<_>>(), ["SetVertexShader"]);
        let states: Vec<_> = pass.states.iter().map(|s| (s.name.as_str(), s.value.as_str())).collect();
        assert_eq!(states, [("SetBlendState", "(blending, float4(0, 0, 0, 0), 0xFFFFFFFF)"), ("CullMode", "CCW")]);
        let objects: Vec<_> = back.effect_objects.iter().map(|o| (o.kind.as_str(), o.name.as_str())).collect();
        assert_eq!(
            objects,
            [
                ("sampler_state", "smooth"),
                ("sampler_state", "own_sampler"),
                ("BlendState", "blending"),
                ("RasterizerState", "fills[0]"),
                ("RasterizerState", "fills[1]"),
                ("PixelShader", "unlit"),
            ]
        );
        // The states are those of a sampler that there is.
        for (_, name) in &objects[..2] {
            assert!(back.leaves.iter().any(|leaf| leaf.path == *name), "{name}");
        }
    }
}

#[test]
fn a_sidecar_has_root_signatures() {
    let source = "
        struct Draw { uint material; float scale; };
        ConstantBuffer<Draw> draw : register(b0);
        Texture2D images[4] : register(t2, space1);
        Texture2D other : register(t9, space1);
        SamplerState smooth : register(s0);
        SamplerComparisonState shadowed : register(s1);
        [RootSignature(\"RootFlags(ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT | deny_hull_shader_root_access), \\
            RootConstants(num32BitConstants = 2, b0, visibility = SHADER_VISIBILITY_PIXEL), \\
            DescriptorTable(SRV(t2, numDescriptors = 4, space = 1), SRV(t6, numDescriptors = unbounded, space = 1)), \\
            StaticSampler(s0, filter = FILTER_MIN_MAG_MIP_LINEAR, mipLODBias = -1.5f), StaticSampler(s1)\")]
        [shader(\"pixel\")] float4 main(float2 uv : UV) : SV_Target
        {
            float lit = other.SampleCmp(shadowed, uv, 0.5);
            return images[1].Sample(smooth, uv) * draw.scale * lit;
        }";
    let loader = MemoryLoader::new().with("a.hlsl", source);
    for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
        let output = compile(&loader, &["a.hlsl"], &Options::for_target(target));
        assert!(!output.has_errors(), "{}", output.render(false));
        let (_, reflection) = output.reflections.first().expect("a sidecar");
        let back: Reflection = serde_json::from_str(&reflection.to_json()).expect("the sidecar is its own format");
        let signature = back.entry_points[0].root_signature.as_ref().expect("a root signature");
        assert_eq!(signature.flags, ["ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT", "DENY_HULL_SHADER_ROOT_ACCESS"]);
        let [constants, table, smooth, shadowed] = signature.items.as_slice() else { panic!("{signature:?}") };
        assert_eq!((constants.kind.as_str(), constants.register.as_deref()), ("RootConstants", Some("b0")));
        assert_eq!(constants.values["num32BitConstants"], "2");
        assert_eq!(constants.values["visibility"], "SHADER_VISIBILITY_PIXEL");
        assert_eq!(constants.parameters, ["draw"]);
        assert_eq!((table.kind.as_str(), table.register.as_deref()), ("DescriptorTable", None));
        assert_eq!(table.values["visibility"], "SHADER_VISIBILITY_ALL");
        let [images, rest] = table.ranges.as_slice() else { panic!("{table:?}") };
        assert_eq!(
            (images.values["numDescriptors"].as_str(), images.parameters.as_slice()),
            ("4", &["images".to_owned()][..])
        );
        assert_eq!(
            (rest.values["numDescriptors"].as_str(), rest.parameters.as_slice()),
            ("unbounded", &["other".to_owned()][..])
        );
        assert_eq!(smooth.parameters, ["smooth"]);
        assert_eq!(smooth.values["filter"], "FILTER_MIN_MAG_MIP_LINEAR");
        assert_eq!((smooth.values["mipLODBias"].as_str(), smooth.values["maxAnisotropy"].as_str()), ("-1.5", "16"));
        assert_eq!(
            (shadowed.values["comparisonFunc"].as_str(), shadowed.parameters.as_slice()),
            ("COMPARISON_LESS_EQUAL", &["shadowed".to_owned()][..])
        );
    }
}
