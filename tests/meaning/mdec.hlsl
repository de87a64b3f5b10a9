void program(uint thread)
{
    int3x2 m = int3x2(1,2,3,4,5,int(thread));
    int old = m._m20--; put_0(thread, 0, old); put_0(thread, 1, m._m20);
    bool b = (int(thread) ^ m._m20) == (m._m20--); put_0(thread, 2, m._m20 + (b ? 100 : 0));
    if ((3 ^ m._m20) == (m._m20--)) put_0(thread, 3, 1); put_0(thread, 4, m._m20);
    m._m11++; put_0(thread, 5, m._m11); ++m._m11; put_0(thread, 6, m._m11); int q = ++m._m11; put_0(thread, 7, m._m11 + q * 100); m[1][0]--; put_0(thread, 8, m[1][0]); int z = m[1][0]--;  put_0(thread, 9, m[1][0] + z * 100);
    float3x3 f = float3x3(1,2,3,4,5,6,7,8,9); float o = f._m12++; put_0(thread, 10, asuint(o)); put_0(thread, 11, asuint(f._m12)); 
    int2x2 s = int2x2(1,2,3,4); s._m00_m11++; put_0(thread, 12, s._m00 * 10 + s._m11); int2 t = s._m01_m10--; put_0(thread, 13, t.x * 1000 + t.y * 100 + s._m01 * 10 + s._m10); s[0]++; put_0(thread, 14, s._m00 * 10 + s._m01); s--; put_0(thread, 15, s._m00 * 10 + s._m01);
}
