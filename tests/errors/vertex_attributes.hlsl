// options: entry=main:fragment target=glsl
// Values at vertices are not interpolated.

float4 main(float4 color : COLOR) : SV_Target
{
    return GetAttributeAtVertex(color, 1); // error[E0501]: `GetAttributeAtVertex` is given an input that is declared with `nointerpolation` or `pervertex`
}
