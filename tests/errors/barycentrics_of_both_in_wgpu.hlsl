// options: target=wgsl profile=wgpu entry=main:fragment
// A shader has one of them, of either kind.

float4 main(
    float3 weights : SV_Barycentrics,
    noperspective float3 screen : SV_Barycentrics1 // error[E0501]: wgpu has one `SV_Barycentrics` in a shader, with perspective or without
) : SV_Target
{
    return float4(weights + screen, 1);
}
