//! The configuration of ShaderMake: a shader a line, with braces for permutations.

use super::script::{Reading, Script, ScriptCall, ToolCommand, joined};
use super::words::{is_open, is_shader, posix_words, shown};

/// Commands that the braces of one line may be.
pub const MOST_VARIANTS: usize = 4096;

/// Whether a text is a configuration of ShaderMake: its lines begin with a shader and name a profile.
pub fn is_shader_make(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//") && !l.starts_with('#'));
    let mut lines = lines.map(posix_words).peekable();
    let is_shader_line = |words: &Vec<String>| {
        let profile = words.iter().any(|word| PROFILE.contains(&word.as_str()));
        words.first().is_some_and(|first| is_shader(first)) && profile
    };
    lines.peek().is_some() && lines.all(|words| is_shader_line(&words))
}

const PROFILE: &[&str] = &["-T", "--profile"];

/// What all commands of a configuration have in common.
#[derive(Default)]
struct CommonWords {
    /// The directory that sources are named from, from the tree.
    directory: String,
    /// Options of dxc.
    words: Vec<String>,
}

/// ShaderMake: `FILE -T ps -E main -D A={0,1}`, where braces stand for a command each.
pub fn read(script: &Script) -> Reading {
    read_with(script, &CommonWords { directory: script.directory(), words: Vec::new() })
}

fn read_with(script: &Script, common: &CommonWords) -> Reading {
    let mut reading = Reading::default();
    for (at, line) in script.text.lines().enumerate() {
        let text = line.split("//").next().unwrap_or_default().trim();
        if text.is_empty() {
            continue;
        }
        if text.starts_with('#') {
            reading.note(script, at + 1, &format!("`{text}` is not followed: the lines in it are read"));
            continue;
        }
        let (lines, is_whole) = braces(text);
        if !is_whole {
            reading.note(script, at + 1, "the braces are more commands than are read");
        }
        for line in lines {
            let mut words = shader_make_words(&posix_words(&line));
            words.extend(common.words.iter().cloned());
            let (directory, place) = (common.directory.clone(), format!("{}:{}", script.name, at + 1));
            reading.commands.push(ToolCommand { words, directory, place });
        }
    }
    reading
}

/// How an option of ShaderMake itself is one of dxc.
#[derive(Clone, Copy)]
enum OwnOption {
    /// A macro.
    Define,
    /// An include directory.
    Include,
    /// The configuration.
    Config,
    /// The directory that sources are named from, from where it runs.
    SourceDirectory,
    /// What binaries are for.
    Platform,
    /// What another option without a value is.
    Is(&'static str),
    /// It has a value and decides on nothing here.
    Idle,
}

const OWN_OPTIONS: &[(&str, OwnOption)] = &[
    ("-D", OwnOption::Define),
    ("--define", OwnOption::Define),
    ("-I", OwnOption::Include),
    ("--include", OwnOption::Include),
    ("-c", OwnOption::Config),
    ("--config", OwnOption::Config),
    ("--sourceDir", OwnOption::SourceDirectory),
    ("-p", OwnOption::Platform),
    ("--platform", OwnOption::Platform),
    ("--matrixRowMajor", OwnOption::Is("-Zpr")),
    ("-o", OwnOption::Idle),
    ("--out", OwnOption::Idle),
    ("-O", OwnOption::Idle),
    ("--optimization", OwnOption::Idle),
    ("-m", OwnOption::Idle),
    ("--shaderModel", OwnOption::Idle),
    ("-X", OwnOption::Idle),
    ("--compilerOptions", OwnOption::Idle),
    ("--compiler", OwnOption::Idle),
    ("--outputExt", OwnOption::Idle),
    ("--project", OwnOption::Idle),
    ("--relaxedInclude", OwnOption::Idle),
    ("--retryCount", OwnOption::Idle),
    ("--spirvExt", OwnOption::Idle),
    ("--vulkanVersion", OwnOption::Idle),
    ("--vulkanMemoryLayout", OwnOption::Idle),
    ("--sRegShift", OwnOption::Idle),
    ("--tRegShift", OwnOption::Idle),
    ("--bRegShift", OwnOption::Idle),
    ("--uRegShift", OwnOption::Idle),
];

/// The options of a command line of ShaderMake, with their values. Those that have none are options themselves.
fn own_options(words: &[String]) -> Vec<(OwnOption, String)> {
    let mut all = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (name, joined) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let Some((_, option)) = OWN_OPTIONS.iter().find(|(own, _)| *own == name) else { continue };
        let value = match option {
            OwnOption::Is(_) => Some(String::new()),
            _ => joined.or_else(|| rest.next().cloned()),
        };
        all.extend(value.map(|value| (*option, value)));
    }
    all
}

fn value_of(options: &[(OwnOption, String)], is: fn(&OwnOption) -> bool) -> Option<&str> {
    options.iter().find(|(option, _)| is(option)).map(|(_, value)| value.as_str())
}

/// The configuration of the tree that a command of ShaderMake compiles.
pub fn called(script: &Script, directory: &str, words: &[String]) -> Option<ScriptCall> {
    let (program, arguments) = words.split_first()?;
    if !shown(program).to_ascii_lowercase().contains("shadermake") {
        return None;
    }
    let options = own_options(arguments);
    let config = value_of(&options, |option| matches!(option, OwnOption::Config))?;
    let name = joined(directory, config);
    script.has("", &name).then(|| ScriptCall { name, arguments: arguments.to_vec(), directory: directory.to_owned() })
}

/// Whether a call is of a configuration.
pub fn is_config(call: &ScriptCall) -> bool {
    value_of(&own_options(&call.arguments), |option| matches!(option, OwnOption::Config)).is_some()
}

/// How far a call is from sources as they are written: registers are those of D3D.
pub fn distance(call: &ScriptCall) -> usize {
    let options = own_options(&call.arguments);
    let platform = value_of(&options, |option| matches!(option, OwnOption::Platform)).unwrap_or_default();
    ["DXIL", "DXBC"].iter().position(|known| platform.eq_ignore_ascii_case(known)).unwrap_or(2)
}

/// A configuration with what a command line of ShaderMake says for all of it.
pub fn read_call(script: &Script, call: &ScriptCall) -> Reading {
    let options = own_options(&call.arguments);
    let source = value_of(&options, |option| matches!(option, OwnOption::SourceDirectory));
    let directory = source.map_or_else(|| script.directory(), |source| joined(&call.directory, source));
    let up = vec![".."; directory.split('/').filter(|part| !part.is_empty()).count()].join("/");
    let mut words = Vec::new();
    for (option, value) in options {
        match option {
            OwnOption::Define => words.extend(["-D".to_owned(), value]),
            OwnOption::Include if is_open(&value) => words.extend(["-I".to_owned(), value]),
            OwnOption::Include => {
                let from_tree = joined(&call.directory, &value);
                words.extend(["-I".to_owned(), if up.is_empty() { from_tree } else { format!("{up}/{from_tree}") }]);
            }
            OwnOption::Is(other) => words.push(other.to_owned()),
            OwnOption::Config | OwnOption::SourceDirectory | OwnOption::Platform | OwnOption::Idle => {}
        }
    }
    read_with(script, &CommonWords { directory, words })
}

/// All texts that braces stand for, the last ones changing fastest, and whether these are all.
pub fn braces(text: &str) -> (Vec<String>, bool) {
    let Some((before, rest)) = text.split_once('{') else { return (vec![text.to_owned()], true) };
    let Some((inside, after)) = rest.split_once('}') else { return (vec![text.to_owned()], true) };
    let (ends, mut is_whole) = braces(after);
    let mut all = Vec::new();
    for choice in inside.split(',') {
        for end in &ends {
            if all.len() >= MOST_VARIANTS {
                is_whole = false;
                break;
            }
            all.push(format!("{before}{}{end}", choice.trim()));
        }
    }
    (all, is_whole)
}

/// A line of ShaderMake as one of dxc. Its own options are about the names and the optimization of binaries.
fn shader_make_words(words: &[String]) -> Vec<String> {
    const OWN: &[(&str, Option<&str>)] = &[
        ("--profile", Some("-T")),
        ("--entryPoint", Some("-E")),
        ("--entry", Some("-E")),
        ("--define", Some("-D")),
        ("-o", None),
        ("--output", None),
        ("-O", None),
        ("--optimization", None),
        ("-s", None),
        ("--outputSuffix", None),
        ("-m", None),
        ("--shaderModel", None),
    ];
    let mut out = vec!["dxc".to_owned()];
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (name, value) = match word.split_once('=').filter(|_| word.starts_with("--")) {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        match OWN.iter().find(|(own, _)| *own == name) {
            None => out.push(word.clone()),
            Some((_, meant)) => {
                let value = value.or_else(|| rest.next().cloned());
                out.extend(meant.iter().map(|meant| (*meant).to_owned()).chain(value.filter(|_| meant.is_some())));
            }
        }
    }
    out
}
