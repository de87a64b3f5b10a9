// options: target=hlsl entry=main:fragment
// A function that reads a parameter at a vertex is given an input.

float3 read(float3 value, uint vertex)
{
    return GetAttributeAtVertex(value, vertex) + GetAttributeAtVertex(vertex, 1); // error[E0501]: `GetAttributeAtVertex` is given an input of the stage, or a part of one, and nothing else
}

float4 main(nointerpolation float3 color : COLOR) : SV_Target
{
    return read(color, 2).xyzz;
}
