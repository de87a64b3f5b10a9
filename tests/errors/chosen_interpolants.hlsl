// options: target=hlsl
// What is chosen component by component is no input, not even where both are the same one.

struct Vertex
{
    float4 color : COLOR;
    float4 more : MORE;
};

float4 main(Vertex v) : SV_Target
{
    float4 sum = EvaluateAttributeCentroid(v.color.x ? v.color : v.color);
    return sum + EvaluateAttributeCentroid(v.more ? v.color : v.color); // error[E0501]: `EvaluateAttributeCentroid` is given an input of the stage, or a part of one, and nothing else
}
