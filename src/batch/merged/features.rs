//! The features of a merged text of WESL. Its conditions are made of names that are there or not, so that an axis is one feature, or one for
//! each of its values.
//!
//! | values | features |
//! |---|---|
//! | `SHADOWS = [0, 1]`, `[false, true]` | `SHADOWS` |
//! | `QUALITY = ["low", "high"]` | `QUALITY_low`, `QUALITY_high` |

use super::Defines;
use super::macros::{AxisMacro, number};
use super::units::tokens;
use crate::batch::axes::Variant;
use crate::lex::Token;

/// A feature: an axis has a value.
#[derive(Debug)]
struct Feature {
    name: String,
    axis: String,
    value: String,
}

/// Those of some axes.
#[derive(Debug)]
pub struct Features<'a> {
    axes: &'a [AxisMacro],
    all: Vec<Feature>,
}

impl<'a> Features<'a> {
    /// Of axes.
    pub fn of(axes: &'a [AxisMacro]) -> Features<'a> {
        let of_axis = |axis: &AxisMacro| -> Vec<Feature> {
            let feature =
                |name: String, value: &String| Feature { name, axis: axis.name.clone(), value: value.clone() };
            match (switch(axis), axis.values.len() + usize::from(axis.may_be_undefined)) {
                (Some(value), _) => vec![feature(axis.name.clone(), value)],
                (None, 0 | 1) => Vec::new(),
                (None, _) => axis.values.iter().map(|value| feature(axis.flag(value), value)).collect(),
            }
        };
        Features { axes, all: axes.iter().flat_map(of_axis).collect() }
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|feature| feature.name.as_str())
    }

    /// What a variant has: each feature, with `1` or `0`.
    pub fn of_variant(&self, variant: &Variant) -> Defines {
        let has = |feature: &Feature| {
            let value = variant.iter().find(|(axis, _)| *axis == feature.axis).and_then(|(_, value)| value.as_ref());
            value == Some(&feature.value)
        };
        self.all.iter().map(|feature| (feature.name.clone(), u8::from(has(feature)).to_string())).collect()
    }

    /// That of an axis and its value.
    fn find(&self, axis: &AxisMacro, value: &str) -> Option<&Feature> {
        self.all.iter().find(|feature| feature.axis == axis.name && feature.value == value)
    }

    /// A condition of a preprocessor as one of features; `None`: it asks for something else.
    pub fn condition(&self, text: &str) -> Option<String> {
        let tokens = tokens(text);
        let mut reader = FeatureReader { features: self, tokens: &tokens, at: 0, text: String::new() };
        let mut operators: Vec<Option<&str>> = vec![None];
        while let Some(token) = tokens.get(reader.at) {
            let word = token.text.as_str();
            match word {
                "(" => operators.push(None),
                ")" => drop(operators.pop()),
                // Both beside each other need parentheses.
                "&&" | "||" if operators.last()?.is_some_and(|known| known != word) => return None,
                "&&" | "||" => *operators.last_mut()? = Some(word),
                "!" => {}
                _ => {
                    reader.operand()?;
                    continue;
                }
            }
            match word {
                "&&" | "||" => reader.text.push_str(&format!(" {word} ")),
                _ => reader.text.push_str(word),
            }
            reader.at += 1;
        }
        (operators.len() == 1).then_some(reader.text)
    }
}

/// The value of an axis that has only one other: that it is 0, or not defined.
fn switch(axis: &AxisMacro) -> Option<&String> {
    match (axis.values.as_slice(), axis.may_be_undefined) {
        ([one], true) => Some(one),
        ([a, b], false) => match (number(a), number(b)) {
            (Some(0), Some(1)) => Some(b),
            (Some(1), Some(0)) => Some(a),
            _ => None,
        },
        _ => None,
    }
}

/// A condition that becomes one of features.
struct FeatureReader<'a> {
    features: &'a Features<'a>,
    tokens: &'a [Token],
    at: usize,
    text: String,
}

impl FeatureReader<'_> {
    fn word(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }

    /// `defined(NAME)`, `NAME == value`, `NAME`.
    fn operand(&mut self) -> Option<()> {
        let (name, length, is_definition) = match (self.word(0), self.word(1), self.word(3)) {
            ("defined", "(", ")") => (self.word(2), 4, true),
            ("defined", ..) => (self.word(1), 2, true),
            _ => (self.word(0), 1, false),
        };
        let axis = self.features.axes.iter().find(|axis| axis.name == name)?;
        let (feature, is_negated, length) = match self.word(length) {
            "" | "&&" | "||" | ")" => {
                let feature = self.features.find(axis, switch(axis)?)?;
                let is_truth = !is_definition && number(&feature.value).is_some_and(|value| value != 0);
                (feature, false, Some(length).filter(|_| is_truth || is_definition && axis.may_be_undefined)?)
            }
            // `!NAME == value` is about the opposite of the macro.
            operator @ ("==" | "!=") if !is_definition && !self.text.ends_with('!') => {
                let value = self.word(length + 1);
                let is_same =
                    |known: &&String| *known == value || number(known).is_some() && number(known) == number(value);
                let value = axis.values.iter().find(is_same)?;
                let is_equal = operator == "==";
                match self.features.find(axis, value) {
                    Some(feature) => (feature, !is_equal, length + 2),
                    // The other value of a switch.
                    None => (self.features.find(axis, switch(axis)?)?, is_equal, length + 2),
                }
            }
            _ => return None,
        };
        if is_negated {
            self.text.push('!');
        }
        self.text.push_str(&feature.name);
        self.at += length;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const AXES: &[(&str, &[&str])] =
        &[("S", &["0", "1"]), ("F", &["-", "1"]), ("Q", &["low", "high"]), ("N", &["-", "0", "2"]), ("ONE", &["1"])];

    fn axes() -> Vec<AxisMacro> {
        let most = AXES.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
        let value = |value: &str| (value != "-").then(|| value.to_owned());
        let variant =
            |at: usize| AXES.iter().map(|(axis, all)| ((*axis).to_owned(), value(all[at % all.len()]))).collect();
        AxisMacro::all(&(0..most * 2).map(variant).collect::<Vec<Variant>>(), &BTreeSet::new())
    }

    #[test]
    fn an_axis_is_a_feature_or_several() {
        let axes = axes();
        let features = Features::of(&axes);
        assert_eq!(features.names().collect::<Vec<_>>(), ["S", "F", "Q_low", "Q_high", "N_0", "N_2"]);
        let variant = |values: [Option<&str>; 4]| {
            let all = ["S", "F", "Q", "N"].into_iter().zip(values);
            let all: Variant = all.map(|(axis, value)| (axis.to_owned(), value.map(str::to_owned))).collect();
            features.of_variant(&all).iter().map(|(_, value)| value.as_str()).collect::<String>()
        };
        assert_eq!(variant([Some("1"), None, Some("high"), None]), "100100");
        assert_eq!(variant([Some("0"), Some("1"), Some("low"), Some("0")]), "011010");
    }

    #[test]
    fn conditions_ask_for_features() {
        let axes = axes();
        let features = Features::of(&axes);
        for (text, expected) in [
            ("S", "S"),
            ("!S && defined(F)", "!S && F"),
            ("defined F && (S == 0 || Q == high)", "F && (!S || Q_high)"),
            ("(Q != low) && N == 2 && F", "(!Q_low) && N_2 && F"),
            ("S != 0", "S"),
        ] {
            assert_eq!(features.condition(text).as_deref(), Some(expected), "{text}");
        }
        for text in
            ["S > 0", "S && F || S", "defined(S)", "N", "defined(N)", "OTHER", "Q == mid", "!S == 1", "S)", "(S", "ONE"]
        {
            assert_eq!(features.condition(text), None, "{text}");
        }
    }
}
