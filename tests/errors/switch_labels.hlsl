// Labels of a switch stand among its statements or in blocks there, and in no `if` or loop.

RWStructuredBuffer<uint> result;
Texture2D<float4> image;

[shader("compute")]
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    switch (id.x)
    {
        result[3] = 1; // warning[E0317]: never run
        case 0:
            if (id.y > 3)
            {
                result[0] = 1;
                case 1: // error[E0201]: no target has jumps into an `if` or a loop
                    result[1] = 1;
            }
        case 2:
            for (uint i = 0; i < 3; i++)
            {
                default: // error[E0201]: no target has jumps into an `if` or a loop
                    result[2] = 1;
            }
    }
}
