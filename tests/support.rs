//! What several test modules need: paths, temporary directories, running the program with a time limit, legality.

use shaderport::internals::validate;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A path below the repository with `/`.
pub fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// All files under a directory with one of the endings (any, if there are none), sorted.
pub fn files_under(directory: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let wanted = |path: &Path| {
        let ending = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        endings.is_empty() || endings.contains(&ending.as_str())
    };
    walkdir::WalkDir::new(directory)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|p| wanted(p))
        .collect()
}

/// A unified diff from what a page says to what is so.
pub fn difference(expected: &str, actual: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, actual);
    diff.unified_diff().context_radius(3).header("expected", "actual").to_string()
}

/// How a run of the program ended.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Longest time that any run may take; far more than the slowest machine needs, far less than forever.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs the program in a directory.
pub fn shaderport(directory: &Path, args: &[&str]) -> Run {
    // Files rather than pipes, so that a full pipe cannot stop the program while its end is awaited.
    let capture = tempfile::tempdir().expect("a temporary directory");
    let (out, err) = (capture.path().join("out"), capture.path().join("err"));
    let create = |path: &Path| Stdio::from(std::fs::File::create(path).expect("a temporary file"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_shaderport"))
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(create(&out))
        .stderr(create(&err))
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    let status = loop {
        match child.try_wait().expect("the program can be waited for") {
            Some(status) => break status,
            None if started.elapsed() > LIMIT => {
                child.kill().ok();
                panic!("shaderport {} hangs", args.join(" "));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    Run { code: status.code().unwrap_or(-1), stdout: text(&out), stderr: text(&err) }
}

/// Writes files below a new temporary directory.
pub fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
    directory
}

/// Names and contents of all files below a directory.
pub fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let name = |p: &Path| p.strip_prefix(directory).expect("a path below").to_string_lossy().replace('\\', "/");
    files_under(directory, &[]).iter().map(|p| (name(p), std::fs::read(p).expect("a readable file"))).collect()
}

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
