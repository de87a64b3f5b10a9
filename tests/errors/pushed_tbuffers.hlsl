// options: target=hlsl,glsl
// Push constants and shader records are constant buffers: a `tbuffer` has a binding.

struct Data
{
    float4 color;
};
[[vk::push_constant]] tbuffer Table // warning[E0315]: only constant buffers are push constants: the attribute is ignored
{
    float4 entries[2];
};
[[vk::shader_record_ext]] TextureBuffer<Data> data; // warning[E0315]: only constant buffers are shader records: the attribute is ignored
RWStructuredBuffer<float4> result;

[shader("compute")]
[numthreads(1, 1, 1)]
void main()
{
    result[0] = entries[1] + data.color;
}
