// options: target=hlsl entry=main:domain
// D3D has tessellation factors as arrays alone.

struct Point { float4 at : AT; };

struct Factors
{
    float first : SV_TessFactor0;
    float second : SV_TessFactor1; // error[E0501]: `SV_TessFactor1` is not in sm_6_6: the largest index is 0
    float third : SV_TessFactor2; // error[E0501]: `SV_TessFactor2` is not in sm_6_6: the largest index is 0
    float inside : SV_InsideTessFactor;
};

[domain("tri")]
float4 main(Factors f, float3 at : SV_DomainLocation, OutputPatch<Point, 3> points) : SV_Position
{
    return points[0].at * f.inside;
}
