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
        float4 shade(float2 uv : TEXCOORD0, uniform bool lit) : COLOR
        {
            return tex2D(smooth, uv) * lit + tex2D(own, uv);
        }
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
        let [pass] = technique.passes.as_slice() else { panic!("{technique:?}") };
        let [shader] = pass.shaders.as_slice() else { panic!("{pass:?}") };
        assert_eq!((shader.stage.as_str(), shader.profile.as_str()), ("fragment", "ps_3_0"));
        assert_eq!((shader.entry_point.as_str(), shader.function.as_deref()), ("shade_true", Some("shade")));
        assert_eq!(back.entry_points[0].name, shader.entry_point);
        let states: Vec<_> = pass.states.iter().map(|s| (s.name.as_str(), s.value.as_str())).collect();
        assert_eq!(states, [("SetBlendState", "(blending, float4(0, 0, 0, 0), 0xFFFFFFFF)"), ("CullMode", "CCW")]);
        let objects: Vec<_> = back.effect_objects.iter().map(|o| (o.kind.as_str(), o.name.as_str())).collect();
        assert_eq!(
            objects,
            [("sampler_state", "smooth"), ("sampler_state", "own_sampler"), ("BlendState", "blending")]
        );
        // The states are those of a sampler that there is.
        for (_, name) in &objects[..2] {
            assert!(back.leaves.iter().any(|leaf| leaf.path == *name), "{name}");
        }
    }
}
