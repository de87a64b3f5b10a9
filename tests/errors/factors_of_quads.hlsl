// options: target=glsl,hlsl entry=main:hull
// A quad has four sides.
struct Point { float4 position : SV_Position; };

struct Constants
{
    float sides[3] : SV_TessFactor; // error[E0501]: glsl_460 has 4 `SV_TessFactor` for the domain `quad`, and here are 3 // error[E0501]: sm_6_6 has 4 `SV_TessFactor` for the domain `quad`, and here are 3
    float inside[2] : SV_InsideTessFactor;
};

Constants constants(InputPatch<Point, 4> points)
{
    Constants c;
    c.sides[0] = c.sides[1] = c.sides[2] = c.inside[0] = c.inside[1] = 2;
    return c;
}

[domain("quad")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(4)]
[patchconstantfunc("constants")]
Point main(InputPatch<Point, 4> points, uint i : SV_OutputControlPointID)
{
    return points[i];
}
