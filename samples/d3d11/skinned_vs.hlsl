// Linear blend skinning with up to four influences a vertex.
#include "frame.hlsli"

#define MAX_BONES 72

cbuffer Bones : register(b2)
{
    // 4x3: the last column of an affine transform is known, three registers a bone instead of four.
    float4x3 BonePalette[MAX_BONES];
};

struct SkinnedInput
{
    float3 Position : POSITION;
    float3 Normal   : NORMAL;
    float2 Uv       : TEXCOORD0;
    uint4  Indices  : BLENDINDICES;
    float4 Weights  : BLENDWEIGHT;
};

void Skin(inout SkinnedInput vertex, uniform int boneCount)
{
    float4x3 skinning = 0;

    [unroll]
    for (int i = 0; i < boneCount; i++)
    {
        skinning += BonePalette[vertex.Indices[i]] * vertex.Weights[i];
    }

    vertex.Position = mul(float4(vertex.Position, 1), skinning);
    vertex.Normal = mul(vertex.Normal, (float3x3)skinning);
}

VSOutput VSMain(SkinnedInput input)
{
    Skin(input, 4);

    VSOutput output;
    float4 world = mul(float4(input.Position, 1), World);
    output.Position = mul(world, ViewProjection);
    output.WorldPos = world.xyz;
    output.Normal = normalize(mul(input.Normal, (float3x3)NormalMatrix));
    output.Uv = input.Uv * UvScale + UvOffset;
    output.Layer = 0;
    return output;
}
