//! A program as it is stored: a line of JSON, and then the bytes of the outputs in its order. Names of files in messages are told from
//! the directory of the manifest, so that another checkout has its own.

use super::loader::FileInput;
use super::program::{Fate, OutputFile, OutputKind, Product};
use super::template::stays_below;
use crate::compile::Target;
use crate::diagnostic::Message;
use crate::layout::lock::ProgramLock;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Stands for the directory of the manifest in messages.
const BASE_MARK: &str = "\u{f8ff}/";

/// What is in the line.
#[derive(Serialize, Deserialize, Debug)]
pub struct Bundle {
    files: Vec<BundledFile>,
    messages: Value,
    /// What became of the program.
    pub fate: Fate,
    is_broken: bool,
    records: Option<ProgramLock>,
    variants: usize,
    passed_over: BTreeSet<String>,
}

/// An output without its bytes.
#[derive(Serialize, Deserialize, Debug)]
struct BundledFile {
    name: String,
    kind: OutputKind,
    entry: Option<String>,
    target: Option<String>,
    /// How many bytes it has.
    length: usize,
}

/// What a program was read from.
pub struct ProgramSources {
    /// As the user names files.
    pub dependencies: Vec<String>,
    /// The same as names in sidecars, with what was read.
    pub inputs: Vec<(String, FileInput)>,
    /// Where files were looked for in vain, as names in sidecars.
    pub misses: BTreeSet<String>,
}

impl Bundle {
    /// Of a program; names of files begin with `base` in its messages.
    pub fn of(product: &Product, base: &Path) -> Bundle {
        let file = |f: &OutputFile| BundledFile {
            name: f.name.clone(),
            kind: f.kind,
            entry: f.entry.clone(),
            target: f.target.map(|t| t.name().to_owned()),
            length: f.bytes.len(),
        };
        let messages: Vec<Message> = product.messages.iter().map(Message::without_colors).collect();
        let mut messages = serde_json::to_value(messages).unwrap_or_default();
        let prefix = base_prefix(base);
        if !prefix.is_empty() {
            each_text(&mut messages, &|text| marked(text, &prefix));
        }
        Bundle {
            files: product.files.iter().map(file).collect(),
            messages,
            fate: product.fate,
            is_broken: product.is_broken,
            records: product.records.clone(),
            variants: product.variants,
            passed_over: product.passed_over.clone(),
        }
    }

    /// The program again; `None` if the bytes are not those of its outputs, or an output would lie elsewhere.
    pub fn product(mut self, mut rest: &[u8], base: &Path, sources: ProgramSources) -> Option<Product> {
        let mut files = Vec::new();
        for BundledFile { name, kind, entry, target, length } in self.files {
            let bytes = rest.get(..length).filter(|_| stays_below(&name))?.to_vec();
            rest = rest.get(length..)?;
            let target = match target {
                Some(target) => Some(Target::parse(&target)?),
                None => None,
            };
            files.push(OutputFile { name, kind, entry, target, bytes });
        }
        let prefix = base_prefix(base);
        each_text(&mut self.messages, &|text| text.replace(BASE_MARK, &prefix));
        let ProgramSources { dependencies, inputs, misses } = sources;
        let product = Product {
            files,
            messages: serde_json::from_value(self.messages).ok()?,
            fate: self.fate,
            failed: BTreeMap::new(),
            is_broken: self.is_broken,
            dependencies,
            inputs,
            misses,
            records: self.records,
            variants: self.variants,
            passed_over: self.passed_over,
        };
        rest.is_empty().then_some(product)
    }
}

/// What stands in a line, and the bytes behind it.
pub fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((bytes.get(..line)?, bytes.get(line + 1..)?))
}

/// A line, and the bytes of a program's outputs behind it.
pub fn joined(head: &impl Serialize, product: &Product) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(head).unwrap_or_default();
    bytes.push(b'\n');
    product.files.iter().for_each(|file| bytes.extend_from_slice(&file.bytes));
    bytes
}

/// What names of files begin with in messages.
fn base_prefix(base: &Path) -> String {
    let base = base.to_string_lossy().replace('\\', "/");
    let base = base.trim_start_matches("./").trim_end_matches('/');
    if base.is_empty() || base == "." { String::new() } else { format!("{base}/") }
}

/// Puts the mark where a name begins with the prefix, and not where the prefix ends the name of another directory.
fn marked(text: &str, prefix: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(prefix) {
        let (before, after) = rest.split_at(at);
        marked.push_str(before);
        let is_inside = |c: char| c.is_alphanumeric() || "_-./\\+~@".contains(c);
        let begins = !marked.chars().next_back().is_some_and(is_inside);
        marked.push_str(if begins { BASE_MARK } else { prefix });
        rest = after.get(prefix.len()..).unwrap_or_default();
    }
    marked + rest
}

/// Changes every text in a value.
fn each_text(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(list) => list.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(members) => members.values_mut().for_each(|member| each_text(member, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_messages_are_marked() {
        let text = "s/a.hlsl: see `s/b.hlsl`, classes/c.hlsl, x/s/d.hlsl\n --> s/e.hlsl:2";
        let marks = marked(text, "s/");
        assert_eq!(marks.matches(BASE_MARK).count(), 3);
        assert_eq!(
            marks.replace(BASE_MARK, "other/"),
            "other/a.hlsl: see `other/b.hlsl`, classes/c.hlsl, x/s/d.hlsl\n --> other/e.hlsl:2"
        );
        assert_eq!(base_prefix(Path::new("./s/")), "s/");
        assert_eq!(base_prefix(Path::new(".")), "");
    }
}
