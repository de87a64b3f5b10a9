//! What the lines of a text that begin with `#` can say: where others come from, and which of them there are.

use super::glsl::Edition;
use super::{Language, Profile, Target};

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

impl Language {
    /// Whether its texts have lines that include others.
    pub fn includes(self) -> bool {
        match self {
            Language::Hlsl | Language::Glsl => true,
            Language::Wgsl => false,
        }
    }
}

/// How a text says what only some of several variants have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conditionals {
    /// By lines such as `#if`, for a preprocessor.
    Directives,
    /// By attributes such as `@if`, for a translator of WESL.
    Attributes,
}

impl Target {
    /// What its texts may have of that.
    pub fn conditionals(self) -> Option<Conditionals> {
        match self {
            Target::Hlsl | Target::Glsl => Some(Conditionals::Directives),
            Target::Wgsl => Some(Conditionals::Attributes),
            // What naga writes is not made for people.
            Target::Spirv | Target::Metal => None,
        }
    }
}
