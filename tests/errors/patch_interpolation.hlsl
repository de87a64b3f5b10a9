// options: target=hlsl entry=main:hull
// Positions of control points are interpolated as well, and integers are not.

struct Point
{
    nointerpolation float4 position : SV_Position; // error[E0501]: `SV_Position` cannot be `nointerpolation` in sm_6_6
    centroid uint kind : KIND; // error[E0501]: integers and bools cannot be `centroid` in sm_6_6
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
[outputcontrolpoints(3)]
[patchconstantfunc("factors")]
Point main(InputPatch<Point, 3> patch, uint i : SV_OutputControlPointID)
{
    return patch[i];
}
