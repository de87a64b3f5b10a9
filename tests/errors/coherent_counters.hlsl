// options: target=hlsl entry=main:compute
// D3D has no counters at buffers that are coherent among groups.

globallycoherent RWStructuredBuffer<uint> items;
globallycoherent AppendStructuredBuffer<uint> added;
globallycoherent ConsumeStructuredBuffer<uint> taken;
globallycoherent RWStructuredBuffer<uint> plain;
RWStructuredBuffer<uint> counted;

[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    items[items.IncrementCounter()] = i; // error[E0501]: sm_6_6 has no counter at `items`, which is `globallycoherent`
    added.Append(taken.Consume()); // error[E0501]: no counter at `added` // error[E0501]: no counter at `taken`
    plain[counted.DecrementCounter()] = i;
}
