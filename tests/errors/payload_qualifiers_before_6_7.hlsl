// options: target=hlsl entry=main:miss
// What a payload says of its stages changes no value.
struct [raypayload] Payload // warning[E0502]: the access qualifiers of `Payload` are omitted: they came with Shader Model 6.7
{
    float4 color : write(miss) : read(caller);
};

[shader("miss")]
void main(inout Payload payload)
{
    payload.color = 1;
}
