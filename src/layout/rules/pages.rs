//! The pages of the layout rules, which stand beside this file. Code, derivations and tests cite them by id; `shaderport
//! explain layout-order` shows one.

macro_rules! rules {
    ($($($name:ident =)? $id:literal;)*) => {
        $($(#[doc = concat!("The id of the page `", $id, "`.")] pub const $name: &str = $id;)?)*
        /// Id and text of every page.
        pub const PAGES: &[(&str, &str)] = &[$(($id, include_str!(concat!($id, ".md")))),*];
        /// Name of the constant and id of every page that has one.
        #[cfg(feature = "internals")]
        pub const IDS: &[(&str, &str)] = &[$($((stringify!($name), $id),)?)*];
    };
}

rules! {
    "layout-guarantees";
    ORDER = "layout-order";
    REGISTER_CLASSES = "layout-register-classes";
    NEEDS = "layout-needs";
    "layout-bit-fields";
    ARRAYS = "layout-arrays";
    UNBOUNDED = "layout-unbounded";
    STRUCTS = "layout-structs";
    CONSTANT_BUFFERS = "layout-constant-buffers";
    PARAMETER_BLOCKS = "layout-parameter-blocks";
    GLOBALS = "layout-globals";
    ENTRY_POINTS = "layout-entry-points";
    EXPLICIT = "layout-explicit";
    FIRST_FIT = "layout-first-fit";
    LOCK = "layout-lock";
    "layout-heaps";
    UNUSED = "layout-unused";
    STAGE_IO = "layout-stage-io";
    MATRICES = "layout-matrices";
    D3D_CONSTANT = "layout-d3d-constant";
    D3D_STRUCTURED = "layout-d3d-structured";
    STD140_STD430 = "layout-std140-std430";
    "layout-wgsl";
    "layout-differences";
}

/// The page of a rule.
pub fn page(id: &str) -> Option<&'static str> {
    PAGES.iter().find(|(name, _)| *name == id).map(|(_, text)| *text)
}
