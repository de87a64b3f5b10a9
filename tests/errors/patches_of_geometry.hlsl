// options: target=glsl entry=main:geometry

struct Point { float4 at : POSITION; };
struct Vertex { float4 position : SV_Position; };

[maxvertexcount(1)]
void main(
    InputPatch<Point, 4> points, // error[E0501]: glsl_460 has no geometry shaders that are given patches
    inout TriangleStream<Vertex> stream)
{
    Vertex v;
    v.position = points[0].at;
    stream.Append(v);
}
