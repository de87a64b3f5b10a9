//! Permutations: axes of macros with their values, and the variants that are made of them.
//!
//! ```toml
//! permute = { SHADOWS = [0, 1], QUALITY = ["low", "high"], FOG = [false, true] }   # `false` leaves a macro undefined
//! except = [{ SHADOWS = 1, QUALITY = "low" }]           # combinations that are not built
//! only = [{ QUALITY = ["low", "high"] }]                # no others are
//! ```
//!
//! Variants are in order of the axes as written, the last one changes fastest.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A value of a macro in a manifest: `"text"`, `3`, `true`.
#[derive(Deserialize, Debug, Clone, PartialEq)]
#[serde(untagged)]
pub enum MacroValue {
    /// As it is.
    Text(String),
    /// A number.
    Number(i64),
    /// `true` is 1. `false` is 0; as the value of an axis it leaves the macro undefined.
    Flag(bool),
}

impl MacroValue {
    /// What the macro is defined as.
    pub fn text(&self) -> String {
        match self {
            MacroValue::Text(t) => t.clone(),
            MacroValue::Number(n) => n.to_string(),
            MacroValue::Flag(f) => i32::from(*f).to_string(),
        }
    }

    /// As the value of an axis; `None`: the macro is not defined.
    fn of_axis(&self) -> Option<String> {
        if *self == MacroValue::Flag(false) { None } else { Some(self.text()) }
    }
}

/// A condition as written: each axis that it names with the value, or the values, that fit.
pub type Condition = BTreeMap<String, Fitting>;

/// The values of a condition.
#[derive(Deserialize, Debug, Clone, PartialEq)]
#[serde(untagged)]
pub enum Fitting {
    /// This one.
    One(MacroValue),
    /// Any of these.
    Any(Vec<MacroValue>),
}

impl Fitting {
    fn values(&self) -> &[MacroValue] {
        match self {
            Fitting::One(value) => std::slice::from_ref(value),
            Fitting::Any(values) => values,
        }
    }
}

/// The keys of a section that say which variants there are.
#[derive(Deserialize, Debug, Clone, Default, PartialEq)]
#[serde(default)]
pub struct Permutations {
    /// The axes, with their places, which tell their order.
    permute: BTreeMap<Spanned<String>, Vec<MacroValue>>,
    except: Vec<Condition>,
    only: Vec<Condition>,
}

/// What is wrong with variants.
#[derive(Debug)]
pub struct VariantFault {
    /// The key that says it.
    pub key: &'static str,
    /// In words.
    pub message: String,
}

impl VariantFault {
    fn new(key: &'static str, message: String) -> VariantFault {
        VariantFault { key, message }
    }
}

/// The names of these keys.
pub const KEYS: &[&str] = &["permute", "except", "only"];

/// As many variants a program may have.
const MOST_VARIANTS: usize = 1 << 16;

/// One combination of values, by axis; `None`: the macro is not defined.
pub type Variant = Vec<(String, Option<String>)>;

impl Permutations {
    /// Whether it says anything.
    pub fn is_empty(&self) -> bool {
        *self == Permutations::default()
    }

    /// The variants, or what is wrong. Axes that `fixed` defines have that value alone. Without axes there is one variant.
    pub fn variants(&self, fixed: &[(String, Option<String>)]) -> Result<Vec<Variant>, VariantFault> {
        let mut axes: Vec<_> = self.permute.iter().collect();
        axes.sort_by_key(|(name, _)| name.span().start);
        let axes: Vec<(&str, &[MacroValue])> = axes.iter().map(|(n, v)| (n.get_ref().as_str(), v.as_slice())).collect();
        self.check(&axes)?;
        let mut count = 1usize;
        for (_, values) in &axes {
            count = count.saturating_mul(values.len());
        }
        if count > MOST_VARIANTS {
            let message = format!("`permute` makes {count} variants; the most are {MOST_VARIANTS}");
            return Err(VariantFault::new("permute", message));
        }
        let mut variants: Vec<Variant> = vec![Vec::new()];
        for (axis, values) in axes {
            let given = fixed.iter().rev().find(|(name, _)| name == axis);
            let values: Vec<Option<String>> = match given {
                Some((_, value)) => vec![Some(value.clone().unwrap_or_else(|| "1".to_owned()))],
                None => values.iter().map(MacroValue::of_axis).collect(),
            };
            let longer = |variant: Variant| {
                let with = |value: &Option<String>| {
                    let mut longer = variant.clone();
                    longer.push((axis.to_owned(), value.clone()));
                    longer
                };
                values.iter().map(with).collect::<Vec<_>>()
            };
            variants = variants.into_iter().flat_map(longer).collect();
        }
        variants.retain(|v| !self.except.iter().any(|c| holds(c, v)));
        variants.retain(|v| self.only.is_empty() || self.only.iter().any(|c| holds(c, v)));
        let key = if self.except.is_empty() { "only" } else { "except" };
        let none = || VariantFault::new(key, "`except` and `only` leave no variant".to_owned());
        if variants.is_empty() { Err(none()) } else { Ok(variants) }
    }

    /// Finds axes without values, with one twice, and conditions that can never hold.
    fn check(&self, axes: &[(&str, &[MacroValue])]) -> Result<(), VariantFault> {
        let fault = |message: String| Err(VariantFault::new("permute", message));
        for (axis, values) in axes {
            if crate::lex::single_token(axis) != Some(crate::lex::TokenKind::Ident) {
                return fault(format!("`permute`: `{axis}` is not the name of a macro"));
            }
            if values.is_empty() {
                return fault(format!("`permute`: `{axis}` has no values"));
            }
            let is_twice = |(i, v): (usize, &MacroValue)| values.iter().take(i).any(|o| o.of_axis() == v.of_axis());
            if values.iter().enumerate().any(is_twice) {
                return fault(format!("`permute`: `{axis}` has a value twice"));
            }
        }
        let except = self.except.iter().map(|condition| ("except", condition));
        for (key, condition) in except.chain(self.only.iter().map(|condition| ("only", condition))) {
            check_condition(condition, axes).map_err(|message| VariantFault::new(key, message))?;
        }
        Ok(())
    }
}

/// Finds axes of a condition that there are not, and values that they never have.
fn check_condition(condition: &Condition, axes: &[(&str, &[MacroValue])]) -> Result<(), String> {
    for (name, value) in condition {
        let Some((_, values)) = axes.iter().find(|(axis, _)| axis == name) else {
            let known: Vec<&str> = axes.iter().map(|(axis, _)| *axis).collect();
            return Err(format!("a condition names `{name}`, which is no axis; there are {}", known.join(", ")));
        };
        let stray = value.values().iter().find(|v| !values.iter().any(|o| o.of_axis() == v.of_axis()));
        if let Some(stray) = stray {
            return Err(format!("a condition asks for `{name}` = `{}`, which it never is", stray.text()));
        }
    }
    Ok(())
}

/// Whether a condition holds for a variant: every axis that it names has one of the values.
fn holds(condition: &Condition, variant: &Variant) -> bool {
    condition.iter().all(|(name, fitting)| {
        let value = variant.iter().find(|(axis, _)| axis == name).map(|(_, value)| value);
        fitting.values().iter().any(|v| Some(&v.of_axis()) == value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variants(text: &str) -> Result<Vec<String>, String> {
        let keys: Permutations = toml::from_str(text).unwrap();
        let show = |v: &Variant| {
            let value =
                |(axis, value): &(String, Option<String>)| format!("{axis}={}", value.as_deref().unwrap_or("-"));
            v.iter().map(value).collect::<Vec<_>>().join(" ")
        };
        let variants = keys.variants(&[("FIXED".to_owned(), Some("7".to_owned()))]).map_err(|fault| fault.message)?;
        Ok(variants.iter().map(show).collect())
    }

    #[test]
    fn axes_are_multiplied_in_order_of_writing() {
        let all = variants("permute = { Z = [0, 1], A = ['low', 'high'], F = [false, true] }").unwrap();
        assert_eq!(all.len(), 8);
        assert_eq!(
            (all[0].as_str(), all[1].as_str(), all[2].as_str()),
            ("Z=0 A=low F=-", "Z=0 A=low F=1", "Z=0 A=high F=-")
        );
        assert_eq!(variants("").unwrap(), [""]);
        assert_eq!(variants("permute = { FIXED = [1, 2], A = [1, 2] }").unwrap(), ["FIXED=7 A=1", "FIXED=7 A=2"]);
    }

    #[test]
    fn conditions_choose() {
        let axes = "permute = { S = [0, 1], Q = ['low', 'mid', 'high'] }\n";
        let with = |conditions: &str| variants(&format!("{axes}{conditions}"));
        assert_eq!(
            with("except = [{ S = 1, Q = ['low', 'mid'] }]").unwrap(),
            ["S=0 Q=low", "S=0 Q=mid", "S=0 Q=high", "S=1 Q=high"]
        );
        assert_eq!(with("only = [{ S = 1 }, { Q = 'low' }]").unwrap().len(), 4);
        assert!(with("only = [{ S = 1 }]\nexcept = [{ S = 1 }]").unwrap_err().contains("no variant"));
        assert!(with("only = [{ T = 1 }]").unwrap_err().contains("no axis"));
        assert!(with("only = [{ S = 2 }]").unwrap_err().contains("never is"));
        assert!(variants("permute = { S = [] }").unwrap_err().contains("no values"));
        assert!(variants("permute = { S = [1, '1'] }").unwrap_err().contains("twice"));
        assert!(variants("permute = { 'a b' = [1] }").unwrap_err().contains("not the name of a macro"));
    }
}
