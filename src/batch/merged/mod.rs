//! The texts of all variants as one, with `#if` around what only some of them have.
//!
//! | file | what |
//! |---|---|
//! | `units` | a text as declarations, statements and members, each of whole lines |
//! | `align`, `set` | the units of all variants in one sequence, each with the variants that have it |
//! | `macros`, `conditions` | conditions over the macros of axes that choose some of the variants |
//! | `lines` | which line is which line of a variant |
//! | `print` | the text |
//! | `proof` | that the preprocessor makes each variant of it |
//! | `product` | the texts of a program in place of those of its variants |
//!
//! It works on texts alone, and knows nothing of what wrote them: what it gives is right because the preprocessor says so. Where it
//! does not, the variants keep texts of their own.

mod align;
mod conditions;
mod lines;
mod macros;
mod print;
pub mod product;
mod proof;
mod set;
mod units;

pub use conditions::of_source;
pub use lines::origins;
#[cfg(feature = "cli")]
pub use proof::expanded;

use super::axes::Variant;
use align::{List, Node, merged_lists};
use conditions::Conditions;
use macros::{AxisMacro, Form, defined_as, renamed};
use set::Set;
use std::collections::BTreeSet;
use units::{UnitKind, tokens};

/// Programs with more variants are not merged: each variant is proved by itself.
const MOST_VARIANTS: usize = 1024;

/// The macros of a variant with what they are.
pub type Defines = Vec<(String, String)>;

/// A text for several variants.
#[derive(Debug)]
pub struct Merged {
    /// The text.
    pub text: String,
    /// What each variant defines, by its number.
    pub defines: Vec<Defines>,
}

/// A text with the numbers of the variants that it is of.
#[derive(Clone)]
pub struct FlatText<'a> {
    /// The text.
    pub text: &'a str,
    /// The variants.
    pub variants: Vec<usize>,
}

/// Merges texts. The error says why they stay apart.
pub fn merged(variants: &[Variant], conditions: &BTreeSet<String>, texts: &[FlatText]) -> Result<Merged, String> {
    if variants.len() > MOST_VARIANTS {
        return Err(format!("there are {} variants; the most are {MOST_VARIANTS}", variants.len()));
    }
    if texts.iter().any(|text| proof::has_conditionals(text.text)) {
        return Err("a text has `#if` of its own".to_owned());
    }
    let lexed: Vec<_> = texts.iter().map(|text| tokens(text.text)).collect();
    let used: BTreeSet<&str> = lexed.iter().flatten().map(|token| token.text.as_str()).collect();
    let axes = AxisMacro::all(variants, &used);
    let defines: Vec<Defines> = variants.iter().map(|variant| defines_of(variant, &axes)).collect();
    let mut plain: Vec<String> = texts.iter().map(|text| text.text.to_owned()).collect();
    for axis in &axes {
        without_clash(axis, texts, &mut plain, &defines, &used);
    }
    let all = Set::of(texts.iter().flat_map(|text| text.variants.iter().copied()));
    let nodes = sequence(texts, &plain)?;
    let is_version = |node: &&Node| node.lines.first().is_some_and(|line| line.starts_with("#version"));
    if nodes.iter().filter(is_version).any(|node| node.set != all) {
        return Err("the variants need different versions of the language".to_owned());
    }
    let mut conditions = Conditions::new(&axes, conditions, &defines);
    let untold = || "no condition tells the variants apart".to_owned();
    let head = head(&nodes, &all);
    let (before, behind) = nodes.split_at(head);
    let before = print::print(before, &all, &mut conditions).ok_or_else(untold)?;
    let behind = print::print(behind, &all, &mut conditions).ok_or_else(untold)?;
    let text = text(&before, &behind, &axes, variants, &all);
    prove(&text, texts, &defines)?;
    Ok(Merged { text, defines })
}

/// What a variant defines.
fn defines_of(variant: &Variant, axes: &[AxisMacro]) -> Defines {
    let values =
        variant.iter().filter_map(|(name, value)| Some((axes.iter().find(|a| a.name == *name)?, value.as_ref()?)));
    values.flat_map(|(axis, value)| axis.defines(value)).collect()
}

/// Texts that define the macro of an axis: a definition that is that of the variant is left out, because it comes from outside;
/// if it is something else, the text's own macro gets another name.
fn without_clash(
    axis: &AxisMacro,
    texts: &[FlatText],
    plain: &mut [String],
    defines: &[Defines],
    used: &BTreeSet<&str>,
) {
    let name = axis.name.as_str();
    let words = |text: &str| tokens(text).iter().map(|token| token.text).collect::<Vec<_>>();
    let is_value = |at: &usize, value: &str| {
        let own = defines.get(*at).and_then(|defines| defines.iter().find(|(axis, _)| axis == name));
        own.is_some_and(|(_, own)| words(own) == words(value))
    };
    let is_same = |(text, flat): (&String, &FlatText)| {
        let mut values = text.lines().filter_map(|line| defined_as(line, name));
        values.all(|value| flat.variants.iter().all(|at| is_value(at, value)))
    };
    if plain.iter().zip(texts).all(is_same) {
        for text in plain.iter_mut() {
            let lines = text.lines().filter(|line| defined_as(line, name).is_none());
            *text = lines.map(|line| format!("{line}\n")).collect();
        }
        return;
    }
    let mut other = format!("{name}_VALUE");
    while used.contains(other.as_str()) {
        other.push('S');
    }
    for text in plain.iter_mut().filter(|text| text.lines().any(|line| defined_as(line, name).is_some())) {
        *text = renamed(text, name, &other);
    }
}

/// The units of all texts.
fn sequence(texts: &[FlatText], plain: &[String]) -> Result<Vec<Node>, String> {
    let units: Vec<_> = plain.iter().map(|text| units::units(text)).collect();
    let sets: Vec<Set> = texts.iter().map(|text| Set::of(text.variants.iter().copied())).collect();
    let lists: Vec<List> = sets.iter().zip(&units).map(|(set, units)| List { set, units }).collect();
    merged_lists(&lists).ok_or_else(|| "the texts are too long to be compared".to_owned())
}

/// How many nodes are the head of the text, before which nothing may stand: the version of the language, and comments about the
/// file.
fn head(nodes: &[Node], all: &Set) -> usize {
    let is_of_all = |node: &&Node| node.set == *all;
    let version = nodes.iter().take_while(is_of_all).position(|node| {
        node.kind == UnitKind::Directive && node.lines.first().is_some_and(|line| line.starts_with("#version"))
    });
    let begin = version.map_or(0, |at| at + 1);
    let rest = nodes.get(begin..).unwrap_or_default();
    let comments = rest.iter().take_while(|node| node.set == *all && node.kind == UnitKind::Comment).count();
    // A comment without a blank line behind it is about what follows.
    let mut count = comments;
    while count > 0 && rest.get(count).is_some_and(|next| !next.blank) {
        count -= 1;
    }
    begin + count
}

/// The text, with what its conditions need.
fn text(before: &[String], behind: &[String], axes: &[AxisMacro], variants: &[Variant], all: &Set) -> String {
    let body = format!("{}\n", behind.join("\n"));
    let lexed = tokens(&body);
    let used: BTreeSet<&str> = lexed.iter().map(|token| token.text.as_str()).collect();
    let first = all.first().and_then(|at| variants.get(at));
    let mut needs = Vec::new();
    for axis in axes {
        let value = first.iter().flat_map(|variant| variant.iter()).find(|(name, _)| *name == axis.name);
        let value = value.and_then(|(_, value)| value.as_deref());
        needs.extend(definitions(axis, value, &used));
    }
    let mut parts: Vec<String> = Vec::new();
    if !before.is_empty() {
        parts.push(before.join("\n") + "\n");
    }
    if !needs.is_empty() {
        parts.push(needs.join("\n") + "\n");
    }
    parts.push(body);
    parts.join("\n")
}

/// What the text defines for an axis: the numbers of words, and the value of the first variant for those who define none.
fn definitions(axis: &AxisMacro, first: Option<&str>, used: &BTreeSet<&str>) -> Vec<String> {
    let mut lines = Vec::new();
    let flags: Vec<String> = match axis.form {
        Form::Flags => axis.values.iter().map(|value| axis.flag(value)).collect(),
        Form::Numbers | Form::Words => Vec::new(),
    };
    let has_flags = flags.iter().any(|flag| used.contains(flag.as_str()));
    if used.contains(axis.name.as_str()) {
        lines.extend(axis.numbers().iter().map(|(word, number)| format!("#define {word} {number}")));
    }
    let Some(value) = first.filter(|_| !axis.may_be_undefined) else { return lines };
    if used.contains(axis.name.as_str()) {
        lines.extend([format!("#ifndef {}", axis.name), format!("#define {} {value}", axis.name), "#endif".to_owned()]);
    }
    if has_flags {
        let none: Vec<String> = flags.iter().map(|flag| format!("!defined({flag})")).collect();
        let line = format!("#define {} 1", axis.flag(value));
        lines.extend([format!("#if {}", none.join(" && ")), line, "#endif".to_owned()]);
    }
    lines
}

/// Whether each variant of the text is the text that it had.
fn prove(text: &str, texts: &[FlatText], defines: &[Defines]) -> Result<(), String> {
    for flat in texts {
        let expected = proof::expanded(flat.text, &[]);
        for at in &flat.variants {
            let defines = defines.get(*at).map_or(&[][..], Vec::as_slice);
            if expected.is_none() || proof::expanded(text, defines) != expected {
                let values: Vec<String> = defines.iter().map(|(name, value)| format!("{name}={value}")).collect();
                return Err(format!("the merged text would not be right with {}", values.join(" ")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
