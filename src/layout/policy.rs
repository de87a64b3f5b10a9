//! Binding policies as data: how positions are chosen where the rules and the tools differ.

use super::rules::{self, Rules};

/// How positions are chosen where the rules and the tools differ (rule `layout-differences`); a value, not code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Name in options.
    pub name: &'static str,
    /// Declarations in namespaces come after those outside, level by level.
    pub(crate) namespaces_last: bool,
    /// Entry points come after all units and modules rather than after their own unit.
    pub(crate) entries_last: bool,
    /// Entry points come in the order in which options name them rather than in order of declaration.
    pub(crate) entries_as_asked: bool,
    /// A parameter declared in several units under one name is one parameter.
    pub(crate) merge_units: bool,
    /// Overlapping explicit ranges are an error rather than a warning.
    pub(crate) overlap_is_error: bool,
    /// Without `vk::binding`, `register(t1, space2)` is binding 1 in set 2 on Vulkan and WebGPU.
    pub(crate) registers_as_bindings: bool,
    /// Except those of combined samplers, which are not heard there.
    pub(crate) pairs_hear_registers: bool,
    /// `row_major` and `column_major` hold on arrays of matrices.
    pub(crate) matrix_order_on_arrays: bool,
    /// On D3D, specialization constants are ordinary globals.
    pub(crate) specialization_as_globals: bool,
    /// On D3D, push constants of plain data are ordinary globals, rather than each a buffer of its own.
    pub(crate) push_constants_as_globals: bool,
    /// Parameter blocks have spaces of their own only under a profile that was asked for.
    pub(crate) blocks_need_profile: bool,
    /// `register(space1)`, without a register, is understood.
    pub(crate) space_only_registers: bool,
    /// A register of a struct or of plain data whose class it does not take is not heard rather than an error.
    pub(crate) ignores_unfit_registers: bool,
    /// Which explicit positions are understood at all is as DXC has it (see [`crate::check::Options::places_as_dxc`]).
    pub(crate) places_as_dxc: bool,
    /// A register that is taken as a binding keeps only its own number from being given away, however many follow.
    pub(crate) register_keeps_one_binding: bool,
    /// An explicit space of a block keeps only itself from being given away, however many its nested blocks take.
    pub(crate) explicit_block_keeps_one_space: bool,
    /// Where a D3D array without bound goes.
    pub(crate) unbounded: Unbounded,
    /// Input attachments in a parameter block are numbered from 0 in it rather than among all.
    pub(crate) attachments_by_block: bool,
    /// In an array of structs that hold input attachments, each of a struct's has numbers of its own for all elements rather
    /// than one after another, which neighbours share.
    pub(crate) attachments_apart_in_arrays: bool,
    /// `#pragma pack_matrix` is obeyed.
    pub(crate) pack_matrix: bool,
    /// Parameters that no entry point reaches have no place.
    pub(crate) drop_unused: bool,
    /// Their explicit positions are kept from others all the same.
    pub(crate) reserve_unused: bool,
    /// What lies in structs, then in constant buffers, then in texture buffers comes after what is declared by itself.
    pub(crate) by_class: bool,
    /// Where a target has no arrays of resources, their elements have places of their own; else an array takes one place, as
    /// if the target had them.
    pub(crate) places_elements: bool,
    /// Fragment outputs are numbered in order of declaration rather than by their `SV_Target` index.
    pub(crate) targets_by_order: bool,
    /// Among stage inputs and outputs, a matrix takes a location for each vector that is stored, not for each row, and a vector
    /// one, however wide. Where a text needs more and they meet what is next, it is a fault.
    pub(crate) varyings_as_stored: bool,
    /// The locations that fields of a struct ask for are counted from the struct's own.
    pub(crate) field_locations_are_offsets: bool,
    /// On D3D, the indices that a mesh shader gives take a location.
    pub(crate) counts_mesh_indices: bool,
    /// A domain shader's constants of a patch are counted with its control points, rather than as the signature of their own
    /// that they are.
    pub(crate) counts_patch_constants: bool,
    /// The uniform parameters of an entry point are placed as one; of their explicit positions only bindings are heard.
    pub(crate) entry_scopes_whole: bool,
    /// An explicit binding, which is meant for Vulkan, is that of the texture alone where the sampler of a combined sampler
    /// has one of its own, and that of the first element alone where each element of an array has one.
    pub(crate) parts_bindings: bool,
    /// Explicit bindings are not heard for classes that are shifted.
    pub(crate) shift_hides_bindings: bool,
    /// Where any class is shifted, the first register of a parameter is heard if its class is, and no other.
    pub(crate) shift_hides_registers: bool,
    /// Shifted classes are shifted in the spaces of parameter blocks and among the uniform parameters of entry points, too.
    pub(crate) shifts_everywhere: bool,
    /// Where the target has no push constants, their buffers come behind all other bindings, which are counted without them;
    /// so do, in the groups of parameter blocks, samplers of combined samplers that have a binding of their own.
    pub(crate) extras_last: bool,
    /// Where all buffers have one pair of rules, push constants of entry points have those of structured buffers.
    pub(crate) entry_push_structured: bool,
    /// The size of the push constants of an entry point is a multiple of their alignment under all rules.
    pub(crate) entry_push_rounded: bool,
    /// In shader models where `u` registers and render targets are one, targets claim theirs.
    pub(crate) targets_claim_registers: bool,
    /// Bytes of D3D constant buffers.
    pub(crate) d3d_constant: &'static Rules,
    /// Bytes of D3D structured buffers.
    pub(crate) d3d_structured: &'static Rules,
    /// Bytes of scalar block layout.
    pub(crate) scalar: &'static Rules,
    /// Of a parameter block with a space of its own, only `register(space1)` without a register is heard.
    pub(crate) blocks_take_spaces_only: bool,
    /// Two constant buffers of one unit may have one name.
    pub(crate) buffers_share_names: bool,
    /// `register(c5)` places a plain global; else it is an error.
    pub(crate) registers_of_globals: bool,
    /// What a block holds in a space that it asks for is no hindrance to others.
    pub(crate) blocks_share_spaces: bool,
    /// Arrays without bound in structs begin at register 0 of their spaces, rather than at that of the struct.
    pub(crate) unbounded_from_zero: bool,
}

/// Where a D3D array without bound goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbounded {
    /// A space of its own.
    OwnSpace,
    /// All of a space above what was placed before it.
    RestOfSpace,
}

impl Policy {
    /// Declarations alone decide (rule `layout-guarantees`).
    pub const SPEC: Policy = Policy {
        name: "spec",
        namespaces_last: false,
        entries_last: false,
        entries_as_asked: false,
        merge_units: true,
        overlap_is_error: true,
        registers_as_bindings: false,
        pairs_hear_registers: true,
        matrix_order_on_arrays: true,
        specialization_as_globals: false,
        push_constants_as_globals: false,
        blocks_need_profile: false,
        space_only_registers: true,
        ignores_unfit_registers: false,
        places_as_dxc: false,
        register_keeps_one_binding: false,
        explicit_block_keeps_one_space: false,
        unbounded: Unbounded::OwnSpace,
        attachments_by_block: false,
        attachments_apart_in_arrays: true,
        pack_matrix: true,
        drop_unused: false,
        reserve_unused: false,
        by_class: false,
        places_elements: true,
        targets_by_order: false,
        varyings_as_stored: false,
        field_locations_are_offsets: false,
        counts_mesh_indices: false,
        counts_patch_constants: false,
        entry_scopes_whole: false,
        parts_bindings: true,
        shift_hides_bindings: false,
        shift_hides_registers: false,
        shifts_everywhere: true,
        extras_last: false,
        entry_push_structured: false,
        entry_push_rounded: false,
        targets_claim_registers: true,
        d3d_constant: &rules::D3D_CONSTANT,
        d3d_structured: &rules::D3D_STRUCTURED,
        scalar: &rules::SCALAR,
        blocks_take_spaces_only: false,
        buffers_share_names: true,
        registers_of_globals: true,
        blocks_share_spaces: false,
        unbounded_from_zero: true,
    };

    /// What slangc does today.
    pub const SLANGC: Policy = Policy {
        name: "slangc",
        namespaces_last: true,
        entries_last: true,
        entries_as_asked: true,
        merge_units: false,
        overlap_is_error: false,
        registers_as_bindings: true,
        pairs_hear_registers: false,
        matrix_order_on_arrays: false,
        specialization_as_globals: true,
        blocks_need_profile: true,
        space_only_registers: false,
        ignores_unfit_registers: true,
        register_keeps_one_binding: true,
        explicit_block_keeps_one_space: true,
        attachments_by_block: true,
        attachments_apart_in_arrays: false,
        pack_matrix: false,
        places_elements: false,
        targets_by_order: true,
        varyings_as_stored: true,
        field_locations_are_offsets: true,
        counts_mesh_indices: true,
        counts_patch_constants: true,
        entry_scopes_whole: true,
        parts_bindings: false,
        shift_hides_bindings: true,
        shift_hides_registers: true,
        shifts_everywhere: false,
        extras_last: true,
        entry_push_structured: true,
        entry_push_rounded: true,
        d3d_constant: &rules::D3D_CONSTANT_SLANGC,
        d3d_structured: &rules::D3D_STRUCTURED_SLANGC,
        scalar: &rules::SCALAR_SLANGC,
        blocks_take_spaces_only: true,
        buffers_share_names: false,
        registers_of_globals: false,
        blocks_share_spaces: true,
        unbounded_from_zero: false,
        ..Policy::SPEC
    };

    /// What DXC does today (rules `layout-unused`, `layout-register-classes`).
    pub const DXC: Policy = Policy {
        name: "dxc",
        entries_last: true,
        merge_units: false,
        registers_as_bindings: true,
        specialization_as_globals: true,
        places_as_dxc: true,
        push_constants_as_globals: true,
        unbounded: Unbounded::RestOfSpace,
        drop_unused: true,
        by_class: true,
        targets_claim_registers: false,
        d3d_constant: &rules::D3D_CONSTANT_DXC,
        ..Policy::SPEC
    };

    /// Every policy.
    pub const ALL: &[Policy] = &[Policy::SPEC, Policy::SLANGC, Policy::DXC];
}
