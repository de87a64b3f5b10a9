//! How a text tells its compiler where its lines come from.

use super::glsl::Edition;
use super::{Language, Profile};

/// The form of `#line`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineForm {
    /// The number of the line and the name of the file.
    Named,
    /// The same, once this extension is asked for.
    NamedBy(&'static str),
    /// The number of the line and that of the file.
    Numbered,
}

impl Profile {
    /// How `#line` is written; WGSL has nothing like it.
    pub fn line_form(&self) -> Option<LineForm> {
        match (self.language, self.facts.glsl.edition) {
            (Language::Hlsl, _) => Some(LineForm::Named),
            (Language::Glsl, Edition::Vulkan) => Some(LineForm::NamedBy("GL_GOOGLE_cpp_style_line_directive")),
            // What compiles for OpenGL is drivers, and few have the extension.
            (Language::Glsl, Edition::Core | Edition::Es) => Some(LineForm::Numbered),
            (Language::Wgsl, _) => None,
        }
    }
}
