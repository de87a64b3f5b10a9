// Contrast-adaptive sharpening of the final image, in gamma space.
#include "color.hlsli"

Texture2D<float4>         Source : register(t0);
RWTexture2D<unorm float4> Result : register(u0);

cbuffer SharpenParameters : register(b0)
{
    float Sharpness; // 0 .. 1
};

static const int2 kCross[4] = { int2(0, -1), int2(-1, 0), int2(1, 0), int2(0, 1) };

[numthreads(16, 16, 1)]
void CSMain(uint3 id : SV_DispatchThreadID)
{
    uint2 size;
    Source.GetDimensions(size.x, size.y);
    if (any(id.xy >= size))
        return;

    float3 centre = Source[id.xy].rgb;
    float3 minimum = centre, maximum = centre, sum = 0;

    [unroll]
    for (int i = 0; i < 4; ++i)
    {
        int2 at = clamp(int2(id.xy) + kCross[i], 0, int2(size) - 1);
        float3 neighbour = Source.Load(int3(at, 0)).rgb;
        minimum = min(minimum, neighbour);
        maximum = max(maximum, neighbour);
        sum += neighbour;
    }

    // Where the neighbourhood already spans the range there is nothing left to gain.
    float3 headroom = min(minimum, 1 - maximum);
    float3 amount = sqrt(saturate(headroom / max(maximum, 1e-4)));
    float3 weight = amount * lerp(-0.125, -0.2, Sharpness);

    float3 sharpened = (sum * weight + centre) / (1 + 4 * weight);
    Result[id.xy] = float4(saturate(sharpened), 1);
}
