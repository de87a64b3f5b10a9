// buffers: constant structured writable
struct In { float3 a; float b; };
struct M { float2x3 m; row_major float3x2 r; column_major float3x3 c; int k; };
struct A { float arr[3]; float after; float2 v2[2]; float w; };
struct C { float x; In inn; float y; float2 p; float3 q; float z; A aa; M mm; bool flag; uint last; bool2 bb; };
[[vk::binding(2,0)]] ConstantBuffer<C> cb : register(b2);
[[vk::binding(3,0)]] StructuredBuffer<C> sb : register(t3);
[[vk::binding(4,0)]] RWStructuredBuffer<C> rb : register(u4);
uint sum(C c)
{
    uint s = asuint(c.x) ^ asuint(c.inn.a.y) * 3u ^ asuint(c.inn.b) * 5u ^ asuint(c.y) * 7u ^ asuint(c.p.y) * 11u;
    s = s * 31u + asuint(c.q.z); s = s * 31u + asuint(c.z);
    for (int i = 0; i < 3; i++) s = s * 31u + asuint(c.aa.arr[i]);
    s = s * 31u + asuint(c.aa.after) + asuint(c.aa.v2[1].y) * 3u + asuint(c.aa.w);
    for (int r0 = 0; r0 < 2; r0++) for (int k = 0; k < 3; k++) s = s * 31u + asuint(c.mm.m[r0][k]);
    for (int r1 = 0; r1 < 3; r1++) for (int k1 = 0; k1 < 2; k1++) s = s * 31u + asuint(c.mm.r[r1][k1]);
    for (int r2 = 0; r2 < 3; r2++) for (int k2 = 0; k2 < 3; k2++) s = s * 31u + asuint(c.mm.c[r2][k2]);
    s = s * 31u + uint(c.mm.k) + (c.flag ? 17u : 0u) + c.last;
    return s;
}
void program(uint thread)
{
    put_0(thread, 0, sum(cb)); put_0(thread, 1, sum(sb[0])); put_0(thread, 2, sum(sb[1]));
    put_0(thread, 3, sum(rb[thread]));
    rb[thread].mm.m = sb[thread].mm.m * 2.0;
    rb[thread].aa.v2[thread & 1].x = 3.0;
    rb[thread].flag = thread == 1;
    rb[thread].bb = bool2(thread == 1, true);
    rb[thread].mm.c[1] = cb.mm.c[2];
    rb[thread].mm.r[2][thread & 1] = 9.0;
    rb[thread].inn = cb.inn;
    rb[thread].q.xz = cb.q.zy;
    put_0(thread, 4, sum(rb[thread]));
    put_0(thread, 5, cb.bb.y ? 1 : 0);
}
