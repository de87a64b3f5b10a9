// options: entry=main:fragment target=glsl
// What is evaluated elsewhere is an input, also where a function is given it.

float4 at(float4 x, uint i)
{
    return EvaluateAttributeAtSample(x, i); // error[E0501]: `EvaluateAttributeAtSample` is given an input of the stage, or a part of one, and nothing else
}

float4 main(float4 color : COLOR, float4x4 turn : TURN, uint i : I) : SV_Target
{
    float2 elements = EvaluateAttributeCentroid(turn._m01_m30 * 2); // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage, or a part of one, and nothing else
    float4 changed = color;
    changed.x += i;
    return at(changed, i) + elements.xyxy;
}
