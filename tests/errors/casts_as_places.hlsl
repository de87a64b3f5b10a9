// Casts to numbers of another kind, and of what acts, are no places.

uint count;

int next(inout int at) { return at++; }

float4 main(float4 u : U) : SV_Target
{
    float l[2] = { 1, 2 };
    int two[2] = { 5, 6 };
    (int[2])l = two; // error[E0307]: cannot be assigned to
    ((int)u.x) = 3; // error[E0307]: cannot be assigned to
    ((float)count) = 3; // error[E0307]: cannot be assigned to
    ((float2x2)u) = 4; // error[E0307]: cannot be assigned to
    int at = 0;
    float rows[2][2] = { 1, 2, 3, 4 };
    ((float2)rows[next(at)]) = 3; // error[E0307]: cannot be assigned to
    return l[0] + u + rows[0][0];
}
