// Variable templates that are declared twice, or named without arguments or with too many.

template<typename T> static const uint bytes = sizeof(T);
template<typename T> static const uint bytes = 2; // error[E0302]: declared twice

float4 main() : SV_Target
{
    float wrong = bytes; // error[E0311]: needs its template arguments
    return bytes<float2> + bytes<float, float>; // error[E0316]: takes 1
}
