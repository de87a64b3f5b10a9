// A lit surface, with shadows or without them.

@if(QUALITY_1)
const QUALITY = 1.0;

@elif(QUALITY_2)
const QUALITY = 2.0;

@else
const QUALITY = 3.0;

@if(SHADOWS)
const TAPS = 4;

@if(!FOG)
@binding(0) @group(0) var albedo: texture_2d<f32>;
@if(!FOG)
@binding(1) @group(0) var linearSampler: sampler;

@if(FOG)
struct FogParamsData {
    fogColor: vec3f,
    fogDensity: f32,
}

@if(FOG)
@binding(0) @group(0) var<uniform> FogParams: FogParamsData;

@if(FOG)
@binding(1) @group(0) var albedo: texture_2d<f32>;
@if(FOG)
@binding(2) @group(0) var linearSampler: sampler;
@if(SHADOWS && !FOG)
@binding(2) @group(0) var shadowMap: texture_depth_2d; // of the sun
@if(SHADOWS && !FOG)
@binding(3) @group(0) var shadowSampler: sampler_comparison;
@if(SHADOWS && FOG)
@binding(3) @group(0) var shadowMap: texture_depth_2d; // of the sun
@if(SHADOWS && FOG)
@binding(4) @group(0) var shadowSampler: sampler_comparison;

struct Input {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
    @if(SHADOWS)
    @location(1) shadowUv: vec4f,
    @if(FOG && !SHADOWS)
    @location(1) fog: f32,
    @if(SHADOWS && FOG)
    @location(2) fog: f32,
}

// How much of the sun is seen.
@if(SHADOWS)
fn sun(uv: vec4f) -> f32 {
    var sum = 0.0;
    for (var i = 0; i < TAPS; i++) {
        @if(QUALITY_1)
        sum += textureSampleCompareLevel(shadowMap, shadowSampler, uv.xy, uv.z);
        @else
        sum += textureSampleCompareLevel(shadowMap, shadowSampler, uv.xy + f32(i) * 0.01, uv.z);
    }
    return sum / f32(TAPS);
}

@fragment
fn main(input: Input) -> @location(0) vec4f {
    var color = textureSample(albedo, linearSampler, input.uv) * QUALITY;
    @if(QUALITY_1)
    color *= 1.5;
    @if(QUALITY_2)
    color *= 2.0;
    @if(QUALITY_2)
    color = saturate(color);
    @if(QUALITY_3)
    color *= 4.0;
    @if(SHADOWS)
    color = vec4f(color.rgb * sun(input.shadowUv), color.a);
    @if(FOG)
    color = vec4f(mix(color.rgb, FogParams.fogColor, input.fog), color.a);
    @if(FOG)
    color.a *= FogParams.fogDensity;
    return color;
}
