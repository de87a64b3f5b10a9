static int calls = 0;
int next() { return calls++; }
void put(inout int x, int y) { x = x * 10 + y; }
int give(out int x, int y, inout int z) { x = y; z += y; return x + z; }
struct P { int a; float2 v; int arr[3]; };
void fill(out P p, int k) { p = (P)0; p.a = k; p.arr[1] = k + 1; }
int first(int a, inout int b) { b++; return a * 100 + b; }
static int gl = 5;
int touch() { gl += 3; return gl; }
int seen(int a, int b) { return a * 1000 + b; }
void conv(inout float f, out uint u) { f += 0.75; u = uint(f) + 3u; }
void program(uint thread)
{
    int idx = int(thread), arr[4] = { 1, 2, 3, 4 }, x = 7;
    put(arr[1], idx++);
    put(x, idx++);
    put_0(thread, 0, arr[1]); put_0(thread, 1, x); put_0(thread, 2, idx);
    P p; fill(p, ++idx);
    put(p.a, p.arr[1]++);
    put_0(thread, 3, p.a); put_0(thread, 4, p.arr[1]);
    int r = give(p.arr[next() % 3], next() + 5, p.arr[2]);
    put_0(thread, 5, r); put_0(thread, 6, p.arr[0]); put_0(thread, 7, p.arr[1]); put_0(thread, 8, p.arr[2]);
    x = first(x, x);
    put_0(thread, 9, x);
    put_0(thread, 10, seen(gl, touch())); put_0(thread, 11, seen(touch(), gl)); put_0(thread, 12, gl + touch() * 100 + gl);
    int y = gl - touch();
    put_0(thread, 13, y);
    y = idx + (idx = 3) * idx;
    put_0(thread, 14, y);
    arr[idx] = idx--; 
    put_0(thread, 15, arr[2]); put_0(thread, 16, arr[3]);
    int i = 4; float g = 1.5;
    conv(g, arr[0]);
    put_0(thread, 17, arr[0]); put_0(thread, 18, int(g * 4.0));
    float2 v = float2(1, 2);
    conv(v.y, i);
    put_0(thread, 19, i); put_0(thread, 20, int(v.y * 4.0));
    int h = 3;
    uint uu = 9;
    conv(p.v[h - 2], uu);
    put_0(thread, 21, uu); put_0(thread, 22, int(p.v.y * 4.0));
    bool c = thread > 1;
    int z = c ? touch() : next();
    put_0(thread, 23, z); put_0(thread, 24, gl); put_0(thread, 25, calls);
    gl += touch();
    put_0(thread, 26, gl);
    p.arr[next() % 3] += touch();
    put_0(thread, 27, p.arr[0]); put_0(thread, 28, p.arr[1]); put_0(thread, 29, p.arr[2]);
    int2 q = int2(next(), next()); int3 w = int3(q, next());
    put_0(thread, 30, q.x * 100 + q.y); put_0(thread, 31, w.z);
    int list[3] = { next(), next() * 2, gl };
    put_0(thread, 32, list[0]); put_0(thread, 33, list[1]);
    p.v.yx = p.v + float2(next(), touch());
    put_0(thread, 34, int(p.v.x * 4.0)); put_0(thread, 35, int(p.v.y * 4.0));
}
