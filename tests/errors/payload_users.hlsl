// options: target=hlsl,glsl
// Payloads are of the one who calls and of three stages.
struct [raypayload] Payload
{
    float3 color : read(caller) : write(closesthit, mis); // error[E0315]: `mis` uses no payload: write caller, anyhit, closesthit, miss
};

[shader("miss")]
void main(inout Payload payload)
{
    payload.color = 0;
}
