// options: target=wgsl entry=main:compute
// A target without descriptor heaps is told of them, whatever is done with what they hold.
RWStructuredBuffer<uint> result : register(u1);

float texel(RWTexture2D<float4> image, uint2 at) { return image[at].x; }

[numthreads(1, 1, 1)]
void main()
{
    RWBuffer<uint> counts = ResourceDescriptorHeap[3]; // error[E0501]: wgsl does not support descriptor heaps
    RWTexture2D<float4> image = ResourceDescriptorHeap[4];
    uint old;
    InterlockedAdd(counts[1], 1, old);
    counts[2] = old;
    result[0] = uint(texel(image, uint2(0, 1)));
}
