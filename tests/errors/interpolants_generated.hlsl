// options: target=hlsl
// What the stage generates has no value at a vertex, and its position none at a sample.

struct Varyings
{
    float4 position : SV_Position;
    uint view : SV_ViewID;
    nointerpolation uint material : MATERIAL;
};

uint at(uint value)
{
    return GetAttributeAtVertex(value, 1); // error[E0501]: `GetAttributeAtVertex` is given an input of the stage, or a part of one, and nothing else
}

[shader("pixel")]
float4 main(Varyings v, uint coverage : SV_Coverage, nointerpolation uint primitive : SV_PrimitiveID) : SV_Target
{
    uint sum = GetAttributeAtVertex(v.material, 0) + GetAttributeAtVertex(primitive, 0);
    sum += GetAttributeAtVertex(v.view, 1); // error[E0501]: `GetAttributeAtVertex` is given an input of the stage, or a part of one, and nothing else
    sum += GetAttributeAtVertex(coverage, 1); // error[E0501]: `GetAttributeAtVertex` is given an input of the stage, or a part of one, and nothing else
    sum += at(v.view);
    return EvaluateAttributeAtSample(v.position, 1) * sum; // error[E0501]: `EvaluateAttributeAtSample` is given an input of the stage, or a part of one, and nothing else
}
