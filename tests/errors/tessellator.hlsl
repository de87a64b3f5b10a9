// options: target=hlsl,glsl entry=main:hull
// A tessellator makes of a domain what the domain has, and factors from 1 to 64.

struct Point
{
    float4 position : POSITION;
};

struct Constants
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Constants constants(InputPatch<Point, 3> patch)
{
    Constants made;
    made.edges[0] = made.edges[1] = made.edges[2] = made.inside = 1;
    return made;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("line")] // error[E0603]: the domain `tri` has no `line` as output
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
[maxtessfactor(0.5)] // error[E0603]: `[maxtessfactor]` is from 1 to 64
Point main(InputPatch<Point, 3> patch, uint i : SV_OutputControlPointID)
{
    return patch[i];
}
