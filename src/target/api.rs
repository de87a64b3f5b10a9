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
    /// Indices by class: of buffers, of textures, of samplers.
    Metal,
    /// WebGPU as wgpu has it: arrays of resources in one binding, and immediates, which are push constants.
    Wgpu,
}

/// The class of buffers that are no constant buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferClass {
    /// That of textures, or of written textures.
    LikeTextures,
    /// One of their own, whether they are written or not, but for buffers of texels.
    Apart,
    /// That of constant buffers.
    Constant,
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
    /// The class of buffers that are no constant buffers.
    pub buffers: BufferClass,
    /// Written textures are of another class than those that are read.
    pub images_apart: bool,
    /// Samplers have slots of their own.
    pub samplers: bool,
    /// The registers and bindings that a source asks for are obeyed; elsewhere they are numbers of other APIs.
    pub explicit: bool,
    /// What passes between stages goes as one location each, vectors of an array too.
    pub element_wise: bool,
    /// Between stages, three and four numbers of 64 bits take as many locations.
    pub wide_locations: u32,
    /// The texts of stages are linked into one program, in which a name means one thing.
    pub linked_names: bool,
    /// The text goes through a translator that numbers parameters where a variable of a function has the same name.
    pub numbers_shadowed: bool,
}

impl Api {
    /// Every model.
    pub const ALL: [Api; 6] = [Api::D3d, Api::Vulkan, Api::WebGpu, Api::OpenGl, Api::Metal, Api::Wgpu];

    /// Whether it is WebGPU, perhaps with more.
    pub fn is_webgpu(self) -> bool {
        matches!(self, Api::WebGpu | Api::Wgpu)
    }

    /// The row of an API.
    pub fn facts(self) -> &'static ApiFacts {
        match self {
            Api::D3d => &D3D,
            Api::Vulkan => &VULKAN,
            Api::WebGpu => &WEBGPU,
            Api::OpenGl => &OPENGL,
            Api::Metal => &METAL,
            Api::Wgpu => &WGPU,
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
    buffers: BufferClass::LikeTextures,
    images_apart: true,
    samplers: true,
    explicit: true,
    element_wise: false,
    wide_locations: 1,
    linked_names: false,
    numbers_shadowed: false,
};
const VULKAN: ApiFacts =
    ApiFacts { word: "vulkan", classes: false, arrays: true, push_constants: true, wide_locations: 2, ..D3D };
const WEBGPU: ApiFacts = ApiFacts { word: "webgpu", classes: false, combined: 2, element_wise: true, ..D3D };
const WGPU: ApiFacts = ApiFacts { word: "wgpu", arrays: true, push_constants: true, ..WEBGPU };
const METAL: ApiFacts = ApiFacts {
    word: "metal",
    spaces: false,
    buffers: BufferClass::Constant,
    images_apart: false,
    explicit: false,
    element_wise: true,
    numbers_shadowed: true,
    ..D3D
};
const OPENGL: ApiFacts = ApiFacts {
    word: "opengl",
    spaces: false,
    buffers: BufferClass::Apart,
    samplers: false,
    explicit: false,
    wide_locations: 2,
    linked_names: true,
    ..D3D
};
