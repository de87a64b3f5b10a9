//! Conditions that choose some of the variants: those of the source where one does, else the shortest that is found.

use super::Defines;
use super::features::Features;
use super::macros::{AxisMacro, Form};
use super::proof::chosen_lines;
use super::set::Set;
use super::units::tokens;
use crate::lex::TokenKind;
use crate::target::Conditionals;
use std::collections::{BTreeMap, BTreeSet};

/// Operators that the preprocessors of all languages know.
const OPERATORS: &[&str] = &[
    "(", ")", "!", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "<<",
];

/// A condition that may be a part of others.
#[derive(Clone, Debug)]
struct Literal {
    text: String,
    /// Its opposite.
    negated: String,
    /// The variants that it chooses.
    set: Set,
    /// Less is better.
    cost: u32,
    /// Its place among all.
    at: usize,
}

/// What conditions are made of.
#[derive(Debug)]
pub struct Conditions {
    literals: Vec<Literal>,
    /// What was found: what is chosen of which variants.
    known: BTreeMap<(Set, Set), Option<String>>,
}

/// What conditions cost: those of the source go before those that are made.
const OF_SOURCE: u32 = 10;
const TRUTH: u32 = 12;
const EQUALITY: u32 = 14;
const ORDER: u32 = 16;
const NEGATION: u32 = 1;
const COMPOSED: u32 = 100;

impl Conditions {
    /// Of axes, with the conditions of the sources. `defines` are those of each variant.
    pub fn new(axes: &[AxisMacro], of_sources: &BTreeSet<String>, defines: &[Defines]) -> Conditions {
        let mut atoms: Vec<(String, u32)> = Vec::new();
        for text in of_sources.iter().filter(|text| is_of_axes(text, axes)) {
            atoms.push((text.clone(), OF_SOURCE));
        }
        axes.iter().for_each(|axis| add_atoms(axis, &mut atoms));
        Conditions::of_atoms(atoms, axes, defines)
    }

    /// Of features, with those conditions of the sources that ask for nothing else. `defines` says which of them each variant has.
    pub fn of_features(features: &Features, of_sources: &BTreeSet<String>, defines: &[Defines]) -> Conditions {
        let of_sources = of_sources.iter().filter_map(|text| Some((features.condition(text)?, OF_SOURCE)));
        let own = features.names().map(|name| (name.to_owned(), TRUTH));
        Conditions::of_atoms(of_sources.chain(own).collect(), &[], defines)
    }

    fn of_atoms(mut atoms: Vec<(String, u32)>, axes: &[AxisMacro], defines: &[Defines]) -> Conditions {
        let mut said = BTreeSet::new();
        atoms.retain(|(text, _)| said.insert(text.clone()));
        let sets = sets(&atoms, axes, defines);
        let mut literals = Vec::new();
        for ((text, cost), set) in atoms.into_iter().zip(sets) {
            let negated = negation(&text);
            let all = Set::of(0..defines.len());
            let opposite = Literal {
                text: negated.clone(),
                negated: text.clone(),
                set: all.without(&set),
                cost: cost + NEGATION,
                at: 0,
            };
            literals.push(Literal { text, negated, set, cost, at: 0 });
            literals.push(opposite);
        }
        literals.sort_by_key(|literal| literal.cost);
        literals.iter_mut().enumerate().for_each(|(at, literal)| literal.at = at);
        Conditions { literals, known: BTreeMap::new() }
    }

    /// A condition that holds for `chosen` and for no other variant of `context`.
    pub fn of(&mut self, chosen: &Set, context: &Set) -> Option<String> {
        let key = (chosen.clone(), context.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.find(chosen, context);
        self.known.insert(key, found.clone());
        found
    }

    /// What the condition costs that chooses some of the variants of `context`.
    pub fn cost(&mut self, chosen: &Set, context: &Set) -> Option<u32> {
        let text = self.of(chosen, context)?;
        let literal = self.literals.iter().find(|literal| literal.text == text);
        Some(literal.map_or(COMPOSED + text.len() as u32, |literal| literal.cost))
    }

    fn find(&self, chosen: &Set, context: &Set) -> Option<String> {
        let inside: Vec<(&Literal, Set)> =
            self.literals.iter().map(|literal| (literal, literal.set.and(context))).collect();
        if let Some((literal, _)) = inside.iter().find(|(_, set)| set == chosen) {
            return Some(literal.text.clone());
        }
        let wide: Vec<_> = inside.iter().filter(|(_, set)| chosen.is_in(set) && set != context).collect();
        let narrow: Vec<_> = inside.iter().filter(|(_, set)| set.is_in(chosen) && !set.is_empty()).collect();
        let both = best_pair(&wide, |a, b| a.and(b) == *chosen);
        let either = best_pair(&narrow, |a, b| a.or(b) == *chosen);
        match (both, either) {
            (Some((cost, [a, b])), either) if either.as_ref().is_none_or(|(other, _)| cost <= *other) => {
                return Some(format!("{} && {}", part(&a.text), part(&b.text)));
            }
            (_, Some((_, [a, b]))) => return Some(format!("{} || {}", summand(&a.text), summand(&b.text))),
            _ => {}
        }
        let plain = self.products(chosen, context);
        let opposite = self.products(&context.without(chosen), context);
        match (plain, opposite) {
            // The opposite of a product is a sum of opposites.
            (plain, Some(opposite)) if opposite.len() == 1 && plain.as_ref().is_none_or(|plain| plain.len() > 1) => {
                let all: Vec<&str> = opposite.iter().flatten().map(|literal| literal.negated.as_str()).collect();
                Some(all.join(" || "))
            }
            (Some(plain), _) => {
                let is_one = plain.len() == 1;
                let product = |literals: &Vec<&Literal>| {
                    let parts: Vec<String> = literals.iter().map(|literal| part(&literal.text)).collect();
                    let text = parts.join(" && ");
                    if is_one || parts.len() == 1 { text } else { format!("({text})") }
                };
                Some(plain.iter().map(product).collect::<Vec<_>>().join(" || "))
            }
            (None, _) => None,
        }
    }

    /// Products of literals that together choose what is chosen, each as much of it as is found in one.
    fn products(&self, chosen: &Set, context: &Set) -> Option<Vec<Vec<&Literal>>> {
        let mut products = Vec::new();
        let mut left = chosen.clone();
        while let Some(seed) = left.first() {
            let seed = Set::of([seed]);
            let product = self.product(&seed, &left, chosen, context)?;
            let all = product.iter().fold(context.clone(), |all, literal| all.and(&literal.set));
            left = left.without(&all);
            products.push(product);
        }
        Some(products)
    }

    /// A product that chooses the seed and nothing that is not to be chosen.
    fn product(&self, seed: &Set, left: &Set, chosen: &Set, context: &Set) -> Option<Vec<&Literal>> {
        let usable: Vec<&Literal> = self.literals.iter().filter(|literal| seed.is_in(&literal.set)).collect();
        let (mut product, mut all): (Vec<&Literal>, Set) = (Vec::new(), context.clone());
        while !all.is_in(chosen) {
            let gain = |literal: &&&Literal| {
                let with = all.and(&literal.set);
                let lost = all.count() - with.count();
                // First what keeps most of what is still to be chosen, for what it takes away of the rest.
                let kept = with.and(left).count();
                let wrong = with.without(chosen).count();
                (lost > 0).then_some((wrong == 0, kept, std::cmp::Reverse(wrong), std::cmp::Reverse(literal.cost)))
            };
            let is_useful = |literal: &&&Literal| !all.without(chosen).is_in(&literal.set);
            let best = usable.iter().filter(is_useful).max_by_key(gain)?;
            all = all.and(&best.set);
            product.push(*best);
        }
        let mut at = 0;
        while at < product.len() {
            let others = product.iter().enumerate().filter(|(other, _)| *other != at);
            let without = others.fold(context.clone(), |all, (_, literal)| all.and(&literal.set));
            if product.len() > 1 && without.is_in(chosen) {
                product.remove(at);
            } else {
                at += 1;
            }
        }
        product.sort_by_key(|literal| literal.at);
        Some(product)
    }
}

/// The pair of least cost for which a test holds.
fn best_pair<'l>(
    literals: &[&(&'l Literal, Set)],
    is_right: impl Fn(&Set, &Set) -> bool,
) -> Option<(u32, [&'l Literal; 2])> {
    let mut best: Option<(u32, [&Literal; 2])> = None;
    for (at, (first, set)) in literals.iter().enumerate() {
        for (second, other) in literals.iter().skip(at + 1) {
            let cost = first.cost + second.cost;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) && is_right(set, other) {
                best = Some((cost, [*first, *second]));
            }
        }
    }
    best
}

/// A condition as a part of a product.
fn part(text: &str) -> String {
    let is_sum = tokens(text).iter().any(|token| matches!(token.text.as_str(), "||" | "?" | "|" | "^" | "&"));
    if is_sum { format!("({text})") } else { text.to_owned() }
}

/// A condition as a part of a sum.
fn summand(text: &str) -> String {
    let is_product = tokens(text).iter().any(|token| token.text == "&&");
    if is_product { format!("({text})") } else { text.to_owned() }
}

/// The conditions of an axis by itself.
fn add_atoms(axis: &AxisMacro, atoms: &mut Vec<(String, u32)>) {
    let name = &axis.name;
    if axis.may_be_undefined {
        atoms.push((format!("defined({name})"), TRUTH));
    }
    let is_flag = axis.values.len() < 2 && axis.may_be_undefined;
    match axis.form {
        _ if is_flag => {}
        Form::Numbers => {
            let mut numbers: Vec<(i64, &String)> =
                axis.values.iter().filter_map(|value| Some((super::macros::number(value)?, value))).collect();
            numbers.sort();
            if !axis.may_be_undefined && numbers.iter().any(|(number, _)| *number == 0) {
                atoms.push((name.clone(), TRUTH));
            }
            atoms.extend(numbers.iter().map(|(_, value)| (format!("{name} == {value}"), EQUALITY)));
            // An order needs three.
            if !axis.may_be_undefined && numbers.len() > 2 {
                atoms.extend(numbers.iter().skip(1).map(|(_, value)| (format!("{name} >= {value}"), ORDER)));
            }
        }
        Form::Words => atoms.extend(axis.values.iter().map(|value| (format!("{name} == {value}"), EQUALITY))),
        Form::Flags => atoms.extend(axis.values.iter().map(|v| (format!("defined({})", axis.flag(v)), EQUALITY))),
    }
}

/// Whether a condition of a source is about axes alone, in a way that all preprocessors know, and asks for no macro that a
/// variant leaves undefined.
fn is_of_axes(text: &str, axes: &[AxisMacro]) -> bool {
    let (mut names_one, mut before) = (false, ["", ""]);
    for token in tokens(text) {
        let word = token.text.as_str();
        let is_operand = before[1] == "defined" || before == ["defined", "("];
        let axis = axes.iter().find(|axis| axis.name == word);
        let is_right = match (token.kind, axis) {
            (TokenKind::Int, _) => number_is_plain(word),
            (TokenKind::Punct, _) => OPERATORS.contains(&word),
            (TokenKind::Ident, Some(axis)) => is_operand || !axis.may_be_undefined && axis.form != Form::Flags,
            (TokenKind::Ident, None) => {
                word == "defined" || axes.iter().any(|a| a.form == Form::Words && a.values.iter().any(|v| v == word))
            }
            _ => false,
        };
        if !is_right {
            return false;
        }
        names_one |= axis.is_some();
        before = [before[1], word];
    }
    names_one
}

fn number_is_plain(text: &str) -> bool {
    super::macros::number(text).is_some()
}

/// The variants that each condition chooses, as the preprocessor says.
fn sets(atoms: &[(String, u32)], axes: &[AxisMacro], defines: &[Defines]) -> Vec<Set> {
    let mut text = String::new();
    for (word, number) in axes.iter().flat_map(AxisMacro::numbers) {
        text.push_str(&format!("#define {word} {number}\n"));
    }
    let words = text.lines().count();
    for (atom, _) in atoms {
        text.push_str(&format!("#if {atom}\nyes\n#endif\n"));
    }
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new(); atoms.len()];
    for (variant, defines) in defines.iter().enumerate() {
        for line in chosen_lines(Conditionals::Directives, &text, defines) {
            // The line of an atom is the second of three.
            if let Some(set) = line.checked_sub(words).and_then(|line| chosen.get_mut(line / 3)) {
                set.push(variant);
            }
        }
    }
    chosen.into_iter().map(Set::of).collect()
}

/// The opposite of a condition.
fn negation(text: &str) -> String {
    let tokens = tokens(text);
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    match words.as_slice() {
        [_] | ["defined", _] | ["defined", "(", _, ")"] => format!("!{text}"),
        ["!", _] | ["!", "defined", _] | ["!", "defined", "(", _, ")"] => {
            text.trim_start_matches('!').trim().to_owned()
        }
        [left, "==", right @ ..] if right.len() <= 3 && is_value(right) => format!("{left} != {}", right.concat()),
        [left, "!=", right @ ..] if right.len() <= 3 && is_value(right) => format!("{left} == {}", right.concat()),
        [left, "<", right] => format!("{left} >= {right}"),
        [left, "<=", right] => format!("{left} > {right}"),
        [left, ">", "=", right] => format!("{left} < {right}"),
        [left, ">", right] => format!("{left} <= {right}"),
        _ => format!("!({text})"),
    }
}

/// Whether these tokens are a number, maybe below zero or in parentheses, or a word.
fn is_value(tokens: &[&str]) -> bool {
    let is_word = |text: &&str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match tokens {
        [one] => is_word(one),
        ["-", one] | ["(", one, ")"] => is_word(one),
        _ => false,
    }
}

/// The conditions of a source, of `#if`, `#elif`, `#ifdef` and `#ifndef`, as those of `#if`.
pub fn of_source(text: &str, into: &mut BTreeSet<String>) {
    for line in text.lines() {
        let Some(line) = line.trim_start().strip_prefix('#') else { continue };
        let line = line.trim_start();
        let (word, rest) = line.split_at(line.find([' ', '\t', '(', '!']).unwrap_or(line.len()));
        let rest = rest.split("//").next().unwrap_or_default().split("/*").next().unwrap_or_default().trim();
        if rest.is_empty() || rest.ends_with('\\') {
            continue;
        }
        match word {
            "if" | "elif" => into.insert(rest.to_owned()),
            "ifdef" | "ifndef" => into.insert(format!("defined({rest})")),
            _ => false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::axes::Variant;

    /// Variants as the product of axes, where `-` leaves a macro undefined.
    fn conditions(axes: &[(&str, &[&str])], source: &str) -> (Conditions, Vec<Variant>) {
        let mut variants: Vec<Variant> = vec![Vec::new()];
        for (name, values) in axes {
            let with = |variant: &Variant| {
                let value = |value: &&str| {
                    let value = (*value != "-").then(|| (*value).to_owned());
                    variant.iter().cloned().chain([((*name).to_owned(), value)]).collect::<Variant>()
                };
                values.iter().map(value).collect::<Vec<_>>()
            };
            variants = variants.iter().flat_map(with).collect();
        }
        let macros = AxisMacro::all(&variants, &BTreeSet::new());
        let defines: Vec<_> = variants.iter().map(|variant| super::super::defines_of(variant, &macros)).collect();
        let mut of_sources = BTreeSet::new();
        of_source(source, &mut of_sources);
        (Conditions::new(&macros, &of_sources, &defines), variants)
    }

    fn chosen(axes: &[(&str, &[&str])], source: &str, is_chosen: impl Fn(&[&str]) -> bool) -> String {
        let (mut conditions, variants) = conditions(axes, source);
        let values = |variant: &Variant| {
            is_chosen(&variant.iter().map(|(_, v)| v.as_deref().unwrap_or("-")).collect::<Vec<_>>())
        };
        let set = Set::of((0..variants.len()).filter(|at| values(&variants[*at])));
        conditions.of(&set, &Set::of(0..variants.len())).expect("a condition")
    }

    const AXES: &[(&str, &[&str])] =
        &[("S", &["0", "1"]), ("Q", &["1", "2", "3"]), ("F", &["-", "1"]), ("W", &["low", "high"])];

    #[test]
    fn conditions_are_short() {
        let shown = |is_chosen: fn(&[&str]) -> bool| chosen(AXES, "", is_chosen);
        assert_eq!(shown(|v| v[0] == "1"), "S");
        assert_eq!(shown(|v| v[0] == "0"), "!S");
        assert_eq!(shown(|v| v[1] != "1"), "Q != 1");
        assert_eq!(shown(|v| v[1] == "2"), "Q == 2");
        assert_eq!(shown(|v| v[2] == "1"), "defined(F)");
        assert_eq!(shown(|v| v[3] == "high"), "W == high");
        assert_eq!(shown(|v| v[0] == "1" && v[2] == "-"), "S && !defined(F)");
        assert_eq!(shown(|v| v[0] == "1" || v[1] == "3"), "S || Q == 3");
        assert_eq!(shown(|v| v[0] == "1" && v[1] == "3" && v[2] == "1"), "S && defined(F) && Q == 3");
        assert_eq!(shown(|v| v[0] == "1" || v[1] == "3" || v[2] == "1"), "S || defined(F) || Q == 3");
        assert_eq!(
            shown(|v| (v[0] == "1" && v[1] == "3") || (v[0] == "0" && v[2] == "1")),
            "(defined(F) && !S) || (S && Q == 3)"
        );
    }

    #[test]
    fn those_of_the_source_go_before() {
        let source = "#if S == 1 // on\n#ifdef F\n#elif Q >= 2\n#if (Q > 2) && S\n#if OTHER\n#if F\n#if W == high\n";
        let shown = |is_chosen: fn(&[&str]) -> bool| chosen(AXES, source, is_chosen);
        assert_eq!(shown(|v| v[0] == "1"), "S == 1");
        assert_eq!(shown(|v| v[0] == "0"), "S != 1");
        assert_eq!(shown(|v| v[1] != "1"), "Q >= 2");
        assert_eq!(shown(|v| v[1] == "1"), "Q < 2");
        assert_eq!(shown(|v| v[1] == "3" && v[0] == "1"), "(Q > 2) && S");
        assert_eq!(shown(|v| v[2] == "-"), "!defined(F)");
    }

    /// A macro that is 0 and one that is not defined are not the same.
    #[test]
    fn undefined_is_no_number() {
        let axes: &[(&str, &[&str])] = &[("A", &["-", "0", "1"])];
        assert_eq!(chosen(axes, "", |v| v[0] == "0"), "defined(A) && A == 0");
        assert_eq!(chosen(axes, "", |v| v[0] == "1"), "A == 1");
        let axes: &[(&str, &[&str])] = &[("T", &["half", "1.0", "-"])];
        assert_eq!(chosen(axes, "", |v| v[0] == "half"), "defined(T_half)");
    }

    #[test]
    fn conditions_choose_what_they_are_to() {
        let (mut conditions, variants) = conditions(AXES, "#if S && Q > 1\n");
        let all = Set::of(0..variants.len());
        let mut seed = 7u64;
        for _ in 0..200 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = (seed >> 30) as usize;
            let set = Set::of((0..variants.len()).filter(|at| bits >> at & 1 == 1));
            if set.is_empty() || set == all {
                continue;
            }
            let text = format!(
                "{}#if {}\nyes\n#endif\n",
                "#define low 1\n#define high 2\n",
                conditions.of(&set, &all).expect("a condition")
            );
            let macros = AxisMacro::all(&variants, &BTreeSet::new());
            let holds = |at: &usize| {
                let defines = super::super::defines_of(&variants[*at], &macros);
                chosen_lines(Conditionals::Directives, &text, &defines).contains(&3)
            };
            assert_eq!(Set::of((0..variants.len()).filter(holds)), set, "{text}");
        }
    }
}
