// options: target=glsl entry=miss:miss
// Only HLSL has the subobjects of state objects.

GlobalRootSignature everything = { "UAV(u0)" }; // warning[E0502]: the subobject `everything` is omitted: glsl_460 has none
SubobjectToExportsAssociation association = { "everything", "miss" }; // warning[E0502]: the subobject `association` is omitted
RaytracingShaderConfig sizes = { 16, 8 }; // warning[E0502]: the subobject `sizes` is omitted
ProceduralPrimitiveHitGroup boxes = { "", "hit", "boxes" }; // warning[E0502]: the subobject `boxes` is omitted

struct Payload
{
    float4 color;
};

[shader("miss")]
void miss(inout Payload payload)
{
    payload.color = 1;
}
