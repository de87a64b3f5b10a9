// A function gives what it was declared to give.

RWStructuredBuffer<float> result;

float doubled(float x);

[numthreads(1, 1, 1)]
void main()
{
    result[0] = doubled(1);
}

half4 doubled(float x) // error[E0302]: `doubled` gives `half4` here, and was declared to give `float`
{
    return x * 2;
}
