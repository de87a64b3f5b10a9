//! The sidecar in the form of `slangc -reflection-json`: without what only we say, and with its words where ours say more.
//! Scopes are told as slangc does from 2026.16 on. What only its API tells and nobody could do without, the storage order of
//! a matrix and the distance of a structured buffer's elements, stays: readers pass over keys that they do not know.

use serde_json::{Map, Value};

/// Keys of ours, which other writers of the format do not have, at any depth.
const OURS: &[&str] = &[
    "schema",
    "tool",
    "target",
    "profile",
    "bindingPolicy",
    "leaves",
    "memory",
    "types",
    "emittedName",
    "location",
    "requested",
    "facts",
    "stride",
    "elementStrides",
    "undeclared",
    "per",
    "patchConstants",
    "semanticStride",
];

/// Kinds that have no name there.
const NAMELESS: &[&str] = &["inputPatch", "outputPatch", "meshOutput", "none"];

/// Takes out what is ours.
pub fn leave_out_ours(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !OURS.contains(&key.as_str()));
            attributes(map);
            of_kind(map);
            // Only of one stage.
            if map.get("stage").is_some_and(|s| s != "compute") {
                map.remove("threadGroupSize");
            }
            map.values_mut().for_each(leave_out_ours);
        }
        Value::Array(list) => list.iter_mut().for_each(leave_out_ours),
        _ => {}
    }
}

/// Attributes that no struct declares are not known there.
fn attributes(map: &mut Map<String, Value>) {
    let Some(Value::Array(list)) = map.get_mut("userAttribs") else { return };
    list.retain(|a| a.get("undeclared").is_none());
    if list.is_empty() {
        map.remove("userAttribs");
    }
}

/// What a type says there.
fn of_kind(map: &mut Map<String, Value>) {
    let kind = map.get("kind").and_then(Value::as_str).unwrap_or("").to_owned();
    match kind.as_str() {
        // Enums are told as their tags.
        "scalar" => {
            map.remove("name");
        }
        "array" if map.get("elementCount").is_some_and(Value::is_string) => {
            map.insert("elementCount".to_owned(), 0.into());
        }
        "pointer" => {
            let target = map.remove("elementType");
            let name = target.as_ref().and_then(|t| t.get("name").or(t.get("scalarType")));
            map.insert("valueType".to_owned(), name.cloned().unwrap_or_else(|| "unknown".into()));
        }
        "outputStream" => {
            map.insert("containerVarLayout".to_owned(), Value::Object(Map::new()));
            map.insert("elementVarLayout".to_owned(), serde_json::json!({ "type": { "kind": "None", "sizes": [] } }));
        }
        kind if NAMELESS.contains(&kind) => {
            map.retain(|key, _| key == "sizes");
            map.insert("kind".to_owned(), "None".into());
        }
        _ => {}
    }
}
