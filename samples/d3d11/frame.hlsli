// Constant buffers of the D3D11 renderer. The CPU side mirrors these in RendererConstants.h,
// so registers and offsets are written out rather than left to the compiler.
#ifndef FRAME_HLSLI
#define FRAME_HLSLI

#include "lighting.hlsli"

cbuffer PerFrame : register(b0)
{
    float4x4 ViewProjection : packoffset(c0);
    float3   EyePosition    : packoffset(c4);
    float    Time           : packoffset(c4.w);
    float3   FogColor       : packoffset(c5);
    float    FogStart       : packoffset(c5.w);
    float    FogEnd         : packoffset(c6.x);
    uint     LightCount     : packoffset(c6.y);
    DirectionalLight Lights[MAX_LIGHTS] : packoffset(c8);
};

cbuffer PerObject : register(b1)
{
    row_major float4x4 World;        // uploaded as the CPU math library stores it
    row_major float4x3 NormalMatrix; // inverse transpose; the last row is unused
    float4 BaseColor;
    float2 UvScale;
    float2 UvOffset;
    bool   ReceivesFog;
};

struct VSOutput
{
    float4 Position : SV_Position;
    float3 WorldPos : TEXCOORD0;
    float3 Normal   : NORMAL;
    float2 Uv       : TEXCOORD1;
    nointerpolation uint Layer : LAYER;
};

#endif // FRAME_HLSLI
