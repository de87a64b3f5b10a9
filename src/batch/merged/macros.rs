//! The macros of axes in a merged text: what tells their values apart, and what else has to be defined for that.

use super::units::tokens;
use crate::batch::axes::Variant;
use crate::lex::TokenKind;
use std::collections::BTreeSet;

/// How a condition asks for the value of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Its values are different numbers.
    Numbers,
    /// Its values are words that nothing else uses: the text numbers them.
    Words,
    /// Of each value there is a macro that is defined for it.
    Flags,
}

/// The macro of an axis.
#[derive(Clone, Debug)]
pub struct AxisMacro {
    /// Its name.
    pub name: String,
    /// Its values, without that of not being defined.
    pub values: Vec<String>,
    /// A variant does not define it.
    pub may_be_undefined: bool,
    /// How it is asked for.
    pub form: Form,
}

impl AxisMacro {
    /// Those of all axes. `used`: the words of the texts.
    pub fn all(variants: &[Variant], used: &BTreeSet<&str>) -> Vec<AxisMacro> {
        let axes = variants.first().into_iter().flatten().map(|(name, _)| name.as_str());
        axes.enumerate()
            .map(|(at, name)| {
                let all = variants.iter().filter_map(|variant| variant.get(at)).map(|(_, value)| value.as_deref());
                let mut values: Vec<String> = Vec::new();
                for value in all.clone().flatten() {
                    if !values.iter().any(|known| known == value) {
                        values.push(value.to_owned());
                    }
                }
                let form = form(&values, variants, used);
                AxisMacro { name: name.to_owned(), values, may_be_undefined: all.clone().any(|v| v.is_none()), form }
            })
            .collect()
    }

    /// The macro that is defined if it has a value.
    pub fn flag(&self, value: &str) -> String {
        let part = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let word: String = value.chars().map(part).collect();
        // GLSL has no names with two underscores beside each other.
        let words: Vec<&str> = word.split('_').filter(|word| !word.is_empty()).collect();
        let at = self.values.iter().position(|known| known == value).unwrap_or_default();
        let is_plain = words.join("_") == value;
        let number = if is_plain { String::new() } else { format!("_{at}") };
        format!("{}_{}{number}", self.name.trim_end_matches('_'), words.join("_")).trim_end_matches('_').to_owned()
    }

    /// What is defined if it has a value.
    pub fn defines(&self, value: &str) -> Vec<(String, String)> {
        let own = (self.name.clone(), value.to_owned());
        match self.form {
            Form::Numbers | Form::Words => vec![own],
            Form::Flags => vec![own, (self.flag(value), "1".to_owned())],
        }
    }

    /// What the text defines for its conditions.
    pub fn numbers(&self) -> Vec<(String, usize)> {
        match self.form {
            Form::Words => self.values.iter().cloned().zip(1..).collect(),
            Form::Numbers | Form::Flags => Vec::new(),
        }
    }
}

fn form(values: &[String], variants: &[Variant], used: &BTreeSet<&str>) -> Form {
    let numbers: Option<Vec<i64>> = values.iter().map(|value| number(value)).collect();
    if numbers.is_some_and(|numbers| numbers.iter().collect::<BTreeSet<_>>().len() == values.len()) {
        return Form::Numbers;
    }
    let is_axis = |word: &str| variants.iter().flatten().any(|(name, _)| name == word);
    let is_free = |word: &String| {
        let is_word = crate::lex::single_token(word) == Some(TokenKind::Ident);
        is_word && word != "defined" && !is_axis(word) && !used.contains(word.as_str())
    };
    // A word of two axes would have two numbers.
    let is_of_one = |word: &String| {
        let with_it =
            |at: usize| variants.iter().filter_map(|v| v.get(at)).any(|(_, value)| value.as_ref() == Some(word));
        (0..variants.first().map_or(0, Vec::len)).filter(|at| with_it(*at)).count() == 1
    };
    if values.iter().all(|word| is_free(word) && is_of_one(word)) { Form::Words } else { Form::Flags }
}

/// The value of a whole number as all preprocessors read it, also one in parentheses.
pub fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text).trim();
    let digits = inner.strip_prefix('-').unwrap_or(inner);
    let is_decimal = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    // A zero before others makes it octal.
    let is_plain = is_decimal && (digits.len() == 1 || !digits.starts_with('0'));
    if is_plain { inner.parse::<i32>().ok().map(i64::from) } else { None }
}

/// A text with a name in place of another one, outside of comments.
pub fn renamed(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for token in tokens(text) {
        let (start, after) = (token.span.start as usize, token.span.end as usize);
        if token.kind == TokenKind::Ident && token.text == from {
            out.push_str(text.get(end..start).unwrap_or_default());
            out.push_str(to);
            end = after;
        }
    }
    out.push_str(text.get(end..).unwrap_or_default());
    out
}

/// What a line defines a macro without parameters as.
pub fn defined_as<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    let value = rest.trim_start().strip_prefix(name).filter(|_| rest.starts_with([' ', '\t']))?;
    let is_whole = value.is_empty() || value.starts_with([' ', '\t']);
    let value = value.split("//").next().unwrap_or_default();
    is_whole.then_some(value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[&str], used: &[&str]) -> AxisMacro {
        let variants: Vec<Variant> =
            values.iter().map(|value| vec![("Q".to_owned(), (*value != "-").then(|| (*value).to_owned()))]).collect();
        AxisMacro::all(&variants, &used.iter().copied().collect()).remove(0)
    }

    #[test]
    fn values_are_told_apart() {
        assert_eq!(axis(&["0", "2", "-"], &[]).form, Form::Numbers);
        assert_eq!(axis(&["2", "(2)"], &[]).form, Form::Flags);
        assert_eq!(axis(&["low", "high"], &["x"]).form, Form::Words);
        let flags = axis(&["half", "float3", "1.0", "float3__"], &["half"]);
        assert_eq!(flags.form, Form::Flags);
        let names: Vec<String> = flags.values.iter().map(|value| flags.flag(value)).collect();
        assert_eq!(names, ["Q_half", "Q_float3", "Q_1_0_2", "Q_float3_3"]);
        assert_eq!(flags.defines("1.0"), [("Q".into(), "1.0".into()), ("Q_1_0_2".into(), "1".into())]);
        assert_eq!(axis(&["low", "high"], &[]).numbers(), [("low".into(), 1), ("high".into(), 2)]);
    }

    #[test]
    fn names_change_outside_of_comments() {
        assert_eq!(renamed("a = Q + QQ; // Q\n/* Q */ Q", "Q", "R"), "a = R + QQ; // Q\n/* Q */ R");
        assert_eq!(defined_as("#define Q 2.0 // two", "Q"), Some("2.0"));
        assert_eq!((defined_as("#define QQ 1", "Q"), defined_as("#define Q(a) a", "Q")), (None, None));
    }
}
