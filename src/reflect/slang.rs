//! The sidecar without what only we say, for readers that refuse what they do not know.

use serde_json::Value;

/// Keys of ours, which other writers of the format do not have, at any depth.
const OURS: &[&str] = &[
    "schema",
    "tool",
    "target",
    "profile",
    "bindingPolicy",
    "globalScope",
    "leaves",
    "memory",
    "emittedName",
    "scope",
    "scopeOffsets",
    "location",
    "requested",
    "matrixLayout",
];

/// Takes them out.
pub fn leave_out_ours(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !OURS.contains(&key.as_str()));
            map.values_mut().for_each(leave_out_ours);
        }
        Value::Array(list) => list.iter_mut().for_each(leave_out_ours),
        _ => {}
    }
}
