//! What a person means by the path of a parameter: `gPairs[3].b`, `Space::inner`, or a last name alone; and where the element
//! of an array is that such a path names.

use super::explain::{Explanation, SHOWN, Step};
use super::model::Binding;
use super::words::position;
use crate::layout::Unit;
use crate::layout::rules::pages;
use crate::symbol::edit_distance;

/// How many names a wrong one is compared with at most in an answer.
const NEAR: usize = 4;

/// Something in a path that can be indexed.
#[derive(Clone, Debug)]
pub(super) struct Dimension {
    /// Which name of the path is indexed.
    pub(super) name: usize,
    /// How many elements there are.
    pub(super) count: Option<u32>,
    /// Bytes from element to element; nothing for what is no array, as a vector or a structured buffer.
    pub(super) bytes: Option<u64>,
}

/// The arrays that a part lies in or is, and where its first element is.
#[derive(Clone, Debug, Default)]
pub(super) struct Elements {
    pub(super) dimensions: Vec<Dimension>,
    /// With whether each element has slots of its own there.
    pub(super) first: Vec<(Binding, bool)>,
}

/// The names of a path, each with what it is indexed by; nothing if that is not written as indices are.
fn names(path: &str) -> Option<Vec<(&str, Vec<u64>)>> {
    path.split('.').map(name).collect()
}

fn name(part: &str) -> Option<(&str, Vec<u64>)> {
    let Some((name, rest)) = part.split_once('[') else { return (!part.contains(']')).then_some((part, Vec::new())) };
    let indices: Option<Vec<u64>> = rest.strip_suffix(']')?.split("][").map(|n| n.trim().parse().ok()).collect();
    Some((name, indices?))
}

/// `Space::gPairs[3].b` as `Space.gPairs.b`.
fn plain(path: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0usize;
    for c in path.replace("::", ".").chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

impl Explanation {
    /// Its path with the namespaces around it.
    fn full_path(&self) -> String {
        if self.namespace.is_empty() { self.path.clone() } else { format!("{}.{}", self.namespace, self.path) }
    }
}

/// The explanations that a path may be meant for: those of this name; or else those that end in it.
fn meant<'a>(list: &'a [Explanation], plain: &str) -> Vec<&'a Explanation> {
    let exact: Vec<&Explanation> = list.iter().filter(|e| e.path == plain || e.full_path() == plain).collect();
    if !exact.is_empty() {
        return exact;
    }
    let ending = format!(".{plain}");
    list.iter().filter(|e| e.full_path().ends_with(&ending)).collect()
}

/// The explanation of a path as a person writes it: `gPairs[3].b` is `gPairs.b`, and a name alone is enough where there is
/// only one.
pub fn find<'a>(list: &'a [Explanation], path: &str) -> Option<&'a Explanation> {
    let found = meant(list, &plain(path));
    let first = *found.first()?;
    // What has the same path in the same namespace is explained by the first.
    found.iter().all(|e| e.full_path() == first.full_path()).then_some(first)
}

/// The explanation with that of the element that a path names, if it names one. The error is what is wrong with an index.
pub fn element(found: &Explanation, path: &str) -> Result<Explanation, String> {
    let mut explained = found.clone();
    if !path.contains(['[', ']']) {
        return Ok(explained);
    }
    let path = path.replace("::", ".");
    let names = names(&path).ok_or_else(|| format!("an index of `{path}` is not a number in brackets"))?;
    // A path may begin with a namespace, or leave out what is before its last names.
    let all = found.path.split('.').count();
    let given = |at: usize| (at + names.len()).checked_sub(all).and_then(|n| names.get(n));
    let mut indices = Vec::new();
    for at in 0..all {
        let here: Vec<&Dimension> = found.elements.dimensions.iter().filter(|d| d.name == at).collect();
        let (name, list) = given(at).map_or(("", [].as_slice()), |(name, list)| (name, list.as_slice()));
        match here.len() {
            0 if !list.is_empty() => return Err(format!("`{name}` is not an array")),
            n if list.len() > n => return Err(format!("`{name}` has fewer than {} dimensions", list.len())),
            _ => {}
        }
        for (nth, dimension) in here.into_iter().enumerate() {
            let index = list.get(nth).copied();
            if let (Some(index), Some(count)) = (index, dimension.count.filter(|n| index >= Some((*n).into()))) {
                return Err(format!("`{name}` has {count} elements there, and none of index {index}"));
            }
            indices.push((dimension, index.unwrap_or(0)));
        }
    }
    explain_element(&mut explained, &path, &indices);
    Ok(explained)
}

/// Adds the step to an element. What is indexed and is no array has no elements with a place of their own.
fn explain_element(explained: &mut Explanation, path: &str, indices: &[(&Dimension, u64)]) {
    let arrays: Vec<(&Dimension, u64)> = indices.iter().filter(|(d, _)| d.bytes.is_some()).copied().collect();
    if arrays.is_empty() {
        return;
    }
    let bytes = arrays.iter().map(|(d, index)| d.bytes.unwrap_or(0).saturating_mul(*index));
    let bytes = bytes.fold(0, u64::saturating_add);
    // Elements follow one another, those of the last dimension first.
    let nth = arrays
        .iter()
        .fold(0u64, |nth, (d, index)| nth.saturating_mul(d.count.unwrap_or(1).into()).saturating_add(*index));
    let further = Unit::FurtherDescriptor.word();
    let apart = explained.elements.first.iter().any(|(b, _)| b.kind == further);
    let mut places = Vec::new();
    for (first, counted) in &explained.elements.first {
        let at = match (first.offset, counted) {
            (Some(offset), _) => {
                let at = Binding { offset: Some(offset.saturating_add(bytes)), ..first.clone() };
                format!("byte {offset} + {bytes}: {}", position(&at))
            }
            (None, false) => format!("{}, which holds all elements: it is number {nth}", position(first)),
            (None, true) => {
                // The first one may be apart from the others.
                let by = if apart && first.kind == further { nth.checked_sub(1) } else { Some(nth) };
                let Some(by) = by.filter(|by| !apart || *by == 0 || first.kind == further) else { continue };
                let start = first.index.unwrap_or(0);
                let at = Binding { index: Some(start.saturating_add(by)), ..first.clone() };
                format!("{start} + {by}: {}", position(&at))
            }
        };
        places.push(at);
    }
    if places.is_empty() {
        return;
    }
    let text = format!("`{path}` is at {}", places.join(" and "));
    explained.steps.push(Step::new(text, pages::ARRAYS, None));
}

/// What to say of a path that leads nowhere, or to several parts.
pub fn missing(list: &[Explanation], path: &str) -> String {
    let plain = plain(path);
    let quoted = |paths: &[String]| paths.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>().join(", ");
    let mut ends: Vec<String> = meant(list, &plain).into_iter().map(Explanation::full_path).collect();
    ends.dedup();
    ends.truncate(SHOWN);
    if !ends.is_empty() {
        return format!("`{path}` may be {}: choose one", quoted(&ends));
    }
    let last = |p: &str| p.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let distance = |a: &str, b: &str| Some(edit_distance(a, b)).filter(|d| *d <= 1 + b.len() / 4 && *d < b.len());
    let mut near: Vec<(usize, &str)> = list
        .iter()
        .filter_map(|e| {
            let whole = distance(&e.path.to_ascii_lowercase(), &plain.to_ascii_lowercase());
            Some((whole.or_else(|| distance(&last(&e.path), &last(&plain)))?, e.path.as_str()))
        })
        .collect();
    near.sort();
    let near: Vec<String> = near.into_iter().take(NEAR).map(|(_, p)| p.to_owned()).collect();
    if !near.is_empty() {
        return format!("there is no parameter `{path}`; there is {}", quoted(&near));
    }
    let paths: Vec<&str> = list.iter().map(|e| e.path.as_str()).filter(|p| !p.contains('.')).collect();
    if paths.is_empty() {
        return format!("there is no parameter `{path}`; there are none");
    }
    let hidden = paths.len().saturating_sub(SHOWN);
    let more = if hidden > 0 { format!(" and {hidden} more") } else { String::new() };
    let shown: Vec<&str> = paths.into_iter().take(SHOWN).collect();
    format!("there is no parameter `{path}`; there are {}{more}", shown.join(", "))
}
