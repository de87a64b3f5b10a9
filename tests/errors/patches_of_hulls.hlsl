// options: target=hlsl,glsl
// A hull shader takes the patch that comes in, and its function of constants the same.

struct Point
{
    float3 position : POSITION;
};

struct Constants
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Constants constants(InputPatch<Point, 3> taken) // error[E0603]: `taken` is a patch that `main` does not take
{
    Constants made;
    made.edges[0] = made.edges[1] = made.edges[2] = made.inside = taken[0].position.x;
    return made;
}

Constants ofOutputs(OutputPatch<Point, 3> made)
{
    Constants result;
    result.edges[0] = result.edges[1] = result.edges[2] = result.inside = made[0].position.x;
    return result;
}

[shader("hull")]
[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
Point main(uint id : SV_OutputControlPointID)
{
    return (Point)float(id);
}

[shader("hull")]
[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("ofOutputs")]
Point other(uint id : SV_OutputControlPointID)
{
    return (Point)float(id);
}
