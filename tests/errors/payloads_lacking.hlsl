// options: target=wgsl
// What is lacking is the stage, not a form of its payload.

[shader("miss")]
void missed(inout float4 color) // error[E0501]: wgsl does not support ray tracing pipelines
{
    color = 1;
}
