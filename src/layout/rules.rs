//! Layout rules as data: one row a rule set.
//!
//! Sources: seed 000 "Computing Resource Requirements", seeds 001 and 003 for D3D constant buffers, and the measured facts
//! where those documents are silent (`layout/FACTS.md` sections 2 to 6).

/// How a vector is aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VectorAlign {
    /// As its component.
    Scalar,
    /// As its size, rounded up to a power of two.
    PowerOfTwo,
}

/// Rules for plain data in one kind of buffer. All numbers are bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Name shown to people.
    pub name: &'static str,
    /// Alignment of vectors.
    pub vectors: VectorAlign,
    /// A field that would cross a row of this size, and does not begin at one, moves to the next row.
    pub row: Option<u32>,
    /// Least alignment of arrays and of matrix vectors' strides.
    pub min_array_align: u32,
    /// Least alignment of structs.
    pub min_struct_align: u32,
    /// A struct's size is rounded up to its alignment.
    pub round_struct_size: bool,
    /// The last element of an array is padded to the stride like the others.
    pub pad_last_element: bool,
    /// The last vector of a matrix of 16-bit components counts as if they had 32 (FACTS 18.2).
    pub wide_matrix_tail: bool,
    /// What follows an empty struct inside of a struct begins a row (FACTS 18.3).
    pub row_after_empty_struct: bool,
}

/// D3D constant buffers: rows of 16 bytes, tails are reused (FACTS 1.1, 1.2; seed 003 "layout"). Fields without bytes are
/// not emitted, so they move nothing.
pub const D3D_CONSTANT: Rules = Rules {
    name: "D3D constant buffer",
    vectors: VectorAlign::Scalar,
    row: Some(16),
    min_array_align: 16,
    min_struct_align: 16,
    round_struct_size: false,
    pad_last_element: false,
    wide_matrix_tail: true,
    row_after_empty_struct: false,
};

/// The same as DXC has them.
pub const D3D_CONSTANT_DXC: Rules = Rules { row_after_empty_struct: true, ..D3D_CONSTANT };

/// The same as slangc has them.
pub const D3D_CONSTANT_SLANGC: Rules = Rules { wide_matrix_tail: false, ..D3D_CONSTANT };

/// D3D structured buffers: C-like with scalar alignment (FACTS 6, 18.4).
pub const D3D_STRUCTURED: Rules = Rules {
    name: "D3D structured buffer",
    vectors: VectorAlign::Scalar,
    row: None,
    min_array_align: 1,
    min_struct_align: 1,
    round_struct_size: true,
    pad_last_element: true,
    wide_matrix_tail: false,
    row_after_empty_struct: false,
};

/// The same as slangc has them: tails of structs and arrays are reused.
pub const D3D_STRUCTURED_SLANGC: Rules = Rules { round_struct_size: false, pad_last_element: false, ..D3D_STRUCTURED };

/// GLSL `std140`.
pub const STD140: Rules = Rules {
    name: "std140",
    vectors: VectorAlign::PowerOfTwo,
    row: None,
    min_array_align: 16,
    min_struct_align: 16,
    round_struct_size: true,
    pad_last_element: true,
    wide_matrix_tail: false,
    row_after_empty_struct: false,
};

/// GLSL `std430`; WGSL storage buffers have the same numbers.
pub const STD430: Rules = Rules {
    name: "std430",
    vectors: VectorAlign::PowerOfTwo,
    row: None,
    min_array_align: 1,
    min_struct_align: 1,
    round_struct_size: true,
    pad_last_element: true,
    wide_matrix_tail: false,
    row_after_empty_struct: false,
};

/// Vulkan `scalar` block layout.
pub const SCALAR: Rules = Rules {
    name: "scalar",
    vectors: VectorAlign::Scalar,
    row: None,
    min_array_align: 1,
    min_struct_align: 1,
    round_struct_size: true,
    pad_last_element: true,
    wide_matrix_tail: false,
    row_after_empty_struct: false,
};

/// The same as slangc has it: tails of structs and arrays are reused.
pub const SCALAR_SLANGC: Rules = Rules { round_struct_size: false, pad_last_element: false, ..SCALAR };

/// Rounds up to a multiple; saturates.
pub fn round_up(value: u64, align: u64) -> u64 {
    if align <= 1 {
        return value;
    }
    value.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}
