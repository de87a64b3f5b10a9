// buffers: constant structured writable
struct In { uint16_t2 x; };
struct Item { float weight; int16_t first; uint16_t2 pair; uint16_t scale; int16_t list[3]; In inner; int16_t4 v; uint last; };
[[vk::binding(2,0)]] ConstantBuffer<Item> cb : register(b2);
[[vk::binding(3,0)]] StructuredBuffer<Item> sb : register(t3);
[[vk::binding(4,0)]] RWStructuredBuffer<Item> rb : register(u4);
uint sum(Item c)
{
    uint s = asuint(c.weight) ^ uint(int(c.first)) * 3u ^ uint(c.pair.x) * 5u ^ uint(c.pair.y) * 7u;
    s = s * 31u + uint(int(c.list[0])) + uint(int(c.list[2])) * 9u + uint(c.inner.x.y) * 11u;
    return s * 31u + uint(int(c.v.x)) + uint(int(c.v.w)) * 13u + c.last;
}
void program(uint thread)
{
    put_0(thread, 0, sum(cb)); put_0(thread, 1, sum(sb[thread]));
    put_0(thread, 2, uint(int(sb[thread].list[thread % 3u]))); put_0(thread, 3, uint(int(cb.v[thread % 4u])));
    Item item = sb[thread];
    item.first += cb.first; item.pair = item.pair.yx + cb.pair;
    rb[thread] = item;
    rb[thread].list[thread % 3u] = rb[thread].list[(thread + 1u) % 3u] * int16_t(3) - cb.first;
    rb[thread].pair = rb[thread].pair.yx;
    rb[thread].first++;
    rb[thread].v.xw = sb[thread].v.yz << int16_t(thread);
    rb[thread].v[thread % 4u] = -rb[thread].v[1];
    rb[thread].inner.x.y -= uint16_t(thread);
    put_0(thread, 4, sum(rb[thread]));
    put_0(thread, 5, uint(int(rb[thread].v.z)) ^ uint(rb[thread].inner.x.x) << 7);
    put_0(thread, 6, uint(int(dot(rb[thread].v, sb[thread].v))));
}
