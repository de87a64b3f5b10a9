// Members of templates are defined for all arguments alike.

template<typename T>
struct Members
{
    static const uint size;
};

template<> static const uint Members<float>::size = 77; // error[E0319]: specialize the template as a whole

float4 main() : SV_Target
{
    return Members<int>::size;
}
