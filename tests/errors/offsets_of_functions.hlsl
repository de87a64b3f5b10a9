// options: target=hlsl entry=main:fragment
// Offsets in texels that functions give are known, too.

Texture2D<float4> colors;
SamplerState s;

int2 far()
{
    return int2(33, 0);
}

int2 near()
{
    return int2(7, -8);
}

float4 main(float2 uv : UV) : SV_Target
{
    float4 sum = colors.Load(int3(4, 4, 0), far()); // error[E0304]: an offset in texels is from -8 to 7
    sum += colors.SampleLevel(s, uv, 0.0, near());
    // These may vary.
    return sum + colors.Gather(s, uv, far());
}
