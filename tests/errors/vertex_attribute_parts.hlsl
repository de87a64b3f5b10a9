// options: target=hlsl entry=main:fragment
// The innermost word of interpolation stands.

struct Surface
{
    sample float3 normal : NORMAL;
    float3 tangent : TANGENT;
};
struct Other
{
    nointerpolation float4 color : COLOR;
};
struct Varyings
{
    nointerpolation Surface surface : SURFACE;
    sample Other other : OTHER;
};

float4 main(Varyings v) : SV_Target
{
    float3 sum = GetAttributeAtVertex(v.surface.tangent, 1) + GetAttributeAtVertex(v.other.color, 1).xyz;
    sum += GetAttributeAtVertex(v.surface.normal, 1); // error[E0501]: `GetAttributeAtVertex` is given an input that is declared with `nointerpolation` or `pervertex`
    return sum.xyzz;
}
