// options: target=wgsl
// What a target lacks is said once: the heap, and not how what comes out of it is read.

template<typename T>
struct Resources
{
    T operator[](uint index)
    {
        return (T)ResourceDescriptorHeap[NonUniformResourceIndex(index)]; // error[E0501]: wgsl does not support descriptor heaps (`ResourceDescriptorHeap`, descriptor handles)
    }
};
static const Resources<Buffer<uint> > buffers;
RWStructuredBuffer<uint> result;

uint first(uint number)
{
    Buffer<uint> indices = buffers[number];
    return indices[number * 3];
}

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    result[id.x] = first(id.x);
}
