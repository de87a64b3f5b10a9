// options: target=hlsl,glsl,wgsl
// What is no number of rounds is ignored, as DXC ignores it; a text is an error there, too.
RWStructuredBuffer<float> result;

[numthreads(1, 1, 1)]
void main()
{
    [unroll(2.0)] // warning[E0315]: `[unroll]`: the argument must be an integer; it is ignored
    for (int i = 0; i < 4; i++)
        result[i] = i;
    [unroll(-1)] // warning[E0315]: `[unroll]`: -1 is too small; it must be at least 0; it is ignored
    for (int j = 0; j < 4; j++)
        result[j] = j;
    [unroll("x")] // error[E0315]: `[unroll]`: the argument must be an integer
    for (int k = 0; k < 4; k++)
        result[k] = k;
}
