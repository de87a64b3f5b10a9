//! The ways from a source to SPIR-V: through our texts, and through the peers alone.

use super::clock;
use super::generator::Dialect;
use super::select;
use super::spirv;
use crate::dxc::Dxc;
use crate::process::{self, Ran};
use shaderport::{BufferLayout, Code, MatrixOrder, MemoryLoader, Options, Stage, Target, compile};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Route {
    /// Our HLSL, compiled by DXC.
    Hlsl,
    /// Our GLSL, compiled by glslang.
    Glsl,
    /// Our WGSL, compiled by naga.
    Wgsl,
    Slangc,
    Dxc,
}

impl Route {
    pub const ALL: [Route; 5] = [Route::Hlsl, Route::Glsl, Route::Wgsl, Route::Slangc, Route::Dxc];

    /// The target of ours; nothing for a peer.
    pub fn target(self) -> Option<Target> {
        match self {
            Route::Hlsl => Some(Target::Hlsl),
            Route::Glsl => Some(Target::Glsl),
            Route::Wgsl => Some(Target::Wgsl),
            Route::Slangc | Route::Dxc => None,
        }
    }

    pub fn is_ours(self) -> bool {
        self.target().is_some()
    }

    pub fn takes(self, dialect: Dialect) -> bool {
        self != Route::Dxc || dialect == Dialect::Hlsl
    }

    pub fn name(self) -> &'static str {
        match self {
            Route::Hlsl => "hlsl",
            Route::Glsl => "glsl",
            Route::Wgsl => "wgsl",
            Route::Slangc => "slangc",
            Route::Dxc => "dxc",
        }
    }
}

/// What a program is compiled with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Settings {
    pub dialect: Dialect,
    /// Matrices without a modifier are stored by rows.
    pub rows: bool,
    /// Bytes of buffers are those of scalar layout, rather than D3D's.
    pub scalar: bool,
}

impl Settings {
    pub fn file_name(self) -> &'static str {
        match self.dialect {
            Dialect::Hlsl => "program.hlsl",
            Dialect::Slang => "program.slang",
        }
    }
}

/// Why there is no SPIR-V.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Refusal {
    /// Our front end, or a peer, says no to the source.
    Source(String),
    /// A tool says no to our text.
    Text(String),
    /// We ended as nothing may.
    Crash(String),
    /// A tool that is not ours did.
    ToolCrash(String),
}

pub struct Tools {
    glslang: PathBuf,
    spirv_val: PathBuf,
    slangc: PathBuf,
    dxc: Dxc,
    tint: Option<PathBuf>,
}

const LIMIT: Duration = Duration::from_secs(120);

impl Tools {
    pub fn find() -> Result<Tools, String> {
        let find = |tool: &str, from: &str| process::find(tool).ok_or(format!("{tool} is not found: {from}"));
        Ok(Tools {
            glslang: find("glslangValidator", "Debian package glslang-tools")?,
            spirv_val: find("spirv-val", "Debian package spirv-tools")?,
            slangc: find("slangc", "run `cargo xtask peers`")?,
            dxc: Dxc::at(find("dxc", "run `cargo xtask peers`")?),
            tint: process::find("tint"),
        })
    }

    /// Makes SPIR-V of a source, in a directory where the texts stay; `quick` leaves out the judges that only judge.
    pub fn spirv(
        &self,
        route: Route,
        source: &str,
        settings: Settings,
        directory: &Path,
        quick: bool,
    ) -> Result<PathBuf, Refusal> {
        let binary = directory.join(format!("{}.spv", route.name()));
        let file = directory.join(settings.file_name());
        match route.target() {
            Some(target) => {
                let text = clock::timed("shaderport", || our_text(target, source, settings))?;
                let path = directory.join(format!("ours.{}", target.name()));
                std::fs::write(&path, &text).map_err(|e| Refusal::Crash(e.to_string()))?;
                let made = self.of_text(target, &path, &text, settings, &binary, quick);
                if let (Target::Hlsl, Dialect::Hlsl, Err(Refusal::Text(why))) = (target, settings.dialect, &made)
                    && self.refuses_source(&file, source, why)
                {
                    return Err(Refusal::ToolCrash(why.clone()));
                }
                made?;
            }
            None => {
                std::fs::write(&file, source).map_err(|e| Refusal::Crash(e.to_string()))?;
                if route == Route::Dxc {
                    self.dxc(&spirv_arguments(&file, settings, &binary, false), Refusal::Source)?;
                } else {
                    finish(self.slangc(&file, settings, &binary), Refusal::Source)?;
                }
            }
        }
        Ok(binary)
    }

    /// Our text of the last file by a route.
    pub fn text_of(&self, route: Route, settings: Settings, directory: &Path) -> Option<String> {
        let name = match route.target() {
            Some(target) => format!("ours.{}", target.name()),
            None => settings.file_name().to_owned(),
        };
        std::fs::read_to_string(directory.join(name)).ok()
    }

    /// What tools made is run only when it is SPIR-V: a driver does anything with what is not.
    pub fn for_driver(&self, binary: &Path) -> Result<(), Refusal> {
        let failed = |e: std::io::Error| Refusal::Crash(e.to_string());
        let bytes = std::fs::read(binary).map_err(failed)?;
        std::fs::write(binary, spirv::for_old_tools(&bytes)).map_err(failed)?;
        finish(self.spirv_val(binary), Refusal::ToolCrash)
    }

    fn spirv_val(&self, binary: &Path) -> Command {
        let mut val = Command::new(&self.spirv_val);
        val.args(["--target-env", "vulkan1.2", "--scalar-block-layout"]).arg(binary);
        val
    }

    /// Makes SPIR-V of our HLSL with slangc, as a second opinion on it. The text is where [`Tools::spirv`] left it.
    pub fn second_opinion(&self, settings: Settings, directory: &Path) -> Result<PathBuf, Refusal> {
        let binary = directory.join("second.spv");
        let text = directory.join("ours.hlsl");
        // slangc does not know the pragma.
        let rows = std::fs::read_to_string(&text).is_ok_and(|t| t.contains("#pragma pack_matrix(row_major)"));
        let mut command = self.slangc(&text, Settings { rows, ..settings }, &binary);
        // Registers are bindings, as DXC has it.
        for shift in ["-fvk-b-shift", "-fvk-t-shift", "-fvk-u-shift"] {
            command.args([shift, "0", "all"]);
        }
        finish(command, Refusal::Source)?;
        Ok(binary)
    }

    fn of_text(
        &self,
        target: Target,
        path: &Path,
        text: &str,
        settings: Settings,
        binary: &Path,
        quick: bool,
    ) -> Result<(), Refusal> {
        match target {
            Target::Hlsl => {
                let spelled = select::spelled_out(text, "ours.hlsl");
                let whole = path.with_file_name("ours-spelled.hlsl");
                if let Some(spelled) = &spelled {
                    std::fs::write(&whole, spelled).map_err(|e| Refusal::Crash(e.to_string()))?;
                }
                let compiled = if spelled.is_some() { whole.as_path() } else { path };
                let made = self.dxc(&spirv_arguments(compiled, settings, binary, true), Refusal::Text);
                if made.is_ok() && (spelled.is_none() || quick) {
                    return Ok(());
                }
                let mut dxil = arguments(path);
                dxil.extend(["--out", "/dev/null"].map(String::from));
                // DXC has no SPIR-V for some of what it takes for DXIL.
                match (made, self.dxc(&dxil, Refusal::Text)) {
                    (_, Err(Refusal::Text(why))) => Err(Refusal::Text(why)),
                    (Err(Refusal::Text(why)), _) => Err(Refusal::ToolCrash(why)),
                    (made, _) => made,
                }
            }
            Target::Glsl => {
                let mut glslang = Command::new(&self.glslang);
                glslang.args(["-V", "--target-env", "vulkan1.2", "-S", "comp"]).arg(path).arg("-o").arg(binary);
                finish(glslang, Refusal::Text)?;
                if quick {
                    return Ok(());
                }
                finish(self.spirv_val(binary), Refusal::Text)
            }
            Target::Wgsl => {
                if let Some(tint) = self.tint.as_ref().filter(|_| !quick) {
                    let mut command = Command::new(tint);
                    command.args(["--format", "wgsl", "-o", "/dev/null"]).arg(path);
                    finish(command, Refusal::Text)?;
                }
                let words = clock::timed("naga", || catch_unwind(|| naga_spirv(text)))
                    .map_err(|_| Refusal::ToolCrash("naga panicked".into()))?;
                let bytes: Vec<u8> = words.map_err(Refusal::Text)?.iter().flat_map(|w| w.to_le_bytes()).collect();
                std::fs::write(binary, bytes).map_err(|e| Refusal::Crash(e.to_string()))
            }
            Target::Spirv | Target::Metal => Err(Refusal::Crash("no route".into())),
        }
    }

    /// Whether DXC says the same of a source as it does of our text: it is wrong about both, or takes the source for SPIR-V alone.
    fn refuses_source(&self, file: &Path, source: &str, why: &str) -> bool {
        fn errors(said: &str) -> Vec<&str> {
            said.lines().filter_map(|line| line.split_once("error: ").map(|(_, message)| message)).collect()
        }
        let mut dxil = arguments(file);
        dxil.extend(["--out", "/dev/null"].map(String::from));
        let written = std::fs::write(file, source).is_ok();
        let said = self.dxc(&dxil, Refusal::Source);
        written && matches!(said, Err(Refusal::Source(said)) if errors(&said) == errors(why))
    }

    fn dxc(&self, arguments: &[String], refusal: fn(String) -> Refusal) -> Result<(), Refusal> {
        clock::timed("dxc", || answered(self.dxc.run(arguments, LIMIT), refusal))
    }

    fn slangc(&self, file: &Path, settings: Settings, binary: &Path) -> Command {
        let mut slangc = Command::new(&self.slangc);
        slangc.arg(file).args(["-target", "spirv", "-entry", "main", "-stage", "compute", "-O0"]);
        slangc.arg(if settings.rows { "-matrix-layout-row-major" } else { "-matrix-layout-column-major" });
        slangc.arg(if settings.scalar { "-fvk-use-scalar-layout" } else { "-fvk-use-dx-layout" });
        slangc.arg("-o").arg(binary);
        slangc
    }
}

/// What DXC compiles a file with.
fn arguments(file: &Path) -> Vec<String> {
    let mut arguments = vec![file.display().to_string()];
    arguments.extend(["-T", "cs_6_6", "-E", "main", "-HV", "2021"].map(String::from));
    // Without the option the names of these types are unknown, and with it `half` is another type.
    if std::fs::read_to_string(file).is_ok_and(|text| text.contains("16_t")) {
        arguments.push("-enable-16bit-types".into());
    }
    arguments
}

fn spirv_arguments(file: &Path, settings: Settings, binary: &Path, ours: bool) -> Vec<String> {
    let mut all = arguments(file);
    all.extend(["-spirv", "-fspv-target-env=vulkan1.2"].map(String::from));
    all.push(if settings.scalar { "-fvk-use-scalar-layout" } else { "-fvk-use-dx-layout" }.into());
    // DXC's validator knows no scalar layout of constant buffers.
    if settings.scalar {
        all.push("-Vd".into());
    }
    // Our texts say it themselves.
    if settings.rows && !ours {
        all.push("-Zpr".into());
    }
    all.extend(["--out".into(), binary.display().to_string()]);
    all
}

static PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps what a panic says for the finding, rather than printing it. The compiler gives an error of it without these words.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = PANIC.lock() {
            *last = panic.to_string();
        }
    }));
}

/// Where and why the last panic was.
pub fn last_panic() -> String {
    let said = PANIC.lock().map(|p| p.clone()).unwrap_or_default();
    said.lines().nth(1).unwrap_or_default().to_owned()
}

/// Whether our front end takes a source.
pub fn is_program(source: &str, settings: Settings) -> bool {
    // The target does not matter for that; without one, only the source is checked.
    let mut options = our_options(Target::Hlsl, settings);
    options.targets.clear();
    let loader = MemoryLoader::new().with(settings.file_name(), source);
    catch_unwind(AssertUnwindSafe(|| !compile(&loader, &[settings.file_name()], &options).has_errors())).unwrap_or(true)
}

fn our_options(target: Target, settings: Settings) -> Options {
    let mut options = Options::for_target(target).entry("main", Some(Stage::Compute));
    options.matrix_order = if settings.rows { MatrixOrder::Row } else { MatrixOrder::Column };
    options.buffer_layout = if settings.scalar { BufferLayout::Scalar } else { BufferLayout::D3d };
    options
}

fn our_text(target: Target, source: &str, settings: Settings) -> Result<String, Refusal> {
    let options = our_options(target, settings);
    let loader = MemoryLoader::new().with(settings.file_name(), source);
    let compiled = catch_unwind(AssertUnwindSafe(|| compile(&loader, &[settings.file_name()], &options)));
    let mut output = compiled.map_err(|_| Refusal::Crash("shaderport panicked".into()))?;
    if output.has_errors() {
        let said = output.render(false);
        if output.diagnostics.iter().any(|d| d.code == Code(901)) {
            return Err(Refusal::Crash(format!("error: {}", last_panic())));
        }
        return Err(Refusal::Source(said));
    }
    let artifact = output.artifacts.pop().ok_or(Refusal::Crash("no text and no error".into()))?;
    Ok(artifact.text().to_owned())
}

fn naga_spirv(text: &str) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| format!("naga: {}", e.emit_to_string(text)))?;
    // WebGPU has packed halves, and halves as a feature; not all that naga is for do.
    let halves = naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32 | naga::valid::Capabilities::SHADER_FLOAT16;
    let capabilities = naga::valid::Capabilities::default() | halves;
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    let information = validator.validate(&module).map_err(|e| format!("naga: {}", e.emit_to_string(text)))?;
    let options = naga::back::spv::Options::default();
    naga::back::spv::write_vec(&module, &information, &options, None).map_err(|e| format!("naga: {e}"))
}

fn finish(mut command: Command, refusal: fn(String) -> Refusal) -> Result<(), Refusal> {
    let name = command.get_program().to_string_lossy().into_owned();
    let name = name.rsplit('/').next().unwrap_or_default().to_owned();
    clock::timed(&name, || answered(process::run(&mut command, LIMIT), refusal))
}

/// What a tool says of itself, whatever it was given: DXC's validator, of what its own lowering left.
const OWN_FAULTS: [&str; 3] = ["Internal Compiler error", "is not a DXIL function", "Vector type '<"];

fn answered(ran: Result<Ran, String>, refusal: fn(String) -> Refusal) -> Result<(), Refusal> {
    let ran = ran.map_err(Refusal::Crash)?;
    match ran.code {
        Some(0) => Ok(()),
        _ if ran.timed_out => Err(Refusal::ToolCrash(format!("no end after {} s", LIMIT.as_secs()))),
        Some(_) if OWN_FAULTS.iter().any(|fault| ran.said().contains(fault)) => Err(Refusal::ToolCrash(ran.said())),
        Some(_) => Err(refusal(ran.said())),
        None => Err(Refusal::ToolCrash(format!("killed by a signal: {}", ran.said()))),
    }
}
