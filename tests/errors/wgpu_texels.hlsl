// options: target=wgsl profile=wgpu entry=main:compute
// naga changes texels of 64 bits to the least or greatest number without a sign, and gives none back.

RWTexture2D<uint64_t> sums;
RWTexture2D<uint64_t> olds;
RWTexture2D<int64_t> signed_ones;

[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint64_t old;
    InterlockedAdd(sums[id.xy], 1); // error[E0501]: `InterlockedAdd of 64 bits in a texture` is not supported by wgpu
    InterlockedMin(olds[id.xy], 3, old); // error[E0501]: `InterlockedMin of 64 bits in a texture with a result` is not supported by wgpu
    InterlockedMax(signed_ones[id.xy], 77); // error[E0501]: `InterlockedMax of 64 bits in a texture` is not supported by wgpu
}
