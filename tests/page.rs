//! End-to-end fixtures: Markdown pages under `tests/fixtures`, each a source and what becomes of it.
//!
//! A page begins with what a person wrote: a title, words, code blocks with the sources (`slang` or `hlsl`, their names
//! after the language: ```` ```slang main.slang ````, where the first one is compiled and the others are there for
//! `#include` and `import`), and perhaps a line of options:
//!
//! ```text
//! options: target=hlsl,wgsl entry=psMain:fragment profile=sm_5_1 define=N=4 matrix=row policy=dxc sidecar
//! options: units=2 shift=t=100,s=200 globals=7,1 layouts
//! ```
//!
//! `dump=PASS` shows the tree after a legalization pass in place of the texts; such a page stands beside the pass.
//!
//! From the first `## ` heading on it is written by `BLESS=1 cargo test --test pages NAME`: the diagnostics, and for each target the
//! emitted texts and, if asked for, the sidecar as a table (`sidecar`) and the layouts of types as an outline (`layouts`). Whatever is emitted must be legal, blessed or not.

use shaderport::internals::options;
use shaderport::{MemoryLoader, Options, Output, Target, compile};

/// A page: what was written, and what is generated.
pub struct Page {
    pub written: String,
    pub generated: String,
    /// (name, text); the first is the main file.
    pub sources: Vec<(String, String)>,
    pub options: Options,
    pub sidecar: bool,
    pub layouts: bool,
    /// How many of the sources are named for compilation.
    pub units: usize,
}

pub fn parse(text: &str) -> Result<Page, String> {
    let at = text.find("\n## ").map_or(text.len(), |at| at + 1);
    let (written, generated) = text.split_at(at);
    let mut page = Page {
        written: written.to_owned(),
        generated: generated.to_owned(),
        sources: Vec::new(),
        options: Options::for_target(Target::Hlsl).target(Target::Glsl).target(Target::Wgsl),
        sidecar: false,
        layouts: false,
        units: 1,
    };
    // Pages look alike, however their sources do; those about styles say theirs.
    page.options.style = "own-line,4".parse()?;
    let mut open: Option<(String, String)> = None;
    for line in written.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => page.sources.extend(open.take()),
            (Some((_, text)), _) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, Some(info)) => {
                let (language, name) = info.split_once(' ').unwrap_or((info, ""));
                let name = if name.is_empty() { format!("main.{language}") } else { name.to_owned() };
                open = Some((name, String::new()));
            }
            (None, None) => {
                if let Some(words) = line.strip_prefix("options:") {
                    words.split_whitespace().try_for_each(|word| option(&mut page, word))?;
                }
            }
        }
    }
    if open.is_some() {
        return Err("a code block is not closed".into());
    }
    if page.sources.is_empty() {
        return Err("there is no source".into());
    }
    Ok(page)
}

/// One word of the options line.
fn option(page: &mut Page, word: &str) -> Result<(), String> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let to = &mut page.options;
    match name {
        "target" => to.targets = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
        "entry" => to.entries.push(options::entry(value)?),
        "profile" => to.profile = Some(value.to_owned()),
        "define" => to.defines.push(options::define(value)?),
        "policy" => to.policy = value.parse()?,
        "layout" => to.buffer_layout = value.parse()?,
        "style" => to.style = value.parse()?,
        "lint" => {
            to.lint_layout = value == "layout";
            to.lint_stages = value == "stages";
        }
        "matrix" => to.matrix_order = value.parse()?,
        "dump" => to.dump_after = Some(value.to_owned()),
        "unsized" => to.unsized_array_size = Some(value.parse().map_err(|_| format!("`{value}` is not a size"))?),
        "varying-derivatives" => to.varying_derivatives = true,
        "invert-y" => to.invert_y = true,
        "combine-samplers" => to.combine_samplers = true,
        "root-constants" => to.root_constants = value.parse()?,
        "register-comments" => to.register_comments = true,
        "target-position-w" => to.dx_position_w = false,
        "sidecar" => page.sidecar = true,
        "layouts" => page.layouts = true,
        "units" => page.units = value.parse().map_err(|e| format!("units: {e}"))?,
        "shift" => to.shift = value.parse()?,
        "conformance" => to.conformances.push(word.trim_start_matches("conformance=").parse()?),
        "globals" => to.globals_binding = Some(options::binding(value)?),
        _ => return Err(format!("`{word}` is not an option of a fixture")),
    }
    Ok(())
}

/// Compiles the sources of a page.
pub fn compile_page(page: &Page) -> Output {
    let loader = page.sources.iter().fold(MemoryLoader::new(), |l, (name, text)| l.with(name, text));
    let main: Vec<&str> = page.sources.iter().take(page.units).map(|(name, _)| name.as_str()).collect();
    compile(&loader, &main, &page.options)
}

#[test]
fn pages_are_read() {
    let text = "# T\n\n```slang a.slang\nint x;\n```\n\noptions: target=wgsl entry=f:compute sidecar\n\n## wgsl\n\n```wgsl\n```\n";
    let page = parse(text).expect("a good page");
    assert_eq!(page.sources, [("a.slang".to_owned(), "int x;\n".to_owned())]);
    assert_eq!(page.options.targets, [Target::Wgsl]);
    assert_eq!(page.options.entries.len(), 1);
    assert!(page.sidecar);
    assert_eq!(page.generated, "## wgsl\n\n```wgsl\n```\n");
    assert!(parse("# T\n").is_err());
    assert!(parse("```slang\nint x;\n").is_err());
    assert!(parse("```slang\n```\noptions: nonsense\n").is_err());
}
