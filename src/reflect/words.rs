//! Types and positions of a sidecar in words, as the input language and its registers have them.

use super::build::scalar_kind;
use super::model::{Binding, Count, TypeNode};
use crate::layout::Unit;
use crate::target::Profile;
use crate::tree::Scalar;

/// A number, or the word for none.
pub fn count(count: Count) -> String {
    match count {
        Count::Number(n) => n.to_string(),
        Count::Word(_) => "unbounded".to_owned(),
    }
}

/// A line a row, columns aligned.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let width = |i: usize| rows.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// (unit, what is before a number in it, what one of it is called).
const UNITS: &[(Unit, &str, &str)] = &[
    (Unit::Bytes, "byte ", "byte"),
    (Unit::Descriptor, "binding ", "binding"),
    (Unit::FurtherDescriptor, "binding ", "further binding"),
    (Unit::LateDescriptor, "binding ", "trailing binding"),
    (Unit::Space, "space ", "space"),
    (Unit::PushConstant, "push constants ", "push constant buffer"),
    (Unit::ShaderRecord, "shader record ", "shader record"),
    (Unit::Specialization, "constant id ", "constant id"),
    (Unit::InputAttachment, "input attachment ", "input attachment"),
    (Unit::VaryingInput, "location ", "input location"),
    (Unit::VaryingOutput, "location ", "output location"),
    (Unit::RayPayload, "ray payload ", "ray payload member"),
    (Unit::HitAttributes, "hit attributes ", "hit attribute"),
    (Unit::CallablePayload, "callable payload ", "callable payload member"),
];

/// What is before a number in a unit, and what one of it is called.
pub(super) fn unit(kind: &str) -> (String, String) {
    let unit = Unit::of_word(kind);
    match (unit.and_then(Unit::class), UNITS.iter().find(|(u, ..)| Some(*u) == unit)) {
        (Some(class), _) => (class.to_string(), format!("{class} register")),
        (None, Some((_, before, one))) => ((*before).to_owned(), (*one).to_owned()),
        (None, None) => (kind.to_owned(), kind.to_owned()),
    }
}

/// The unit of a position under a profile: register classes that options map to ranges of bindings are bindings.
pub fn unit_on<'a>(profile: &str, kind: &'a str) -> &'a str {
    slot_of(kind, has_classes(profile))
}

/// The unit of a position where slots are counted in classes, or all are bindings.
pub fn slot_of(kind: &str, has_classes: bool) -> &str {
    let is_class = Unit::of_word(kind).is_some_and(|u| u.class().is_some());
    if is_class && !has_classes { Unit::Descriptor.word() } else { kind }
}

/// Whether slots are counted in classes under a profile.
pub fn has_classes(profile: &str) -> bool {
    Profile::parse(profile).is_some_and(|p| p.facts.api.facts().classes)
}

/// A position in what holds it: `t+8`, `byte 16`.
pub fn relative(binding: &Binding) -> String {
    if binding.offset.is_some() {
        return position(binding);
    }
    let (before, one) = unit(&binding.kind);
    let unit = match Unit::of_word(&binding.kind) {
        Some(Unit::FurtherDescriptor | Unit::LateDescriptor) => one + " ",
        _ => before,
    };
    format!("{unit}+{}", binding.index.unwrap_or(0))
}

/// A position: `t0 to t7, space 1`, `binding 3, set 0`, `byte 16`.
pub fn position(binding: &Binding) -> String {
    if let Some(offset) = binding.offset {
        return format!("byte {offset}");
    }
    let index = binding.index.unwrap_or(0);
    let (prefix, _) = unit(&binding.kind);
    let space = match Unit::of_word(&binding.kind).filter(|u| Unit::SLOTS.contains(u)) {
        Some(unit) if unit.class().is_some() => "space",
        Some(_) => "set",
        None => "",
    };
    let last = match binding.count {
        Some(Count::Number(n)) if n > 1 => format!(" to {prefix}{}", index.saturating_add(n - 1)),
        Some(Count::Word(_)) => " and all above".to_owned(),
        _ => String::new(),
    };
    let space = match (space, binding.space) {
        ("", _) => String::new(),
        (word, n) => format!(", {word} {}", n.unwrap_or(0)),
    };
    format!("{prefix}{index}{last}{space}")
}

/// `3 t registers`, `28 bytes`, `1 binding`.
pub fn units(kind: &str, n: Count) -> String {
    let s = if matches!(n, Count::Number(1)) { "" } else { "s" };
    let n = match n {
        Count::Number(n) => n.to_string(),
        Count::Word(_) => "unboundedly many".to_owned(),
    };
    let (_, one) = unit(kind);
    format!("{n} {one}{s}")
}

/// A type as the input language spells it.
pub fn type_name(node: &TypeNode) -> String {
    let element = || node.element_type.as_deref().map_or_else(String::new, type_name);
    match node.kind.as_str() {
        "scalar" => node.name.clone().unwrap_or_else(|| scalar(node.scalar_type.as_deref().unwrap_or(""))),
        "vector" => format!("{}{}", element(), node.element_count.map_or(String::new(), count)),
        "matrix" => {
            let order = if node.matrix_layout.as_deref() == Some("row") { "row_major " } else { "" };
            format!("{order}{}{}x{}", element(), node.row_count.unwrap_or(0), node.column_count.unwrap_or(0))
        }
        "array" => array(node),
        "struct" => node.instance.clone().or_else(|| node.name.clone()).unwrap_or_else(|| "struct".to_owned()),
        "resource" => resource(node),
        "samplerState" => "SamplerState".to_owned(),
        "constantBuffer" => holder("cbuffer", "ConstantBuffer", node),
        "parameterBlock" => format!("ParameterBlock<{}>", element()),
        "textureBuffer" => holder("tbuffer", "TextureBuffer", node),
        "pointer" => format!("{}*", element()),
        "outputStream" => format!("OutputStream<{}>", element()),
        "inputPatch" => counted("InputPatch", node),
        "outputPatch" => counted("OutputPatch", node),
        "meshOutput" => counted("MeshOutput", node),
        other => node.name.clone().unwrap_or_else(|| other.to_owned()),
    }
}

/// `InputPatch<Vertex, 3>`.
fn counted(name: &str, node: &TypeNode) -> String {
    let element = node.element_type.as_deref().map_or_else(String::new, type_name);
    format!("{name}<{element}, {}>", node.element_count.map_or(String::new(), count))
}

/// A buffer whose contents have a type with a name, or are declared with it.
fn holder(keyword: &str, generic: &str, node: &TypeNode) -> String {
    match node.element_type.as_deref() {
        Some(element) if element.kind != "struct" || element.name.is_some() => {
            format!("{generic}<{}>", type_name(element))
        }
        _ => keyword.to_owned(),
    }
}

/// A scalar of the format as the input language spells it.
pub(super) fn scalar(word: &str) -> String {
    Scalar::NAMES.iter().find(|(_, s)| scalar_kind(*s) == word).map_or(word, |(name, _)| name).to_owned()
}

/// `float[2][3]`: the outer dimension first.
fn array(node: &TypeNode) -> String {
    let mut dimensions = String::new();
    let mut at = Some(node);
    while let Some(array) = at.filter(|n| n.kind == "array") {
        let n = array.element_count.filter(|c| matches!(c, Count::Number(_)));
        dimensions.push_str(&format!("[{}]", n.map_or(String::new(), count)));
        at = array.element_type.as_deref();
    }
    at.map_or(String::new(), type_name) + &dimensions
}

fn resource(node: &TypeNode) -> String {
    let shape = node.base_shape.as_deref().unwrap_or("resource");
    let mut letters = shape.chars();
    let mut name: String = letters.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(letters).collect();
    if shape == "textureBuffer" {
        name = "Buffer".to_owned();
    }
    name = match node.access.as_deref() {
        Some("readWrite") => format!("RW{name}"),
        Some("append") => format!("Append{name}"),
        Some("consume") => format!("Consume{name}"),
        Some("rasterOrdered") => format!("RasterizerOrdered{name}"),
        Some("write") => format!("W{name}"),
        Some("feedback") => format!("Feedback{name}"),
        _ if node.combined == Some(true) => name.replace("Texture", "Sampler").replace("texture", "Sampler"),
        _ => name,
    };
    if node.multisample == Some(true) {
        name.push_str("MS");
    }
    if node.array == Some(true) {
        name.push_str("Array");
    }
    match node.result_type.as_deref() {
        Some(result) => format!("{name}<{}>", type_name(result)),
        None => name,
    }
}
