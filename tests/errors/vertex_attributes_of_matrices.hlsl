// options: entry=main:fragment target=hlsl
// Rows at vertices are not interpolated.

struct Varyings
{
    float4 position : SV_Position;
    nointerpolation float2x2 turn : TURN;
    float2x3 material : MATERIAL;
};

float4 main(Varyings v) : SV_Target
{
    float2x2 turn = GetAttributeAtVertex(v.turn, 1);
    float2x3 other = GetAttributeAtVertex(v.material, 2); // error[E0501]: `GetAttributeAtVertex` is given an input that is declared with `nointerpolation` or `pervertex`
    return float4(turn[0], other[0].xy);
}
