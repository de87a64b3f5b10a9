// options: target=hlsl entry=main:fragment
// A parameter is a constant that is no index of the array.
float2 corner(float2 uv[2], uint j)
{
    float2 local[2] = uv;
    float2 copied = EvaluateAttributeAtSample(local[j], 0); // error[E0501]: `EvaluateAttributeAtSample` is given an input of the stage, or a part of one, and nothing else
    return copied + EvaluateAttributeAtSample(uv[j], 0); // error[E0501]: `EvaluateAttributeAtSample` is given an input of the stage, or a part of one, and nothing else
}

float4 main(float2 uv[2] : UV) : SV_Target
{
    return corner(uv, 2).xyxy;
}
