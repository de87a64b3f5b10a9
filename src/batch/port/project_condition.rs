//! Conditions of MSBuild: comparisons of texts, `exists`, `!`, `and`, `or` and parentheses.

use super::shell_file::closing;
use super::words::UNKNOWN;

/// Parentheses and `!` in each other.
const DEEPEST: usize = 32;

/// What a condition asks of the project.
pub trait ConditionScope {
    /// A text with the values of properties.
    fn value(&self, text: &str) -> String;
    /// Whether there is a file or directory.
    fn exists(&self, path: &str) -> bool;
}

/// Whether a condition holds; `None`: it is not followed.
pub fn holds(text: &str, scope: &dyn ConditionScope) -> Option<bool> {
    let mut reader = ConditionReader { rest: text, scope };
    let held = reader.any(0)?;
    reader.rest.trim().is_empty().then_some(held)
}

struct ConditionReader<'t> {
    rest: &'t str,
    scope: &'t dyn ConditionScope,
}

/// Compares two texts; `None`: they are no numbers.
type Comparison = fn(&str, &str) -> Option<bool>;

/// Signs of comparisons; a sign that begins another one is behind it.
const SIGNS: &[(&str, Comparison)] = &[
    ("==", |a, b| Some(a.eq_ignore_ascii_case(b))),
    ("!=", |a, b| Some(!a.eq_ignore_ascii_case(b))),
    ("<=", |a, b| Some(number(a)? <= number(b)?)),
    (">=", |a, b| Some(number(a)? >= number(b)?)),
    ("<", |a, b| Some(number(a)? < number(b)?)),
    (">", |a, b| Some(number(a)? > number(b)?)),
];

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

impl ConditionReader<'_> {
    /// Takes a sign or a word if it is next.
    fn takes(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        let Some((head, after)) = rest.split_at_checked(sign.len()) else { return false };
        let is_word = sign.starts_with(|c: char| c.is_ascii_alphabetic());
        let ends = !is_word || !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let taken = head.eq_ignore_ascii_case(sign) && ends;
        if taken {
            self.rest = after;
        }
        taken
    }

    fn any(&mut self, depth: usize) -> Option<bool> {
        let mut held = self.all(depth)?;
        while self.takes("or") {
            held |= self.all(depth)?;
        }
        Some(held)
    }

    fn all(&mut self, depth: usize) -> Option<bool> {
        let mut held = self.one(depth)?;
        while self.takes("and") {
            held &= self.one(depth)?;
        }
        Some(held)
    }

    fn one(&mut self, depth: usize) -> Option<bool> {
        if depth > DEEPEST {
            return None;
        }
        if self.takes("!") {
            return self.one(depth + 1).map(|held| !held);
        }
        if self.takes("(") {
            let held = self.any(depth + 1)?;
            return self.takes(")").then_some(held);
        }
        if self.takes("exists") {
            let path = if self.takes("(") { self.operand()? } else { return None };
            return self.takes(")").then(|| self.scope.exists(&path));
        }
        let left = self.operand()?;
        let Some((_, compare)) = SIGNS.iter().find(|(sign, _)| self.takes(sign)) else { return truth(&left) };
        let right = self.operand()?;
        if [&left, &right].iter().any(|side| side.contains(UNKNOWN)) { None } else { compare(&left, &right) }
    }

    /// A text in quotes, a word, or `$(NAME)`.
    fn operand(&mut self) -> Option<String> {
        let rest = self.rest.trim_start();
        let (text, after) = if let Some(inside) = rest.strip_prefix('\'') {
            inside.split_once('\'')?
        } else if let Some(inside) = rest.strip_prefix("$(") {
            rest.split_at_checked("$(".len() + closing(inside, '(', ')') + 1)?
        } else {
            let end = rest.find(|c: char| !c.is_alphanumeric() && !"._-".contains(c)).unwrap_or(rest.len());
            rest.split_at_checked(end).filter(|(word, _)| !word.is_empty())?
        };
        self.rest = after;
        Some(self.scope.value(text))
    }
}

/// A text that is a condition by itself.
fn truth(text: &str) -> Option<bool> {
    const TRUTHS: &[(&str, bool)] =
        &[("true", true), ("on", true), ("yes", true), ("false", false), ("off", false), ("no", false)];
    TRUTHS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, held)| *held)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Release;

    impl ConditionScope for Release {
        fn value(&self, text: &str) -> String {
            text.replace("$(Configuration)", "Release").replace("$(Unset)", "")
        }

        fn exists(&self, path: &str) -> bool {
            path == "a.props"
        }
    }

    #[test]
    fn conditions_hold_as_they_do_in_msbuild() {
        for (text, expected) in [
            ("'$(Configuration)'=='release'", Some(true)),
            ("'$(Configuration)' != 'Debug' and !('$(Unset)' == '1')", Some(true)),
            ("'$(Unset)'!='' or $(Configuration) == Debug", Some(false)),
            ("exists('a.props') And '2' >= '10'", Some(false)),
            ("!exists('b.props')", Some(true)),
            ("true", Some(true)),
            ("'a' < '1'", None),
            ("'a' ==", None),
            ("('a' == 'a'", None),
            ("'a' == 'a' xor true", None),
        ] {
            assert_eq!(holds(text, &Release), expected, "{text}");
        }
        assert_eq!(holds(&"!".repeat(1000), &Release), None);
    }
}
