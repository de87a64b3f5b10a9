// options: target=hlsl
// Offsets in texels that call builtins, which compilers fold.

Texture2D<float4> image;
SamplerState s;

float4 main(float2 uv : UV) : SV_Target
{
    float4 sum = image.Sample(s, uv, int2(countbits(127), firstbithigh(1u << 7)));
    sum += image.Sample(s, uv, int2(countbits(255), 0)); // error[E0304]: an offset in texels is from -8 to 7
    sum += image.Load(int3(0, 0, 0), int2(0, abs(-9))); // error[E0304]: an offset in texels is from -8 to 7
    return sum + image.Gather(s, uv, int2(countbits(255), 0));
}
