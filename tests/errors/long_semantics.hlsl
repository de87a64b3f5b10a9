// options: target=hlsl entry=main:fragment
// Signatures of D3D have room for names of 64 characters.
float4 main(
    float4 a : ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKL12,
    float4 b : ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLM) : SV_Target // error[E0501]: a semantic has at most 64 characters in sm_6_6
{
    return a + b;
}
