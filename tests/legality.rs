//! Legality, as naga and glslang judge in process; the fuzzer of `xtask` includes this file.

use shaderport::internals::validate;

/// Whether naga accepts a WGSL text.
pub fn wgsl_is_legal(text: &str) -> Result<(), String> {
    validate::check_wgsl(text)?;
    stages_fit(text)
}

/// Whether the fragment shader of a WGSL module takes nothing that its vertex shader does not give; a module with several
/// of either may pair them in any way.
fn stages_fit(text: &str) -> Result<(), String> {
    use naga::{Binding, ShaderStage, TypeInner};
    // See `validate`: naga does not take the directive.
    let text = &text.replace("enable subgroups;", "");
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let locations = |ty: naga::Handle<naga::Type>, binding: &Option<Binding>| -> Vec<u32> {
        let of = |b: &Option<Binding>| match b {
            Some(Binding::Location { location, .. }) => Some(*location),
            _ => None,
        };
        match &module.types[ty].inner {
            TypeInner::Struct { members, .. } => members.iter().filter_map(|m| of(&m.binding)).collect(),
            _ => of(binding).into_iter().collect(),
        }
    };
    let entry = |stage| {
        let mut of_stage = module.entry_points.iter().filter(|e| e.stage == stage);
        of_stage.next().filter(|_| of_stage.next().is_none())
    };
    let (Some(vertex), Some(fragment)) = (entry(ShaderStage::Vertex), entry(ShaderStage::Fragment)) else {
        return Ok(());
    };
    let given: Vec<u32> =
        vertex.function.result.iter().flat_map(|result| locations(result.ty, &result.binding)).collect();
    let taken = fragment.function.arguments.iter().flat_map(|argument| locations(argument.ty, &argument.binding));
    match taken.into_iter().find(|location| !given.contains(location)) {
        Some(location) => {
            Err(format!("`{}` takes location {location}, which `{}` does not give", fragment.name, vertex.name))
        }
        None => Ok(()),
    }
}

/// Whether glslang compiles a GLSL text to Vulkan SPIR-V, or takes one of another version for OpenGL.
pub fn glsl_is_legal(text: &str, stage: shaderport::Stage) -> Result<(), String> {
    let version = text.lines().next().unwrap_or_default();
    match version.ends_with(" core") || version.ends_with(" es") {
        true => with_glslang(text, stage, glslang::Target::None(None), |_| Ok(())),
        false => glsl_words(text, stage).map(|_| ()),
    }
}

/// The SPIR-V that glslang makes of a GLSL text.
pub fn glsl_words(text: &str, stage: shaderport::Stage) -> Result<Vec<u32>, String> {
    use glslang::{SpirvVersion, Target, VulkanVersion};
    let target = Target::Vulkan { version: VulkanVersion::Vulkan1_3, spirv_version: SpirvVersion::SPIRV1_6 };
    with_glslang(text, stage, target, |shader| shader.compile().map_err(|e| e.to_string()))
}

/// Gives a text to glslang.
fn with_glslang<T>(
    text: &str,
    stage: shaderport::Stage,
    target: glslang::Target,
    then: impl FnOnce(glslang::Shader) -> Result<T, String>,
) -> Result<T, String> {
    use glslang::{Compiler, CompilerOptions, ShaderInput, ShaderMessage, ShaderSource, SourceLanguage};
    // glslang's own state is not made for several threads.
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
    let compiler = Compiler::acquire().ok_or("glslang does not start")?;
    let source = ShaderSource::from(text);
    let options = CompilerOptions {
        source_language: SourceLanguage::GLSL,
        target,
        version_profile: None,
        messages: ShaderMessage::DEFAULT,
    };
    let defines = None::<&[(&str, Option<&str>)]>;
    let input = ShaderInput::new(&source, glslang_stage(stage), &options, defines, None).map_err(|e| e.to_string())?;
    let shader = compiler.create_shader(input).map_err(|e| e.to_string())?;
    then(shader)
}

/// The stage in glslang's terms.
fn glslang_stage(stage: shaderport::Stage) -> glslang::ShaderStage {
    use glslang::ShaderStage as To;
    use shaderport::Stage;
    match stage {
        Stage::Vertex => To::Vertex,
        Stage::Hull => To::TesselationControl,
        Stage::Domain => To::TesselationEvaluation,
        Stage::Geometry => To::Geometry,
        Stage::Fragment => To::Fragment,
        Stage::Compute => To::Compute,
        Stage::Amplification => To::Task,
        Stage::Mesh => To::Mesh,
        Stage::RayGeneration => To::RayGeneration,
        Stage::Intersection => To::Intersect,
        Stage::AnyHit => To::AnyHit,
        Stage::ClosestHit => To::ClosestHit,
        Stage::Miss => To::Miss,
        Stage::Callable => To::Callable,
    }
}
