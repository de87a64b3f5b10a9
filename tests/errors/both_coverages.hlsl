// options: target=hlsl entry=main:fragment
// D3D gives a shader the covered samples, or whether the pixel is covered as a whole.

float4 main(
    float4 position : SV_Position,
    uint inner : SV_InnerCoverage, // error[E0603]: `inner` is `SV_InnerCoverage`, which a shader has not beside `SV_Coverage`
    uint samples : SV_Coverage) : SV_Target
{
    return position * inner + samples;
}
