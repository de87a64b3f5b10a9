// Colour space helpers shared by every pass that touches display values.
#ifndef COLOR_HLSLI
#define COLOR_HLSLI

// Rec. 709 luminance weights.
static const float3 kLuminanceWeights = float3(0.2126, 0.7152, 0.0722);

float Luminance(float3 color)
{
    return dot(color, kLuminanceWeights);
}

// Exact piecewise sRGB, not the pow(2.2) shortcut: dark gradients band with the latter.
float3 LinearToSrgb(float3 color)
{
    float3 low = color * 12.92;
    float3 high = 1.055 * pow(max(color, 0.0), 1.0 / 2.4) - 0.055;
    return lerp(high, low, step(color, 0.0031308));
}

float3 SrgbToLinear(float3 color)
{
    float3 low = color / 12.92;
    float3 high = pow((color + 0.055) / 1.055, 2.4);
    return lerp(high, low, step(color, 0.04045));
}

#endif // COLOR_HLSLI
