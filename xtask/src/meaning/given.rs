//! Runs programs that somebody wrote through every route, in both orders of matrices and both layouts of buffers. A program has
//! a function `void program(uint thread)` that calls `put_0(thread, index, word)` and may read `input`.

use super::declarations::Buffer;
use super::device::Device;
use super::generator::Dialect;
use super::judge::{Case, Outcome, ProgramText, Runner, faults};
use super::routes::{Route, Settings, Tools};
use super::tree::{Kind, Tree};
use std::path::{Path, PathBuf};

/// The first line of a program may say what its other buffers are: `// buffers: constant structured writable`, from binding 2 on.
const BUFFERS: &str = "// buffers:";

pub fn run(programs: &[PathBuf], tools: &Tools, execute: &Path, out: &Path) -> Result<bool, String> {
    let mut right = true;
    for path in programs {
        let source = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let dialects: &[Dialect] = match path.extension().and_then(|e| e.to_str()) {
            Some("slang") => &[Dialect::Slang],
            _ => &[Dialect::Hlsl],
        };
        let case = case(&source)?;
        for dialect in dialects {
            for (rows, scalar) in [(false, false), (true, true)] {
                let settings = Settings { dialect: *dialect, rows, scalar };
                let device = Device::new(execute);
                let mut runner = Runner { tools, device, directory: out, settings, quick: false, on_device: true };
                right &= judged(&mut runner, path, &case);
            }
        }
    }
    Ok(right)
}

fn case(source: &str) -> Result<Case, String> {
    let mut buffers = Vec::new();
    let first = source.lines().next().and_then(|l| l.strip_prefix(BUFFERS)).unwrap_or_default();
    for word in first.split_whitespace() {
        buffers.push(match word {
            "constant" => Buffer::Constant,
            "structured" => Buffer::Structured,
            "writable" => Buffer::Writable,
            "bytes" => Buffer::Bytes,
            other => return Err(format!("{other} is no kind of buffer")),
        });
    }
    let text =
        ProgramText { suffix: "0".into(), entry: "program".into(), first_binding: 2, buffers, leaves_out: false };
    Ok(Case { seed: 0, program: std::rc::Rc::new(text), tree: Tree::text(Kind::Fixed, source) })
}

fn judged(runner: &mut Runner, path: &Path, case: &Case) -> bool {
    let dialect = runner.settings.dialect;
    let routes = Route::ALL.into_iter().filter(|r| r.takes(dialect));
    let outcomes: Vec<(Route, Outcome)> =
        routes.map(|r| (r, runner.outcomes(r, std::slice::from_ref(case)).remove(0))).collect();
    let found = faults(runner, case, &outcomes);
    let ours = found.iter().any(|f| f.is_ours());
    let order = if runner.settings.rows { "rows, scalar" } else { "columns, D3D" };
    let peers: Vec<&str> = outcomes.iter().filter(|(r, o)| !r.is_ours() && o.is_ok()).map(|(r, _)| r.name()).collect();
    println!("{} ({order}; {}): {}", path.display(), peers.join(" "), if ours { "OURS" } else { "right" });
    for fault in &found {
        println!("    {}", fault.class());
    }
    if found.iter().any(|f| matches!(f, super::judge::Fault::Ours(_) | super::judge::Fault::Peer(_))) {
        for (route, outcome) in &outcomes {
            match outcome {
                Ok(words) => println!("    {:6} {}", route.name(), shown(words)),
                Err(_) => println!("    {:6} -", route.name()),
            }
        }
    }
    !ours
}

/// The words up to the last one that is not zero.
fn shown(words: &[u32]) -> String {
    let count = words.iter().rposition(|w| *w != 0).map_or(0, |last| last + 1);
    words[..count].iter().map(|w| format!("{w:x}")).collect::<Vec<_>>().join(" ")
}
