// Preetham-like analytic gradient with the cube map blended in at night.

cbuffer SkyParameters : register(b1)
{
    float3 SunDirection : packoffset(c0);
    float  Turbidity    : packoffset(c0.w);
    float3 ZenithColor  : packoffset(c1);
    float3 HorizonColor : packoffset(c2);
    float  StarFade     : packoffset(c2.w);
};

TextureCube  StarMap       : register(t0);
SamplerState LinearClamp   : register(s0);

float MiePhase(float cosTheta, float g)
{
    const float g2 = g * g;
    return (1 - g2) / pow(abs(1 + g2 - 2 * g * cosTheta), 1.5);
}

float4 PSMain(float4 position : SV_Position, float3 direction : TEXCOORD0) : SV_Target
{
    direction = normalize(direction);

    float height = saturate(direction.y);
    float gradient = pow(height, 0.5 + 0.1 * Turbidity);
    float3 sky = lerp(HorizonColor, ZenithColor, gradient);

    float cosTheta = dot(direction, -SunDirection);
    sky += HorizonColor * MiePhase(cosTheta, 0.76) * 0.05;

    // The disc itself, a little wider than the real one so that bloom has something to hold on to.
    sky += cosTheta > 0.9998 ? 20.0 : 0.0;

    float3 stars = StarMap.SampleLevel(LinearClamp, direction, 0).rgb;
    return float4(sky + stars * StarFade * height, 1);
}
