//! What layout knows of the target and the options.

use super::SizedArrays;
use super::policy::Policy;
use super::rules::{self, Rules};
use super::units::Unit;
use crate::source::Span;
use crate::target::{Api, DataLayouts};
use crate::tree::{DataLayout, Explicit, Heap};

/// What layout needs to know of the target and the options.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The binding model.
    pub api: Api,
    /// The rules of the bytes of buffers.
    pub rules: BufferRules,
    /// Which layouts that declarations name are obeyed.
    pub data_layouts: DataLayouts,
    /// Parameter blocks have spaces of their own (D3D: from SM 5.1).
    pub block_spaces: bool,
    /// `[[vk::offset]]` places fields.
    pub obey_vk_offset: bool,
    /// The size of arrays of resources that have none, where the target needs one.
    pub unsized_array_size: Option<u32>,
    /// Which arrays specialization constants may size.
    pub sized_arrays: SizedArrays,
    /// Ranges of bindings that register classes are mapped to.
    pub shift: Shift,
    /// Binding and set of the plain globals' buffer.
    pub globals_binding: Option<(u32, u32)>,
    /// The target has descriptor heaps, or cannot have them: they are no parameters.
    pub native_heaps: bool,
    /// Binding and set of the resources, and of the samplers, that are found by an index in a descriptor heap.
    pub heap_bindings: HeapBindings,
    /// Explicit positions of parameters that the policy drops are kept from others.
    pub reserve_unused: bool,
    /// The buffers of a root signature's constants are push constants where the API has these.
    pub pushes_root_constants: bool,
    /// Render targets have `u` registers.
    pub targets_claim_registers: bool,
    /// `packoffset` places fields.
    pub obey_packoffset: bool,
    /// The policy.
    pub policy: Policy,
    /// What is laid out lies in the space of a parameter block.
    pub in_block: bool,
}

/// Binding and set of descriptor heaps, where an option says them.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeapBindings {
    /// Of `ResourceDescriptorHeap`.
    pub resources: Option<(u32, u32)>,
    /// Of `SamplerDescriptorHeap`.
    pub samplers: Option<(u32, u32)>,
}

impl HeapBindings {
    /// That of a heap.
    pub fn get(&self, heap: Heap) -> Option<(u32, u32)> {
        match heap {
            Heap::Resources => self.resources,
            Heap::Samplers => self.samplers,
            Heap::Combined | Heap::Counters => None,
        }
    }
}

/// The rules of the bytes of each kind of buffer.
#[derive(Clone, Copy, Debug)]
pub struct BufferRules {
    /// Constant buffers.
    pub constant: &'static Rules,
    /// Structured buffers.
    pub structured: &'static Rules,
    /// `tbuffer`.
    pub texture: &'static Rules,
    /// Push constants.
    pub push: &'static Rules,
    /// The push constants that the uniform parameters of an entry point are.
    pub entry_push: &'static Rules,
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

    /// The classes that are mapped, and where their ranges begin.
    pub fn classes(&self) -> impl Iterator<Item = (char, u32)> + '_ {
        Self::UNITS.iter().zip(self.0).filter_map(|(unit, start)| Some((unit.class()?, start?)))
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
        self.api.facts().classes || self.shift.get(unit).is_some()
    }

    /// Whether the constants of a patch are counted by themselves. APIs without signatures have one count for all.
    pub fn counts_patch_constants_apart(&self) -> bool {
        self.api == Api::D3d && !self.policy.stage_io.counts_patch_constants
    }

    /// The first number of the slots of a unit, where they are not counted from 0.
    pub fn base(&self, unit: Unit) -> u64 {
        self.shift.get(unit).filter(|_| !self.api.facts().classes).unwrap_or(0)
    }

    /// Whether each element of an array of resources takes slots of this unit: on Vulkan one binding holds them all, D3D and
    /// WebGPU, which has no arrays of resources, count every one (rule `layout-arrays`).
    pub fn counts_elements(&self, unit: Unit) -> bool {
        match self.api.facts() {
            facts if facts.arrays => false,
            facts if facts.classes => unit.class().is_some(),
            _ => self.policy.arrays.places_elements && Unit::SLOTS.contains(&unit),
        }
    }

    /// The native rules of an API.
    pub fn native(api: Api, policy: Policy) -> Settings {
        let d3d = api == Api::D3d;
        let constant = if d3d { policy.buffers.d3d_constant } else { &rules::STD140 };
        // WGSL lays out immediates by the rules that all its buffers have; those of constant buffers are the stricter.
        let push = if api.facts().push_constants && !api.is_webgpu() { &rules::STD430 } else { constant };
        let rules = BufferRules {
            constant,
            structured: if d3d { policy.buffers.d3d_structured } else { &rules::STD430 },
            texture: if d3d { policy.buffers.d3d_constant } else { &rules::STD430 },
            push,
            entry_push: push,
        };
        Settings {
            api,
            rules,
            data_layouts: DataLayouts::All,
            block_spaces: true,
            obey_vk_offset: api == Api::Vulkan && policy.explicit.vk_offsets,
            unsized_array_size: None,
            sized_arrays: SizedArrays::Never,
            shift: Shift::NONE,
            globals_binding: None,
            native_heaps: !matches!(api, Api::Vulkan | Api::Wgpu),
            heap_bindings: HeapBindings::default(),
            reserve_unused: false,
            pushes_root_constants: false,
            targets_claim_registers: false,
            obey_packoffset: true,
            policy,
            in_block: false,
        }
    }

    /// All buffers by one rule set pair (`--buffer-layout`).
    pub fn with_rules(mut self, constant: &'static Rules, structured: &'static Rules) -> Settings {
        let entry_push = if self.policy.entry_uniforms.push_structured { structured } else { constant };
        self.rules = BufferRules { constant, structured, texture: constant, push: constant, entry_push };
        self
    }

    /// The rules of the data of a constant buffer, or of a storage buffer, whose declaration may name a layout.
    pub fn rules_of(&self, layout: DataLayout, constant: bool) -> &'static Rules {
        let default = if constant { self.rules.constant } else { self.rules.structured };
        match (self.data_layouts.obeyed(layout, constant), self.data_layouts) {
            (DataLayout::Default, _) => default,
            (DataLayout::Std140, _) => &rules::STD140,
            (DataLayout::Std430, _) => &rules::STD430,
            (DataLayout::Scalar, DataLayouts::All) => self.policy.buffers.scalar,
            (DataLayout::Scalar, DataLayouts::None | DataLayouts::Blocks | DataLayouts::ScalarBlocks) => {
                &rules::SCALAR_SLANGC
            }
        }
    }

    /// Rules of the uniform parameters of entry points: push constants on Vulkan (rule `layout-entry-points`).
    pub fn entry_rules(&self) -> &'static Rules {
        if self.api.facts().push_constants { self.rules.entry_push } else { self.rules.constant }
    }
}

/// The byte offset that a plain global asks for.
pub fn offset_of_global(settings: &Settings, explicit: &Explicit) -> Option<(u32, Span)> {
    explicit.constant_register().filter(|_| settings.api == Api::D3d && settings.policy.explicit.registers_of_globals)
}
