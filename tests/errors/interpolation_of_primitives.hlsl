// The vertices of a primitive are given as they are: words of interpolation before them mean nothing, and HLSL refuses the two.

struct V
{
    float4 position : SV_Position;
    float weight : W;
};

[shader("geometry")]
[maxvertexcount(1)]
void first(sample point V v[1], inout PointStream<V> s) // warning[E0603]: the interpolation of `v` is ignored: the vertices of a primitive have none
{
    s.Append(v[0]);
}

[shader("geometry")]
[maxvertexcount(1)]
void second(linear noperspective triangleadj V v[6], inout PointStream<V> s) // warning[E0603]: the interpolation of `v` is ignored
{
    s.Append(v[0]);
}
