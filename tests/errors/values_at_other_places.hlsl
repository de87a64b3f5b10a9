// options: target=hlsl entry=main:fragment
// What is evaluated at another place is followed through variables, branches and calls.

struct Varyings
{
    float4 p : P;
    float s : S;
    float2 a[3] : A;
    half2 narrow : N;
};

cbuffer Block
{
    float4 constants;
    uint which;
};

static float2 kept;

float2 centered(float2 x)
{
    return EvaluateAttributeCentroid(x); // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage, or a part of one, and nothing else
}

float2 of_inputs(float2 x)
{
    return EvaluateAttributeCentroid(x);
}

float2x2 of_rows(float2x2 x)
{
    return EvaluateAttributeCentroid(x); // error[E0501]: is given an input of the stage
}

float4 main(Varyings v) : SV_Target
{
    float2 r = centered(float2()) + of_rows(float2x2(1, 2, 3, 4))[0];
    r += EvaluateAttributeCentroid(constants.xy); // error[E0501]: is given an input of the stage
    r += EvaluateAttributeCentroid(-v.p.xy); // error[E0501]: is given an input of the stage
    r += EvaluateAttributeCentroid((float2)0); // error[E0501]: is given an input of the stage
    r += EvaluateAttributeCentroid(float2(v.s, 0)); // error[E0501]: is given an input of the stage
    r += EvaluateAttributeCentroid(v.s > 0 ? v.p.xy : v.p.zw); // error[E0501]: is given an input of the stage
    r += EvaluateAttributeCentroid(kept); // error[E0501]: is given an input of the stage
    kept = v.p.xy;
    r += EvaluateAttributeCentroid(kept);
    float2 joined;
    joined.x = v.s;
    joined.y = v.p.x;
    r += of_inputs(joined) + of_inputs(v.s.xx) + of_inputs(v.a[which]);
    if (which > 1)
        joined.x = v.p.y;
    r += EvaluateAttributeCentroid(joined); // error[E0501]: is given an input of the stage
    Varyings other = v;
    other.a[0] = 0;
    r += EvaluateAttributeCentroid(other.a[1]);
    r += EvaluateAttributeCentroid(other.a[0]); // error[E0501]: is given an input of the stage
    float2 wide = v.narrow;
    r += EvaluateAttributeCentroid(wide); // error[E0501]: is given an input of the stage
    joined = 0;
    joined = v.a[2].yx;
    [unroll]
    for (int i = 0; i < 3; i++)
        r += of_inputs(v.a[i]) + of_inputs(joined);
    switch (which)
    {
        case 0: joined = v.a[1]; break;
        default: break;
    }
    r += EvaluateAttributeCentroid(joined); // error[E0501]: is given an input of the stage
    return r.xyxy;
}
