// Static meshes, instanced. Pairs with basic_ps.hlsl.
#include "frame.hlsli"

struct VSInput
{
    float3 Position : POSITION;
    float3 Normal   : NORMAL;
    float2 Uv       : TEXCOORD;
    // Per instance: where it stands and which texture slice it wears.
    float4 OffsetScale : INSTANCE_TRANSFORM;
    uint   Layer       : INSTANCE_LAYER;
};

VSOutput VSMain(VSInput input)
{
    VSOutput output;

    float3 local = input.Position * input.OffsetScale.w + input.OffsetScale.xyz;
    float4 world = mul(float4(local, 1), World);

    output.Position = mul(world, ViewProjection);
    output.WorldPos = world.xyz;
    output.Normal = normalize(mul(input.Normal, (float3x3)NormalMatrix));
    output.Uv = input.Uv * UvScale + UvOffset;
    output.Layer = input.Layer;
    return output;
}
