// options: target=hlsl entry=main:fragment

template<typename T>
float measure(T x)
{
    return 100;
}

template<>
half3 measure(uint x) // error[E0316]: `measure` is specialized with another result, or another direction of a parameter
{
    return 200;
}

template<>
float measure<int>(inout int x) // error[E0316]: `measure` is specialized with another result, or another direction of a parameter
{
    return 300;
}

float4 main(uint s : SCALE) : SV_Target
{
    int t = 1;
    return measure(s) + measure(t);
}
