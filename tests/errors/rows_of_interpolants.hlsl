// options: target=hlsl entry=main:fragment
// D3D reads elements of arrays at another place, but no component or row at an index that it does not know early.

struct Varyings
{
    nointerpolation float4 list[3] : LIST;
    nointerpolation float3x4 turn : TURN;
    float3x4 smooth : SMOOTH;
    uint index : INDEX;
};

float4 main(Varyings v) : SV_Target
{
    float4 sum = GetAttributeAtVertex(v.list[v.index], 1) + GetAttributeAtVertex(v.turn[1], 2);
    sum += GetAttributeAtVertex(v.turn, 1)[v.index];
    sum += GetAttributeAtVertex(v.turn[v.index], 1); // error[E0501]: sm_6_6 has no `GetAttributeAtVertex` of a component or row at an index that is not written as a number
    sum += GetAttributeAtVertex(v.list[1][v.index], 1); // error[E0501]: sm_6_6 has no `GetAttributeAtVertex` of a component or row at an index that is not written as a number
    sum += EvaluateAttributeCentroid(v.smooth[1 + 1]) + EvaluateAttributeCentroid(v.smooth[int(1.0)]);
    sum += EvaluateAttributeCentroid(v.smooth[((int3)1).x]); // error[E0501]: sm_6_6 has no `EvaluateAttributeCentroid` of a component or row at an index that is not written as a number
    sum += EvaluateAttributeCentroid((float4)v.smooth[countbits(1)][0]); // error[E0501]: sm_6_6 has no `EvaluateAttributeCentroid` of a component or row at an index that is not written as a number
    return sum + EvaluateAttributeCentroid(v.smooth[v.index]); // error[E0501]: sm_6_6 has no `EvaluateAttributeCentroid` of a component or row at an index that is not written as a number
}
