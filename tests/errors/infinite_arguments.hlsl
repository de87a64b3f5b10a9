// options: target=hlsl entry=main:fragment
// DXC computes no logarithm and no derivative of an infinite constant, under whatever name.

static const float FAR = 1e300;
static const float LARGE = log(1e300); // error[E0501]: sm_6_6 does not support logarithms, powers, arc functions and derivatives of infinite constants

float4 main(float x : X) : SV_Target
{
    float infinite = asfloat(0x7F800000);
    float changed = FAR;
    changed -= x;
    float4 sum = sqrt(FAR) + exp(infinite) + log(infinite * x) + log(max(FAR, x)) + acos(sqrt(-1.0));
    return sum + log(changed) + LARGE;
}
