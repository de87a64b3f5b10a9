//! The texts and headers of a tree as files.

mod needed;
mod parts;
mod pieces;

use super::ExpandedText;
use super::includes::SourceIncludes;
use super::read::TreeText;
use super::sharing::{HeaderPlace, HeaderSharing};
use super::units::{TextUnit, TextUnitKind, TextUnits};
use crate::batch::loader::{decode, from_base};
use crate::batch::order::WgslImports;
use crate::compile::Target;
use crate::diagnostic::Diagnostics;
use crate::lex::{TokenKind, lex};
use crate::source::FileId;
use crate::source_map::{MappedLine, SourceMap};
use crate::target::Language;
use parts::{TextPart, is_behind_head};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

/// The directory of headers.
const HEADERS: &str = "inc/";
/// The extension by which GLSL for Vulkan has includes.
const INCLUDES: &str = "#extension GL_GOOGLE_include_directive : require";

/// What texts ask for whose headers have attributes of loops and branches.
const ATTRIBUTES: &str = "#extension GL_EXT_control_flow_attributes : require";

/// A header.
#[derive(Debug)]
pub struct HeaderFile {
    /// Its name below the output directory.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// Its own copies of what others declare, as they stand in it.
    copies: String,
}

/// A text of the tree.
#[derive(Debug, Default)]
pub struct TextFile {
    /// What is in it.
    pub text: String,
    /// Its own copies of what headers declare, as they stand in it.
    copies: String,
    /// The sources of all headers that it needs, each after those that it needs itself.
    pub headers: Vec<String>,
    /// The units that stay in it, in their order there.
    units: Vec<usize>,
}

/// The files of one target.
pub struct TreeFiles<'a> {
    /// Those that are outputs come first.
    flat: &'a [TreeText],
    sharing: HeaderSharing,
    includes: &'a SourceIncludes,
    target: Target,
    language: Language,
    imports: WgslImports,
    edges: BTreeMap<String, BTreeSet<String>>,
    /// The headers that are included behind what they need of texts, with the names of that.
    late: BTreeMap<String, BTreeSet<String>>,
    /// By their sources.
    pub headers: BTreeMap<String, HeaderFile>,
    /// In the order of the flat ones.
    pub texts: Vec<TextFile>,
}

impl<'a> TreeFiles<'a> {
    /// Of flat texts, of which the first `count` are outputs. Sources are read from `base`, for the comments that they begin with.
    pub fn new(
        (flat, count): (&'a [TreeText], usize),
        (sharing, includes): (HeaderSharing, &'a SourceIncludes),
        (target, language, imports): (Target, Language, WgslImports),
        base: &Path,
    ) -> TreeFiles<'a> {
        let (edges, headers, texts) = (sharing.edges(), BTreeMap::new(), Vec::new());
        // The order of declarations says nothing in WGSL.
        let late = if language.includes() { sharing.needed_of_texts(&edges) } else { BTreeMap::new() };
        let mut files = TreeFiles { flat, sharing, includes, target, language, imports, edges, late, headers, texts };
        let names = files.names();
        files.headers = names.keys().map(|source| (source.clone(), files.header(source, &names, base))).collect();
        files.texts = (0..count).map(|number| files.text(number)).collect();
        files
    }

    /// The names of headers: their paths in `inc`, with the ending of the language, unless two would be one. Helpers of the library are
    /// in `inc/shaderport`.
    fn names(&self) -> BTreeMap<String, String> {
        let below = format!("{}/", self.target.name());
        let prefix = if self.flat.iter().all(|text| text.name.starts_with(&below)) { &*below } else { "" };
        let whole = |source: &str, keeps_ending: bool| {
            let path = source.trim_start_matches("../").trim_start_matches('/');
            let path = path.strip_prefix(HEADERS).unwrap_or(path).replace(':', "/");
            let stem = path.rsplit_once('.').map_or(&*path, |(stem, _)| stem);
            let path = if keeps_ending { &*path } else { stem }.to_owned();
            let path = if self.language == Language::Wgsl { self.imports.file(path) } else { path };
            format!("{prefix}{HEADERS}{path}.{}", self.target.extension())
        };
        let mut users: BTreeMap<String, usize> = BTreeMap::new();
        self.edges.keys().for_each(|source| *users.entry(whole(source, false)).or_default() += 1);
        let taken: BTreeSet<&str> = self.flat.iter().map(|text| text.name.as_str()).collect();
        let name = |source: &String| {
            let short = whole(source, false);
            let is_free = users.get(&short) == Some(&1) && !taken.contains(short.as_str());
            (source.clone(), if is_free { short } else { whole(source, true) })
        };
        self.edges.keys().map(name).collect()
    }

    /// The unit that stands for all of its kind.
    fn unit(&self, id: usize) -> Option<(&TreeText, &TextUnit)> {
        let (text, at) = self.sharing.unit(id)?.at;
        let flat = self.flat.get(text)?;
        Some((flat, &flat.read.units.get(at)?.0))
    }

    fn header(&self, source: &str, names: &BTreeMap<String, String>, base: &Path) -> HeaderFile {
        let name = names.get(source).cloned().unwrap_or_default();
        let mut body = String::new();
        for id in self.sharing.order(source) {
            let Some((flat, unit)) = self.unit(id) else { continue };
            if unit.is_apart && !body.is_empty() {
                body.push('\n');
            }
            match self.pieces(id) {
                Some(pieces) => body.push_str(&pieces.text(&self.flat_texts())),
                None => body.push_str(flat.read.text.get(unit.range.clone()).unwrap_or_default()),
            }
            body.push('\n');
        }
        let (mut text, mut copies) = (String::new(), String::new());
        if let Some(licence) = licence(&base.join(source)) {
            // It comes first, though it may stand before declarations: the first ones of the texts that those are of.
            // A line without words is none by which they are known.
            let has_words = licence.contains(char::is_alphanumeric);
            while let Some(at) = block_in(&body, &licence).filter(|at| has_words || *at == 0) {
                let rest = body.get(at + licence.len()..).unwrap_or_default().trim_start();
                body = format!("{}{rest}", body.get(..at).unwrap_or_default());
            }
            text.push_str(&if body.contains(&licence) { String::new() } else { format!("{licence}\n\n") });
        }
        match self.language {
            Language::Wgsl => {
                let needed = self.needed_by_header(source);
                let imported =
                    self.imported(&[source.to_owned()], &needed, |source| names.get(source).map(String::as_str));
                let head = self.imports.head(&name) + &self.imports.lines(&imported);
                text.push_str(&if head.is_empty() { head } else { head + "\n" });
                copies = self.copies(&needed);
                text.push_str(&copies);
                text.push_str(if copies.is_empty() { "" } else { "\n" });
                text.push_str(&body);
            }
            Language::Glsl | Language::Hlsl => {
                let guard = guard(&name);
                text.push_str(&format!("#ifndef {guard}\n#define {guard}\n\n"));
                let mut needed: Vec<String> = self.edges.get(source).into_iter().flatten().cloned().collect();
                self.includes.put_in_order(&[source.to_owned()], &mut needed);
                let needed = needed.iter().filter_map(|needed| names.get(needed));
                let includes: String = needed.map(|needed| include(&name, needed)).collect();
                if !includes.is_empty() {
                    text.push_str(&format!("{includes}\n"));
                }
                text.push_str(&format!("{body}\n#endif\n"));
            }
        }
        HeaderFile { name, text, copies }
    }

    /// Headers that the declarations which stay in a text name, in the order in which its sources include them.
    fn direct(&self, number: usize) -> Vec<String> {
        let Some(flat) = self.flat.get(number) else { return Vec::new() };
        let units = || flat.read.units.iter().map(|(unit, _)| unit).enumerate();
        let used = self.used(number, flat);
        let source_of = |at: usize| Some(self.sharing.in_header(number, at)?.1.place.source.clone());
        let is_used = |(_, unit): &(usize, &TextUnit)| unit.declares.iter().any(|name| used.contains(name.as_str()));
        let mut found: Vec<String> = Vec::new();
        for source in units().filter(is_used).filter_map(|(at, _)| source_of(at)) {
            if !found.contains(&source) {
                found.push(source);
            }
        }
        // Specialization constants are there for all entry points, whether they use them or not.
        for source in units().filter_map(|(at, _)| source_of(at)) {
            if !self.closed(&found).contains(&source) {
                found.push(source);
            }
        }
        // Headers of which nothing is used.
        for source in self.sharing.included_unused(number, &self.edges) {
            if !self.closed(&found).contains(source) {
                found.push(source.clone());
            }
        }
        self.includes.put_in_order(&flat.mains, &mut found);
        found
    }

    /// Headers with those that they need, which come first.
    fn closed(&self, direct: &[String]) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut open: Vec<(String, bool)> = direct.iter().rev().map(|source| (source.clone(), false)).collect();
        while let Some((source, is_done)) = open.pop() {
            if all.contains(&source) {
                continue;
            }
            if is_done {
                all.push(source);
                continue;
            }
            open.push((source.clone(), true));
            let needed = self.edges.get(&source).into_iter().flatten();
            open.extend(needed.filter(|needed| !all.contains(needed)).map(|needed| (needed.clone(), false)));
        }
        all
    }

    /// The names that the declarations use which stay in a text.
    fn used<'t>(&self, number: usize, flat: &'t TreeText) -> BTreeSet<&'t str> {
        let units = flat.read.units.iter().enumerate();
        let staying = units.filter(|(at, _)| self.sharing.in_header(number, *at).is_none());
        staying.flat_map(|(_, (unit, _))| &unit.uses).map(String::as_str).collect()
    }

    fn text(&self, number: usize) -> TextFile {
        let Some(flat) = self.flat.get(number) else { return TextFile::default() };
        let direct = self.direct(number);
        if direct.is_empty() {
            let units = self.staying(number).collect();
            return TextFile { text: flat.read.text.clone(), units, ..TextFile::default() };
        }
        let mut copies = String::new();
        let includes: String = match self.language {
            Language::Wgsl => {
                let needed = self.needed_by_text(number);
                let name = |source: &String| self.headers.get(source).map(|header| header.name.as_str());
                copies = self.copies(&needed);
                self.imports.lines(&self.imported(&flat.mains, &needed, name))
            }
            Language::Glsl | Language::Hlsl => {
                let early = direct.iter().filter(|source| !self.late.contains_key(*source));
                early.map(|source| self.include_of(flat, source)).collect()
            }
        };
        let mut text = self.head(flat, &direct) + &self.about_headers(flat, &direct);
        if !includes.is_empty() {
            let has_directives = flat.read.units.iter().any(|(unit, _)| unit.range.end <= flat.head);
            text = match self.imports.are_before_directives(self.language) && has_directives {
                true => format!("{includes}\n{text}"),
                false => format!("{text}{}", separated(&text, &includes)),
            };
        }
        if !copies.is_empty() {
            text.push_str(&separated(&text, &copies));
        }
        let parts = self.parts(number, flat, &direct);
        self.add_parts(&mut text, number, flat, &parts);
        let rest = flat.read.text.get(flat.read.end..).unwrap_or_default();
        text.push_str(rest.strip_prefix('\n').unwrap_or(rest));
        let in_head = self.staying(number).filter(|at| !is_behind_head(flat, *at));
        let units = in_head.chain(parts.iter().filter_map(TextPart::unit)).collect();
        TextFile { text, copies, headers: self.closed(&direct), units }
    }

    /// The line by which a text includes the header of a source.
    fn include_of(&self, flat: &TreeText, source: &str) -> String {
        self.headers.get(source).map_or(String::new(), |header| include(&flat.name, &header.name))
    }

    /// The comments about headers that are in none of those that a text needs.
    fn about_headers(&self, flat: &TreeText, direct: &[String]) -> String {
        let of_source = |(unit, _): &&(TextUnit, _)| unit.range.start >= flat.head;
        let Some((first, _)) = flat.read.units.iter().find(of_source) else { return String::new() };
        let before = |comment: &&Range<usize>| comment.start >= flat.head && comment.end <= first.range.start;
        let comments: Vec<&Range<usize>> = first.comments.iter().map(|(comment, _)| comment).filter(before).collect();
        let needed = self.closed(direct);
        let headers: Vec<&str> =
            needed.iter().filter_map(|source| Some(self.headers.get(source)?.text.as_str())).collect();
        let (mut left, mut told) = (comments.as_slice(), String::new());
        while let Some((next, rest)) = left.split_first() {
            // Comments of several headers may stand there without a blank line between them.
            let is_there = |count: &usize| {
                let last = left.get(count - 1).map_or(next.end, |comment| comment.end);
                let block = flat.read.text.get(next.start..last).unwrap_or_default();
                headers.iter().any(|header| block_in(header, block).is_some())
            };
            left = match (1..=left.len()).rev().find(is_there) {
                Some(count) => left.get(count..).unwrap_or_default(),
                None => {
                    told.push_str(flat.read.text.get((*next).clone()).unwrap_or_default());
                    told.push('\n');
                    rest
                }
            };
        }
        told
    }

    /// Directives and the comment about the file.
    fn head(&self, flat: &TreeText, direct: &[String]) -> String {
        let head = flat.read.text.get(..flat.head).unwrap_or_default();
        let mut text = String::new();
        let directives = flat.read.units.iter().filter(|(unit, _)| unit.range.end <= flat.head);
        let extends = |unit: &&(TextUnit, _)| unit.0.tokens.get(1).is_some_and(|t| t == "version" || t == "extension");
        let last = directives.clone().rev().find(extends).map(|(unit, _)| unit.range.end);
        match (self.language, last) {
            (Language::Glsl, Some(last)) => {
                text.push_str(head.get(..last).unwrap_or_default());
                let needed = self.closed(direct);
                let mut headers = needed.iter().filter_map(|source| self.headers.get(source));
                if !head.contains(ATTRIBUTES) && headers.any(|header| header.text.contains("[[")) {
                    text.push_str(&format!("\n{ATTRIBUTES}"));
                }
                text.push_str(&format!("\n{INCLUDES}"));
                text.push_str(head.get(last..).unwrap_or_default());
            }
            _ => text.push_str(&self.with_directives_first(head, directives.collect())),
        }
        let text = text.trim_end();
        if text.is_empty() { String::new() } else { format!("{text}\n") }
    }

    /// A head in which directives stand before comments that a tool would take for the end of them.
    fn with_directives_first(&self, head: &str, directives: Vec<&(TextUnit, Option<HeaderPlace>)>) -> String {
        let is_ended = self.imports.ends_directives(head);
        let Some((first, _)) = directives.first().filter(|_| is_ended) else { return head.to_owned() };
        let comments = head.get(..first.code.start).unwrap_or_default().trim_end();
        format!("{}\n\n{comments}", head.get(first.code.start..).unwrap_or_default().trim_end())
    }

    /// Whether lines that import may be there for some variants of a text alone.
    pub fn imports_may_vary(&self) -> bool {
        match self.imports {
            WgslImports::Wesl => true,
            // The sidecar lists modules of all variants together, and naga_oil knows no attributes.
            WgslImports::None | WgslImports::NagaOil => false,
        }
    }

    /// A text of the tree by its name.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.texts.get(self.number_of(name)?).map(|file| file.text.as_str())
    }

    /// A text of a language that includes, with headers in place of the lines that include them.
    fn expanded(&self, name: &str, text: &str) -> String {
        let by_name: BTreeMap<&str, &str> =
            self.headers.values().map(|header| (header.name.as_str(), header.text.as_str())).collect();
        ExpandedText::of_includes(name, text, &|name| by_name.get(name).map(|text| (*text).to_owned())).text
    }

    /// Which line of a header is which line of a flat text.
    pub fn lines_of_header(&self, source: &str) -> Vec<Option<MappedLine>> {
        let ranges =
            self.sharing.order(source).into_iter().flat_map(|id| match (self.pieces(id), self.sharing.unit(id)) {
                (Some(pieces), _) => pieces.ranges,
                (None, Some(shared)) => {
                    let unit = self.unit(id).map(|(_, unit)| (shared.at.0, unit.code.start..unit.range.end));
                    unit.into_iter().collect()
                }
                (None, None) => Vec::new(),
            });
        self.lines_of(self.headers.get(source).map_or("", |header| header.text.as_str()), ranges)
    }

    /// Which line of a text of the tree is which line of the flat one.
    pub fn lines_of_text(&self, number: usize) -> Vec<Option<MappedLine>> {
        let (Some(flat), Some(file)) = (self.flat.get(number), self.texts.get(number)) else { return Vec::new() };
        let units = file.units.iter().filter_map(|at| flat.read.units.get(*at));
        let units = units.map(|(unit, _)| (number, unit.code.start..unit.range.end));
        self.lines_of(&file.text, units)
    }

    /// Where parts of flat texts stand in a text that has them in this order.
    fn lines_of(&self, text: &str, parts: impl Iterator<Item = (usize, Range<usize>)>) -> Vec<Option<MappedLine>> {
        let mut lines = vec![None; text.lines().count()];
        let (mut behind, mut line) = (0, 0);
        for (number, part) in parts {
            let Some(flat) = self.flat.get(number) else { continue };
            let code = flat.read.text.get(part.clone()).unwrap_or_default();
            let rest = text.get(behind..).unwrap_or_default();
            let Some(at) = rest.find(code) else { continue };
            line += rest.get(..at).map_or(0, |before| before.matches('\n').count());
            // The columns of what does not begin its line are others here.
            let (from, is_first) = flat.line(part.start);
            let count = code.lines().count();
            for step in usize::from(!is_first)..count {
                if let Some(place) = lines.get_mut(line + step) {
                    *place = Some((number, from + step));
                }
            }
            line += code.matches('\n').count();
            behind += at + code.len();
        }
        lines
    }

    /// The map of lines of flat texts.
    pub fn map(&self, lines: &[Option<MappedLine>]) -> SourceMap {
        let maps: Vec<&SourceMap> = self.flat.iter().map(|flat| &flat.map).collect();
        SourceMap::of_lines(&maps, lines)
    }

    /// The number of a text of the tree.
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.flat.iter().take(self.texts.len()).position(|flat| flat.name == name)
    }

    /// What a compiler sees of a text.
    pub fn whole(&self, number: usize) -> String {
        let Some(file) = self.texts.get(number) else { return String::new() };
        match (self.language, self.flat.get(number)) {
            (Language::Wgsl, _) => {
                let needed = file.headers.iter().filter_map(|source| self.headers.get(source));
                let without = |text: &str, copies: &str| text.replacen(copies, "", 1);
                let whole = needed.fold(without(&file.text, &file.copies), |whole, header| {
                    whole + "\n" + &without(&header.text, &header.copies)
                });
                self.imports.removed(&whole)
            }
            (Language::Glsl | Language::Hlsl, Some(flat)) => self.expanded(&flat.name, &file.text),
            (Language::Glsl | Language::Hlsl, None) => String::new(),
        }
    }

    /// Whether headers need something of the texts that include them.
    pub fn needs_texts(&self) -> bool {
        !self.sharing.needed_of_texts(&self.edges).is_empty()
    }

    /// The numbers of texts that do not have the declarations of the flat ones with their headers: each token for token and once, and
    /// in an order in which nothing is used before it is declared, besides those that are of others. What stands in structs is
    /// compared on its own.
    pub fn unequal(&self) -> Vec<usize> {
        (0..self.texts.len()).filter(|number| !self.is_equal(*number)).collect()
    }

    fn is_equal(&self, number: usize) -> bool {
        let Some(flat) = self.flat.get(number) else { return false };
        let whole = TextUnits::of(&self.whole(number)).units;
        let flat_units = || flat.read.units.iter().map(|(unit, _)| unit);
        if !self.late.is_empty() && !parts::is_in_order(&whole, &flat_units().collect::<Vec<_>>()) {
            return false;
        }
        let kept = |unit: &TextUnit| {
            let text = unit.tokens_in_place();
            let is_ours = [
                "# ifndef INC_",
                "# define INC_",
                "# endif",
                "# extension GL_GOOGLE_include_directive",
                "# extension GL_EXT_control_flow_attributes",
            ];
            (!is_ours.iter().any(|start| text.starts_with(start)))
                .then_some((text, unit.kind == TextUnitKind::Directive))
        };
        let mut counts: BTreeMap<(String, bool), isize> = BTreeMap::new();
        whole.iter().filter_map(kept).for_each(|key| *counts.entry(key).or_default() += 1);
        flat_units().filter_map(kept).for_each(|key| *counts.entry(key).or_default() -= 1);
        let of_others: BTreeSet<String> =
            (0..self.sharing.count()).filter_map(|id| self.unit(id)).map(|(_, unit)| unit.tokens_in_place()).collect();
        counts.into_iter().all(|((text, is_directive), count)| match count {
            0 => true,
            1 => !is_directive && of_others.contains(&text),
            _ => false,
        })
    }
}

/// Text that is apart from what is before it.
fn separated(before: &str, text: &str) -> String {
    if before.is_empty() { text.to_owned() } else { format!("\n{text}") }
}

/// The line that includes `to` in `from`.
fn include(from: &str, to: &str) -> String {
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    format!("#include \"{}\"\n", way(directory, to))
}

/// The way from a directory to a file, both below the output directory.
fn way(directory: &str, file: &str) -> String {
    // Paths below a root, so that what they have in common is found.
    from_base(&Path::new("/out").join(directory), &Path::new("/out").join(file))
}

/// The macro that says that a header was read.
fn guard(name: &str) -> String {
    let below = name.find(HEADERS).and_then(|at| name.get(at..)).unwrap_or(name);
    let mut guard = String::new();
    for c in below.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => guard.push(c.to_ascii_uppercase()),
            // Two in a row are reserved.
            _ if !guard.ends_with('_') => guard.push('_'),
            _ => {}
        }
    }
    guard
}

/// Where a text has lines of comments that no others are right before or behind.
fn block_in(text: &str, block: &str) -> Option<usize> {
    let is_comment = |line: Option<&str>| line.is_some_and(|line| line.trim_start().starts_with("//"));
    let is_alone = |at: &usize| {
        let (before, behind) = (text.get(..*at).unwrap_or_default(), text.get(at + block.len()..).unwrap_or_default());
        let is_line = (before.is_empty() || before.ends_with('\n')) && (behind.is_empty() || behind.starts_with('\n'));
        is_line && !is_comment(before.lines().last()) && !is_comment(behind.lines().nth(1))
    };
    text.match_indices(block).map(|(at, _)| at).find(is_alone)
}

/// The comment that a source begins with, up to a blank line.
fn licence(source: &Path) -> Option<String> {
    let text = decode(std::fs::read(source).ok()?).ok()?;
    let (mut comments, mut diagnostics) = (Vec::new(), Diagnostics::default());
    let tokens = lex(FileId::default(), &text, &mut comments, &mut diagnostics);
    let code = tokens.iter().find(|token| token.kind != TokenKind::Newline)?.span.start;
    let mut block: Vec<&str> = Vec::new();
    let mut end = 0;
    for comment in comments.iter().filter(|comment| comment.span.start < code) {
        if !block.is_empty() && comment.blank_before {
            break;
        }
        block.push(comment.text.as_str());
        end = comment.span.end as usize;
    }
    // Right before a declaration it is about that.
    let gap = text.get(end..code as usize)?;
    let is_apart = gap.matches('\n').count() > 1 || text.get(code as usize..)?.starts_with('#');
    (!block.is_empty() && is_apart).then(|| block.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_from_texts() {
        assert_eq!(include("glsl/rtr/a.comp", "glsl/inc/b.glsl"), "#include \"../inc/b.glsl\"\n");
        assert_eq!(include("a.hlsl", "inc/b/c.hlsl"), "#include \"inc/b/c.hlsl\"\n");
        assert_eq!(include("inc/b/c.hlsl", "inc/d.hlsl"), "#include \"../d.hlsl\"\n");
        assert_eq!(guard("glsl/inc/b-c.x.glsl"), "INC_B_C_X_GLSL");
    }
}
