//! Texts whose compilers are told by `#line` where lines come from.

use super::SourceMap;
use crate::target::LineForm;

/// What stands before everything else in a text: nothing may come before a version, and nothing there is wrong.
const HEAD: [&str; 2] = ["#version", "#extension"];

impl SourceMap {
    /// A text with `#line` wherever the next line does not follow the one before it in its file, and its map.
    pub fn with_line_directives(&self, text: &str, form: LineForm) -> (String, SourceMap) {
        let (mut out, mut lines) = (String::with_capacity(text.len() * 2), Vec::new());
        let mut extension = match form {
            LineForm::Named | LineForm::Numbered => None,
            LineForm::NamedBy(name) => Some(name),
        };
        let mut expected = None;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let segments = self.lines.get(number).map(Vec::as_slice).unwrap_or_default();
            let is_head = HEAD.iter().any(|word| line.starts_with(word));
            if let Some(name) = extension.take_if(|_| !is_head) {
                out.push_str(&format!("#extension {name} : require\n"));
                lines.push(Vec::new());
            }
            // Of a brace alone nothing is said.
            let is_told = !is_head && !matches!(line.trim(), "{" | "}" | "};");
            if let Some(place) = segments.first().map(|first| first.place).filter(|_| is_told) {
                let now = (place.source, place.line);
                if expected != Some(now) {
                    out.push_str(&self.line_directive(now, form));
                    lines.push(Vec::new());
                }
                expected = Some(now);
            }
            out.push_str(line);
            lines.push(segments.to_vec());
            expected = expected.map(|(source, line)| (source, line + 1));
        }
        (out, SourceMap { lines, ..self.clone() })
    }

    fn line_directive(&self, (source, line): (u32, u32), form: LineForm) -> String {
        let name = self.sources.get(source as usize).map_or("", |source| source.name.as_str());
        match form {
            LineForm::Named | LineForm::NamedBy(_) => {
                let is_legal = |c: char| !c.is_control() && c != '"';
                let name: String = name.replace('\\', "/").chars().filter(|c| is_legal(*c)).collect();
                format!("#line {} \"{name}\"\n", line + 1)
            }
            LineForm::Numbered => format!("#line {} {source}\n", line + 1),
        }
    }
}
