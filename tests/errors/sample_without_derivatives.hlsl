// options: target=hlsl entry=main:vertex
// HLSL samples with a level in a stage without derivatives.

Texture2D<float4> colors;
SamplerState linearSampler;

float4 main(float2 uv : UV) : SV_Position
{
    return colors.Sample(linearSampler, uv); // error[E0501]: `Sample` in the vertex stage
}
