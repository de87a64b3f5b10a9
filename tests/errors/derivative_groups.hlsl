// options: target=glsl
RWStructuredBuffer<float> result;

[numthreads(3, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    result[id.x] = ddx(float(id.x)); // error[E0501]: `ddx` takes a derivative, and a work group of 3x1x1 is not made of quads
}
