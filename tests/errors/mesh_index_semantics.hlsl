// options: target=hlsl
// What indices are called is checked as if they were vertices.

struct Vertex
{
    float4 position : SV_Position;
};

[shader("mesh")]
[outputtopology("triangle")]
[numthreads(4, 1, 1)]
void faces(
    uint i : SV_GroupThreadID,
    out vertices Vertex corners[3],
    out indices uint3 triangles[1] : SV_IsFrontFace) // error[E0501]: `SV_IsFrontFace` cannot be given to indices in sm_6_6
{
    SetMeshOutputCounts(3, 1);
    corners[i].position = i;
    triangles[0] = uint3(0, 1, 2);
}

[shader("mesh")]
[outputtopology("line")]
[numthreads(4, 1, 1)]
void named(uint i : SV_GroupThreadID, out vertices Vertex corners[3], out indices uint2 lines[1] : LINES)
{
    SetMeshOutputCounts(3, 1);
    corners[i].position = i;
    lines[0] = uint2(0, 1);
}
