// What a call gives is not known where an argument is wrong: one error is enough.
float4x4 m;

float4 main(float4 p : P) : SV_Target
{
    float4 q = mul(m, float4(p.xy, missing, 1)); // error[E0301]: `missing` is not declared
    float a = dot(q.xy, absent); // error[E0301]: `absent` is not declared
    return mul(nothing, q) + a; // error[E0301]: `nothing` is not declared
}
