// options: target=hlsl,glsl
// The function of patch constants is given what the points have, found by semantics.

struct Point
{
    float4 position : POSITION;
    float2 uv : TEXCOORD;
};

struct Taken
{
    float2 uv : TEXCOORD;
    float3 color : COLOR; // error[E0603]: `COLOR` of `taken` is not in the patch that `main` takes
};

struct Made
{
    float level : SV_TessFactor; // error[E0603]: `SV_TessFactor` of `made` is not in the patch that `main` makes
};

struct Constants
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Constants constants(InputPatch<Taken, 3> taken, OutputPatch<Made, 3> made)
{
    Constants result;
    result.edges[0] = result.edges[1] = result.edges[2] = result.inside = taken[0].uv.x;
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
