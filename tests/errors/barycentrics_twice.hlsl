// options: target=hlsl entry=main:fragment
// D3D has the position within a primitive with perspective and without.

float4 main(
    float3 weights : SV_Barycentrics,
    float3 again : SV_Barycentrics1 // error[E0501]: sm_6_6 has one `SV_Barycentrics` with perspective and one without
) : SV_Target
{
    return float4(weights + again, 1);
}
