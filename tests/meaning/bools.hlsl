// buffers: constant structured writable
struct B { bool3 a; bool b; };
struct C { float x; bool2 bb; B inner; bool arr[3]; bool2 many[2]; float y; };
[[vk::binding(2,0)]] ConstantBuffer<C> cb : register(b2);
[[vk::binding(3,0)]] StructuredBuffer<C> sb : register(t3);
[[vk::binding(4,0)]] RWStructuredBuffer<C> rb : register(u4);
uint sum(C c)
{
    uint s = 0;
    s = s * 2 + (c.bb.x ? 1 : 0); s = s * 2 + (c.bb.y ? 1 : 0);
    for (int i = 0; i < 3; i++) { s = s * 2 + (c.inner.a[i] ? 1 : 0); s = s * 2 + (c.arr[i] ? 1 : 0); }
    s = s * 2 + uint(c.inner.b);
    for (int j = 0; j < 2; j++) { s = s * 2 + uint(c.many[j].x); s = s * 2 + uint(c.many[j].y); }
    return s;
}
void program(uint thread)
{
    put_0(thread, 0, sum(cb)); put_0(thread, 1, sum(sb[thread])); put_0(thread, 2, sum(rb[thread]));
    C c = sb[1];
    c.bb = !c.bb; c.arr[thread % 3] = !c.arr[1]; c.many[1] = c.bb.yx; c.inner.b = any(c.inner.a) && thread > 1; c.inner.a.zx = c.bb;
    put_0(thread, 3, sum(c));
    rb[thread] = c;
    rb[thread].inner.a.y = false; rb[thread].many[thread & 1].y = thread == 2; rb[thread].arr = cb.arr;
    rb[thread].arr[thread % 3] = false;
    put_0(thread, 4, sum(rb[thread]));
    bool2 m[2] = rb[thread].many; put_0(thread, 5, uint(m[1].x) * 2 + uint(m[0].y));
    C zero = (C)0; rb[thread].inner = zero.inner; rb[thread].bb.y = true;
    put_0(thread, 6, sum(rb[thread]));
    bool ok = all(rb[thread].bb == sb[thread].bb); put_0(thread, 7, ok ? 5 : 6);
}
