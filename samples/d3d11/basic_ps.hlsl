// Textured, lit by up to MAX_LIGHTS directional lights, linear fog.
#include "frame.hlsli"
#include "color.hlsli"

Texture2DArray AlbedoMap : register(t0);
Texture2D      NormalMap : register(t1);
SamplerState   LinearWrap : register(s0);

// No tangents in the vertex format: rebuild the frame from screen-space derivatives.
float3 PerturbNormal(float3 normal, float3 position, float2 uv)
{
    float3 dp1 = ddx(position);
    float3 dp2 = ddy(position);
    float2 duv1 = ddx(uv);
    float2 duv2 = ddy(uv);

    float3 dp2perp = cross(dp2, normal);
    float3 dp1perp = cross(normal, dp1);
    float3 tangent = dp2perp * duv1.x + dp1perp * duv2.x;
    float3 bitangent = dp2perp * duv1.y + dp1perp * duv2.y;
    float invmax = rsqrt(max(max(dot(tangent, tangent), dot(bitangent, bitangent)), 1e-8));

    float3 sampled = NormalMap.Sample(LinearWrap, uv).xyz * 2 - 1;
    float3x3 frame = float3x3(tangent * invmax, bitangent * invmax, normal);
    return normalize(mul(sampled, frame));
}

float4 PSMain(VSOutput input, bool isFrontFace : SV_IsFrontFace) : SV_Target0
{
    float4 albedo = AlbedoMap.Sample(LinearWrap, float3(input.Uv, input.Layer)) * BaseColor;

    float3 normal = normalize(input.Normal);
    normal = PerturbNormal(normal, input.WorldPos, input.Uv);
    if (!isFrontFace)
        normal = -normal;

    // Alpha test, foliage only.
    clip(albedo.a - 0.5);

    float3 toEye = normalize(EyePosition - input.WorldPos);
    float3 diffuse = 0.03;
    float3 specular = 0;

    [loop]
    for (uint i = 0; i < min(LightCount, MAX_LIGHTS); i++)
    {
        LightResult light = ComputeLight(Lights[i], normal, toEye);
        diffuse += light.Diffuse;
        specular += light.Specular;
    }

    float3 color = albedo.rgb * diffuse + specular;

    if (ReceivesFog)
    {
        float distanceToEye = distance(EyePosition, input.WorldPos);
        float fog = saturate((distanceToEye - FogStart) / (FogEnd - FogStart));
        color = lerp(color, FogColor, fog);
    }

    return float4(color, albedo.a);
}
