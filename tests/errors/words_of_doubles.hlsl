// options: target=wgsl
// Doubles are the error, where the code of the user has them: not the 64-bit integers that the library takes their words from.

RWStructuredBuffer<uint4> result;

[numthreads(1, 1, 1)]
void main()
{
    double d = asdouble(result[0].x, result[0].y); // error[E0501]: wgsl does not support doubles
    uint low, high;
    asuint(d, low, high);
    result[1].x = low + high;
}
