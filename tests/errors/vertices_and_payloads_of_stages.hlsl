// The vertices of a primitive are an array, and a mesh shader has one payload.

struct Vertex
{
    float4 position : SV_Position;
};

struct Payload
{
    uint first;
};

[shader("geometry")]
[maxvertexcount(3)]
void one(
    line Vertex vertex, // error[E0603]: `line` is for an array of vertices that comes in
    inout LineStream<Vertex> stream)
{
    stream.Append(vertex);
}

[shader("geometry")]
[maxvertexcount(3)]
void streams(point PointStream<Vertex> stream) // error[E0603]: `point` is for an array of vertices that comes in
{
}

[shader("mesh")]
[numthreads(1, 1, 1)]
[outputtopology("triangle")]
void mesh(
    in payload Payload first,
    in payload Payload second, // error[E0603]: `second` is a second payload: a stage has one
    out vertices Vertex points[3],
    out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    points[0].position = float(first.first + second.first);
    triangles[0] = uint3(0, 1, 2);
}

[shader("compute")]
[numthreads(1, 1, 1)]
void compute(out vertices Vertex points[3]) // error[E0603]: `vertices` is for the outputs of mesh entry points
{
}

[shader("vertex")]
LineStream<Vertex> results(LineStream<Vertex> stream) // error[E0603]: a vertex entry point has no stream like `stream` // error[E0603]: the result has a stream, which no stage puts out
{
    return stream;
}
