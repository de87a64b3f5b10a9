// options: target=hlsl,glsl
// What a hull shader puts out comes into domain shaders, and it is given what comes from vertex shaders.

struct Point
{
    float4 position : SV_Position;
};

struct Constants
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Constants constants()
{
    return (Constants)1;
}

[shader("hull")]
[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
Point divide(OutputPatch<Point, 3> patch, uint id : SV_OutputControlPointID) // error[E0603]: a hull entry point has no patch that a hull shader put out like `patch`
{
    return patch[id];
}

[shader("domain")]
[domain("tri")]
float4 place(Constants constants, InputPatch<Point, 3> patch, float3 at : SV_DomainLocation) : SV_Position // error[E0603]: a domain entry point has no patch that comes in like `patch`
{
    return patch[0].position * at.x;
}
