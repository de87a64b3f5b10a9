// options: target=hlsl entry=main:fragment
// What is read at a vertex is not interpolated; integers never are.

struct Varyings
{
    float4 position : SV_Position;
    float weight : WEIGHT;
    int material : MATERIAL;
    nointerpolation float3 color : COLOR;
};

float4 main(Varyings v, float2 uv : UV, nointerpolation Varyings flat : FLAT) : SV_Target
{
    float sum = GetAttributeAtVertex(v.weight, 2); // error[E0501]: `GetAttributeAtVertex` is given an input that is declared with `nointerpolation` or `pervertex`
    sum += GetAttributeAtVertex(uv, 1).x; // error[E0501]: `GetAttributeAtVertex` is given an input that is declared with `nointerpolation` or `pervertex`
    sum += GetAttributeAtVertex(flat.weight, 1) + GetAttributeAtVertex(v.material, 1);
    return float4(GetAttributeAtVertex(v.color, 0), sum);
}
