// options: target=glsl entry=main:fragment
// No target has the samples of Direct3D 9 with a sampler that has no texture.

SamplerState s;

float4 old(float2 uv)
{
    return tex2D(s, uv); // error[E0501]: `tex2D` is not supported by glsl_460
}

float4 main(float2 uv : UV) : SV_Target
{
    return old(uv);
}
