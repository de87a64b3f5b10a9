//! Brings sources from the file system: the first layer that does I/O.
//!
//! A file has one name however it is reached, and the name does not depend on the host: the root that it lies under, as
//! the user wrote that root, and its path below it. Symbolic links are followed before roots are compared, so a link
//! cannot lead out of them either.
//!
//! In sidecars a file has another name, which does not depend on the working directory either: its path from the base (the
//! manifest's directory, or the root of the sources), `../lib/a.hlsli` for a file outside of it, and the absolute path for
//! one that shares no directory with it.

use super::digest::{Digest, Stamp};
use crate::compile::Shared;
use crate::limits::Limits;
use crate::source::{LoadError, Loaded, Loader, join_path};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

/// So many main sources are kept: a thread compiles the variants of a program one behind another, from a file or a few.
const KEPT_MAINS: usize = 64;

/// A directory that files may be read from.
#[derive(Debug, Clone)]
struct Root {
    /// As the user wrote it, with `/`.
    shown: String,
    canonical: PathBuf,
}

/// A [`Loader`] over the file system. Each file is read once; threads share the texts.
#[derive(Debug, Default)]
pub struct FileLoader {
    /// Include directories, in order of search.
    include_dirs: Vec<String>,
    roots: Vec<Root>,
    anywhere: bool,
    any_case: bool,
    /// The directory that names in sidecars are relative to.
    base: Option<PathBuf>,
    /// Whether it is noted what was read and looked for.
    tracks: bool,
    /// Names in sidecars by names.
    recorded: RwLock<FxHashMap<String, String>>,
    /// What was read, by names.
    inputs: RwLock<FxHashMap<String, FileInput>>,
    /// The places where the includes of a file were looked for in vain, by its name.
    misses: RwLock<FxHashMap<String, BTreeSet<String>>>,
    /// Answers by path as looked up.
    found: RwLock<FxHashMap<String, Result<Loaded, LoadError>>>,
    /// Texts by canonical path.
    texts: RwLock<FxHashMap<PathBuf, Loaded>>,
    /// The main sources that were read last, which the variants of a program have in common, by their names.
    mains: Mutex<VecDeque<(String, Loaded)>>,
    /// A main source that is in no file, by its name.
    given: Option<(String, Result<Loaded, LoadError>)>,
}

/// What was read of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileInput {
    /// Of its bytes.
    pub digest: Digest,
    /// From before it was read.
    pub stamp: Stamp,
}

/// The loaders of a build, one for each list of include directories, with what the programs of a loader share.
#[derive(Debug)]
pub struct Loaders<'a> {
    base: &'a Path,
    roots: Vec<&'a Path>,
    anywhere: bool,
    given: Option<(&'a Path, &'a [u8])>,
    known: RwLock<FxHashMap<(Vec<PathBuf>, bool), Sharing>>,
}

/// A loader, and what its programs share.
type Sharing = (Arc<FileLoader>, Arc<Shared>);

impl<'a> Loaders<'a> {
    /// For a build of a directory, or of a file in one. Names in sidecars are relative to `base`.
    pub fn new(tree: &'a Path, base: &'a Path) -> Self {
        let root = if tree.is_dir() { tree } else { tree.parent().unwrap_or(tree) };
        Loaders { base, roots: vec![root], anywhere: false, given: None, known: RwLock::default() }
    }

    /// Adds a directory that includes may lead into.
    pub fn root(mut self, directory: &'a Path) -> Self {
        self.roots.push(directory);
        self
    }

    /// Lets includes lead out of the roots.
    pub fn allow_anywhere(mut self, allow: bool) -> Self {
        self.anywhere = allow;
        self
    }

    /// Adds a main source that is in no file.
    pub fn given(mut self, source: Option<(&'a Path, &'a [u8])>) -> Self {
        self.given = source;
        self
    }

    /// The loader of a program, whose includes may be found in any case.
    pub fn get<'p>(&self, include: impl Iterator<Item = &'p PathBuf>, any_case: bool) -> Sharing {
        let key: (Vec<PathBuf>, bool) = (include.cloned().collect(), any_case);
        if let Some(known) = self.known.read().unwrap_or_else(|e| e.into_inner()).get(&key) {
            return known.clone();
        }
        let loader = FileLoader::new(&key.0).base(self.base).tracking().allow_anywhere(self.anywhere);
        let loader = loader.in_any_case(any_case);
        let loader = self.roots.iter().fold(loader, |loader, root| loader.root(root));
        let loader = self.given.iter().fold(loader, |loader, (path, bytes)| loader.given(path, bytes.to_vec()));
        let mut known = self.known.write().unwrap_or_else(|e| e.into_inner());
        known.entry(key).or_insert_with(|| (Arc::new(loader), Arc::default())).clone()
    }
}

impl FileLoader {
    /// A loader that searches `include_dirs` in order; each of them is a root.
    pub fn new<P: AsRef<Path>>(include_dirs: impl IntoIterator<Item = P>) -> Self {
        let mut loader = FileLoader::default();
        for directory in include_dirs {
            loader.include_dirs.push(slashes(directory.as_ref()));
            loader = loader.root(directory.as_ref());
        }
        loader
    }

    /// Adds a directory that includes may lead into: the tree that is built, or the directory of a main file.
    pub fn root(mut self, directory: &Path) -> Self {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        if let Ok(canonical) = std::fs::canonicalize(directory)
            && !self.roots.iter().any(|r| r.canonical == canonical)
        {
            self.roots.push(Root { shown: slashes(directory), canonical });
        }
        self
    }

    /// Sets the directory that names in sidecars are relative to.
    pub fn base(mut self, directory: &Path) -> Self {
        let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        self.base = std::fs::canonicalize(directory).ok();
        self
    }

    /// Notes what is read and looked for.
    pub fn tracking(mut self) -> Self {
        self.tracks = true;
        self
    }

    /// What was read of a file, by its name.
    pub fn input(&self, name: &str) -> Option<FileInput> {
        self.inputs.read().unwrap_or_else(|e| e.into_inner()).get(name).copied()
    }

    /// Where the includes of a file were looked for in vain, as names in sidecars.
    pub fn misses(&self, name: &str) -> Vec<String> {
        let misses = self.misses.read().unwrap_or_else(|e| e.into_inner());
        misses.get(name).into_iter().flatten().map(|place| self.missing_name(place)).collect()
    }

    /// The name in sidecars that a file would have.
    fn missing_name(&self, place: &str) -> String {
        match (&self.base, std::path::absolute(place)) {
            (Some(base), Ok(absolute)) => {
                let absolute = join_path("", &slashes(&absolute));
                let absolute = Path::new(&absolute);
                // Links in what is there are followed, as in the base.
                let beside = absolute.parent().and_then(|directory| std::fs::canonicalize(directory).ok());
                let real = beside.and_then(|beside| Some(beside.join(absolute.file_name()?)));
                from_base(base, real.as_deref().unwrap_or(absolute))
            }
            _ => place.to_owned(),
        }
    }

    /// Lets includes lead out of the roots.
    pub fn allow_anywhere(mut self, allow: bool) -> Self {
        self.anywhere = allow;
        self
    }

    /// Finds includes whose names differ in case, as file systems do that do not tell cases apart.
    pub fn in_any_case(mut self, allow: bool) -> Self {
        self.any_case = allow;
        self
    }

    /// Adds a main source that is in no file, or that is not to be read from it.
    pub fn given(mut self, path: &Path, bytes: Vec<u8>) -> Self {
        let limit = Limits::USUAL.file_bytes;
        let name = Self::name_of(path);
        let text = match bytes.len() as u64 > limit {
            true => Err(LoadError::Unreadable(format!("it has more than {limit} bytes"))),
            false => decode(bytes),
        };
        let loaded = text.map(|text| Loaded { name: name.clone(), text: Arc::from(text) });
        if let Some(base) = &self.base {
            let recorded = from_base(base, &resolved(path));
            self.recorded.write().unwrap_or_else(|e| e.into_inner()).insert(name.clone(), recorded);
        }
        self.given = Some((name, loaded));
        self
    }

    /// The name that a main source is given by.
    pub fn name_of(path: &Path) -> String {
        join_path("", &slashes(path))
    }

    /// Whether an include may be read.
    fn is_within(&self, path: &str) -> bool {
        self.anywhere || std::fs::canonicalize(path).is_ok_and(|canonical| self.name(&canonical).is_some())
    }

    /// What is at `path`, remembered.
    fn look_up(&self, path: &str) -> Result<Loaded, LoadError> {
        if let Some(known) = self.found.read().unwrap_or_else(|e| e.into_inner()).get(path) {
            return known.clone();
        }
        let result = self.load(path, false);
        self.found.write().unwrap_or_else(|e| e.into_inner()).insert(path.to_owned(), result.clone());
        result
    }

    /// Loads a main source, unless it is one of the last.
    fn main(&self, path: &str) -> Result<Loaded, LoadError> {
        let lock = || self.mains.lock().unwrap_or_else(|e| e.into_inner());
        if let Some((_, loaded)) = lock().iter().find(|(name, _)| name == path) {
            return Ok(loaded.clone());
        }
        let loaded = self.load(path, true)?;
        let mut mains = lock();
        mains.push_front((path.to_owned(), loaded.clone()));
        mains.truncate(KEPT_MAINS);
        Ok(loaded)
    }

    /// Loads a file. A main source may lie anywhere, an include only in the roots; the text of the former is not kept for
    /// long, as a build has many of them.
    fn load(&self, path: &str, main: bool) -> Result<Loaded, LoadError> {
        let not_found = || LoadError::NotFound(vec![path.to_owned()]);
        let canonical = std::fs::canonicalize(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => not_found(),
            _ => LoadError::Unreadable(e.to_string()),
        })?;
        let name = match self.name(&canonical) {
            Some(name) => name,
            None if main || self.anywhere => path.to_owned(),
            None => return Err(LoadError::OutsideRoots(path.to_owned())),
        };
        if canonical.is_dir() {
            return if main { Err(LoadError::Unreadable("it is a directory".to_owned())) } else { Err(not_found()) };
        }
        if let Some(base) = &self.base {
            let mut recorded = self.recorded.write().unwrap_or_else(|e| e.into_inner());
            recorded.entry(name.clone()).or_insert_with(|| from_base(base, &canonical));
        }
        if let Some(loaded) = self.texts.read().unwrap_or_else(|e| e.into_inner()).get(&canonical) {
            return Ok(loaded.clone());
        }
        let (text, input) = read(&canonical, self.tracks)?;
        if let Some(input) = input {
            self.inputs.write().unwrap_or_else(|e| e.into_inner()).insert(name.clone(), input);
        }
        let loaded = Loaded { name, text: Arc::from(text) };
        if main {
            return Ok(loaded);
        }
        let mut texts = self.texts.write().unwrap_or_else(|e| e.into_inner());
        Ok(texts.entry(canonical).or_insert(loaded).clone())
    }

    /// The file of the roots at a path whose letters may be of another case.
    fn other_case(&self, path: &str) -> Option<String> {
        in_other_case(path).filter(|place| self.is_within(place))
    }

    /// The name of a file: by the innermost root that holds it.
    fn name(&self, canonical: &Path) -> Option<String> {
        let holding = self.roots.iter().filter_map(|r| Some((r, canonical.strip_prefix(&r.canonical).ok()?)));
        let (root, below) = holding.min_by_key(|(_, below)| below.components().count())?;
        Some(join_path(&root.shown, &slashes(below)))
    }
}

impl Loader for FileLoader {
    fn source(&self, name: &str) -> Result<Loaded, LoadError> {
        let name = Self::name_of(Path::new(name));
        match &self.given {
            Some((given, loaded)) if *given == name => loaded.clone(),
            _ => self.main(&name),
        }
    }

    fn include(&self, path: &str, quoted: bool, from: &str) -> Result<Loaded, LoadError> {
        let beside = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let beside = if from.starts_with('/') && beside.is_empty() { "/" } else { beside };
        let directories = quoted.then_some(beside).into_iter().chain(self.include_dirs.iter().map(String::as_str));
        let mut tried = Vec::new();
        let mut outside = None;
        let mut decided = None;
        for directory in directories {
            let candidate = join_path(directory, path);
            match self.look_up(&candidate) {
                Err(LoadError::NotFound(_)) => {
                    // As on Windows: before the next directory, this one has the file in another case.
                    let other = self.any_case.then(|| self.other_case(&candidate)).flatten();
                    tried.push(candidate);
                    if let Some(place) = other {
                        decided = Some(self.look_up(&place));
                        break;
                    }
                }
                Err(error @ LoadError::OutsideRoots(_)) => outside = outside.or(Some(error)),
                found => {
                    decided = Some(found);
                    break;
                }
            }
        }
        if self.tracks && !tried.is_empty() {
            let mut misses = self.misses.write().unwrap_or_else(|e| e.into_inner());
            misses.entry(from.to_owned()).or_default().extend(tried.iter().cloned());
        }
        if let Some(decided) = decided {
            return decided;
        }
        match tried.iter().find_map(|candidate| self.other_case(candidate)) {
            Some(place) => Err(LoadError::OtherCase(place)),
            None => Err(outside.unwrap_or(LoadError::NotFound(tried))),
        }
    }

    fn recorded_name(&self, name: &str) -> String {
        let recorded = self.recorded.read().unwrap_or_else(|e| e.into_inner());
        recorded.get(name).map_or(name, String::as_str).to_owned()
    }
}

/// The file at a path whose letters may be of another case; of several the first by name.
fn in_other_case(path: &str) -> Option<String> {
    let mut found = if path.starts_with('/') { "/".to_owned() } else { String::new() };
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let same = join_path(&found, part);
        if part == ".." || Path::new(&same).exists() {
            found = same;
            continue;
        }
        let directory = if found.is_empty() { "." } else { found.as_str() };
        let names =
            std::fs::read_dir(directory).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        found = join_path(&found, &names.filter(|name| name.eq_ignore_ascii_case(part)).min()?);
    }
    Path::new(&found).is_file().then_some(found)
}

/// The real path of a file, which need not be there.
pub fn resolved(path: &Path) -> PathBuf {
    let beside = || {
        let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(std::fs::canonicalize(directory).ok()?.join(path.file_name()?))
    };
    std::fs::canonicalize(path).ok().or_else(beside).unwrap_or_else(|| path.to_path_buf())
}

/// The path of a file from a directory, both canonical; the file's own if they have nothing but the root in common.
pub fn from_base(base: &Path, file: &Path) -> String {
    let common = base.ancestors().find(|directory| file.starts_with(directory)).filter(|d| d.parent().is_some());
    let Some(common) = common else { return slashes(file) };
    let up = base.strip_prefix(common).map_or(0, |below| below.components().count());
    let below = file.strip_prefix(common).unwrap_or(file);
    format!("{}{}", "../".repeat(up), slashes(below))
}

/// A path with `/`.
fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// Reads and decodes a file, with its digest if that is wanted: UTF-8 with or without a byte order mark (what is invalid is replaced), or UTF-16 with one.
fn read(path: &Path, digested: bool) -> Result<(String, Option<FileInput>), LoadError> {
    let unreadable = |e: std::io::Error| LoadError::Unreadable(e.to_string());
    let size = std::fs::metadata(path).map_err(unreadable)?;
    if !size.is_file() {
        return Err(LoadError::Unreadable("it is not a regular file".to_owned()));
    }
    let limit = Limits::USUAL.file_bytes;
    if size.len() > limit {
        let reason = format!("it has {} bytes; the limit is {limit}", size.len());
        return Err(LoadError::Unreadable(reason));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let input = digested.then(|| FileInput { digest: Digest::of(&bytes), stamp: Stamp::of_metadata(&size) });
    Ok((decode(bytes)?, input))
}

/// The text of a file.
pub fn decode(bytes: Vec<u8>) -> Result<String, LoadError> {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>()
    };
    let text = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
    };
    if text.contains('\0') {
        return Err(LoadError::Unreadable("it is a binary file".to_owned()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("shaders/main.hlsl", &b"\xef\xbb\xbfmain"[..]),
            ("shaders/a/one.hlsli", b"one"),
            ("shaders/binary.hlsl", b"a\0b"),
            ("shaders/latin.hlsl", b"// caf\xe9"),
            ("shaders/wide.hlsl", b"\xff\xfei\0n\0t\0"),
            ("lib/two.hlsli", b"two"),
            ("secret.hlsli", b"secret"),
        ] {
            let path = tree.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        tree
    }

    #[test]
    fn searches_beside_then_in_the_directories() {
        let tree = tree();
        let at = |p: &str| slashes(&tree.path().join(p));
        let loader = FileLoader::new([tree.path().join("lib")]).root(&tree.path().join("shaders"));
        let main = loader.source(&at("shaders/main.hlsl")).unwrap();
        assert_eq!((main.name.as_str(), &*main.text), (at("shaders/main.hlsl").as_str(), "main"));
        let one = loader.include("a/one.hlsli", true, &main.name).unwrap();
        assert_eq!(one.name, at("shaders/a/one.hlsli"));
        assert_eq!(&*loader.include("two.hlsli", true, &one.name).unwrap().text, "two");
        // Angle brackets do not look beside the file.
        let missing = loader.include("a/one.hlsli", false, &main.name).unwrap_err();
        assert_eq!(missing, LoadError::NotFound(vec![at("lib/a/one.hlsli")]));
        // Two ways to one file give one name.
        let again = loader.include("../shaders/./a/one.hlsli", false, &main.name).unwrap();
        assert!(again.name == one.name && Arc::ptr_eq(&again.text, &one.text));
    }

    #[test]
    fn finds_other_cases_where_that_is_asked_for() {
        let tree = tree();
        let shaders = tree.path().join("shaders");
        let main = slashes(&shaders.join("main.hlsl"));
        let one = slashes(&shaders.join("a/one.hlsli"));
        let loader = FileLoader::new([&shaders]);
        assert_eq!(loader.include("A/One.hlsli", true, &main).unwrap_err(), LoadError::OtherCase(one.clone()));
        // What may not be read is not told of.
        assert!(matches!(loader.include("../Secret.hlsli", true, &main), Err(LoadError::NotFound(_))));
        let open = FileLoader::new([&shaders]).in_any_case(true);
        assert_eq!(open.include("A/One.hlsli", true, &main).unwrap().name, one);
        assert!(matches!(open.include("A/Two.hlsli", true, &main), Err(LoadError::NotFound(_))));
        // What lies beside a file comes before what lies in an include directory.
        std::fs::write(shaders.join("TWO.hlsli"), "beside").unwrap();
        let both = || FileLoader::new([tree.path().join("lib")]).root(&shaders);
        assert_eq!(&*both().include("two.hlsli", true, &main).unwrap().text, "two");
        assert_eq!(&*both().in_any_case(true).include("two.hlsli", true, &main).unwrap().text, "beside");
    }

    #[test]
    fn does_not_leave_the_roots() {
        let tree = tree();
        let shaders = tree.path().join("shaders");
        let main = slashes(&shaders.join("main.hlsl"));
        let loader = FileLoader::new([&shaders]);
        let outside = LoadError::OutsideRoots(slashes(&tree.path().join("secret.hlsli")));
        assert_eq!(loader.include("../secret.hlsli", true, &main).unwrap_err(), outside);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.hlsli", shaders.join("link.hlsli")).unwrap();
            assert!(matches!(loader.include("link.hlsli", true, &main), Err(LoadError::OutsideRoots(_))));
        }
        let open = FileLoader::new([&shaders]).allow_anywhere(true);
        assert_eq!(&*open.include("../secret.hlsli", true, &main).unwrap().text, "secret");
    }

    #[test]
    fn decodes_and_refuses() {
        let tree = tree();
        let loader = FileLoader::new([tree.path().join("shaders")]);
        let load = |name: &str| loader.source(&slashes(&tree.path().join("shaders").join(name))).map(|l| l.text);
        assert_eq!(load("latin.hlsl").as_deref(), Ok("// caf\u{fffd}"));
        assert_eq!(load("wide.hlsl").as_deref(), Ok("int"));
        assert_eq!(load("binary.hlsl"), Err(LoadError::Unreadable("it is a binary file".to_owned())));
        assert_eq!(load("a"), Err(LoadError::Unreadable("it is a directory".to_owned())));
        let big = std::fs::File::create(tree.path().join("shaders/big.hlsl")).unwrap();
        big.set_len(100 << 20).unwrap();
        assert!(matches!(load("big.hlsl"), Err(LoadError::Unreadable(reason)) if reason.contains("limit")));
    }
}
