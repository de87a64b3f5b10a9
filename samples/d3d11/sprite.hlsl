// 2D sprites and text: one quad a sprite, expanded from the vertex id, no vertex buffer.

struct Sprite
{
    float4 Rect;     // x, y, width, height in pixels
    float4 UvRect;   // left, top, right, bottom
    uint   Color;    // RGBA8, packed by the CPU
    float  Rotation; // radians, around the centre
    float2 Pad;
};

StructuredBuffer<Sprite> Sprites : register(t0);
Texture2D<float4> Atlas : register(t1);
sampler AtlasSampler : register(s0);

// Loose globals, as the old effect framework had them: they end up in $Globals.
float2 InverseScreenSize;
float DistanceFieldEdge;

struct SpriteVertex
{
    float4 Position : SV_POSITION;
    float4 Color    : COLOR0;
    float2 Uv       : TEXCOORD0;
};

float4 UnpackColor(uint packed)
{
    return float4(packed & 0xff, (packed >> 8) & 0xff, (packed >> 16) & 0xff, packed >> 24) / 255.0;
}

SpriteVertex VSMain(uint vertexId : SV_VertexID, uint instance : SV_InstanceID)
{
    Sprite sprite = Sprites[instance];

    // 0 1 2, 2 1 3 as a strip: bit 0 is x, bit 1 is y.
    float2 corner = float2(vertexId & 1, vertexId >> 1);

    float s, c;
    sincos(sprite.Rotation, s, c);
    float2 fromCentre = (corner - 0.5) * sprite.Rect.zw;
    float2 rotated = float2(fromCentre.x * c - fromCentre.y * s, fromCentre.x * s + fromCentre.y * c);
    float2 pixel = sprite.Rect.xy + sprite.Rect.zw * 0.5 + rotated;

    SpriteVertex output;
    output.Position = float4(pixel * InverseScreenSize * float2(2, -2) + float2(-1, 1), 0, 1);
    output.Color = UnpackColor(sprite.Color);
    output.Uv = lerp(sprite.UvRect.xy, sprite.UvRect.zw, corner);
    return output;
}

float4 PSMain(SpriteVertex input) : SV_Target
{
    float4 texel = Atlas.Sample(AtlasSampler, input.Uv);
    float4 color = texel * input.Color;

    // Glyphs are distance fields; DistanceFieldEdge is 0 for pictures.
    [branch]
    if (DistanceFieldEdge > 0)
    {
        float width = fwidth(texel.a);
        color = input.Color;
        color.a *= smoothstep(DistanceFieldEdge - width, DistanceFieldEdge + width, texel.a);
    }

    color.rgb *= color.a; // premultiplied
    return color;
}
