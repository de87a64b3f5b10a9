// options: target=glsl
// The binding that a counter is given is taken, in the set of its buffer.

[[vk::binding(3, 4), vk::counter_binding(4)]] RWStructuredBuffer<uint> counted;
[[vk::binding(4, 4)]] Texture2D<float> texture; // error[E0401]: the positions of `texture` and `counted$Counter` overlap
[[vk::binding(6), vk::counter_binding(7)]] RWStructuredBuffer<uint> other;
[[vk::binding(7, 4)]] Texture2D<float> apart;

float4 main() : SV_Target
{
    return counted.IncrementCounter() + other.IncrementCounter() + texture[uint2(0, 0)] + apart[uint2(0, 0)];
}
