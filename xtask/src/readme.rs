//! `cargo xtask readme`: the generated parts of README.md and the guide, which are the capability table and the examples.

#[path = "../../tests/capability_table.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod capability_table;

use crate::process;
use std::process::Command;
use std::time::Duration;

/// The options of `cargo xtask readme`.
#[derive(clap::Args)]
pub struct Options {
    /// Only say whether it is up to date.
    #[arg(long)]
    check: bool,
    /// Use this shaderport instead of building one.
    #[arg(long)]
    bin: Option<std::path::PathBuf>,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let parts = [
        ("README.md", "example", example(options, &LIGHT)?),
        ("src/guide/layouts.md", "buffer-example", example(options, &SKY)?),
        ("src/guide/capabilities.md", "capability-table", capability_table::table(&process::repository())?),
    ];
    let mut fresh = true;
    for (file, part, content) in parts {
        let path = process::repository().join(file);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let new = replaced(&text, part, &content).ok_or(format!("{file} has no part `{part}`"))?;
        if options.check {
            let same = new == text;
            println!("{file} is {}", if same { "up to date" } else { "out of date: run `cargo xtask readme`" });
            fresh &= same;
        } else {
            std::fs::write(&path, new).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(fresh)
}

/// A text with another content between the comments that mark a part.
fn replaced(text: &str, part: &str, content: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {part}:begin -->"), format!("<!-- {part}:end -->"));
    let (head, rest) = text.split_once(&begin)?;
    let (_, tail) = rest.split_once(&end)?;
    Some(format!("{head}{begin}\n{}\n{end}{tail}", content.trim_end()))
}

/// A program, and what becomes of it.
struct Example {
    file: &'static str,
    source: &'static str,
    options: &'static [&'static str],
}

const LIGHT: Example = Example {
    file: "light.slang",
    options: &[],
    source: r#"struct LightInfo
{
    float3 direction;
    float intensity;
    Texture2D cookie; // projected over the scene

    float diffuse(float3 normal) { return saturate(dot(normal, -direction)) * intensity; }
}

LightInfo gLight;
SamplerState gSampler;

// One directional light with a pattern in it.
[shader("fragment")]
float4 fragmentMain(float3 normal, float2 uv) : SV_Target
{
    let pattern = gLight.cookie.Sample(gSampler, uv).r;
    return float4(gLight.diffuse(normalize(normal)) * pattern);
}
"#,
};

const SKY: Example = Example {
    file: "sky.slang",
    options: &["--buffer-layout", "d3d"],
    source: r#"struct Sky
{
    float3 up;
    float2 wind;
    float heights[2];
    float haze;
};
ConstantBuffer<Sky> gSky;

[shader("fragment")]
float4 fragmentMain(float3 normal) : SV_Target
{
    return float4(gSky.up * dot(gSky.up, normal) + gSky.heights[1], gSky.haze);
}
"#,
};

fn example(options: &Options, example: &Example) -> Result<String, String> {
    let program = process::shaderport(options.bin.as_deref())?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let Example { file, source, .. } = example;
    std::fs::write(directory.path().join(file), source).map_err(|e| e.to_string())?;
    let with = match example.options {
        [] => String::new(),
        options => format!(" with `{}`", options.join(" ")),
    };
    let mut text = format!("`{file}`:\n\n```hlsl\n{source}```\n\n");
    let mut said = format!("becomes{with}, in");
    for (target, title) in [("wgsl", "WGSL"), ("glsl", "GLSL")] {
        let mut command = Command::new(&program);
        command.args(["compile", file, "--target", target]).args(example.options).current_dir(directory.path());
        let ran = process::run(&mut command, Duration::from_secs(20))?;
        if !ran.ok() {
            return Err(format!("{file} does not compile to {title}:\n{}", ran.stderr));
        }
        text += &format!("{said} {title}:\n\n```{target}\n{}\n```\n\n", ran.stdout.trim());
        said = "and in".to_owned();
    }
    Ok(text)
}
