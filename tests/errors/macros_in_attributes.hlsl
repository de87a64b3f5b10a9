// A name in an attribute that is not declared is told as such, not as an argument without a value.

RWStructuredBuffer<int> data;

[numthreads(GROUP_X * 2, 1, 1)] // error[E0301]: `GROUP_X` is not declared
void main(uint3 id : SV_DispatchThreadID)
{
    [unroll(ROUNDS)] // warning[E0315]: it is ignored
    for (int i = 0; i < 4; i++)
        data[i] = FACTOR; // error[E0301]: `FACTOR` is not declared
}
