//! Imports of WGSL, which has none of its own: lines of WESL (<https://wesl-lang.dev/spec/Imports>) or of naga_oil.

use super::units::TextUnit;
use crate::batch::order::WgslImports;
use crate::target::Language;
use std::collections::BTreeSet;

/// The widest line.
const WIDTH: usize = 120;

/// The names that a text needs of each file.
pub type ImportedNames<'n> = Vec<(&'n str, BTreeSet<&'n str>)>;

impl WgslImports {
    /// The name of a file as a path of modules can have it: each part is an identifier.
    pub fn file(self, path: String) -> String {
        match self {
            WgslImports::None => path,
            WgslImports::Wesl | WgslImports::NagaOil => {
                let part = |c: char| if c.is_ascii_alphanumeric() || c == '/' { c } else { '_' };
                path.chars().map(part).collect()
            }
        }
    }

    /// Whether a text and its files are one module, in which each may name what another one declares.
    pub fn are_of_one_module(self) -> bool {
        match self {
            WgslImports::None => true,
            WgslImports::Wesl | WgslImports::NagaOil => false,
        }
    }

    /// What a module begins with.
    pub fn head(self, file: &str) -> String {
        match self {
            WgslImports::None | WgslImports::Wesl => String::new(),
            WgslImports::NagaOil => format!("#define_import_path {}\n", module(file)),
        }
    }

    /// Whether lines that import come before directives such as `enable`, where a language has any.
    pub fn are_before_directives(self, language: Language) -> bool {
        match language {
            Language::Glsl | Language::Hlsl => false,
            Language::Wgsl => match self {
                WgslImports::None | WgslImports::Wesl => true,
                // It takes directives from the begin of a file alone.
                WgslImports::NagaOil => false,
            },
        }
    }

    /// Whether a comment that a text begins with is read as the end of its directives: naga_oil knows those of one line alone.
    pub fn ends_directives(self, text: &str) -> bool {
        match self {
            WgslImports::None | WgslImports::Wesl => false,
            WgslImports::NagaOil => text.trim_start().starts_with("/*"),
        }
    }

    /// Whether other files can have a declaration from a header. What naga_oil passes on is what naga writes, which spells some names
    /// in its own way: it knows them by that alone.
    pub fn passes_on(self, unit: &TextUnit) -> bool {
        match self {
            WgslImports::None | WgslImports::Wesl => true,
            WgslImports::NagaOil => {
                let is_struct = unit.tokens.first().is_some_and(|word| word == "struct");
                let pairs = unit.tokens.iter().zip(unit.tokens.iter().skip(1));
                let mut members = pairs.filter(|(_, next)| is_struct && *next == ":").map(|(name, _)| name);
                let is_changed = |name: &String| name.ends_with(|c: char| c.is_ascii_digit() || c == '_');
                !members.any(is_changed) && !unit.tokens.iter().any(|word| word.contains("__"))
            }
        }
    }

    /// Whether each file that needs a declaration has a copy of it: naga_oil does not pass on constants without a type, which may be of
    /// any. They have no identity that a copy would not have.
    pub fn is_copied(self, unit: &TextUnit) -> bool {
        match self {
            WgslImports::None | WgslImports::Wesl => false,
            WgslImports::NagaOil => {
                let word = |at: usize| unit.tokens.get(at).map_or("", String::as_str);
                word(0) == "const" && word(2) == "="
            }
        }
    }

    /// The lines that import names from files.
    pub fn lines(self, needed: &[(&str, BTreeSet<&str>)]) -> String {
        let all = needed.iter().map(|(file, names)| {
            let (before, after) = match self {
                WgslImports::None => return String::new(),
                WgslImports::Wesl => (format!("import package::{}::{{", module(file)), "};\n"),
                WgslImports::NagaOil => (format!("#import {}::{{", module(file)), "}\n"),
            };
            let names: Vec<&str> = names.iter().copied().collect();
            let line = format!("{before}{}{after}", names.join(", "));
            if line.trim_end().len() <= WIDTH { line } else { format!("{before}\n{}{after}", broken(&names)) }
        });
        all.collect()
    }

    /// How these lines begin.
    fn starts(self) -> &'static [&'static str] {
        match self {
            WgslImports::None => &[],
            WgslImports::Wesl => &["import package::"],
            WgslImports::NagaOil => &["#define_import_path ", "#import "],
        }
    }

    /// Which of them a text has.
    pub fn of_text(text: &str) -> WgslImports {
        let has = |imports: &WgslImports| {
            text.lines().any(|line| imports.starts().iter().any(|start| line.starts_with(start)))
        };
        [WgslImports::Wesl, WgslImports::NagaOil].into_iter().find(has).unwrap_or_default()
    }

    /// A text without these lines, as it is together with its modules.
    pub fn removed(self, text: &str) -> String {
        match self {
            WgslImports::None => text.to_owned(),
            WgslImports::Wesl | WgslImports::NagaOil => {
                self.kept_lines(text).map(|(_, line)| format!("{line}\n")).collect()
            }
        }
    }

    /// The other lines of a text, with their numbers.
    pub fn kept_lines(self, text: &str) -> impl Iterator<Item = (usize, &str)> {
        let mut is_list = false;
        text.lines().enumerate().filter(move |(_, line)| {
            let is_import = is_list || self.starts().iter().any(|start| line.starts_with(start));
            is_list = is_import && !line.contains('}') && (is_list || line.contains('{'));
            !is_import
        })
    }
}

/// Lines of names within the width.
fn broken(names: &[&str]) -> String {
    let mut lines = vec![String::from("    ")];
    for name in names {
        let width = lines.last().map_or(0, String::len);
        if width > 4 && width + name.len() + 2 > WIDTH {
            lines.push(String::from("    "));
        }
        let line = lines.last_mut();
        line.into_iter().for_each(|line| line.push_str(&format!("{name}, ")));
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The path of a module: that of its file below the directory of the target.
fn module(file: &str) -> String {
    let path = file.find("inc/").and_then(|at| file.get(at..)).unwrap_or(file);
    let path = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    path.replace('/', "::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_written_and_removed() {
        let needed = [("wgsl/inc/a/light.wgsl", BTreeSet::from(["Light", "strength"]))];
        let (wesl, oil) = (WgslImports::Wesl, WgslImports::NagaOil);
        assert_eq!(wesl.lines(&needed), "import package::inc::a::light::{Light, strength};\n");
        assert_eq!(oil.lines(&needed), "#import inc::a::light::{Light, strength}\n");
        assert_eq!(oil.head("inc/b.wgsl"), "#define_import_path inc::b\n");
        for imports in [wesl, oil] {
            let text = format!("{}{}enable f16;\n", imports.head("inc/b.wgsl"), imports.lines(&needed));
            assert_eq!(imports.removed(&text), "enable f16;\n");
        }
        let long: Vec<String> = (0..30).map(|n| format!("name_{n}")).collect();
        let needed = [("inc/b.wgsl", long.iter().map(String::as_str).collect())];
        let lines = wesl.lines(&needed);
        assert!(lines.lines().count() == 5 && lines.lines().all(|line| line.len() <= WIDTH), "{lines}");
        assert_eq!(wesl.removed(&format!("{lines}const a = 1;\n")), "const a = 1;\n");
        assert_eq!(wesl.file("inc/a-b.c".to_owned()), "inc/a_b_c");
        assert_eq!(WgslImports::None.lines(&needed), "");
    }
}
