// options: target=glsl entry=main:vertex
struct Inner
{
    [[vk::location(2)]] int a : A;
    float c : C;
};

struct Outer
{
    [[vk::location(1)]] float4 b : B;
    Inner inner; // error[E0315]: `b` has an explicit location and `inner` does not
};

float4 main(Outer outer) : SV_Position
{
    return outer.b + outer.inner.a + outer.inner.c;
}
