// buffers: structured writable
struct S { float3 p; uint id; float2x3 m; int2 k[2]; };
struct B { bool a; uint b; };
[[vk::binding(2,0)]] ByteAddressBuffer bi : register(t2);
[[vk::binding(3,0)]] RWByteAddressBuffer bo : register(u3);
void program(uint thread)
{
    uint o = thread * 128;
    uint2 a2 = bi.Load2(o); uint3 a3 = bi.Load3(o + 4); uint4 a4 = bi.Load4(o + 16);
    put_0(thread, 0, a2.y ^ a3.z ^ a4.w);
    float f = bi.Load<float>(o + 8); float3 f3 = bi.Load<float3>(o + 12); int2 i2 = bi.Load<int2>(o + 20);
    put_0(thread, 1, asuint(f)); put_0(thread, 2, asuint(f3.z)); put_0(thread, 3, uint(i2.y));
    S s = bi.Load<S>(o + 32);
    put_0(thread, 4, asuint(s.p.z)); put_0(thread, 5, s.id); put_0(thread, 6, asuint(s.m[1][0])); put_0(thread, 7, asuint(s.m[0][2])); put_0(thread, 8, uint(s.k[1].x));
    s.m[1] *= 2.0; s.k[0] = int2(-3, int(thread));
    bo.Store(o, 77u); bo.Store2(o + 8, a2.yx); bo.Store3(o + 16, a3); bo.Store4(o + 32, a4.wzyx);
    bo.Store<S>(o + 64, s); bo.Store<float>(o + 4, 1.5); bo.Store<int2>(o + 120, int2(-1, 5));
    uint old; bo.InterlockedAdd(o, 3u, old); put_0(thread, 9, old); put_0(thread, 10, bo.Load(o));
    bo.InterlockedMax(o + 8, 0xf0000000u); uint prev; bo.InterlockedCompareExchange(o, 80u, 99u, prev); put_0(thread, 11, prev);
    put_0(thread, 12, bo.Load(o)); 
    float4 v = asfloat(bo.Load4(o + 64)); put_0(thread, 13, asuint(v.y));
    float2x2 mm = bi.Load<float2x2>(o + 48); put_0(thread, 14, asuint(mm[0][1])); put_0(thread, 15, asuint(mm[1][0]));
    bo.Store<float2x2>(o + 48, transpose(mm));
    put_0(thread, 16, bi.Load<uint>((thread + 5) * 4)); 
    int arr[3] = { 1, 2, 3 }; 
    uint dim; bi.GetDimensions(dim); put_0(thread, 17, dim);
}
