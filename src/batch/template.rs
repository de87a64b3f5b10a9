//! Names of outputs: templates such as `{target}/{program}.{entry}`, below the output directory and without the ending.
//!
//! | placeholder | what |
//! |---|---|
//! | `{program}` | the name of a `[[program]]`; else as `{file}` |
//! | `{file}` | the path of the first source from the root of the tree, without ending |
//! | `{entry}` | the entry point of a text that is of one |
//! | `{stage}` | its stage, as the ending of a file: `vert`, `frag`, `comp` |
//! | `{variant}` | the values of the axes: `SHADOWS-1.QUALITY-high` |
//! | `{target}` | `hlsl`, `glsl`, `wgsl` |
//!
//! A placeholder that has no value for an output (the entry point of a text of several) is left out together with the separator
//! before it.

use crate::compile::Target;
use std::fmt::Write;
use std::path::{Component, Path};

/// A template that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Slot(Slot),
}

/// A placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The name of the program.
    Program,
    /// The path of the first source.
    File,
    /// The entry point.
    Entry,
    /// Its stage.
    Stage,
    /// The values of axes.
    Variant,
    /// The target.
    Target,
}

impl Slot {
    /// (name, placeholder).
    const TABLE: &[(&str, Slot)] = &[
        ("program", Slot::Program),
        ("file", Slot::File),
        ("entry", Slot::Entry),
        ("stage", Slot::Stage),
        ("variant", Slot::Variant),
        ("target", Slot::Target),
    ];
}

/// The values of placeholders for one output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Values<'a> {
    /// The name of the program.
    pub program: &'a str,
    /// The path of the first source.
    pub file: &'a str,
    /// The entry point, if the output is of one.
    pub entry: Option<&'a str>,
    /// Its stage.
    pub stage: Option<&'a str>,
    /// The values of axes, if there are any.
    pub variant: Option<&'a str>,
    /// The target; `None` for what is of all.
    pub target: Option<Target>,
}

impl Values<'_> {
    fn get(&self, slot: Slot) -> Option<&str> {
        match slot {
            Slot::Program => Some(self.program),
            Slot::File => Some(self.file),
            Slot::Entry => self.entry,
            Slot::Stage => self.stage,
            Slot::Variant => self.variant,
            Slot::Target => self.target.map(Target::name),
        }
    }
}

/// What stands between the parts of a name.
const SEPARATORS: &[char] = &['.', '_', '-'];

impl Template {
    /// Reads a template. The error says what is wrong.
    pub fn parse(text: &str) -> Result<Template, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or_else(|| format!("`{text}`: `{{` without `}}`"))?;
            let slot = Slot::TABLE.iter().find(|(n, _)| *n == name).map(|(_, slot)| *slot).ok_or_else(|| {
                let known: Vec<String> = Slot::TABLE.iter().map(|(n, _)| format!("{{{n}}}")).collect();
                format!("`{text}`: there is no `{{{name}}}`; there are {}", known.join(", "))
            })?;
            pieces.push(Piece::Text(before.to_owned()));
            pieces.push(Piece::Slot(slot));
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_owned()));
        pieces.retain(|piece| *piece != Piece::Text(String::new()));
        if !stays_below(text) {
            return Err(format!("`{text}` leads out of the output directory"));
        }
        Ok(Template { pieces })
    }

    /// Whether it has a placeholder.
    pub fn has(&self, slot: Slot) -> bool {
        self.pieces.contains(&Piece::Slot(slot))
    }

    /// With a placeholder at the end, if it has none of its kind.
    pub fn with(mut self, slot: Slot) -> Template {
        if !self.has(slot) {
            self.pieces.push(Piece::Text(".".to_owned()));
            self.pieces.push(Piece::Slot(slot));
        }
        self
    }

    /// The name of an output, `/`-separated.
    pub fn expand(&self, values: &Values) -> String {
        let mut name = String::new();
        // What was left out began the name or a part of it, so that no separator begins it now.
        let mut begins = false;
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) if begins => name.push_str(text.strip_prefix(SEPARATORS).unwrap_or(text)),
                Piece::Text(text) => name.push_str(text),
                Piece::Slot(slot) => match values.get(*slot) {
                    Some(value) => name.push_str(value),
                    None => {
                        let kept = name.strip_suffix(SEPARATORS).map(str::len);
                        name.truncate(kept.unwrap_or(name.len()));
                        begins = name.is_empty() || name.ends_with('/');
                        continue;
                    }
                },
            }
            begins = false;
        }
        name
    }
}

/// Whether a name cannot lead out of the directory that it is below.
pub fn stays_below(name: &str) -> bool {
    let parts = Path::new(name).components();
    !name.is_empty() && parts.into_iter().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// A text as a part of a file's name: letters that have a meaning in names become `_`.
pub fn file_part(text: &str) -> String {
    let mut part = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_alphanumeric() || "-+=,_".contains(c) => part.push(c),
            '.' if !part.is_empty() => part.push('.'),
            _ => part.push('_'),
        }
    }
    part
}

/// The values of axes in a name: `SHADOWS-1.QUALITY-high`.
pub fn variant_name(values: &[(String, Option<String>)]) -> String {
    let mut name = String::new();
    for (axis, value) in values {
        let dot = if name.is_empty() { "" } else { "." };
        let value = value.as_deref().map_or("undefined".to_owned(), file_part);
        // Writing into a string cannot fail.
        let _ = write!(name, "{dot}{}-{value}", file_part(axis));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: Values = Values {
        program: "sky",
        file: "post/sky",
        entry: Some("main"),
        stage: Some("frag"),
        variant: None,
        target: Some(Target::Glsl),
    };

    fn name(template: &str, values: &Values) -> String {
        Template::parse(template).unwrap().expand(values)
    }

    #[test]
    fn placeholders_are_filled_in() {
        assert_eq!(name("{target}/{file}.{entry}", &VALUES), "glsl/post/sky.main");
        assert_eq!(name("{program}_{stage}", &VALUES), "sky_frag");
        let whole = Values { entry: None, stage: None, ..VALUES };
        assert_eq!(name("{target}/{file}.{entry}", &whole), "glsl/post/sky");
        assert_eq!(name("{stage}/{program}-{variant}-{entry}.x", &whole), "/sky.x");
        assert_eq!(name("{entry}_{program}", &whole), "sky");
        assert_eq!(Template::parse("{file}").unwrap().with(Slot::Variant).expand(&VALUES), "post/sky");
        let varied = Values { variant: Some("A-1"), ..VALUES };
        assert_eq!(Template::parse("{file}").unwrap().with(Slot::Variant).expand(&varied), "post/sky.A-1");
    }

    #[test]
    fn faults_are_told() {
        assert!(Template::parse("{file").unwrap_err().contains("without"));
        assert!(Template::parse("{nme}").unwrap_err().contains("there is no `{nme}`"));
        for template in ["../{file}", "/tmp/{file}", "a/../../{file}", ""] {
            assert!(Template::parse(template).unwrap_err().contains("leads out"), "{template}");
        }
    }

    #[test]
    fn values_are_parts_of_names() {
        let values = [("A".to_owned(), Some("../x y".to_owned())), ("B".to_owned(), None)];
        assert_eq!(variant_name(&values), "A-_./x y".replace(['/', ' '], "_") + ".B-undefined");
    }
}
