//! Command lines as words, as shells split them, and what in them is not known.

use super::flags::{CompilerTool, flag};
use super::invocation::stage_of_profile;
use super::shader_make::{MOST_VARIANTS, braces};

/// Begins and ends the name of a variable whose value no description says. It is in no text that is read.
pub const UNKNOWN: char = '\u{1}';

/// A variable whose value is not known.
pub fn unknown(name: &str) -> String {
    format!("{UNKNOWN}{name}{UNKNOWN}")
}

/// Whether a word has a part in it that is not known: of a variable, or of a placeholder of a build system.
pub fn is_open(word: &str) -> bool {
    word.contains(UNKNOWN) || ["$(", "${", "$<", "%("].iter().any(|opening| word.contains(opening))
}

/// A text for people: what is not known by its name.
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    for (at, part) in text.split(UNKNOWN).enumerate() {
        shown.push_str(&if at % 2 == 0 { part.to_owned() } else { format!("${{{part}}}") });
    }
    shown
}

/// Splits as programs of Windows do: `"` groups, `\` is a part of paths, but `\"` is a quote.
pub fn windows_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'"') && !quoted => {
                chars.next();
                word.get_or_insert_default().push('"');
            }
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Splits as POSIX shells do: both quotes group, `\` escapes.
pub fn posix_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The name of a program: without directories, the ending `.exe` and quotes.
pub fn program_name(word: &str) -> String {
    let name = word.trim_matches('"').rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    name.strip_suffix(".exe").unwrap_or(&name).to_owned()
}

/// The compiler that a word names: by its path, or by a variable that is called after it, such as `$(DXC)`.
pub fn tool_of(word: &str) -> Option<CompilerTool> {
    if !is_open(word) && !word.starts_with(['$', '%']) {
        return CompilerTool::parse(&program_name(word));
    }
    let named = program_name(word);
    CompilerTool::parse(&named).or_else(|| {
        let name = word.to_ascii_lowercase();
        let has = |tool: &str| name.contains(tool).then(|| CompilerTool::parse(tool)).flatten();
        ["slangc", "dxc", "fxc", "glslc", "glslang"].into_iter().find_map(has)
    })
}

/// Programs that run the one that follows.
const RUNNERS: &[&str] = &["call", "cmd", "start", "exec", "wine", "wine64", "time", "nice", "env", "sudo", "mono"];

/// Whether a word stands before the program that a command runs: a runner, or an option of one.
fn is_before_program(word: &str) -> bool {
    RUNNERS.contains(&program_name(word).as_str()) || word.starts_with('/')
}

/// A command without the programs before it that run it.
pub fn behind_runners(words: &[String]) -> &[String] {
    let start = words.iter().position(|word| !is_before_program(word)).unwrap_or(words.len());
    words.get(start..).unwrap_or_default()
}

/// The compiler that a command runs, with the words behind its name.
pub fn tool_in(words: &[String]) -> Option<(CompilerTool, &[String])> {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        if let Some(tool) = tool_of(first) {
            return Some((tool, after));
        }
        if !is_before_program(first) {
            return None;
        }
        rest = after;
    }
    None
}

/// The command of dxc that a program means which is not known here but is given a shader and a profile as dxc is: one that runs
/// dxc, or takes its options. Braces in a macro are a command for each value in them.
pub fn like_dxc(words: &[String]) -> Option<Vec<Vec<String>>> {
    let (program, arguments) = words.split_first()?;
    let is_profile = |word: &String| stage_of_profile(word.split('_').next().unwrap_or_default()).is_some();
    let has_profile = arguments.windows(2).any(|pair| match pair {
        [flag, value] => matches!(flag.as_str(), "-T" | "/T") && value.contains('_') && is_profile(value),
        _ => false,
    });
    if is_quiet(program) || !has_profile || !arguments.iter().any(|word| is_shader(word)) {
        return None;
    }
    let mut all = vec![vec![CompilerTool::Dxc.name().to_owned()]];
    // What is no option of dxc is one of the program, which is named.
    let is_own = |word: &&String| {
        word.strip_prefix('-').is_some_and(|rest| !is_open(word) && flag(CompilerTool::Dxc, rest).is_none())
    };
    for word in arguments.iter().filter(|word| !is_own(word)) {
        let is_macro = word.starts_with("-D") || word.starts_with("/D");
        let (choices, _) = if is_macro && !is_open(word) { braces(word) } else { (vec![word.clone()], true) };
        if choices.len() * all.len() > MOST_VARIANTS {
            return None;
        }
        let with = |before: &Vec<String>| {
            choices.iter().map(|choice| [before.as_slice(), std::slice::from_ref(choice)].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    Some(all)
}

/// Programs that do nothing to shaders but show or move them.
const QUIET: &[&str] = &["echo", "copy", "cp", "del", "rm", "mv", "move", "xcopy", "install", "printf", "test", "["];

/// Whether a program does nothing to the files that it is given but show or move them.
pub fn is_quiet(program: &str) -> bool {
    QUIET.contains(&program_name(program).as_str())
}

/// Endings of names of shaders.
const ENDINGS: &[&str] =
    &["hlsl", "fx", "slang", "hlsli", "fxh", "vert", "frag", "comp", "geom", "tesc", "tese", "mesh"];

/// Whether a word is the path of a shader.
pub fn is_shader(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

/// The compiler that a script runs in a language that is not followed: it is named.
pub fn tool_of_program(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut tools = words
        .filter(|word| ["dxc", "fxc", "slangc", "glslc", "glslangvalidator"].contains(&program_name(word).as_str()));
    tools.next().map(str::to_ascii_lowercase)
}
