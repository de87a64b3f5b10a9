// options: target=hlsl,glsl,wgsl entry=main:compute
// Static variables of resources are followed as variables of the entry point are.

Texture2D<float4> first;
Texture2D<float4> second;
RWStructuredBuffer<float4> result;
static Texture2D<float4> chosen;
static Texture2D<float4> early;

float4 load(int i) { return chosen.Load(int3(i, 0, 0)); }

void choose(bool other)
{
    if (other)
        chosen = second;
}

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    result[0] = early.Load(0); // error[E0501]: a variable that has not been given a resource
    early = first;
    chosen = first;
    choose(id.x > 1);
    result[1] = load(1); // error[E0501]: a variable that stands for different resources
}
