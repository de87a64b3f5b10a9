//! What a port tells: what became of each file, where each parameter was and is, what needs a person, how to validate.

use super::document::Block;
use super::script::from_directory;
use super::update::Deed;
use crate::batch::driver::{Built, Report};
use crate::batch::names::sidecar_of;
use crate::batch::order::WgslImports;
use crate::batch::plan::{DXC_LIBRARY, Job, dxc_profile, relative};
use crate::batch::program::{Fate, OutputKind};
use crate::batch::variants::Table;
use crate::compile::Target;
use crate::diagnostic::{Message, Severity};
use crate::reflect::Reflection;
use crate::reflect::model::Leaf;
use crate::tree::Stage;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is told besides the build itself.
#[derive(Debug, Default)]
pub struct PortFacts {
    /// Where entry points and macros are from, in sentences.
    pub origin: Vec<String>,
    /// What of descriptions could not be followed.
    pub notes: Vec<String>,
    /// Options that decide on nothing, with the reason, and how often.
    pub ignored: BTreeMap<(String, &'static str), usize>,
    /// What became of files.
    pub deeds: BTreeMap<String, Deed>,
    /// It is an update.
    pub is_update: bool,
    /// Headers of the outputs, each with its source.
    pub headers: BTreeMap<String, String>,
}

/// Kinds of leaves that are in no slot.
const WITHOUT_SLOT: &[&str] =
    &["uniform", "varyingInput", "varyingOutput", "rayPayload", "hitAttributes", "callablePayload"];

/// The report. `read` gives the bytes of an output, `before` the sidecars of the sources as their own compiler has them, by program.
pub fn report(
    built: &Built,
    facts: &PortFacts,
    read: &dyn Fn(&str) -> Option<Vec<u8>>,
    before: &BTreeMap<String, Vec<Reflection>>,
) -> Vec<Block> {
    let programs: Vec<Ported> =
        built.reports.iter().map(|(job, report)| Ported::new(built, job, report, read)).collect();
    let mut blocks = vec![Block::Title("Port".to_owned())];
    blocks.extend(facts.origin.iter().map(|line| Block::Text(line.clone())));
    blocks.push(Block::Text(format!("{} {}", summary_of(built), entry_points(&programs))));
    blocks.extend(by_target(&programs));
    if facts.is_update {
        blocks.extend(update(facts));
    }
    blocks.extend(people(built, facts, &programs));
    blocks.push(Block::Section("What became of each file".to_owned()));
    blocks.push(became(built, &programs, &facts.headers));
    blocks.extend(parameters(&programs, before));
    blocks.extend(validation(&programs, read));
    blocks.extend(ignored(facts));
    blocks
}

/// A program with its sidecars.
struct Ported<'a> {
    name: String,
    sources: Vec<String>,
    report: &'a Report,
    /// Each with its name and target.
    sidecars: Vec<(String, Target, Reflection)>,
    /// Which variants there are, if there are several.
    variants: Option<Table>,
}

impl<'a> Ported<'a> {
    fn new(built: &Built, job: &Job, report: &'a Report, read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Ported<'a> {
        let sidecar = |output: &crate::batch::record::Written| {
            let bytes = read(&output.name)?;
            let reflection = Reflection::read(std::str::from_utf8(&bytes).ok()?).ok()?;
            Some((output.name.to_string(), output.target?, reflection))
        };
        let sidecars = report.outputs.iter().filter(|output| output.kind == OutputKind::Sidecar).filter_map(sidecar);
        let sources = job.files.iter().map(|file| relative(&built.base, file)).collect();
        let mut tables = report.outputs.iter().filter(|output| output.kind == OutputKind::Table);
        let table = tables.find_map(|output| String::from_utf8(read(&output.name)?).ok());
        let variants = table.and_then(|text| Table::read(&text).ok());
        Ported { name: job.id(&built.base), sources, report, sidecars: sidecars.collect(), variants }
    }

    fn texts(&self, target: Target) -> Vec<&str> {
        let is_text =
            |output: &&crate::batch::record::Written| output.kind == OutputKind::Text && output.target == Some(target);
        self.report.outputs.iter().filter(is_text).map(|output| &*output.name).collect()
    }

    /// The targets that it has texts for, or that it has errors for.
    fn asked(&self) -> BTreeSet<Target> {
        let failed = self.report.counts.iter().filter(|(_, [_, _, failed])| *failed > 0);
        let targets = self.report.outputs.iter().filter_map(|output| output.target);
        targets.chain(failed.map(|(target, _)| *target)).collect()
    }

    fn targets(&self) -> BTreeSet<&'static str> {
        self.report.outputs.iter().filter_map(|output| output.target).map(Target::name).collect()
    }

    /// What became of it for a target: how many variants have errors there tells it, and why the first error of that target.
    fn fate_for(&self, built: &Built, target: Target) -> String {
        let failed = self.report.counts.get(&target).map_or(0, |[_, _, failed]| *failed);
        match (self.texts(target).is_empty(), failed) {
            (false, 0) => "ported".to_owned(),
            (false, failed) => format!("ported, but {}", counted(failed, "variant has errors", "variants have errors")),
            (true, _) => self.why(built, Some(target)),
        }
    }

    /// That it has errors, and the first of them.
    fn why(&self, built: &Built, target: Option<Target>) -> String {
        let mut errors = self.report.messages.iter().filter(|message| message.severity == Severity::Error);
        let is_of_target = |message: &&Message| target.is_none_or(|target| message.message.contains(target.name()));
        let first = errors.clone().find(is_of_target).or_else(|| errors.next());
        let reason = first.map(|message| from_directory(&message.message, &built.base.to_string_lossy()));
        reason.map_or_else(|| "has errors".to_owned(), |reason| format!("has errors: {reason}"))
    }

    fn fate(&self, built: &Built) -> String {
        match self.report.fate {
            Fate::Done => "ported".to_owned(),
            Fate::Library => "included by others".to_owned(),
            Fate::Failed | Fate::Misused => self.why(built, None),
            Fate::Internal => "fault of the tool".to_owned(),
        }
    }
}

/// A number with what it counts.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// How much was ported, in a line.
pub fn summary_of(built: &Built) -> String {
    let (mut whole, mut part, mut failed, mut libraries, mut texts) = (0, 0, 0, 0, 0);
    for (_, report) in &built.reports {
        let of_report = report.outputs.iter().filter(|output| output.kind == OutputKind::Text).count();
        let lacks = report.fate.is_error() || report.counts.values().any(|[_, _, failed]| *failed > 0);
        texts += of_report;
        match (report.fate, of_report, lacks) {
            (Fate::Library, ..) => libraries += 1,
            (_, _, false) => whole += 1,
            (_, 0, true) => failed += 1,
            (_, _, true) => part += 1,
        }
    }
    let part = if part > 0 { format!(", {part} more in part") } else { String::new() };
    format!(
        "{}{part}, as {}; {}; {}.",
        counted(whole, "program is ported", "programs are ported"),
        counted(texts, "text", "texts"),
        counted(failed, "has errors", "have errors"),
        counted(libraries, "file is included by others", "files are included by others"),
    )
}

/// How many programs have texts for each target.
fn by_target(programs: &[Ported]) -> Vec<Block> {
    let mut counts: BTreeMap<Target, [usize; 2]> = BTreeMap::new();
    for program in programs {
        for target in program.asked() {
            let [ported, failed] = counts.entry(target).or_default();
            let has_errors = program.report.counts.get(&target).is_some_and(|[_, _, failed]| *failed > 0);
            *(if has_errors { failed } else { ported }) += 1;
        }
    }
    let rows = counts.into_iter().map(|(target, numbers)| {
        std::iter::once(target.name().to_owned()).chain(numbers.map(|number| number.to_string())).collect()
    });
    let head = ["Target", "Programs that are ported", "Programs with errors"].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() { Vec::new() } else { vec![Block::Grid { head, rows }] }
}

/// The entry points, each once.
fn entry_points(programs: &[Ported]) -> String {
    let mut entries: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for program in programs {
        let all = program.sidecars.iter().flat_map(|(_, _, reflection)| &reflection.entry_points);
        entries.extend(all.map(|entry| (program.name.as_str(), entry.name.as_str(), entry.stage.as_str())));
    }
    format!("They have {} entry points.", entries.len())
}

fn update(facts: &PortFacts) -> Vec<Block> {
    let mut blocks = vec![Block::Section("Update".to_owned())];
    let told: Vec<(&String, &Deed)> = facts.deeds.iter().collect();
    if told.is_empty() {
        blocks.push(Block::Text("Nothing has changed.".to_owned()));
        return blocks;
    }
    let mut by_deed: BTreeMap<Deed, Vec<&str>> = BTreeMap::new();
    told.iter().for_each(|(name, deed)| by_deed.entry(**deed).or_default().push(name));
    let rows = by_deed.into_iter().flat_map(|(deed, names)| {
        names.into_iter().map(move |name| vec![format!("`{name}`"), deed.words().to_owned()]).collect::<Vec<_>>()
    });
    blocks.push(Block::Grid { head: ["File", "What was done"].map(str::to_owned).to_vec(), rows: rows.collect() });
    blocks
}

/// What needs a person, and why.
fn people(built: &Built, facts: &PortFacts, programs: &[Ported]) -> Vec<Block> {
    let mut items: Vec<String> = Vec::new();
    let open = facts.deeds.iter().filter(|(_, deed)| deed.needs_person());
    items.extend(open.map(|(name, deed)| format!("`{name}`: {}", deed.words())));
    let errors = built.errors.iter().chain(&built.warnings).map(|finding| finding.message(false));
    items.extend(errors.map(|message| told(built, &message)));
    // Errors first.
    let mut by_message: BTreeMap<(bool, String), BTreeSet<String>> = BTreeMap::new();
    for program in programs {
        for message in program.report.messages.iter().filter(|message| message.severity != Severity::Note) {
            let places = by_message.entry((message.severity != Severity::Error, words_of(built, message))).or_default();
            places.insert(place(built, message).unwrap_or_else(|| format!("`{}`", program.name)));
        }
    }
    items.extend(by_message.into_iter().map(|((_, text), places)| with_places(&text, &places)));
    for program in programs {
        let words = "looks like an entry point and was not taken for one";
        let passed = program.report.passed_over.iter();
        items.extend(passed.map(|function| format!("`{}`: the function `{function}` {words}", program.name)));
    }
    items.extend(facts.notes.iter().cloned());
    let mut blocks = vec![Block::Section("What needs a person".to_owned())];
    blocks.push(if items.is_empty() { Block::Text("Nothing.".to_owned()) } else { Block::List(items) });
    blocks
}

/// As many places of a message are named.
const SHOWN: usize = 4;

fn with_places(text: &str, places: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = places.iter().take(SHOWN).map(String::as_str).collect();
    let more = places.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{text} ({}{more})", shown.join(", "))
}

/// A message with its place.
fn told(built: &Built, message: &Message) -> String {
    let text = words_of(built, message);
    place(built, message).map_or_else(|| text.clone(), |place| format!("{text} ({place})"))
}

/// The place of a message, from the tree.
fn place(built: &Built, message: &Message) -> Option<String> {
    let place = message.location.as_ref()?;
    let file = crate::batch::plan::from(&built.base, Path::new(&place.file));
    Some(format!("`{file}:{}`", place.line_start))
}

/// A message without its place. Paths in it are from the tree.
fn words_of(built: &Built, message: &Message) -> String {
    let code = message.code.map_or(String::new(), |code| format!(" {code}"));
    let text = from_directory(&message.message, &built.base.to_string_lossy());
    format!("{}{code}: {text}", message.severity.word())
}

fn became(built: &Built, programs: &[Ported], headers: &BTreeMap<String, String>) -> Block {
    let mut rows = Vec::new();
    for program in programs {
        let sources = program.sources.iter().map(|source| format!("`{source}`")).collect::<Vec<_>>().join(", ");
        let asked = program.asked();
        if asked.is_empty() {
            rows.push(vec![sources, program.fate(built), String::new(), String::new()]);
            continue;
        }
        for target in asked {
            let texts = program.texts(target).iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
            rows.push(vec![sources.clone(), program.fate_for(built, target), target.name().to_owned(), texts]);
        }
    }
    let mut of_sources: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (name, source) in headers {
        let target = name.split('/').next().unwrap_or_default();
        of_sources.entry((source, target)).or_default().push(format!("`{name}`"));
    }
    rows.extend(of_sources.into_iter().map(|((source, target), names)| {
        vec![format!("`{source}`"), "a header".to_owned(), target.to_owned(), names.join(", ")]
    }));
    Block::Grid { head: ["Sources", "What became of them", "Target", "Texts"].map(str::to_owned).to_vec(), rows }
}

/// Where each parameter was, and where it is.
fn parameters(programs: &[Ported], before: &BTreeMap<String, Vec<Reflection>>) -> Vec<Block> {
    let mut blocks = vec![Block::Section("Parameters".to_owned())];
    blocks.push(Block::Text(
        "Registers are those of the source, or those that its compiler gives where the source says none; these are in \
         parentheses."
            .to_owned(),
    ));
    // Programs that have the same parameters in the same places are one table.
    let mut tables: Vec<(Vec<String>, Block)> = Vec::new();
    for program in programs {
        let targets = program.targets();
        let mut rows: BTreeMap<&str, Vec<BTreeSet<String>>> = BTreeMap::new();
        for (at, target) in targets.iter().enumerate() {
            for (_, _, reflection) in program.sidecars.iter().filter(|(_, of, _)| of.name() == *target) {
                for leaf in slots(reflection) {
                    let row = rows.entry(&leaf.path).or_insert_with(|| vec![BTreeSet::new(); targets.len()]);
                    row.get_mut(at).map(|cell| cell.insert(position(leaf)));
                }
            }
        }
        if rows.is_empty() {
            continue;
        }
        let joined = |cell: &BTreeSet<String>| cell.iter().cloned().collect::<Vec<_>>().join(" or ");
        let own = before.get(&program.name);
        let rows = rows.into_iter().map(|(path, cells)| {
            let mut row = vec![format!("`{path}`"), was(program, own, path)];
            row.extend(cells.iter().map(joined));
            row
        });
        let head = ["Parameter", "Was"].into_iter().chain(targets.iter().copied()).map(str::to_owned).collect();
        let rows = rows.collect();
        let (name, table) = (format!("`{}`", program.name), Block::Grid { head, rows });
        match tables.iter_mut().find(|(_, known)| *known == table) {
            Some((names, _)) => names.push(name),
            None => tables.push((vec![name], table)),
        }
    }
    for (names, table) in tables {
        blocks.extend([Block::Part(names.join(", ")), table]);
    }
    blocks
}

/// The leaves that are in slots.
fn slots(reflection: &Reflection) -> impl Iterator<Item = &Leaf> {
    reflection.leaves.iter().filter(|leaf| !WITHOUT_SLOT.contains(&leaf.kind.as_str()) && !leaf.further)
}

/// The position in the source: what it asks for, else what its compiler gives.
fn was(program: &Ported, before: Option<&Vec<Reflection>>, path: &str) -> String {
    let first = path.split('.').next().unwrap_or(path);
    let variables = program.sidecars.iter().flat_map(|(_, _, reflection)| &reflection.parameters);
    let mut named = variables.filter(|variable| variable.name.as_deref() == Some(first));
    if let Some(requested) = named.find_map(|variable| variable.requested.clone()) {
        return format!("`{requested}`");
    }
    let given = before.into_iter().flatten().flat_map(slots).find(|leaf| leaf.path == path);
    given.map_or(String::new(), |leaf| format!("({})", position(leaf)))
}

/// A position for people.
fn position(leaf: &Leaf) -> String {
    let index = leaf.index.map_or(String::new(), |index| index.to_string());
    let space = leaf.space.unwrap_or(0);
    match (leaf.class, leaf.kind.as_str()) {
        (Some(class), _) if space == 0 => format!("{class}{index}"),
        (Some(class), _) => format!("{class}{index}, space {space}"),
        (None, "descriptorTableSlot" | "lateDescriptorTableSlot" | "furtherDescriptorTableSlot") => {
            format!("set {space}, binding {index}")
        }
        (None, "pushConstantBuffer") => "push constants".to_owned(),
        (None, "specializationConstant") => format!("constant id {index}"),
        (None, kind) => format!("{kind} {index}"),
    }
}

/// The commands with which other compilers judge the texts.
fn validation(programs: &[Ported], read: &dyn Fn(&str) -> Option<Vec<u8>>) -> Vec<Block> {
    let mut ours = Vec::new();
    let mut others: BTreeSet<String> = BTreeSet::new();
    for program in programs {
        for (name, target, reflection) in &program.sidecars {
            let of_target = program.sidecars.iter().filter(|(_, of, _)| of == target);
            let names: Vec<&str> = of_target.map(|(name, ..)| name.as_str()).collect();
            let is_of = |text: &&str| sidecar_of(text, names.iter().copied()) == Some(name);
            let texts: Vec<&str> = program.texts(*target).into_iter().filter(is_of).collect();
            let is_judged = matches!(target, Target::Hlsl | Target::Glsl | Target::Wgsl);
            // Modules that other tools put together are none for the compilers, and those of naga_oil none for `validate`.
            let imports = texts.first().filter(|_| !reflection.modules.is_empty()).and_then(|text| read(text));
            let imports = imports.map(|text| WgslImports::of_text(&String::from_utf8_lossy(&text))).unwrap_or_default();
            let is_judged = is_judged && imports != WgslImports::NagaOil;
            if !texts.is_empty() && is_judged {
                ours.push(format!("shaderport validate {} {}", words(&texts), words(&[name])));
            }
            for text in texts.into_iter().filter(|_| imports == WgslImports::None) {
                let merged = program.variants.as_ref().map(|table| table.defines_of(text)).unwrap_or_default();
                let none = BTreeMap::new();
                let variants = if merged.is_empty() { vec![&none] } else { merged };
                others.extend(variants.into_iter().flat_map(|defines| judges(text, *target, reflection, defines)));
            }
        }
    }
    if ours.is_empty() {
        return Vec::new();
    }
    vec![
        Block::Section("How to validate".to_owned()),
        Block::Text("In the directory of this report:".to_owned()),
        Block::Commands(ours),
        Block::Text("The same by the compilers themselves:".to_owned()),
        Block::Commands(others.into_iter().collect()),
    ]
}

/// Words of a shell.
fn words(names: &[&str]) -> String {
    let plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-=".contains(c));
    let quote =
        |name: &&str| if plain(name) { (*name).to_owned() } else { format!("'{}'", name.replace('\'', "'\\''")) };
    names.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The commands of compilers of a language, with what is to be defined.
fn judges(text: &str, target: Target, reflection: &Reflection, defines: &BTreeMap<String, String>) -> Vec<String> {
    let file = words(&[text]);
    let given: Vec<String> = defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
    let given: String = given.iter().map(|define| format!(" {}", words(&[define]))).collect();
    match target {
        Target::Glsl => vec![format!("glslangValidator -V --target-env vulkan1.2{given} -o /dev/null {file}")],
        Target::Wgsl => match reflection.modules.iter().find(|of| of.text == text && !of.files.is_empty()) {
            // The module is the text with these files behind it.
            Some(of) => {
                let files: Vec<&str> = of.files.iter().map(String::as_str).collect();
                vec![format!("cat {file} {} | naga --stdin-file-path {file}", words(&files))]
            }
            None => vec![format!("tint --format wgsl {file}"), format!("naga {file}")],
        },
        Target::Spirv => vec![format!("spirv-val {file}")],
        Target::Metal => Vec::new(),
        Target::Hlsl => {
            let of_entry = |entry: &crate::reflect::model::EntryPoint| {
                let kind = dxc_profile(Stage::parse(&entry.stage)?);
                let model = reflection.profile.strip_prefix("sm_").and_then(|model| model.get(..3)).unwrap_or("6_6");
                let model = if model.starts_with('6') { model } else { "6_0" };
                let named = if kind == DXC_LIBRARY { String::new() } else { format!(" -E {}", entry.emitted_name) };
                Some(format!("dxc {file} -T {kind}_{model}{named} -HV 2021{given}"))
            };
            reflection.entry_points.iter().filter_map(of_entry).collect()
        }
    }
}

fn ignored(facts: &PortFacts) -> Vec<Block> {
    if facts.ignored.is_empty() {
        return Vec::new();
    }
    let rows = facts
        .ignored
        .iter()
        .map(|((flag, reason), count)| vec![format!("`{flag}`"), (*reason).to_owned(), count.to_string()]);
    vec![
        Block::Section("Options of the build that change nothing here".to_owned()),
        Block::Grid { head: ["Option", "Why", "Commands"].map(str::to_owned).to_vec(), rows: rows.collect() },
    ]
}
