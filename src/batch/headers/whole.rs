//! A text of a tree together with its headers: what a compiler sees, with where each of its lines stands.

use crate::batch::order::WgslImports;
use std::collections::BTreeSet;
use std::ops::Range;

/// No header is read behind so many bytes: what includes another twice under conditions might double without end.
const LONGEST: usize = 1 << 26;

/// A text that is being read.
struct OpenText {
    file: usize,
    name: String,
    text: String,
    /// Where the next line is, and which it is.
    at: usize,
    number: usize,
    /// How many conditions are around it, and how many of these are guards.
    conditions: usize,
    guards: usize,
}

impl OpenText {
    fn new(file: usize, name: &str, text: String, guards: usize) -> OpenText {
        OpenText { file, name: name.to_owned(), text, at: 0, number: 0, conditions: 0, guards }
    }

    /// Where the next line is in the text, and its place.
    fn next(&mut self) -> Option<(Range<usize>, (usize, usize))> {
        let rest = self.text.get(self.at..)?;
        let line = rest.split_inclusive('\n').next()?;
        let place = (self.file, self.number);
        let (start, next) = (self.at, self.at + line.len());
        let line = line.trim_end_matches(['\r', '\n']);
        let end = start + line.len();
        if line.starts_with("#if") {
            self.conditions += 1;
        } else if line.starts_with("#endif") {
            self.conditions = self.conditions.saturating_sub(1);
        }
        (self.at, self.number) = (next, self.number + 1);
        Some((start..end, place))
    }
}

/// The path of what a line in a file includes.
fn included(name: &str, line: &str) -> Option<String> {
    let path = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'))?;
    let directory = name.rsplit_once('/').map_or("", |(directory, _)| directory);
    Some(crate::source::join_path(directory, path))
}

/// A text with its headers.
#[derive(Debug, Default)]
pub struct ExpandedText {
    /// What a compiler sees.
    pub text: String,
    files: Vec<String>,
    /// Of each line its file, by number, and the line there, from 0.
    lines: Vec<(usize, usize)>,
}

impl ExpandedText {
    /// Headers in place of the lines that include them, each once, but for lines that a condition may leave out. Names are paths from
    /// one directory; a line that includes what `header` does not give goes.
    pub fn of_includes(name: &str, text: &str, header: &dyn Fn(&str) -> Option<String>) -> ExpandedText {
        let mut whole = ExpandedText::default();
        let mut seen = BTreeSet::new();
        // Texts that are being read: those in headers wait, however deep.
        let mut open = vec![OpenText::new(whole.file(name), name, text.to_owned(), 0)];
        while let Some(reading) = open.last_mut() {
            let Some((range, place)) = reading.next() else {
                open.pop();
                continue;
            };
            let line = reading.text.get(range).unwrap_or_default();
            let Some(path) = included(&reading.name, line) else {
                whole.push(line, place);
                continue;
            };
            let is_open = open.iter().any(|reading| reading.name == path);
            let is_sure = open.iter().all(|reading| reading.conditions <= reading.guards);
            if seen.contains(&path) || is_open || whole.text.len() > LONGEST {
                continue;
            }
            if let Some(text) = header(&path) {
                open.push(OpenText::new(whole.file(&path), &path, text, 1));
            }
            if is_sure {
                seen.insert(path);
            }
        }
        whole
    }

    /// A text with its modules behind it, in order, without the lines by which they name each other.
    pub fn of_modules(texts: &[(&str, &str)], imports: WgslImports) -> ExpandedText {
        let mut whole = ExpandedText::default();
        for (name, text) in texts {
            let file = whole.file(name);
            imports.kept_lines(text).for_each(|(number, line)| whole.push(line, (file, number)));
        }
        whole
    }

    /// The file and the line there, from 0, of a line of the text.
    pub fn place(&self, line: usize) -> Option<(&str, usize)> {
        let (file, line) = self.lines.get(line)?;
        Some((self.files.get(*file)?, *line))
    }

    fn file(&mut self, name: &str) -> usize {
        self.files.push(name.to_owned());
        self.files.len() - 1
    }

    fn push(&mut self, line: &str, place: (usize, usize)) {
        self.text.push_str(line);
        self.text.push('\n');
        self.lines.push(place);
    }
}
