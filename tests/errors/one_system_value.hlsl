// options: target=glsl entry=main:fragment
// A variable of the system is no array, not even of one.

float4 main(float4 at[1] : SV_Position) : SV_Target // error[E0603]: there is one `SV_Position` here, and no array of it
{
    return at[0];
}
