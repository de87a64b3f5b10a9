// A lit surface, with shadows or without them.

#ifndef SHADOWS
#define SHADOWS 0
#endif
#ifndef QUALITY
#define QUALITY 1
#endif

#if SHADOWS
#define TAPS 4
#endif

#ifdef FOG
cbuffer FogParams : register(b0)
{
    float3 fogColor;
    float fogDensity;
}
#endif

Texture2D albedo : register(t0);
SamplerState linearSampler : register(s0);
#if SHADOWS
Texture2D shadowMap : register(t1); // of the sun
SamplerComparisonState shadowSampler : register(s1);
#endif

struct Input
{
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
#if SHADOWS
    float4 shadowUv : TEXCOORD1;
#endif
#ifdef FOG
    float fog : TEXCOORD2;
#endif
};

#if SHADOWS
// How much of the sun is seen.
float sun(float4 uv)
{
    float sum = 0.0;
    for (int i = 0; i < TAPS; i++)
    {
#if QUALITY == 1
        sum += shadowMap.SampleCmpLevelZero(shadowSampler, uv.xy, uv.z);
#else
        sum += shadowMap.SampleCmpLevelZero(shadowSampler, uv.xy + i * 0.01, uv.z);
#endif
    }
    return sum / TAPS;
}
#endif

float4 main(Input input) : SV_Target
{
    float4 color = albedo.Sample(linearSampler, input.uv) * QUALITY;
#if QUALITY == 1
    color *= 1.5;
#elif QUALITY == 2
    color *= 2.0;
    color = saturate(color);
#else
    color *= 4.0;
#endif
#if SHADOWS
    color.rgb *= sun(input.shadowUv);
#endif
#ifdef FOG
    color.rgb = lerp(color.rgb, fogColor, input.fog);
    color.a *= fogDensity;
#endif
    return color;
}
