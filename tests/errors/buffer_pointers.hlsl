// options: entry=main:compute target=wgsl
// Addresses of memory are those of Vulkan.

struct Root { vk::BufferPointer<int> p; }; // error[E0501]: wgsl does not support buffer device addresses

[[vk::push_constant]] Root root;

[numthreads(1, 1, 1)]
void main()
{
    root.p.Get() = 1;
}
