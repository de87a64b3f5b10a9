// options: target=hlsl entry=main:compute
// All numbers of a texel are of one kind.

struct Mixed
{
    int a;
    min16int b;
};

struct Alike
{
    float a[2];
    float2 b;
};

Buffer<Mixed> mixed; // error[E0501]: sm_6_6 has no texels of several kinds of number, as those of `mixed`
Buffer<Alike> alike;
RWBuffer<int> result;

[numthreads(1, 1, 1)]
void main(uint index : SV_GroupIndex)
{
    result[index] = mixed[index].b + alike[index].b.x;
}
