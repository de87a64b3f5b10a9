// options: target=hlsl
// What is given values that are no inputs alone, before it is evaluated or after that, is none.

[shader("pixel")]
float4 main(nointerpolation float4 a : A, float4 b : B) : SV_Target
{
    float4 sum = GetAttributeAtVertex(sum, 1); // error[E0501]: `GetAttributeAtVertex` is given an input of the stage
    float4 twice;
    twice = b * 2;
    float4 kept;
    kept = b;
    float4 added, stepped;
    added += b;
    stepped++;
    sum += EvaluateAttributeCentroid(twice); // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage
    sum += EvaluateAttributeCentroid(added); // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage
    sum += EvaluateAttributeCentroid(stepped); // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage
    return sum + EvaluateAttributeCentroid(kept) + GetAttributeAtVertex(a, 2);
}
