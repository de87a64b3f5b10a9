//! Projects of Visual Studio (`.vcxproj`, `.vcxitems`): items `FxCompile`, the commands of items `CustomBuild`, and the tasks `Exec` of
//! targets, as MSBuild evaluates them: first properties and imports in order, then the definitions of items, then items, then
//! targets as if each were built. The configuration is a release. What is imported from outside of the tree is not known.

use super::project_condition::{ConditionScope, holds};
use super::project_xml::{ProjectElement, elements};
use super::script::{Reading, Script, joined, stem_of};
use super::shell_file::closing;
use super::words::{UNKNOWN, shown, unknown, windows_words};
use std::collections::BTreeMap;

/// Imports in each other.
const DEEPEST: usize = 16;
/// Files that are imported.
const MOST_IMPORTS: usize = 256;
/// Characters of a value.
const LONGEST: usize = 1 << 13;
/// Items of a project.
const MOST_ITEMS: usize = 1 << 14;

/// What a project compiles. `texts` gives the text of what it imports.
pub fn read(script: &Script, texts: &dyn Fn(&str) -> Option<String>) -> Reading {
    let mut project = VsProject {
        script: *script,
        directory: script.directory(),
        texts,
        properties: BTreeMap::new(),
        groups: Vec::new(),
        targets: Vec::new(),
        definitions: BTreeMap::new(),
        items: Vec::new(),
        imports: 0,
        without_type: Vec::new(),
        reading: Reading::default(),
    };
    project.evaluate();
    project.reading
}

/// Whether a project of the tree imports a file, which then is a part of that project.
pub fn is_imported(script: &Script, texts: &dyn Fn(&str) -> Option<String>) -> bool {
    let name = script.name.rsplit('/').next().unwrap_or_default();
    let projects = script.files.iter().filter(|file| file.to_ascii_lowercase().ends_with(".vcxproj"));
    projects.filter_map(|file| texts(file)).any(|text| text.contains(name))
}

/// Values by names in lower case.
type Metadata = BTreeMap<String, String>;

/// The kinds of items that compile shaders, in lower case. Others are lists of files for these.
const SHADERS: &str = "fxcompile";
const COMMANDS: &str = "custombuild";

#[derive(Clone)]
struct ProjectItem {
    /// In lower case.
    kind: String,
    include: String,
    metadata: Metadata,
    /// Where it is said.
    file: String,
    line: usize,
}

struct VsProject<'a> {
    script: Script<'a>,
    /// The directory of the project.
    directory: String,
    texts: &'a dyn Fn(&str) -> Option<String>,
    properties: Metadata,
    /// The groups of items and of definitions, with their files.
    groups: Vec<(ProjectElement, String)>,
    /// The targets, with their files.
    targets: Vec<(ProjectElement, String)>,
    /// The metadata that items of a kind have.
    definitions: BTreeMap<String, Metadata>,
    items: Vec<ProjectItem>,
    imports: usize,
    /// The items of shaders without a stage, with their places.
    without_type: Vec<(String, String, usize)>,
    reading: Reading,
}

/// A condition in the project, without metadata or with those of an item.
struct Scope<'p, 'a>(&'p VsProject<'a>, &'p Metadata);

impl ConditionScope for Scope<'_, '_> {
    fn value(&self, text: &str) -> String {
        let Scope(project, metadata) = self;
        // A property that is not set is empty.
        metadata_in(&project.properties_in(text, &|_| String::new()), metadata)
    }

    fn exists(&self, path: &str) -> bool {
        self.0.script.has(&self.0.directory, path)
    }
}

impl VsProject<'_> {
    fn evaluate(&mut self) {
        let root = match elements(self.script.text) {
            Ok(root) => root,
            Err((line, fault)) => return self.reading.note(&self.script, line, &format!("it is no project: {fault}")),
        };
        self.given(&root);
        let name = self.script.name.to_owned();
        self.properties_of(&root, &name, 0);
        let groups = std::mem::take(&mut self.groups);
        for (group, file) in groups.iter().filter(|(group, _)| group.is("ItemDefinitionGroup")) {
            self.definitions_of(group, file);
        }
        for (group, file) in groups.iter().filter(|(group, _)| group.is("ItemGroup")) {
            self.items_of(group, file);
        }
        for item in self.items.clone() {
            match item.kind.as_str() {
                SHADERS => self.shader(&item),
                COMMANDS => self.custom(&item),
                _ => {}
            }
        }
        for (target, file) in std::mem::take(&mut self.targets) {
            self.target(&target, &file);
        }
        if let [(first, file, line), others @ ..] = std::mem::take(&mut self.without_type).as_slice() {
            let (first, said) = (shown(first), Script { name: file, ..self.script });
            let text = match others.len() {
                0 => format!("`{first}` has no ShaderType: its stage is the one that its name tells"),
                count => format!(
                    "`{first}` and {count} more have no ShaderType: their stages are those that their names tell"
                ),
            };
            self.reading.note(&said, *line, &text);
        }
    }

    /// The properties that a project has before it is read.
    fn given(&mut self, root: &ProjectElement) {
        let configuration = configuration(root);
        let (name, platform) = configuration.split_once('|').unwrap_or((&configuration, "x64"));
        let stem = stem_of(self.script.name).to_owned();
        let given = [("configuration", name), ("platform", platform), ("projectname", &stem), ("projectdir", "./")];
        let given = given.into_iter().chain([("msbuildprojectdirectory", "."), ("msbuildprojectname", &stem)]);
        self.properties = given.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        if let Some(solution) = self.solution() {
            let path = self.path_to(&solution);
            self.properties.insert("solutiondir".to_owned(), path);
        }
    }

    /// The nearest directory above the project that has a solution.
    fn solution(&self) -> Option<String> {
        let solutions = self.script.files.iter().filter(|file| file.to_ascii_lowercase().ends_with(".sln"));
        let directories = solutions.map(|file| file.rsplit_once('/').map_or("", |(directory, _)| directory));
        let is_above = |directory: &&str| {
            let below = self.directory.strip_prefix(directory);
            directory.is_empty() || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        directories.filter(is_above).max_by_key(|directory| directory.len()).map(str::to_owned)
    }

    /// A directory of the tree as a path from the project, with `/` at its end.
    fn path_to(&self, directory: &str) -> String {
        let ups = "../".repeat(self.directory.split('/').filter(|part| !part.is_empty()).count());
        if directory.is_empty() { format!("./{ups}") } else { format!("{ups}{directory}/") }
    }

    /// Sets the property that is the directory of a file, from which its other paths are made.
    fn enter(&mut self, file: &str) {
        let path = self.path_to(file.rsplit_once('/').map_or("", |(directory, _)| directory));
        self.properties.insert("msbuildthisfiledirectory".to_owned(), path);
    }

    /// Follows properties and imports, and keeps the groups of items.
    fn properties_of(&mut self, parent: &ProjectElement, file: &str, depth: usize) {
        self.enter(file);
        for element in &parent.children {
            if !self.applies(element) {
                continue;
            }
            match element.name.to_ascii_lowercase().as_str() {
                "propertygroup" => element.children.iter().for_each(|property| self.property(property)),
                "importgroup" => self.properties_of(element, file, depth),
                "choose" => {
                    let first = element.children.iter().find(|branch| self.applies(branch));
                    if let Some(branch) = first {
                        self.properties_of(branch, file, depth);
                    }
                }
                "import" => {
                    self.import(element, file, depth);
                    self.enter(file);
                }
                "itemgroup" | "itemdefinitiongroup" => self.groups.push((element.clone(), file.to_owned())),
                "target" => self.targets.push((element.clone(), file.to_owned())),
                _ => {}
            }
        }
    }

    fn property(&mut self, property: &ProjectElement) {
        if self.applies(property) {
            let value = self.properties_in(property.text.trim(), &unknown);
            self.properties.insert(property.name.to_ascii_lowercase(), value);
        }
    }

    fn import(&mut self, element: &ProjectElement, file: &str, depth: usize) {
        let path = self.properties_in(element.attribute("Project").unwrap_or_default(), &unknown);
        let directory = file.rsplit_once('/').map_or("", |(directory, _)| directory);
        // `$(MSBuildThisFileDirectory)` is a path from the project.
        let candidates = [joined(directory, &path), joined(&self.directory, &path)];
        let Some(path) = candidates.into_iter().find(|path| self.script.has("", path)) else { return };
        if depth >= DEEPEST || self.imports >= MOST_IMPORTS {
            return self.reading.note(&self.script, 1, &format!("`{path}` is one import more than is followed"));
        }
        self.imports += 1;
        match (self.texts)(&path).as_deref().map(elements) {
            Some(Ok(root)) => self.properties_of(&root, &path, depth + 1),
            Some(Err((line, fault))) => self.reading.notes.push(format!("{path}:{line}: it is no project: {fault}")),
            None => {}
        }
    }

    /// Whether the condition of an element holds. One that is not followed does not.
    fn applies(&self, element: &ProjectElement) -> bool {
        let condition = element.attribute("Condition").map(|text| holds(text, &Scope(self, &Metadata::new())));
        condition.is_none_or(|held| held == Some(true))
    }

    /// The same for items: of those about shaders, a condition that is not followed is named.
    fn counts(&mut self, kind: &str, element: &ProjectElement, file: &str, metadata: &Metadata) -> bool {
        let Some(condition) = element.attribute("Condition") else { return true };
        let held = holds(condition, &Scope(self, metadata));
        if held.is_none() && (kind == SHADERS || kind == COMMANDS) {
            let note = format!("{file}:{}: the condition `{condition}` is not followed", element.line);
            self.reading.notes.push(note);
        }
        held == Some(true)
    }

    fn definitions_of(&mut self, group: &ProjectElement, file: &str) {
        self.enter(file);
        for element in &group.children {
            if self.applies(element) {
                let kind = element.name.to_ascii_lowercase();
                let mut metadata = self.definitions.remove(&kind).unwrap_or_default();
                self.describe(element, file, &mut metadata);
                self.definitions.insert(kind, metadata);
            }
        }
    }

    /// Adds what the elements of an item say of it.
    fn describe(&mut self, element: &ProjectElement, file: &str, metadata: &mut Metadata) {
        let kind = element.name.to_ascii_lowercase();
        for child in &element.children {
            if self.counts(&kind, child, file, metadata) {
                let value = metadata_in(&self.properties_in(child.text.trim(), &unknown), metadata);
                metadata.insert(child.name.to_ascii_lowercase(), value);
            }
        }
    }

    fn items_of(&mut self, group: &ProjectElement, file: &str) {
        self.enter(file);
        for element in &group.children {
            let kind = element.name.to_ascii_lowercase();
            if !self.counts(&kind, element, file, &Metadata::new()) {
                continue;
            }
            let (removed, updated) = (self.files_in(element, "Remove"), self.files_in(element, "Update"));
            let mut items = std::mem::take(&mut self.items);
            items.retain(|item| item.kind != kind || !self.names(&removed, &item.include));
            for item in items.iter_mut().filter(|item| item.kind == kind) {
                if self.names(&updated, &item.include) {
                    self.describe(element, file, &mut item.metadata);
                }
            }
            self.items = items;
            let excluded = self.files_in(element, "Exclude");
            for (include, of_list) in self.files_in(element, "Include") {
                if self.names(&excluded, &include) {
                    continue;
                }
                if self.items.len() >= MOST_ITEMS {
                    return self.reading.note(&self.script, element.line, "there are more items than are read");
                }
                let mut metadata = self.definitions.get(&kind).cloned().unwrap_or_default();
                metadata.extend(of_list);
                metadata.extend(names_of(&include));
                self.describe(element, file, &mut metadata);
                let (kind, file) = (kind.clone(), file.to_owned());
                self.items.push(ProjectItem { kind, include, metadata, file, line: element.line });
            }
        }
    }

    /// The files that an attribute names, as paths from the project, with the metadata that those of other items have.
    fn files_in(&self, element: &ProjectElement, attribute: &str) -> Vec<(String, Metadata)> {
        let text = self.properties_in(element.attribute(attribute).unwrap_or_default(), &unknown);
        let mut files = Vec::new();
        for path in list(&text) {
            if let Some(other) = path.strip_prefix("@(").and_then(|rest| rest.strip_suffix(')')) {
                files.extend(self.listed(other).into_iter().map(|(path, item)| (path, item.metadata.clone())));
            } else if path.contains(['*', '?']) {
                let found = self.script.matching("", &joined(&self.directory, path), false);
                let from_tree = self.path_to("");
                files.extend(found.iter().map(|file| (format!("{from_tree}{file}"), Metadata::new())));
            } else {
                files.push((path.replace('\\', "/"), Metadata::new()));
            }
        }
        files
    }

    /// The items of `NAME`, or what is made of them by `NAME->'PATTERN'`.
    fn listed(&self, text: &str) -> Vec<(String, &ProjectItem)> {
        let (kind, pattern) = match text.split_once("->") {
            Some((kind, pattern)) => (kind, pattern.trim().strip_prefix('\'').and_then(|rest| rest.split('\'').next())),
            None => (text, None),
        };
        let kind = kind.trim().to_ascii_lowercase();
        let path = |item: &ProjectItem| match pattern {
            Some(pattern) => metadata_in(pattern, &item.metadata).replace('\\', "/"),
            None => item.include.clone(),
        };
        self.items.iter().filter(|item| item.kind == kind).map(|item| (path(item), item)).collect()
    }

    /// Whether a list of paths from the project has one.
    fn names(&self, paths: &[(String, Metadata)], path: &str) -> bool {
        let from_tree = |path: &str| joined(&self.directory, path);
        paths.iter().any(|(listed, _)| from_tree(listed).eq_ignore_ascii_case(&from_tree(path)))
    }

    /// What a target does: its properties, its items, and its tasks `Exec`.
    fn target(&mut self, target: &ProjectElement, file: &str) {
        if !self.applies(target) {
            return;
        }
        self.enter(file);
        for element in target.children.iter() {
            match element.name.to_ascii_lowercase().as_str() {
                "propertygroup" if self.applies(element) => {
                    element.children.iter().for_each(|property| self.property(property));
                }
                "itemgroup" if self.applies(element) => self.items_of(element, file),
                "exec" => self.exec(element, file),
                _ => {}
            }
        }
    }

    /// A task `Exec`: once, or for each item of the list that its command names by `%(LIST.NAME)`.
    fn exec(&mut self, element: &ProjectElement, file: &str) {
        let command = self.properties_in(element.attribute("Command").unwrap_or_default(), &unknown);
        let command = replaced(&command, "@(", &|name| {
            self.listed(name).into_iter().map(|(path, _)| path).collect::<Vec<_>>().join(";")
        });
        let of_list = command.split("%(").skip(1).find_map(|rest| rest.split(')').next()?.split_once('.'));
        let kind = of_list.map(|(kind, _)| kind.trim().to_ascii_lowercase());
        let task = ProjectItem {
            kind: String::new(),
            include: String::new(),
            metadata: Metadata::new(),
            file: file.to_owned(),
            line: element.line,
        };
        let runs: Vec<ProjectItem> = match &kind {
            Some(kind) => {
                let of_kind = self.items.iter().filter(|item| item.kind == *kind);
                of_kind.map(|item| ProjectItem { metadata: item.metadata.clone(), ..task.clone() }).collect()
            }
            None => vec![task],
        };
        for run in runs {
            if self.counts(SHADERS, element, file, &run.metadata) {
                for line in metadata_in(&command, &run.metadata).lines() {
                    self.command(&run, &windows_words(line));
                }
            }
        }
    }

    /// The command that MSBuild makes of an item `FxCompile`.
    fn shader(&mut self, item: &ProjectItem) {
        let value = |name: &str| item.metadata.get(name).map_or("", |value| value.trim());
        if value("excludedfrombuild").eq_ignore_ascii_case("true") {
            return;
        }
        let kind = value("shadertype");
        if kind.is_empty() {
            return self.without_type.push((item.include.clone(), item.file.clone(), item.line));
        }
        let Some((_, letters)) = SHADER_TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(kind)) else {
            let fault = format!("is of the ShaderType `{}`, which is not followed", shown(kind));
            return self.note(item, &format!("`{}` {fault}", shown(&item.include)));
        };
        let model = if value("shadermodel").is_empty() { "5.0" } else { value("shadermodel") };
        let is_of_dxc = model.split('.').next().and_then(|major| major.parse::<u32>().ok()).is_some_and(|n| n >= 6);
        let tool = if is_of_dxc { "dxc" } else { "fxc" };
        let entry = if value("entrypointname").is_empty() { "main" } else { value("entrypointname") };
        let profile = format!("{letters}_{}", model.replace('.', "_"));
        let mut words = [tool, &item.include, "-T", &profile, "-E", entry].map(str::to_owned).to_vec();
        for (flag, name) in [("-D", "preprocessordefinitions"), ("-I", "additionalincludedirectories")] {
            words.extend(list(value(name)).flat_map(|part| [flag.to_owned(), part.to_owned()]));
        }
        words.extend(windows_words(value("additionaloptions")));
        self.command(item, &words);
    }

    /// The commands of an item `CustomBuild`, a line each.
    fn custom(&mut self, item: &ProjectItem) {
        let value = |name: &str| item.metadata.get(name).map_or("", String::as_str);
        if value("excludedfrombuild").trim().eq_ignore_ascii_case("true") {
            return;
        }
        for line in value("command").lines() {
            self.command(item, &windows_words(line));
        }
    }

    fn command(&mut self, item: &ProjectItem, words: &[String]) {
        let said = Script { name: &item.file, ..self.script };
        self.reading.command(&said, item.line, &self.directory, words);
    }

    fn note(&mut self, item: &ProjectItem, text: &str) {
        let said = Script { name: &item.file, ..self.script };
        self.reading.note(&said, item.line, text);
    }

    /// A text with the values of properties; `unset` says what one is that has none.
    fn properties_in(&self, text: &str, unset: &dyn Fn(&str) -> String) -> String {
        replaced(text, "$(", &|name| match self.properties.get(&name.to_ascii_lowercase()) {
            Some(value) => value.clone(),
            // Functions are not followed.
            None if name.contains(['[', '.', '(']) => unknown(&name.replace(UNKNOWN, "")),
            None => unset(name),
        })
    }
}

/// The stages of items, with the letters of their profiles. `Effect`, `RootSignature` and `Texture` are none.
const SHADER_TYPES: &[(&str, &str)] = &[
    ("Vertex", "vs"),
    ("Pixel", "ps"),
    ("Geometry", "gs"),
    ("Hull", "hs"),
    ("Domain", "ds"),
    ("Compute", "cs"),
    ("Library", "lib"),
    ("Mesh", "ms"),
    ("Amplification", "as"),
];

/// The configuration to read: a release of x64 if there is one, else the first release, else the first.
fn configuration(root: &ProjectElement) -> String {
    let groups = root.children.iter().filter(|group| group.is("ItemGroup"));
    let items = groups.flat_map(|group| &group.children).filter(|item| item.is("ProjectConfiguration"));
    let names: Vec<&str> = items.filter_map(|item| item.attribute("Include")).collect();
    let is_release = |name: &&&str| name.to_ascii_lowercase().contains("release");
    let of_x64 = names.iter().filter(is_release).find(|name| name.ends_with("|x64"));
    let found = of_x64.or_else(|| names.iter().find(is_release)).or(names.first());
    (*found.unwrap_or(&"Release|x64")).to_owned()
}

/// The parts of a list.
fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|part| !part.is_empty())
}

/// The metadata that every item has of its path.
fn names_of(include: &str) -> Metadata {
    let (directory, name) = include.rsplit_once('/').map_or(("", include), |(directory, name)| (directory, name));
    let directory = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let stem = stem_of(name);
    let ending = name.strip_prefix(stem).unwrap_or_default();
    let values = [
        ("identity", include),
        ("fullpath", include),
        ("filename", stem),
        ("extension", ending),
        ("relativedir", &directory),
    ];
    values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A text with metadata in place of `%(NAME)` and `%(KIND.NAME)`; without a value they are empty.
fn metadata_in(text: &str, metadata: &Metadata) -> String {
    replaced(text, "%(", &|name| {
        let name = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
        metadata.get(&name).cloned().unwrap_or_default()
    })
}

/// A text with other texts in place of names in parentheses. A value that grows too long is not known.
fn replaced(text: &str, opening: &str, value: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(opening) {
        let (name, behind) = after.split_at(closing(after, '(', ')'));
        out.push_str(before);
        out.push_str(&value(name.trim()));
        if out.len() > LONGEST {
            return unknown("too-long");
        }
        rest = behind.strip_prefix(')').unwrap_or(behind);
    }
    out.push_str(rest);
    out
}
