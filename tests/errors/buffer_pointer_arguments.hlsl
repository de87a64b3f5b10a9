// options: entry=main:compute target=glsl

struct Root { vk::BufferPointer<int> p; };

[[vk::push_constant]] Root root;

[numthreads(1, 1, 1)]
void main()
{
    root.p.Get(1) = 1; // error[E0304]: `Get` of a pointer takes no arguments
    root.p.Get = 1; // error[E0311]: a function must be called
}
