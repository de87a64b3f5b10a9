// options: target=wgsl entry=copied:fragment entry=passed:fragment entry=method:fragment entry=nested:fragment entry=stored:fragment
// What the target does not have is an error also where it is read from a copy of its struct.

struct Copied
{
    float4 position : SV_Position;
    uint view : SV_ViewID; // error[E0501]: wgsl has no `SV_ViewID` in fragment shaders
};

float4 copied(Copied input) : SV_Target
{
    Copied copy = input;
    return copy.view;
}

struct Passed
{
    float4 position : SV_Position;
    uint layer : SV_RenderTargetArrayIndex; // error[E0501]: wgsl has no `SV_RenderTargetArrayIndex` in fragment shaders
};

float4 layer_of(Passed p)
{
    return p.layer;
}

float4 passed(Passed input) : SV_Target
{
    return layer_of(input);
}

struct Method
{
    float4 position : SV_Position;
    float2 distances : SV_ClipDistance; // error[E0501]: wgsl has no `SV_ClipDistance` in fragment shaders

    float nearest()
    {
        return min(distances.x, distances.y);
    }
};

float4 method(Method input) : SV_Target
{
    return input.nearest();
}

struct Inner
{
    float3 weights : SV_Barycentrics; // error[E0501]: wgsl has no `SV_Barycentrics` in fragment shaders
};
struct Nested
{
    float4 position : SV_Position;
    Inner inner;
};

float4 weighted(Inner inner)
{
    inner.weights *= 2;
    return inner.weights.xyzx;
}

float4 nested(Nested input) : SV_Target
{
    return weighted(input.inner);
}

struct Stored
{
    float4 position : SV_Position;
    uint viewport : SV_ViewportArrayIndex; // error[E0501]: wgsl has no `SV_ViewportArrayIndex` in fragment shaders
};
RWStructuredBuffer<Stored> kept;

float4 stored(Stored input) : SV_Target
{
    kept[0] = input;
    return 1;
}
