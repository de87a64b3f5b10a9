// Positions that are malformed or do not suit their type.

Texture2D a : register(t0, space1);
Texture2D b : register(x3); // error[E0402]: `x3`
Texture2D c : register(t); // warning[E0402]: `t0`
Texture2D d : register(t99999999999); // error[E0402]: too large
Texture2D e : register(t1, spaceX); // error[E0402]: `spaceX`
SamplerState f : register(u2); // error[E0402]: `s`
RWTexture2D<float4> g : register(t3); // error[E0402]: `u`

cbuffer Good : register(b0)
{
    float3 h : packoffset(c0.y);
    float i : packoffset(c0);
};

cbuffer Bad : register(t4) // error[E0402]: `b`
{
    float3 j : packoffset(c0.z); // error[E0402]: cross
    float k : packoffset(d1); // error[E0402]: `d1`
    float l : packoffset(c1.q); // error[E0402]: `q`
    float4x4 m : packoffset(c2.y); // error[E0402]: matrix
    float n : packoffset(c5000); // error[E0402]: 4096
};

cbuffer Moved : packoffset(c1) // error[E0402]: `packoffset`
{
    float o;
};

// What has no position at all.
static float4 p : register(t1); // error[E0402]: `c`
static float4 q : register(c1); // warning[E0402]: is ignored
struct Held
{
    Texture2D r : register(t1); // warning[E0402]: is ignored
    Texture2D s : register(u1); // error[E0402]: `t`
};
Held held;
float4 spaced : register(c0, space1); // error[E0402]: space
float4 alone : register(space1); // error[E0402]: space
// Letters may be large, as DXC has it.
Texture2D t : register(T9);

float4 main() : SV_Target
{
    return 1.0;
}
