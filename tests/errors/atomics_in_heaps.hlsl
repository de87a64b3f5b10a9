// options: target=wgsl
// An element of a heap that is changed atomically wants the heap.

struct Indices
{
    uint counter;
    uint target;
};

ConstantBuffer<Indices> indices;

[shader("compute")]
[numthreads(64, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    RWStructuredBuffer<uint> counters = ResourceDescriptorHeap[indices.counter]; // error[E0501]: wgsl does not support descriptor heaps
    uint before;
    InterlockedAdd(counters[i], 1, before);
    RWTexture2D<float4> image = ResourceDescriptorHeap[indices.target];
    image[uint2(before, 0)] = 1;
}
