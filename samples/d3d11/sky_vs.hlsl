// Sky: a cube around the camera, drawn last at the far plane.

cbuffer SkyConstants : register(b0)
{
    float4x4 ViewRotationProjection; // no translation: the sky is infinitely far away
};

struct SkyVertex
{
    float4 position  : SV_Position;
    float3 direction : TEXCOORD0;
};

void VSMain(float3 position : POSITION, out SkyVertex output)
{
    output.direction = position;
    // z = w puts every vertex on the far plane after the divide.
    output.position = mul(float4(position, 1), ViewRotationProjection).xyww;
}
