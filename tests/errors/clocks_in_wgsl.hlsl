// options: target=wgsl entry=main:compute
// WGSL has no clock.
RWStructuredBuffer<uint> result;

[numthreads(1, 1, 1)]
void main()
{
    result[1] = uint(vk::ReadClock(vk::DeviceScope)); // error[E0501]: wgsl does not support what Vulkan has
}
