//! `cargo xtask bench --farm`: a generated tree of many files with ten variants each, built cold, again, and after edits.

use super::{Cost, cost_of, strings};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Headers that sources share.
const HEADERS: usize = 50;
/// Headers that a source includes.
const INCLUDED: usize = 3;
/// The axes of every program: five numbers of lights, with shadows and without.
const AXES: &str = "permute = { LIGHTS = [0, 1, 2, 3, 4], SHADOWS = [0, 1] }";
/// Variants of a program.
const VARIANTS: usize = 10;
/// Sources in a directory.
const IN_DIRECTORY: usize = 100;

/// Measures a tree of `files` sources. False if an output is missing or a number of rebuilt programs is wrong.
pub fn run(ours: &Path, files: usize) -> Result<bool, String> {
    let tree = Farm::generate(files).map_err(|e| e.to_string())?;
    println!("farm: {files} files, {} variants, WGSL", files * VARIANTS);
    let mut good = true;
    // Each is built once: what it costs to remove the outputs of another build is no part of it.
    let few = || Farm::generate((files / 10).max(2)).map_err(|e| e.to_string());
    let (small, same) = (few()?, few()?);
    let one = small.build(ours, &["--jobs", "1"])?;
    let two = same.build(ours, &["--jobs", "2"])?;
    let cores = one.seconds / two.seconds;
    println!("  {} files: one core {:.2} s, two cores {:.2} s, {cores:.2}x", small.files, one.seconds, two.seconds);
    let cold = tree.build(ours, &[])?;
    let ratio = cold.cpu_seconds / one.cpu_seconds / (files as f64 / small.files as f64);
    line("cold", &cold);
    println!("  CPU time per file, against {} files on one core: {ratio:.2}", small.files);
    let outputs = tree.outputs();
    good &= cold.ok && outputs == files * VARIANTS;
    println!("  {outputs} texts");
    line("again", &tree.build(ours, &[])?);
    let again = tree.build(ours, &[])?;
    line("and again", &again);
    let readers = tree.touch_header()?;
    let (touched, built) = tree.rebuilt(ours)?;
    line("a header is edited", &touched);
    println!("  {built} programs built, {readers} read it");
    good &= again.ok && touched.ok && built == readers;
    Ok(good)
}

fn line(what: &str, cost: &Cost) {
    let mebibytes = cost.kibibytes as f64 / 1024.0;
    println!("  {what}: {:.2} s, {:.2} CPU-seconds, {mebibytes:.0} MiB", cost.seconds, cost.cpu_seconds);
}

/// A generated tree.
struct Farm {
    directory: tempfile::TempDir,
    files: usize,
}

impl Farm {
    fn generate(files: usize) -> std::io::Result<Farm> {
        let farm = Farm { directory: tempfile::tempdir()?, files };
        std::fs::create_dir_all(farm.tree().join("common"))?;
        for header in 0..HEADERS {
            std::fs::write(farm.header(header), header_text(header))?;
        }
        for file in 0..files {
            let directory = farm.tree().join(format!("d{}", file / IN_DIRECTORY));
            std::fs::create_dir_all(&directory)?;
            std::fs::write(directory.join(format!("s{file}.hlsl")), source_text(file))?;
        }
        let manifest = format!("[[shader]]\nfiles = [\"d*/*.hlsl\"]\n{AXES}\n");
        std::fs::write(farm.tree().join("shaderport.toml"), manifest)?;
        Ok(farm)
    }

    fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    fn out(&self) -> PathBuf {
        self.directory.path().join("out")
    }

    fn header(&self, header: usize) -> PathBuf {
        self.tree().join("common").join(format!("h{header}.hlsli"))
    }

    fn command(&self, ours: &Path, more: &[&str]) -> Vec<String> {
        let (program, tree, out) = (ours.to_string_lossy(), self.tree(), self.out());
        let (tree, out) = (tree.to_string_lossy(), out.to_string_lossy());
        strings(&[&[&*program, "build", &*tree, "--target", "wgsl", "--out", &*out], more].concat())
    }

    fn build(&self, ours: &Path, more: &[&str]) -> Result<Cost, String> {
        cost_of(1, &self.command(ours, more), self.directory.path())
    }

    /// Texts that are there.
    fn outputs(&self) -> usize {
        let files = walkdir::WalkDir::new(self.out()).into_iter().flatten();
        files.filter(|file| file.path().extension().is_some_and(|e| e == "wgsl")).count()
    }

    /// Edits one header; gives how many sources include it.
    fn touch_header(&self) -> Result<usize, String> {
        let edited = header_text(0) + "\nstatic const float edited = 1.0;\n";
        std::fs::write(self.header(0), edited).map_err(|e| e.to_string())?;
        Ok((0..self.files).filter(|file| headers_of(*file).contains(&0)).count())
    }

    /// Builds, and gives how many programs were not right any more.
    fn rebuilt(&self, ours: &Path) -> Result<(Cost, usize), String> {
        let why = self.directory.path().join("why.txt");
        let command = self.command(ours, &["--explain-rebuild"]);
        let line = format!("{} 2> {}", command.join(" "), why.display());
        let cost = cost_of(1, &strings(&["sh", "-c", &line]), self.directory.path())?;
        let text = std::fs::read_to_string(&why).map_err(|e| e.to_string())?;
        Ok((cost, text.lines().filter(|line| line.contains("was built:")).count()))
    }
}

/// The headers of a source.
fn headers_of(file: usize) -> Vec<usize> {
    let mut headers: Vec<usize> = (0..INCLUDED).map(|i| (file * 7 + i * 13) % HEADERS).collect();
    headers.sort_unstable();
    headers.dedup();
    headers
}

fn header_text(header: usize) -> String {
    let mut text = format!("#ifndef HEADER_{header}\n#define HEADER_{header}\n#define SCALE_{header} {header}.5\n\n");
    for function in 0..6 {
        let _ = writeln!(
            text,
            "// Weight {function} of header {header}.\n\
             float weight_{header}_{function}(float3 n, float3 l)\n{{\n    \
                 float d = saturate(dot(n, l));\n    \
                 return pow(d, SCALE_{header}) * {function}.25 + lerp(n.x, l.y, 0.{function});\n}}\n"
        );
    }
    text + "#endif\n"
}

fn source_text(file: usize) -> String {
    let headers = headers_of(file);
    let mut text = String::new();
    for header in &headers {
        let _ = writeln!(text, "#include \"../common/h{header}.hlsli\"");
    }
    let weights: Vec<String> =
        headers.iter().map(|h| format!("weight_{h}_{}(n, lightDirections[i].xyz)", file % 6)).collect();
    let _ = write!(
        text,
        "\nstruct Surface{file}\n{{\n    float3 normal;\n    float roughness;\n}};\n\n\
         cbuffer Material{file} : register(b0)\n{{\n    float4 tint;\n    float4 lightDirections[4];\n    float roughness;\n}}\n\n\
         Texture2D<float4> albedo : register(t0);\nTexture2D<float> shadowMap : register(t1);\nSamplerState linearSampler : register(s0);\n\n\
         // The light that falls on a surface.\n\
         float3 shade{file}(Surface{file} s, float2 uv)\n{{\n    float3 n = normalize(s.normal);\n    float3 sum = 0.0;\n\
         #if LIGHTS > 0\n    for (int i = 0; i < LIGHTS; ++i)\n    {{\n        float w = {};\n\
         #if SHADOWS\n        w *= shadowMap.SampleLevel(linearSampler, uv + i * 0.125, 0.0);\n#endif\n\
         sum += tint.rgb * w;\n    }}\n#endif\n\
         #if SHADOWS\n    sum *= 0.5 + 0.5 * shadowMap.SampleLevel(linearSampler, uv, 0.0);\n#endif\n    \
         return sum * (1.0 - s.roughness);\n}}\n\n\
         float4 PSMain(float3 normal : NORMAL, float2 uv : TEXCOORD0) : SV_Target\n{{\n    \
         Surface{file} s;\n    s.normal = normal;\n    s.roughness = roughness + {file}.0 * 0.001;\n    \
         float4 base = albedo.Sample(linearSampler, uv);\n    return float4(base.rgb * shade{file}(s, uv), base.a);\n}}\n",
        weights.join(" + "),
    );
    text
}
