struct Pose { float4x3 place; float3x3 turns[2]; float scale; };
static float3x3 kept;
groupshared float2x3 shared_rows[64];
float3x3 turn(float a) { float3x3 m = (float3x3)0; m[0][0] = a; m[1][2] = a + 1; m._m21 = 3; m._m10_m02 = float2(a, 2); return m; }
float4x3 place(float a, uint i) { float4x3 m = (float4x3)a; m[3][i & 1] = 7; m[i & 3].y += 2; m._m01 = -a; return m; }
void both(float3x3 a, inout float3x3 b, out float3x3 c) { c = mul(a, b); b = transpose(b); b[0][1] += 1; }
float3x3 rows(float3 x) { return float3x3(x, x.yzx, x.zxy); }
float sum(float3 v) { return dot(v, float3(1, 10, 100)); }
float4 spread(Pose p, float3 v) { return mul(p.place, mul(p.turns[1], mul(p.turns[0], v))) * p.scale; }
void program(uint thread)
{
    float t = float(thread & 7);
    float3 v = float3(t, 1, 2);
    float3x3 a = turn(t), b = turn(t + 2);
    put_0(thread, 0, int(sum(mul(a, v)))); put_0(thread, 1, int(sum(mul(v, a)))); put_0(thread, 2, int(sum(mul(mul(a, b), v))));
    put_0(thread, 3, int(sum(mul(v, mul(a, b))))); put_0(thread, 4, int(sum(mul(transpose(a), v)))); put_0(thread, 5, int(sum(mul(mul(transpose(a), b), v))));
    float3x3 c; both(a, b, c);
    put_0(thread, 6, int(sum(mul(c, v)))); put_0(thread, 7, int(sum(mul(b, v)))); put_0(thread, 8, int(c[thread % 3][1] + c[2][thread % 3] * 10));
    kept = mul(c, b); kept *= 0.5; kept += a; put_0(thread, 9, int(sum(mul(kept, v)))); put_0(thread, 10, int(kept._m12)); put_0(thread, 11, int(determinant(kept)));
    Pose p; p.place = place(t, thread); p.turns[0] = a; p.turns[1] = thread > 3 ? b : c; p.scale = 2;
    float4 q = spread(p, v); put_0(thread, 12, int(q.x)); put_0(thread, 13, int(q.y)); put_0(thread, 14, int(q.z)); put_0(thread, 15, int(q.w));
    p.turns[thread & 1][1][2] = 9; q = spread(p, v); put_0(thread, 16, int(q.x + q.w)); float3x4 back = transpose(p.place); put_0(thread, 17, int(sum(mul(back, q))));
    float3x3 r = rows(v); put_0(thread, 18, int(sum(mul(r, v)))); put_0(thread, 19, int(sum(mul(v, r)))); put_0(thread, 20, int(sum(mul(mul(r, a), v)))); r[1] = v; put_0(thread, 21, int(sum(r[1] + mul(r, v))));
    float2x2 cut = (float2x2)a; float2 w = mul(cut, v.xy); put_0(thread, 22, int(w.x)); put_0(thread, 23, int(w.y)); float3x3 n = -a; n--; put_0(thread, 24, int(sum(mul(n, v)))); 
    float2x3 g = (float2x3)t; g[1][0] = 4; shared_rows[thread] = g; float2 h = mul(shared_rows[thread], v); put_0(thread, 25, int(h.x * 10 + h.y)); put_0(thread, 26, int(shared_rows[thread][1].x));
    float3x3 e[2] = { a, b }; float3x3 f[2] = e; f[thread & 1] = mul(f[1], e[0]); put_0(thread, 27, int(sum(mul(f[thread & 1], v)))); put_0(thread, 28, int(sum(f[0]._m00_m10_m20))); 
    float3x3 k = float3x3(t, 1, 2, 3, t, 5, 6, 7, 8), l = { { 1, t, 2 }, { 3, 4, t }, { 5, 6, 7 } }; put_0(thread, 28, int(sum(mul(mul(k, l), v)))); put_0(thread, 6, int(sum(mul(v, l) + mul(k, v))));
    float3x3 d = a * 2 + b / 4; put_0(thread, 29, int(sum(mul(d, v)) * 4)); put_0(thread, 30, int(sum(mul(a * b, v)))); bool3x3 less = a < b; put_0(thread, 31, less[1][2] ? 1 : 2);
}
