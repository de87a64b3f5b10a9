//! The user's guide: a page a module. `shaderport explain build` shows the page [`build`], and so on.

macro_rules! guide {
    ($($name:ident;)*) => {
        $(#[doc = include_str!(concat!(stringify!($name), ".md"))] pub mod $name {})*
        /// Name and text of every page.
        pub const PAGES: &[(&str, &str)] = &[$((stringify!($name), include_str!(concat!(stringify!($name), ".md")))),*];
    };
}

guide! {
    build;
    build_systems;
    tree_layout;
    port;
    farm;
    rust;
    host;
    d3d;
    opengl;
    wgpu;
    policies;
    layouts;
    locks;
    command_line;
    messages;
    source_maps;
    capabilities;
    limits;
    comparison;
}

/// The page of a name.
pub fn page(name: &str) -> Option<&'static str> {
    PAGES.iter().find(|(page, _)| *page == name).map(|(_, text)| *text)
}
