//! What descriptions say of one file, as sections of a manifest: the compilations that differ in entry points alone are one, and
//! those whose macros have all combinations of some values are one with permutations.

use super::describe::Described;
use crate::compile::BufferLayout;
use crate::layout::{Shift, Unit};
use crate::lex::{TokenKind, single_token};
use crate::options::Choices;
use crate::tree::{MatrixOrder, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// A macro with the values that it has in variants; `None`: it is not defined.
type MacroAxis = (String, Vec<Option<String>>);

/// Compilations of a file that are one section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// Entry points.
    pub entries: Vec<(String, Option<Stage>)>,
    /// Macros.
    pub defines: Vec<(String, Option<String>)>,
    /// Include directories, from the tree.
    pub include: Vec<String>,
    /// What else is chosen.
    pub choices: Choices,
    /// Macros with several values.
    pub axes: Vec<MacroAxis>,
}

impl Group {
    /// Whether two differ in entry points alone.
    pub fn agrees(&self, other: &Group) -> bool {
        let Group { entries: _, defines, include, choices, axes } = self;
        *defines == other.defines && *include == other.include && *choices == other.choices && *axes == other.axes
    }

    /// The macros of its first variant.
    pub fn first_variant(&self) -> Vec<(String, Option<String>)> {
        let of_axis = |(name, values): &MacroAxis| Some((name.clone(), Some(values.first()?.clone()?)));
        self.defines.iter().cloned().chain(self.axes.iter().filter_map(of_axis)).collect()
    }

    /// The keys of a section, without `files` and `entries`.
    pub fn keys(&self) -> String {
        let mut text = String::new();
        let defines =
            self.defines.iter().map(|(name, value)| format!("{name} = {}", quoted(value.as_deref().unwrap_or("1"))));
        let defines: Vec<String> = defines.collect();
        if !defines.is_empty() {
            text.push_str(&format!("defines = {{ {} }}\n", defines.join(", ")));
        }
        if !self.include.is_empty() {
            let roots: Vec<&str> = self.include.iter().map(|i| if i.is_empty() { "." } else { i.as_str() }).collect();
            text.push_str(&format!("include = {}\n", list(&roots)));
        }
        let axis = |(name, values): &MacroAxis| {
            let values: Vec<String> = values.iter().map(|value| axis_value(value.as_deref())).collect();
            format!("{name} = [{}]", values.join(", "))
        };
        if !self.axes.is_empty() {
            let axes: Vec<String> = self.axes.iter().map(axis).collect();
            text.push_str(&format!("permute = {{ {} }}\n", axes.join(", ")));
        }
        text + &choice_keys(&self.choices)
    }

    /// The key `entries`, if there are any.
    pub fn entries_key(&self) -> String {
        let shown = |(name, stage): &(String, Option<Stage>)| match stage {
            Some(stage) => format!("{name}:{}", stage.name()),
            None => name.clone(),
        };
        let entries: Vec<String> = self.entries.iter().map(shown).collect();
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        if entries.is_empty() { String::new() } else { format!("entries = {}\n", list(&entries)) }
    }

    /// What tells it from other groups of its file: as few of its macros as do, else its entry points.
    pub fn suffix(&self, all: &[Group]) -> String {
        let define = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!("{name}-{value}"),
            None => name.clone(),
        };
        let mut alike: Vec<&Group> = all.iter().filter(|other| *other != self).collect();
        let mut parts: Vec<String> = Vec::new();
        while !alike.is_empty() {
            let own = |name: &str| value_of(self, name);
            let tells =
                |(name, _): &&(String, Option<String>)| alike.iter().filter(|o| value_of(o, name) != own(name)).count();
            // The first of those that tell most.
            let Some(best) = self.defines.iter().rev().max_by_key(tells).filter(|best| tells(best) > 0) else { break };
            alike.retain(|other| value_of(other, &best.0) == own(&best.0));
            parts.push(define(best));
        }
        if parts.is_empty() {
            parts.extend(self.entries.iter().map(|(name, _)| name.clone()));
        }
        let joined = parts.join(".");
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
        joined.chars().map(plain).collect()
    }
}

/// A list of texts of TOML.
pub fn list(texts: &[&str]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// A text of TOML.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A value of an axis: `false` leaves the macro undefined.
fn axis_value(value: Option<&str>) -> String {
    match value {
        None => "false".to_owned(),
        Some(value) if value.parse::<i64>().is_ok_and(|n| n.to_string() == value) => value.to_owned(),
        Some(value) => quoted(value),
    }
}

/// The keys of what a command line chooses.
fn choice_keys(choices: &Choices) -> String {
    let mut text = String::new();
    if choices.matrix_layout == Some(MatrixOrder::Row) {
        text.push_str("matrix-layout = \"row\"\n");
    }
    let shift = choices.shift.filter(|shift| *shift != Shift::NONE);
    if let Some(shift) = shift {
        let class = |class: char| Some(format!("{class} = {}", shift.get(Unit::of_class(class)?)?));
        let classes: Vec<String> = "btus".chars().filter_map(class).collect();
        text.push_str(&format!("shift = {{ {} }}\n", classes.join(", ")));
    }
    if let Some((binding, set)) = choices.globals_binding {
        text.push_str(&format!("globals-binding = [{binding}, {set}]\n"));
    }
    if let Some(layout) = choices.buffer_layout.filter(|layout| *layout != BufferLayout::Native) {
        let name = BufferLayout::TABLE.iter().find(|(_, of_row)| *of_row == layout).map_or("native", |(name, _)| name);
        text.push_str(&format!("buffer-layout = {}\n", quoted(name)));
    }
    if choices.invert_y == Some(true) {
        text.push_str("invert-y = true\n");
    }
    // That `dx-position-w` is on is the default.
    text
}

/// The groups of every file. What a macro's name cannot be is left out, and named.
pub fn groups(all: &[Described], notes: &mut Vec<String>) -> BTreeMap<String, Vec<Group>> {
    let mut files: BTreeMap<String, Vec<Group>> = BTreeMap::new();
    for described in all {
        let Described { file, entries, defines, include, choices, place } = described;
        let mut kept: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (name, value) in defines {
            match single_token(name) == Some(TokenKind::Ident) {
                true => drop(kept.insert(name.clone(), value.clone())),
                false => notes.push(format!("{place}: `{name}` is no name of a macro")),
            }
        }
        let (defines, axes) = (kept.into_iter().collect(), Vec::new());
        let mut group =
            Group { entries: Vec::new(), defines, include: include.clone(), choices: choices.clone(), axes };
        let known = files.entry(file.clone()).or_default();
        let at = known.iter().position(|other| other.agrees(&group)).unwrap_or_else(|| {
            known.push(std::mem::take(&mut group));
            known.len() - 1
        });
        if let Some(group) = known.get_mut(at) {
            let new: Vec<_> = entries.iter().filter(|entry| !group.entries.contains(entry)).cloned().collect();
            group.entries.extend(new);
        }
    }
    files.into_iter().map(|(file, groups)| (file, permuted(groups))).collect()
}

/// Groups that differ in macros alone, as few with permutations.
fn permuted(groups: Vec<Group>) -> Vec<Group> {
    let mut alike: Vec<Vec<Group>> = Vec::new();
    for group in groups {
        let is_alike = |other: &&mut Vec<Group>| {
            let of_first = other.first();
            of_first
                .is_some_and(|o| group.entries == o.entries && group.include == o.include && group.choices == o.choices)
        };
        match alike.iter_mut().find(is_alike) {
            Some(known) => known.push(group),
            None => alike.push(vec![group]),
        }
    }
    alike.into_iter().flat_map(products).collect()
}

/// As [`permuted`], of groups that are alike: as one if they have all combinations of the values of their macros, else apart by the
/// values of the macro that leaves fewest of those that do not. Each macro is such a one at most once.
fn products(groups: Vec<Group>) -> Vec<Group> {
    if groups.len() < 2 {
        return groups;
    }
    let axes = axes(&groups);
    if let Some(one) = product(&groups, &axes) {
        return vec![one];
    }
    let apart = axes.iter().filter(|(_, values)| values.len() > 1).map(|(name, _)| by_value(&groups, name));
    let cost = |parts: &Vec<Vec<Group>>| {
        let whole = parts.iter().filter(|part| product(part, &self::axes(part)).is_some()).count();
        (parts.len() - whole, parts.len())
    };
    match apart.min_by_key(cost) {
        Some(parts) => parts.into_iter().flat_map(products).collect(),
        None => groups,
    }
}

/// Groups by the value that a macro has.
fn by_value(groups: &[Group], name: &str) -> Vec<Vec<Group>> {
    let mut parts: Vec<(Option<String>, Vec<Group>)> = Vec::new();
    for group in groups {
        let value = value_of(group, name);
        match parts.iter_mut().find(|(known, _)| *known == value) {
            Some((_, part)) => part.push(group.clone()),
            None => parts.push((value, vec![group.clone()])),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// The value of a macro in a group; `None`: it is not defined.
fn value_of(group: &Group, name: &str) -> Option<String> {
    let found = group.defines.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.clone().unwrap_or_else(|| "1".to_owned()))
}

/// The macros of groups, each with its values.
fn axes(groups: &[Group]) -> Vec<MacroAxis> {
    let names: BTreeSet<&String> = groups.iter().flat_map(|group| &group.defines).map(|(name, _)| name).collect();
    let mut axes: Vec<MacroAxis> = Vec::new();
    for name in names {
        let mut values: Vec<Option<String>> = Vec::new();
        for group in groups {
            let value = value_of(group, name);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        axes.push((name.clone(), values));
    }
    axes
}

/// Groups as one, if they have all combinations of the values of their macros.
fn product(groups: &[Group], axes: &[MacroAxis]) -> Option<Group> {
    let combinations = axes.iter().try_fold(1usize, |all, (_, values)| all.checked_mul(values.len()));
    let first = groups.first().filter(|_| combinations == Some(groups.len()))?;
    let (axes, fixed): (Vec<MacroAxis>, Vec<MacroAxis>) =
        axes.iter().cloned().partition(|(_, values)| values.len() > 1);
    let defines = fixed.into_iter().map(|(name, values)| (name, values.into_iter().next().flatten())).collect();
    Some(Group { defines, axes, ..first.clone() })
}
