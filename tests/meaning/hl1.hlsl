template<typename T, int N> struct Ring { T data[N]; int head; void push(T v); T get(int i); static const int Size = N; };
template<typename T, int N> void Ring<T, N>::push(T v) { data[head % N] = v; head++; }
template<typename T, int N> T Ring<T, N>::get(int i) { return data[(head - 1 - i + N) % N]; }
template<typename T> T sq(T x) { return x * x; }
template<> float sq<float>(float x) { return x * x + 0.5; }
template<typename T, typename U> T conv(U u) { return (T)u; }
struct Outer { struct Inner { int q; int twice(); }; Inner inn; int go(int k); static int counter; };
int Outer::Inner::twice() { return q * 2; }
int Outer::go(int k) { inn.q += k; return inn.twice() + k; }
int Outer::counter = 4;
class Base { int b; int get() { return b; } };
class Derived : Base { int d; int sum() { return get() + d + Base::get(); } };
enum class E : uint { A = 3, B, C = 13 };
enum F { X1, Y1 = 7 };
namespace ns { static int g = 2; int f(int a) { return a + g; } namespace inner { int f(int a) { return ns::f(a) * 2; } } }
typedef float2 vec2; typedef int arr3[3];
float ov(float x) { return 1; } float ov(int x) { return 2; } float ov(uint x) { return 3; } float ov(float2 x) { return 4; } float ov(bool b) { return 5; }
int def(int a, int b = 4, float c = 1.5) { return a + b * 10 + int(c * 4); }
struct Vec { float x, y; Vec operator*(float s) { Vec r = { x * s, y * s }; return r; } float operator[](int i) { return i == 0 ? x : y; } bool operator==(Vec o) { return x == o.x && y == o.y; } float operator()(float k) { return x + k; } };
struct Bf { uint a : 4; uint b : 12; int c : 8; };
static const float3 table[4] = { float3(1,2,3), float3(4,5,6), {7,8,9}, float3(10,11,12) };
static int st = 3; int bump() { static int calls = 10; calls++; return calls + st++; }
const static uint KK = 5;
#define SWAP(a, b) { int t_ = a; a = b; b = t_; }
void arrays(inout int a[3], out float2 b[2]) { a[0] += a[2]; b[0] = a[0]; b[1] = float2(a[1], 9); }
int2 many(int a, out int b, inout int2 c, const int d, in int e) { b = a + d; c.yx += int2(e, b); return c; }
void program(uint thread)
{
    Ring<int, 3> r; r.head = 0; r.push(4); r.push(5); r.push(6); r.push(int(thread)); put_0(thread, 0, r.get(0) * 100 + r.get(2)); put_0(thread, 1, Ring<int, 3>::Size);
    put_0(thread, 2, asuint(sq(1.5f))); put_0(thread, 3, sq(7)); put_0(thread, 4, conv<int>(2.75f) + conv<uint, int>(4));
    Outer o; o.inn.q = 3; put_0(thread, 5, o.go(int(thread))); Outer::counter++; put_0(thread, 6, Outer::counter);
    Derived d; d.b = 4; d.d = 6; put_0(thread, 7, d.sum()); 
    E e = thread > 1 ? E::B : E::C; put_0(thread, 8, uint(e)); F f1 = Y1; put_0(thread, 9, f1 + X1);
    put_0(thread, 10, ns::inner::f(3)); ns::g = 5; put_0(thread, 11, ns::f(1));
    vec2 v = vec2(1, 2); arr3 a = { 1, 2, 3 }; float2 bb[2]; arrays(a, bb); put_0(thread, 12, a[0] * 10 + int(bb[1].x)); put_0(thread, 13, int(bb[0].y));
    put_0(thread, 14, int(ov(1.0) * 10000 + ov(1) * 1000 + ov(1u) * 100 + ov(v) * 10 + ov(true)));
    put_0(thread, 15, def(1) + def(1, 2) * 1000); Vec q = { 1.5, 2.5 }; Vec q2 = q * 2.0; put_0(thread, 16, asuint(q2[1])); put_0(thread, 17, asuint(q2(10.0))); put_0(thread, 18, q == q2 ? 1 : 0);
    Bf bf = (Bf)0; bf.a = 19; bf.b = 0xabcd; bf.c = -7; bf.c -= int(thread); put_0(thread, 19, bf.a * 100000 + bf.b); put_0(thread, 20, uint(bf.c));
    put_0(thread, 21, asuint(table[(thread + 1) & 3].y + table[2][thread % 3])); put_0(thread, 22, bump() * 1000 + bump()); put_0(thread, 23, KK);
    int x = 3, y = 4; SWAP(x, y); put_0(thread, 24, x * 10 + y); int b; int2 c = int2(1, 2); int2 m = many(x, b, c, 3, y); put_0(thread, 25, b * 100 + c.x * 10 + c.y + m.x);
    float4 col = { v, 3, 4 }; float2x2 mat = { 1, 2, v }; put_0(thread, 26, asuint(col.w + mat[1][1])); int ia[2][2] = { { 1, 2 }, { 3, int(thread) } }; put_0(thread, 27, ia[1][thread & 1] + ia[0][1]);
    uint u = -3; int sx = 3000000000u; put_0(thread, 28, u); put_0(thread, 29, sx); float ff = 7 / 2; put_0(thread, 30, asuint(ff)); put_0(thread, 31, (uint)(7 / -2)); put_0(thread, 32, -7 % 3); put_0(thread, 33, uint(1e9 + thread)); 
    bool3 b3 = bool3(true, thread > 1, false); int3 i3 = b3; put_0(thread, 34, dot(i3, int3(1, 2, 4))); put_0(thread, 35, any(b3) + all(b3)); half h = 1.5; min16float mf = 2.25; put_0(thread, 36, asuint(float(h * mf))); min16int mi = -5; put_0(thread, 37, uint(mi * 3));
    uint w = thread; w -= 2; put_0(thread, 38, w >> 28); put_0(thread, 39, (int)w >> 28);
}
