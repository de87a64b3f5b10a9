// options: target=wgsl entry=main:fragment
// A static variable that a function sets where the flow has parted is not known before.

Texture2D<float4> image;
SamplerState smooth;
static float2 place;

void advance()
{
    place *= 2;
}

float4 main(float2 uv : UV, nointerpolation int kind : KIND) : SV_Target
{
    place = uv;
    if (kind > 3)
    {
        advance();
        return image.Sample(smooth, place); // error[E0501]: a derivative, or a sample that takes one, that not all invocations may reach together is not supported by wgsl
    }
    return 0;
}
