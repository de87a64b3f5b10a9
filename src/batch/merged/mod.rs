//! The texts of all variants as one, with `#if` around what only some of them have; in WGSL with the `@if` of WESL before it.
//!
//! | file | what |
//! |---|---|
//! | `units` | a text as declarations, statements and members, each of whole lines |
//! | `align`, `set` | the units of all variants in one sequence, each with the variants that have it |
//! | `macros`, `features`, `conditions` | conditions over the macros of axes that choose some of the variants |
//! | `lines` | which line is which line of a variant |
//! | `print` | the text |
//! | `proof`, `attributes` | that the preprocessor, or a translator of WESL, makes each variant of it |
//! | `product` | the texts of a program in place of those of its variants |
//!
//! It works on texts alone, and knows nothing of what wrote them: what it gives is right because the preprocessor says so. Where it
//! does not, the variants keep texts of their own.

mod align;
mod attributes;
mod conditions;
mod features;
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
pub use proof::{Headers, expanded};

use super::axes::Variant;
use crate::target::Conditionals;
use align::{List, Node, merged_lists};
use conditions::Conditions;
use features::Features;
use macros::{AxisMacro, Form, defined_as, renamed};
use set::Set;
use std::collections::BTreeSet;
use units::{UnitKind, tokens};

/// Programs with more variants are not merged: each variant is proved by itself.
const MOST_VARIANTS: usize = 1024;

/// The macros of a variant with what they are; of a text with attributes: all features, each with `1` if the variant has it, else `0`.
pub type Defines = Vec<(String, String)>;

/// A text for several variants.
#[derive(Debug)]
pub struct Merged {
    /// How it says what only some variants have.
    pub form: Conditionals,
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
pub fn merged(
    form: Conditionals,
    variants: &[Variant],
    conditions: &BTreeSet<String>,
    texts: &[FlatText],
) -> Result<Merged, String> {
    if variants.len() > MOST_VARIANTS {
        return Err(format!("there are {} variants; the most are {MOST_VARIANTS}", variants.len()));
    }
    let own = texts.iter().find_map(|text| proof::without_conditionals(form, text.text).err());
    if let Some(own) = own {
        return Err(format!("a text has `{own}` of its own"));
    }
    let (text, defines) = match form {
        Conditionals::Directives => with_directives(variants, conditions, texts)?,
        Conditionals::Attributes => with_attributes(variants, conditions, texts)?,
    };
    prove(form, &text, texts, &defines)?;
    Ok(Merged { form, text, defines })
}

/// The text and what each variant defines.
type TextWithDefines = (String, Vec<Defines>);

const UNTOLD: &str = "no condition tells the variants apart";

fn all_of(texts: &[FlatText]) -> Set {
    Set::of(texts.iter().flat_map(|text| text.variants.iter().copied()))
}

fn with_directives(
    variants: &[Variant],
    conditions: &BTreeSet<String>,
    texts: &[FlatText],
) -> Result<TextWithDefines, String> {
    let lexed: Vec<_> = texts.iter().map(|text| tokens(text.text)).collect();
    let used: BTreeSet<&str> = lexed.iter().flatten().map(|token| token.text.as_str()).collect();
    let axes = AxisMacro::all(variants, &used);
    let defines: Vec<Defines> = variants.iter().map(|variant| defines_of(variant, &axes)).collect();
    let mut plain: Vec<String> = texts.iter().map(|text| text.text.to_owned()).collect();
    for axis in &axes {
        without_clash(axis, texts, &mut plain, &defines, &used);
    }
    let (form, all) = (Conditionals::Directives, all_of(texts));
    let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
    let nodes = sequence(form, texts, &plain)?;
    let is_version = |node: &&Node| node.lines.first().is_some_and(|line| line.starts_with("#version"));
    if nodes.iter().filter(is_version).any(|node| node.set != all) {
        return Err("the variants need different versions of the language".to_owned());
    }
    let mut conditions = Conditions::new(&axes, conditions, &defines);
    let (before, behind) = nodes.split_at(head(&nodes, &all));
    let before = print::print(form, before, &all, &mut conditions).ok_or(UNTOLD)?;
    let behind = print::print(form, behind, &all, &mut conditions).ok_or(UNTOLD)?;
    Ok((text(&before, &behind, &axes, variants, &all), defines))
}

fn with_attributes(
    variants: &[Variant],
    conditions: &BTreeSet<String>,
    texts: &[FlatText],
) -> Result<TextWithDefines, String> {
    // Features have no values: what words mean elsewhere makes no difference.
    let axes = AxisMacro::all(variants, &BTreeSet::new());
    let features = Features::of(&axes);
    let defines: Vec<Defines> = variants.iter().map(|variant| features.of_variant(variant)).collect();
    let (form, all) = (Conditionals::Attributes, all_of(texts));
    let plain: Vec<&str> = texts.iter().map(|text| text.text).collect();
    let nodes = sequence(form, texts, &plain)?;
    let mut conditions = Conditions::of_features(&features, conditions, &defines);
    let lines = print::print(form, &nodes, &all, &mut conditions).ok_or(UNTOLD)?;
    Ok((lines.join("\n") + "\n", defines))
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
fn sequence(form: Conditionals, texts: &[FlatText], plain: &[&str]) -> Result<Vec<Node>, String> {
    let units: Vec<_> = plain.iter().map(|text| units::units(form, text)).collect();
    let sets: Vec<Set> = texts.iter().map(|text| Set::of(text.variants.iter().copied())).collect();
    let lists: Vec<List> = sets.iter().zip(&units).map(|(set, units)| List { set, units }).collect();
    merged_lists(&lists).ok_or_else(|| "the texts are too long to be compared".to_owned())
}

/// How many nodes are the head of the text, before which nothing may stand: the version of the language, extensions, and comments
/// about the file. Extensions of some variants alone are behind what their conditions need.
fn head(nodes: &[Node], all: &Set) -> usize {
    let is_of_all = |node: &&Node| node.set == *all;
    let is_directive = |node: &Node, word: &str| {
        node.kind == UnitKind::Directive && node.lines.first().is_some_and(|line| line.starts_with(word))
    };
    let version = nodes.iter().take_while(is_of_all).position(|node| is_directive(node, "#version"));
    let behind = version.map_or(0, |at| at + 1);
    let extensions = nodes.iter().skip(behind).take_while(is_of_all).take_while(|n| is_directive(n, "#extension"));
    let begin = behind + extensions.count();
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
fn prove(form: Conditionals, text: &str, texts: &[FlatText], defines: &[Defines]) -> Result<(), String> {
    let expanded =
        |text: &str, defines: &Defines| proof::expanded(form, ("text", text), &proof::Headers::default(), defines);
    wrong_variant(text, texts, defines, &expanded)
        .map_or(Ok(()), |defines| Err(format!("the merged text would not be right with {}", shown(defines))))
}

/// A variant of which the merged text is not what its own text is, once both are expanded.
pub fn wrong_variant<'d>(
    text: &str,
    texts: &[FlatText],
    defines: &'d [Defines],
    expanded: &dyn Fn(&str, &Defines) -> Option<Vec<String>>,
) -> Option<&'d Defines> {
    texts.iter().find_map(|flat| {
        let expected = expanded(flat.text, &Defines::new());
        let is_wrong = |defines: &&Defines| expected.is_none() || expanded(text, defines) != expected;
        flat.variants.iter().filter_map(|at| defines.get(*at)).find(is_wrong)
    })
}

/// What is defined, for messages.
pub fn shown(defines: &Defines) -> String {
    let values: Vec<String> = defines.iter().map(|(name, value)| format!("{name}={value}")).collect();
    values.join(" ")
}

#[cfg(test)]
mod tests;
