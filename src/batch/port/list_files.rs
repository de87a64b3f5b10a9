//! Descriptions that are lists rather than programs: JSON with commands, the configuration of ShaderMake, MonoGame's content.

use super::script::{Reading, Script, ToolCommand, joined};
use super::words::{is_shader, posix_words, program_name, tool_in, tool_of, windows_words};
use serde_json::Value;

/// Values in values.
const DEEPEST: usize = 64;
/// Commands that the braces of one line may be.
const MOST_VARIANTS: usize = 4096;

/// JSON: lists of words, texts, and objects with `command` or `arguments`, as `compile_commands.json` has them.
pub fn read_json(script: &Script) -> Reading {
    let mut reading = Reading::default();
    match serde_json::from_str::<Value>(script.text.trim_start_matches('\u{feff}')) {
        Ok(value) => in_json(script, &value, &script.directory(), DEEPEST, &mut reading),
        Err(fault) => reading.note(script, fault.line(), "it is no JSON that can be read"),
    }
    reading
}

fn in_json(script: &Script, value: &Value, directory: &str, depth: usize, reading: &mut Reading) {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut add = |words: Vec<String>, directory: &str| {
        let is_tool = words.len() > 1 && words.first().is_some_and(|first| tool_of(first).is_some());
        if is_tool {
            let line = words.iter().find(|word| is_shader(word)).map_or(1, |word| line_of(script.text, word));
            reading.command(script, line, directory, &words);
        }
        is_tool
    };
    match value {
        Value::Array(items) => {
            let words: Option<Vec<String>> = items.iter().map(text).collect();
            if !words.is_some_and(|words| words.len() > 1 && add(words, directory)) && depth > 0 {
                items.iter().for_each(|item| in_json(script, item, directory, depth - 1, reading));
            }
        }
        Value::Object(members) => {
            let of_entry = members.get("directory").and_then(Value::as_str);
            let directory = of_entry.map_or_else(|| directory.to_owned(), |of_entry| below(script, of_entry));
            if depth > 0 {
                members.values().for_each(|member| in_json(script, member, &directory, depth - 1, reading));
            }
        }
        Value::String(line) => drop(add(words_of(line), directory)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A directory of a file of commands: most are absolute, and the end of one is a directory of the tree.
fn below(script: &Script, path: &str) -> String {
    let path = path.replace('\\', "/");
    let is_absolute = path.starts_with('/') || path.get(1..2) == Some(":");
    if !is_absolute {
        return joined(&script.directory(), &path);
    }
    let is_directory = |end: &str| script.files.iter().any(|f| f.strip_prefix(end).is_some_and(|r| r.starts_with('/')));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let ends = (0..parts.len()).filter_map(|at| parts.get(at..)).map(|parts| parts.join("/"));
    ends.into_iter().find(|end| is_directory(end)).unwrap_or_default()
}

/// A command in one text: `\` is a part of paths where it is of Windows.
fn words_of(line: &str) -> Vec<String> {
    if line.contains(":\\") || line.contains(".exe") { windows_words(line) } else { posix_words(line) }
}

fn line_of(text: &str, word: &str) -> usize {
    let at = text.find(word).or_else(|| text.find(&word.replace('\\', "\\\\"))).unwrap_or(0);
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}

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

/// ShaderMake: `FILE -T ps -E main -D A={0,1}`, where braces stand for a command each.
pub fn read_shader_make(script: &Script) -> Reading {
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
            let words = shader_make_words(&posix_words(&line));
            let (directory, place) = (script.directory(), format!("{}:{}", script.name, at + 1));
            reading.commands.push(ToolCommand { words, directory, place });
        }
    }
    reading
}

/// All texts that braces stand for, the last ones changing fastest, and whether these are all.
fn braces(text: &str) -> (Vec<String>, bool) {
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

/// MonoGame: effects with their macros. The passes of an effect name its entry points; `texts` gives the text of an effect.
pub fn read_content(script: &Script, texts: &dyn Fn(&str) -> Option<String>) -> Reading {
    let mut reading = Reading::default();
    let (mut importer, mut defines) = (String::new(), Vec::new());
    for (at, line) in script.text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        let Some((key, value)) = line.strip_prefix('/').and_then(|rest| rest.split_once(':')) else {
            if line.starts_with("#begin") {
                (importer, defines) = (String::new(), Vec::new());
            }
            continue;
        };
        match key {
            "importer" => importer = value.to_owned(),
            "processorParam" => {
                if let Some(list) = value.strip_prefix("Defines=") {
                    defines = list.split(';').filter(|d| !d.trim().is_empty()).map(|d| d.trim().to_owned()).collect();
                }
            }
            "build" if importer == "EffectImporter" || importer.is_empty() && value.ends_with(".fx") => {
                let source = value.split(';').next().unwrap_or_default();
                let path = joined(&script.directory(), source);
                let Some(text) = texts(&path) else {
                    reading.note(script, at + 1, &format!("there is no file `{source}`"));
                    continue;
                };
                let passes = passes(&text);
                if passes.is_empty() {
                    reading.note(script, at + 1, &format!("`{source}` has no pass that compiles a function"));
                }
                for (profile, entry) in passes {
                    let mut words = ["fxc", source, "-T", &profile, "-E", &entry].map(str::to_owned).to_vec();
                    words.extend(defines.iter().map(|define| format!("-D{define}")));
                    let (directory, place) = (script.directory(), format!("{}:{}", script.name, at + 1));
                    reading.commands.push(ToolCommand { words, directory, place });
                }
            }
            _ => {}
        }
    }
    reading
}

/// States of a pass, with the letters of the profiles that stages have.
const STATES: &[(&str, &str)] = &[
    ("vertexshader", "vs"),
    ("pixelshader", "ps"),
    ("geometryshader", "gs"),
    ("hullshader", "hs"),
    ("domainshader", "ds"),
    ("computeshader", "cs"),
];

/// The functions that passes of an effect compile, each once, with profiles: `VertexShader = compile vs_3_0 Main();`.
fn passes(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let code = without_remarks(text);
    for (at, _) in code.match_indices("compile") {
        let before = code.get(..at).unwrap_or_default().trim_end().strip_suffix('=').unwrap_or_default().trim_end();
        let state_at = before.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1);
        let state = before.get(state_at..).unwrap_or_default().to_ascii_lowercase();
        let Some((_, letters)) = STATES.iter().find(|(name, _)| *name == state) else { continue };
        let after = code.get(at + "compile".len()..).unwrap_or_default().trim_start();
        let mut words =
            after.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|word| !word.is_empty());
        let (Some(profile), Some(entry)) = (words.next(), words.next()) else { continue };
        // A macro stands for the profile of one of several platforms.
        let is_profile = profile.to_ascii_lowercase().starts_with(letters) && profile.contains("_");
        let is_plain = is_profile && profile.chars().any(|c| c.is_ascii_digit());
        let profile = if is_plain { profile.to_owned() } else { format!("{letters}_5_0") };
        if !found.iter().any(|(_, known)| known == entry) {
            found.push((profile, entry.to_owned()));
        }
    }
    found
}

/// A text without its remarks.
fn without_remarks(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = match from.get(..2) {
            Some("//") => from.find('\n').unwrap_or(from.len()),
            Some("/*") => from.find("*/").map_or(from.len(), |end| end + 2),
            _ => {
                out.push('/');
                1
            }
        };
        rest = from.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Whether a script of Python runs a compiler: it is named, since it is not followed.
pub fn tool_of_python(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut tools = words.filter(|word| ["dxc", "fxc", "slangc"].contains(&program_name(word).as_str()));
    tools.next().map(str::to_ascii_lowercase)
}
