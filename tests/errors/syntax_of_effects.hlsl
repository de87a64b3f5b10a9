// Techniques hold passes, and passes hold states.

BlendState blending { 3 = TRUE; }; // error[E0201]: expected the name of a state

technique Draw
{
    pass First { ZEnable; } // error[E0201]: expected `=` and the value of the state
}

technique Other
{ // error[E0201]: expected a pass
    float4 color;
}

fxgroup Group { pass First {} } // error[E0201]: expected a technique

float4 shade(uniform bool lit, uniform int count) : COLOR { return lit * count; }

technique11 Wrong
{
    pass
    {
        SetPixelShader(CompileShader(ps_3_0, shade(true))); // error[E0603]: `shade` has 2 `uniform` parameters, and is compiled with 1 values
    }
}

PixelShader shaded = compile ps_3_0 3(); // error[E0201]: expected the function to compile
