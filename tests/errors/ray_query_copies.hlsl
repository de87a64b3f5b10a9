// options: entry=main:compute target=glsl
// A ray query is one variable: a copy of one that changes afterwards is another.

RaytracingAccelerationStructure scene;
RWStructuredBuffer<float> hits;

[numthreads(1, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    RayDesc ray = { float3(0, 0, 0), 0.0, float3(0, 0, 1), 100.0 };
    RayQuery<0> query;
    query.TraceRayInline(scene, 0, 0xFF, ray);
    RayQuery<0> other;
    other.TraceRayInline(scene, 0, 0x0F, ray);
    RayQuery<0> copy = i > 2 ? query : other; // error[E0501]: glsl_460 does not support ray queries and hit objects in structs, and copies of them
    copy.Proceed();
    hits[i] = copy.CommittedRayT() + query.CommittedRayT();
}
