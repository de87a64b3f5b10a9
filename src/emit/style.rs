//! How texts are laid out: as the source is, unless it is chosen otherwise.

use crate::target::Language;

/// Where opening braces stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Braces {
    /// On a line of their own, as HLSL and GLSL are usually written.
    OwnLine,
    /// At the end of the line, as WGSL is usually written.
    SameLine,
}

/// What lines in a block begin with, once for each block around them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indent {
    /// A tab.
    Tab,
    /// So many spaces.
    Spaces(u8),
}

/// The most spaces of an [`Indent`].
const MOST_SPACES: u8 = 8;

/// How many columns a tab is taken for.
const TAB_COLUMNS: u8 = 4;

impl Indent {
    /// As text.
    pub fn text(self) -> &'static str {
        match self {
            Indent::Tab => "\t",
            Indent::Spaces(count) => "        ".get(..usize::from(count)).unwrap_or("    "),
        }
    }

    /// How wide it is.
    pub fn columns(self) -> usize {
        match self {
            Indent::Tab => TAB_COLUMNS.into(),
            Indent::Spaces(count) => count.into(),
        }
    }
}

/// How texts are laid out: `--style`. What is `None` is as in the source. WGSL has its braces at the ends of lines in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextStyle {
    /// Of lines in blocks.
    pub indent: Option<Indent>,
    /// Opening braces.
    pub braces: Option<Braces>,
}

impl TextStyle {
    /// The default.
    pub const SOURCE: &str = "source";

    /// One of `source`, `own-line`, `same-line`, `tab` and numbers of spaces, or two of them with a comma between.
    pub fn parse(text: &str) -> Option<TextStyle> {
        let mut style = TextStyle::default();
        if text.trim() == Self::SOURCE {
            return Some(style);
        }
        for word in text.split(',').map(str::trim) {
            let (indent, braces) = match word {
                "own-line" => (None, Some(Braces::OwnLine)),
                "same-line" => (None, Some(Braces::SameLine)),
                "tab" => (Some(Indent::Tab), None),
                number => {
                    let count = number.parse().ok().filter(|count| (1..=MOST_SPACES).contains(count))?;
                    (Some(Indent::Spaces(count)), None)
                }
            };
            if indent.is_some() && style.indent.is_some() || braces.is_some() && style.braces.is_some() {
                return None;
            }
            style = TextStyle { indent: indent.or(style.indent), braces: braces.or(style.braces) };
        }
        Some(style)
    }

    /// How a text is laid out: most of its braces, and what most of its blocks are indented by.
    pub fn of(text: &str) -> TextStyle {
        let (mut own, mut same, mut tabs) = (0usize, 0usize, 0usize);
        let mut steps = [0usize; MOST_SPACES as usize + 1];
        let mut opened: Option<usize> = None;
        for line in text.lines() {
            let code = line.split_once("//").map_or(line, |(code, _)| code).trim_end();
            let inner = code.trim_start();
            if inner.is_empty() || inner.starts_with('#') {
                continue;
            }
            let blanks = code.len() - inner.len();
            if let Some(step) = opened.and_then(|outer| blanks.checked_sub(outer)) {
                match code.starts_with('\t') {
                    true => tabs += usize::from(step > 0),
                    false => steps.get_mut(step).into_iter().for_each(|count| *count += 1),
                }
            }
            opened = inner.ends_with('{').then_some(blanks);
            match inner.strip_suffix('{').map(str::trim_end) {
                Some("") => own += 1,
                // A list of values has its braces where they fit.
                Some(head) => same += usize::from(!head.ends_with(['=', '(', ','])),
                None => {}
            }
        }
        let spaces =
            steps.iter().enumerate().skip(1).rev().max_by_key(|(_, count)| **count).filter(|(_, count)| **count > 0);
        let indent = match spaces {
            Some((_, count)) if *count < tabs => Some(Indent::Tab),
            None if tabs > 0 => Some(Indent::Tab),
            _ => spaces.map(|(step, _)| Indent::Spaces(step as u8)),
        };
        let braces = match own.cmp(&same) {
            std::cmp::Ordering::Less => Some(Braces::SameLine),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Braces::OwnLine),
        };
        TextStyle { indent, braces }
    }

    /// With what is not chosen as in the source of a program.
    pub fn or_of(self, source: &str, language: Language) -> TextStyle {
        let is_chosen = self.indent.is_some() && self.braces.is_some();
        let found = if is_chosen { self } else { TextStyle::of(source) };
        let braces = match language {
            Language::Hlsl | Language::Glsl => self.braces.or(found.braces).unwrap_or(Braces::OwnLine),
            Language::Wgsl => Braces::SameLine,
        };
        let indent = self.indent.or(found.indent).unwrap_or(Indent::Spaces(4));
        TextStyle { indent: Some(indent), braces: Some(braces) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_of_a_text_is_that_of_most_of_it() {
        let style = |indent, braces| TextStyle { indent, braces };
        assert_eq!(
            TextStyle::of("void f() {\n  a;\n  if (b) {\n    c;\n  }\n}\n"),
            style(Some(Indent::Spaces(2)), Some(Braces::SameLine))
        );
        assert_eq!(TextStyle::of("void f()\n{\n\ta;\n}\n"), style(Some(Indent::Tab), Some(Braces::OwnLine)));
        assert_eq!(TextStyle::of("int a[] = {\n    1 };\n"), style(Some(Indent::Spaces(4)), None));
        assert_eq!(TextStyle::of(""), TextStyle::default());
    }

    #[test]
    fn styles_are_words() {
        let both = TextStyle { indent: Some(Indent::Spaces(2)), braces: Some(Braces::SameLine) };
        assert_eq!(TextStyle::parse("2, same-line"), Some(both));
        assert_eq!(TextStyle::parse("source"), Some(TextStyle::default()));
        assert_eq!([TextStyle::parse("2,4"), TextStyle::parse("9"), TextStyle::parse("")], [None; 3]);
    }
}
