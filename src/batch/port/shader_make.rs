//! The configuration of ShaderMake: a shader a line, with braces for permutations.

use super::script::{Reading, Script, ToolCommand};
use super::words::{is_shader, posix_words};

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

/// ShaderMake: `FILE -T ps -E main -D A={0,1}`, where braces stand for a command each.
pub fn read(script: &Script) -> Reading {
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
