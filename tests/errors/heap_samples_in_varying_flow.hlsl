// options: target=wgsl entry=main:fragment
// Where the sample is does not matter to a target without heaps.

cbuffer Choice
{
    uint chosen;
};

float4 main(float2 uv : UV) : SV_Target
{
    StructuredBuffer<int> numbers = ResourceDescriptorHeap[chosen]; // error[E0501]: wgsl does not support descriptor heaps
    float4 color = 1;
    if (numbers[0] != -1)
    {
        Texture2D<float4> image = ResourceDescriptorHeap[numbers[0]];
        SamplerState smooth = SamplerDescriptorHeap[chosen];
        color = image.SampleBias(smooth, uv, 1);
    }
    return color;
}
