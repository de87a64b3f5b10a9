// options: target=wgsl entry=main:compute
// What a target lacks is the heap, wherever its elements go.

struct Settings
{
    float4 color;
};

RWStructuredBuffer<float4> result;
uint first;

float4 read(Texture2D<float4> image) { return image.Load(0); }

float4 colored(ConstantBuffer<Settings> settings) { return settings.color; }

float4 listed(StructuredBuffer<Settings> list) { return list[1].color; }

[numthreads(1, 1, 1)]
void main()
{
    ConstantBuffer<Settings> settings = ResourceDescriptorHeap[first]; // error[E0501]: wgsl does not support descriptor heaps (`ResourceDescriptorHeap`, descriptor handles)
    Texture2D<float4> image = ResourceDescriptorHeap[first + 1];
    StructuredBuffer<Settings> list = ResourceDescriptorHeap[first + 2];
    result[0] = colored(settings) + read(image) + listed(list) + listed(ResourceDescriptorHeap[3]);
}
