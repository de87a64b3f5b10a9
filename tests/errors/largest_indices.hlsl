// options: target=hlsl entry=main:fragment
// The larger one of two constants is a constant index.

float4 main() : SV_Target
{
    float list[2] = {1, 2};
    float2x2 turn = {1, 2, 3, 4};
    return list[max(0, 1)] + list[max(1, 2)] + turn[max(2, 1)].x; // error[E0313]: `float[2]` has no element 2 // error[E0313]: `float2x2` has no element 2
}
