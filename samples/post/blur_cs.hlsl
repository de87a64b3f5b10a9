// Separable Gaussian: one group filters a line of 128 pixels from a shared tile.
// Two entry points so that each direction gets its own, well-coalesced addressing.

#ifndef BLUR_RADIUS
#define BLUR_RADIUS 4
#endif

#define GROUP_SIZE 128
#define TILE_SIZE (GROUP_SIZE + 2 * BLUR_RADIUS)

Texture2D<float4>   Source : register(t0);
RWTexture2D<float4> Result : register(u0);

cbuffer BlurParameters : register(b0)
{
    // Weights of one half of the kernel, four in a register. [0].x is the centre.
    float4 Weights[(BLUR_RADIUS + 4) / 4];
    int2   Size;
};

groupshared float4 Tile[TILE_SIZE];

float WeightOf(int offset)
{
    uint index = abs(offset);
    return Weights[index / 4][index % 4];
}

// Fills the tile; the first threads fetch the apron as well.
void LoadTile(int2 first, int2 step, int local)
{
    for (int i = local; i < TILE_SIZE; i += GROUP_SIZE)
    {
        int2 at = clamp(first + step * (i - BLUR_RADIUS), int2(0, 0), Size - 1);
        Tile[i] = Source.Load(int3(at, 0));
    }
    GroupMemoryBarrierWithGroupSync();
}

float4 FilterTile(int local)
{
    float4 sum = 0;
    [unroll]
    for (int i = -BLUR_RADIUS; i <= BLUR_RADIUS; ++i)
        sum += Tile[local + BLUR_RADIUS + i] * WeightOf(i);
    return sum;
}

[numthreads(GROUP_SIZE, 1, 1)]
void BlurHorizontal(uint3 group : SV_GroupID, uint3 pixel : SV_DispatchThreadID, uint local : SV_GroupIndex)
{
    LoadTile(int2(group.x * GROUP_SIZE, pixel.y), int2(1, 0), local);
    if (all(int2(pixel.xy) < Size))
        Result[pixel.xy] = FilterTile(local);
}

[numthreads(1, GROUP_SIZE, 1)]
void BlurVertical(uint3 group : SV_GroupID, uint3 pixel : SV_DispatchThreadID, uint local : SV_GroupIndex)
{
    LoadTile(int2(pixel.x, group.y * GROUP_SIZE), int2(0, 1), local);
    if (all(int2(pixel.xy) < Size))
        Result[pixel.xy] = FilterTile(local);
}
