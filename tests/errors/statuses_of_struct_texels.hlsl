// options: target=hlsl entry=main:compute
// DXC reads texels that are structs, but not with their status.

struct Texel
{
    int first;
    int second;
};

Buffer<Texel> texels;
Buffer<int2> pairs;
RWStructuredBuffer<int> result;

[numthreads(1, 1, 1)]
void main(uint index : SV_GroupIndex)
{
    uint status;
    result[0] = texels.Load(index).first + pairs.Load(index, status).x;
    result[1] = texels.Load(index, status).second; // error[E0501]: sm_6_6 has no status of texels that are structs
    result[2] = CheckAccessFullyMapped(status);
}
