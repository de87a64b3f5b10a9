// buffers: constant structured writable
struct C { row_major int2x3 a; int k; row_major uint3x2 b; };
[[vk::binding(2,0)]] ConstantBuffer<C> cb : register(b2);
[[vk::binding(3,0)]] StructuredBuffer<C> sb : register(t3);
[[vk::binding(4,0)]] RWStructuredBuffer<C> rb : register(u4);
void program(uint thread)
{
    int n = 0;
    for (int r = 0; r < 2; r++) for (int k = 0; k < 3; k++) { put_0(thread, n++, cb.a[r][k]); put_0(thread, n++, sb[thread].a[r][k]); put_0(thread, n++, cb.b[k][r]); }
    rb[thread].a = sb[thread].a * 3; rb[thread].b[1] = cb.b[2]; rb[thread].b[2][thread & 1]++;
    int2x3 m = sb[1].a; m[1] += cb.k; m._m00_m12 = m._m12_m01; 
    for (int r2 = 0; r2 < 2; r2++) for (int k2 = 0; k2 < 3; k2++) put_0(thread, n++, m[r2][k2]);
    int3x2 t = transpose(m); int2 v = mul(m, int3(1,2,3)); int3 w = mul(int2(4,5), m);
    put_0(thread, n++, t[2][1]); put_0(thread, n++, v.x); put_0(thread, n++, v.y); put_0(thread, n++, w.z);
    int2x2 mm = mul(m, t); put_0(thread, n++, mm[1][0]);
    bool2x3 b = m > cb.a; put_0(thread, n++, any(b) ? 1 : 0); put_0(thread, n++, all(b) ? 1 : 0); put_0(thread, n++, b[1][2] ? 1 : 0);
    float2x3 f = float2x3(m & 255); put_0(thread, n++, int(f[1][1]));
    uint2x3 u = asuint(f); put_0(thread, n++, u[0][1]);
}
