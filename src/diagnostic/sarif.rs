//! Messages as a log of SARIF 2.1.0 (OASIS), which code hosts and editors read. The rules are our codes with their pages.

use super::message::{Remark, severity_word};
use super::{Code, Message, Place, Severity, codes};
use serde::Serialize;
use std::collections::BTreeSet;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log. Files in `directory` (absolute, with `/`) have addresses relative to it.
pub fn log(messages: &[Message], directory: &str) -> String {
    let codes: BTreeSet<Code> = messages.iter().filter_map(|m| m.code).collect();
    let codes: Vec<Code> = codes.into_iter().collect();
    let driver = Driver {
        name: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: codes.iter().map(|code| rule(*code)).collect(),
    };
    let results = messages.iter().map(|message| result(message, &codes, directory)).collect();
    let run = Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: [run] };
    serde_json::to_string_pretty(&log).map(|text| text + "\n").unwrap_or_default()
}

fn rule(code: Code) -> Rule {
    let (title, page) = (codes::title(code).unwrap_or_default(), codes::page(code).unwrap_or_default());
    Rule {
        id: code.to_string(),
        short_description: Words::of(title),
        help: Help { text: page.to_owned(), markdown: page.to_owned() },
    }
}

fn result(message: &Message, codes: &[Code], directory: &str) -> SarifResult {
    let mut text = message.message.clone();
    for note in &message.notes {
        text.push('\n');
        text.push_str(note);
    }
    let location = message.location.as_ref().and_then(|place| physical(place, directory));
    let related = message.labels.iter().filter_map(|label| related(label, directory));
    SarifResult {
        rule_id: message.code.map(|code| code.to_string()),
        rule_index: message.code.and_then(|code| codes.binary_search(&code).ok()),
        level: message.severity,
        message: Words { text },
        locations: location.map(|place| Location { physical_location: place, message: None }).into_iter().collect(),
        related_locations: related.collect(),
        fixes: fix(message, directory).into_iter().collect(),
        properties: message.programs.as_ref().map(|programs| Properties { program_count: programs.count }),
    }
}

fn related(label: &Remark, directory: &str) -> Option<Location> {
    let physical_location = physical(&label.location, directory)?;
    Some(Location { physical_location, message: Some(Words::of(&label.message)) })
}

fn fix(message: &Message, directory: &str) -> Option<Fix> {
    let suggestion = message.suggestion.as_ref()?;
    let PhysicalLocation { artifact_location, region } = physical(&suggestion.location, directory)?;
    let replacement = SarifReplacement { deleted_region: region, inserted_content: Words::of(&suggestion.replacement) };
    Some(Fix {
        description: Words { text: format!("write `{}`", suggestion.replacement) },
        artifact_changes: [ArtifactChange { artifact_location, replacements: [replacement] }],
    })
}

/// `None` for texts that are no files, such as the definitions of the command line.
fn physical(place: &Place, directory: &str) -> Option<PhysicalLocation> {
    let region = Region {
        start_line: place.line_start,
        start_column: place.column_start,
        end_line: place.line_end,
        end_column: place.column_end,
        byte_offset: place.byte_start,
        byte_length: place.byte_end - place.byte_start,
    };
    let is_file = !place.file.is_empty() && !place.file.starts_with('<');
    is_file.then(|| PhysicalLocation { artifact_location: address(&place.file, directory), region })
}

/// The address of a file: relative to the directory if it is in it, else absolute.
fn address(file: &str, directory: &str) -> ArtifactLocation {
    let in_it = file.strip_prefix(directory.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    let inside = in_it.filter(|_| !directory.is_empty()).unwrap_or(file);
    let has_drive = inside.as_bytes().get(1) == Some(&b':');
    match inside.starts_with('/') || has_drive {
        true => {
            let rooted = if has_drive { format!("/{inside}") } else { inside.to_owned() };
            ArtifactLocation { uri: format!("file://{}", encoded(&rooted)), uri_base_id: None }
        }
        false => ArtifactLocation {
            uri: encoded(inside.strip_prefix("./").unwrap_or(inside)),
            uri_base_id: Some("%SRCROOT%"),
        },
    }
}

/// With `%20` and so on for what an address has no character for.
fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    information_uri: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Words,
    help: Help,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct Words {
    text: String,
}

impl Words {
    fn of(text: &str) -> Words {
        Words { text: text.to_owned() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    #[serde(serialize_with = "severity_word")]
    level: Severity,
    message: Words,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Properties>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    program_count: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Words>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
    byte_offset: usize,
    byte_length: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    description: Words,
    artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: [SarifReplacement; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifReplacement {
    deleted_region: Region,
    inserted_content: Words,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let shown = |file: &str| {
            let found = address(file, "/home/me/tree");
            (found.uri, found.uri_base_id.is_some())
        };
        assert_eq!(shown("./a b.hlsl"), ("a%20b.hlsl".to_owned(), true));
        assert_eq!(shown("/home/me/tree/é.hlsl"), ("%C3%A9.hlsl".to_owned(), true));
        assert_eq!(shown("/home/me/trees/c.hlsl"), ("file:///home/me/trees/c.hlsl".to_owned(), false));
        assert_eq!(shown("C:/d.hlsl"), ("file:///C%3A/d.hlsl".to_owned(), false));
    }

    #[test]
    fn what_has_no_place_has_no_location() {
        let message = Message::without_place(Severity::Error, Some(Code::NO_SHADERS), "nothing", false);
        let remark = Message::without_place(Severity::Note, None, "a remark", false);
        let log: serde_json::Value = serde_json::from_str(&log(&[message, remark], "")).expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results");
        assert_eq!((results[0]["ruleId"].as_str(), results[0]["ruleIndex"].as_u64()), (Some("E0704"), Some(0)));
        assert!(results.iter().all(|result| result["locations"].as_array().is_some_and(Vec::is_empty)));
        assert_eq!((results[1]["level"].as_str(), results[1].get("ruleId")), (Some("note"), None));
    }
}
