// options: target=hlsl entry=main:fragment
// Of an element at an index that varies it is not known which input it is, once the array is copied.

float2 corner(float2 uv[2], uint i, uint j)
{
    float2 local[2] = uv;
    return EvaluateAttributeAtSample(local[i], i) + EvaluateAttributeAtSample(uv[j], i)
        + EvaluateAttributeAtSample(local[j], i); // error[E0501]: `EvaluateAttributeAtSample` is given an input of the stage, or a part of one, and nothing else
}

float4 main(float2 uv[2] : UV, nointerpolation uint j : J) : SV_Target
{
    return corner(uv, 1, j).xyxy;
}
