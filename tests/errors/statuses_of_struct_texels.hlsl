// options: target=hlsl entry=main:compute
// DXC reads texels that are structs by an index, but does not write them or tell their status.

struct Texel
{
    int first;
    int second;
};

Buffer<Texel> texels;
Buffer<int2> pairs;
RWBuffer<Texel> changed;
RWStructuredBuffer<int> result;

[numthreads(1, 1, 1)]
void main(uint index : SV_GroupIndex)
{
    uint status;
    result[0] = texels.Load(index).first + // error[E0501]: sm_6_6 has no `Load` of texels that are structs: an index reads them
        pairs.Load(index, status).x;
    result[1] = texels.Load(index, status).second; // error[E0501]: sm_6_6 has no status of texels that are structs
    changed[1].first = 2; // error[E0501]: sm_6_6 has no writes of texels that are structs
    changed[index] = changed[2]; // error[E0501]: sm_6_6 has no writes of texels that are structs
    result[3] = texels[index].first + changed.Load(2).second;
    result[2] = CheckAccessFullyMapped(status);
}
