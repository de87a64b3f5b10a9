// options: target=hlsl entry=main:fragment
// What a builtin gives is the number of an element, too.
struct Pair
{
    float left : LEFT;
    float right : RIGHT;
};

float4 main(Pair pairs[2] : PAIR, float2x2 turn : TURN) : SV_Target
{
    float list[2] = {1, 2};
    float sum = pairs[mad(1, 1, 1)].right; // error[E0313]: has no element 2
    sum += list[(int)pow(2.0, 1.0)]; // error[E0313]: `float[2]` has no element 2
    sum += list[mad(1, 1, 0)] + list[abs(-1)];
    return sum + turn[mad(1, 1, 2)].x; // error[E0313]: `float2x2` has no element 3
}
