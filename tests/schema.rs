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
