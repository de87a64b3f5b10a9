// Screen-space shadow mask from four cascades with PCF.
#include "cascades.hlsli"

Texture2D<float> SceneDepth : register(t0);
Texture2DArray<float> ShadowMap : register(t1);
SamplerComparisonState ShadowSampler : register(s0);

cbuffer Receiver : register(b1)
{
    float4x4 InverseViewProjection;
    float4x4 View;
};

#if QUALITY >= 2
static const int kTaps = 2; // 5 x 5
#else
static const int kTaps = 1; // 3 x 3
#endif

uint SelectCascade(float viewDepth)
{
    // Counts the splits that lie in front of the pixel.
    float4 beyond = step(CascadeSplits, viewDepth.xxxx);
    return min(uint(dot(beyond, 1.0)), CASCADE_COUNT - 1);
}

float SampleCascade(uint cascade, float3 world)
{
    float4 clipPos = mul(CascadeViewProjection[cascade], float4(world, 1));
    float2 uv = clipPos.xy / clipPos.w * float2(0.5, -0.5) + 0.5;
    float depth = clipPos.z / clipPos.w;

    float lit = 0;
    for (int y = -kTaps; y <= kTaps; ++y)
    {
        for (int x = -kTaps; x <= kTaps; ++x)
        {
            float2 offset = float2(x, y) * ShadowTexel;
            lit += ShadowMap.SampleCmpLevelZero(ShadowSampler, float3(uv + offset, cascade), depth);
        }
    }
    return lit / ((2 * kTaps + 1) * (2 * kTaps + 1));
}

float PSMain(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    float depth = SceneDepth.Load(int3(position.xy, 0));
    if (depth == 1.0)
        discard; // sky

    float4 ndc = float4(uv.x * 2 - 1, 1 - uv.y * 2, depth, 1);
    float4 world = mul(InverseViewProjection, ndc);
    world /= world.w;

    float viewDepth = mul(View, world).z;
    uint cascade = SelectCascade(viewDepth);
    float lit = SampleCascade(cascade, world.xyz);

    // Cross-fade into the next cascade so that the seam does not show.
    float toSplit = CascadeSplits[cascade] - viewDepth;
    if (toSplit < BlendWidth && cascade + 1 < CASCADE_COUNT)
    {
        float next = SampleCascade(cascade + 1, world.xyz);
        lit = lerp(next, lit, saturate(toSplit / BlendWidth));
    }
    return lit;
}
