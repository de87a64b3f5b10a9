// options: target=hlsl entry=main:hull
// A patch that comes in has control points.

struct Point
{
    float4 position : SV_Position;
};

struct Factors
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Factors factors(InputPatch<Point, 0> patch)
{
    Factors result = { { 1, 1, 1 }, 1 };
    return result;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("factors")]
Point main(InputPatch<Point, 0> patch, uint i : SV_OutputControlPointID) // error[E0316]: a patch that comes in has at least one control point
{
    return patch[i];
}
