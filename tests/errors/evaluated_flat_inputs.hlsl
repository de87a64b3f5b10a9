// options: target=hlsl
// Elsewhere is evaluated what is interpolated.

struct Input
{
    nointerpolation float4 flat : A;
    float4 smooth : B;
};

[shader("pixel")]
float4 main(nointerpolation float4 a : C, centroid float4 b : D, Input input, uint s : SV_SampleIndex) : SV_Target
{
    float4 sum = EvaluateAttributeCentroid(b) + EvaluateAttributeAtSample(input.smooth, s);
    sum += EvaluateAttributeAtSample(a, s); // error[E0501]: sm_6_6 has no `EvaluateAttributeAtSample` of an input that is not interpolated
    return sum + EvaluateAttributeSnapped(input.flat, int2(1, 2)); // error[E0501]: has no `EvaluateAttributeSnapped` of an input
}
