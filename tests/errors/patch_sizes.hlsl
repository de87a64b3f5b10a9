// options: target=hlsl,glsl
// The function of patch constants is given the patches that the entry point has.

struct Vertex
{
    float4 position : SV_Position;
};

struct Factors
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Factors factors(InputPatch<Vertex, 3> taken, // error[E0603]: `taken` has 3 control points, and the patch has 4
                OutputPatch<Vertex, 4> made) // error[E0603]: `made` has 4 control points, and the patch has 3
{
    return (Factors)1;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("factors")]
[shader("hull")]
Vertex control(InputPatch<Vertex, 4> patch, uint index : SV_OutputControlPointID)
{
    return patch[index];
}
