// options: target=wgsl
// A variable of one invocation in a struct whose elements in buffers are changed atomically.

struct Bin
{
    uint count;
    void note(uint n)
    {
        InterlockedAdd(count, n); // error[E0501]: an atomic operation on something other than an element of a buffer or a shared variable
    }
};

struct Pair
{
    static Bin bins[2];
};

RWStructuredBuffer<Bin> stored;
RWStructuredBuffer<uint> result;

[shader("compute")]
[numthreads(64, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    Pair::bins[i & 1].note(i);
    stored[i].note(2);
    result[i] = Pair::bins[1].count;
}
