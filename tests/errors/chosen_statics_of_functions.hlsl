// options: target=hlsl,glsl,wgsl entry=main:fragment
// A choice between what two functions give of static variables.

bool choice;
static bool inner_choice;
Texture2D<float4> images[3];
Texture2D<float4> single;
static Texture2D<float4> first;
static Texture2D<float4> second;

Texture2D<float4> f(bool other) { return single; }
Texture2D<float4> g(bool other)
{
    if (other)
        return first;
    return second;
}
Texture2D<float4> h(bool other) { return other ? f(inner_choice) : g(inner_choice); }

float4 main() : SV_Target
{
    first = images[2];
    second = images[1];
    return h(choice).Load(0); // error[E0501]: a choice between different resources
}
