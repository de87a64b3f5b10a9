// options: target=hlsl entry=main:compute
// DXIL has no clock.
RWStructuredBuffer<uint> result;

[numthreads(1, 1, 1)]
void main()
{
    result[1] = uint(vk::ReadClock(vk::DeviceScope)); // error[E0501]: sm_6_6 does not support what Vulkan has
}
