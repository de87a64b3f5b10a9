//! What judges refuse although it is legal: their faults and limits, each with why we say so.

/// A judge, a part of what it says, and why the text is legal nevertheless.
const TABLE: &[(&str, &str, &str)] = &[
    // What nothing has written is the source's fault, and DXC says the same of the source; it sees it by the flow of data
    // after optimization.
    ("dxc", "Instructions should not read uninitialized value", "of the source"),
    ("dxc", "Assignment of undefined values to UAV", "of the source"),
    ("dxc", "Not all elements of output", "of the source"),
    ("dxc", "Not all elements of SV_Position were written", "of the source"),
    // It optimizes first, so that we cannot say which are.
    ("dxc", "Offsets to texture access operations must be immediate values", "of the source"),
    ("dxc", "Offsets to texture access operations must be between", "of the source"),
    // An offset of a gather that is computed from a float beyond the integers, which gathers of HLSL take.
    ("dxc", "offset uninitialized", "of the source"),
    // An index that only optimization finds to be constant.
    ("dxc", "Cbuffer access out of bound", "of the source"),
    ("dxc", "Access to out-of-bounds memory is disallowed", "of the source"),
    ("dxc", "error: expect Row between", "of the source"),
    ("dxc", "error: expect VertexID between", "of the source"),
    // Whether a loop can be unrolled only optimization finds.
    ("dxc", "Could not unroll loop", "of the source"),
    // The derivative of what only optimization finds to be no number.
    ("dxc", "No indefinite derivative calculation", "of the source"),
    // The logarithm of what only optimization finds to be no number.
    ("dxc", "No indefinite logarithm", "of the source"),
    // What nothing has written, as the place of a sample.
    ("dxc", "coord uninitialized", "of the source"),
    // The same as the number of a sample.
    ("dxc", "require sampleIndex", "of the source"),
    // What ends a compiler is its fault, whatever the text is.
    ("dxc", "it ended: (nothing said)", "a fault of DXC 1.7"),
    ("dxc", "compile call failed", "a fault of DXC 1.7: a loop without an end that is to be unrolled"),
    ("dxc", "uav store write mask must match", "a fault of DXC 1.7: structs of 16-bit numbers of minimum precision"),
    // It merges the handles of one buffer that two paths write; without optimization (`-Od`) it takes the text.
    ("dxc", "Resource handle should returned by createHandle", "a fault of DXC 1.7"),
    // A loop that the flow of data shows to be endless.
    ("dxc", "Loop must have break", "of the source"),
    // Copies of vectors of three 16-bit numbers of minimum precision through structured buffers end DXC.
    ("dxc", "cast<X>() argument of incompatible type!", "a fault of DXC 1.7"),
    (
        "dxc",
        "Failed to allocate all output signature elements",
        "D3D has 32 registers, and how it packs them is its own",
    ),
    (
        "dxc",
        "Failed to allocate all patch constant signature elements",
        "D3D has 32 registers, and how it packs them is its own",
    ),
    ("dxc", "signature element", "D3D has 32 registers, and how it packs them is its own"),
    ("dxc", "Root Signature in DXIL container is not compatible", "of the source"),
    ("dxc", "no member named 'SampleCmpLevel'", "shader model 6.7, which DXC 1.7 has in part"),
    (
        "dxc",
        "no matching member function for call to 'CalculateLevelOfDetail",
        "shader model 6.8, which is newer than it",
    ),
    ("spirv-val", "Invalid capability operand", "a capability that is newer than it"),
    ("spirv-val", "Invalid execution mode operand: 6023", "maximal reconvergence, which is newer than it"),
    ("glslang", "extension not supported: GL_EXT_ray_tracing_position_fetch", "an extension that is newer than it"),
    // Tint, which judges first, takes them.
    ("naga", "Division by zero", "naga folds `let`, which is no constant expression"),
    ("naga", "Workgroup size is multi dimensional", "the language has no such rule"),
    // Of a ray query that nothing uses.
    ("dxc", "Flags must match usage", "a fault of DXC 1.7: its own validator refuses its own code"),
    // Of a vertex whose number is known at run time alone.
    (
        "dxc",
        "can only be used as immediate value for intrinsic",
        "a fault of DXC 1.7: its own validator refuses its own code",
    ),
    // `precise` is handed on by optimization.
    ("dxc", "Instructions marked precise may not refer to minprecision values", "of the source"),
    ("dxc", "Module bitcode is invalid", "a fault of DXC 1.7: its own validator refuses its own code"),
];

/// Whether a verdict is a known fault of the judge.
pub fn is_tolerated(judge: &str, reason: &str) -> bool {
    TABLE.iter().any(|(by, part, _)| *by == judge && reason.contains(part))
}
