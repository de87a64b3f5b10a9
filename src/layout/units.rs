//! What a parameter takes, in several units at once.

/// A unit with its word in sidecars and locks, and the letter of its class.
macro_rules! units {
    ($($(#[doc = $doc:literal])+ $unit:ident $word:literal $($class:literal)?,)*) => {
        /// A kind of thing that a parameter occupies.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Unit { $($(#[doc = $doc])+ $unit),* }

        impl Unit {
            /// All units, in reporting order.
            pub const ALL: [Unit; [$($word),*].len()] = [$(Unit::$unit),*];

            /// The word of sidecars and locks.
            pub fn word(self) -> &'static str {
                match self { $(Unit::$unit => $word),* }
            }

            /// The letter of a class, which is D3D's of registers.
            pub fn class(self) -> Option<char> {
                match self { $($(Unit::$unit => Some($class),)?)* _ => None }
            }
        }
    };
}

units! {
    /// Bytes of the enclosing buffer.
    Bytes "uniform",
    /// D3D `b` registers.
    ConstantBuffer "constantBuffer" 'b',
    /// D3D `t` registers.
    ShaderResource "shaderResource" 't',
    /// D3D `u` registers.
    UnorderedAccess "unorderedAccess" 'u',
    /// OpenGL bindings of storage buffers.
    StorageBuffer "storageBuffer" 'o',
    /// D3D `s` registers.
    Sampler "samplerState" 's',
    /// Vulkan and WebGPU bindings.
    Descriptor "descriptorTableSlot",
    /// WebGPU: the bindings of a parameter besides the first, where an explicit binding names the first alone.
    FurtherDescriptor "furtherDescriptorTableSlot",
    /// WebGPU: a binding behind all others of its group, of what the policy counts none for and the text needs one.
    LateDescriptor "lateDescriptorTableSlot",
    /// Whole register spaces, descriptor sets or bind groups.
    Space "subElementRegisterSpace",
    /// Push-constant buffers.
    PushConstant "pushConstantBuffer",
    /// Buffers of data in the shader binding table.
    ShaderRecord "shaderRecord",
    /// Specialization-constant ids.
    Specialization "specializationConstant",
    /// Input attachments.
    InputAttachment "inputAttachmentIndex",
    /// Locations of stage inputs.
    VaryingInput "varyingInput",
    /// Locations of stage outputs.
    VaryingOutput "varyingOutput",
    /// Members of what a ray carries.
    RayPayload "rayPayload",
    /// Members of what describes a hit.
    HitAttributes "hitAttributes",
    /// Members of what a callable shader is given.
    CallablePayload "callablePayload",
}

impl Unit {
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
}
