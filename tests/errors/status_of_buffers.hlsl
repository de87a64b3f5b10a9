// options: entry=main:compute target=glsl
// Only D3D tells whether the memory of a buffer is there.

StructuredBuffer<float2> pairs;
RWByteAddressBuffer words;
ByteAddressBuffer others;
RWStructuredBuffer<uint> result;

[numthreads(1, 1, 1)]
void main()
{
    uint first, second;
    float2 value = words.Load<float2>(4, first); // error[E0501]: `a residency status of a buffer` is not supported by glsl_460
    uint3 triple = others.Load3(8, second); // error[E0501]: `a residency status of a buffer` is not supported by glsl_460
    value += pairs.Load(4, first); // error[E0501]: `a residency status of a buffer` is not supported by glsl_460
    result[0] = CheckAccessFullyMapped(first) && CheckAccessFullyMapped(second) ? value.x : triple.x;
}
