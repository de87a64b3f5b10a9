//! A manifest for a tree without one (`build --suggest-manifest`): which include roots its sources need, which files are one
//! program, and which functions are entry points where customs do not tell. What build descriptions say of a file holds in place
//! of customs (`port`).

use super::finding::Finding;
use super::loader::Loaders;
use super::port::{Described, Group, groups, joined, list};
use super::walk::files_below;
use crate::check::stage_in_name;
use crate::compile::{self, Options, Output, Target};
use crate::diagnostic::{Code, Severity, codes};
use crate::source::LoadError;
use crate::tree::Stage;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Endings of sources that are read without that a manifest names them.
const USUAL: &[&str] = &["slang", "hlsl", "fx"];
/// Endings that sources of one stage have in some trees, by the names of glslang; they may be HLSL.
const BY_STAGE: &[&str] = &[
    "vert", "frag", "comp", "geom", "tesc", "tese", "mesh", "task", "rgen", "rmiss", "rchit", "rahit", "rint", "rcall",
];
/// Rounds of looking for include roots: an include that is found may include others.
const ROUNDS: usize = 16;

/// Files that a note names one by one.
const MOST_NAMED: usize = 16;

/// What is suggested.
pub struct Suggested {
    /// The manifest.
    pub manifest: String,
    /// What could not be found out, for people.
    pub notes: Vec<String>,
}

/// What is known of one source.
struct Source {
    /// Its path from the tree.
    file: String,
    entries: Vec<(String, Stage)>,
    passed_over: Vec<(String, Option<Stage>)>,
    /// The first error.
    fault: Option<String>,
    /// Includes that were not found, and what the files of modules that were not found may be called.
    missing: Vec<String>,
    /// Files of others differ from them in case alone.
    differs_in_case: bool,
    /// What descriptions say of it.
    groups: Vec<Group>,
    /// Include roots that it needs before those of the tree, which have other files of the same names.
    own_roots: Vec<String>,
    /// With how many ways of its includes it was looked at, and whether in any case.
    ways: usize,
    any_case: bool,
}

/// What is said of a tree beside what is in its sources.
pub struct Beside<'a> {
    /// Include roots.
    pub include: &'a [PathBuf],
    /// Macros.
    pub defines: &'a [(String, Option<String>)],
    /// What descriptions say.
    pub described: &'a [Described],
}

/// Suggests a manifest for a directory.
pub fn suggest(tree: &Path, out: &Path, beside: &Beside) -> Result<Suggested, Finding> {
    let Beside { include, defines, described } = *beside;
    if !tree.is_dir() {
        let message = format!("{} is no directory, for which a manifest is suggested", tree.display());
        return Err(Finding::error(Code::BAD_OPTION, message));
    }
    let all = files_below(tree, out).map_err(|e| Finding::error(Code::UNREADABLE, e))?;
    let mut notes = Vec::new();
    let mut groups = groups(described, &mut notes);
    let is_source = |f: &&String| {
        let ending = ending(f);
        groups.contains_key(*f) || USUAL.contains(&ending) || BY_STAGE.contains(&ending) && !is_glsl(&tree.join(f))
    };
    let files: Vec<&String> = all.iter().filter(is_source).collect();
    let mut found = IncludeWays::default();
    let mut sources: Vec<Source> = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().stack_size(compile::STACK_BYTES).build();
    let no_threads = |e| Finding::error(Code::INTERNAL, format!("there are no threads to compile on: {e}"));
    let pool = pool.map_err(no_threads)?;
    for _ in 0..ROUNDS {
        let loaders = Loaders::new(tree, tree);
        let (any_case, known) = (found.any_case, std::mem::take(&mut sources));
        let known: BTreeMap<String, Source> = known.into_iter().map(|source| (source.file.clone(), source)).collect();
        let one = |file: &&String| {
            let group = groups.get(*file).and_then(|groups| groups.first());
            let of_group = group.into_iter().flat_map(|group| &group.include).map(|root| tree.join(root));
            let own = found.nearest_first(file).into_iter().map(|root| tree.join(root));
            let include: Vec<PathBuf> = include.iter().cloned().chain(of_group).chain(own).collect();
            let of_group = group.map(Group::first_variant).unwrap_or_default();
            let defines: Vec<_> = defines.iter().cloned().chain(of_group).collect();
            let compiler = Compiler { tree, loaders: &loaders, include: &include, any_case, defines: &defines };
            Source { ways: found.of_files.get(*file).map_or(0, Vec::len), ..look_at(&compiler, file) }
        };
        let again: Vec<&String> = files.iter().copied().filter(|file| found.is_open(file, &known)).collect();
        sources = pool.install(|| again.par_iter().map(one).collect::<Vec<Source>>());
        let is_looked_at: BTreeSet<&String> = again.into_iter().collect();
        sources.extend(known.into_iter().filter(|(file, _)| !is_looked_at.contains(file)).map(|(_, source)| source));
        sources.sort_by(|a, b| a.file.cmp(&b.file));
        // First, so that a file is found beside the one that includes it.
        if !found.any_case && sources.iter().any(|source| source.differs_in_case) {
            found.any_case = true;
            continue;
        }
        if !found.look_for(&sources, &all) {
            break;
        }
    }
    let loaders = Loaders::new(tree, tree);
    for source in &mut sources {
        source.own_roots = found.own_roots(&source.file, &all);
        source.describe(groups.remove(&source.file).unwrap_or_default());
    }
    if !described.is_empty() {
        notes.extend(undescribed(&sources));
    }
    let mut programs = programs(&sources);
    let do_agree = |(_, files): (&String, &Vec<&Source>)| {
        let of_tree = files.first().map(|source| found.searched(tree, &source.file)).unwrap_or_default();
        let searched: Vec<PathBuf> = include.iter().cloned().chain(of_tree).collect();
        let any_case = found.any_case;
        agree(&Compiler { tree, loaders: &loaders, include: &searched, any_case, defines }, files)
    };
    let agreeing = pool.install(|| programs.par_iter().map(do_agree).collect::<Vec<bool>>());
    let mut agreeing = agreeing.into_iter();
    programs.retain(|_, _| agreeing.next().unwrap_or(true));
    let fault = |s: &Source| s.fault.as_ref().map(|fault| format!("{} has errors: {fault}", s.file));
    notes.extend(sources.iter().filter_map(fault));
    Ok(Suggested { manifest: written(&sources, &programs, &found, &all), notes })
}

impl Source {
    /// Entry points of descriptions hold, and no others.
    fn describe(&mut self, mut groups: Vec<Group>) {
        if groups.is_empty() {
            return;
        }
        let known = self.entries.iter().map(|(name, stage)| (name.clone(), Some(*stage)));
        let known: Vec<(String, Option<Stage>)> = known.chain(self.passed_over.iter().cloned()).collect();
        for (name, stage) in groups.iter_mut().flat_map(|group| &mut group.entries) {
            let said = || known.iter().find(|(other, _)| other == name).and_then(|(_, stage)| *stage);
            *stage = stage.or_else(said);
        }
        let named = groups.iter().flat_map(|group| &group.entries);
        let mut entries: Vec<(String, Stage)> = Vec::new();
        for (name, stage) in named.filter_map(|(name, stage)| Some((name.clone(), (*stage)?))) {
            if !entries.contains(&(name.clone(), stage)) {
                entries.push((name, stage));
            }
        }
        if !entries.is_empty() {
            (self.entries, self.passed_over) = (entries, Vec::new());
        }
        for group in &mut groups {
            let new: Vec<String> =
                self.own_roots.iter().filter(|root| !group.include.contains(root)).cloned().collect();
            group.include.extend(new);
        }
        self.groups = groups;
    }

    /// It is one program by itself, or none is described.
    fn is_plain(&self) -> bool {
        self.groups.len() < 2
    }
}

/// Says which files have entry points that no description names.
fn undescribed(sources: &[Source]) -> Option<String> {
    let files: Vec<&str> =
        sources.iter().filter(|s| s.groups.is_empty() && !s.entries.is_empty()).map(|s| s.file.as_str()).collect();
    let words = match files.len() {
        1 => {
            "is compiled by no description that was followed; its entry points are those that are marked or that names tell"
        }
        _ => {
            "are compiled by no description that was followed; their entry points are those that are marked or that names tell"
        }
    };
    let more = match files.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let named: Vec<&str> = files.iter().take(MOST_NAMED).copied().collect();
    (!files.is_empty()).then(|| format!("{}{more} {words}", named.join(", ")))
}

fn ending(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Whether a file is GLSL: it says so in its first lines.
fn is_glsl(path: &Path) -> bool {
    std::fs::read(path)
        .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).lines().any(|l| l.trim().starts_with("#version")))
}

/// How the includes of a tree are found.
#[derive(Default)]
struct IncludeWays {
    /// Include roots, from the tree.
    roots: Vec<String>,
    /// Where each source finds what is not beside those that include it: the path of an include, and a root.
    of_files: BTreeMap<String, Vec<(String, String)>>,
    /// Files are taken for includes whose names differ in case.
    any_case: bool,
}

impl IncludeWays {
    /// Where includes of a source are searched: in its own roots and in those of the tree.
    fn searched(&self, tree: &Path, file: &str) -> Vec<PathBuf> {
        let own = self.nearest_first(file);
        let others = self.roots.iter().filter(|root| !own.contains(root));
        own.iter().chain(others).map(|root| tree.join(root)).collect()
    }

    /// Whether a source is to be looked at: again, if there are new ways since.
    fn is_open(&self, file: &str, known: &BTreeMap<String, Source>) -> bool {
        let ways = self.of_files.get(file).map_or(0, Vec::len);
        known.get(file).is_none_or(|source| source.ways != ways || source.any_case != self.any_case)
    }

    /// The roots that a source needs.
    fn nearest_first(&self, file: &str) -> Vec<String> {
        let mut own: Vec<String> = Vec::new();
        for (_, root) in self.of_files.get(file).into_iter().flatten() {
            if !own.contains(root) {
                own.push(root.clone());
            }
        }
        own.sort_by_key(|root| distance(root, file));
        own
    }

    /// The roots that a source needs, if the roots of the tree lead it to other files of the same names.
    fn own_roots(&self, file: &str, all: &[String]) -> Vec<String> {
        let ways = self.of_files.get(file).map(Vec::as_slice).unwrap_or_default();
        let has = |root: &String, path: &String| all.binary_search(&joined(root, path)).is_ok();
        let is_misled = |(path, root): &(String, String)| {
            self.roots.iter().take_while(|other| *other != root).any(|other| has(other, path))
        };
        if ways.iter().any(is_misled) { self.nearest_first(file) } else { Vec::new() }
    }

    /// Looks for includes that were not found among all files. Gives whether there is a new way.
    fn look_for(&mut self, sources: &[Source], all: &[String]) -> bool {
        let mut wanted: Vec<(&String, &str)> =
            sources.iter().flat_map(|s| s.missing.iter().map(|path| (path, s.file.as_str()))).collect();
        wanted.sort();
        let mut is_new = false;
        for (path, file) in &wanted {
            let Some(root) = root_of(path, file, all, self.any_case) else { continue };
            let ways = self.of_files.entry((*file).to_owned()).or_default();
            if !ways.iter().any(|(known, _)| known == *path) {
                ways.push(((*path).clone(), root.clone()));
                is_new = true;
            }
            if !self.roots.contains(&root) {
                self.roots.push(root);
            }
        }
        if !is_new && !self.any_case {
            self.any_case = wanted.iter().any(|(path, file)| root_of(path, file, all, true).is_some());
            return self.any_case;
        }
        is_new
    }

    /// The lines of a manifest.
    fn keys(&self) -> String {
        let include = if self.roots.is_empty() { String::new() } else { format!("include = {:?}\n", self.roots) };
        let any_case = if self.any_case { "includes-in-any-case = true\n" } else { "" };
        include + any_case
    }
}

/// What files of a tree are compiled with.
struct Compiler<'a> {
    tree: &'a Path,
    loaders: &'a Loaders<'a>,
    include: &'a [PathBuf],
    any_case: bool,
    defines: &'a [(String, Option<String>)],
}

fn look_at(compiler: &Compiler, file: &str) -> Source {
    let output = compiler.compile(&[file], Options { skip_libraries: true, ..Options::default() });
    let quoted = |message: &str| message.split('`').nth(1).map(str::to_owned);
    let of_code = |code: Code| output.diagnostics.iter().filter(move |d| d.code == code);
    let files = of_code(Code::FILE_NOT_FOUND).filter_map(|d| quoted(&d.message));
    let absent = of_code(Code::FILE_NOT_FOUND).chain(of_code(Code::MODULE_NOT_FOUND));
    let differs_in_case = absent.flat_map(|d| &d.notes).any(|note| note.contains(LoadError::ANY_CASE_OPTION));
    let modules = of_code(Code::MODULE_NOT_FOUND).filter_map(|d| quoted(&d.message));
    Source {
        file: file.to_owned(),
        entries: output.entries.iter().map(|(name, stage)| (name.as_str().to_owned(), *stage)).collect(),
        passed_over: output.passed_over.iter().map(|(_, name, stage)| (name.as_str().to_owned(), *stage)).collect(),
        missing: files.chain(modules.flat_map(|module| compile::module_files(&module))).collect(),
        differs_in_case,
        fault: first_error(&output),
        groups: Vec::new(),
        own_roots: Vec::new(),
        ways: 0,
        any_case: compiler.any_case,
    }
}

impl Compiler<'_> {
    /// Compiles files as one program.
    fn compile(&self, files: &[&str], options: Options) -> Output {
        let (loader, shared) = self.loaders.get(self.include.iter(), self.any_case);
        let paths = files.iter().map(|file| self.tree.join(file).to_string_lossy().replace('\\', "/"));
        let paths: Vec<String> = paths.collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let options = Options { shared: Some(shared), defines: self.defines.to_vec(), ..options };
        compile::compile_on_this_thread(loader.as_ref(), &paths, &options)
    }
}

/// Whether files can be laid out as one program: each stage may have declared a buffer by the parts of it that it reads, or a type of
/// its own by the name of another.
fn agree(compiler: &Compiler, files: &[&Source]) -> bool {
    let files: Vec<&str> = files.iter().map(|source| source.file.as_str()).collect();
    let targets = vec![Target::Hlsl, Target::Glsl];
    let output = compiler.compile(&files, Options { targets, layouts_anyway: true, ..Options::default() });
    !output
        .diagnostics
        .iter()
        .any(|d| d.severity == Severity::Error && (d.code == Code::REDECLARED || codes::rule(d.code).is_some()))
}

fn first_error(output: &Output) -> Option<String> {
    let error = output.diagnostics.iter().find(|d| d.severity == Severity::Error)?;
    let place = error.span.and_then(|span| output.position(span)).map(|(file, line, _)| format!("{file}:{line}: "));
    Some(format!("{}{}", place.unwrap_or_default(), error.message))
}

/// The directory from which an include of a source is found, in any case if so; of several the one that is nearest to the source.
fn root_of(include: &str, source: &str, all: &[String], any_case: bool) -> Option<String> {
    let include = include.trim_start_matches('/');
    let root = |file: &String| {
        let (before, end) = file.split_at_checked(file.len().checked_sub(include.len())?)?;
        if end != include && !(any_case && end.eq_ignore_ascii_case(include)) {
            return None;
        }
        match before {
            "" => Some(".".to_owned()),
            before => before.strip_suffix('/').map(str::to_owned),
        }
    };
    all.iter().filter_map(root).min_by_key(|root| (distance(root, source), root.clone()))
}

/// How far a directory is from a file: how many directories of the file's path it is not in, then how deep it is itself.
fn distance(directory: &str, file: &str) -> (usize, usize) {
    let parts = directory.split('/').filter(|part| *part != ".");
    let of_file: Vec<&str> = file.split('/').collect();
    let common = parts.clone().zip(&of_file).take_while(|(part, of_file)| part == *of_file).count();
    (of_file.len() - common, parts.count())
}

/// The files of a program whose names differ in the stage alone, by their common part.
fn programs(sources: &[Source]) -> BTreeMap<String, Vec<&Source>> {
    let mut groups: BTreeMap<String, Vec<(Stage, &Source)>> = BTreeMap::new();
    for source in sources {
        if let ([(_, of_entry)], Some((stage, name))) = (source.entries.as_slice(), stage_in_name(&source.file))
            && *of_entry == stage
            && stage != Stage::Compute
            && !stage.is_of_rays()
            && source.is_plain()
        {
            groups.entry(name.to_owned()).or_default().push((stage, source));
        }
    }
    let is_pipeline = |group: &Vec<(Stage, &Source)>| {
        let count = |stage: Stage| group.iter().filter(|(s, _)| *s == stage).count();
        let first = count(Stage::Vertex) + count(Stage::Mesh) == 1;
        let others = group.iter().all(|(stage, _)| count(*stage) == 1);
        let groups: Vec<Option<&Group>> = group.iter().map(|(_, source)| source.groups.first()).collect();
        let empty = Group::default();
        let agrees =
            |group: &Option<&Group>| group.unwrap_or(&empty).agrees(groups.iter().flatten().next().unwrap_or(&&empty));
        let alike = group.iter().all(|(_, source)| group.iter().all(|(_, other)| source.own_roots == other.own_roots));
        first && others && alike && count(Stage::Fragment) == 1 && groups.iter().all(agrees)
    };
    let mut programs = BTreeMap::new();
    for (name, mut group) in groups.into_iter().filter(|(_, group)| is_pipeline(group)) {
        group.sort_by_key(|(stage, _)| *stage as u8);
        programs.insert(name, group.into_iter().map(|(_, source)| source).collect());
    }
    programs
}

/// The files by themselves whose outputs would be called as those of others, by their endings, which tell them apart.
fn of_one_name<'s>(
    sources: &'s [Source],
    programs: &BTreeMap<String, Vec<&Source>>,
) -> BTreeMap<&'s str, Vec<&'s str>> {
    let is_in_program = |file: &str| programs.values().flatten().any(|source| source.file == file);
    let is_alone = |s: &&Source| !s.entries.is_empty() && s.is_plain() && !is_in_program(&s.file);
    let alone = sources.iter().filter(is_alone).map(|s| s.file.as_str());
    let stem = |file: &'s str| file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut by_stem: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    alone.for_each(|file| by_stem.entry(stem(file)).or_default().push(file));
    let mut by_ending: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (stem, files) in by_stem {
        if files.len() > 1 || programs.contains_key(stem) {
            files.into_iter().for_each(|file| by_ending.entry(ending(file)).or_default().push(file));
        }
    }
    by_ending
}

/// The text of the manifest.
fn written(
    sources: &[Source],
    programs: &BTreeMap<String, Vec<&Source>>,
    found: &IncludeWays,
    all: &[String],
) -> String {
    let entries: usize = sources.iter().map(|s| s.entries.len()).sum();
    let with = sources.iter().filter(|s| !s.entries.is_empty()).count();
    let mut text = format!("# {entries} entry points in {with} of {} sources.\n\n[build]\n", sources.len());
    text.push_str(&found.keys());
    let is_listed = |s: &&Source| !s.entries.is_empty() && s.groups.is_empty();
    let of_stage = |ending: &&&str| sources.iter().any(|s| self::ending(&s.file) == **ending && is_listed(&s));
    let endings: Vec<&&str> = BY_STAGE.iter().filter(of_stage).collect();
    if !endings.is_empty() {
        let globs: Vec<String> = endings.iter().map(|ending| format!("**/*.{ending}")).collect();
        // GLSL beside HLSL of the same ending is not named.
        let is_mixed = all.iter().any(|f| endings.contains(&&ending(f)) && !sources.iter().any(|s| s.file == *f));
        let files: Vec<String> = match is_mixed {
            true => sources.iter().map(|s| s.file.clone()).filter(|f| endings.contains(&&ending(f))).collect(),
            false => globs,
        };
        text.push_str(&format!("\n[[shader]]\nfiles = {files:?}\n"));
    }
    for source in sources.iter().filter(|s| !s.passed_over.is_empty()) {
        let taken = source.entries.iter().map(|(name, stage)| (name, Some(*stage)));
        let all = taken.chain(source.passed_over.iter().map(|(name, stage)| (name, *stage)));
        let all: Vec<String> =
            all.map(|(name, stage)| format!("{name}:{}", stage.map_or("STAGE", Stage::name))).collect();
        text.push_str(&format!("\n[[shader]]\nfiles = [{:?}]\nentries = {all:?}\n", source.file));
    }
    text.push_str(&of_own_roots(sources, programs));
    text.push_str(&of_descriptions(sources));
    for (ending, files) in of_one_name(sources, programs) {
        let output = format!("{{target}}/{{file}}.{ending}");
        text.push_str(&format!("\n[[shader]]\nfiles = {files:?}\noutput = {output:?}\n"));
    }
    for (name, sources) in programs {
        let files: Vec<&str> = sources.iter().map(|s| s.file.as_str()).collect();
        text.push_str(&format!("\n[[program]]\nname = {name:?}\nfiles = {files:?}\n"));
        match sources.iter().find_map(|s| s.groups.first()) {
            Some(group) => text.push_str(&group.keys()),
            None => text.extend(sources.first().filter(|s| !s.own_roots.is_empty()).map(|s| include_key(&s.own_roots))),
        }
    }
    text
}

fn include_key(roots: &[String]) -> String {
    format!("include = {roots:?}\n")
}

/// The sections of files that have include roots of their own, which no other section says.
fn of_own_roots(sources: &[Source], programs: &BTreeMap<String, Vec<&Source>>) -> String {
    let is_in_program = |file: &str| programs.values().flatten().any(|source| source.file == file);
    let is_plain = |s: &&Source| !s.entries.is_empty() && s.groups.is_empty() && !is_in_program(&s.file);
    let mut sections: BTreeMap<&[String], Vec<&str>> = BTreeMap::new();
    for source in sources.iter().filter(is_plain).filter(|s| !s.own_roots.is_empty()) {
        sections.entry(&source.own_roots).or_default().push(&source.file);
    }
    let section = |(roots, files): (&[String], Vec<&str>)| {
        format!("\n[[shader]]\nfiles = {}\n{}", list(&files), include_key(roots))
    };
    sections.into_iter().map(section).collect()
}

/// The sections of files that descriptions compile: files of the same settings are one section; a file that is compiled in several
/// ways is a program for each.
fn of_descriptions(sources: &[Source]) -> String {
    let mut sections: Vec<(&Group, Vec<&str>)> = Vec::new();
    for source in sources {
        let [group] = source.groups.as_slice() else { continue };
        match sections.iter_mut().find(|(known, _)| *known == group) {
            Some((_, files)) => files.push(&source.file),
            None => sections.push((group, vec![&source.file])),
        }
    }
    let mut text = String::new();
    for (group, files) in sections {
        text.push_str(&format!("\n[[shader]]\nfiles = {}\n{}{}", list(&files), group.entries_key(), group.keys()));
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    for source in sources.iter().filter(|source| !source.is_plain()) {
        let stem = source.file.rsplit_once('.').map_or(source.file.as_str(), |(stem, _)| stem);
        for group in &source.groups {
            let usual = format!("{stem}.{}", group.suffix(&source.groups));
            let numbered = (2..).map(|n| format!("{usual}.{n}"));
            let name = std::iter::once(usual.clone()).chain(numbered).find(|name| !names.contains(name));
            let name = name.unwrap_or(usual);
            let files = list(&[source.file.as_str()]);
            let keys = group.entries_key() + &group.keys();
            text.push_str(&format!("\n[[program]]\nname = {}\nfiles = {files}\n{keys}", super::port::quoted(&name)));
            names.insert(name);
        }
    }
    text
}
