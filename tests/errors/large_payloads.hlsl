// options: target=hlsl
// What an amplification shader gives its mesh shaders has a largest size.

struct Task
{
    uint ids[4097];
};

struct Corner
{
    float4 position : SV_Position;
};

groupshared Task task;

[shader("amplification")]
[numthreads(1, 1, 1)]
void amplify()
{
    task.ids[0] = 1;
    DispatchMesh(1, 1, 1, task); // error[E0501]: a payload has at most 16384 bytes in sm_6_6, and `Task` has 16388
}

[shader("mesh")]
[outputtopology("triangle")]
[numthreads(3, 1, 1)]
void mesh(
    uint t : SV_GroupIndex,
    in payload Task given, // error[E0501]: a payload has at most 16384 bytes in sm_6_6, and `Task` has 16388
    out vertices Corner v[3],
    out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    v[t].position = given.ids[t];
    triangles[0] = uint3(0, 1, 2);
}
