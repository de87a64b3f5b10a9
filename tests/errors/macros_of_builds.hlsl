// Names that look like macros of a build that gives them: how they are given is said.

FX_STATIC const uint kCount = 2; // error[E0201]: expected `;` after the declaration of `uint`, found `kCount`
