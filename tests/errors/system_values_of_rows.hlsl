// options: target=hlsl entry=by_columns:fragment entry=by_rows:fragment entry=at_once:vertex
// System values that are matrices of several vectors.

float1x4 by_columns() : SV_Target // error[E0603]: `SV_Target` must be a number or vector, which `by_columns` is not
{
    return 1;
}

void by_rows(out row_major float4x1 color : SV_Target1) // error[E0603]: `SV_Target` must be a number or vector
{
    color = 1;
}

int4x1 at_once(float4 at : AT) : SV_Position // error[E0603]: `SV_Position` must be a number or vector, which `at_once` is not
{
    return 1;
}
