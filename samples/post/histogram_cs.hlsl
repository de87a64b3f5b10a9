// Luminance histogram of the frame, built in shared memory and added to the global one.
#include "color.hlsli"

#define BIN_COUNT 256

Texture2D<float4> SceneColor : register(t0);
RWByteAddressBuffer Histogram : register(u0);

cbuffer HistogramParameters : register(b0)
{
    uint2 InputSize;
    float MinLogLuminance;
    float InverseLogRange;
};

groupshared uint Bins[BIN_COUNT];

uint BinOf(float3 color)
{
    float luminance = Luminance(color);
    // Black pixels have a bin of their own, log2(0) would poison the average.
    if (luminance < 0.0001)
        return 0;

    float position = saturate((log2(luminance) - MinLogLuminance) * InverseLogRange);
    return uint(position * (BIN_COUNT - 2) + 1.0);
}

[numthreads(16, 16, 1)]
void CSMain(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    Bins[index] = 0;
    GroupMemoryBarrierWithGroupSync();

    if (id.x < InputSize.x && id.y < InputSize.y)
    {
        uint bin = BinOf(SceneColor[id.xy].rgb);
        InterlockedAdd(Bins[bin], 1);
    }
    GroupMemoryBarrierWithGroupSync();

    uint previous;
    Histogram.InterlockedAdd(index * 4, Bins[index], previous);
}
