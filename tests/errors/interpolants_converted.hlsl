// options: entry=main:fragment target=hlsl
// A number that is converted is computed, also behind a variable; a vector of one that is not is the input.
float4 at(float4 x, uint i)
{
    return EvaluateAttributeAtSample(x, i); // error[E0501]: `EvaluateAttributeAtSample` is given an input of the stage, or a part of one, and nothing else
}

float2 spread(float2 x)
{
    return EvaluateAttributeCentroid(x);
}

float4 main(uint i : I, float2 k : K) : SV_Target
{
    float4 changed = i;
    float2 same = k.x;
    return at(changed, i) + spread(same).xyxy;
}
