//! File texts and positions in them. No paths are opened here and nothing is read: a [`Loader`] brings the text.

use std::sync::Arc;

/// One file text, or one macro expansion (see [`Span`]).
///
/// Ids have no order: that of files which programs share depends on threads. Files come in the order of [`Sources::files`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl FileId {
    const EXPANSION: u32 = 0x8000_0000;
    /// Set in ids of files and expansions of the standard library, so that they never meet those of a program.
    const LIBRARY: u32 = 0x4000_0000;
    /// Set in ids of files and expansions that the programs of a build share.
    const SHARED: u32 = 0x2000_0000;
    /// Set in the ids of spans of expressions that are all of what a macro stands for.
    const NAMED: u32 = 0x1000_0000;

    /// Whether this names a macro expansion rather than a file.
    pub fn is_expansion(self) -> bool {
        self.0 & Self::EXPANSION != 0
    }
    /// Whether the file belongs to the standard library.
    pub fn is_library(self) -> bool {
        self.0 & Self::LIBRARY != 0
    }
    /// Whether a span with this id is that of an expression which is all of what a macro stands for.
    pub fn is_named(self) -> bool {
        self.0 & Self::NAMED != 0
    }
    /// The expansion, of such an expression.
    pub fn named(self) -> FileId {
        FileId(self.0 | Self::NAMED)
    }
    /// The file or expansion alone.
    pub fn plain(self) -> FileId {
        FileId(self.0 & !Self::NAMED)
    }
    /// The file of the standard library with this number.
    pub fn of_library(number: u32) -> FileId {
        FileId(number | Self::LIBRARY)
    }
    /// Whether all programs of a build know it by this number.
    pub fn is_shared(self) -> bool {
        self.0 & (Self::SHARED | Self::LIBRARY) != 0
    }
    /// Gives a number of a range that programs share instead of one of a program.
    fn renumber(&mut self, first: Numbers) {
        self.0 = (self.0 + if self.is_expansion() { first.expansions } else { first.files }) | Self::SHARED;
    }
}

/// How many files and expansions there are, or the first numbers of some.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    files: u32,
    expansions: u32,
}

impl Numbers {
    /// Whether so many are given out that it is better to stop: the others are left to those that have already begun.
    pub fn are_scarce(self) -> bool {
        self.files.max(self.expansions) > FileId::NAMED / 2
    }
}

/// A byte range. `file` is a real file, or an expansion: then `start..end` is the place in the macro's
/// defining file where the token was written, and `Sources::use_site` gives the place where the macro was used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// File or expansion.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from the start of `self` to the end of `other` when both are of one file; else `self`. It is of no macro as a
    /// whole any more.
    pub fn to(self, other: Span) -> Span {
        let file = self.file.plain();
        let end = if file == other.file.plain() && other.end >= self.start { other.end } else { self.end };
        Span { file, start: self.start, end }
    }
}

/// The starts and ends of ranges of a text, in order.
pub type Places = Arc<[(u32, u32)]>;

/// A file that was loaded.
#[derive(Debug)]
pub struct SourceFile {
    /// The name shown to people and written to depfiles: as the loader gave it, with `/`.
    pub name: String,
    /// The name in sidecars ([`Loader::recorded_name`]).
    pub recorded: String,
    /// The text, without a byte order mark. Invalid UTF-8 was replaced.
    pub text: Arc<str>,
    line_starts: Vec<u32>,
    included_from: Option<Span>,
    comments: Places,
}

/// A comment about a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The text with its delimiters.
    pub text: crate::symbol::Symbol,
    /// It stands behind the definition, not before it.
    pub trailing: bool,
    /// A blank line stands before it.
    pub blank_before: bool,
}

/// One use of a macro.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// Where the macro was used; may itself lie in an expansion.
    pub call_site: Span,
    /// Where the macro's name is in its definition.
    pub definition: Span,
    /// The macro's name.
    pub name: crate::symbol::Symbol,
    /// It has no parameters, and no compiler defines it by itself.
    pub is_object: bool,
    /// The comments at the definition.
    pub remarks: Arc<[Remark]>,
    /// What an expression of all of its tokens is written as, if it has parameters.
    pub call: Option<Arc<MacroCall>>,
}

/// A use of a macro with parameters.
#[derive(Clone, Default, Debug)]
pub struct MacroCall {
    /// The names of the parameters.
    pub params: Vec<crate::symbol::Symbol>,
    /// The first and the last token of each argument, as the source has them.
    pub args: Vec<(Span, Span)>,
}

/// All texts of one compilation.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
    /// Bits set in every id that is given out.
    base: u32,
    /// The numbers of the first file and expansion.
    first: Numbers,
    /// All files in the order of loading, those of `shared` among them.
    order: Vec<FileId>,
    /// Files that other programs have too.
    shared: Vec<Arc<Sources>>,
    /// The texts of the standard library, which spans may point into.
    library: Option<fn() -> &'static Sources>,
}

impl Sources {
    /// For the texts of the standard library: their ids never meet those of a program.
    pub fn for_library() -> Sources {
        Sources { base: FileId::LIBRARY, ..Sources::default() }
    }

    /// Lets spans into the standard library be resolved here.
    pub fn set_library(&mut self, library: fn() -> &'static Sources) {
        self.library = Some(library);
    }

    /// Gives all files and expansions numbers that no others of a build have, in `ids` too, which name them. `taken` are the
    /// numbers that are given out.
    pub fn renumber(&mut self, taken: &mut Numbers, ids: &mut dyn Iterator<Item = &mut FileId>) {
        let first = *taken;
        taken.files = taken.files.saturating_add(self.files.len() as u32);
        taken.expansions = taken.expansions.saturating_add(self.expansions.len() as u32);
        (self.base, self.first) = (FileId::SHARED, first);
        ids.for_each(|id| id.renumber(first));
        self.order.iter_mut().for_each(|id| id.renumber(first));
        self.files.iter_mut().flat_map(|f| &mut f.included_from).for_each(|span| span.file.renumber(first));
        for expansion in &mut self.expansions {
            expansion.call_site.file.renumber(first);
            expansion.definition.file.renumber(first);
            if let Some(call) = expansion.call.as_mut().map(Arc::make_mut) {
                call.args.iter_mut().flat_map(|(begin, end)| [begin, end]).for_each(|span| span.file.renumber(first));
            }
        }
    }

    /// Adds files that other programs have too.
    pub fn share(&mut self, sources: &Arc<Sources>) {
        if !self.shared.iter().any(|known| Arc::ptr_eq(known, sources)) {
            self.order.extend(&sources.order);
            self.shared.push(sources.clone());
        }
    }

    /// The place of an id among the files or expansions here.
    fn index(&self, id: FileId) -> Option<usize> {
        let id = id.plain();
        let first = if id.is_expansion() { self.first.expansions } else { self.first.files };
        let number = id.0.checked_sub(first)? & !FileId::EXPANSION;
        number.checked_sub(self.base).map(|index| index as usize)
    }

    /// Finds what an id stands for: here, in what is shared, or in the library.
    fn find<'a, T>(&'a self, id: FileId, among: impl Fn(&'a Sources) -> &'a [T]) -> Option<&'a T> {
        let library = self.library.filter(|_| id.is_library()).map(|library| library());
        let shared = self.shared.iter().map(Arc::as_ref);
        std::iter::once(self).chain(shared).chain(library).find_map(|s| among(s).get(s.index(id)?))
    }

    /// Adds a file and returns its id.
    pub fn add(&mut self, name: &str, text: Arc<str>) -> FileId {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(SourceFile {
            name: name.to_owned(),
            recorded: name.to_owned(),
            text,
            line_starts,
            included_from: None,
            comments: Places::default(),
        });
        let id = FileId((self.files.len() as u32 - 1) | self.base);
        self.order.push(id);
        id
    }

    /// Asks a loader what the files are called in sidecars.
    pub fn record_names(&mut self, loader: &dyn Loader) {
        self.files.iter_mut().for_each(|file| file.recorded = loader.recorded_name(&file.name));
    }

    /// Records where the comments of a file are.
    pub fn set_comments(&mut self, file: FileId, comments: Places) {
        if let Some(file) = self.index(file).and_then(|index| self.files.get_mut(index)) {
            file.comments = comments;
        }
    }

    /// Records the `#include` that first brought a file in.
    pub fn set_included_from(&mut self, file: FileId, span: Span) {
        if let Some(file) = self.index(file).and_then(|index| self.files.get_mut(index)) {
            file.included_from.get_or_insert(span);
        }
    }

    /// Adds a macro expansion; the result is used as the `file` of the spans of its tokens.
    pub fn add_expansion(&mut self, expansion: Expansion) -> FileId {
        self.expansions.push(expansion);
        FileId((self.expansions.len() as u32 - 1) | FileId::EXPANSION | self.base)
    }

    /// The expansion that `file` stands for.
    pub fn expansion(&self, file: FileId) -> Option<&Expansion> {
        if file.is_expansion() { self.find(file, |s| &s.expansions) } else { None }
    }

    /// The file of an id that is not an expansion.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        if id.is_expansion() { None } else { self.find(id, |s| &s.files) }
    }

    /// All files in the order in which they were loaded.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.order.iter().filter_map(|id| Some((*id, self.file(*id)?)))
    }

    /// The names of the files that were loaded, each once, in the order of loading. Texts of our own making, such as
    /// the definitions of the command line, have names in `<>` and are left out.
    pub fn dependencies(&self) -> Vec<String> {
        let mut seen = rustc_hash::FxHashSet::default();
        let names = self.files().map(|(_, f)| &f.name).filter(|n| !n.starts_with('<'));
        names.filter(|n| seen.insert(n.as_str())).cloned().collect()
    }

    /// The place in a real file that the user wrote: the use of the outermost macro.
    pub fn use_site(&self, span: Span) -> Span {
        let mut span = span;
        // Bounded: an expansion's call site was recorded before the expansion itself.
        while let Some(expansion) = self.expansion(span.file) {
            span = expansion.call_site;
        }
        span
    }

    /// The place where the token was spelled: inside the macro's definition if it came from one.
    pub fn spelling(&self, span: Span) -> Span {
        match self.expansion(span.file) {
            Some(expansion) => Span { file: expansion.definition.file, ..span },
            None => span,
        }
    }

    /// The text of a token or of several, as it is spelled.
    pub fn spelled(&self, span: Span) -> &str {
        let Span { file, start, end } = self.spelling(span);
        let text = self.file(file).and_then(|file| file.text.get(start as usize..end as usize));
        text.unwrap_or_default()
    }

    /// Zero-based line and byte column of an offset.
    pub fn line_column(&self, file: FileId, offset: u32) -> (usize, usize) {
        let Some(file) = self.file(file) else { return (0, 0) };
        let line = file.line_starts.partition_point(|s| *s <= offset).saturating_sub(1);
        let start = file.line_starts.get(line).copied().unwrap_or(0);
        (line, (offset - start) as usize)
    }
}

impl SourceFile {
    /// The `#include` that first brought this file in.
    pub fn included_from(&self) -> Option<Span> {
        self.included_from
    }

    /// The starts and ends of its comments, in order.
    pub fn comments(&self) -> &[(u32, u32)] {
        &self.comments
    }

    /// Byte offset of the start of each line.
    pub fn line_starts(&self) -> &[u32] {
        &self.line_starts
    }
}

/// A text that a [`Loader`] found.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The canonical name: two includes of one file give the same name (for `#pragma once` and cycles).
    pub name: String,
    /// The text, decoded.
    pub text: Arc<str>,
}

/// Why a file could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// No such file in any root. Holds the places that were tried.
    NotFound(Vec<String>),
    /// No such file, but this one, whose name differs in the case of letters alone.
    OtherCase(String),
    /// The path leads out of the allowed roots.
    OutsideRoots(String),
    /// The file is too large, is binary, or reading failed; the reason in words.
    Unreadable(String),
}

impl LoadError {
    /// The option that takes files whose names differ in case. Messages about such files name it.
    pub const ANY_CASE_OPTION: &str = "--includes-in-any-case";

    /// Whether there is no such file where it was looked for, so that it may be elsewhere.
    pub fn is_missing(&self) -> bool {
        match self {
            LoadError::NotFound(_) | LoadError::OtherCase(_) => true,
            LoadError::OutsideRoots(_) | LoadError::Unreadable(_) => false,
        }
    }
}

/// Brings the text of sources and includes. The library does no I/O but through this.
pub trait Loader: Sync {
    /// A main source file by its name.
    fn source(&self, name: &str) -> Result<Loaded, LoadError>;
    /// What `#include "path"` (`quoted`) or `#include <path>` in the file named `from` means. Quoted paths are first
    /// looked for beside `from`, then in the include roots; angle brackets only in the roots.
    fn include(&self, path: &str, quoted: bool, from: &str) -> Result<Loaded, LoadError>;
    /// What a loaded file is called in sidecars, whose bytes depend on neither the working directory nor the machine.
    fn recorded_name(&self, name: &str) -> String {
        name.to_owned()
    }
}

/// A loader over texts in memory, for tests and for callers that have their own storage.
#[derive(Debug, Default, Clone)]
pub struct MemoryLoader {
    files: std::collections::BTreeMap<String, Arc<str>>,
}

impl MemoryLoader {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file under a `/`-separated name.
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.files.insert(name.to_owned(), Arc::from(text));
        self
    }
}

/// Joins and normalizes `/`-separated paths: removes `.` and resolves `..` where possible.
pub fn join_path(directory: &str, path: &str) -> String {
    let absolute = path.starts_with('/') || (directory.starts_with('/') && !path.starts_with('/'));
    let mut parts: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { directory };
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

impl Loader for MemoryLoader {
    fn source(&self, name: &str) -> Result<Loaded, LoadError> {
        match self.files.get(name) {
            Some(text) => Ok(Loaded { name: name.to_owned(), text: text.clone() }),
            None => Err(LoadError::NotFound(vec![name.to_owned()])),
        }
    }

    fn include(&self, path: &str, quoted: bool, from: &str) -> Result<Loaded, LoadError> {
        let mut tried = Vec::new();
        let directory = from.rsplit_once('/').map_or("", |(d, _)| d);
        for base in if quoted { vec![directory, ""] } else { vec![""] } {
            let name = join_path(base, path);
            if let Ok(loaded) = self.source(&name) {
                return Ok(loaded);
            }
            tried.push(name);
        }
        Err(LoadError::NotFound(tried))
    }
}
