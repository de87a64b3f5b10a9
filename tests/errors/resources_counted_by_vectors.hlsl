// options: target=hlsl
// A vector of one counts rounds that choose a resource.
Texture2D first;
Texture2D second;
RWStructuredBuffer<float> result;
static Texture2D layer;

[numthreads(8, 1, 1)]
void main()
{
    layer = first;
    for (uint1 i = 0; i < 2; i++)
    {
        result[i] = layer.Load(0).x; // error[E0501]: a variable that stands for different resources
        layer = second;
    }
}
