// options: target=hlsl
// What DXIL reads by an operation of its own is in no row of a signature, so that there are no arrays of it.

struct Group
{
    uint index[1] : SV_GroupIndex; // error[E0501]: there is one `SV_GroupIndex` here in sm_6_6, and no array or matrix of it
};

RWBuffer<uint> result;

[shader("compute")]
[numthreads(8, 1, 1)]
void fill(uint3 id[1] : SV_DispatchThreadID, Group group) // error[E0501]: there is one `SV_DispatchThreadID` here in sm_6_6, and no array or matrix of it
{
    result[id[0].x] = group.index[0];
}

[shader("pixel")]
float4 shade(uint samples[1] : SV_SampleIndex, uint primitive[1] : SV_PrimitiveID) : SV_Target // error[E0501]: there is one `SV_SampleIndex` here in sm_6_6, and no array or matrix of it
{
    return samples[0] + primitive[0];
}
