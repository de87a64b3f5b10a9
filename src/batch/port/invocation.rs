//! A command line of fxc, dxc, slangc, glslc or glslangValidator as what it means here.

use super::flags::{CompilerTool, FlagValue, Meaning, ToolFlag, flag, similar_flag};
use super::words::{posix_words, windows_words};
use crate::batch::plan::{DXC_LIBRARY, dxc_profile};
use crate::check::stage_of_word;
use crate::diagnostic::{WarningLevel, WarningRule};
use crate::layout::Shift;
use crate::options::{Choices, define};
use crate::tree::Stage;

/// Response files in response files.
const DEEPEST: usize = 8;

/// What a command line says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Invocation {
    /// Its sources.
    pub files: Vec<String>,
    /// Entry points, each with its stage if that is said.
    pub entries: Vec<(String, Option<Stage>)>,
    /// The profile as it is written.
    pub profile: Option<String>,
    /// All functions with a stage are entry points.
    pub is_library: bool,
    /// Macros.
    pub defines: Vec<(String, Option<String>)>,
    /// Include directories.
    pub include: Vec<String>,
    /// The file to write.
    pub output: Option<String>,
    /// The name of the target.
    pub target: Option<String>,
    /// Whether the sources are HLSL, if an option says it.
    pub is_hlsl: Option<bool>,
    /// What else is chosen.
    pub choices: Choices,
    /// Options that decide on nothing here, with the reason.
    pub ignored: Vec<(String, &'static str)>,
    /// Options that ask for what is not done here, with what to do instead.
    pub unsupported: Vec<(String, &'static str)>,
    /// Words that are no options, and values that are none, in words.
    pub faults: Vec<String>,
}

/// Reads a command line without the name of the program. `response` gives the text of a file that is named by `@`.
pub fn read_invocation(tool: CompilerTool, words: &[String], response: &dyn Fn(&str) -> Option<String>) -> Invocation {
    let mut found = Invocation::default();
    let mut all = Vec::new();
    expand(tool, words, response, DEEPEST, &mut all, &mut found.faults);
    let mut rest = all.into_iter();
    let mut stage = None;
    while let Some(word) = rest.next() {
        let Some((flag, joined)) = as_flag(tool, &word, &mut found) else { continue };
        let mut values: Vec<String> = joined.into_iter().collect();
        let wanted = match flag.value {
            FlagValue::None | FlagValue::Joined => values.len(),
            FlagValue::Apart(count) => count,
            FlagValue::Either => 1,
        };
        values.extend(rest.by_ref().take(wanted.saturating_sub(values.len())));
        if values.len() < wanted {
            found.faults.push(format!("`{word}` needs a value"));
            continue;
        }
        found.add(flag, &word, &values, &mut stage);
    }
    found.finish(stage);
    found
}

/// Replaces `@FILE` by the words of the file.
fn expand(
    tool: CompilerTool,
    words: &[String],
    response: &dyn Fn(&str) -> Option<String>,
    depth: usize,
    all: &mut Vec<String>,
    faults: &mut Vec<String>,
) {
    for word in words {
        let Some(path) = word.strip_prefix('@').filter(|path| !path.is_empty()) else {
            all.push(word.clone());
            continue;
        };
        match response(path).filter(|_| depth > 0) {
            Some(text) => {
                let split = if tool.has_slashes() { windows_words } else { posix_words };
                expand(tool, &split(text.trim_start_matches('\u{feff}')), response, depth - 1, all, faults);
            }
            None => faults.push(format!("the response file `{path}` cannot be read")),
        }
    }
}

/// The option that a word is, with the value that is joined to it. What is none is a source or a fault.
fn as_flag(tool: CompilerTool, word: &str, found: &mut Invocation) -> Option<(&'static ToolFlag, Option<String>)> {
    let by_dash = word.strip_prefix('-').filter(|rest| !rest.is_empty());
    let by_slash = word.strip_prefix('/').filter(|rest| tool.has_slashes() && !rest.is_empty());
    let Some(rest) = by_dash.or(by_slash) else {
        found.files.push(word.to_owned());
        return None;
    };
    let row = flag(tool, rest);
    // `/home/a.hlsl` is the path of a source.
    let is_path = by_slash.is_some() && rest.contains('/') && super::words::is_shader(rest);
    let leads_to_path = row.is_some_and(|row| row.meaning == Meaning::Include || row.meaning == Meaning::Output);
    if is_path && !leads_to_path {
        found.files.push(word.to_owned());
        return None;
    }
    let Some(row) = row else {
        let near = similar_flag(tool, rest).map_or(String::new(), |near| format!(", did you mean `-{near}`?"));
        found.faults.push(format!("{} has no option `{word}` that is known here{near}", tool.name()));
        return None;
    };
    Some((row, rest.strip_prefix(row.name).filter(|joined| !joined.is_empty()).map(str::to_owned)))
}

impl Invocation {
    /// Whether a source of the command line is in a language that is read here.
    pub fn is_read(&self, tool: CompilerTool, file: &str) -> bool {
        let is_named = || file.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("hlsl"));
        !tool.reads_glsl() || self.is_hlsl.unwrap_or_else(is_named)
    }

    fn add(&mut self, flag: &ToolFlag, word: &str, values: &[String], stage: &mut Option<Stage>) {
        let value = values.first().cloned().unwrap_or_default();
        match flag.meaning {
            Meaning::Entry => self.entries.push((value, None)),
            Meaning::Profile => self.profile = Some(value),
            Meaning::Stage => self.stage(&value, stage),
            Meaning::Define => match define(&value) {
                Ok(define) => self.defines.push(define),
                Err(fault) => self.faults.push(format!("`{word}`: {fault}")),
            },
            Meaning::Include => self.include.push(value),
            Meaning::Output => self.output = Some(value),
            Meaning::Target => self.target = Some(value),
            Meaning::Language => self.is_hlsl = Some(value.eq_ignore_ascii_case("hlsl")),
            Meaning::Hlsl => self.is_hlsl = Some(true),
            Meaning::SpirV => self.target = Some("spirv".to_owned()),
            Meaning::Matrix(order) => self.choices.matrix_layout = Some(order),
            Meaning::Shift(class) => self.shift(class, values),
            Meaning::Globals => self.globals(values),
            Meaning::Bytes(layout) => self.choices.buffer_layout = Some(layout),
            Meaning::InvertY => self.choices.invert_y = Some(true),
            Meaning::PositionW => self.choices.dx_position_w = Some(true),
            Meaning::WarningsAreErrors => {
                self.choices.severity = Some(vec![WarningRule { code: None, level: WarningLevel::Error }]);
            }
            Meaning::NoWarnings => {
                self.choices.severity = Some(vec![WarningRule { code: None, level: WarningLevel::Off }]);
            }
            Meaning::NoConcern(reason) => self.ignored.push((word.to_owned(), reason)),
            Meaning::Unsupported(reason) => self.unsupported.push((word.to_owned(), reason)),
        }
    }

    /// `-stage` is about the entry point before it, and about all if it comes first.
    fn stage(&mut self, value: &str, of_all: &mut Option<Stage>) {
        let Some(stage) = Stage::parse(value).or_else(|| stage_of_word(value)) else {
            self.faults.push(format!("`{value}` is not a stage"));
            return;
        };
        match self.entries.last_mut() {
            Some((_, of_entry)) => *of_entry = Some(stage),
            None => *of_all = Some(stage),
        }
    }

    /// `-fvk-t-shift 100 0`. Shifts are of all spaces here.
    fn shift(&mut self, class: char, values: &[String]) {
        let (start, space) = match values {
            [start, space] => (start.parse::<u32>(), space.as_str()),
            _ => return,
        };
        let Ok(start) = start else {
            self.faults.push(format!("`-fvk-{class}-shift {}` is no number", values.join(" ")));
            return;
        };
        if space != "0" && space != "all" {
            let flag = format!("-fvk-{class}-shift {start} {space}");
            self.unsupported.push((flag, "a shift is for all spaces: use `[[vk::binding]]` in the source"));
            return;
        }
        let shift = self.choices.shift.get_or_insert(Shift::NONE);
        if !shift.set(class, start) {
            self.faults.push(format!("there is no class `{class}` of registers"));
        }
    }

    fn globals(&mut self, values: &[String]) {
        match values.iter().map(|v| v.parse::<u32>().ok()).collect::<Option<Vec<u32>>>().as_deref() {
            Some([binding, set]) => self.choices.globals_binding = Some((*binding, *set)),
            _ => self.faults.push(format!("`-fvk-bind-globals {}` is no binding and set", values.join(" "))),
        }
    }

    /// The stage of the profile is that of entry points without one.
    fn finish(&mut self, of_all: Option<Stage>) {
        let kind = self.profile.as_deref().and_then(|profile| profile.split(['_', '+']).next());
        let kind = kind.map(str::to_ascii_lowercase).unwrap_or_default();
        self.is_library = kind == DXC_LIBRARY;
        if self.is_library {
            self.entries.clear();
        }
        let stage = of_all.or_else(|| stage_of_profile(&kind));
        if self.entries.is_empty()
            && let Some(stage) = stage
        {
            self.entries.push(("main".to_owned(), Some(stage)));
        }
        for (_, of_entry) in &mut self.entries {
            *of_entry = of_entry.or(stage);
        }
    }
}

/// The stage of the letters that a profile begins with: `ps` of `ps_6_0`.
pub fn stage_of_profile(kind: &str) -> Option<Stage> {
    let stages = Stage::NAMES.iter().map(|(_, stage)| *stage);
    stages.into_iter().find(|stage| dxc_profile(*stage) == kind && kind != DXC_LIBRARY)
}
