//! The table of APIs: how each binds the parameters of a program.

/// The binding model of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Api {
    /// Registers by class and space.
    D3d,
    /// Descriptor sets and bindings, combined samplers in one binding.
    Vulkan,
    /// Bind groups and bindings, combined samplers in two.
    WebGpu,
    /// Units by class: of uniform blocks, of textures, of images, of storage buffers.
    OpenGl,
}

/// What is true of an API, whatever the policy.
#[derive(Debug)]
pub struct ApiFacts {
    /// The word of locks.
    pub word: &'static str,
    /// Slots are counted in classes rather than as bindings of one kind.
    pub classes: bool,
    /// Slots are in register spaces, descriptor sets or bind groups.
    pub spaces: bool,
    /// An array of resources can be in one slot.
    pub arrays: bool,
    /// The slots of a combined sampler.
    pub combined: u64,
    /// Push constants lie outside of all slots; elsewhere they are a buffer like others.
    pub push_constants: bool,
    /// Storage buffers are of a class of their own, whether they are written or not.
    pub storage_buffers: bool,
    /// Samplers have slots of their own.
    pub samplers: bool,
    /// The registers and bindings that a source asks for are obeyed; elsewhere they are numbers of other APIs.
    pub explicit: bool,
    /// Between stages, three and four numbers of 64 bits take as many locations.
    pub wide_locations: u32,
    /// The texts of stages are linked into one program, in which a name means one thing.
    pub linked_names: bool,
}

impl Api {
    /// Every model.
    pub const ALL: [Api; 4] = [Api::D3d, Api::Vulkan, Api::WebGpu, Api::OpenGl];

    /// The row of an API.
    pub fn facts(self) -> &'static ApiFacts {
        match self {
            Api::D3d => &D3D,
            Api::Vulkan => &VULKAN,
            Api::WebGpu => &WEBGPU,
            Api::OpenGl => &OPENGL,
        }
    }
}

const D3D: ApiFacts = ApiFacts {
    word: "d3d",
    classes: true,
    spaces: true,
    arrays: false,
    combined: 1,
    push_constants: false,
    storage_buffers: false,
    samplers: true,
    explicit: true,
    wide_locations: 1,
    linked_names: false,
};
const VULKAN: ApiFacts =
    ApiFacts { word: "vulkan", classes: false, arrays: true, push_constants: true, wide_locations: 2, ..D3D };
const WEBGPU: ApiFacts = ApiFacts { word: "webgpu", classes: false, combined: 2, ..D3D };
const OPENGL: ApiFacts = ApiFacts {
    word: "opengl",
    spaces: false,
    storage_buffers: true,
    samplers: false,
    explicit: false,
    wide_locations: 2,
    linked_names: true,
    ..D3D
};
