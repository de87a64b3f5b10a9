// options: target=glsl
// An input or output variable of GLSL has one type, whoever reads it.

struct Point
{
    float4 position : POSITION;
};

struct Taken
{
    float3 position : POSITION; // error[E0603]: `POSITION` of `taken` has another type in the patch that `main` takes
};

struct Constants
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Constants constants(InputPatch<Taken, 3> taken)
{
    Constants result;
    result.edges[0] = result.edges[1] = result.edges[2] = result.inside = taken[0].position.x;
    return result;
}

[shader("hull")]
[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
Point main(InputPatch<Point, 3> patch, uint id : SV_OutputControlPointID)
{
    return patch[id];
}
