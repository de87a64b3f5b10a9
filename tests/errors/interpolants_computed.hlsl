// options: target=hlsl entry=main:fragment
// A function that evaluates its parameter elsewhere is given an input, not a value that was computed.

float3 tint(float3 c, float weight)
{
    return EvaluateAttributeCentroid(c) * weight; // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage, or a part of one, and nothing else
}

float4 main(float3 color : COLOR, float2x2 turn : TURN) : SV_Target
{
    float x = EvaluateAttributeCentroid(color.z);
    float3 copy = color;
    float2x2 moved = turn * 2.0;
    float2x2 still = EvaluateAttributeCentroid(moved); // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage, or a part of one, and nothing else
    return float4(tint(x, color.x), EvaluateAttributeCentroid(copy).x) + still[0].x;
}
