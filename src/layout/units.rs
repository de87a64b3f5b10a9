//! What a parameter takes, in several units at once.

/// A kind of thing that a parameter occupies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Unit {
    /// Bytes of the enclosing buffer.
    Bytes,
    /// D3D `b` registers.
    ConstantBuffer,
    /// D3D `t` registers.
    ShaderResource,
    /// D3D `u` registers.
    UnorderedAccess,
    /// OpenGL bindings of storage buffers.
    StorageBuffer,
    /// D3D `s` registers.
    Sampler,
    /// Vulkan and WebGPU bindings.
    Descriptor,
    /// WebGPU: the bindings of a parameter besides the first, where an explicit binding names the first alone.
    FurtherDescriptor,
    /// WebGPU: a binding behind all others of its group, of what the policy counts none for and the text needs one.
    LateDescriptor,
    /// Whole register spaces, descriptor sets or bind groups.
    Space,
    /// Push-constant buffers.
    PushConstant,
    /// Specialization-constant ids.
    Specialization,
    /// Input attachments.
    InputAttachment,
    /// Locations of stage inputs.
    VaryingInput,
    /// Locations of stage outputs.
    VaryingOutput,
    /// Members of what a ray carries.
    RayPayload,
    /// Members of what describes a hit.
    HitAttributes,
    /// Members of what a callable shader is given.
    CallablePayload,
}

impl Unit {
    /// All units, in reporting order.
    pub const ALL: [Unit; 18] = [
        Unit::Bytes,
        Unit::ConstantBuffer,
        Unit::ShaderResource,
        Unit::UnorderedAccess,
        Unit::StorageBuffer,
        Unit::Sampler,
        Unit::Descriptor,
        Unit::FurtherDescriptor,
        Unit::LateDescriptor,
        Unit::Space,
        Unit::PushConstant,
        Unit::Specialization,
        Unit::InputAttachment,
        Unit::VaryingInput,
        Unit::VaryingOutput,
        Unit::RayPayload,
        Unit::HitAttributes,
        Unit::CallablePayload,
    ];
    /// Units that are slots of a register space or descriptor set.
    pub const SLOTS: [Unit; 8] = [
        Unit::ConstantBuffer,
        Unit::ShaderResource,
        Unit::UnorderedAccess,
        Unit::StorageBuffer,
        Unit::Sampler,
        Unit::Descriptor,
        Unit::FurtherDescriptor,
        Unit::LateDescriptor,
    ];

    /// The word of sidecars and locks.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Bytes => "uniform",
            Unit::ConstantBuffer => "constantBuffer",
            Unit::ShaderResource => "shaderResource",
            Unit::UnorderedAccess => "unorderedAccess",
            Unit::StorageBuffer => "storageBuffer",
            Unit::Sampler => "samplerState",
            Unit::Descriptor => "descriptorTableSlot",
            Unit::FurtherDescriptor => "furtherDescriptorTableSlot",
            Unit::LateDescriptor => "lateDescriptorTableSlot",
            Unit::Space => "subElementRegisterSpace",
            Unit::PushConstant => "pushConstantBuffer",
            Unit::Specialization => "specializationConstant",
            Unit::InputAttachment => "inputAttachmentIndex",
            Unit::VaryingInput => "varyingInput",
            Unit::VaryingOutput => "varyingOutput",
            Unit::RayPayload => "rayPayload",
            Unit::HitAttributes => "hitAttributes",
            Unit::CallablePayload => "callablePayload",
        }
    }
    /// The unit of a word.
    pub fn of_word(word: &str) -> Option<Unit> {
        Self::ALL.into_iter().find(|u| u.word() == word)
    }

    /// Whether it counts what comes into a stage or goes out of it.
    pub fn is_located(self) -> bool {
        matches!(
            self,
            Unit::VaryingInput | Unit::VaryingOutput | Unit::RayPayload | Unit::HitAttributes | Unit::CallablePayload
        )
    }

    /// The letter of a class, which is D3D's of registers.
    pub fn class(self) -> Option<char> {
        match self {
            Unit::ConstantBuffer => Some('b'),
            Unit::ShaderResource => Some('t'),
            Unit::UnorderedAccess => Some('u'),
            Unit::StorageBuffer => Some('o'),
            Unit::Sampler => Some('s'),
            _ => None,
        }
    }
    /// The unit of a register class letter.
    pub fn of_class(class: char) -> Option<Unit> {
        Self::ALL.into_iter().find(|u| u.class() == Some(class.to_ascii_lowercase()))
    }
}

/// Counts or offsets in every unit. `u64::MAX` is without bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts([u64; Unit::ALL.len()]);

/// A count without bound.
pub const UNBOUNDED: u64 = u64::MAX;

impl Counts {
    /// Nothing.
    pub const NONE: Counts = Counts([0; Unit::ALL.len()]);

    /// `count` of one unit.
    pub fn one(unit: Unit, count: u64) -> Counts {
        let mut counts = Counts::NONE;
        counts.set(unit, count);
        counts
    }
    /// The count of a unit.
    pub fn get(&self, unit: Unit) -> u64 {
        self.0[unit as usize]
    }
    /// Sets the count of a unit.
    pub fn set(&mut self, unit: Unit, count: u64) {
        self.0[unit as usize] = count;
    }
    /// Adds, saturating to unbounded.
    pub fn add(&mut self, unit: Unit, count: u64) {
        self.set(unit, self.get(unit).saturating_add(count));
    }
    /// Adds all units but bytes.
    pub fn add_slots(&mut self, other: &Counts) {
        for unit in Unit::ALL.into_iter().filter(|u| *u != Unit::Bytes) {
            self.add(unit, other.get(unit));
        }
    }
    /// Sum in all units.
    pub fn plus(&self, other: &Counts) -> Counts {
        let mut sum = *self;
        for unit in Unit::ALL {
            sum.add(unit, other.get(unit));
        }
        sum
    }
    /// Units with a count above zero.
    pub fn units(&self) -> impl Iterator<Item = (Unit, u64)> + '_ {
        Unit::ALL.into_iter().map(|u| (u, self.get(u))).filter(|(_, n)| *n > 0)
    }
    /// Whether nothing is used.
    pub fn is_none(&self) -> bool {
        self.0.iter().all(|n| *n == 0)
    }
    /// Whether anything but bytes is used.
    pub fn has_slots(&self) -> bool {
        self.units().any(|(u, _)| u != Unit::Bytes)
    }
}
