// Inputs of Direct3D 9 are floats.

float4 shade(float2 pixel : VPOS, int face : VFACE) : COLOR // error[E0319]: the input `VFACE` is not supported here
{
    return float4(pixel, face, 1);
}

technique Draw { pass { PixelShader = compile ps_3_0 shade(); } }
