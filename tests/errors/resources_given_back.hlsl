// options: target=hlsl,glsl entry=main:fragment
Texture2D<float4> image;
Texture2D<float4> other;
SamplerState linear_sampler;

float4 changes(inout Texture2D<float4> t, float x)
{
    float4 color = t.Sample(linear_sampler, x);
    t = other;
    return color;
}

float4 passes(inout Texture2D<float4> t)
{
    return changes(t, 0.5);
}

float4 main() : SV_Target
{
    return passes(image); // error[E0307]: `image` is a shader parameter, which this function gives another resource
}
