// Cascade data, the same for the depth pass and for receivers.
#pragma once

#define CASCADE_COUNT 4

cbuffer Cascades : register(b0)
{
    column_major float4x4 CascadeViewProjection[CASCADE_COUNT];
    float4 CascadeSplits; // view-space far distance of each cascade
    float3 LightDirection;
    float  NormalBias;
    float2 ShadowTexel;
    uint   CurrentCascade;
    float  BlendWidth;
};
