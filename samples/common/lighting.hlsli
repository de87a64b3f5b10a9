// The fixed-function style lights of the D3D11 path.
#ifndef LIGHTING_HLSLI
#define LIGHTING_HLSLI

#define MAX_LIGHTS 4

struct DirectionalLight
{
    float3 Direction; // from the light, normalized
    float  Intensity;
    float3 Color;
    float  SpecularPower;
};

struct LightResult
{
    float3 Diffuse;
    float3 Specular;
};

// Blinn-Phong. Both terms are scaled by the light's colour, the material is applied by the caller.
LightResult ComputeLight(DirectionalLight light, float3 normal, float3 toEye)
{
    LightResult result = (LightResult)0;

    float3 toLight = -light.Direction;
    float nDotL = dot(normal, toLight);
    if (nDotL <= 0)
        return result;

    float3 halfway = normalize(toLight + toEye);
    float nDotH = saturate(dot(normal, halfway));

    result.Diffuse = light.Color * light.Intensity * nDotL;
    result.Specular = light.Color * light.Intensity * pow(nDotH, light.SpecularPower);
    return result;
}

#endif // LIGHTING_HLSLI
