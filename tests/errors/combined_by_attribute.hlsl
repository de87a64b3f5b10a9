// options: target=wgsl entry=main:fragment policy=dxc
// WebGPU has no descriptor of a texture and a sampler.
[[vk::combinedImageSampler]] Texture2D<float4> albedo : register(t4);
[[vk::combinedImageSampler]] SamplerState linearly : register(s4); // error[E0401]: the positions of `linearly` and `albedo` overlap

float4 main(float2 at : AT) : SV_Target
{
    return albedo.Sample(linearly, at);
}
