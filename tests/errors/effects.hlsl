// What effect files say to an application is left out with a warning.

SamplerState linearSampler
{ // warning[E0319]: the states of `linearSampler` are ignored
    Filter = MIN_MAG_MIP_LINEAR;
    AddressU = Wrap;
};

SamplerState pointSampler = sampler_state { Filter = MIN_MAG_MIP_POINT; }; // warning[E0319]: the states of `pointSampler`

technique Draw // warning[E0319]: a technique is ignored
{
    pass First
    {
        VertexShader = compile vs_5_0 vsMain();
    }
}
