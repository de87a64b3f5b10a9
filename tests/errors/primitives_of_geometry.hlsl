// options: target=hlsl,glsl
// What comes into a geometry shader is one primitive, and what it gives goes to its streams.

struct Vertex
{
    float4 position : SV_Position;
};

[shader("geometry")]
[maxvertexcount(2)]
void two(
    line Vertex vertices[2],
    lineadj float4 colors[4] : COLOR, // error[E0603]: `colors` is of a `lineadj`, and what comes in is a `line`
    inout LineStream<Vertex> stream)
{
    stream.Append(vertices[0]);
}

[shader("geometry")]
[maxvertexcount(2)]
void beside(
    line Vertex vertices[2],
    inout LineStream<Vertex> stream,
    out float4 color : COLOR) // error[E0603]: `color` cannot be an output of a geometry shader
{
    color = 1;
    stream.Append(vertices[0]);
}
