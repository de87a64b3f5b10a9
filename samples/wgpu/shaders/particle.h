// A particle, as both shaders have it.
struct Particle
{
    float2 position;
    float2 velocity;
    float3 color;
    float size;
};
