// options: target=hlsl
// An array without a size takes all registers from its own on: none is left for the buffer of plain globals.

struct Values { float4 v; };
RWStructuredBuffer<float4> result;
ConstantBuffer<Values> all[] : register(b0);
float4 offset; // error[E0403]: no room for `$Globals`

[numthreads(1, 1, 1)]
void main()
{
    result[0] = all[3].v + offset;
}
