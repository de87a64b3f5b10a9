//! Layout and bindings: where every shader parameter lies, as a function of declarations alone.
//!
//! The four phases of seed 000: the global order ([`order`]), the needs of each parameter ([`types`] under [`rules`]), explicit
//! positions, then first fit for the rest ([`allocate`]). Function bodies are never looked at.
//!
//! Layouts of types alone are there for any program, under any rule set:
//!
//! ```
//! use shaderport::layout::{Api, Detail, Layouter, SPEC, Settings, Unit, rules};
//! use shaderport::tree::{MatrixOrder, Program, Scalar};
//!
//! let mut program = Program::default();
//! let float3 = program.types.vector(Scalar::F32, 3);
//! let four = program.types.array(float3, Some(4));
//! let settings = Settings::native(Api::Vulkan, SPEC);
//! let layouter = Layouter { program: &program, settings: &settings };
//! // The last element of a D3D constant buffer is not padded; each in a scalar block follows the one before.
//! for (rules, size, stride) in [(&rules::D3D_CONSTANT, 60, 16), (&rules::STD140, 64, 16), (&rules::SCALAR, 48, 12)] {
//!     let layout = layouter.layout(four, rules, MatrixOrder::Column);
//!     assert_eq!(layout.size(), size);
//!     let Detail::Array { stride: found, .. } = &layout.detail else { unreachable!() };
//!     assert_eq!(found.get(Unit::Bytes), stride);
//! }
//! ```
//!
//! A [`TypeLayout`] counts in all units at once ([`Usage`]): bytes in a buffer, registers of each class, descriptor slots,
//! register spaces, push-constant buffers, constant ids, input attachments.

pub mod allocate;
pub mod lock;
mod bit_fields;
pub mod faults;
pub mod lint;
pub mod locations;
pub mod order;
mod prepare;
pub mod reach;
pub mod rules;
mod semantics;
pub mod trace;
pub mod types;
pub mod usage;
pub mod varyings;

use crate::source::Span;
use crate::tree::{Binding, Explicit, GlobalId, Program};
pub use prepare::prepare;
use rules::Rules;
pub use types::{Detail, Layouter, StructBuilder, TypeLayout, VarLayout};
pub use usage::{UNBOUNDED, Unit, Usage};

/// The binding model of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Api {
    /// Registers by class and space.
    D3d,
    /// Descriptor sets and bindings, combined samplers in one binding.
    Vulkan,
    /// Bind groups and bindings, combined samplers in two.
    WebGpu,
}

impl Api {
    /// The word of locks.
    pub fn word(self) -> &'static str {
        match self {
            Api::D3d => "d3d",
            Api::Vulkan => "vulkan",
            Api::WebGpu => "webgpu",
        }
    }
}

/// How positions are chosen where seed 000 and the tools differ; a value, not code (`layout/README.md`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Name in options.
    pub name: &'static str,
    /// Declarations in namespaces come after those outside, level by level.
    pub namespaces_last: bool,
    /// Entry points come after all units and modules rather than after their own unit.
    pub entries_last: bool,
    /// Entry points come in the order in which options name them rather than in order of declaration.
    pub entries_as_asked: bool,
    /// A parameter declared in several units under one name is one parameter.
    pub merge_units: bool,
    /// Overlapping explicit ranges are an error rather than a warning.
    pub overlap_is_error: bool,
    /// Without `vk::binding`, `register(t1, space2)` is binding 1 in set 2 on Vulkan and WebGPU.
    pub registers_as_bindings: bool,
    /// `row_major` and `column_major` hold on arrays of matrices.
    pub matrix_order_on_arrays: bool,
    /// On D3D, specialization constants are ordinary globals.
    pub specialization_as_globals: bool,
    /// Parameter blocks have spaces of their own only under a profile that was asked for.
    pub blocks_need_profile: bool,
    /// `register(space1)`, without a register, is understood.
    pub space_only_registers: bool,
    /// A register of a struct or of plain data whose class it does not take is not heard rather than an error.
    pub ignores_unfit_registers: bool,
    /// A register that is taken as a binding keeps only its own number from being given away, however many follow.
    pub register_keeps_one_binding: bool,
    /// An explicit space of a block keeps only itself from being given away, however many its nested blocks take.
    pub explicit_block_keeps_one_space: bool,
    /// Where a D3D array without bound goes.
    pub unbounded: Unbounded,
    /// Input attachments in a parameter block are numbered from 0 in it rather than among all.
    pub attachments_by_block: bool,
    /// In an array of structs that hold input attachments, each of a struct's has numbers of its own for all elements rather
    /// than one after another, which neighbours share.
    pub attachments_apart_in_arrays: bool,
    /// `#pragma pack_matrix` is obeyed.
    pub pack_matrix: bool,
    /// Parameters that no entry point reaches have no place.
    pub drop_unused: bool,
    /// Their explicit positions are kept from others all the same.
    pub reserve_unused: bool,
    /// What lies in structs, then in constant buffers, then in texture buffers comes after what is declared by itself.
    pub by_class: bool,
    /// Where a target has no arrays of resources, their elements have places of their own; else an array takes one place, as
    /// if the target had them.
    pub places_elements: bool,
    /// Fragment outputs are numbered in order of declaration rather than by their `SV_Target` index.
    pub targets_by_order: bool,
    /// Among stage inputs and outputs, a matrix takes a location for each vector that is stored, not for each row, and a vector
    /// one, however wide. Where a text needs more and they meet what is next, it is a fault.
    pub varyings_as_stored: bool,
    /// The locations that fields of a struct ask for are counted from the struct's own.
    pub field_locations_are_offsets: bool,
    /// On D3D, the indices that a mesh shader gives take a location.
    pub counts_mesh_indices: bool,
    /// A domain shader's constants of a patch are counted with its control points, rather than as the signature of their own
    /// that they are.
    pub counts_patch_constants: bool,
    /// The uniform parameters of an entry point are placed as one, their explicit positions are not heard.
    pub entry_scopes_whole: bool,
    /// An explicit binding, which is meant for Vulkan, is that of the texture alone where the sampler of a combined sampler
    /// has one of its own, and that of the first element alone where each element of an array has one.
    pub parts_bindings: bool,
    /// Explicit bindings are not heard for classes that are shifted.
    pub shift_hides_bindings: bool,
    /// Where any class is shifted, the first register of a parameter is heard if its class is, and no other.
    pub shift_hides_registers: bool,
    /// Shifted classes are shifted in the spaces of parameter blocks and among the uniform parameters of entry points, too.
    pub shifts_everywhere: bool,
    /// Where the target has no push constants, their buffers come behind all other bindings, which are counted without them;
    /// so do, in the groups of parameter blocks, samplers of combined samplers that have a binding of their own.
    pub extras_last: bool,
    /// Where all buffers have one pair of rules, push constants of entry points have those of structured buffers.
    pub entry_push_structured: bool,
    /// The size of the push constants of an entry point is a multiple of their alignment under all rules.
    pub entry_push_rounded: bool,
    /// In shader models where `u` registers and render targets are one, targets claim theirs.
    pub targets_claim_registers: bool,
    /// Bytes of D3D constant buffers.
    pub d3d_constant: &'static Rules,
    /// Bytes of D3D structured buffers.
    pub d3d_structured: &'static Rules,
    /// Bytes of scalar block layout.
    pub scalar: &'static Rules,
    /// Of a parameter block with a space of its own, only `register(space1)` without a register is heard.
    pub blocks_take_spaces_only: bool,
    /// Two constant buffers of one unit may have one name.
    pub buffers_share_names: bool,
    /// `register(c5)` places a plain global; else it is an error.
    pub registers_of_globals: bool,
    /// What a block holds in a space that it asks for is no hindrance to others.
    pub blocks_share_spaces: bool,
    /// Arrays without bound in structs begin at register 0 of their spaces, rather than at that of the struct.
    pub unbounded_from_zero: bool,
}

/// Where a D3D array without bound goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbounded {
    /// A space of its own.
    OwnSpace,
    /// All of a space above what was placed before it.
    RestOfSpace,
}

/// Seed 000, mended as `layout/README.md` decides.
pub const SPEC: Policy = Policy {
    name: "spec",
    namespaces_last: false,
    entries_last: false,
    entries_as_asked: false,
    merge_units: true,
    overlap_is_error: true,
    registers_as_bindings: false,
    matrix_order_on_arrays: true,
    specialization_as_globals: false,
    blocks_need_profile: false,
    space_only_registers: true,
    ignores_unfit_registers: false,
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
    ..SPEC
};

/// Seed 002, as DXC does it.
pub const DXC: Policy = Policy {
    name: "dxc",
    entries_last: true,
    merge_units: false,
    registers_as_bindings: true,
    specialization_as_globals: true,
    unbounded: Unbounded::RestOfSpace,
    drop_unused: true,
    by_class: true,
    targets_claim_registers: false,
    d3d_constant: &rules::D3D_CONSTANT_DXC,
    ..SPEC
};

/// Every policy.
pub const POLICIES: &[Policy] = &[SPEC, SLANGC, DXC];

/// What layout needs to know of the target and the options.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The binding model.
    pub api: Api,
    /// Rules of constant buffers.
    pub constant_rules: &'static Rules,
    /// Rules of structured buffers.
    pub structured_rules: &'static Rules,
    /// Rules of `tbuffer`.
    pub texture_buffer_rules: &'static Rules,
    /// Rules of push constants.
    pub push_rules: &'static Rules,
    /// Rules of the push constants that the uniform parameters of an entry point are.
    pub entry_push_rules: &'static Rules,
    /// Parameter blocks have spaces of their own (D3D: from SM 5.1).
    pub block_spaces: bool,
    /// `[[vk::offset]]` places fields.
    pub obey_vk_offset: bool,
    /// The size of arrays of resources that have none, where the target needs one.
    pub unsized_array_size: Option<u32>,
    /// Ranges of bindings that register classes are mapped to.
    pub shift: Shift,
    /// Binding and set of the plain globals' buffer.
    pub globals_binding: Option<(u32, u32)>,
    /// Render targets have `u` registers.
    pub targets_claim_registers: bool,
    /// `packoffset` places fields.
    pub obey_packoffset: bool,
    /// The policy.
    pub policy: Policy,
    /// What is laid out lies in the space of a parameter block.
    pub in_block: bool,
}

/// For the register classes `b`, `t`, `u` and `s`, where the range of bindings begins that they are mapped to on Vulkan and
/// WebGPU; without one, a class has bindings like all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shift([Option<u32>; 4]);

impl Shift {
    /// No class is mapped.
    pub const NONE: Shift = Shift([None; 4]);
    const UNITS: [Unit; 4] = [Unit::ConstantBuffer, Unit::ShaderResource, Unit::UnorderedAccess, Unit::Sampler];

    /// Maps a class; gives false if there is no such class.
    pub fn set(&mut self, class: char, start: u32) -> bool {
        let at = Self::UNITS.iter().position(|u| u.class() == Some(class));
        let slot = at.and_then(|at| self.0.get_mut(at));
        slot.map(|slot| *slot = Some(start)).is_some()
    }

    /// Where the range of a unit begins.
    pub fn get(&self, unit: Unit) -> Option<u64> {
        let at = Self::UNITS.iter().position(|u| *u == unit)?;
        self.0.get(at).copied().flatten().map(u64::from)
    }
}

impl Settings {
    /// Whether slots are counted in this register class rather than as bindings.
    pub fn by_class(&self, unit: Unit) -> bool {
        self.api == Api::D3d || self.shift.get(unit).is_some()
    }

    /// Whether the constants of a patch are counted by themselves. APIs without signatures have one count for all.
    pub fn counts_patch_constants_apart(&self) -> bool {
        self.api == Api::D3d && !self.policy.counts_patch_constants
    }

    /// The first number of the slots of a unit, where they are not counted from 0.
    pub fn base(&self, unit: Unit) -> u64 {
        match self.api {
            Api::D3d => 0,
            Api::Vulkan | Api::WebGpu => self.shift.get(unit).unwrap_or(0),
        }
    }

    /// Whether each element of an array of resources takes slots of this unit: on Vulkan one binding holds them all, D3D and
    /// WebGPU, which has no arrays of resources, count every one (seed 000 "Sized Arrays").
    pub fn counts_elements(&self, unit: Unit) -> bool {
        match self.api {
            Api::D3d => unit.class().is_some(),
            Api::Vulkan => false,
            Api::WebGpu => self.policy.places_elements && Unit::SLOTS.contains(&unit),
        }
    }

    /// The native rules of an API.
    pub fn native(api: Api, policy: Policy) -> Settings {
        let d3d = api == Api::D3d;
        // WebGPU has none: they are buffers like any other.
        let push_rules = match api {
            Api::D3d => policy.d3d_constant,
            Api::Vulkan => &rules::STD430,
            Api::WebGpu => &rules::STD140,
        };
        Settings {
            api,
            constant_rules: if d3d { policy.d3d_constant } else { &rules::STD140 },
            structured_rules: if d3d { policy.d3d_structured } else { &rules::STD430 },
            texture_buffer_rules: if d3d { policy.d3d_constant } else { &rules::STD430 },
            push_rules,
            entry_push_rules: push_rules,
            block_spaces: true,
            obey_vk_offset: api == Api::Vulkan && policy.name != "slangc",
            unsized_array_size: None,
            shift: Shift::NONE,
            globals_binding: None,
            targets_claim_registers: false,
            obey_packoffset: true,
            policy,
            in_block: false,
        }
    }

    /// All buffers by one rule set pair (`--buffer-layout`).
    pub fn with_rules(mut self, constant: &'static Rules, structured: &'static Rules) -> Settings {
        self.constant_rules = constant;
        self.structured_rules = structured;
        self.texture_buffer_rules = constant;
        self.push_rules = constant;
        self.entry_push_rules = if self.policy.entry_push_structured { structured } else { constant };
        self
    }

    /// Rules of the uniform parameters of entry points: push constants on Vulkan (FACTS 11).
    pub fn entry_rules(&self) -> &'static Rules {
        match self.api {
            Api::Vulkan => self.entry_push_rules,
            Api::D3d | Api::WebGpu => self.constant_rules,
        }
    }
}

/// Absolute offsets of a parameter: for each unit the offset, and for slots the space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Offsets; [`Unit::Space`] is the first space of its own.
    pub offset: Usage,
    /// The space of each slot unit.
    pub space: Usage,
    /// Within a D3D array without bound: each leaf is in the space of its own offset.
    pub spread: bool,
    /// Elements of the arrays around, where each takes slots; 0 outside of such arrays.
    pub elements: u64,
}

impl Place {
    /// The place of a field.
    pub fn field(self, field: &VarLayout) -> Place {
        let mut place = Place { offset: self.offset.plus(&field.offset), ..self };
        if field.from_zero {
            Unit::SLOTS.into_iter().for_each(|unit| place.offset.set(unit, 0));
        }
        place.in_spaces()
    }

    fn in_spaces(mut self) -> Place {
        if self.spread {
            Unit::SLOTS.into_iter().for_each(|unit| self.space.set(unit, self.offset.get(Unit::Space)));
        }
        self
    }

    /// How far the second slot of a leaf lies behind its first: arrays are split, so all first ones come before.
    pub fn to_second(&self) -> u32 {
        u32::try_from(self.elements.max(1)).unwrap_or(u32::MAX)
    }
}

/// A parameter and its place.
#[derive(Clone, Debug)]
pub struct ParameterLayout {
    /// The global.
    pub global: GlobalId,
    /// Its place. Bytes are the offset in the implicit buffer.
    pub place: Place,
    /// Its type's layout.
    pub layout: TypeLayout,
}

/// The implicit buffer of a scope (`$Globals`, entry-point uniforms).
#[derive(Clone, Debug)]
pub struct ScopeBuffer {
    /// Where it is bound; `None` for push constants.
    pub binding: Option<Binding>,
    /// The number of its push constants among all.
    pub push: u64,
    /// Its members do not lie where their order alone would put them: a lock keeps their bytes.
    pub kept: bool,
    /// Its contents as a struct layout of all parameters of the scope in order.
    pub layout: TypeLayout,
}

/// The uniform parameters of an entry point.
#[derive(Clone, Debug, Default)]
pub struct EntryLayout {
    /// (index of the parameter in the function, its place, its layout).
    pub params: Vec<(usize, Place, TypeLayout)>,
    /// Their implicit buffer.
    pub buffer: Option<ScopeBuffer>,
}

/// Positions of all parameters of a program for one target.
#[derive(Clone, Debug)]
pub struct ProgramLayout {
    /// The settings it was computed with.
    pub settings: Settings,
    /// Parameters in global order.
    pub parameters: Vec<ParameterLayout>,
    /// The buffer of plain globals.
    pub globals: Option<ScopeBuffer>,
    /// One per entry point of the program, same order.
    pub entry_points: Vec<EntryLayout>,
    /// Explicit positions that overlap.
    pub overlaps: Vec<Overlap>,
    /// All that was placed, in order.
    pub trace: Vec<trace::Placement>,
    /// What a lock records from now on; `None` without one.
    pub records: Option<lock::Records>,
}

/// Parameters whose explicit positions overlap. That is an error where one entry point reaches two, which layout
/// (a function of declarations alone) cannot tell: the caller decides.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// The one placed last, then those that it meets; `None` for what is no global.
    pub owners: Vec<Option<GlobalId>>,
    /// No API knows an alias of these, whatever the policy gives away.
    pub never: bool,
    /// What to say, as a warning.
    pub diagnostic: crate::diagnostic::Diagnostic,
}

impl ProgramLayout {
    /// The layout of a global parameter.
    pub fn parameter(&self, global: GlobalId) -> Option<&ParameterLayout> {
        self.parameters.iter().find(|p| p.global == global)
    }

    /// The binding of the leaf at a path of field indices (arrays are passed through) below a global parameter, in its first
    /// slot unit. `None` if there is no such leaf or it takes no slot.
    pub fn leaf(&self, global: GlobalId, path: &[u32]) -> Option<Binding> {
        let p = self.parameter(global)?;
        leaf_binding(p.place, &p.layout, path, None)
    }

    /// Like [`ProgramLayout::leaf`] in a given unit: the sampler of a combined sampler, say. On WebGPU the sampler follows
    /// its texture.
    pub fn leaf_sampler(&self, global: GlobalId, path: &[u32]) -> Option<Binding> {
        let p = self.parameter(global)?;
        sampler_binding(p.place, &p.layout, path, self.settings.api)
    }

    /// The binding of the buffer of the block (`ConstantBuffer`, `ParameterBlock`, `cbuffer`) at a path.
    pub fn buffer(&self, global: GlobalId, path: &[u32]) -> Option<Binding> {
        let p = self.parameter(global)?;
        buffer_binding(p.place, &p.layout, path)
    }
}

/// Follows a path of field indices; arrays are passed through and blocks entered. Gives place and layout of the leaf.
pub fn walk<'a>(place: Place, layout: &'a TypeLayout, path: &[u32]) -> Option<(Place, &'a TypeLayout)> {
    let (mut place, mut layout) = (place, layout);
    for index in path {
        loop {
            match &layout.detail {
                Detail::Array { .. } => (place, layout) = enter_array(place, layout)?,
                Detail::Block { .. } => (place, layout) = enter_block(place, layout)?,
                _ => break,
            }
        }
        let field = layout.fields().get(*index as usize)?;
        place = place.field(field);
        layout = &field.layout;
    }
    while let Detail::Array { .. } = &layout.detail {
        (place, layout) = enter_array(place, layout)?;
    }
    Some((place, layout))
}

/// The place and layout of an array's first element. A D3D array without bound has spaces of its own.
pub fn enter_array(place: Place, layout: &TypeLayout) -> Option<(Place, &TypeLayout)> {
    let Detail::Array { element, count, stride } = &layout.detail else { return None };
    let mut place = place;
    if let (Some(n), true) = (count, Unit::SLOTS.into_iter().any(|u| stride.get(u) > 0)) {
        place.elements = place.elements.max(1).saturating_mul(u64::from(*n));
    }
    if count.is_none() && layout.usage.get(Unit::Space) > 0 {
        place.spread = true;
        place = place.in_spaces();
        // A combined sampler has a space for each half.
        for (unit, nth) in layout.unbounded_classes().into_iter().zip(0..) {
            place.space.set(unit, place.offset.get(Unit::Space).saturating_add(nth));
        }
    }
    Some((place, element))
}

/// The place and layout of a block's contents.
pub fn enter_block(place: Place, layout: &TypeLayout) -> Option<(Place, &TypeLayout)> {
    let Detail::Block { element, own_space, .. } = &layout.detail else { return None };
    let mut place = place;
    if *own_space {
        let space = place.offset.get(Unit::Space);
        for unit in Unit::SLOTS {
            place.offset.set(unit, 0);
            place.space.set(unit, space);
        }
        if layout.usage.get(Unit::InputAttachment) == 0 {
            // Numbered in the block.
            place.offset.set(Unit::InputAttachment, 0);
        }
    }
    place.offset.set(Unit::Bytes, 0);
    place.offset = place.offset.plus(&element.offset);
    Some((place, &element.layout))
}

/// The binding of a leaf in `unit`, or in its first slot unit.
pub fn leaf_binding(place: Place, layout: &TypeLayout, path: &[u32], unit: Option<Unit>) -> Option<Binding> {
    let (place, leaf) = walk(place, layout, path)?;
    let descriptor = (leaf.usage.get(Unit::Descriptor) > 0).then_some(Unit::Descriptor);
    let unit = unit.or(descriptor).or_else(|| Unit::SLOTS.into_iter().find(|u| leaf.usage.get(*u) > 0))?;
    (leaf.usage.get(unit) > 0).then(|| binding(&place, unit))
}

/// The first input attachment of the leaf at a path.
pub fn leaf_attachment(place: Place, layout: &TypeLayout, path: &[u32]) -> Option<u32> {
    let (place, leaf) = walk(place, layout, path)?;
    (leaf.usage.get(Unit::InputAttachment) > 0).then(|| binding(&place, Unit::InputAttachment).index)
}

/// The binding of the sampler of a combined sampler at a path.
pub fn sampler_binding(place: Place, layout: &TypeLayout, path: &[u32], api: Api) -> Option<Binding> {
    if api == Api::D3d {
        return leaf_binding(place, layout, path, Some(Unit::Sampler));
    }
    let (inner, leaf) = walk(place, layout, path)?;
    let found = leaf_binding(place, layout, path, None)?;
    match api {
        Api::WebGpu if leaf.usage.get(Unit::LateDescriptor) > 0 => Some(binding(&inner, Unit::LateDescriptor)),
        Api::WebGpu => Some(second_binding(&inner, layout, found)),
        _ => Some(found),
    }
}

/// The binding of the second slot of a leaf, whose first one is given: of a sampler behind its texture, a counter behind its
/// elements. `layout` is that of the parameter.
pub fn second_binding(leaf: &Place, layout: &TypeLayout, first: Binding) -> Binding {
    match further_bindings(leaf, layout) {
        Some(further) => Binding { index: further.index.saturating_add(leaf.to_second() - 1), ..further },
        None => Binding { index: first.index.saturating_add(leaf.to_second()), ..first },
    }
}

/// Where the bindings of a parameter besides the first begin, if they are apart from it.
pub fn further_bindings(place: &Place, layout: &TypeLayout) -> Option<Binding> {
    let apart = layout.usage.get(Unit::FurtherDescriptor) > 0;
    apart.then(|| Binding { class: None, ..binding(place, Unit::FurtherDescriptor) })
}

/// The binding of the buffer of a block at a path.
pub fn buffer_binding(place: Place, layout: &TypeLayout, path: &[u32]) -> Option<Binding> {
    let (place, block) = walk(place, layout, path)?;
    let Detail::Block { container, .. } = &block.detail else { return None };
    let (unit, _) = container.units().find(|(u, _)| Unit::SLOTS.contains(u))?;
    Some(binding(&buffer_place(place, block), unit))
}

/// The place of the buffer of a block that is at `place`.
pub fn buffer_place(place: Place, block: &TypeLayout) -> Place {
    let Some((starts, _)) = block.own_slots() else { return place };
    let mut place = place;
    for unit in Unit::SLOTS {
        place.space.set(unit, place.offset.get(Unit::Space));
        place.offset.set(unit, starts.get(unit));
    }
    place
}

/// The byte offset that a plain global asks for.
pub fn offset_of_global(settings: &Settings, explicit: &Explicit) -> Option<(u32, Span)> {
    explicit.constant_register().filter(|_| settings.api == Api::D3d && settings.policy.registers_of_globals)
}

/// The binding that a place gives in a unit.
pub fn binding(place: &Place, unit: Unit) -> Binding {
    let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Binding { class: unit.class(), index: number(place.offset.get(unit)), space: number(place.space.get(unit)) }
}

/// Places all parameters. Conflicts and what cannot be placed go to `diags`.
pub fn place(program: &Program, settings: Settings, diags: &mut crate::diagnostic::Diagnostics) -> ProgramLayout {
    place_locked(program, settings, None, diags)
}

/// Places all parameters; those that a lock records stay where they were.
pub fn place_locked(
    program: &Program,
    settings: Settings,
    lock: Option<lock::View>,
    diags: &mut crate::diagnostic::Diagnostics,
) -> ProgramLayout {
    if settings.api != Api::D3d {
        varyings::check(program, diags);
    }
    allocate::Allocator::new(program, settings, lock, diags).run()
}
