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

BlendState noBlending // warning[E0319]: the effect object `noBlending` is ignored
{
    AlphaToCoverageEnable = FALSE;
    BlendEnable[0] = FALSE;
};

BlendState other; // warning[E0319]: the effect object `other` is ignored
texture diffuse : DIFFUSE < string name = "stone.dds"; int levels = 4; >; // warning[E0319]: the effect object `diffuse` is ignored
Texture old; // warning[E0319]: the effect object `old` is ignored
pixelshader first = NULL; // warning[E0319]: the effect object `first` is ignored
vertexshader second; // warning[E0319]: the effect object `second` is ignored
pixelfragment third; // warning[E0319]: the effect object `third` is ignored
vertexfragment fourth; // warning[E0319]: the effect object `fourth` is ignored
stateblock fifth; // warning[E0319]: the effect object `fifth` is ignored
Technique Shadows { pass Only { } } // warning[E0319]: a technique is ignored
RasterizerState culled { CullMode = BACK; }; // warning[E0319]: the effect object `culled` is ignored
DepthStencilState disabled = other; // warning[E0319]: the effect object `disabled` is ignored
