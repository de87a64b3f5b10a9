//! What Metal text and SPIR-V words have as numbers of resources is what the sidecar beside them says.

use crate::support::{contents, files_under, root, shaderport};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The buffer of the lengths of arrays without a size.
const LENGTHS: u64 = 30;
/// (unit of a sidecar, attribute of Metal).
const CLASSES: &[(&str, &str)] =
    &[("constantBuffer", "buffer"), ("shaderResource", "texture"), ("samplerState", "sampler")];

/// A slot of a leaf: class or `set`, space, index; with its emitted name where one stands for it.
type Slots = BTreeMap<(String, u64, u64), Option<String>>;

#[test]
fn numbers_of_metal_and_spirv_are_those_of_the_sidecar() {
    let sources = tempfile::tempdir().expect("a temporary directory");
    for page in files_under(&root().join("tests/fixtures"), &["md"]) {
        let text = std::fs::read_to_string(&page).expect("a page");
        let name = page.file_stem().expect("a name").to_string_lossy().into_owned();
        if let Some(source) = text.split("```slang\n").nth(1).and_then(|rest| rest.split("```").next()) {
            std::fs::write(sources.path().join(format!("{name}.slang")), source).expect("a file");
        }
    }
    let (mut wrong, mut seen) = (Vec::new(), BTreeMap::new());
    for tree in [root().join("samples"), sources.path().to_owned()] {
        let out = tempfile::tempdir().expect("a temporary directory");
        let (tree, to) = (tree.to_string_lossy().into_owned(), out.path().to_string_lossy().into_owned());
        // What WGSL does not support is an error of that file alone.
        shaderport(&root(), &["build", &tree, "--target", "metal,spirv", "--out", &to]);
        for (name, bytes) in contents(out.path()) {
            let Some((stem, ending)) = name.rsplit_once('.').filter(|(_, ending)| *ending != "json") else { continue };
            let slots = sidecar(&out.path().join(format!("{stem}.json")));
            let found = match ending {
                "metal" => metal(&String::from_utf8_lossy(&bytes)),
                _ => spirv(&bytes),
            };
            *seen.entry(ending.to_owned()).or_insert(0) += found.len();
            for (slot, own) in found {
                match (slots.get(&slot), own) {
                    (None, _) => wrong.push(format!("{name} has {slot:?}, and its sidecar not")),
                    (Some(Some(said)), Some(own)) if *said != own => wrong.push(format!("{name}: {said} is {own}")),
                    _ => {}
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(seen.values().all(|n| *n > 100) && seen.len() == 2, "{seen:?}");
}

/// The slots that a sidecar has.
fn sidecar(path: &Path) -> Slots {
    let text = std::fs::read_to_string(path).expect("a sidecar");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let mut slots = Slots::new();
    for leaf in value["leaves"].as_array().into_iter().flatten() {
        let kind = leaf["kind"].as_str().unwrap_or_default();
        let class = CLASSES.iter().find(|(unit, _)| *unit == kind).map_or(kind, |(_, class)| class);
        let (Some(index), space) = (leaf["index"].as_u64(), leaf["space"].as_u64().unwrap_or(0)) else { continue };
        // Of an array without a size, the elements that are used have numbers.
        let count = leaf["count"].as_u64().unwrap_or(if leaf["count"].is_string() { 64 } else { 1 });
        for n in 0..count {
            let name = leaf["emittedName"].as_str().filter(|_| count <= 1).map(stem);
            slots.insert((class.to_owned(), space, index + n), name);
        }
    }
    slots
}

/// `constant Camera& camera [[buffer(0)]]`.
fn metal(text: &str) -> Slots {
    let mut slots = Slots::new();
    for line in text.lines() {
        let Some((before, attribute)) = line.split_once(" [[") else { continue };
        let Some((class, rest)) = attribute.split_once('(') else { continue };
        if let (true, Some(Ok(index))) =
            (CLASSES.iter().any(|(_, c)| *c == class), rest.split(')').next().map(str::parse::<u64>))
            && (class, index) != ("buffer", LENGTHS)
        {
            let name = before.rsplit([' ', '&']).next().map(stem);
            slots.insert((class.to_owned(), 0, index), name);
        }
    }
    slots
}

/// `OpDecorate %1 DescriptorSet 0`, `OpDecorate %1 Binding 1`.
fn spirv(bytes: &[u8]) -> Slots {
    const DECORATE: u32 = 71;
    const BINDING: u32 = 33;
    const SET: u32 = 34;
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (mut sets, mut bindings) = (BTreeMap::new(), BTreeSet::new());
    let mut at = 5;
    while let Some(first) = words.get(at) {
        let length = (first >> 16).max(1) as usize;
        if let (DECORATE, Some([id, what, number])) = (first & 0xffff, words.get(at + 1..at + 4)) {
            match *what {
                SET => drop(sets.insert(*id, u64::from(*number))),
                BINDING => drop(bindings.insert((*id, u64::from(*number)))),
                _ => {}
            }
        }
        at += length;
    }
    let slot = |(id, index): &(u32, u64)| {
        (("descriptorTableSlot".to_owned(), sets.get(id).copied().unwrap_or(0), *index), None)
    };
    bindings.iter().map(slot).collect()
}

/// A name without what keeps it apart from words of the language.
fn stem(name: &str) -> String {
    name.trim_end_matches('_').to_owned()
}
