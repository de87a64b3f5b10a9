// What a subobject of a state object holds.
static const float HALF = 0.5;
LocalRootSignature own = { "RootConstants(b0)" }; // error[E0303]: this is no root signature
GlobalRootSignature none = { 3 }; // error[E0303]: a root signature is a string
SubobjectToExportsAssociation association = { "own" }; // error[E0303]: a `SubobjectToExportsAssociation` has 2 values, and `association` has 1
ProceduralPrimitiveHitGroup boxes = { "", "", "" }; // error[E0303]: this string must not be empty
SubobjectToExportsAssociation nothing = { "", "miss" }; // error[E0303]: this string must not be empty
GlobalRootSignature empty = { "" }; // error[E0303]: this string must not be empty
TriangleHitGroup triangles = { any, "hit" }; // error[E0303]: names of exports or subobjects are a string
RaytracingShaderConfig sizes = { -1, 8 }; // error[E0303]: this is no size, count or flag
RaytracingPipelineConfig1 depth = { 2, SKIP_TRIANGLES }; // error[E0301]: `SKIP_TRIANGLES` is not declared
TriangleHitGroup HALF = { "", "hit" }; // error[E0302]: `HALF` is declared twice
TriangleHitGroup group = { "", "hit" };
TriangleHitGroup group = { "", "hit" }; // error[E0302]: `group` is declared twice

struct Payload
{
    float4 color;
};

[shader("miss")]
void miss(inout Payload payload)
{
    payload.color = 1;
}
