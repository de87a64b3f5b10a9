// options: target=glsl entry=main:hull
// GLSL has no patch without control points; Direct3D has.

struct Point
{
    float4 position : SV_Position;
};

struct Factors
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Factors factors(InputPatch<Point, 3> patch)
{
    Factors all;
    all.edges[0] = all.edges[1] = all.edges[2] = 1;
    all.inside = 1;
    return all;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(0)] // error[E0501]: a hull shader makes at least 1 control point in glsl_460
[patchconstantfunc("factors")]
Point main(InputPatch<Point, 3> patch, uint i : SV_OutputControlPointID)
{
    return patch[i];
}
