//! Validation of emitted text in process, and the ways that lead on from legal WGSL: SPIR-V and Metal through naga. Without
//! the Cargo feature `validate` each of them is an error that names it.

#[cfg(feature = "validate")]
pub use with_naga::*;
#[cfg(not(feature = "validate"))]
pub use without_naga::*;

#[cfg(feature = "validate")]
mod with_naga {
    use naga::back::{msl, spv};
    use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

    /// Parses and validates WGSL; the error is naga's, with the place in the text.
    pub fn check_wgsl(text: &str) -> Result<(), String> {
        parse(text).map(|_| ())
    }

    fn parse(text: &str) -> Result<(naga::Module, ModuleInfo), String> {
        // naga knows subgroup operations, but not the directive that the language asks for.
        let text = &text.replace("enable subgroups;", "");
        let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        let info = validator.validate(&module).map_err(|e| e.emit_to_string(text))?;
        Ok((module, info))
    }

    /// SPIR-V words, as little-endian bytes, of legal WGSL.
    pub fn wgsl_to_spirv(text: &str) -> Result<Vec<u8>, String> {
        let (module, info) = parse(text)?;
        let options = spv::Options { lang_version: (1, 3), ..spv::Options::default() };
        let words = spv::write_vec(&module, &info, &options, None).map_err(|e| e.to_string())?;
        Ok(words.iter().flat_map(|w| w.to_le_bytes()).collect())
    }

    /// The classes of Metal's indices, each with the last one; the WGSL has a group for each, in this order.
    const CLASSES: [(&str, u8); 3] = [("buffer", 29), ("texture", 127), ("sampler", 15)];
    /// The buffer of the lengths of arrays without a size, behind all that a program may have.
    const LENGTHS: u8 = 30;

    /// Metal text of legal WGSL in which a group stands for a class of Metal's indices.
    pub fn wgsl_to_metal(text: &str) -> Result<String, String> {
        let (module, info) = parse(text)?;
        let mut resources = msl::BindingMap::new();
        for (_, global) in module.global_variables.iter() {
            let Some(binding) = global.binding else { continue };
            let (class, last) = CLASSES.get(binding.group as usize).copied().ok_or("a group that is no class")?;
            let index = u8::try_from(binding.binding).ok().filter(|index| *index <= last).ok_or_else(|| {
                let name = global.name.as_deref().unwrap_or_default();
                format!("`{name}` has {class} index {}, and the last is {last}", binding.binding)
            })?;
            let of = |own: &str| (class == own).then_some(index);
            let target = msl::BindTarget {
                buffer: of("buffer"),
                texture: of("texture"),
                sampler: of("sampler").map(msl::BindSamplerTarget::Resource),
                ..msl::BindTarget::default()
            };
            resources.insert(binding, target);
        }
        let all = msl::EntryPointResources { resources, immediates_buffer: None, sizes_buffer: Some(LENGTHS) };
        let entries = module.entry_points.iter().map(|entry| (entry.name.clone(), all.clone()));
        let options = msl::Options {
            per_entry_point_map: entries.collect(),
            lang_version: (2, 0),
            fake_missing_bindings: false,
            ..msl::Options::default()
        };
        let (text, _) =
            msl::write_string(&module, &info, &options, &msl::PipelineOptions::default()).map_err(|e| e.to_string())?;
        Ok(text)
    }
}

#[cfg(not(feature = "validate"))]
mod without_naga {
    fn lacks<T>(what: &str) -> Result<T, String> {
        Err(format!("{what} needs naga, without which shaderport was built: enable its Cargo feature `validate`"))
    }

    /// No WGSL is valid that nothing has looked at.
    pub fn check_wgsl(_: &str) -> Result<(), String> {
        lacks("the validation of WGSL")
    }

    /// SPIR-V words, as little-endian bytes, of legal WGSL.
    pub fn wgsl_to_spirv(_: &str) -> Result<Vec<u8>, String> {
        lacks("the target spirv")
    }

    /// Metal text of legal WGSL.
    pub fn wgsl_to_metal(_: &str) -> Result<String, String> {
        lacks("the target metal")
    }
}
