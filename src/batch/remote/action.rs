//! A program as an action: a command, and a tree of exactly the files that it reads.
//!
//! The tree has the files where they lie below a directory that holds them all, so that it is the same in every checkout. This program
//! is in it, too: a worker needs nothing else, and another version of it is another action.

use super::RemoteSettings;
use super::client::api;
use crate::batch::digest::Digest;
use crate::batch::elsewhere::Wanted;
use crate::batch::farm::{Place, Word};
use crate::batch::plan::{enclosing, from};
use crate::batch::program::Product;
use crate::layout::lock::Lock;
use crate::source::join_path;
use prost::Message;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that an action writes.
pub const OUTPUT: &str = "product";
/// Where this program is in the tree.
const TOOL: &str = "bin/shaderport";
/// The directory of sources in the tree.
const SOURCES: &str = "tree";
/// Where a worker looks for validators.
const SEARCHED: &str = "/usr/local/bin:/usr/bin:/bin";

/// Bytes by their digest.
#[derive(Clone, Debug)]
pub struct Blob {
    /// The digest.
    pub digest: Digest,
    /// How many bytes.
    pub size: u64,
    /// Where they are.
    pub content: Content,
}

/// Where bytes are.
#[derive(Clone, Debug)]
pub enum Content {
    /// Here.
    Bytes(Vec<u8>),
    /// In a file.
    File(PathBuf),
}

impl Blob {
    /// Of some bytes.
    pub fn of(bytes: Vec<u8>) -> Blob {
        Blob { digest: Digest::of(&bytes), size: bytes.len() as u64, content: Content::Bytes(bytes) }
    }

    /// The digest as in messages.
    pub fn api_digest(&self) -> api::Digest {
        api::Digest { hash: self.digest.to_string(), size_bytes: self.size as i64 }
    }

    /// The bytes; `None` if the file has others now.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes.clone()),
            Content::File(path) => std::fs::read(path).ok().filter(|bytes| Digest::of(bytes) == self.digest),
        }
    }
}

/// This program.
#[derive(Debug)]
pub struct Tool(Blob);

impl Tool {
    /// The file that is running.
    pub fn this() -> Option<Tool> {
        let path = std::env::current_exe().ok()?;
        let bytes = std::fs::read(&path).ok()?;
        Some(Tool(Blob { digest: Digest::of(&bytes), size: bytes.len() as u64, content: Content::File(path) }))
    }
}

/// An action.
#[derive(Debug)]
pub struct RemoteAction {
    /// The name of the program, for people.
    pub program: String,
    /// The digest of the action.
    pub digest: api::Digest,
    /// Everything that a worker needs: the action and its command first.
    pub blobs: Vec<Blob>,
}

impl RemoteAction {
    /// The action and its command, which have to be there before a result.
    pub fn described(&self) -> Vec<Blob> {
        self.blobs.iter().take(2).cloned().collect()
    }
}

/// Files by their paths in the tree, and whether they are programs.
type Files = BTreeMap<String, (Blob, bool)>;

/// A program as an action; `checked` says what it is read from. `None` if it is read from files that share no directory.
pub fn action(wanted: &Wanted, checked: &Product, settings: &RemoteSettings, tool: &Tool) -> Option<RemoteAction> {
    let place = TreePlace::of(wanted, checked)?;
    let mut files = Files::new();
    files.insert(TOOL.to_owned(), (tool.0.clone(), true));
    for (name, input) in &checked.inputs {
        let content = Content::File(wanted.base.join(name));
        files.insert(place.of_name(name)?, (Blob { digest: input.digest, size: input.stamp.size, content }, false));
    }
    if let Some(manifest) = &settings.manifest {
        let bytes = std::fs::read(manifest).ok()?;
        files.insert(place.of_path(manifest)?, (Blob::of(bytes), false));
    }
    // Where includes may lead is the same there.
    files.insert(format!("{}.git", place.enclosing), (Blob::of(Vec::new()), false));
    let mut words = command_words(wanted, settings, &place)?;
    if let Some(lock) = wanted.lock {
        let path = place.of_path(lock.path())?;
        words.extend(["--bindings-lock".to_owned(), path.clone()]);
        words.extend(lock.is_frozen().then(|| "--locked".to_owned()));
        let input = lock.input(&wanted.job.files, !wanted.job.is_program);
        if let Some(program) = input.lock.programs.get(&input.program) {
            let of_program = [(input.program.clone(), program.clone())].into();
            let part = Lock { programs: of_program, schema: input.lock.schema.clone() };
            files.insert(path, (Blob::of(part.to_json().into_bytes()), false));
        }
    }
    // Those who validate here share with those who have the same validators.
    let salt = if settings.executes { Vec::new() } else { wanted.order.validators.clone().into_bytes() };
    Some(described(wanted.job.id(wanted.base), words, files, salt, settings))
}

/// The command.
fn command_words(wanted: &Wanted, settings: &RemoteSettings, place: &TreePlace) -> Option<Vec<String>> {
    let mut words = vec![TOOL.to_owned(), "build".to_owned(), place.of_path(wanted.order.tree)?];
    for Word { before, path } in &settings.words {
        match path {
            // The lock is named by whoever has it.
            Some(_) if before.starts_with("--bindings-lock") => {}
            Some((Place::Input | Place::Output, path)) => {
                words.push(format!("{before}{}", place.of_path(Path::new(path))?));
            }
            None => words.push(before.clone()),
        }
    }
    words.extend(["--out", "out", "--no-record", "--quiet", "--product", OUTPUT, "--program"].map(str::to_owned));
    words.push(wanted.job.id(wanted.base));
    Some(words)
}

/// Where files are in the tree.
struct TreePlace {
    base: PathBuf,
    /// The directory of the manifest in the tree.
    in_tree: String,
    /// The directory that includes may lead into, with a slash at its end.
    enclosing: String,
}

impl TreePlace {
    /// The tree begins at the directory that holds everything.
    fn of(wanted: &Wanted, checked: &Product) -> Option<TreePlace> {
        let base = if wanted.base.as_os_str().is_empty() { Path::new(".") } else { wanted.base };
        let enclosing = from(base, &enclosing(wanted.order.tree));
        let lock = wanted.lock.map(|lock| from(base, lock.path()));
        let include = wanted.order.include.iter().chain(&wanted.job.settings.include).map(|path| from(base, path));
        let names = checked.inputs.iter().map(|(name, _)| name.clone());
        let tree = from(base, wanted.order.tree);
        let all = names.chain(include).chain(lock).chain([enclosing.clone(), tree]);
        let ups = |name: &String| name.split('/').take_while(|part| *part == "..").count();
        let depth = all.map(|name| ups(&name)).max().unwrap_or(0);
        let canonical = std::fs::canonicalize(base).ok()?;
        let above: Vec<String> =
            canonical.components().rev().take(depth).map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
        let in_tree = above.into_iter().rev().fold(SOURCES.to_owned(), |path, name| join_path(&path, &name));
        let place = TreePlace { base: base.to_path_buf(), in_tree, enclosing: String::new() };
        let enclosing = format!("{}/", place.of_name(&enclosing)?);
        Some(TreePlace { enclosing, ..place })
    }

    /// Of a name from the directory of the manifest.
    fn of_name(&self, name: &str) -> Option<String> {
        let is_below = |path: &String| path == SOURCES || path.starts_with(&format!("{SOURCES}/"));
        (!Path::new(name).is_absolute()).then(|| join_path(&self.in_tree, name)).filter(is_below)
    }

    /// Of a path.
    fn of_path(&self, path: &Path) -> Option<String> {
        self.of_name(&from(&self.base, path))
    }
}

/// The action of a command and a tree, with everything that it consists of.
fn described(
    program: String,
    arguments: Vec<String>,
    files: Files,
    salt: Vec<u8>,
    settings: &RemoteSettings,
) -> RemoteAction {
    let property =
        |(name, value): &(String, String)| api::platform::Property { name: name.clone(), value: value.clone() };
    let mut properties: Vec<api::platform::Property> = settings.properties.iter().map(property).collect();
    properties.sort_by(|a, b| (&a.name, &a.value).cmp(&(&b.name, &b.value)));
    let platform = (!properties.is_empty()).then_some(api::Platform { properties });
    let path = api::command::EnvironmentVariable { name: "PATH".to_owned(), value: SEARCHED.to_owned() };
    // Servers of version 2.0 know the field that was before `output_paths`, and nothing else of it.
    #[allow(deprecated, reason = "older servers")]
    let command = api::Command {
        arguments,
        environment_variables: vec![path],
        output_files: vec![OUTPUT.to_owned()],
        output_paths: vec![OUTPUT.to_owned()],
        platform: platform.clone(),
        ..api::Command::default()
    };
    let mut directories = Vec::new();
    let root = directory(&files, "", &mut directories);
    let command = Blob::of(command.encode_to_vec());
    let action = api::Action {
        command_digest: Some(command.api_digest()),
        input_root_digest: Some(root),
        platform,
        salt,
        ..api::Action::default()
    };
    let action = Blob::of(action.encode_to_vec());
    let digest = action.api_digest();
    let blobs = [action, command].into_iter().chain(directories).chain(files.into_values().map(|(blob, _)| blob));
    RemoteAction { program, digest, blobs: blobs.collect() }
}

/// The digest of a directory of the tree, whose messages are added with those below it. Names are in order.
fn directory(files: &Files, prefix: &str, directories: &mut Vec<Blob>) -> api::Digest {
    let mut message = api::Directory::default();
    let mut last = String::new();
    for (path, (blob, is_executable)) in
        files.range(prefix.to_owned()..).take_while(|(path, _)| path.starts_with(prefix))
    {
        let below = path.get(prefix.len()..).unwrap_or_default();
        match below.split_once('/') {
            None => message.files.push(api::FileNode {
                name: below.to_owned(),
                digest: Some(blob.api_digest()),
                is_executable: *is_executable,
                ..api::FileNode::default()
            }),
            Some((name, _)) if name != last => {
                // What is in it comes one after the other.
                last = name.to_owned();
                let digest = Some(directory(files, &format!("{prefix}{name}/"), directories));
                message.directories.push(api::DirectoryNode { name: name.to_owned(), digest });
            }
            Some(_) => {}
        }
    }
    message.files.sort_by(|a, b| a.name.cmp(&b.name));
    message.directories.sort_by(|a, b| a.name.cmp(&b.name));
    let blob = Blob::of(message.encode_to_vec());
    let digest = blob.api_digest();
    directories.push(blob);
    digest
}
