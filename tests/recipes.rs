//! The recipes of the guide for build systems, as they stand there: what each of them runs after which edit, and that a second build does
//! nothing.

use crate::support::{contents, find_tool, root, tree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The block of the guide's page that begins with a comment.
fn recipe(first: &str) -> String {
    let page = std::fs::read_to_string(root().join("src/guide/build_systems.md")).expect("the page");
    let blocks = page.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    let found = blocks.map(|(_, text)| text).find(|text| text.starts_with(&format!("{first}\n")));
    found.unwrap_or_else(|| panic!("no block begins with `{first}`")).to_owned()
}

const LIGHTS: &str = "shaders/common/lights.hlsli";
const MANIFEST: &str = "shaders/shaderport.toml";
const SHADERS: usize = 4;

/// A project with four shaders, two of which use a header, and a macro of one of them in the manifest.
fn project(files: &[(&str, &str)]) -> TempDir {
    let mut all = vec![
        (MANIFEST, "[build]\ninclude = [\"common\"]\n[[shader]]\nfiles = [\"blur.*\"]\ndefines = { TAPS = 4 }\n"),
        (LIGHTS, "float3 lit(float3 normal) { return saturate(normal.z); }\n"),
        ("shaders/common/space.hlsli", "#include \"lights.hlsli\"\n"),
        (
            "shaders/lit.frag.hlsl",
            "#include \"lights.hlsli\"\nfloat4 main(float3 n : NORMAL) : SV_Target { return lit(n).xyzz; }\n",
        ),
        (
            "shaders/sky.frag.hlsl",
            "#include \"space.hlsli\"\nfloat4 main() : SV_Target { return lit(float3(0, 0, 1)).xyzz; }\n",
        ),
        ("shaders/blur.frag.hlsl", "float4 main(float2 uv : TEXCOORD0) : SV_Target { return uv.xyxy / TAPS; }\n"),
        ("shaders/copy.frag.hlsl", "float4 main(float2 uv : TEXCOORD0) : SV_Target { return uv.xyxy; }\n"),
    ];
    all.extend(files);
    tree(&all)
}

/// A project and the command that builds it.
struct Building<'a> {
    project: &'a Path,
    command: Vec<String>,
    /// Where outputs are.
    out: PathBuf,
    /// A file in which dependencies stay that are gone.
    memory: Option<PathBuf>,
}

/// What a step has in its line.
const STEP: &str = "shaderport compile";

impl Building<'_> {
    /// Builds. Gives the number of steps that ran, and of the texts that have other bytes than before.
    fn build(&self, before: &mut BTreeMap<String, Vec<u8>>) -> (usize, usize) {
        let (program, args) = self.command.split_first().expect("a program");
        let output = command(program, self.project).args(args).output().expect("a build");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{said}");
        let after: BTreeMap<String, Vec<u8>> =
            contents(&self.out).into_iter().filter(|(name, _)| name.ends_with(".wgsl")).collect();
        assert_eq!(after.len(), SHADERS, "{:?}", after.keys());
        let changed = after.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes)).count();
        *before = after;
        (said.lines().filter(|line| line.contains(STEP)).count(), changed)
    }

    /// What runs: at first, and after no change, after the header's time, its text, and a macro of the manifest have changed.
    fn assert_runs(&self, touched: usize, defined: usize) {
        let mut texts = BTreeMap::new();
        assert_eq!(self.build(&mut texts), (SHADERS, SHADERS), "at first");
        let mut check = |what: &str, expected: (usize, usize)| {
            assert_eq!(self.build(&mut texts), expected, "{what}");
            assert_eq!(self.build(&mut texts), (0, 0), "nothing, after {what}");
        };
        check("nothing", (0, 0));
        let header = self.project.join(LIGHTS);
        touch(&header);
        check("the time of the header", (touched, 0));
        edit(&header, "normal.z", "normal.y");
        check("the header", (2, 2));
        edit(&self.project.join(MANIFEST), "TAPS = 4", "TAPS = 8");
        check("a macro", (defined, 1));
        // A header that is not needed any more, and gone.
        edit(&self.project.join("shaders/sky.frag.hlsl"), "space.hlsli", "lights.hlsli");
        std::fs::remove_file(self.project.join("shaders/common/space.hlsli")).expect("a header");
        let what = "a header that is gone";
        assert_eq!(self.build(&mut texts), (1, 0), "{what}");
        if let Some(memory) = &self.memory {
            std::fs::remove_file(memory).expect("what the build system does not forget");
        }
        assert_eq!(self.build(&mut texts), (0, 0), "nothing, after {what}");
    }
}

/// A command that finds the program that is tested.
fn command(program: &str, directory: &Path) -> Command {
    let own = Path::new(env!("CARGO_BIN_EXE_shaderport")).parent().map(Path::to_path_buf);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&paths))).expect("paths");
    let mut command = Command::new(program);
    command.current_dir(directory).env("PATH", paths).env_remove("MAKEFLAGS").env_remove("SHADERPORT_CACHE");
    command
}

fn touch(path: &Path) {
    let file = std::fs::File::options().append(true).open(path).expect("a file");
    file.set_modified(std::time::SystemTime::now()).expect("a time");
}

fn edit(path: &Path, old: &str, new: &str) {
    let text = std::fs::read_to_string(path).expect("a file");
    assert!(text.contains(old), "{text}");
    std::fs::write(path, text.replace(old, new)).expect("a file");
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn make() {
    if find_tool("make", "recipes for Make").is_none() {
        return;
    }
    let project = project(&[("Makefile", &recipe("# Makefile"))]);
    let project = project.path();
    let (command, out) = (words("make -j2"), project.join("out"));
    Building { project, command, out, memory: None }.assert_runs(2, SHADERS);
}

#[test]
fn ninja() {
    if find_tool("ninja", "recipes for Ninja").is_none() {
        return;
    }
    let project = project(&[("build.ninja", &recipe("# build.ninja"))]);
    let project = project.path();
    let (command, out) = (words("ninja -v"), project.join("out"));
    Building { project, command, out, memory: None }.assert_runs(2, SHADERS);
    // What uses the outputs runs only if one of them has other bytes.
    let packs = || {
        let output = self::command("ninja", project).arg("-v").output().expect("a build");
        String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.contains("cat out")).count()
    };
    touch(&project.join(LIGHTS));
    assert_eq!(packs(), 0);
    edit(&project.join(LIGHTS), "normal.y", "normal.x");
    assert_eq!((packs(), packs()), (1, 0));
}

#[test]
fn ninja_without_restat() {
    if find_tool("ninja", "recipes for Ninja").is_none() {
        return;
    }
    let project = project(&[("build.ninja", &recipe("# build.ninja, without restat"))]);
    let project = project.path();
    let (command, out) = (words("ninja -v"), project.join("out"));
    Building { project, command, out, memory: None }.assert_runs(2, SHADERS);
}

/// With the generator of a program that is there.
fn cmake(generator: &str, program: &str, memory: Option<&str>) {
    let what = "recipes for CMake";
    if find_tool("cmake", what).is_none() || find_tool(program, what).is_none() {
        return;
    }
    let project = project(&[("CMakeLists.txt", &recipe("# CMakeLists.txt"))]);
    let project = project.path();
    let configured = command("cmake", project).args(["-S", ".", "-B", "bin", "-G", generator]).output().expect("cmake");
    assert!(configured.status.success(), "{}", String::from_utf8_lossy(&configured.stderr));
    let (command, out) = (words("cmake --build bin -v"), project.join("bin/shaders"));
    let memory = memory.map(|name| project.join("bin").join(name));
    Building { project, command, out, memory }.assert_runs(2, SHADERS);
}

#[test]
fn cmake_with_ninja() {
    cmake("Ninja", "ninja", None);
}

#[test]
fn cmake_with_makefiles() {
    // As the guide says.
    cmake("Unix Makefiles", "make", Some("CMakeFiles/shaders.dir/compiler_depend.internal"));
}

/// The one step of a build that always runs tells what it has built.
fn assert_one_step(project: &Path, command: &str, out: PathBuf) {
    // The summary's line has the number.
    let build = || {
        let words = words(command);
        let output = self::command(&words[0], project).args(&words[1..]).output().expect("a build");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        let built = said.lines().find_map(|line| line.split_once("entry points; ")?.1.strip_suffix(" built"));
        built.unwrap_or_else(|| panic!("{said}")).parse::<usize>().expect("a number")
    };
    assert_eq!((build(), build()), (SHADERS, 0));
    assert_eq!(contents(&out).iter().filter(|(name, _)| name.ends_with(".wgsl")).count(), SHADERS);
    touch(&project.join(LIGHTS));
    assert_eq!(build(), 0);
    edit(&project.join(LIGHTS), "normal.z", "normal.y");
    assert_eq!((build(), build()), (2, 0));
    edit(&project.join(MANIFEST), "TAPS = 4", "TAPS = 8");
    assert_eq!((build(), build()), (1, 0));
}

#[test]
fn one_step_that_always_runs() {
    if find_tool("make", "recipes for Make").is_some() {
        let project = project(&[("Makefile", &recipe("# Makefile, one step"))]);
        assert_one_step(project.path(), "make", project.path().join("out/wgsl"));
    }
    if find_tool("cmake", "recipes for CMake").is_some() && find_tool("ninja", "recipes for CMake").is_some() {
        let project = project(&[("CMakeLists.txt", &recipe("# CMakeLists.txt, one step"))]);
        let configured = command("cmake", project.path()).args(["-S", ".", "-B", "bin", "-G", "Ninja"]).output();
        assert!(configured.expect("cmake").status.success());
        assert_one_step(project.path(), "cmake --build bin -v", project.path().join("bin/shaders/wgsl"));
    }
}

/// A project in the directory of this repository's builds: what its build script is made of is kept for the next run of the tests.
struct CargoProject {
    project: TempDir,
    target: PathBuf,
}

impl CargoProject {
    fn new() -> CargoProject {
        let path = format!("path = {:?}", root());
        let manifest = recipe("# Cargo.toml").replace("version = \"0.1\", ", &format!("{path}, "));
        assert!(manifest.contains(&path), "{manifest}");
        let manifest = format!("{manifest}\n[workspace]\n");
        let script = recipe("// build.rs");
        let project = project(&[("Cargo.toml", &manifest), ("build.rs", &script), ("src/main.rs", "fn main() {}\n")]);
        // The versions that this repository is tested with.
        std::fs::copy(root().join("Cargo.lock"), project.path().join("Cargo.lock")).expect("a lock");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes");
        // What earlier projects have left.
        for directory in ["debug/build", "debug/.fingerprint"] {
            let entries = std::fs::read_dir(target.join(directory)).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("app-")) {
                std::fs::remove_dir_all(entry.path()).expect("a directory of an earlier project");
            }
        }
        CargoProject { project, target }
    }

    /// Builds. Tells whether the build script ran, and how many texts it wrote.
    fn build(&self, before: &mut BTreeMap<PathBuf, std::time::SystemTime>) -> (bool, usize) {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let mut command = command(&cargo, self.project.path());
        command.args(["build", "--offline"]).env("CARGO_TARGET_DIR", &self.target);
        let output = command.output().expect("cargo");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let files = walkdir::WalkDir::new(self.target.join("debug/build")).into_iter().flatten();
        let of_project = |entry: &walkdir::DirEntry| {
            let is_text = entry.path().extension().is_some_and(|e| e == "wgsl");
            entry.path().iter().any(|part| part.to_string_lossy().starts_with("app-"))
                && (is_text || entry.file_name() == "invoked.timestamp")
        };
        let time =
            |entry: walkdir::DirEntry| Some((entry.path().to_path_buf(), entry.metadata().ok()?.modified().ok()?));
        let after: BTreeMap<_, _> = files.filter(of_project).filter_map(time).collect();
        assert_eq!(after.len(), SHADERS + 1, "{after:?}");
        let changed = after.iter().filter(|(path, time)| before.get(*path) != Some(time)).map(|(path, _)| path);
        let (scripts, texts): (Vec<_>, Vec<_>) = changed.partition(|path| path.ends_with("invoked.timestamp"));
        let result = (!scripts.is_empty(), texts.len());
        *before = after;
        result
    }
}

/// The build script runs when something that was read has changed, and writes what that concerns.
#[test]
fn cargo() {
    let built = CargoProject::new();
    let at = built.project.path();
    let mut times = BTreeMap::new();
    let mut build = || built.build(&mut times);
    assert_eq!(build(), (true, SHADERS));
    assert_eq!(build(), (false, 0));
    touch(&at.join(LIGHTS));
    assert_eq!((build(), build()), ((true, 0), (false, 0)));
    edit(&at.join(LIGHTS), "normal.z", "normal.y");
    assert_eq!((build(), build()), ((true, 2), (false, 0)));
    edit(&at.join(MANIFEST), "TAPS = 4", "TAPS = 8");
    assert_eq!((build(), build()), ((true, 1), (false, 0)));
}
