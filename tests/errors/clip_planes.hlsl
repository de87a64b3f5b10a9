// options: entry=main:vertex target=hlsl
// DXC gives the shader a distance to each of the planes.

float4 ground;

[clipplanes(ground)] // error[E0315]: the attribute `[clipplanes]` is not supported
float4 main(float4 p : POSITION) : SV_Position
{
    return p;
}
