// options: target=hlsl,glsl,wgsl entry=main:compute
// Values of shader parameters are ignored, which is told.
const float scale = 3.0; // warning[E0314]: the value of the shader parameter `scale` is ignored: the application sets it
uniform float4 tint = { 1, 2, 3, 4 }; // warning[E0314]: the value of the shader parameter `tint` is ignored: the application sets it
static const float own = 2.0;
static float variable = 1.0;
RWStructuredBuffer<float4> output;

[numthreads(1, 1, 1)]
void main()
{
    output[0] = tint * scale * own + variable;
}
