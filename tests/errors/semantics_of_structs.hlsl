// options: target=hlsl entry=main:fragment
// A struct that comes in twice has its semantics twice.

struct Surface
{
    float3 normal : NORMAL; // error[E0603]: two of one direction have the semantic `NORMAL0`
};

struct Pair
{
    float weight : WEIGHT;
    Surface first;
    Surface second : SECOND;
};

float4 main(Pair a, Surface b, Pair c : OTHER, float d : WEIGHT) : SV_Target // error[E0603]: two of one direction have the semantic `WEIGHT0`
{
    return float4(a.first.normal + a.second.normal + b.normal + c.first.normal, d);
}
