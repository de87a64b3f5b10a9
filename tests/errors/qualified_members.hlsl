// options: target=hlsl,glsl,wgsl entry=main:compute
// What stands before the member is a base of the object, or its type.

struct Base
{
    int tag;
};

struct Other
{
    int tag;
};

struct Derived : Base
{
    int more;
};

RWStructuredBuffer<int> result;

[numthreads(1, 1, 1)]
void main()
{
    Derived d;
    d.tag = 1;
    d.more = 2;
    result[0] = d.Other::tag; // error[E0306]: `Derived` has no base `Other`
    result[1] = d.Nothing::tag; // error[E0301]: `Nothing` is not declared
    result[2] = d.Base::more; // error[E0306]: `Base` has no member `more`
    result[3] = d.result::tag; // error[E0306]: `Derived` has no base `result`
}
