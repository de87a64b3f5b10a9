// options: target=hlsl entry=main:compute
// Labels stand among the statements of a `switch`.

RWStructuredBuffer<int> result;

[numthreads(1, 1, 1)]
void main(uint index : SV_GroupIndex)
{
    switch (index)
    {
    case 0:
        if (result[1] > 1)
        {
        case 1: // error[E0201]: a label stands among the statements of a `switch`, or in a block of its own there; no target has jumps into an `if` or a loop
            result[0] = 1;
        }
        break;
    default:
        result[2] = 3;
    }
    {
    case 4: // error[E0201]: a label stands among the statements of a `switch`
        result[3] = 4;
    }
}
