struct S { int a[3]; float4 v; int2 w; row_major float3x3 m; };
static int calls = 0;
int next() { return calls++; }
void set(out int x, inout int y) { x = 5; y += 7; }
void bump(inout float x, float by) { x += by; }
void bump2(inout float2 x) { x = x.yx + 1.0; }
void bump3(inout float3 x) { x = x.zxy * 2.0; }
void both(inout int a, inout int b) { a += 1; b += 10; a += b; }
void program(uint thread)
{
    S s = (S)0;
    s.v = float4(1, 2, 3, 4);
    s.m = float3x3(1,2,3,4,5,6,7,8,9);
    set(s.a[next()], s.a[next()]);
    put_0(thread, 0, asuint(s.a[0])); put_0(thread, 1, asuint(s.a[1])); put_0(thread, 2, asuint(calls));
    bump(s.v.z, 2.0);
    bump2(s.v.wx);
    bump3(s.m[1]);
    bump(s.m[next()][thread & 1], 100.0);
    bump(s.m._m22, 3.0);
    bump2(s.m._m20_m02);
    for (int i = 0; i < 4; i++) put_0(thread, 3 + i, uint(int(s.v[i])));
    for (int r = 0; r < 3; r++) for (int c = 0; c < 3; c++) put_0(thread, 8 + r * 3 + c, uint(int(s.m[r][c])));
    int arr[4] = { 1, 2, 3, 4 };
    both(arr[(int)thread & 3], arr[((int)thread + 1) & 3]);
    for (int k = 0; k < 4; k++) put_0(thread, 20 + k, uint(arr[k]));
    s.w = int2(3, 4);
    s.w.xy++;
    s.w.yx += int2(10, 20);
    int2 old = s.w.yx--;
    put_0(thread, 25, uint(s.w.x)); put_0(thread, 26, uint(s.w.y)); put_0(thread, 27, uint(old.x)); put_0(thread, 28, uint(old.y));
    int idx = 0;
    arr[idx++] += 100;
    arr[idx++]++;
    arr[++idx] *= 2;
    put_0(thread, 29, uint(idx));
    for (int k2 = 0; k2 < 4; k2++) put_0(thread, 30 + k2, uint(arr[k2]));
    s.m[idx - 3] = float3(7, 7, 7) * s.m[idx - 2];
    put_0(thread, 35, uint(int(s.m[0][1])));
    s.m[1].zx = s.m[2].xy;
    put_0(thread, 36, uint(int(s.m[1][0]))); put_0(thread, 37, uint(int(s.m[1][2])));
    s.m[2][idx - 2] += 1;
    put_0(thread, 38, uint(int(s.m[2][1])));
}
