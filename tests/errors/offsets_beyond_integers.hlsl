// options: target=hlsl entry=main:fragment
// A float beyond the integers is no offset in texels, also where a function gives it.
Texture2D<float4> image;
SamplerState filtering;

int2 far()
{
    return int2(0, -1e39);
}

float4 main(float2 uv : UV) : SV_Target
{
    return image.Sample(filtering, uv, far()); // error[E0304]: an offset in texels is from -8 to 7
}
