//! Generated programs under a lock: random edits never move what it records, neither in sidecars nor in texts.

use super::edits::{Program, Random};
use super::fuzz::seeds;
use super::oracle::Oracle;
use super::positions::{Positions, positions};
use super::readback;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use shaderport::internals::layout::Unit;
use shaderport::internals::layout::lock::{Lock, LockInput, Records};
use shaderport::reflection::Reflection;
use shaderport::{
    Artifact, BufferLayout, Code, MemoryLoader, Options, Output, Policy, Severity, Shift, Target, compile,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The options of `cargo xtask layout-locks`.
#[derive(clap::Args)]
pub struct LocksOptions {
    /// The layout directory, with `oracle.py` and `gen.py`.
    directory: Option<std::path::PathBuf>,
    /// Seeds, the last one excluded.
    #[arg(long, value_parser = seeds, default_value = "0..200")]
    seeds: Range<u64>,
    /// Modes of the generator.
    #[arg(long, value_delimiter = ',', default_value = "slang,multi,hlsl")]
    mode: Vec<String>,
    /// Rounds of edits a program.
    #[arg(long, default_value_t = 6)]
    rounds: usize,
    /// How many failures are printed.
    #[arg(long, default_value_t = 10)]
    show: usize,
    /// Print why programs were refused, without numbers and names.
    #[arg(long)]
    reasons: bool,
    /// Read the bytes of buffers back with DXC, glslang and naga after the last round.
    #[arg(long)]
    readback: bool,
}

/// What the generator says of a program.
#[derive(Deserialize)]
struct Manifest {
    files: Vec<String>,
    extra: Vec<String>,
}

/// What came of some programs.
#[derive(Default)]
struct Tally {
    /// Compilations under a lock that were taken, and that the lock refused.
    taken: usize,
    refused: usize,
    /// Programs that do not compile without the lock either.
    unsaid: usize,
    /// Recorded positions that were looked up in sidecars, and declarations in texts.
    positions: usize,
    declarations: usize,
    /// Leaves that were compared between two compilations of one program under different options.
    leaves: usize,
    rows: usize,
    failures: Vec<String>,
    reasons: BTreeMap<String, usize>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.taken += other.taken;
        self.refused += other.refused;
        self.unsaid += other.unsaid;
        self.positions += other.positions;
        self.declarations += other.declarations;
        self.leaves += other.leaves;
        self.rows += other.rows;
        self.failures.extend(other.failures);
        other.reasons.into_iter().for_each(|(reason, n)| *self.reasons.entry(reason).or_default() += n);
    }
}

const TARGETS: [Target; 3] = [Target::Hlsl, Target::Glsl, Target::Wgsl];
const API: [&str; 3] = ["d3d", "vulkan", "webgpu"];

/// Edits generated programs under locks.
pub fn locks(options: &LocksOptions) -> Result<bool, String> {
    let oracle = Oracle::find(options.directory.as_deref())?;
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let programs: Vec<(&str, u64)> =
        options.mode.iter().flat_map(|mode| options.seeds.clone().map(move |seed| (mode.as_str(), seed))).collect();
    let place = |mode: &str, seed: u64| scratch.path().join(format!("{mode}-{seed}"));
    let request = |(mode, seed): &(&str, u64)| json!({ "op": "generate", "seed": seed, "mode": mode, "out": place(mode, *seed), "targets": null });
    let requests: Vec<Value> = programs.iter().map(request).collect();
    let manifests: Result<Vec<Value>, String> = oracle.ask(&requests)?.into_iter().collect();
    let jobs: Vec<((&str, u64), Value)> = programs.into_iter().zip(manifests?).collect();
    let tallies: Vec<Tally> = jobs
        .into_par_iter()
        .map(|((mode, seed), manifest)| {
            let mut tally = Tally::default();
            let read = read_program(&place(mode, seed), manifest);
            let ran = read.and_then(|program| one(options, seed, program, &mut tally));
            tally.failures.extend(ran.err().map(|e| format!("{mode}-{seed}: {e}")));
            tally
        })
        .collect();
    let mut total = Tally::default();
    tallies.into_iter().for_each(|t| total.add(t));
    let mut reasons: Vec<(String, usize)> = std::mem::take(&mut total.reasons).into_iter().collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    reasons.iter().filter(|_| options.reasons).for_each(|(reason, n)| println!("{n:6} {reason}"));
    total.failures.iter().take(options.show).for_each(|line| println!("{line}"));
    println!(
        "{} compilations taken, {} refused by the lock, {} not compiled without it; {} recorded positions, {} declarations in texts, {} leaves under other options, {} rows of buffers; {} failures",
        total.taken,
        total.refused,
        total.unsaid,
        total.positions,
        total.declarations,
        total.leaves,
        total.rows,
        total.failures.len()
    );
    Ok(total.failures.is_empty())
}

fn read_program(directory: &Path, manifest: Value) -> Result<Program, String> {
    let manifest: Manifest = serde_json::from_value(manifest).map_err(|e| e.to_string())?;
    let mut files = BTreeMap::new();
    for name in manifest.files.iter().chain(&manifest.extra) {
        let text = std::fs::read_to_string(directory.join(name)).map_err(|e| e.to_string())?;
        files.insert(name.clone(), text);
    }
    Ok(Program::new(files, manifest.files))
}

fn one(options: &LocksOptions, seed: u64, program: Program, tally: &mut Tally) -> Result<(), String> {
    let random = &mut Random::new(seed);
    let mut settings = Options::default().binding_policy(Policy::ALL[random.below(Policy::ALL.len())]);
    if random.chance(25) {
        for (class, start) in [('b', 0), ('t', 100), ('u', 200), ('s', 300)] {
            settings.shift.set(class, start);
        }
    }
    if random.chance(20) {
        settings.globals_binding = Some((random.below(8) as u32 + 30, random.below(2) as u32));
    }
    if random.chance(20) {
        settings.buffer_layout = BufferLayout::D3d;
    }
    let mut program = program;
    let mut lock = Lock::default();
    let mut kept: [Positions; 3] = Default::default();
    let mut before: [(String, Leaves); 3] = Default::default();
    for round in 0..options.rounds {
        let mut edited = program.clone();
        for _ in 0..if round == 0 { 0 } else { 1 + random.below(4) } {
            edited.edit(random);
        }
        // A team that goes over to another policy, or to other options, keeps its bindings.
        let mut trial = settings.clone();
        if round > 0 && random.chance(30) {
            change(&mut trial, random);
            if random.chance(80) {
                edited = program.clone();
            }
        }
        let mut adopted = false;
        for (at, target) in TARGETS.into_iter().enumerate() {
            let output = run(&edited, target, &trial, Some(&lock));
            if output.has_errors() {
                refused(&output, &edited, target, &trial, tally)?;
                continue;
            }
            adopted = true;
            tally.taken += 1;
            let said = |e: String| format!("round {round}, {}: {e}\n{}", target.name(), shown(&edited));
            judge(&output, &lock, at, &mut kept[at], tally).map_err(said)?;
            let now = (shown(&edited), leaves(&output));
            if before[at].0 == now.0 {
                tally.leaves += same_leaves(&before[at].1, &now.1).map_err(said)?;
            }
            before[at] = now;
            if options.readback && round + 1 == options.rounds {
                tally.rows += read_back(&output).map_err(said)?;
            }
            let records = output.records().cloned().ok_or("no records")?;
            lock.programs.insert("main".to_owned(), records);
            let again = run(&edited, target, &trial, Some(&lock));
            if again.records() != lock.programs.get("main") {
                return Err(said("the lock changes although nothing has changed".to_owned()));
            }
        }
        if adopted {
            program = edited;
            settings = trial;
        }
    }
    Ok(())
}

/// Space and number of every leaf that has one, by path and how many leaves before it have that path.
type Leaves = BTreeMap<(String, usize), (Option<u64>, u64)>;

fn leaves(output: &Output) -> Leaves {
    let mut leaves = Leaves::new();
    for leaf in output.reflections.iter().flat_map(|(_, reflection)| &reflection.leaves) {
        let Some(index) = leaf.index.filter(|_| leaf.space.is_some()) else { continue };
        let nth = (0..).find(|n| !leaves.contains_key(&(leaf.path.clone(), *n))).unwrap_or(0);
        leaves.insert((leaf.path.clone(), nth), (leaf.space, index));
    }
    leaves
}

/// Under other options the same program has its leaves where they were; what it has only now is new.
fn same_leaves(before: &Leaves, now: &Leaves) -> Result<usize, String> {
    for (leaf, at) in before {
        if let Some(found) = now.get(leaf).filter(|found| *found != at) {
            return Err(format!("the leaf {leaf:?} moved from {at:?} to {found:?} under other options"));
        }
    }
    Ok(before.len())
}

/// Changes an option.
fn change(settings: &mut Options, random: &mut Random) {
    match random.below(6) {
        0 => settings.policy = Policy::ALL[random.below(Policy::ALL.len())],
        1 => settings.shift = Shift::NONE,
        2 => {
            for class in ['b', 't', 'u', 's'] {
                if random.chance(50) {
                    settings.shift.set(class, 50 * random.below(8) as u32);
                }
            }
        }
        3 => {
            let place = (random.below(8) as u32 + 30, random.below(2) as u32);
            settings.globals_binding = random.chance(60).then_some(place);
        }
        4 => {
            const ALL: [BufferLayout; 5] = [
                BufferLayout::Native,
                BufferLayout::D3d,
                BufferLayout::Std140,
                BufferLayout::Std430,
                BufferLayout::Scalar,
            ];
            settings.buffer_layout = ALL[random.below(ALL.len())];
        }
        _ => {
            let profiles = [None, Some("sm_5_0"), Some("sm_6_6")];
            settings.profile = profiles[random.below(profiles.len())].map(str::to_owned);
        }
    }
}

fn shown(program: &Program) -> String {
    let texts = program.texts().map(|(name, text)| format!("---- {name}\n{text}"));
    format!("units: {}\n{}", program.units.join(" "), texts.collect::<String>())
}

fn run(program: &Program, target: Target, settings: &Options, lock: Option<&Lock>) -> Output {
    let loader = program.texts().fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, &text));
    let input = lock.map(|lock| LockInput {
        name: "bindings.lock".into(),
        text: lock.to_json().into(),
        lock: Arc::new(lock.clone()),
        program: "main".into(),
        frozen: false,
    });
    let options = settings.clone().target(target).lock(input);
    let files: Vec<&str> = program.units.iter().map(String::as_str).collect();
    compile(&loader, &files, &options)
}

/// Refusing is right where the lock and the source contradict each other; what is wrong without the lock too is not ours.
fn refused(
    output: &Output,
    program: &Program,
    target: Target,
    settings: &Options,
    tally: &mut Tally,
) -> Result<(), String> {
    let locked = |o: &Output| {
        let mut errors = o.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        errors.any(|d| [Code::LOCKED, Code::BINDING_OVERLAP, Code::BINDING_EXHAUSTED].contains(&d.code))
    };
    if output.diagnostics.iter().any(|d| d.code == Code::INTERNAL) {
        return Err(format!("a fault for {}\n{}", target.name(), shown(program)));
    }
    let first = output.diagnostics.iter().find(|d| d.severity == Severity::Error);
    let reason = first.map_or(String::new(), |d| format!("{} {}", d.code, without_details(&d.message)));
    *tally.reasons.entry(reason).or_default() += 1;
    if run(program, target, settings, None).has_errors() {
        tally.unsaid += 1;
    } else if locked(output) {
        tally.refused += 1;
    } else {
        let text = output.render(false);
        return Err(format!("only refused with the lock, for {}:\n{text}\n{}", target.name(), shown(program)));
    }
    Ok(())
}

/// A message without names and numbers.
fn without_details(message: &str) -> String {
    let parts: Vec<&str> = message.split('`').collect();
    let named = parts.iter().enumerate().map(|(i, part)| if i % 2 == 1 { "`_`" } else { part });
    let text: String = named.collect();
    text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

/// Compares a compilation with what was recorded before it.
fn judge(output: &Output, lock: &Lock, at: usize, kept: &mut Positions, tally: &mut Tally) -> Result<(), String> {
    let none = Records::new();
    let records = lock.programs.get("main").and_then(|p| p.apis.get(API[at])).unwrap_or(&none);
    for (_, reflection) in &output.reflections {
        let now = positions(reflection)?;
        for (what, at) in &now {
            let was = kept.get(what).unwrap_or(at);
            if was != at {
                return Err(format!("{what:?} moved from {was:?} to {at:?}"));
            }
        }
        for (key, record) in records {
            for (unit, position) in record.positions() {
                let Some(found) = now.get(&(key.clone(), unit.word().to_owned())) else { continue };
                tally.positions += 1;
                let recorded = (position.space.unwrap_or(0), position.index);
                if *found != recorded {
                    return Err(format!("{key} is recorded at {recorded:?} ({}) and is at {found:?}", unit.word()));
                }
            }
        }
        // What is gone is remembered: it must come back to where it was.
        kept.extend(now);
        for artifact in &output.artifacts {
            tally.declarations += declarations(artifact, reflection, records, kept)?;
            for (name, unit, number) in numbers(artifact) {
                let Some(told) = kept.get(&(name.clone(), unit.word().to_owned())) else { continue };
                tally.declarations += 1;
                if *told != (0, number) {
                    return Err(format!("{name} has {} {number} in the text, {told:?} in the sidecar", unit.word()));
                }
            }
        }
    }
    Ok(())
}

/// Compares the positions in a text with those of the sidecar and of the lock.
fn declarations(
    artifact: &Artifact,
    reflection: &Reflection,
    records: &Records,
    now: &Positions,
) -> Result<usize, String> {
    let mut compared = 0;
    for (name, index, space) in declared(artifact) {
        let leaf = reflection.leaves.iter().find(|l| {
            l.emitted_name.as_deref() == Some(name.as_str()) && l.index == Some(index) && l.space.unwrap_or(0) == space
        });
        let Some(leaf) = leaf else {
            let told = reflection.leaves.iter().filter(|l| l.emitted_name.as_deref() == Some(name.as_str()));
            let told: Vec<_> = told.map(|l| (l.index, l.space)).collect();
            // What a target adds for its own use (the parts of a buffer, say) has other names in the sidecar.
            if told.iter().all(|(index, _)| index.is_none()) {
                continue;
            }
            return Err(format!(
                "the text has {name} at {index}, {space}; the sidecar at {told:?}\n{}",
                artifact.text()
            ));
        };
        compared += 1;
        let root = leaf.path.split(['.', '[']).next().unwrap_or(&leaf.path);
        // A sampler or counter in a binding behind that of its texture or buffer is told of the same path.
        let first = reflection.leaves.iter().find(|l| l.path == leaf.path && l.kind == leaf.kind);
        let hidden = first.is_some_and(|l| l.index != leaf.index);
        let slots = records.get(root).into_iter().flat_map(|r| r.positions()).filter(|(_, p)| p.space.is_some());
        // What became a block has a space of its own, and begins anew in it.
        let block = now.contains_key(&(root.to_owned(), Unit::Space.word().to_owned()));
        // Leaves on other targets are bindings whatever class they were counted in, of which a parameter may have several.
        let fits = |unit: Unit| {
            unit.word() == leaf.kind
                || artifact.target != Target::Hlsl && unit.class().is_some() && leaf.kind == Unit::Descriptor.word()
        };
        let recorded: Vec<_> = slots.filter(|(unit, _)| fits(*unit) && !block).map(|(_, p)| p).collect();
        let elsewhere = !recorded.is_empty() && recorded.iter().all(|p| (p.index, p.space) != (index, Some(space)));
        if elsewhere && leaf.path == root && !hidden {
            return Err(format!(
                "{name} is recorded at {recorded:?}, the text has it at {index}, {space}\n{}",
                artifact.text()
            ));
        }
    }
    Ok(compared)
}

/// (name, index, space) of what a text places by itself.
fn declared(artifact: &Artifact) -> Vec<(String, u64, u64)> {
    let number = |line: &str, before: &str| -> Option<u64> {
        let digits = line.split_once(before)?.1;
        digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())].parse().ok()
    };
    let last_word = |text: &str| -> Option<String> {
        let text = text.split('[').next()?.trim_end();
        text.rsplit([' ', '>']).next().filter(|w| !w.is_empty()).map(str::to_owned)
    };
    let one = |line: &str| match artifact.target {
        Target::Hlsl => {
            let (head, register) = line.split_once(" : register(")?;
            let index = register.get(1..)?.split([',', ')']).next()?.parse().ok()?;
            Some((last_word(head)?, index, number(register, "space").unwrap_or(0)))
        }
        Target::Glsl => {
            let (layout, rest) = line.strip_prefix("layout(")?.split_once(") ")?;
            let index = number(layout, "binding = ")?;
            let name = rest.split(['{', ';']).next()?;
            Some((last_word(name)?, index, number(layout, "set = ").unwrap_or(0)))
        }
        _ => {
            let index = number(line, "@binding(")?;
            let (head, _) = line.split_once(" var")?.1.split_once(':')?;
            Some((last_word(head)?, index, number(line, "@group(").unwrap_or(0)))
        }
    };
    artifact.text().lines().filter_map(one).collect()
}

/// (name, unit, number) of specialization constants and input attachments in a text.
fn numbers(artifact: &Artifact) -> Vec<(String, Unit, u64)> {
    let words = [
        ("constant_id = ", Unit::Specialization),
        ("input_attachment_index = ", Unit::InputAttachment),
        ("@id(", Unit::Specialization),
    ];
    let one = |line: &str| {
        let (after, unit) = words.iter().find_map(|(word, unit)| Some((line.split_once(word)?.1, *unit)))?;
        let number = after.split([')', ',']).next()?.parse().ok()?;
        let name = after.split([':', ';']).next()?.split(" = ").next()?.rsplit(' ').next()?;
        Some((name.to_owned(), unit, number))
    };
    artifact.text().lines().filter_map(one).collect()
}

/// What other tools find in the texts, beside the sidecar.
fn read_back(output: &Output) -> Result<usize, String> {
    let mut rows = 0;
    for ((_, reflection), artifact) in output.reflections.iter().cycle().zip(&output.artifacts) {
        rows += readback::compare_text(artifact, &output.entries, reflection)?;
    }
    Ok(rows)
}
