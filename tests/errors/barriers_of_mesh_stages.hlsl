// options: entry=main:amplification target=wgsl
// What the target has no stage for is said once.

struct Payload { uint a; };
groupshared uint shared_words[4];
groupshared Payload payload;

[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    shared_words[i] = i;
    GroupMemoryBarrierWithGroupSync();
    DeviceMemoryBarrier();
    payload.a = shared_words[3 - i];
    DispatchMesh(1, 1, 1, payload); // error[E0501]: wgsl does not support mesh and amplification shaders
}
