// Subobjects of state objects are the application's to make.

GlobalRootSignature everything = { "UAV(u0)" }; // warning[E0319]: the subobject `everything` is ignored
LocalRootSignature own = { "RootConstants(num32BitConstants = 4, b1)" }; // warning[E0319]: the subobject `own` is ignored
StateObjectConfig config = { STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITONS }; // warning[E0319]: the subobject `config`
SubobjectToExportsAssociation association = { "own", "miss" }; // warning[E0319]: the subobject `association`
RaytracingShaderConfig sizes = { 16, 8 }; // warning[E0319]: the subobject `sizes`
RaytracingPipelineConfig depth = { 1 }; // warning[E0319]: the subobject `depth`
RaytracingPipelineConfig1 depth1 = { 2, RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES }; // warning[E0319]: the subobject `depth1`
TriangleHitGroup triangles = { "any", "hit" }; // warning[E0319]: the subobject `triangles`
ProceduralPrimitiveHitGroup boxes = { "", "hit", "boxes" }; // warning[E0319]: the subobject `boxes`

struct Payload
{
    float4 color;
};

[shader("miss")]
void miss(inout Payload payload)
{
    payload.color = missing; // error[E0301]: `missing` is not declared
}
