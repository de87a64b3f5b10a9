// A node is no kernel of its own, and its records are no parameters of one.
RWStructuredBuffer<uint> result;

[Shader("node")] // error[E0319]: a node of a work graph is not supported yet
[NodeLaunch("thread")]
void first()
{
    result[0] = 1;
}

[shader("kernel")] // error[E0603]: `kernel` is not a stage
void second()
{
    result[1] = 1;
}
