// options: target=hlsl,glsl entry=main:hull
// The function of a patch's constants takes no uniforms, no resources and nothing that is `inout`.
struct Point
{
    float3 position : POSITION;
};

struct Constants
{
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Constants constants(InputPatch<Point, 3> patch,
    inout float3 middle : MIDDLE, // error[E0603]: the function of a patch's constants has `middle` as `inout`
    uniform float scale, // error[E0603]: the function of a patch's constants has no input like `scale`
    ConstantBuffer<Point> origin, // error[E0603]: the function of a patch's constants has no input like `origin`
    Texture2D heights, // error[E0603]: the function of a patch's constants has no input like `heights`
    uint first : SV_PrimitiveID,
    uint second : SV_PrimitiveID, // error[E0603]: the function of a patch's constants has `SV_PrimitiveID` twice
    out float2 size : SIZE)
{
    size = 1;
    return (Constants)0;
}

[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
Point main(InputPatch<Point, 3> patch, uint i : SV_OutputControlPointID)
{
    return patch[i];
}
