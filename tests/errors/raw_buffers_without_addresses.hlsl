// options: target=hlsl entry=main:compute
// DXIL has no addresses of memory.
cbuffer Push
{
    uint2 words;
};
RWStructuredBuffer<uint> result;

[numthreads(1, 1, 1)]
void main()
{
    result[0] = vk::RawBufferLoad(words.x); // error[E0501]: sm_6_6 does not support buffer device addresses
}
