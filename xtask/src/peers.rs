//! `cargo xtask peers`: slangc and DXC from PyPI packages that carry their binaries.

use crate::process;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SLANG_PACKAGE: &str = "slangtorch";
const SLANG_VERSION: &str = "1.3.22";
const DXC_PACKAGE: &str = "compushady";
const DXC_VERSION: &str = "0.17.5";

/// The options of `cargo xtask peers`.
#[derive(clap::Args)]
pub struct Options {
    /// Where to; `$SHADERPORT_ORACLES` or `~/.cache/shaderport-oracles` by default.
    directory: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let directory = options.directory.clone().unwrap_or_else(process::peers_directory);
    let bin = directory.join("bin");
    std::fs::create_dir_all(&bin).map_err(|e| format!("{}: {e}", bin.display()))?;
    let directory = directory.canonicalize().map_err(|e| e.to_string())?;

    slangc(&directory)?;
    dxc(&directory)?;

    for tool in ["slangc", "dxc", "glslangValidator", "spirv-val", "tint", "naga"] {
        match process::find(tool) {
            Some(path) => println!("{tool}: {}", path.display()),
            None => println!("{tool}: not found"),
        }
    }
    Ok(true)
}

fn slangc(directory: &Path) -> Result<(), String> {
    let unpacked = directory.join("slang");
    let library = unpacked.join("slangtorch/bin");
    let program = library.join("slangc");
    if !program.is_file() {
        let download = directory.join("dl");
        let platform = ["--only-binary=:all:", "--platform", "manylinux_2_27_x86_64"];
        pip_download(&format!("{SLANG_PACKAGE}=={SLANG_VERSION}"), &platform, &download)?;
        let wheel = downloaded(&download, SLANG_PACKAGE, ".whl")?;
        step(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(&unpacked))?;
        step(Command::new("chmod").arg("+x").arg(&program))?;
    }
    let line = format!("LD_LIBRARY_PATH={} exec {} \"$@\"", library.display(), program.display());
    wrapper(&directory.join("bin/slangc"), &line)
}

fn dxc(directory: &Path) -> Result<(), String> {
    let backends = directory.join(format!("{DXC_PACKAGE}-{DXC_VERSION}/compushady/backends"));
    let library = backends.join("libdxcompiler_x86_64.so.3.7");
    let program = directory.join("dxc_driver");
    if !library.is_file() {
        let download = directory.join("dl");
        pip_download(&format!("{DXC_PACKAGE}=={DXC_VERSION}"), &["--no-binary", DXC_PACKAGE], &download)?;
        let archive = downloaded(&download, DXC_PACKAGE, ".tar.gz")?;
        step(Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(directory))?;
    }
    let source = process::repository().join("xtask/dxc_driver.cpp");
    let written = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    if written(&program) < written(&source) {
        let mut compile = Command::new("c++");
        compile.args(["-std=c++17", "-O1", "-D__EMULATE_UUID"]).arg("-I").arg(&backends);
        step(compile.arg(source).args(["-ldl", "-o"]).arg(&program))?;
    }
    let line = format!("exec {} {} \"$@\"", program.display(), library.display());
    wrapper(&directory.join("bin/dxc"), &line)
}

/// pip may fail after the download, when it looks into a source package whose build needs are missing.
fn pip_download(package: &str, how: &[&str], to: &Path) -> Result<(), String> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps"]).args(how).arg("-d").arg(to).arg(package);
    println!("fetching {package}");
    process::run(&mut pip, Duration::from_secs(900)).map(|_| ())
}

fn downloaded(directory: &Path, package: &str, suffix: &str) -> Result<PathBuf, String> {
    let files = walkdir::WalkDir::new(directory).max_depth(1).into_iter().flatten();
    let mut found = files.filter(|f| {
        let name = f.file_name().to_string_lossy().into_owned();
        name.starts_with(package) && name.ends_with(suffix)
    });
    let file = found.next().ok_or(format!("pip did not bring {package}; is python3 with pip installed?"))?;
    Ok(file.into_path())
}

fn step(command: &mut Command) -> Result<(), String> {
    let ran = process::run(command, Duration::from_secs(600))?;
    match ran.ok() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", ran.said().trim())),
    }
}

fn wrapper(path: &Path, line: &str) -> Result<(), String> {
    std::fs::write(path, format!("#!/bin/sh\n{line}\n")).map_err(|e| format!("{}: {e}", path.display()))?;
    step(Command::new("chmod").arg("+x").arg(path))
}
