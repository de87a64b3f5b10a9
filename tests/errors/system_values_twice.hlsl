// options: target=wgsl entry=main:compute

RWStructuredBuffer<uint> results;

struct Ids
{
    uint3 id : SV_GroupThreadID; // error[E0603]: two of one direction are `SV_GroupThreadID`, of which there is one here
};

[numthreads(8, 1, 1)]
void main(uint3 id : SV_GroupThreadID, Ids ids)
{
    results[id.x] = ids.id.x;
}
