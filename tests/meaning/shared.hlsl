// buffers: writable
[[vk::binding(2,0)]] RWStructuredBuffer<int> counters : register(u2);
struct T { int a; float2 b; uint3 c; };
groupshared int total; groupshared uint list[8]; groupshared T items[4]; groupshared float2x2 mats[2]; groupshared float4 vec4s[2];
int cond(uint thread, int k) { for (int i = 0; i < 4; i++) { if (i == k) return i * 10; if (thread > 2 && i == 1) return -1; } return 99; }
void program(uint thread)
{
    if (thread == 0) { total = 0; for (int i = 0; i < 8; i++) list[i] = 0; }
    GroupMemoryBarrierWithGroupSync();
    int old; InterlockedAdd(total, int(thread) + 1, old); InterlockedOr(list[thread & 1], 1u << thread); InterlockedMax(list[2], thread * 5u); InterlockedXor(list[3], thread); InterlockedMin(list[4], 0u - thread); InterlockedAnd(list[5], thread);
    uint prev; InterlockedExchange(list[6 + (thread & 1)], thread + 1, prev);
    items[thread].a = int(thread) * 2; items[thread].b.y = float(thread); items[thread].c = uint3(thread, 1, 2); items[thread].c[thread % 3] += 5;
    mats[thread & 1][thread >> 1] = float2(thread, 2 * thread); vec4s[thread >> 1][thread & 1] = float(thread) + 0.5;
    GroupMemoryBarrierWithGroupSync();
    put_0(thread, 0, total); put_0(thread, 1, list[0] | list[1] << 8); put_0(thread, 2, list[2]); put_0(thread, 3, list[3]); put_0(thread, 4, list[4]);
    T t = items[(thread + 1) & 3]; put_0(thread, 5, t.a); put_0(thread, 6, asuint(t.b.y)); put_0(thread, 7, t.c.x * 100 + t.c.y * 10 + t.c.z);
    put_0(thread, 8, asuint(mats[1][1].y)); put_0(thread, 9, asuint(mats[0][1].x)); put_0(thread, 10, asuint(vec4s[1].y + vec4s[0].x));
    AllMemoryBarrierWithGroupSync();
    InterlockedAdd(counters[0], 2); InterlockedCompareStore(counters[1 + thread], counters[1 + thread], 55); InterlockedMax(counters[8], -int(thread)); InterlockedMin(counters[9], -int(thread));
    int o2; InterlockedCompareExchange(counters[10 + thread], 0, 5, o2); put_0(thread, 11, o2);
    put_0(thread, 12, cond(thread, 2));
    if (thread < 2) { items[thread].b *= 2.0; items[thread].c.zx++; }
    GroupMemoryBarrierWithGroupSync();
    float2 s = 0; for (int k = 0; k < 4; k++) s += items[k].b; put_0(thread, 13, asuint(s.y)); put_0(thread, 14, items[1].c.x);
}
