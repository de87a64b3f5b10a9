RWStructuredBuffer<float> result;

[numthreads(1, 1, 1)]
void main()
{
    result[0] = 1_000; // error[E0107]: `1_000` is a number in Slang alone
    result[1] = 1#INF; // error[E0107]: `1#INF` is a number in Slang alone
    result[2] = 0x1.8; // error[E0107]: `0x1.8` is a number in Slang alone
}
