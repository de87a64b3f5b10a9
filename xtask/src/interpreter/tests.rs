//! Programs in WGSL, which naga makes SPIR-V of.

use super::run;

/// The words that a program leaves in a buffer of 16 words at binding 0.
fn words(body: &str) -> Vec<u32> {
    let text = format!(
        "struct Inner {{ a: vec3f, b: f32 }}\n\
         @group(0) @binding(0) var<storage, read_write> words: array<u32>;\n\
         @group(0) @binding(1) var<uniform> inner: Inner;\n\
         var<workgroup> shared_words: array<u32, 4>;\n\
         var<workgroup> total: atomic<u32>;\n\
         fn twice(p: ptr<function, i32>) -> i32 {{ *p = *p * 2; return *p + 1; }}\n\
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) index: u32) {{\n{body}\n}}\n"
    );
    let module = naga::front::wgsl::parse_str(&text).expect("the program is WGSL");
    let capabilities = naga::valid::Capabilities::default() | naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    let information = validator.validate(&module).expect("the program is valid");
    let spirv = naga::back::spv::write_vec(&module, &information, &naga::back::spv::Options::default(), None)
        .expect("naga has SPIR-V of it");
    let floats = [1.5f32, -2.25, 4.0, 8.0].map(f32::to_bits).to_vec();
    let mut buffers = run(&spirv, &[(0, vec![0; 16]), (1, floats)]).expect("it runs");
    buffers.remove(&0).expect("the buffer is there")
}

#[test]
fn integers_keep_to_their_width() {
    let body = "let a = i32(index) - 2; words[index] = u32((a >> 1u) * 3 + a / 2 - a % 3);\n\
                words[4u + index] = reverseBits(index) ^ countOneBits(index + 5u) ^ firstLeadingBit(index | 4u);";
    let expected = |a: i32| ((a >> 1) * 3 + a / 2 - a % 3) as u32;
    let bits = |i: u32| i.reverse_bits() ^ (i + 5).count_ones() ^ 2;
    let words = words(body);
    assert_eq!(words[..4], [-2, -1, 0, 1].map(expected));
    assert_eq!(words[4..8], [0, 1, 2, 3].map(bits));
}

#[test]
fn floats_vectors_and_uniform_buffers() {
    let body = "let m = mat2x3f(inner.a, inner.a.zxy); let v = m * vec2f(2.0, inner.b);\n\
                words[0] = bitcast<u32>(v.x); words[1] = bitcast<u32>(dot(v, vec3f(1.0, 0.5, 0.25)));\n\
                words[2] = u32(round(inner.a.x)); words[3] = pack2x16float(inner.a.xy);";
    let v = [1.5 * 2.0 + 4.0 * 8.0, -2.25 * 2.0 + 1.5 * 8.0, 4.0 * 2.0 - 2.25 * 8.0f32];
    let expected = [v[0].to_bits(), (v[0] + v[1] * 0.5 + v[2] * 0.25).to_bits(), 2, 0xc080_3e00];
    assert_eq!(words(body)[..4], expected);
}

#[test]
fn flow_pointers_and_threads() {
    let body = "var sum = 0; for (var i = 0; i < 10; i++) { switch i { case 2, 3: { continue; } case 7: { break; } default: { sum += i; } } if i == 8 { break; } }\n\
                var p = sum; let q = twice(&p); shared_words[index] = index * 10u; atomicAdd(&total, index); workgroupBarrier();\n\
                words[index] = shared_words[3u - index]; words[4u + index] = atomicLoad(&total); words[8] = u32(p); words[9] = u32(q);";
    assert_eq!(words(body)[..10], [30, 20, 10, 0, 6, 6, 6, 6, 48, 49]);
}

#[test]
fn what_nothing_gave_a_value_shows() {
    // Outside of the array: naga checks nothing here.
    let body = "var a = array<u32, 3>(1u, 2u, 3u); words[index] = a[index];";
    assert_eq!(words(body)[..4], [1, 2, 3, super::memory::UNDEFINED as u32]);
}

#[test]
fn shifts_count_modulo_the_width() {
    let body = "var a = i32(words[0]); var b = a; var z = a;\n\
                let u = u32(a) << u32(b); var s = a >> u32(b); let t = u32(a) >> (u32(b) + 7u);\n\
                var v = vec3i(a, b, 1) << vec3u(vec3i(b, 33 - z, a));\n\
                v >>= vec3u(vec3i(1, b, 35 - z)); s <<= u32(b & 127);\n\
                words[1] = u; words[2] = u32(s); words[3] = t; words[4] = u32(v.x); words[5] = u32(v.y);\n\
                words[6] = u32(v.z);";
    assert_eq!(words(body).get(..7), Some(&[0; 7][..]));
}
