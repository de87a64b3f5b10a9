//! `cargo xtask trace TREE`: errors are put into the texts of a tree, and source maps have to lead to the lines that they come from.
//!
//! A name is broken in a text, of which it is known where the sources have it: on one line, and nowhere else. Some of the broken texts
//! are given to `shaderport validate`, so that what compilers say of them has to be told of that line.

#[allow(dead_code, reason = "what is made is asked for by the tests alone")]
#[path = "../../tests/traced.rs"]
mod traced;

use shaderport::SourceMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use traced::Mapped;

/// The options of `cargo xtask trace`.
#[derive(clap::Args)]
pub struct Options {
    /// The shader tree.
    tree: PathBuf,
    /// The shaderport to run.
    #[arg(long, default_value = "target/release/shaderport")]
    bin: PathBuf,
    /// How many errors.
    #[arg(long, default_value = "1000")]
    count: usize,
    /// How many of them other compilers have to find.
    #[arg(long, default_value = "100")]
    judged: usize,
    /// The number that the choice of errors begins with.
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Further arguments for the build.
    #[arg(last = true)]
    more: Vec<String>,
}

/// Numbers that look random (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }
}

/// A text with its map, and where both are.
struct Text {
    path: PathBuf,
    text: String,
    map: SourceMap,
}

/// Prints how many tokens are mapped, and how many errors are traced to their lines.
pub fn run(options: &Options) -> Result<bool, String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut build = Command::new(&options.bin);
    build.arg("build").arg(&options.tree).args([
        "--source-map",
        "--source-map-content",
        "--sidecar",
        "full",
        "-q",
        "--out",
    ]);
    // What a target lacks is an error of that file alone.
    build.arg(out.path()).args(&options.more).output().map_err(|e| format!("{}: {e}", options.bin.display()))?;
    let texts = texts(out.path())?;
    let mut places = Vec::new();
    let (mut tokens, mut unmapped, mut names, mut strange, mut known, mut astray) = (0, 0, 0, 0, 0, 0);
    for (at, text) in texts.iter().enumerate() {
        let mapped = Mapped::new(&text.text, &text.map);
        let wrong = mapped.wrong();
        (tokens, unmapped) = (tokens + wrong.tokens, unmapped + wrong.unmapped.len());
        (names, strange) = (names + wrong.names, strange + wrong.strange.len());
        for found in mapped.known() {
            known += 1;
            let word = &mapped.words[found.word];
            if !mapped.segment(word).is_some_and(|segment| mapped.leads(&found, segment)) {
                astray += 1;
                if astray <= 20 {
                    println!(
                        "  {}:{}: `{}` is of line {}",
                        text.path.display(),
                        word.line + 1,
                        word.text,
                        found.line + 1
                    );
                }
            }
            places.push((at, found));
        }
    }
    println!("{} texts: {} of {tokens} tokens are mapped", texts.len(), tokens - unmapped);
    println!(
        "{} of {names} names that are kept lead to themselves, {} of {known} to the only line of theirs",
        names - strange,
        known - astray
    );
    let mut random = Random(options.seed);
    let (mut right, mut judged, mut told) = (0, 0, 0);
    let count = if places.is_empty() { 0 } else { options.count };
    for _ in 0..count {
        let (at, found) = &places[random.below(places.len())];
        let text = &texts[*at];
        let mapped = Mapped::new(&text.text, &text.map);
        let (broken, (line, column)) = mapped.broken(found.word);
        let segment = text.map.segment(line, column);
        right += usize::from(segment.is_some_and(|segment| mapped.leads(found, segment)));
        if judged < options.judged
            && let Some(lines) = judge(&options.bin, text, &broken, line)?
        {
            judged += 1;
            let macros = segment.and_then(|segment| segment.spelled).is_some();
            let is_told = macros || lines.contains(&(found.line + 1));
            told += usize::from(is_told);
            if !is_told {
                println!("  {}:{}: told of lines {lines:?}, not {}", text.path.display(), line + 1, found.line + 1);
            }
        }
    }
    println!(
        "{right} of {count} errors are traced to their lines; {told} of {judged} that compilers found there are told of them"
    );
    Ok(unmapped == 0 && astray == 0 && right == count && told == judged)
}

/// The texts of a build that have maps.
fn texts(out: &Path) -> Result<Vec<Text>, String> {
    let mut texts = Vec::new();
    for entry in walkdir::WalkDir::new(out).sort_by_file_name().into_iter().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != "map") {
            continue;
        }
        let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
        let map = SourceMap::read(&read(path)?).map_err(|fault| format!("{}: {}", path.display(), fault.message))?;
        let path = path.with_extension("");
        let text = read(&path)?;
        texts.push(Text { path, text, map });
    }
    Ok(texts)
}

/// The lines of the sources that `shaderport validate` tells of for what compilers say of one line of a broken text; `None` if none says
/// something of it, as of a name that is declared there.
fn judge(bin: &Path, text: &Text, broken: &str, line: usize) -> Result<Option<Vec<usize>>, String> {
    let shown = |path: &Path| format!("{}: cannot be written", path.display());
    let stem = text.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let sidecars = text
        .path
        .ancestors()
        .skip(1)
        .take(1)
        .flat_map(|directory| std::fs::read_dir(directory).into_iter().flatten().flatten());
    let fits = |name: &str| stem == name || stem.starts_with(&format!("{name}."));
    let sidecar = sidecars.map(|entry| entry.path()).find(|path| {
        path.extension().is_some_and(|ending| ending == "json")
            && path.file_stem().is_some_and(|name| fits(&name.to_string_lossy()))
    });
    let Some(sidecar) = sidecar else { return Ok(None) };
    std::fs::write(&text.path, broken).map_err(|_| shown(&text.path))?;
    let run =
        Command::new(bin).arg("validate").arg(&text.path).arg(&sidecar).args(["--message-format", "json"]).output();
    std::fs::write(&text.path, &text.text).map_err(|_| shown(&text.path))?;
    let run = run.map_err(|e| e.to_string())?;
    let place = format!("{}:{}:", text.path.display(), line + 1);
    let mut lines = Vec::new();
    for message in
        String::from_utf8_lossy(&run.stderr).lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok())
    {
        let is_of_line = message["notes"]
            .as_array()
            .is_some_and(|notes| notes.iter().any(|note| note.as_str().is_some_and(|note| note.starts_with(&place))));
        if is_of_line && let Some(line) = message["location"]["line_start"].as_u64() {
            lines.push(line as usize);
        }
    }
    Ok((!lines.is_empty()).then_some(lines))
}
