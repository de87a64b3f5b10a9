// options: target=hlsl entry=main:vertex
// Feedback of a sample that takes a derivative is of fragment shaders (DXC).
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> levels;
Texture2D image;
SamplerState filter;

float4 main(float2 uv : UV) : SV_Position
{
    levels.WriteSamplerFeedback(image, filter, uv); // error[E0501]: `WriteSamplerFeedback` cannot be called by the vertex stage of `main`
    levels.WriteSamplerFeedbackBias(image, filter, uv, 1); // error[E0501]: `WriteSamplerFeedbackBias` cannot be called by the vertex stage of `main`
    levels.WriteSamplerFeedbackLevel(image, filter, uv, 1);
    return 0;
}
