// options: target=glsl entry=main:domain
// A patch has at most 32 control points.

struct Point
{
    float4 position : SV_Position;
};

struct Factors
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

float4 corner(OutputPatch<Point, 32> patch)
{
    return patch[31].position;
}

[domain("tri")]
Point main(Factors factors, float3 at : SV_DomainLocation, const OutputPatch<Point, 33> patch) // error[E0316]: a patch has at most 32 control points
{
    return patch[0];
}
