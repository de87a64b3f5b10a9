#version 460

// A lit surface, with shadows or without them.

#ifndef SHADOWS
#define SHADOWS 0
#endif
#ifndef QUALITY
#define QUALITY 1
#endif

#if QUALITY == 1
#define QUALITY_VALUE 1.0
#elif QUALITY == 2
#define QUALITY_VALUE 2.0
#else
#define QUALITY_VALUE 3.0
#endif

#if SHADOWS
#define TAPS 4
#endif

#ifdef FOG
layout(std140, set = 0, binding = 0) uniform FogParams
{
    vec3 fogColor;
    float fogDensity;
};

layout(set = 0, binding = 1) uniform texture2D albedo;
layout(set = 0, binding = 2) uniform sampler linearSampler;
#else
layout(set = 0, binding = 0) uniform texture2D albedo;
layout(set = 0, binding = 1) uniform sampler linearSampler;
#endif
#if SHADOWS && !defined(FOG)
layout(set = 0, binding = 2) uniform texture2D shadowMap; // of the sun
layout(set = 0, binding = 3) uniform samplerShadow shadowSampler;
#elif SHADOWS
layout(set = 0, binding = 3) uniform texture2D shadowMap; // of the sun
layout(set = 0, binding = 4) uniform samplerShadow shadowSampler;
#endif

#if SHADOWS
// How much of the sun is seen.
float sun(vec4 uv)
{
    float sum = 0.0;
    for (int i = 0; i < TAPS; i++)
    {
#if QUALITY == 1
        sum += textureLod(sampler2DShadow(shadowMap, shadowSampler), vec3(uv.xy, uv.z), 0.0);
#else
        sum += textureLod(sampler2DShadow(shadowMap, shadowSampler), vec3(uv.xy + float(i) * 0.01, uv.z), 0.0);
#endif
    }
    return sum / float(TAPS);
}
#endif

layout(location = 0) in vec2 inUv;
#if SHADOWS
layout(location = 1) in vec4 inShadowUv;
#elif defined(FOG)
layout(location = 1) in float inFog;
#endif
#if SHADOWS && defined(FOG)
layout(location = 2) in float inFog;
#endif

layout(location = 0) out vec4 out_target;

void main()
{
    vec4 color = texture(sampler2D(albedo, linearSampler), inUv) * QUALITY_VALUE;
#if QUALITY == 1
    color *= 1.5;
#elif QUALITY == 2
    color *= 2.0;
    color = clamp(color, 0.0, 1.0);
#else
    color *= 4.0;
#endif
#if SHADOWS
    color.rgb *= sun(inShadowUv);
#endif
#ifdef FOG
    color.rgb = mix(color.rgb, fogColor, inFog);
    color.a *= fogDensity;
#endif
    out_target = color;
}
