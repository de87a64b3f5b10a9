// options: target=hlsl,glsl,wgsl entry=main:compute
// What vertices are of is said in geometry shaders, and a mesh gives its outputs.

RWStructuredBuffer<float4> result;

float4 first(vertices float4 x) // error[E0603]: a parameter with `vertices` is `out`
{
    return x;
}

float4 last(triangle float4 x)
{
    return x;
}

[numthreads(1, 1, 1)]
void main(triangle uint3 id : SV_DispatchThreadID) // error[E0603]: `triangle` is for the vertices of geometry entry points
{
    result[id.x] = first(1) + last(2);
}
