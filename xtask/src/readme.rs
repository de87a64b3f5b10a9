//! `cargo xtask readme`: the generated parts of README.md.

use crate::process;

const BEGIN: &str = "<!-- capability-table:begin -->";
const END: &str = "<!-- capability-table:end -->";

/// The options of `cargo xtask readme`.
#[derive(clap::Args)]
pub struct Options {
    /// Only say whether it is up to date.
    #[arg(long)]
    check: bool,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let path = process::repository().join("README.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let fresh = replaced(&text, &shaderport::target::capability_table())?;
    if options.check {
        let same = fresh == text;
        println!("README.md is {}", if same { "up to date" } else { "out of date: run `cargo xtask readme`" });
        return Ok(same);
    }
    std::fs::write(&path, fresh).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(true)
}

fn replaced(text: &str, table: &str) -> Result<String, String> {
    let parts = text.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (head, tail) = parts.ok_or(format!("README.md has no {BEGIN} ... {END}"))?;
    Ok(format!("{head}{BEGIN}\n{}\n{END}{tail}", table.trim_end()))
}
