// options: target=wgsl entry=main:fragment
// WGSL has no depth textures of one dimension.

Texture1D<float> line_;
SamplerComparisonState compared;

float4 main(float2 at : AT) : SV_Target
{
    float sum = line_.SampleCmp(compared, at.x, at.y); // error[E0501]: `a comparison with a texture of one dimension` is not supported by wgsl
    return sum + line_.SampleCmpLevelZero(compared, at.x, at.y, 1); // error[E0501]: `a comparison with a texture of one dimension` is not supported by wgsl
}
