RWBuffer<uint> o;
[numthreads(8,8,1)] void main(uint1x1 g : SV_DispatchThreadID){ o[0]=g[0][0]; }