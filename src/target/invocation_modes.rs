//! Attributes of entry points that say how invocations of a stage run together, and what targets have for them.
//!
//! Spec: `GL_EXT_shader_quad_control`, `GL_EXT_maximal_reconvergence`, HLSL Shader Model 6.7.

use super::{Api, Language, Profile};
use crate::tree::{Attribute, Stage};

/// A row of [`MODES`].
#[derive(Debug)]
pub struct InvocationMode {
    /// The attribute.
    pub name: &'static str,
    /// The stages that it says something of; none for all.
    stages: &'static [Stage],
    /// Where GLSL has it: how it is spelled, and the extension.
    pub glsl: Option<(GlslMode, &'static str)>,
    /// The shader model since which HLSL has it.
    shader_model: Option<(u32, u32)>,
}

/// How GLSL spells a mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GlslMode {
    /// `layout(full_quads) in;`, with the qualifier.
    Layout(&'static str),
    /// `[[maximally_reconverges]]`, an attribute of the entry point.
    Attribute(&'static str),
}

const QUADS: &str = "GL_EXT_shader_quad_control";

const MODES: &[InvocationMode] = &[
    InvocationMode {
        name: "QuadDerivatives",
        stages: &[Stage::Fragment],
        glsl: Some((GlslMode::Layout("quad_derivatives"), QUADS)),
        shader_model: None,
    },
    InvocationMode {
        name: "RequireFullQuads",
        stages: &[Stage::Fragment],
        glsl: Some((GlslMode::Layout("full_quads"), QUADS)),
        shader_model: None,
    },
    InvocationMode {
        name: "MaximallyReconverges",
        stages: &[],
        glsl: Some((GlslMode::Attribute("maximally_reconverges"), "GL_EXT_maximal_reconvergence")),
        shader_model: None,
    },
    InvocationMode {
        name: "WaveOpsIncludeHelperLanes",
        stages: &[Stage::Fragment],
        glsl: None,
        shader_model: Some((6, 7)),
    },
];

impl InvocationMode {
    /// The modes of an entry point that a profile has, in the order of the table.
    pub fn had(attributes: &[Attribute], stage: Stage, profile: &Profile) -> impl Iterator<Item = &'static Self> {
        let said = |mode: &&InvocationMode| attributes.iter().any(|a| mode.is(a));
        MODES.iter().filter(move |mode| mode.is_of(stage) && mode.is_in(profile) && said(mode))
    }

    /// The mode that an attribute stands for.
    pub fn of(attribute: &Attribute) -> Option<&'static Self> {
        MODES.iter().find(|mode| mode.is(attribute))
    }

    fn is(&self, attribute: &Attribute) -> bool {
        attribute.name.as_str().eq_ignore_ascii_case(self.name)
    }

    /// Whether it says something of a stage.
    pub fn is_of(&self, stage: Stage) -> bool {
        self.stages.is_empty() || self.stages.contains(&stage)
    }

    /// Whether a profile has it.
    pub fn is_in(&self, profile: &Profile) -> bool {
        match profile.language {
            Language::Hlsl => self.shader_model.is_some_and(|since| profile.version >= since),
            // The extensions are of Vulkan.
            Language::Glsl => profile.facts.api == Api::Vulkan && self.glsl.is_some(),
            Language::Wgsl => false,
        }
    }

    /// The first profile of the same target that has it, after one that lacks it.
    pub fn other(&self, profile: &Profile) -> Option<&'static Profile> {
        Profile::all().iter().find(|p| p.target == profile.target && self.is_in(p))
    }
}
