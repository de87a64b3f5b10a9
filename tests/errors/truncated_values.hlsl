// What DXC warns of by default: values that become smaller without a word.
cbuffer Frame { float4x4 turn; float4 place; float3 normal; uint4 counts; };
RWStructuredBuffer<float> result;

float3 first() { return place; } // warning[E0324]: `float4` becomes `float3`
float3 given(float3 value) { return value; }

[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float3 a = place; // warning[E0324]: `float4` becomes `float3`
    float x = place; // warning[E0324]: `float4` becomes `float`
    a += place; // warning[E0324]: `float4` becomes `float3`
    float3 product = a * place; // warning[E0324]: `float4` becomes `float3`
    a += given(place); // warning[E0324]: `float4` becomes `float3`
    float3x3 part = turn; // warning[E0324]: `float4x4` becomes `float3x3`
    a += lerp(normal, place, 0.5); // warning[E0324]: `float4` becomes `float3`
    uint index = id; // warning[E0324]: `uint3` becomes `uint`
    bool3 less = normal < place; // warning[E0324]: `float4` becomes `float3`
    int2 shorter = counts; // warning[E0324]: `uint4` becomes `int2`
    float2 literal = float4(1, 2, 3, 4); // warning[E0324]: `float4` becomes `float2`
    // What is written is meant.
    a += (float3)place + place.xyz + mul((float3x3)turn, normal);
    float3 one = place.x;
    float2x2 four = (float2x2)turn;
    result[index] = dot(a + product + part[0] + one, normal) + x + less.x + shorter.x + literal.y + four[0][0] + first().x;
}
