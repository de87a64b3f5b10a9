// options: target=glsl entry=main:fragment
// A gather that compares has a texture of floats, also with four offsets that vary.

Texture2D<int> image;
SamplerComparisonState compare;

float4 main(float2 uv : UV, int2 a : A, int2 b : B) : SV_Target
{
    return image.GatherCmpRed(compare, uv, 0.5, a, b, a, b); // error[E0501]: gathers that compare depths with a texture of integers // error[E0501]: offsets in texels that are no constants
}
