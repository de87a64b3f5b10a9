// Half-resolution copy for the bloom chain: 13 taps in five overlapping boxes.
#include "color.hlsli"

Texture2D<float4>   Source : register(t0);
RWTexture2D<float4> Result : register(u0);
SamplerState LinearClamp   : register(s0);

cbuffer DownsampleParameters : register(b0)
{
    float2 SourceTexel; // 1 / size of the source
    bool   FirstLevel;  // weigh by brightness, or single hot pixels flicker
};

float3 Tap(float2 uv, float x, float y)
{
    return Source.SampleLevel(LinearClamp, uv + float2(x, y) * SourceTexel, 0).rgb;
}

float3 Box(float3 a, float3 b, float3 c, float3 d)
{
    float3 average = (a + b + c + d) * 0.25;
    return FirstLevel ? average / (1 + Luminance(average)) : average;
}

[numthreads(8, 8, 1)]
void CSMain(uint2 id : SV_DispatchThreadID)
{
    uint width, height;
    Result.GetDimensions(width, height);
    if (id.x >= width || id.y >= height)
        return;

    float2 uv = (id + 0.5) / float2(width, height);

    float3 topLeft = Tap(uv, -2, -2), top = Tap(uv, 0, -2), topRight = Tap(uv, 2, -2);
    float3 left = Tap(uv, -2, 0), centre = Tap(uv, 0, 0), right = Tap(uv, 2, 0);
    float3 bottomLeft = Tap(uv, -2, 2), bottom = Tap(uv, 0, 2), bottomRight = Tap(uv, 2, 2);

    float3 color = Box(Tap(uv, -1, -1), Tap(uv, 1, -1), Tap(uv, -1, 1), Tap(uv, 1, 1)) * 0.5;
    color += Box(topLeft, top, left, centre) * 0.125;
    color += Box(top, topRight, centre, right) * 0.125;
    color += Box(left, centre, bottomLeft, bottom) * 0.125;
    color += Box(centre, right, bottom, bottomRight) * 0.125;

    Result[id] = float4(color, 1);
}
