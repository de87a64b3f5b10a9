// options: target=glsl entry=counted:geometry entry=appended:geometry entry=copied:geometry
// A layer that a vertex shader has set is not to be read, neither from a copy nor by handing the vertex on.

struct Counted
{
    float4 position : SV_Position;
    uint layer : SV_RenderTargetArrayIndex; // error[E0501]: glsl_460 has no `SV_RenderTargetArrayIndex` in geometry shaders
};

[maxvertexcount(3)]
void counted(triangle Counted input[3], inout TriangleStream<Counted> stream)
{
    for (int i = 0; i < 3; ++i)
    {
        Counted v = input[i];
        v.layer += 1;
        stream.Append(v);
    }
}

struct Appended
{
    float4 position : SV_Position;
    uint layer : SV_RenderTargetArrayIndex; // error[E0501]: glsl_460 has no `SV_RenderTargetArrayIndex` in geometry shaders
};

[maxvertexcount(3)]
void appended(triangle Appended input[3], inout TriangleStream<Appended> stream)
{
    for (int i = 0; i < 3; ++i)
        stream.Append(input[i]);
}

struct Copied
{
    float4 position : SV_Position;
    uint viewport : SV_ViewportArrayIndex; // error[E0501]: glsl_460 has no `SV_ViewportArrayIndex` in geometry shaders
};

[maxvertexcount(1)]
void copied(point Copied input[1], inout PointStream<Copied> stream)
{
    Copied all[1] = input;
    Copied v = all[0];
    stream.Append(v);
}
