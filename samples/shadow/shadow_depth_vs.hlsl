// Depth-only pass of one cascade.
#include "cascades.hlsli"

cbuffer ShadowObject : register(b1)
{
    float4x4 World;
};

struct ShadowVertex
{
    float4 Position : SV_Position;
};

ShadowVertex VSMain(float3 position : POSITION, float3 normal : NORMAL)
{
    // Push along the normal before projecting; cheaper than a slope-scaled bias and never peter-pans.
    float3 offset = position - normal * NormalBias;

    ShadowVertex output;
    float4 world = mul(World, float4(offset, 1));
    output.Position = mul(CascadeViewProjection[CurrentCascade], world);

    // Casters in front of the near plane still cast: pancake them onto it.
    output.Position.z = max(output.Position.z, 0);
    return output;
}
