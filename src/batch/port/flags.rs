//! The options of fxc, dxc, slangc, glslc and glslangValidator, in one table: how each is written, and what it means here.

use crate::compile::BufferLayout;
use crate::symbol::nearest;
use crate::tree::MatrixOrder;
use std::str::FromStr;

/// A compiler whose command lines are understood.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CompilerTool {
    /// The compiler of D3D11.
    Fxc,
    /// The compiler of D3D12.
    Dxc,
    /// The compiler of Slang.
    Slangc,
    /// The compiler of shaderc, for GLSL and HLSL.
    Glslc,
    /// The reference compiler of GLSL, which reads HLSL too.
    Glslang,
}

impl CompilerTool {
    const ALL: &[CompilerTool] =
        &[CompilerTool::Fxc, CompilerTool::Dxc, CompilerTool::Slangc, CompilerTool::Glslc, CompilerTool::Glslang];

    /// What the program is called.
    pub fn name(self) -> &'static str {
        match self {
            CompilerTool::Fxc => "fxc",
            CompilerTool::Dxc => "dxc",
            CompilerTool::Slangc => "slangc",
            CompilerTool::Glslc => "glslc",
            CompilerTool::Glslang => "glslangValidator",
        }
    }

    /// The compiler of a name.
    pub fn parse(name: &str) -> Option<CompilerTool> {
        let found = Self::ALL.iter().find(|tool| tool.name().eq_ignore_ascii_case(name)).copied();
        // What newer releases call it.
        found.or_else(|| name.eq_ignore_ascii_case("glslang").then_some(CompilerTool::Glslang))
    }

    /// Whether `/` begins an option, as `-` does.
    pub fn has_slashes(self) -> bool {
        match self {
            CompilerTool::Fxc | CompilerTool::Dxc => true,
            CompilerTool::Slangc | CompilerTool::Glslc | CompilerTool::Glslang => false,
        }
    }

    /// Whether it takes a source for GLSL, unless its name or an option says that it is HLSL.
    pub fn reads_glsl(self) -> bool {
        match self {
            CompilerTool::Fxc | CompilerTool::Dxc | CompilerTool::Slangc => false,
            CompilerTool::Glslc | CompilerTool::Glslang => true,
        }
    }

    fn bit(self) -> u8 {
        match self {
            CompilerTool::Fxc => FXC,
            CompilerTool::Dxc => DXC,
            CompilerTool::Slangc => SLANGC,
            CompilerTool::Glslc => GLSLC,
            CompilerTool::Glslang => GLSLANG,
        }
    }
}

impl FromStr for CompilerTool {
    type Err = String;

    fn from_str(text: &str) -> Result<CompilerTool, String> {
        let names: Vec<&str> = Self::ALL.iter().map(|tool| tool.name()).collect();
        Self::parse(text).ok_or_else(|| format!("not a compiler; there are {}", names.join(", ")))
    }
}

const FXC: u8 = 1;
const DXC: u8 = 2;
const SLANGC: u8 = 4;
const GLSLC: u8 = 8;
const GLSLANG: u8 = 16;
const KHRONOS: u8 = GLSLC | GLSLANG;
const D3D: u8 = FXC | DXC;
const ANY: u8 = D3D | SLANGC;

/// Where the value of an option stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlagValue {
    /// It has none.
    None,
    /// In the next words, as many.
    Apart(usize),
    /// In the same word.
    Joined,
    /// In the same word or in the next one.
    Either,
}

/// What an option means here.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Meaning {
    /// The entry point.
    Entry,
    /// The profile, with the stage in it.
    Profile,
    /// The stage of the entry point before it.
    Stage,
    /// A macro.
    Define,
    /// An include directory.
    Include,
    /// The file to write.
    Output,
    /// The language to write.
    Target,
    /// The language of the sources.
    Language,
    /// The sources are HLSL.
    Hlsl,
    /// The output is SPIR-V.
    SpirV,
    /// The order of matrices.
    Matrix(MatrixOrder),
    /// The bindings of a class of registers begin here, in a space.
    Shift(char),
    /// Binding and set of the buffer of plain globals.
    Globals,
    /// The bytes of buffers.
    Bytes(BufferLayout),
    /// The y of positions is turned over.
    InvertY,
    /// The `w` of a fragment's position is D3D's.
    PositionW,
    /// Warnings are errors.
    WarningsAreErrors,
    /// Warnings are not shown.
    NoWarnings,
    /// It decides on nothing here, and why.
    NoConcern(&'static str),
    /// What it asks for is not done here, and why.
    Unsupported(&'static str),
}

/// A row of the table.
pub struct ToolFlag {
    /// How it is written, without the dash.
    pub name: &'static str,
    tools: u8,
    /// Its value.
    pub value: FlagValue,
    /// What it means.
    pub meaning: Meaning,
}

const fn row(tools: u8, name: &'static str, value: FlagValue, meaning: Meaning) -> ToolFlag {
    ToolFlag { name, tools, value, meaning }
}

/// An option that decides on nothing here.
const fn idle(tools: u8, name: &'static str, value: FlagValue, reason: &'static str) -> ToolFlag {
    row(tools, name, value, Meaning::NoConcern(reason))
}

/// An option that is not supported.
const fn not(tools: u8, name: &'static str, value: FlagValue, reason: &'static str) -> ToolFlag {
    row(tools, name, value, Meaning::Unsupported(reason))
}

const BINARY: &str = "it is about the binary, and a text is written here";
const DEBUG: &str = "it is about debug information, which a text has none of";
const OPTIMIZER: &str = "a text is not optimized";
const RULES: &str = "the rules of the language are those of HLSL 2021 or Slang here";
const SAID: &str = "it is about messages of that compiler; `--severity` is about ours";
const SIGNATURE: &str = "root signatures are of the application, and the sidecar has the bindings";
const EXTENSIONS: &str = "a text declares the extensions that it needs";
const OTHER_FILE: &str = "it names a file that is not written here";
const NARROW: &str = "`half` has 32 bits as it does without this option: write `float16_t` for 16";
const GIVEN: &str = "what the source gives no position gets one here";
const BY_HAND: &str = "bindings are given one by one by `[[vk::binding]]` in the source, or by a bindings lock";

use FlagValue::{Apart, Either, Joined, None as Bare};
use Meaning::{Bytes, Define, Entry, Globals, Include, InvertY, Matrix, NoWarnings, Output, PositionW, Profile, Shift};
use Meaning::{Hlsl, Language, SpirV, Stage, Target, WarningsAreErrors};

/// All options. A name that is the beginning of another one is told from it by the longer one.
const FLAGS: &[ToolFlag] = &[
    row(D3D, "T", Either, Profile),
    row(D3D, "E", Either, Entry),
    row(ANY | GLSLC, "D", Either, Define),
    row(GLSLANG, "D", Joined, Define),
    row(GLSLANG, "-D", Apart(1), Define),
    row(GLSLANG, "-define-macro", Apart(1), Define),
    row(ANY | KHRONOS, "I", Either, Include),
    row(D3D, "Fo", Either, Output),
    row(SLANGC | KHRONOS, "o", Apart(1), Output),
    row(SLANGC, "entry", Apart(1), Entry),
    row(SLANGC, "profile", Apart(1), Profile),
    row(SLANGC, "stage", Apart(1), Stage),
    row(GLSLC, "fshader-stage=", Joined, Stage),
    row(GLSLC, "fentry-point=", Joined, Entry),
    row(GLSLC, "x", Either, Language),
    row(GLSLANG, "S", Apart(1), Stage),
    row(GLSLANG, "e", Apart(1), Entry),
    row(GLSLANG, "-entry-point", Apart(1), Entry),
    row(GLSLANG, "D", Bare, Hlsl),
    row(GLSLANG, "V", Bare, SpirV),
    row(GLSLANG, "V", Joined, SpirV),
    row(SLANGC, "target", Apart(1), Target),
    row(DXC, "spirv", Bare, SpirV),
    row(SLANGC, "emit-spirv-directly", Bare, SpirV),
    row(SLANGC, "emit-spirv-via-glsl", Bare, SpirV),
    row(D3D, "Zpr", Bare, Matrix(MatrixOrder::Row)),
    row(D3D, "Zpc", Bare, Matrix(MatrixOrder::Column)),
    row(SLANGC, "matrix-layout-row-major", Bare, Matrix(MatrixOrder::Row)),
    row(SLANGC, "matrix-layout-column-major", Bare, Matrix(MatrixOrder::Column)),
    row(DXC | SLANGC, "fvk-b-shift", Apart(2), Shift('b')),
    row(DXC | SLANGC, "fvk-t-shift", Apart(2), Shift('t')),
    row(DXC | SLANGC, "fvk-u-shift", Apart(2), Shift('u')),
    row(DXC | SLANGC, "fvk-s-shift", Apart(2), Shift('s')),
    row(DXC | SLANGC, "fvk-bind-globals", Apart(2), Globals),
    row(DXC, "fvk-use-dx-layout", Bare, Bytes(BufferLayout::D3d)),
    row(SLANGC, "fvk-use-dx-layout", Bare, Bytes(BufferLayout::D3d)),
    row(DXC | SLANGC, "fvk-use-gl-layout", Bare, Bytes(BufferLayout::Native)),
    row(DXC | SLANGC, "fvk-use-scalar-layout", Bare, Bytes(BufferLayout::Scalar)),
    row(SLANGC, "force-glsl-scalar-layout", Bare, Bytes(BufferLayout::Scalar)),
    row(D3D, "WX", Bare, WarningsAreErrors),
    row(SLANGC, "warnings-as-errors", Apart(1), WarningsAreErrors),
    row(DXC, "no-warnings", Bare, NoWarnings),
    row(DXC | SLANGC, "fvk-invert-y", Bare, InvertY),
    row(GLSLC, "finvert-y", Bare, InvertY),
    row(GLSLANG, "-invert-y", Bare, InvertY),
    row(GLSLANG, "-iy", Bare, InvertY),
    row(GLSLC, "Werror", Bare, WarningsAreErrors),
    row(KHRONOS, "w", Bare, NoWarnings),
    row(DXC | SLANGC, "fvk-use-dx-position-w", Bare, PositionW),
    not(DXC, "fvk-bind-register", Apart(4), BY_HAND),
    not(DXC, "fvk-bind-counter-heap", Apart(2), BY_HAND),
    not(DXC, "fvk-bind-resource-heap", Apart(2), "say --resource-heap BINDING,SET"),
    not(DXC, "fvk-bind-sampler-heap", Apart(2), "say --sampler-heap BINDING,SET"),
    not(DXC, "auto-binding-space", Apart(1), "name the space by `register(..., spaceN)` in the source"),
    not(DXC, "enable-16bit-types", Bare, NARROW),
    not(D3D, "Gpp", Bare, "arithmetic is of the precision that the source says"),
    not(D3D, "Gec", Bare, "forms of D3D9 are not taken; the errors name what to write"),
    not(D3D, "P", Either, "preprocessed text is not written here"),
    not(DXC, "link", Bare, "libraries are not linked here"),
    not(SLANGC, "r", Apart(1), "compiled modules are not read here"),
    not(SLANGC, "obfuscate", Bare, "names stay as they are"),
    not(SLANGC, "conformance", Apart(1), "say --conformance TYPE:INTERFACE=N"),
    not(GLSLC, "fhlsl-16bit-types", Bare, NARROW),
    not(GLSLANG, "-hlsl-enable-16bit-types", Bare, NARROW),
    not(GLSLC, "fresource-set-binding", Apart(3), BY_HAND),
    not(GLSLC, "E", Bare, "preprocessed text is not written here"),
    not(GLSLANG, "E", Bare, "preprocessed text is not written here"),
    not(GLSLANG, "l", Bare, "a vertex and a fragment shader that belong together are one program by their names"),
    not(GLSLANG, "-source-entrypoint", Apart(1), "name the function of the source by -e"),
    not(FXC, "dumpbin", Bare, "binaries are not read here"),
    not(FXC, "compress", Bare, "binaries are not read here"),
    not(FXC, "decompress", Bare, "binaries are not read here"),
    idle(D3D, "nologo", Bare, SAID),
    idle(DXC, "HV", Either, RULES),
    idle(D3D, "Ges", Bare, RULES),
    idle(D3D, "Gis", Bare, OPTIMIZER),
    idle(D3D, "Gfa", Bare, OPTIMIZER),
    idle(D3D, "Gfp", Bare, OPTIMIZER),
    idle(FXC, "Gdp", Bare, OPTIMIZER),
    idle(FXC, "Gch", Bare, RULES),
    idle(D3D, "Od", Bare, OPTIMIZER),
    idle(FXC, "Op", Bare, OPTIMIZER),
    idle(ANY, "O", Joined, OPTIMIZER),
    idle(DXC, "Oconfig", Joined, OPTIMIZER),
    idle(D3D, "Zi", Bare, DEBUG),
    idle(DXC, "Zs", Bare, DEBUG),
    idle(D3D, "Zss", Bare, DEBUG),
    idle(D3D, "Zsb", Bare, DEBUG),
    idle(SLANGC, "g", Joined, DEBUG),
    idle(SLANGC, "g", Bare, DEBUG),
    idle(SLANGC, "line-directive-mode", Apart(1), DEBUG),
    idle(SLANGC, "source-embed-style", Apart(1), OTHER_FILE),
    idle(SLANGC, "source-embed-name", Apart(1), OTHER_FILE),
    idle(SLANGC, "source-embed-language", Apart(1), OTHER_FILE),
    idle(SLANGC, "separate-debug-info", Bare, DEBUG),
    idle(SLANGC, "separate-debug-info-output", Apart(1), DEBUG),
    idle(SLANGC, "debug-info-include-source", Bare, DEBUG),
    idle(SLANGC, "disable-source-map", Bare, DEBUG),
    idle(SLANGC, "disable-non-essential-validations", Bare, SAID),
    idle(SLANGC, "fspv-reflect", Bare, "the sidecar has the reflection"),
    idle(SLANGC, "denorm-mode-fp16", Apart(1), OPTIMIZER),
    idle(SLANGC, "denorm-mode-fp32", Apart(1), OPTIMIZER),
    idle(SLANGC, "denorm-mode-fp64", Apart(1), OPTIMIZER),
    idle(SLANGC, "floating-point-mode", Apart(1), OPTIMIZER),
    idle(SLANGC, "enable-effect-annotations", Bare, RULES),
    idle(SLANGC, "enable-experimental-dynamic-dispatch", Bare, OPTIMIZER),
    idle(SLANGC, "experimental-feature", Bare, RULES),
    idle(SLANGC, "validate-ir-detailed", Bare, SAID),
    idle(SLANGC, "report-perf-benchmark", Bare, SAID),
    idle(SLANGC, "report-downstream-time", Bare, SAID),
    idle(SLANGC, "diagnostic-color", Apart(1), SAID),
    idle(SLANGC, "default-downstream-compiler", Apart(2), BINARY),
    idle(SLANGC, "incomplete-library", Bare, BINARY),
    idle(SLANGC, "output-includes", Bare, SAID),
    idle(DXC, "fdebug-info-for-profiling", Bare, DEBUG),
    idle(DXC, "ignore-line-directives", Bare, DEBUG),
    idle(D3D, "Fc", Either, OTHER_FILE),
    idle(D3D, "Fd", Either, OTHER_FILE),
    idle(D3D, "Fe", Either, OTHER_FILE),
    idle(D3D, "Fh", Either, OTHER_FILE),
    idle(DXC, "Fi", Either, OTHER_FILE),
    idle(FXC, "Fl", Either, OTHER_FILE),
    idle(FXC, "Fx", Either, OTHER_FILE),
    idle(DXC, "Fre", Either, OTHER_FILE),
    idle(DXC, "Frs", Either, OTHER_FILE),
    idle(DXC, "Fsh", Either, OTHER_FILE),
    idle(SLANGC, "reflection-json", Apart(1), "say --reflect FILE"),
    idle(SLANGC, "depfile", Apart(1), "say -MF FILE"),
    idle(D3D, "Vn", Either, OTHER_FILE),
    idle(D3D, "Vd", Bare, "validation is asked for by --validate"),
    idle(D3D, "Vi", Bare, SAID),
    idle(D3D, "Cc", Bare, SAID),
    idle(D3D, "Ni", Bare, SAID),
    idle(D3D, "No", Bare, SAID),
    idle(D3D, "Lx", Bare, SAID),
    idle(DXC, "H", Bare, SAID),
    idle(D3D, "Qstrip_reflect", Bare, BINARY),
    idle(D3D, "Qstrip_debug", Bare, BINARY),
    idle(D3D, "Qstrip_priv", Bare, BINARY),
    idle(D3D, "Qstrip_rootsignature", Bare, BINARY),
    idle(DXC, "Qembed_debug", Bare, BINARY),
    idle(DXC, "Qsource_in_debug_module", Bare, BINARY),
    idle(DXC, "Qpdb_in_private", Bare, BINARY),
    idle(D3D, "setprivate", Apart(1), BINARY),
    idle(D3D, "getprivate", Apart(1), BINARY),
    idle(D3D, "setrootsignature", Apart(1), SIGNATURE),
    idle(D3D, "extractrootsignature", Bare, SIGNATURE),
    idle(D3D, "verifyrootsignature", Apart(1), SIGNATURE),
    idle(D3D, "force_rootsig_ver", Apart(1), SIGNATURE),
    idle(DXC, "force-rootsig-ver", Apart(1), SIGNATURE),
    idle(DXC, "rootsig-define", Apart(1), SIGNATURE),
    idle(FXC, "shtemplate", Apart(1), BINARY),
    idle(FXC, "mergeUAVs", Bare, BINARY),
    idle(FXC, "matchUAVs", Bare, BINARY),
    idle(D3D, "res_may_alias", Bare, OPTIMIZER),
    idle(DXC, "res-may-alias", Bare, OPTIMIZER),
    idle(D3D, "all_resources_bound", Bare, OPTIMIZER),
    idle(DXC, "all-resources-bound", Bare, OPTIMIZER),
    idle(FXC, "enable_unbounded_descriptor_tables", Bare, RULES),
    idle(DXC, "denorm", Apart(1), OPTIMIZER),
    idle(DXC, "disable-payload-qualifiers", Bare, RULES),
    idle(DXC, "enable-payload-qualifiers", Bare, RULES),
    idle(DXC, "enable-lifetime-markers", Bare, OPTIMIZER),
    idle(DXC, "disable-lifetime-markers", Bare, OPTIMIZER),
    idle(DXC, "default-linkage", Apart(1), BINARY),
    idle(DXC, "export-shaders-only", Bare, BINARY),
    idle(DXC, "exports", Apart(1), BINARY),
    idle(DXC, "encoding", Apart(1), "sources are read as UTF-8"),
    idle(DXC, "flegacy-macro-expansion", Bare, RULES),
    idle(DXC, "flegacy-resource-reservation", Bare, RULES),
    idle(DXC, "fnew-inlining-behavior", Bare, OPTIMIZER),
    idle(DXC, "finite-math-only", Bare, OPTIMIZER),
    idle(DXC, "ffinite-math-only", Bare, OPTIMIZER),
    idle(DXC, "fno-finite-math-only", Bare, OPTIMIZER),
    idle(DXC, "fcgl", Bare, BINARY),
    idle(DXC, "fdiagnostics-format=", Joined, SAID),
    idle(DXC, "fdiagnostics-show-option", Bare, SAID),
    idle(DXC, "fno-diagnostics-show-option", Bare, SAID),
    idle(DXC, "ftime-report", Bare, SAID),
    idle(DXC, "ftime-trace", Joined, SAID),
    idle(DXC, "pack-optimized", Bare, BINARY),
    idle(DXC, "pack-prefix-stable", Bare, BINARY),
    idle(DXC, "recompile", Bare, BINARY),
    idle(DXC, "opt-disable", Apart(1), OPTIMIZER),
    idle(DXC, "opt-enable", Apart(1), OPTIMIZER),
    idle(DXC, "opt-select", Apart(2), OPTIMIZER),
    idle(DXC, "validator-version", Apart(1), BINARY),
    idle(DXC, "select-validator", Apart(1), BINARY),
    idle(DXC, "W", Joined, SAID),
    idle(DXC, "M", Joined, "dependency files are written by -MD of ours"),
    idle(DXC, "M", Bare, "dependency files are written by -MD of ours"),
    idle(DXC, "fspv-extension=", Joined, EXTENSIONS),
    idle(DXC, "fspv-target-env=", Joined, EXTENSIONS),
    idle(DXC, "fspv-debug=", Joined, DEBUG),
    idle(DXC, "fspv-entrypoint-name=", Joined, "entry points keep their names"),
    idle(DXC, "fspv-reflect", Bare, "the sidecar has the reflection"),
    idle(DXC, "fspv-preserve-bindings", Bare, "the sidecar has every parameter, used or not"),
    idle(DXC, "fspv-preserve-interface", Bare, "stage inputs and outputs stay"),
    idle(DXC, "fspv-reduce-load-size", Bare, OPTIMIZER),
    idle(DXC, "fspv-flatten-resource-arrays", Bare, BINARY),
    idle(DXC, "fspv-fix-func-call-arguments", Bare, BINARY),
    idle(DXC, "fspv-use-legacy-buffer-matrix-order", Bare, BINARY),
    idle(DXC, "fspv-print-all", Bare, SAID),
    idle(DXC, "fspv-max-id", Apart(1), BINARY),
    idle(DXC, "fvk-stage-io-order=", Joined, "locations are in order of declaration"),
    idle(DXC, "fvk-auto-shift-bindings", Bare, "bindings without a register are given after those with one"),
    idle(DXC, "fvk-allow-rwstructuredbuffer-arrays", Bare, RULES),
    idle(DXC | SLANGC, "fvk-support-nonzero-base-instance", Bare, "`SV_InstanceID` counts as D3D does"),
    idle(DXC, "fvk-support-nonzero-base-vertex", Bare, "`SV_VertexID` counts as D3D does"),
    idle(SLANGC, "fvk-use-entrypoint-name", Bare, "entry points keep their names"),
    idle(SLANGC, "fvk-use-c-layout", Bare, "bytes are as the target has them"),
    idle(SLANGC, "lang", Apart(1), "the ending of a source tells its language"),
    idle(SLANGC, "x", Apart(1), "the ending of a source tells its language"),
    idle(SLANGC, "std", Apart(1), RULES),
    idle(SLANGC, "module-name", Apart(1), BINARY),
    idle(SLANGC, "capability", Apart(1), EXTENSIONS),
    idle(SLANGC, "ignore-capabilities", Bare, EXTENSIONS),
    idle(SLANGC, "restrictive-capability-check", Bare, EXTENSIONS),
    idle(SLANGC, "default-image-format-unknown", Bare, "formats are as the source says"),
    idle(SLANGC, "fp-mode", Apart(1), OPTIMIZER),
    idle(SLANGC, "fp-denormal-mode-fp32", Apart(1), OPTIMIZER),
    idle(SLANGC, "no-mangle", Bare, "names stay as they are"),
    idle(SLANGC, "minimum-slang-optimization", Bare, OPTIMIZER),
    idle(SLANGC, "preserve-params", Bare, "the sidecar has every parameter, used or not"),
    idle(SLANGC, "allow-glsl", Bare, RULES),
    idle(SLANGC, "enable-experimental-passes", Bare, OPTIMIZER),
    idle(SLANGC, "skip-codegen", Bare, BINARY),
    idle(SLANGC, "skip-spirv-validation", Bare, "validation is asked for by --validate"),
    idle(SLANGC, "validate-ir", Bare, SAID),
    idle(SLANGC, "verbose-paths", Bare, SAID),
    idle(SLANGC, "v", Bare, SAID),
    idle(SLANGC, "warnings-disable", Apart(1), SAID),
    idle(GLSLC, "c", Bare, BINARY),
    idle(GLSLC, "S", Bare, BINARY),
    idle(GLSLC, "std=", Joined, RULES),
    idle(GLSLC, "O", Joined, OPTIMIZER),
    idle(GLSLC, "g", Bare, DEBUG),
    idle(GLSLC, "-target-env=", Joined, EXTENSIONS),
    idle(GLSLC, "-target-spv=", Joined, EXTENSIONS),
    idle(GLSLC, "mfmt=", Joined, BINARY),
    idle(GLSLC, "M", Joined, "dependency files are written by -MD of ours"),
    idle(GLSLC, "M", Bare, "dependency files are written by -MD of ours"),
    idle(GLSLC, "MF", Apart(1), "dependency files are written by -MD of ours"),
    idle(GLSLC, "MT", Apart(1), "dependency files are written by -MD of ours"),
    idle(GLSLC, "fauto-bind-uniforms", Bare, GIVEN),
    idle(GLSLC, "fauto-map-locations", Bare, GIVEN),
    idle(GLSLC, "fauto-combined-image-sampler", Bare, GIVEN),
    idle(GLSLC, "fpreserve-bindings", Bare, "the sidecar has every parameter, used or not"),
    idle(GLSLC, "fhlsl-functionality1", Bare, BINARY),
    idle(GLSLC, "fhlsl-iomap", Bare, GIVEN),
    idle(GLSLC, "fhlsl-offsets", Bare, RULES),
    idle(GLSLC, "fnan-clamp", Bare, OPTIMIZER),
    idle(GLSLC, "flimit=", Joined, RULES),
    idle(GLSLC, "flimit-file", Apart(1), RULES),
    idle(GLSLANG, "G", Bare, EXTENSIONS),
    idle(GLSLANG, "G", Joined, EXTENSIONS),
    idle(GLSLANG, "H", Bare, SAID),
    idle(GLSLANG, "g", Joined, DEBUG),
    idle(GLSLANG, "g", Bare, DEBUG),
    idle(GLSLANG, "O", Joined, OPTIMIZER),
    idle(GLSLANG, "d", Bare, RULES),
    idle(GLSLANG, "q", Bare, "the sidecar has the reflection"),
    idle(GLSLANG, "s", Bare, SAID),
    idle(GLSLANG, "t", Bare, SAID),
    idle(GLSLANG, "x", Bare, BINARY),
    idle(GLSLANG, "-target-env", Apart(1), EXTENSIONS),
    idle(GLSLANG, "-client", Apart(1), EXTENSIONS),
    idle(GLSLANG, "-variable-name", Apart(1), OTHER_FILE),
    idle(GLSLANG, "-vn", Apart(1), OTHER_FILE),
    idle(GLSLANG, "-depfile", Apart(1), "say -MF FILE"),
    idle(GLSLANG, "-auto-map-bindings", Bare, GIVEN),
    idle(GLSLANG, "-amb", Bare, GIVEN),
    idle(GLSLANG, "-auto-map-locations", Bare, GIVEN),
    idle(GLSLANG, "-aml", Bare, GIVEN),
    idle(GLSLANG, "-hlsl-iomap", Bare, GIVEN),
    idle(GLSLANG, "-hlsl-io-mapping", Bare, GIVEN),
    idle(GLSLANG, "-hlsl-offsets", Bare, RULES),
    idle(GLSLANG, "-keep-uncalled", Bare, BINARY),
    idle(GLSLANG, "-ku", Bare, BINARY),
    idle(GLSLANG, "-nan-clamp", Bare, OPTIMIZER),
    idle(GLSLANG, "-quiet", Bare, SAID),
    idle(SLANGC, "W", Joined, SAID),
    idle(SLANGC, "w", Joined, SAID),
    idle(SLANGC, "X", Joined, BINARY),
];

/// The row of a word without its dash, and how much of the word is the name.
pub fn flag(tool: CompilerTool, word: &str) -> Option<&'static ToolFlag> {
    let of_tool = || FLAGS.iter().filter(move |flag| flag.tools & tool.bit() != 0);
    let is_whole = |flag: &&ToolFlag| match flag.value {
        FlagValue::None | FlagValue::Apart(_) | FlagValue::Either => flag.name == word,
        FlagValue::Joined => false,
    };
    let begins = |flag: &&ToolFlag| match flag.value {
        FlagValue::Joined | FlagValue::Either => word.len() > flag.name.len() && word.starts_with(flag.name),
        FlagValue::None | FlagValue::Apart(_) => false,
    };
    of_tool().find(is_whole).or_else(|| of_tool().filter(begins).max_by_key(|flag| flag.name.len()))
}

/// The option that is probably meant by a word.
pub fn similar_flag(tool: CompilerTool, word: &str) -> Option<&'static str> {
    nearest(word, FLAGS.iter().filter(|flag| flag.tools & tool.bit() != 0).map(|flag| flag.name))
}
