//! Rows of the oracle (`layout-rows/1`) and what differs between two lists of them.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What one peer's rows lack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everything is compared but words for reading.
    Full,
    /// DXC's listing: no sizes but of buffers, no strides, arrays flattened, only registers and bytes.
    Dxc,
}

/// A row of one path and unit that two tools see otherwise.
pub struct Difference {
    pub path: String,
    pub kind: String,
    pub theirs: Vec<Value>,
    pub ours: Vec<Value>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let list = |rows: &[Value]| match rows {
            [] => "nothing".to_owned(),
            rows => rows.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
        };
        write!(f, "{} {}: theirs {}, ours {}", self.path, self.kind, list(&self.theirs), list(&self.ours))
    }
}

type Keyed = BTreeMap<(String, String), Vec<Value>>;

/// The rows that differ.
pub fn differences(theirs: &[Value], ours: &[Value], detail: Detail) -> Vec<Difference> {
    let (theirs, ours) = match detail {
        Detail::Full => (keyed(theirs, full), keyed(ours, full)),
        Detail::Dxc => {
            let renamed = dxc_names(theirs, ours);
            (keyed(theirs, dxc), keyed(&renamed, dxc))
        }
    };
    let keys: BTreeSet<&(String, String)> = theirs.keys().chain(ours.keys()).collect();
    let rows = |of: &Keyed, key: &(String, String)| of.get(key).cloned().unwrap_or_default();
    let all = keys.into_iter().map(|key| Difference {
        path: key.0.clone(),
        kind: key.1.clone(),
        theirs: rows(&theirs, key),
        ours: rows(&ours, key),
    });
    all.filter(|d| d.theirs != d.ours).collect()
}

fn keyed(rows: &[Value], view: impl Fn(&Value) -> Option<Value>) -> Keyed {
    let mut map = Keyed::new();
    for row in rows {
        let key = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        if let Some(value) = view(row) {
            map.entry((key("path"), key("kind"))).or_default().push(value);
        }
    }
    map
}

/// As `diff_rows` of the oracle compares: `type` and `role` are for reading, what is null is unknown.
fn full(row: &Value) -> Option<Value> {
    let mut row = row.as_object()?.clone();
    row.retain(|key, value| !["type", "dxc", "role", "path", "kind"].contains(&key.as_str()) && !value.is_null());
    Some(Value::Object(row))
}

fn dxc(row: &Value) -> Option<Value> {
    match row["kind"].as_str()? {
        "b" | "t" | "u" | "s" => Some(json!({ "index": row["index"], "space": row["space"], "count": row["count"] })),
        "uniform" => Some(json!({ "buffer": row["buffer"], "offset": row["offset"] })),
        "bytes" => Some(json!({ "buffer": row["buffer"], "size": row["size"] })),
        _ => None,
    }
}

/// DXC lists a resource of a `cbuffer` without the name of the buffer, and what a struct of that name holds with one of both.
fn dxc_names(theirs: &[Value], ours: &[Value]) -> Vec<Value> {
    let paths: BTreeSet<&str> = theirs.iter().filter_map(|r| r["path"].as_str()).collect();
    let renamed = |row: &Value| {
        let mut row = row.clone();
        let path = row["path"].as_str().unwrap_or_default().to_owned();
        let resource = matches!(row["kind"].as_str(), Some("b" | "t" | "u" | "s"));
        if let Some((_, rest)) = path.split_once('.')
            && resource
            && !paths.contains(path.as_str())
            && paths.contains(rest)
        {
            row["path"] = json!(rest);
        } else if let Some((buffer, rest)) = path.split_once('.')
            && rest.split_once('.').is_some_and(|(field, _)| field == buffer)
            && paths.contains(rest)
        {
            row["path"] = json!(rest);
        }
        row
    };
    ours.iter().map(renamed).collect()
}
