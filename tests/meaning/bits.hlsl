void program(uint thread)
{
    uint a = input[thread]; int b = asint(input[thread + 4]);
    uint z = thread & 4;
    put_0(thread, 0, firstbithigh(a)); put_0(thread, 1, firstbithigh(b)); put_0(thread, 2, firstbitlow(a));
    put_0(thread, 3, firstbithigh(z)); put_0(thread, 4, firstbitlow(z)); put_0(thread, 5, firstbithigh(int(z)));
    put_0(thread, 6, firstbithigh(int(z) - 1));
    uint3 v = uint3(a, a >> 7, z); int3 w = int3(b, -b, -5);
    uint3 f = firstbithigh(v); uint3 g = firstbithigh(w); uint3 h = firstbitlow(v); uint3 i = firstbitlow(asuint(w));
    put_0(thread, 7, f.x); put_0(thread, 8, f.y); put_0(thread, 9, f.z);
    put_0(thread, 10, g.x); put_0(thread, 11, g.y); put_0(thread, 12, g.z);
    put_0(thread, 13, h.x); put_0(thread, 14, h.y); put_0(thread, 15, h.z); put_0(thread, 16, i.z);
    uint3 c = countbits(v); uint3 r = reversebits(v);
    put_0(thread, 17, c.x); put_0(thread, 18, c.z); put_0(thread, 19, r.y);
    uint sh = thread * 13u + 3u;
    put_0(thread, 20, a << sh); put_0(thread, 21, a >> sh); put_0(thread, 22, uint(b >> sh)); 
    uint2 v2 = uint2(a, 77) << uint2(sh, sh + 20u);
    put_0(thread, 23, v2.x); put_0(thread, 24, v2.y);
    int2 w2 = int2(b, -77) >> int2(sh, sh + 20u);
    put_0(thread, 25, uint(w2.x)); put_0(thread, 26, uint(w2.y));
    put_0(thread, 27, f32tof16(1.5 * float(thread))); put_0(thread, 28, uint(f16tof32(0x3c00u + thread * 256u) * 16.0));
    uint4 q = uint4(0x3c00u, 0x4000u, 0xffff4200u, thread << 10);
    float4 qf = f16tof32(q);
    put_0(thread, 29, asuint(qf.x)); put_0(thread, 30, asuint(qf.y)); put_0(thread, 31, asuint(qf.z));
    uint2 qh = f32tof16(float2(thread, -0.5));
    put_0(thread, 32, qh.x); put_0(thread, 33, qh.y);
    a <<= sh; put_0(thread, 34, a);
    b >>= int(sh); put_0(thread, 35, uint(b));
    put_0(thread, 36, 1u << 35u); 
    put_0(thread, 37, uint(-b / 3)); put_0(thread, 38, uint(-b % 7)); put_0(thread, 39, uint(b % -7));
}
