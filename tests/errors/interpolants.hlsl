// options: entry=main:fragment target=hlsl
// What is evaluated elsewhere is an input.

float4 main(float4 color : COLOR, nointerpolation bool lit : LIT, float2 uv : UV) : SV_Target
{
    float2 twice = EvaluateAttributeCentroid(uv * 2); // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage, or a part of one, and nothing else
    bool other = GetAttributeAtVertex(lit, 1); // error[E0501]: sm_6_6 has no `GetAttributeAtVertex` of `bool`
    return color + twice.xyxy + other;
}
