// What effect files say to an application is no matter of the text, but what they compile is.

SamplerState linearSampler
{
    Filter = MIN_MAG_MIP_LINEAR;
    AddressU = Wrap;
};

SamplerState pointSampler = sampler_state { Filter = MIN_MAG_MIP_POINT; };

technique Draw
{
    pass First
    {
        VertexShader = compile vs_5_0 vsMain(); // error[E0601]: there is no function `vsMain`
    }
}

BlendState noBlending
{
    AlphaToCoverageEnable = FALSE;
    BlendEnable[0] = FALSE;
};

BlendState other;
texture diffuse : DIFFUSE < string name = "stone.dds"; int levels = 4; >;
Texture old;
pixelshader first = NULL;
vertexshader second;
pixelfragment third;
vertexfragment fourth;
stateblock fifth;
Technique Shadows { pass Only { } }
RasterizerState culled { CullMode = BACK; };
DepthStencilState disabled = other;

struct Seen { float2 pixel : VPOS; };

float4 psMain(float2 uv : TEXCOORD0, Seen seen, float face : VFACE, uniform bool lit, uniform int count) : COLOR
{
    return lit ? float4(uv, face, count) : 0;
}

float4 passOn(float4 position : POSITION) : POSITION { return position; }

struct Both
{
    float4 position : POSITION; // warning[E0603]: `POSITION` is an input of a vertex shader, too
};

Both again(Both both) { return both; }

technique11 Wrong
{
    pass
    {
        SetPixelShader(CompileShader(ps_3_0, psMain(true, 2)));
        SetComputeShader(CompileShader(zz_3_0, passOn())); // error[E0603]: `zz_3_0` is no profile
        VertexShader = compile vs_3_0 passOn();
        VertexShader = compile vs_3_0 again();
    }
}
