//! Layout rules as data: one row a rule set. Every number is bytes.
//!
//! | rule set | of | page |
//! | --- | --- | --- |
//! | [`D3D_CONSTANT`] | `cbuffer`, `tbuffer`, plain globals of HLSL | `layout-d3d-constant` |
//! | [`D3D_STRUCTURED`] | structured buffers of HLSL, typed loads of byte-address buffers | `layout-d3d-structured` |
//! | [`STD140`] | uniform blocks of GLSL (OpenGL specification 7.6.2.2), uniform buffers of WGSL | `layout-std140-std430` |
//! | [`STD430`] | storage blocks and push constants of GLSL, storage buffers of WGSL | `layout-std140-std430` |
//! | [`SCALAR`] | blocks of GLSL under `GL_EXT_scalar_block_layout` | `layout-std140-std430` |
//!
//! A vector has the size of its components; a matrix is an array of its major vectors (rule `layout-matrices`); a struct is
//! laid out in order of its fields, each at the next multiple of its alignment. What differs is in [`Rules`].
//! [`super::Layouter`] applies them (rule `layout-needs`).

pub mod pages;

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
    /// The page of the rules.
    pub page: &'static str,
    /// Alignment of vectors.
    pub vectors: VectorAlign,
    /// A field that would cross a row of this size, and does not begin at one, moves to the next row.
    pub row: Option<u32>,
    /// Least alignment of structs, arrays and matrices, and so of the distance of elements and of a matrix's vectors.
    pub min_align: u32,
    /// A struct's size is rounded up to its alignment.
    pub round_struct_size: bool,
    /// The last element of an array is padded to the stride like the others.
    pub pad_last_element: bool,
    /// The last vector of a matrix of 16-bit components counts as if they had 32.
    pub wide_matrix_tail: bool,
    /// What follows an empty struct inside of a struct begins a row.
    pub row_after_empty_struct: bool,
    /// A matrix of one major vector lies as that vector does, and one of bools takes its last row whole, as DXC has them.
    pub matrices_as_dxc: bool,
    /// Members of a buffer begin a row where numbers of least 16 bits and others meet. They are DXC's alone, so all policies
    /// have its rule.
    pub least_precision_apart: bool,
}

impl Rules {
    /// The row that bytes from `at` on would cross the end of.
    pub fn crossed_row(&self, at: u64, size: u64) -> Option<u64> {
        let row = self.row.map(u64::from);
        row.filter(|row| !at.is_multiple_of(*row) && (at % row).saturating_add(size) > *row)
    }
}

/// D3D constant buffers: rows of 16 bytes, tails are reused (rule `layout-d3d-constant`). Fields without bytes are
/// not emitted, so they move nothing.
pub const D3D_CONSTANT: Rules = Rules {
    name: "D3D constant buffer",
    page: pages::D3D_CONSTANT,
    vectors: VectorAlign::Scalar,
    row: Some(16),
    min_align: 16,
    round_struct_size: false,
    pad_last_element: false,
    wide_matrix_tail: true,
    row_after_empty_struct: false,
    matrices_as_dxc: false,
    least_precision_apart: true,
};

/// The same as DXC has them.
pub const D3D_CONSTANT_DXC: Rules = Rules { row_after_empty_struct: true, matrices_as_dxc: true, ..D3D_CONSTANT };

/// The same as slangc has them.
pub const D3D_CONSTANT_SLANGC: Rules = Rules { wide_matrix_tail: false, ..D3D_CONSTANT };

/// D3D structured buffers: C-like with scalar alignment (rule `layout-d3d-structured`).
pub const D3D_STRUCTURED: Rules = Rules {
    name: "D3D structured buffer",
    page: pages::D3D_STRUCTURED,
    vectors: VectorAlign::Scalar,
    row: None,
    min_align: 1,
    round_struct_size: true,
    pad_last_element: true,
    wide_matrix_tail: false,
    row_after_empty_struct: false,
    matrices_as_dxc: false,
    least_precision_apart: false,
};

/// The same as slangc has them: tails of structs and arrays are reused.
pub const D3D_STRUCTURED_SLANGC: Rules = Rules { round_struct_size: false, pad_last_element: false, ..D3D_STRUCTURED };

/// GLSL `std140`. Uniform buffers of WGSL, whose fields say with `@align` and `@size` what that address space wants, have the same
/// bytes, so that one set of C++ structs serves Vulkan and WebGPU.
pub const STD140: Rules = Rules { name: "std140", min_align: 16, ..STD430 };

/// GLSL `std430`, and what WGSL has in storage buffers.
pub const STD430: Rules =
    Rules { name: "std430", page: pages::STD140_STD430, vectors: VectorAlign::PowerOfTwo, ..D3D_STRUCTURED };

/// Vulkan `scalar` block layout, as C++ compilers lay out structs: what follows a struct does not go into its tail.
pub const SCALAR: Rules = Rules { name: "scalar", vectors: VectorAlign::Scalar, ..STD430 };

/// The same as slangc and glslang have it: tails of structs and arrays are reused.
pub const SCALAR_SLANGC: Rules = Rules { round_struct_size: false, pad_last_element: false, ..SCALAR };

/// Rounds up to a multiple; saturates.
pub fn round_up(value: u64, align: u64) -> u64 {
    if align <= 1 {
        return value;
    }
    value.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}
