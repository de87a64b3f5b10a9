// options: target=glsl entry=main:fragment
// A misspelled system value that nothing reads is nothing that comes in.
struct Input
{
    float4 position : SV_Position;
    uint view : SV_ViewId;
    float2 other : SV_Foo; // warning[E0502]: `SV_FOO` is no system value: the input, which nothing reads, is omitted
    float2 uv : UV;
};

float4 main(Input input, uint index : SV_PrimitiveIDs) : SV_Target // warning[E0502]: `SV_PRIMITIVEIDS` is no system value: the input, which nothing reads, is omitted
{
    return input.uv.xyxy;
}
