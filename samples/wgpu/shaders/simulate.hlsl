#include "particle.h"

// What is the same for all particles in a step.
cbuffer Step
{
    float2 gravity;
    float seconds;
    uint count;
};

RWStructuredBuffer<Particle> particles;

// Moves the particles. They bounce off the floor and lose a fifth of their speed.
[shader("compute")]
[numthreads(64, 1, 1)]
void simulate(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= count)
    {
        return;
    }
    Particle particle = particles[id.x];
    particle.velocity += gravity * seconds;
    particle.position += particle.velocity * seconds;
    if (particle.position.y < 0.0)
    {
        particle.position.y = -particle.position.y;
        particle.velocity.y *= -0.8;
    }
    particles[id.x] = particle;
}
