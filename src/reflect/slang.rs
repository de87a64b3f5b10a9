//! The sidecar in the form of `slangc -reflection-json`: without what only we say, and with its words where ours say more.
//! Scopes are written as slangc does from 2026.16 on. What only its API gives and nobody could do without, the storage order of
//! a matrix and the distance of a structured buffer's elements, stays: readers pass over keys that they do not know.

use super::build::used;
use super::model::{Reflection, Variable};
use super::words;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Keys of ours, which other writers of the format do not have, at any depth.
const OURS: &str = "schema tool target profile bindingPolicy leaves memory types emittedName location requested facts stride \
                    elementStrides undeclared per patchConstants semanticStride instance";

/// Units in which the parameters of an entry point are counted from where its own begin.
const COUNTED_IN_SCOPES: &str = "constantBuffer shaderResource unorderedAccess storageBuffer samplerState descriptorTableSlot \
                                 pushConstantBuffer shaderRecord subElementRegisterSpace";

/// The unit of bindings, and ours of those that are apart from the first: they stand behind all that are counted.
const BINDING: &str = "descriptorTableSlot";
const APART: &[&str] = &["lateDescriptorTableSlot", "furtherDescriptorTableSlot"];

/// Kinds that have no name there.
const NAMELESS: &[&str] = &["inputPatch", "outputPatch", "meshOutput", "none"];

/// A sidecar whose entry points list the global parameters that they do not reach too.
pub fn with_unused(reflection: &Reflection) -> Reflection {
    let mut all = reflection.clone();
    let unused = |parameter: &Variable| used(parameter, &BTreeSet::new());
    for entry in &mut all.entry_points {
        let mut reached = std::mem::take(&mut entry.bindings).into_iter().peekable();
        let listed = reflection.parameters.iter().map(unused);
        entry.bindings = listed.map(|p| reached.next_if(|r| unused(r) == p).unwrap_or(p)).collect();
    }
    all
}

/// Takes out what is ours.
pub fn leave_out_ours(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| OURS.split(' ').all(|ours| ours != key));
            attributes(map);
            of_kind(map);
            units(map);
            if map.contains_key("scopeOffsets") {
                count_from_scope(map);
            }
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
        // Enums are written as their tags.
        "scalar" => {
            map.remove("name");
        }
        "array" if map.get("elementCount").is_some_and(Value::is_string) => {
            map.insert("elementCount".to_owned(), 0.into());
        }
        "pointer" => {
            let target = map.remove("elementType").unwrap_or_default();
            map.insert("valueType".to_owned(), pointed_at(&target).into());
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

/// The name of what a pointer leads to, which is the generic's of types that the language builds with one.
fn pointed_at(node: &Value) -> String {
    let text = |key: &str| node.get(key).and_then(Value::as_str);
    match (text("name"), text("kind"), text("scalarType")) {
        (Some(name), ..) => name.to_owned(),
        (_, Some("pointer"), _) => "Ptr".to_owned(),
        (_, _, Some(scalar)) => words::scalar(scalar),
        (_, kind, _) => kind.unwrap_or("unknown").to_owned(),
    }
}

/// Bindings that are apart are bindings; where a variable has others too, only those are written.
fn units(map: &mut Map<String, Value>) {
    let is_binding = |v: &Value| v.get("kind").is_some_and(|k| k == BINDING);
    let is_apart = |v: &Value| v.get("kind").and_then(Value::as_str).is_some_and(|k| APART.contains(&k));
    let rename = |v: &mut Value| {
        if is_apart(v) {
            v["kind"] = BINDING.into();
        }
    };
    map.get_mut("binding").into_iter().for_each(rename);
    for key in ["bindings", "sizes"] {
        let Some(Value::Array(list)) = map.get_mut(key) else { continue };
        let (before, both) = (list.len(), list.iter().any(is_binding));
        list.retain(|v| !both || !is_apart(v));
        list.iter_mut().for_each(rename);
        if let ("bindings", 1, true) = (key, list.len(), before > 1) {
            let one = list.pop().unwrap_or_default();
            map.remove(key);
            map.insert("binding".to_owned(), one);
        }
    }
}

/// Tells the uniform parameters of an entry point from where the entry point's own begin, and where that is.
fn count_from_scope(entry: &mut Map<String, Value>) {
    let mut offsets = Map::new();
    for unit in COUNTED_IN_SCOPES.split(' ') {
        let mut all = Vec::new();
        each_position(entry, unit, |b| all.push((number(b, "space"), number(b, "index"))));
        let Some(&(space, first)) = all.iter().min() else { continue };
        // Explicit positions in several spaces are not counted from one.
        if all.iter().any(|(s, _)| *s != space) {
            continue;
        }
        offsets.insert(unit.to_owned(), json!({ "index": first, "space": space }));
        for p in entry.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            in_unit(p, unit, &mut |b| {
                b["index"] = (number(b, "index") - first).into();
                b.as_object_mut().map(|b| b.remove("space"));
            });
        }
    }
    entry.insert("scopeOffsets".to_owned(), offsets.into());
}

fn number(binding: &Value, key: &str) -> u64 {
    binding.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// The positions of an entry point's buffer and of its parameters in a unit.
fn each_position(entry: &mut Map<String, Value>, unit: &str, mut then: impl FnMut(&mut Value)) {
    entry.get_mut("scope").into_iter().for_each(|scope| in_unit(scope, unit, &mut then));
    let parameters = entry.get_mut("parameters").and_then(Value::as_array_mut);
    parameters.into_iter().flatten().for_each(|p| in_unit(p, unit, &mut then));
}

fn in_unit(variable: &mut Value, unit: &str, then: &mut impl FnMut(&mut Value)) {
    let Some(map) = variable.as_object_mut() else { return };
    for (key, value) in map.iter_mut() {
        let list = match (key.as_str(), value) {
            ("binding", one) => std::slice::from_mut(one),
            ("bindings", Value::Array(list)) => list.as_mut_slice(),
            _ => continue,
        };
        list.iter_mut().filter(|b| b.get("kind").is_some_and(|k| k == unit)).for_each(&mut *then);
    }
}
