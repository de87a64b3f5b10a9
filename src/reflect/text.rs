//! The sidecar as a table for people.

use super::model::{Count, Leaf, Reflection};
use super::words::{aligned, count, unit, unit_on};
use crate::layout::Unit;
use crate::layout::locations::PATCH;

/// One line a leaf, columns aligned.
pub fn table(reflection: &Reflection) -> String {
    let header = ["parameter", "position", "offset", "size", "emitted as", "used by"].map(str::to_owned);
    let mut rows = vec![header.to_vec()];
    rows.extend(reflection.leaves.iter().map(|leaf| row(leaf, &reflection.profile)));
    let mut out =
        format!("{} ({}), bindings by `{}`\n", reflection.target, reflection.profile, reflection.binding_policy);
    for entry in &reflection.entry_points {
        let size = entry.thread_group_size.map_or(String::new(), |[x, y, z]| format!(" [{x}, {y}, {z}]"));
        out.push_str(&format!("entry point {} ({}){size}\n", entry.name, entry.stage));
    }
    out + &aligned(&rows)
}

fn row(leaf: &Leaf, profile: &str) -> Vec<String> {
    let position = match &leaf.buffer {
        Some(b) => place(unit_on(profile, &b.kind), Some(b.index), b.space, None),
        None => place(unit_on(profile, &leaf.kind), leaf.index, leaf.space, leaf.count),
    };
    let semantic = leaf.semantic.as_ref().map_or(String::new(), |s| format!(" {s}"));
    let per = per(leaf).map_or(String::new(), |per| format!(" {per}"));
    let size = leaf.size.map_or(String::new(), count);
    vec![
        leaf.path.clone(),
        position + &semantic + &per,
        leaf.offset.map_or(String::new(), |o| o.to_string()),
        size,
        emitted(leaf),
        users(leaf),
    ]
}

/// `per vertex [3]`, `x 2 every 5` of a stage input or output.
pub(super) fn per(leaf: &Leaf) -> Option<String> {
    let many = leaf.repeats.split_first().filter(|_| leaf.per.as_deref().is_some_and(|per| per != PATCH));
    let (first, rest) = many.map_or((None, leaf.repeats.as_slice()), |(first, rest)| (Some(first), rest));
    let n = match first.map(|r| r.count) {
        Some(Count::Number(n)) => format!(" [{n}]"),
        _ => String::new(),
    };
    let per = leaf.per.as_ref().map(|per| format!("per {per}{n}"));
    // Elements of its own are in its count.
    let own = leaf.count.map_or(1, |c| if let Count::Number(n) = c { n } else { 1 });
    let around = rest.iter().filter_map(|r| match r.count {
        Count::Number(n) if r.stride.saturating_mul(n) > own => {
            let semantic = r.semantic_stride.map_or(String::new(), |by| format!(" (semantic +{by})"));
            Some(format!("x {n} every {}{semantic}", r.stride))
        }
        _ => None,
    });
    let words: Vec<String> = per.into_iter().chain(around).collect();
    let located = Unit::of_word(&leaf.kind).is_some_and(Unit::is_located);
    (located && !words.is_empty()).then(|| words.join(" "))
}

/// The name in the text, or those of elements.
fn emitted(leaf: &Leaf) -> String {
    let elements = leaf.elements.iter().map(|e| e.emitted_name.as_str());
    let mut names: Vec<String> = leaf.emitted_name.as_deref().into_iter().chain(elements).map(str::to_owned).collect();
    // With further samplers a texture has other names and units.
    let further = leaf.pairs.iter().filter(|pair| pair.sampler.is_some());
    for pair in further.filter(|pair| !names.contains(&pair.emitted_name)).collect::<Vec<_>>() {
        let unit = pair.index.map_or(String::new(), |n| format!(" ({n})"));
        names.push(format!("{}{unit}", pair.emitted_name));
    }
    names.join(", ")
}

/// `t8..t15 space0`, `set 0 binding 2`, `input 1`.
fn place(kind: &str, index: Option<u64>, space: Option<u64>, count: Option<Count>) -> String {
    let Some(index) = index else { return String::new() };
    let class = Unit::of_word(kind).and_then(Unit::class).map_or(String::new(), String::from);
    let last = match count {
        Some(Count::Number(n)) if n > 1 => format!("..{class}{}", index.saturating_add(n - 1)),
        Some(Count::Word(_)) => "..".to_owned(),
        _ => String::new(),
    };
    match (Unit::of_word(kind), space) {
        (Some(Unit::VaryingInput), _) => format!("input {index}{last}"),
        (Some(Unit::VaryingOutput), _) => format!("output {index}{last}"),
        (Some(Unit::Descriptor), Some(set)) => format!("set {set} binding {index}{last}"),
        (_, Some(space)) => format!("{class}{index}{last} space{space}"),
        (_, None) => format!("{}{index}{last}", unit(kind).0),
    }
}

/// Entry points that reach it, and in parentheses those that name it in code that never runs.
pub(super) fn users(leaf: &Leaf) -> String {
    let unreached = leaf.references.iter().filter(|r| !r.reachable).map(|r| format!("({})", r.entry_point));
    leaf.entry_points.iter().cloned().chain(unreached).collect::<Vec<_>>().join(", ")
}
