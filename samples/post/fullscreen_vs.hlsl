// One triangle that covers the screen; draw 3 vertices with no buffers bound.

struct FullscreenVertex
{
    float4 position : SV_Position;
    float2 uv       : TEXCOORD0;
};

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    FullscreenVertex output;
    output.uv = float2((id << 1) & 2, id & 2);
    output.position = float4(output.uv * float2(2, -2) + float2(-1, 1), 0, 1);
    return output;
}
