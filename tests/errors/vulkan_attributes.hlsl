// options: entry=main:fragment target=glsl
// Attributes of `vk` that nobody knows, and those whose meaning is lost.

[[vk::bindng(3)]] Texture2D t; // warning[E0315]: `[vk::bindng]` is not known and is ignored

struct V
{
    [[vk::ext_decorate(30, 2)]] // warning[E0315]: `[vk::ext_decorate]` is not supported and is ignored
    float2 u : U;
};

[[vk::post_depth_coverage]] // warning[E0315]: `[vk::post_depth_coverage]` is not supported and is ignored
[[vk::early_and_late_tests]] // warning[E0315]: `[vk::early_and_late_tests]` is not supported and is ignored
float4 main(V v, [[vk::location(2)]] float4 p : P) : SV_Target
{
    [[vk::loop]] // warning[E0315]: `[vk::loop]` is not known and is ignored
    for (int i = 0; i < 2; i++)
    {
        p += t.Load(i);
    }
    return p * v.u.x;
}
