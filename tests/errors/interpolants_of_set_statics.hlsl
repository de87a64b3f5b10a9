// options: target=glsl entry=main:fragment
// A static variable that is set twice does not stand for an input.

static float2 place;

float centered()
{
    return EvaluateAttributeCentroid(place).x; // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage, or a part of one, and nothing else
}

float4 main(float2 uv : UV, float2 other : OTHER) : SV_Target
{
    place = uv;
    float first = centered();
    place = other;
    return first + centered();
}
