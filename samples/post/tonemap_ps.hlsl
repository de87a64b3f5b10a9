// HDR scene + bloom -> display. Exposure comes from the histogram pass.
#include "color.hlsli"

Texture2D<float4> SceneColor : register(t0);
Texture2D<float3> Bloom      : register(t1);
StructuredBuffer<float> Exposure : register(t2); // [0] is this frame's
SamplerState PointClamp  : register(s0);
SamplerState LinearClamp : register(s1);

enum TonemapOperator
{
    Tonemap_None = 0,
    Tonemap_Reinhard,
    Tonemap_Filmic,
};

cbuffer TonemapParameters : register(b0)
{
    float BloomStrength;
    float WhitePoint;
    uint  Operator;
    float VignetteStrength;
    float DitherScale;
};

float3 Reinhard(float3 color, float white)
{
    float l = Luminance(color);
    float scaled = l * (1 + l / (white * white)) / (1 + l);
    return color * (scaled / max(l, 1e-5));
}

// Narkowicz' fit of the ACES reference curve.
float3 Filmic(float3 x)
{
    const float a = 2.51, b = 0.03, c = 2.43, d = 0.59, e = 0.14;
    return saturate((x * (a * x + b)) / (x * (c * x + d) + e));
}

// Interleaved gradient noise: enough to hide 8-bit banding.
float DitherNoise(float2 pixel)
{
    return frac(52.9829189 * frac(dot(pixel, float2(0.06711056, 0.00583715)))) - 0.5;
}

float4 PSMain(float4 position : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    float3 color = SceneColor.Sample(PointClamp, uv).rgb;
    color += Bloom.Sample(LinearClamp, uv) * BloomStrength;
    color *= Exposure[0];

    float2 centred = uv - 0.5;
    color *= 1 - VignetteStrength * dot(centred, centred);

    switch (Operator)
    {
    case Tonemap_Reinhard:
        color = Reinhard(color, WhitePoint);
        break;
    case Tonemap_Filmic:
        color = Filmic(color);
        break;
    default:
        color = saturate(color);
        break;
    }

    color = LinearToSrgb(color);
    color += DitherNoise(position.xy) * DitherScale;
    return float4(color, 1);
}
