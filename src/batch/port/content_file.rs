//! The content of MonoGame (`.mgcb`), and the passes of its effects.

use super::script::{Reading, Script, ToolCommand, joined};

/// MonoGame: effects with their macros. The passes of an effect name its entry points; `texts` gives the text of an effect.
pub fn read(script: &Script, texts: &dyn Fn(&str) -> Option<String>) -> Reading {
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
