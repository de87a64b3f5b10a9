// options: target=hlsl entry=main:fragment
// Most system values are one row of a signature.

float4 main(
    float4 at[2] : SV_Position, // error[E0603]: there is one `SV_Position` here, and no array of it
    uint instances[2] : SV_InstanceID,
    float2 clip[2] : SV_ClipDistance,
    uint samples[1] : SV_SampleIndex) : SV_Target
{
    return at[0] + clip[1].x + samples[0] + instances[1];
}
