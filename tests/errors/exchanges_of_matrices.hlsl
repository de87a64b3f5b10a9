// A matrix of one number is no number.

RWStructuredBuffer<float1x1> floats;
RWStructuredBuffer<uint1x1> words;

[shader("compute")]
[numthreads(64, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    float old;
    uint before;
    InterlockedExchange(floats[i], 1.0, old); // error[E0304]: no overload of `InterlockedExchange` takes
    InterlockedAdd(words[i], 1, before); // error[E0304]: no overload of `InterlockedAdd` takes
    InterlockedAdd(words[i][0][0], 1, before);
}
