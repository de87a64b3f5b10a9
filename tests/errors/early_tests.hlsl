// options: target=wgsl entry=main:fragment entry=plain:fragment
// WebGPU tests early where nobody can tell, and nowhere else.

RWByteAddressBuffer passed;

void note()
{
    passed.Store(0, 1);
}

[earlydepthstencil]
float4 main(float4 position : SV_Position) : SV_Target // error[E0501]: wgsl does not support tests of depth and stencil before a fragment shader that writes memory or discards
{
    note();
    return position;
}


[earlydepthstencil]
float4 plain(float4 position : SV_Position) : SV_Target
{
    return position;
}
