// options: target=hlsl,glsl entry=main:compute
// What is passed to `out` and `inout` is converted as DXC does it, without a preference where DXC has none.
RWStructuredBuffer<uint> output;

void change(inout int v) { v += 1; }
void change(inout float v) { v += 2; }

void give(out bool v) { v = true; }
void give(out int v) { v = 2; }

void take(inout uint v) { v += 1; }
void take(inout double v) { v += 1; }

[numthreads(1, 1, 1)]
void main()
{
    bool flag = true;
    change(flag); // error[E0305]: this call of `change` fits several overloads
    float number = 1;
    give(number); // error[E0305]: this call of `give` fits several overloads
    int count = 1;
    take(count);
    output[0] = count;
}
