// options: target=hlsl entry=main:compute
// The texels of D3D may be structs, but for those with 64-bit numbers or truth values.

struct Key
{
    uint64_t low;
};

struct Weight
{
    double parts[2];
};

struct Flag
{
    bool set;
};

struct Half
{
    float16_t4 value;
};

enum Kind : uint
{
    Plain,
    Odd,
};

struct Named
{
    Kind kind;
    uint count;
};

Buffer<Key> keys; // error[E0501]: sm_6_6 has no texels of structs with 64-bit numbers, as those of `keys`
Buffer<Weight> weights; // error[E0501]: sm_6_6 has no texels of structs with 64-bit numbers, as those of `weights`
Buffer<Flag> flags[2]; // error[E0501]: sm_6_6 has no texels with truth values, as those of `flags`
Buffer<Half> halves;
Buffer<Named> names;
Buffer<uint64_t2> pairs;
RWBuffer<int> result;

[numthreads(1, 1, 1)]
void main(uint index : SV_GroupIndex)
{
    int sum = flags[1][index].set ? 1 : 0;
    sum += (int)halves[index].value.y + (int)names[index].kind + (int)pairs[index].y;
    result[index] = sum + (int)keys[index].low + (int)weights[index].parts[1];
}
