// options: target=hlsl profile=sm_6_6_spirv entry=main:compute
// DXC's SPIR-V has no atomic operations on floats, and none of 64 bits at byte addresses.

RWStructuredBuffer<float> sums;
RWTexture2D<float> image;
RWByteAddressBuffer bytes;

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float old;
    InterlockedExchange(sums[0], 1.0, old); // error[E0501]: `InterlockedExchange` is not supported by sm_6_6_spirv
    InterlockedExchange(image[id.xy], 1.0, old); // error[E0501]: `InterlockedExchange with a result` is not supported by sm_6_6_spirv
    InterlockedCompareExchangeFloatBitwise(sums[0], 1.0, 2.0, old); // error[E0501]: `InterlockedCompareExchangeFloatBitwise` is not supported by sm_6_6_spirv
    InterlockedCompareStoreFloatBitwise(sums[0], 1.0, 2.0); // error[E0501]: `InterlockedCompareStoreFloatBitwise` is not supported by sm_6_6_spirv
    uint64_t wide;
    bytes.InterlockedExchange64(0, 1, wide); // error[E0501]: `InterlockedExchange64` is not supported by sm_6_6_spirv
    bytes.InterlockedAdd64(8, 1); // error[E0501]: `InterlockedAdd64` is not supported by sm_6_6_spirv
}
