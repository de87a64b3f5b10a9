// Places that plain globals cannot have.

float4 a : register(c3);
float4 b : packoffset(c1); // error[E0402]: members of a `cbuffer`

float4 main() : SV_Target
{
    return a + b;
}

in float2 corner : TEXCOORD0; // error[E0315]: `in` is for parameters
