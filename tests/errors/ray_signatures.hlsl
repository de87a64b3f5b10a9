// options: target=hlsl
// Stages of ray tracing have root signatures as objects of their library.

RWStructuredBuffer<float> result : register(u0);

[shader("anyhit")]
[RootSignature("UAV(u0)")] // warning[E0502]: the root signature is omitted: a anyhit shader has none
void main()
{
    result[0] = 1.0;
}

[shader("raygeneration")]
[RootSignature("UAV(u0)")] // warning[E0502]: the root signature is omitted: a raygeneration shader has none
void generate()
{
    result[1] = 1.0;
}
