// The same in HLSL; objects that their methods set are not variables without a value.
RaytracingAccelerationStructure scene;
RWStructuredBuffer<float4> result;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float4 color;
    RayQuery<RAY_FLAG_NONE> query;
    RayDesc ray;
    ray.Origin = 0;
    ray.Direction = float3(0, 0, 1);
    query.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, ray);
    query.Proceed();
    uint width, stride;
    result.GetDimensions(width, stride);
    result[id.x] = color * query.CandidateTriangleRayT() * width; // warning[E0325]: nothing sets `color`
}
