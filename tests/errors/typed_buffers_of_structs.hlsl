// options: target=glsl
// A texel is a struct in D3D alone.

struct Texel
{
    int a;
    int b;
};

Buffer<Texel> texels; // error[E0501]: glsl_460 does not support typed buffers whose texels are structs
RWBuffer<int> result;

[numthreads(1, 1, 1)]
void main(uint index : SV_GroupIndex)
{
    result[index] = texels[index].b;
}
