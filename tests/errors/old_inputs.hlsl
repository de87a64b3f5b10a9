// Inputs of Direct3D 9 are floats.

float4 shade(float2 pixel : VPOS, int face : VFACE) : COLOR // error[E0319]: the input `VFACE` is not supported here
{
    return float4(pixel, face, 1);
}

technique Draw { pass { PixelShader = compile ps_3_0 shade(); } }

struct Moved
{
    float2 at : VPOS; // error[E0319]: the input `VPOS` is not supported in this struct
};

float4 move(Moved moved) : COLOR
{
    moved.at += 1;
    return moved.at.xyxy;
}

technique Move { pass { PixelShader = compile ps_3_0 move(); } }
