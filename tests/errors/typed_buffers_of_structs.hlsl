// options: target=glsl
// A texel is a struct in D3D alone.

struct Texel
{
    int a;
    int b;
};

Buffer<Texel> texels; // error[E0501]: `texels` is a typed buffer of structs, which glsl_460 has not
RWBuffer<int> result;

[numthreads(1, 1, 1)]
void main(uint index : SV_GroupIndex)
{
    result[index] = texels[index].b;
}
