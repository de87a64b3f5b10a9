// A compute shader of HLSL says how large its groups are.

RWStructuredBuffer<float> data;

[numthread(8, 1, 1)] // warning[E0315]: `[numthread]` is not known and is ignored
[shader("compute")]
void misspelt(uint3 id : SV_DispatchThreadID) // error[E0603]: the compute entry point `misspelt` needs `[numthreads(x, y, z)]`
{
    data[id.x] = 1.0;
}
