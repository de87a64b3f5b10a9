// options: target=glsl entry=main:compute
// A status that a read gives which is never made: the question alone is none that glslang has a capability for.

RWTexture1D<float> strip;
RWTexture2D<float> area;
RWStructuredBuffer<float> result;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint status = 0;
    // GLSL reads no lines so, and what is never done is left out.
    if (false)
        result[0] = strip.Load(id.x, status) + area.Load(id.xy, status);
    result[1] = CheckAccessFullyMapped(status); // error[E0501]: glsl_460 does not support residency statuses that no read of the program gives
}
