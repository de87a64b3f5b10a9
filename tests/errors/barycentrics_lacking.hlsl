// options: target=wgsl entry=main:fragment
// There are none of either kind.

float4 main(
    float3 weights : SV_Barycentrics, // error[E0501]: wgsl has no `SV_Barycentrics` in fragment shaders
    noperspective float3 screen : SV_Barycentrics1 // error[E0501]: wgsl has no `SV_Barycentrics` in fragment shaders
) : SV_Target
{
    return float4(weights + screen, 1);
}
