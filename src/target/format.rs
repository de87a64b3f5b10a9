//! Formats of storage images: one table of names in all languages.

use crate::tree::{Explicit, Scalar, Type, TypeId, Types};

/// A format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// GLSL's name, which SPIR-V tools and Slang share.
    pub name: &'static str,
    /// GLSL has the name; where it does not, images are declared without a format.
    pub in_glsl: bool,
    /// WGSL's name, where it has the format.
    pub wgsl: Option<&'static str>,
    /// What a read gives: `F32`, `I32` or `U32` (`I64`, `U64`).
    pub scalar: Scalar,
    /// Components.
    pub components: u8,
    /// WGSL's texture may be read or written.
    support: Support,
    /// WGSL's texture may be both.
    read_write: Support,
}

/// Which formats images have whose access is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formats {
    /// Those of WebGPU, some with a feature of the device.
    WebGpu,
    /// The same in wgpu, whose devices may read and write them all.
    Wgpu,
    /// Those of OpenGL ES.
    OpenGlEs,
}

/// The feature of wgpu's devices that do with formats what WebGPU does not promise.
const OF_ADAPTER: &str = "TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES";

/// Whether devices can do something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// All of them.
    Always,
    /// Those with a feature of this name.
    Feature(&'static str),
    /// None.
    Never,
}

const TIER1: Support = Support::Feature("texture-formats-tier1");
const TIER2: Support = Support::Feature("texture-formats-tier2");

/// A format that WGSL does not have.
const fn foreign(name: &'static str, scalar: Scalar, components: u8) -> Format {
    Format { name, in_glsl: true, wgsl: None, scalar, components, support: Never, read_write: Never }
}

const fn format(
    name: &'static str,
    wgsl: &'static str,
    scalar: Scalar,
    components: u8,
    support: Support,
    read_write: Support,
) -> Format {
    Format { name, in_glsl: true, wgsl: Some(wgsl), scalar, components, support, read_write }
}

use Scalar::{F32, I32, I64, U32, U64};
use Support::{Always, Never};

/// All formats.
pub const FORMATS: &[Format] = &[
    format("rgba32f", "rgba32float", F32, 4, Always, TIER2),
    format("rgba16f", "rgba16float", F32, 4, Always, TIER2),
    format("rg32f", "rg32float", F32, 2, Always, Never),
    format("rg16f", "rg16float", F32, 2, TIER1, Never),
    format("r11f_g11f_b10f", "rg11b10ufloat", F32, 3, TIER1, Never),
    format("r32f", "r32float", F32, 1, Always, Always),
    format("r16f", "r16float", F32, 1, TIER1, TIER2),
    format("rgba16", "rgba16unorm", F32, 4, TIER1, Never),
    format("rgb10_a2", "rgb10a2unorm", F32, 4, TIER1, Never),
    format("rgba8", "rgba8unorm", F32, 4, Always, TIER2),
    format("rg16", "rg16unorm", F32, 2, TIER1, Never),
    format("rg8", "rg8unorm", F32, 2, TIER1, Never),
    format("r16", "r16unorm", F32, 1, TIER1, Never),
    format("r8", "r8unorm", F32, 1, TIER1, TIER2),
    format("rgba16_snorm", "rgba16snorm", F32, 4, TIER1, Never),
    format("rgba8_snorm", "rgba8snorm", F32, 4, Always, Never),
    format("rg16_snorm", "rg16snorm", F32, 2, TIER1, Never),
    format("rg8_snorm", "rg8snorm", F32, 2, TIER1, Never),
    format("r16_snorm", "r16snorm", F32, 1, TIER1, Never),
    format("r8_snorm", "r8snorm", F32, 1, TIER1, Never),
    format("rgba32i", "rgba32sint", I32, 4, Always, TIER2),
    format("rgba16i", "rgba16sint", I32, 4, Always, TIER2),
    format("rgba8i", "rgba8sint", I32, 4, Always, TIER2),
    format("rg32i", "rg32sint", I32, 2, Always, Never),
    format("rg16i", "rg16sint", I32, 2, TIER1, Never),
    format("rg8i", "rg8sint", I32, 2, TIER1, Never),
    format("r32i", "r32sint", I32, 1, Always, Always),
    format("r16i", "r16sint", I32, 1, TIER1, TIER2),
    format("r8i", "r8sint", I32, 1, TIER1, TIER2),
    format("rgba32ui", "rgba32uint", U32, 4, Always, TIER2),
    format("rgba16ui", "rgba16uint", U32, 4, Always, TIER2),
    format("rgb10_a2ui", "rgb10a2uint", U32, 4, TIER1, Never),
    format("rgba8ui", "rgba8uint", U32, 4, Always, TIER2),
    format("rg32ui", "rg32uint", U32, 2, Always, Never),
    format("rg16ui", "rg16uint", U32, 2, TIER1, Never),
    format("rg8ui", "rg8uint", U32, 2, TIER1, Never),
    format("r32ui", "r32uint", U32, 1, Always, Always),
    format("r16ui", "r16uint", U32, 1, TIER1, TIER2),
    format("r8ui", "r8uint", U32, 1, TIER1, TIER2),
    // Of the images of a screen.
    Format { in_glsl: false, ..format("bgra8", "bgra8unorm", F32, 4, Support::Feature("bgra8unorm-storage"), Never) },
    foreign("r64i", I64, 1),
    // Of images that wgpu changes atomically, and of no others.
    Format { wgsl: Some("r64uint"), ..foreign("r64ui", U64, 1) },
];

impl Format {
    /// The format of a name as sources write it: `rgba8`, `rgba8_snorm`, `rgba8snorm`, `r11g11b10f`.
    pub fn parse(name: &str) -> Option<Format> {
        let plain = |text: &str| text.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
        let wanted = match plain(name).as_str() {
            "r11g11b10f" => "r11fg11fb10f".to_owned(),
            other => other.to_owned(),
        };
        FORMATS.iter().find(|f| plain(f.name) == wanted).copied()
    }

    /// Whether images have it, which are read and written or one of both.
    pub fn support(&self, formats: Formats, both: bool) -> Support {
        // OpenGL ES has the formats of WebGPU without features but for those of two components.
        match (formats, both) {
            (Formats::Wgpu, true) if self.read_write == Never && self.support != Never => Support::Feature(OF_ADAPTER),
            (Formats::WebGpu | Formats::Wgpu, true) => self.read_write,
            (Formats::WebGpu | Formats::Wgpu, false) => self.support,
            (Formats::OpenGlEs, true) if self.read_write == Always => Always,
            (Formats::OpenGlEs, false) if self.support == Always && self.components != 2 => Always,
            (Formats::OpenGlEs, _) => Never,
        }
    }

    /// The variant of wgpu's `TextureFormat`, where WGSL has the format: `Rgba8Unorm` of `rgba8`.
    pub fn of_wgpu(&self) -> Option<String> {
        let name = self.wgsl?;
        let channels = name.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
        let capital = |text: &str| {
            let mut letters = text.chars();
            letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
        };
        let (channels, kind) = name.split_at_checked(channels)?;
        Some(capital(channels) + &capital(kind))
    }

    /// Whether its numbers have as many bits as those that are read of it.
    pub fn bits_are_words(&self) -> bool {
        ["32", "64"].iter().any(|bits| self.name.contains(bits))
    }

    /// The format of a storage image: what its declaration asks for, or that of its element, of which the image is where the
    /// format is unknown and the language must name one.
    pub fn of_image(types: &Types, element: TypeId, explicit: &Explicit) -> Format {
        let of_element = || Format::of_element(types, element);
        match explicit.image_format {
            Some(name) if name == *Explicit::UNKNOWN_FORMAT => {
                Format { name: Explicit::UNKNOWN_FORMAT, in_glsl: false, ..of_element() }
            }
            Some(name) => Format::parse(name.as_str()).unwrap_or_else(of_element),
            None => of_element(),
        }
    }

    /// The format that an element type has by default. `unorm` and `snorm` do not say how many bits there are: DXC and slangc have
    /// 32 for them, too.
    pub fn of_element(types: &Types, element: TypeId) -> Format {
        let (scalar, components) = match types.get(element) {
            Type::Scalar(s) => (s, 1),
            Type::Vector(s, n) => (s, n),
            _ => (F32, 4),
        };
        let components = if components == 3 { 4 } else { components };
        let prefix = ["r", "rg", "rg", "rgba"].get(components.saturating_sub(1) as usize).unwrap_or(&"rgba");
        let suffix = match scalar {
            Scalar::F16 => "16f",
            Scalar::I64 => "64i",
            Scalar::U64 => "64ui",
            s if s.is_signed() => "32i",
            s if s.is_unsigned() || s == Scalar::Bool => "32ui",
            _ => "32f",
        };
        let name = format!("{prefix}{suffix}");
        let default = FORMATS.first().copied();
        let found = FORMATS.iter().find(|f| f.name == name).copied();
        found.or(default).unwrap_or(foreign("rgba32f", F32, 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_tools_are_understood() {
        let name = |text: &str| Format::parse(text).map(|f| f.name);
        assert_eq!(name("rgba8snorm"), Some("rgba8_snorm"));
        assert_eq!(name("r11g11b10f"), Some("r11f_g11f_b10f"));
        assert_eq!(name("RGBA16F"), Some("rgba16f"));
        assert_eq!(name("unknown"), None);
    }

    #[test]
    fn formats_have_names_in_wgpu() {
        let name = |text: &str| Format::parse(text)?.of_wgpu();
        for (format, wanted) in
            [("rgba8", "Rgba8Unorm"), ("r11f_g11f_b10f", "Rg11b10Ufloat"), ("rgb10_a2ui", "Rgb10a2Uint")]
        {
            assert_eq!(name(format).as_deref(), Some(wanted));
        }
        assert_eq!(name("r64i"), None);
    }

    #[test]
    fn elements_have_formats() {
        let mut types = Types::default();
        let half4 = types.vector(Scalar::F16, 4);
        assert_eq!(Format::of_element(&types, half4).name, "rgba16f");
        assert_eq!(Format::of_element(&types, TypeId::UINT).name, "r32ui");
        let float4 = types.vector(Scalar::F32, 4);
        assert_eq!(Format::of_element(&types, float4).name, "rgba32f");
    }
}
