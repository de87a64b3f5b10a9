// options: target=hlsl entry=old:fragment
// Outputs of fragment shaders are called otherwise now.

struct Old
{
    float4 first : COLOR; // error[E0501]: `COLOR` cannot be an output of the fragment stage
    float4 second : Color1; // error[E0501]: `COLOR1` cannot be an output of the fragment stage
    float depth : DEPTH; // error[E0501]: `DEPTH` cannot be an output
};

Old old(float4 color : COLOR)
{
    return (Old)0;
}
