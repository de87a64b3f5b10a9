// options: target=hlsl entry=main:compute
// Elements of structured buffers have at most 2048 bytes in D3D.

struct Large
{
    float4 rows[128];
    float last;
};

struct Fits
{
    float4 rows[128];
};

RWStructuredBuffer<Large> written; // error[E0405]: an element of the buffer `written` takes 2052 bytes
StructuredBuffer<Large> list[2]; // error[E0405]: an element of the buffer `list` takes 2052 bytes
StructuredBuffer<Large> unused;
StructuredBuffer<Fits> fitting;

[numthreads(1, 1, 1)]
void main()
{
    written[0].last = list[1][0].last + fitting[0].rows[1].x;
}
