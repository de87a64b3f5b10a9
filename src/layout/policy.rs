//! Binding policies as data: how positions are chosen where the rules and the tools differ.

use super::rules::{self, Rules};

/// How positions are chosen where the rules and the tools differ (rule `layout-differences`); a value, not code. Its parameters
/// are grouped by subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Name in options.
    pub name: &'static str,
    pub(crate) order: Order,
    pub(crate) units: Units,
    pub(crate) explicit: ExplicitPositions,
    pub(crate) constants: Constants,
    pub(crate) blocks: Blocks,
    pub(crate) arrays: Arrays,
    pub(crate) stage_io: StageIo,
    pub(crate) entry_uniforms: EntryUniforms,
    pub(crate) shifts: Shifts,
    pub(crate) matrices: Matrices,
    pub(crate) buffers: Buffers,
    /// Parameters that no entry point reaches have no position.
    pub(crate) drop_unused: bool,
}

/// The order in which parameters are given positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    /// Declarations in namespaces come after those outside, level by level.
    pub namespaces_last: bool,
    /// Entry points come after all units and modules rather than after their own unit.
    pub entries_last: bool,
    /// Entry points come in the order in which options name them rather than in order of declaration.
    pub entries_as_asked: bool,
    /// What lies in structs, then in constant buffers, then in texture buffers comes after what is declared by itself.
    pub by_class: bool,
    /// Where the target has no push constants, their buffers come behind all other bindings, which are counted without them;
    /// so do, in the groups of parameter blocks, samplers of combined samplers that have a binding of their own.
    pub extras_last: bool,
}

/// Declarations of several units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Units {
    /// A parameter declared in several units under one name is one parameter.
    pub merged: bool,
    /// Two constant buffers of one unit may have one name.
    pub buffers_share_names: bool,
}

/// What explicit positions mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExplicitPositions {
    /// Overlapping explicit ranges are an error rather than a warning.
    pub overlap_is_error: bool,
    /// Which of them are understood at all is as DXC has it (see [`crate::check::Options::places_as_dxc`]).
    pub as_dxc: bool,
    /// Without `vk::binding`, `register(t1, space2)` is binding 1 in set 2 on Vulkan and WebGPU.
    pub registers_as_bindings: bool,
    /// Those of combined samplers, too.
    pub registers_of_pairs: bool,
    /// A register that is taken as a binding keeps only its own number from being given away, however many follow.
    pub register_keeps_one_binding: bool,
    /// `register(space1)`, without a register, is understood.
    pub space_only_registers: bool,
    /// A register of a struct or of plain data whose class it does not take is ignored rather than an error.
    pub unfit_registers_ignored: bool,
    /// `register(c5)` places a plain global; else it is an error.
    pub registers_of_globals: bool,
    /// An explicit binding, which is meant for Vulkan, is that of the texture alone where the sampler of a combined sampler
    /// has one of its own, and that of the first element alone where each element of an array has one.
    pub bindings_of_parts: bool,
    /// `[[vk::offset]]` places fields on Vulkan.
    pub vk_offsets: bool,
    /// In shader models where `u` registers and render targets are one, targets claim theirs.
    pub targets_claim_registers: bool,
}

/// Constants that are no constant buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constants {
    /// On D3D, specialization constants are ordinary globals.
    pub specialization_as_globals: bool,
    /// On D3D, push constants of plain data are ordinary globals, rather than each a buffer of its own.
    pub push_as_globals: bool,
}

/// Parameter blocks and their spaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// They have spaces of their own only under a profile that was asked for.
    pub need_profile: bool,
    /// Of one with a space of its own, only `register(space1)` without a register is understood.
    pub take_spaces_only: bool,
    /// An explicit space keeps only itself from being given away, however many the nested blocks take.
    pub explicit_keeps_one_space: bool,
    /// What one holds in a space that it asks for is no hindrance to others.
    pub share_spaces: bool,
    /// Input attachments in one are numbered from 0 in it rather than among all.
    pub own_attachments: bool,
}

/// Arrays of resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrays {
    /// Where a D3D array without bound goes.
    pub unbounded: Unbounded,
    /// Those in structs begin at register 0 of their spaces, rather than at that of the struct.
    pub unbounded_from_zero: bool,
    /// Where a target has no arrays of resources, their elements have positions of their own; else an array takes one, as if
    /// the target had them.
    pub places_elements: bool,
    /// In an array of structs that hold input attachments, each of a struct's has numbers of its own for all elements rather
    /// than one after another, which neighbours share.
    pub attachments_apart: bool,
}

/// Where a D3D array without bound goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbounded {
    /// A space of its own.
    OwnSpace,
    /// All of a space above what was placed before it.
    RestOfSpace,
}

/// Stage inputs and outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StageIo {
    /// Fragment outputs are numbered in order of declaration rather than by their `SV_Target` index.
    pub targets_by_order: bool,
    /// A matrix takes a location for each vector that is stored, not for each row, and a vector one, however wide. Where a text
    /// needs more and they meet what is next, it is a fault.
    pub as_stored: bool,
    /// The locations that fields of a struct ask for are counted from the struct's own.
    pub field_locations_are_offsets: bool,
    /// On D3D, the indices that a mesh shader gives take a location.
    pub counts_mesh_indices: bool,
    /// A domain shader's constants of a patch are counted with its control points, rather than as the signature of their own
    /// that they are.
    pub counts_patch_constants: bool,
}

/// The uniform parameters of entry points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryUniforms {
    /// Those of an entry point are placed as one; of their explicit positions only bindings are understood.
    pub whole: bool,
    /// Where all buffers have one pair of rules, those that are push constants have those of structured buffers.
    pub push_structured: bool,
    /// The size of those that are push constants is a multiple of their alignment under all rules.
    pub push_rounded: bool,
    /// The buffer of an entry point's uniform parameters is `entryPointParams`, by which applications find it; elsewhere it has the
    /// name of the entry point where it may.
    pub fixed_names: bool,
}

/// Register classes that are mapped to ranges of bindings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shifts {
    /// Explicit bindings are ignored for classes that are shifted.
    pub hide_bindings: bool,
    /// Where any class is shifted, the first register of a parameter is understood if its class is, and no other.
    pub hide_registers: bool,
    /// Shifted classes are shifted in the spaces of parameter blocks and among the uniform parameters of entry points, too.
    pub everywhere: bool,
}

/// The storage order of matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrices {
    /// `row_major` and `column_major` hold on arrays of matrices.
    pub order_on_arrays: bool,
    /// `#pragma pack_matrix` is obeyed.
    pub pack_pragma: bool,
}

/// The bytes of buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffers {
    /// D3D constant buffers.
    pub d3d_constant: &'static Rules,
    /// D3D structured buffers.
    pub d3d_structured: &'static Rules,
    /// Scalar block layout.
    pub scalar: &'static Rules,
}

impl Policy {
    /// Declarations alone decide (rule `layout-guarantees`).
    pub const SPEC: Policy = Policy {
        name: "spec",
        order: Order {
            namespaces_last: false,
            entries_last: false,
            entries_as_asked: false,
            by_class: false,
            extras_last: false,
        },
        units: Units { merged: true, buffers_share_names: true },
        explicit: ExplicitPositions {
            overlap_is_error: true,
            as_dxc: false,
            registers_as_bindings: false,
            registers_of_pairs: true,
            register_keeps_one_binding: false,
            space_only_registers: true,
            unfit_registers_ignored: false,
            registers_of_globals: true,
            bindings_of_parts: true,
            vk_offsets: true,
            targets_claim_registers: true,
        },
        constants: Constants { specialization_as_globals: false, push_as_globals: false },
        blocks: Blocks {
            need_profile: false,
            take_spaces_only: false,
            explicit_keeps_one_space: false,
            share_spaces: false,
            own_attachments: false,
        },
        arrays: Arrays {
            unbounded: Unbounded::OwnSpace,
            unbounded_from_zero: true,
            places_elements: true,
            attachments_apart: true,
        },
        stage_io: StageIo {
            targets_by_order: false,
            as_stored: false,
            field_locations_are_offsets: false,
            counts_mesh_indices: false,
            counts_patch_constants: false,
        },
        entry_uniforms: EntryUniforms { whole: false, push_structured: false, push_rounded: false, fixed_names: false },
        shifts: Shifts { hide_bindings: false, hide_registers: false, everywhere: true },
        matrices: Matrices { order_on_arrays: true, pack_pragma: true },
        buffers: Buffers {
            d3d_constant: &rules::D3D_CONSTANT,
            d3d_structured: &rules::D3D_STRUCTURED,
            scalar: &rules::SCALAR,
        },
        drop_unused: false,
    };

    /// What slangc does today.
    pub const SLANGC: Policy = Policy {
        name: "slangc",
        order: Order {
            namespaces_last: true,
            entries_last: true,
            entries_as_asked: true,
            by_class: false,
            extras_last: true,
        },
        units: Units { merged: false, buffers_share_names: false },
        explicit: ExplicitPositions {
            overlap_is_error: false,
            as_dxc: false,
            registers_as_bindings: true,
            registers_of_pairs: false,
            register_keeps_one_binding: true,
            space_only_registers: false,
            unfit_registers_ignored: true,
            registers_of_globals: false,
            bindings_of_parts: false,
            vk_offsets: false,
            targets_claim_registers: true,
        },
        constants: Constants { specialization_as_globals: true, push_as_globals: false },
        blocks: Blocks {
            need_profile: true,
            take_spaces_only: true,
            explicit_keeps_one_space: true,
            share_spaces: true,
            own_attachments: true,
        },
        arrays: Arrays {
            unbounded: Unbounded::OwnSpace,
            unbounded_from_zero: false,
            places_elements: false,
            attachments_apart: false,
        },
        stage_io: StageIo {
            targets_by_order: true,
            as_stored: true,
            field_locations_are_offsets: true,
            counts_mesh_indices: true,
            counts_patch_constants: true,
        },
        entry_uniforms: EntryUniforms { whole: true, push_structured: true, push_rounded: true, fixed_names: true },
        shifts: Shifts { hide_bindings: true, hide_registers: true, everywhere: false },
        matrices: Matrices { order_on_arrays: false, pack_pragma: false },
        buffers: Buffers {
            d3d_constant: &rules::D3D_CONSTANT_SLANGC,
            d3d_structured: &rules::D3D_STRUCTURED_SLANGC,
            scalar: &rules::SCALAR_SLANGC,
        },
        drop_unused: false,
    };

    /// What DXC does today (rules `layout-unused`, `layout-register-classes`).
    pub const DXC: Policy = Policy {
        name: "dxc",
        order: Order { entries_last: true, by_class: true, ..Policy::SPEC.order },
        units: Units { merged: false, ..Policy::SPEC.units },
        explicit: ExplicitPositions {
            as_dxc: true,
            registers_as_bindings: true,
            targets_claim_registers: false,
            ..Policy::SPEC.explicit
        },
        constants: Constants { specialization_as_globals: true, push_as_globals: true },
        arrays: Arrays { unbounded: Unbounded::RestOfSpace, ..Policy::SPEC.arrays },
        buffers: Buffers { d3d_constant: &rules::D3D_CONSTANT_DXC, ..Policy::SPEC.buffers },
        drop_unused: true,
        ..Policy::SPEC
    };

    /// Every policy.
    pub const ALL: &[Policy] = &[Policy::SPEC, Policy::SLANGC, Policy::DXC];
}
