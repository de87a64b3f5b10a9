// options: target=hlsl,glsl,wgsl entry=main:compute
// No function has arrays of strings.

[numthreads(1, 1, 1)]
void main()
{
    string list[2]; // error[E0405]: `list` is an array of strings
}
