//! Parts of the languages that random statements do not reach: each a small text with numbers left open, and the functions by
//! which the rest of a program uses it. Functions are defined for all arguments, and floats that they give keep to
//! `Range::STORED`.

use super::generator::{Dialect, Mode};
use super::types::{Scalar, Type};

/// A text: `@` ends names of the module, `#` is a number below 30.
pub struct Family {
    pub text: &'static str,
    /// `result name(parameters)`, as in the language.
    pub functions: &'static [&'static str],
}

pub fn of(dialect: Dialect) -> impl Iterator<Item = &'static Family> {
    let own = match dialect {
        Dialect::Hlsl => HLSL,
        Dialect::Slang => SLANG,
    };
    BOTH.iter().chain(own)
}

const BOTH: &[Family] = &[
    // Integers of 64 bits: variables, loops, shifts by what is not constant, comparisons, vectors.
    Family {
        text: "uint64_t mix@(uint64_t a, uint b)\n{\nuint64_t r = a ^ (uint64_t(b) << (b & 31u));\nfor (uint i = 0u; i < (b & 3u); i++) { r = (r << 7) | (r >> 57); r += a; }\nreturn r;\n}\nuint wide@(uint a, uint b)\n{\nuint64_t r = mix@((uint64_t(a) << 32) | uint64_t(b ^ #u), b);\nif (r > (uint64_t(b) << 30)) r -= uint64_t(a);\nreturn uint(r >> 32) ^ uint(r);\n}\n",
        functions: &["uint wide@(uint, uint)"],
    },
    Family {
        text: "int signed@(int a, int b)\n{\nint64_t x = int64_t(a) * int64_t(#), y = int64_t(b);\nint64_t q = x / ((y & int64_t(15)) + int64_t(1)), r = x % ((y & int64_t(7)) - int64_t(9));\nint64_t s = (x >> (uint(b) & 63u)) + (-y);\nreturn int(q ^ r) + int(s >> 3) + (x < y ? 1 : 0) + (q >= r ? 2 : 0);\n}\n",
        functions: &["int signed@(int, int)"],
    },
    Family {
        text: "uint2 pair@(uint2 a, uint b)\n{\nuint64_t2 v = uint64_t2(uint64_t(a.x) << 20, uint64_t(a.y) * uint64_t(#));\nv.x += uint64_t(b);\nv = v + v.yx;\nreturn uint2(uint(v.x >> 9), uint(v.y >> 31));\n}\n",
        functions: &["uint2 pair@(uint2, uint)"],
    },
    // Enumerations.
    Family {
        text: "enum Kind@ { First, Second = #, Third, Last = 40 };\nint kind@(int a)\n{\nKind@ k = Kind@::First;\nif ((a & 3) == 1) k = Kind@::Second;\nelse if ((a & 3) == 2) k = Kind@::Third;\nswitch (k)\n{\ncase Kind@::First: return int(Kind@::Last);\ncase Kind@::Second: return int(k) + 1;\ndefault: break;\n}\nreturn int(k) * 2;\n}\n",
        functions: &["int kind@(int)"],
    },
    // Namespaces, and names found from inside.
    Family {
        text: "namespace outer@\n{\nstatic const int scale = #;\nnamespace inner { int twice(int x) { return x * 2 + scale; } }\nint both(int x) { return inner::twice(x) - scale; }\n}\nint space@(int a) { return outer@::both(a) ^ outer@::inner::twice(a & 255); }\n",
        functions: &["int space@(int)"],
    },
    // Default arguments, one of them a constant of the module.
    Family {
        text: "static const uint initial@ = #u;\nuint with@(uint a, uint b = initial@, uint c = 3u) { return a * c + b; }\nuint defaults@(uint a) { return with@(a) ^ with@(a, 7u) ^ with@(a, a, a); }\n",
        functions: &["uint defaults@(uint)"],
    },
    // Tables with calculated indices; static variables of functions.
    Family {
        text: "static const int3 table@[4] = { int3(1, 2, #), int3(-3, 4, 5), int3(6, -7, 8), int3(9, 10, -#) };\nint3 entry@(uint a, int b)\n{\nstatic const uint order[3] = { 2u, 0u, 1u };\nint3 r = table@[a & 3u];\nr[order[a % 3u]] += b;\nreturn r + table@[order[uint(b) % 3u]];\n}\n",
        functions: &["int3 entry@(uint, int)"],
    },
    // Places whose index changes something: evaluated once.
    Family {
        text: "void bump@(inout int x, out int y) { y = x; x = x * 3 + 1; }\nint places@(int a, int b)\n{\nint list[4] = { a, b, #, -1 };\nint k = a & 3;\nlist[k++ & 3] += b;\nlist[(k += 2) & 3]++;\nint seen = 0;\nbump@(list[k++ & 3], seen);\nint2 v = int2(a, b);\nbump@(v.y, list[0]);\nint4 w = int4(v, seen, k);\nw.zx = w.xz;\nw[k & 3] -= 5;\nreturn list[0] ^ list[1] ^ list[2] ^ list[3] ^ w.x ^ (w.y << 1) ^ (w.z << 2) ^ (w.w << 3) ^ k;\n}\n",
        functions: &["int places@(int, int)"],
    },
    // `out` and `inout`: members, rows, elements, swizzles; copied in and out once.
    Family {
        text: "struct Holder@ { int3 a; int b[3]; float2x3 m; };\nvoid swap@(inout int x, inout int y) { int t = x; x = y; y = t; }\nvoid fill@(out float3 r, int k) { r = float3(float(k & 15), 2.0, -1.5); }\nint3 holders@(int3 p, int k)\n{\nHolder@ h;\nh.a = p;\nh.b[0] = #; h.b[1] = p.y; h.b[2] = k;\nh.m = float2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);\nswap@(h.a.x, h.b[uint(k) % 3u]);\nfill@(h.m[uint(k) & 1u], k);\nHolder@ g = h;\nswap@(g.a.z, h.a.y);\nreturn g.a + h.a * int3(h.m[0] + h.m[1].zxy);\n}\n",
        functions: &["int3 holders@(int3, int)"],
    },
    // Flow: a loop that is left from inside switches of switches.
    Family {
        text: "int flow@(int a, int b)\n{\nint r = 0;\nfor (int i = 0; i < 6; i++)\n{\nswitch ((a + i) & 3)\n{\ncase 0: r += 1; continue;\ncase 1:\nswitch ((b ^ i) & 3)\n{\ncase 0: r += 10; break;\ncase 2: continue;\ncase 3: if (r > 40) return r + #; r += 7; break;\ndefault: r -= 2; break;\n}\nr *= 2;\nbreak;\ncase 2: if (i > 3) break; r ^= 5; break;\ndefault: { int j = 0; do { j++; if (j == 2) continue; if (j == 4) break; r += j; } while (j < (b & 7)); break; }\n}\nr += i;\n}\nreturn r;\n}\n",
        functions: &["int flow@(int, int)"],
    },
    Family {
        text: "uint loops@(uint a, uint b)\n{\nuint r = a;\nfor (uint i = 0u, j = 7u; i < j; i++, j--)\n{\nuint k = 0u;\nwhile (true)\n{\nif (k >= (b & 3u)) break;\nk++;\nif ((k & 1u) != 0u) continue;\nr += k * i;\n}\nif (((r >> i) & 1u) != 0u) { r ^= j; continue; }\nif (r == #u) break;\n}\nfor (;;) { r >>= 1; if (r < 1000u) return r; }\n}\n",
        functions: &["uint loops@(uint, uint)"],
    },
    // Order of operands and what is left out.
    Family {
        text: "static int count@ = 0;\nint step@(int k) { count@ = count@ * 3 + k; return count@; }\nint ordered@(int a)\n{\ncount@ = a & 7;\nint r = step@(1) - step@(2) * step@(3);\nif ((a & 1) != 0 && (a & 2) != 0 || (a & 4) == 0) r += step@(4);\nr = (a & 8) != 0 ? r + # : r - #;\nint list[3] = { step@(5), step@(6), step@(7) };\nreturn r ^ list[0] ^ (list[1] << 1) ^ (list[2] << 2) ^ count@;\n}\n",
        functions: &["int ordered@(int)"],
    },
    // Bits of vectors and of signed numbers.
    Family {
        text: "int3 bits@(int3 a)\n{\nint3 high = int3(firstbithigh(a | int3(1, 2, 4)));\nint3 low = int3(firstbitlow(a | int3(64, 32, 16)));\nint3 ones = int3(countbits(uint3(a)));\nreturn high * 100 + low * 10 + ones + int3(reversebits(uint3(a)) >> 20u);\n}\nint high@(int a) { return int(firstbithigh(a & -3 | 4)) + int(firstbithigh(uint(a) | 1u)) * 32; }\n",
        functions: &["int3 bits@(int3)", "int high@(int)"],
    },
    // Conversions that leave bits out, and those to and from Booleans.
    Family {
        text: "int4 convert@(int4 a)\n{\nbool4 b = bool4(a & int4(1, 2, 4, 8));\nfloat4 f = float4(b) * 0.5 + float4(a & 63);\nuint4 u = uint4(f);\nint4 r = int4(u) + int4(b);\nr.xy += int2(f.zw * 2.0);\nr.z += (int)true;\nr.w = b.x ? a.w : -a.w;\nreturn r + int4(!b) * #;\n}\n",
        functions: &["int4 convert@(int4)"],
    },
    // Floats at their edges.
    Family {
        text: "float edges@(float a)\n{\nfloat r = round(a) + sign(a) * 2.0 + step(a, 0.5) + saturate(a);\nr += fmod(a, 4.0) + frac(a) + trunc(-a);\nr += ldexp(1.0, 2.0) + (isnan(a) ? 1.0 : 0.0) + (isinf(a) ? 2.0 : 0.0);\nreturn clamp(floor(r), -200.0, 200.0);\n}\n",
        functions: &["float edges@(float)"],
    },
    Family {
        text: "uint special@(uint a)\n{\nfloat n = asfloat(0x7fc00000u | (a & 255u)), i = asfloat(0x7f800000u | (a & 0x80000000u)), z = asfloat((a & 1u) << 31);\nuint r = isnan(n) ? 1u : 0u;\nr |= isinf(i) ? 2u : 0u;\nr |= isnan(z) || isinf(z) ? 4u : 0u;\nr |= z == 0.0 ? 8u : 0u;\nr |= asuint(z) == 0u ? 16u : 0u;\nr |= isfinite(n) ? 32u : 0u;\nreturn r + asuint(-z) / 3u;\n}\n",
        functions: &["uint special@(uint)"],
    },
    // Halves.
    Family {
        text: "uint halves@(uint a, uint b)\n{\nuint r = a ^ #u;\nr += f32tof16(float(b & 1023u));\nfloat2 halves = f16tof32(uint2(f32tof16(float(a & 63u) * 0.25), 0x3c00u));\nreturn r + uint(halves.x * 4.0 + halves.y);\n}\n",
        functions: &["uint halves@(uint, uint)"],
    },
    // Matrices: rows and elements by calculated indices, products, both orders of storage in one struct.
    Family {
        text: "struct Orders@ { row_major float3x2 r; column_major float3x2 c; float2x2 d[2]; };\nfloat3 orders@(float3 a, int k)\n{\nOrders@ o;\nfloat3 v = floor(clamp(a, -8.0, 8.0));\no.r = float3x2(1.0, 2.0, 3.0, 4.0, v.x, v.y);\no.c = transpose(float2x3(v, v.zxy));\no.d[0] = float2x2(1.0, 0.0, 2.0, 1.0);\no.d[1] = mul(o.d[0], o.d[0]);\no.r[uint(k) % 3u] = o.c[uint(k + 1) % 3u];\no.c[1][uint(k) & 1u] += 2.0;\no.c._m20_m01 = o.c._m01_m20;\nfloat3 s = mul(o.r, float2(1.0, 2.0)) - mul(float2(3.0, -1.0), transpose(o.c));\ns.xy = mul(s.xy, o.d[uint(k) & 1u]);\nreturn clamp(s + float3(o.r._32, o.c._m11, o.d[1]._m10), -256.0, 256.0);\n}\n",
        functions: &["float3 orders@(float3, int)"],
    },
    Family {
        text: "int2 intmat@(int2 a, int b)\n{\nint2x3 m = int2x3(1, 2, #, a.x, a.y, b);\nint3x2 t = transpose(m);\nm += m;\nm[1] -= t._m00_m10_m21;\nt *= 3;\nint2 r = mul(m, int3(1, b, 2)) + mul(int3(2, 1, 0), t);\nreturn r ^ m._m02_m11 ^ t[2];\n}\n",
        functions: &["int2 intmat@(int2, int)"],
    },
    // Arrays of arrays by value, structs that are compared by hand, results of functions that are taken apart.
    Family {
        text: "struct Grid@ { int cells[2][3]; int sum; };\nGrid@ made@(int a) { Grid@ g; g.sum = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) { g.cells[i][j] = a * (i + 1) - j; g.sum += g.cells[i][j]; } return g; }\nGrid@ changed@(Grid@ g, int k) { g.cells[k & 1][uint(k) % 3u] = k; return g; }\nint grid@(int a, int b)\n{\nGrid@ g = made@(a), h = changed@(g, b);\nint row[3] = h.cells[b & 1];\nrow[1] += g.sum;\nh.cells[0] = row;\nreturn made@(b).cells[1][2] + h.cells[0][1] + g.cells[b & 1][uint(a) % 3u] * # + changed@(h, a).sum;\n}\n",
        functions: &["int grid@(int, int)"],
    },
    // A resource as a parameter, and in a struct.
    Family {
        text: "struct View@ { StructuredBuffer<uint> words; uint first; };\nuint fetch@(StructuredBuffer<uint> words, uint at) { return words[at & 63u]; }\nuint viewed@(View@ view, uint at) { return fetch@(view.words, view.first + at); }\nuint resource@(uint a)\n{\nView@ view;\nview.words = input;\nview.first = a & 15u;\nreturn viewed@(view, #u) ^ fetch@(input, a);\n}\n",
        functions: &["uint resource@(uint)"],
    },
];

const HLSL: &[Family] = &[
    // Minimum precision, with numbers that every precision holds.
    Family {
        text: "int narrow@(int a, int b)\n{\nmin16int x = min16int(a & 63), y = min16int(b & 31);\nmin16uint2 u = min16uint2(uint2(uint(x), uint(y)));\nmin16float f = min16float(float(y) * 0.5);\nhalf2 h = half2(f, 1.5);\nx = x * min16int(#) + y;\nu.x += u.y;\nreturn int(x) + int(u.x) * 3 + int(f * 2.0) + int(h.x + h.y);\n}\n",
        functions: &["int narrow@(int, int)"],
    },
    Family {
        text: "template<typename T> T larger@(T a, T b) { return a > b ? a : b; }\ntemplate<> float larger@<float>(float a, float b) { return a < b ? a : b; }\nint templates@(int a, uint b) { return larger@(a, int(b)) + int(larger@<uint>(b, #u)) - int(larger@<float>(float(a & 15), 3.0)); }\n",
        functions: &["int templates@(int, uint)"],
    },
    Family {
        text: "int parts@(float a)\n{\nfloat whole;\nfloat rest = modf(a, whole);\nfloat exponent;\nfloat fraction = frexp(abs(a) + 1.0, exponent);\nreturn int(whole) * 8 + int(rest * 4.0) + int(fraction * 64.0) * 3 + int(exponent) * 1000;\n}\n",
        functions: &["int parts@(float)"],
    },
    Family {
        text: "struct Vec@\n{\nint x, y;\nVec@ operator+(Vec@ o) { Vec@ r; r.x = x + o.x; r.y = y + o.y; return r; }\nVec@ operator*(int k) { Vec@ r; r.x = x * k; r.y = y * k; return r; }\nbool operator==(Vec@ o) { return x == o.x && y == o.y; }\nint operator[](int i) { return i == 0 ? x : y; }\n};\nint operators@(int a, int b)\n{\nVec@ v; v.x = a; v.y = b;\nVec@ w = v * # + v;\nreturn w[0] - w[1] + (v == w ? 1 : 2);\n}\n",
        functions: &["int operators@(int, int)"],
    },
    Family {
        text: "struct Late@ { int value; int twice(int k); void set(int k); };\nint Late@::twice(int k) { return value * 2 + k; }\nvoid Late@::set(int k) { value = k; }\nint late@(int a) { Late@ l; l.set(a); return l.twice(#); }\n",
        functions: &["int late@(int)"],
    },
    Family {
        text: "struct Fields@ { uint a : 5; uint b : 12; uint c : 15; };\nuint fields@(uint x)\n{\nFields@ f;\nf.a = x; f.b = x >> 3; f.c = #;\nf.c += f.a;\nf.b = f.b * 5u;\nreturn f.a | (f.b << 5) | (f.c << 17);\n}\n",
        functions: &["uint fields@(uint)"],
    },
    Family {
        text: "template<typename T, int N> struct Stack@\n{\nT items[N];\nint count;\nvoid push(T item) { if (count < N) items[count++] = item; }\nT top() { return items[count > 0 ? count - 1 : 0]; }\n};\nint stacked@(int a, int b)\n{\nStack@<int, 3> s;\ns.count = 0;\nfor (int i = 0; i < 3; i++) s.items[i] = i;\nfor (int i = 0; i < (a & 7); i++) s.push(b + i);\nreturn s.top() * 8 + s.count;\n}\n",
        functions: &["int stacked@(int, int)"],
    },
    Family {
        text: "enum class Mode@ : uint { Low = 2, High = # };\nuint moded@(uint a)\n{\nMode@ m = Mode@::High;\nif ((a & 1u) != 0u) m = Mode@::Low;\nif (m == Mode@::Low) return a * 3u;\nreturn uint(m);\n}\n",
        functions: &["uint moded@(uint)"],
    },
    Family {
        text: "struct Base@ { int a; int get() { return a + #; } };\nstruct Derived@ : Base@ { int b; int sum() { return get() * 2 + b; } };\nint derived@(int x)\n{\nDerived@ d;\nd.a = x; d.b = x >> 1;\nreturn d.sum() ^ d.get();\n}\n",
        functions: &["int derived@(int)"],
    },
];

const SLANG: &[Family] = &[
    Family {
        text: "interface INode@ { int visit(int k); }\nstruct Leaf@ : INode@ { int v; int visit(int k) { return v + k; } }\nstruct Pair@<A : INode@, B : INode@> : INode@ { A a; B b; int visit(int k) { return a.visit(k * #) - b.visit(k + 1); } }\nint visited@(int x, int y) { Pair@<Leaf@, Pair@<Leaf@, Leaf@>> p; p.a.v = x; p.b.a.v = y; p.b.b.v = x ^ y; return p.visit(2); }\n",
        functions: &["int visited@(int, int)"],
    },
    Family {
        text: "interface IOp@ { static int apply(int a, int b); }\nstruct Plus@ : IOp@ { static int apply(int a, int b) { return a + b; } }\nstruct Less@ : IOp@ { static int apply(int a, int b) { return a - b * #; } }\nint folded@<T : IOp@, let N : int>(int list[N]) { int r = 1; for (int i = 0; i < N; i++) r = T.apply(r, list[i]); return r; }\nint fold@(int a, int b) { int list[3] = { a, b, a ^ b }; int two[2] = { b, a }; return folded@<Plus@, 3>(list) ^ folded@<Less@, 2>(two); }\n",
        functions: &["int fold@(int, int)"],
    },
    Family {
        text: "enum Failure@ { bad }\nint checked@(int a) throws Failure@ { if ((a & 3) == 0) throw Failure@.bad; return a * #; }\nint tried@(int a) { do { int x = try checked@(a); return x + try checked@(a >> 1); } catch (e : Failure@) { return -9; } }\n",
        functions: &["int tried@(int)"],
    },
    Family {
        text: "interface IThing@ { int a(); int b() { return a() * 2; } }\nstruct Own@ : IThing@ { int v; int a() { return v; } }\nstruct Other@ : IThing@ { int v; int a() { return v + #; } override int b() { return v; } }\nint things@(int x, int k) { Own@ o = { x }; Other@ p = { k }; IThing@ t[2] = { o, p }; int r = 0; for (int i = 0; i < 2; i++) r = r * 5 + t[i].b(); return r; }\n",
        functions: &["int things@(int, int)"],
    },
    Family {
        text: "struct List@ { int items[4]; int at; __generic<T : IInteger> int add(T v) { return v.toInt() + at; } }\nint listed@(int a) { List@ l; for (int i = 0; i < 4; i++) l.items[i] = i * a; l.at = #; return l.add(a) + l.add(3u) + l.items[a & 3]; }\n",
        functions: &["int listed@(int)"],
    },
    Family {
        text: "int labeled@(int a, int b)\n{\nint r = 0;\nouter:\nfor (int i = 0; i < 4; i++)\n{\nfor (int j = 0; j < 4; j++)\n{\nif (j == (a & 3)) break;\nif (i * j == (b & 7)) break outer;\nr += i * # + j;\n}\nswitch (i ^ (b & 1)) { case 0: r++; case 1: r *= 2; break; default: r -= 3; }\n}\ndefer r = 0;\nreturn r;\n}\n",
        functions: &["int labeled@(int, int)"],
    },
    Family {
        text: "uint packed@(uint a, uint b)\n{\nuint r = dot4add_u8packed(a, b, #u);\nr ^= uint(dot4add_i8packed(a, b, int(a & 15u)));\nr += f32tof16(float(b & 1023u));\nfloat2 halves = f16tof32(uint2(f32tof16(float(a & 63u) * 0.25), 0x3c00u));\nreturn r + uint(halves.x * 4.0 + halves.y);\n}\n",
        functions: &["uint packed@(uint, uint)"],
    },
    Family {
        text: "int parts@(float a)\n{\nfloat whole;\nfloat rest = modf(a, whole);\nint exponent;\nfloat fraction = frexp(abs(a) + 1.0, exponent);\nreturn int(whole) * 8 + int(rest * 4.0) + int(fraction * 64.0) * 3 + exponent * 1000;\n}\n",
        functions: &["int parts@(float)"],
    },
    Family {
        text: "struct Vec@ { int x; int y; }\nVec@ operator+(Vec@ a, Vec@ b) { return { a.x + b.x, a.y + b.y }; }\nVec@ operator*(Vec@ a, int k) { return { a.x * k, a.y * k }; }\nextension Vec@\n{\n__subscript(int i) -> int { get { return i == 0 ? x : y; } set { if (i == 0) x = newValue; else y = newValue; } }\nproperty int total { get { return x + y; } set { x = newValue - y; } }\n}\nint operators@(int a, int b)\n{\nVec@ v = { a, b };\nVec@ w = v * # + v;\nw[a & 1] += 3;\nw.total = w.total * 2;\nreturn w[0] - w[1] ^ v.total;\n}\n",
        functions: &["int operators@(int, int)"],
    },
    Family {
        text: "interface IArea@ { int area(int k); [mutating] void grow(); }\nstruct Square@ : IArea@ { int side; int area(int k) { return side * side + k; } [mutating] void grow() { side++; } }\nstruct Line@ : IArea@ { int a; int b; int area(int k) { return a * k - b; } [mutating] void grow() { a += b; } }\nint measured@<T : IArea@>(T shape, int k) { T copy = shape; copy.grow(); return copy.area(k) - shape.area(k + 1); }\nint dispatched@(int a, int b)\n{\nSquare@ s = { a & 15 };\nLine@ l = { a, b };\nIArea@ shape = s;\nif ((b & 1) != 0) shape = l;\nreturn measured@(s, b) + measured@(l, #) * 3 + shape.area(7);\n}\n",
        functions: &["int dispatched@(int, int)"],
    },
    Family {
        text: "struct Ring@<T, let N : int> { T items[N]; int at; [mutating] void put(T item) { items[at % N] = item; at++; } T get(int k) { return items[(at + k) % N]; } }\nint ring@(int a, int b)\n{\nRing@<int, 3> r;\nr.at = 0;\nfor (int i = 0; i < 3; i++) r.items[i] = i * #;\nfor (int i = 0; i < (a & 3); i++) r.put(b - i);\nreturn r.get(1) + r.at * 100;\n}\n",
        functions: &["int ring@(int, int)"],
    },
    Family {
        text: "Optional<int> found@(int a) { if ((a & 3) == 0) return none; return a * #; }\nint optional@(int a)\n{\nlet f = found@(a);\nif (let value = f) return value + 1;\nreturn f.hasValue ? 5 : -7;\n}\n",
        functions: &["int optional@(int)"],
    },
    Family {
        text: "int tuples@(int a, int b)\n{\nlet t = makeTuple(a, uint(b), float2(1.0, 2.0));\nvar u = makeTuple(b, a);\nu._0 += t._0 * #;\nreturn u._0 ^ u._1 ^ int(t._1 >> 3) + int(t._2.y);\n}\n",
        functions: &["int tuples@(int, int)"],
    },
    Family {
        text: "int applied@(int a, int b)\n{\nint k = b & 31;\nlet scale = (int x) => x * # + k;\nlet twice = (int x) => { int y = scale(x); return y + y; };\nreturn twice(a) - scale(b);\n}\n",
        functions: &["int applied@(int, int)"],
    },
    Family {
        text: "interface IShape@ { associatedtype Part; static int count(); Part part(int i); int value(Part p); }\nstruct Points@ : IShape@ { typedef int2 Part; int2 base; static int count() { return 2; } int2 part(int i) { return base + i; } int value(int2 p) { return p.x - p.y * 2; } }\nstruct Marks@ : IShape@ { typedef uint Part; uint bits; static int count() { return 3; } uint part(int i) { return bits >> uint(i); } int value(uint p) { return int(p & 7u); } }\nint total@<T : IShape@>(T shape) { int r = 0; for (int i = 0; i < T.count(); i++) r = r * # + shape.value(shape.part(i)); return r; }\nint associated@(int a, uint b) { Points@ p = { int2(a, int(b)) }; Marks@ m = { b }; return total@(p) ^ total@(m); }\n",
        functions: &["int associated@(int, uint)"],
    },
    Family {
        text: "enum Shade@ : uint { dark, mid = #, light }\nextension Shade@ { uint level() { return uint(this) * 2u; } }\nuint shade@(uint a) { Shade@ s = (a & 1u) != 0u ? Shade@.mid : Shade@.light; return s.level() + uint(Shade@.dark); }\n",
        functions: &["uint shade@(uint)"],
    },
    Family {
        text: "extension int { int clipped@(int low, int high) { return this < low ? low : (this > high ? high : this); } }\nint extended@(int a) { return a.clipped@(-#, 100) + (a >> 4).clipped@(0, 7); }\n",
        functions: &["int extended@(int)"],
    },
    Family {
        text: "struct Init@ { int a; int b = #; __init(int x) { a = x; b = x + 1; } __init(int x, int y) { a = x; b = y; } static const int unit = 3; static Init@ make(int k) { return Init@(k, unit); } }\nint inits@(int x) { Init@ i = Init@(x), j = Init@(x, 4), k = Init@.make(x); return i.a + i.b * 2 + j.b - k.a * k.b; }\n",
        functions: &["int inits@(int)"],
    },
    Family {
        text: "int summed@<each T : IInteger>(expand each T values) { int r = #; expand r = r * 3 + (each values).toInt(); return r; }\nint variadic@(int a, int b) { return summed@(a, b, 5) - summed@(b); }\n",
        functions: &["int variadic@(int, int)"],
    },
    Family {
        text: "struct Fields@ { uint a : 5; uint b : 12; uint c : 15; }\nuint fields@(uint x)\n{\nFields@ f;\nf.a = x; f.b = x >> 3; f.c = #;\nf.c += f.a;\nf.b = f.b * 5u;\nreturn f.a | (f.b << 5) | (f.c << 17);\n}\n",
        functions: &["uint fields@(uint)"],
    },
];

/// A name, parameters, and what the function gives.
pub type Signature<'a> = (&'a str, Vec<(Mode, Type)>, Type);

/// A function of a family: its name, its parameters and what it gives, read from `result name(parameters)`.
pub fn signature(text: &str) -> Option<Signature<'_>> {
    let (head, rest) = text.split_once('(')?;
    let (result, name) = head.split_once(' ')?;
    let parameter = |word: &str| match word.split_once(' ') {
        Some(("out", ty)) => Some((Mode::Out, named(ty)?)),
        Some(("inout", ty)) => Some((Mode::InOut, named(ty)?)),
        _ => Some((Mode::In, named(word)?)),
    };
    let parameters = rest.strip_suffix(')')?.split(", ").map(parameter).collect::<Option<Vec<_>>>()?;
    Some((name, parameters, named(result)?))
}

/// A scalar or a vector by its name.
fn named(name: &str) -> Option<Type> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let scalar = Scalar::ALL.into_iter().find(|s| s.name() == bare)?;
    let count = if bare == name { 1 } else { name[bare.len()..].parse().ok()? };
    Some(Type::Vector(scalar, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_of_a_family_is_declared_in_it() {
        for family in [Dialect::Hlsl, Dialect::Slang].into_iter().flat_map(of) {
            for function in family.functions {
                let (name, ..) = signature(function).expect(function);
                assert!(family.text.contains(name), "{function}");
            }
        }
    }
}
