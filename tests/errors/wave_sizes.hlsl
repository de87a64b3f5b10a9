// options: target=glsl
// A wave has a power of two of invocations. A range has a least size, a larger one, and perhaps one between them that is preferred.

[WaveSize(32)]
[numthreads(64, 1, 1)]
[shader("compute")]
void one() {}

[WaveSize(16, 64)]
[numthreads(64, 1, 1)]
[shader("compute")]
void range() {}

[WaveSize(16, 64, 16)]
[numthreads(64, 1, 1)]
[shader("compute")]
void preferring() {}

[WaveSize(0)] // error[E0603]: 0 is no size of a wave: it is a power of two from 4 to 128
[numthreads(64, 1, 1)]
[shader("compute")]
void none() {}

[WaveSize(16, 256)] // error[E0603]: 256 is no size of a wave
[numthreads(64, 1, 1)]
[shader("compute")]
void large() {}

[WaveSize(16, 64, 48)] // error[E0603]: 48 is no size of a wave
[numthreads(64, 1, 1)]
[shader("compute")]
void between() {}

[WaveSize(32, 32)] // error[E0603]: the least size, 32, must be less than the largest, 32
[numthreads(64, 1, 1)]
[shader("compute")]
void same() {}

[WaveSize(16, 64, 128)] // error[E0603]: the preferred size, 128, is not from 16 to 64
[numthreads(64, 1, 1)]
[shader("compute")]
void beyond() {}
