// options: target=hlsl
// The arguments of attributes in namespaces that HLSL does not know are any words.

RWStructuredBuffer<float> values;

[[tool::uniforms(B1 X = true, { 1, (2 + [3]) })]] // warning[E0315]: the attribute `[tool::uniforms]` is not known and is ignored
[[tool::named]] // warning[E0315]: the attribute `[tool::named]` is not known and is ignored
[numthreads(1, 1, 1)]
void main()
{
    values[0] = 1;
}
