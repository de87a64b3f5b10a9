static int n = 0; int next() { return n++; }
float2x2 mk(float a) { n += 10; return float2x2(a, a + 1, a + 2, a + 3); }
void program(uint thread)
{
    float2x2 arr[3] = { float2x2(1,2,3,4), float2x2(5,6,7,8), float2x2(9,10,11,12) };
    arr[next()] *= float2x2(2,3,4,5); arr[next()] *= 2.0; arr[next()] += 1.0;
    put_0(thread, 0, n); put_0(thread, 1, int(arr[0]._m11)); put_0(thread, 2, int(arr[1]._m11)); put_0(thread, 3, int(arr[2]._m11)); n = 0;
    float2x2 a = mk(1) * mk(2) / mk(3); put_0(thread, 4, n); put_0(thread, 5, int(a._m01 * 16.0));
    n = 0; int2x2 im[2] = { int2x2(1,2,3,4), int2x2(5,6,7,8) }; im[next()] += int2x2(1,1,1,1); im[next()] -= 3; put_0(thread, 6, n * 1000 + im[0]._m00 * 100 + im[1]._m11);
    n = 0; float2 v = mk(1)._m01_m10 + mk(5)._m11_m00; put_0(thread, 7, n); put_0(thread, 8, int(v.x)); put_0(thread, 9, int(v.y));
    n = 0; float2x2 s = -mk(4); put_0(thread, 10, n); put_0(thread, 11, int(s._m10)); 
    n = 0; float2x2 c = thread > 1 ? mk(1) : mk(2) + 1.0; put_0(thread, 13, int(c._m00));
    
    n = 0; float2x3 t = transpose(float3x2(mk(1)[0], mk(2)[1], float2(1, 2))); put_0(thread, 15, n); put_0(thread, 16, int(t._m01));
    float2x2 big = (float2x2)float3x3(1,2,3,4,5,6,7,8,9); put_0(thread, 17, int(big._m11)); float2x2 sc = 3; put_0(thread, 18, int(sc._m10)); 
    n = 0; float2 r = mul(mk(next()), float2(next(), 1)); put_0(thread, 19, int(r.x)); put_0(thread, 20, n);
    float4x4 m4 = 0; m4[1][next() & 3] = 5; m4._m22_m33 = float2(1, 2); m4[2].xy = m4[1].zy + 1; put_0(thread, 21, int(dot(m4[0] + m4[1] + m4[2] + m4[3], float4(1, 10, 100, 1000))));
    put_0(thread, 27, asuint(determinant(mk(2)))); int2x2 ii = int2x2(mk(3.5)); put_0(thread, 28, ii._m11); put_0(thread, 29, any(mk(0)) ? 1 : 0); put_0(thread, 30, all(mk(0)) ? 1 : 2);
    float1x3 row = float1x3(1,2,3); float3x1 col = float3x1(4,5,6); float1x1 dd = mul(row, col); put_0(thread, 31, int(dd._m00)); float3x3 outer = mul(col, row); put_0(thread, 32, int(outer._m21));
    float2x2 fr = fmod(mk(5), float2x2(3,3,3,3)); put_0(thread, 33, int(fr._m10)); float2x2 sg = sign(-mk(1)); put_0(thread, 34, int(sg._m00)); 
    }
