// options: target=hlsl,glsl,wgsl
// No stage passes on a string or a ray query.

struct Vertex
{
    float4 position : SV_Position;
    string name : NAME;
};
struct Traced
{
    RayQuery<0> query;
    float4 color : COLOR;
};
struct Pair
{
    float4 position : SV_Position;
    float2 uv : UV;
};

[shader("vertex")]
Vertex draw(float4 p : P) // error[E0603]: the result has a string, which no stage puts out
{
    Vertex v = {p, "name"};
    return v;
}

[shader("pixel")]
float4 paint(Traced t) : SV_Target // error[E0603]: `t` has a ray query or hit object, which no stage is given
{
    return t.color;
}

[shader("vertex")]
float4 named(string s : NAME, Pair pair) : SV_Position // error[E0603]: `s` has a string, which no stage is given
{
    return pair.position;
}

[shader("pixel")]
float4 shade(uniform Traced t) : SV_Target // error[E0603]: `t` has a ray query or hit object, which no stage is given
{
    return t.color;
}
