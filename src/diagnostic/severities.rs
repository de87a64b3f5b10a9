//! What becomes of warnings: nothing, warnings or errors, by their codes.

use super::{Code, Diagnostic, Severity, codes};
use crate::symbol::edit_distance;
use std::str::FromStr;

/// What becomes of a warning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarningLevel {
    /// It is not reported.
    Off,
    /// It is a warning.
    Warn,
    /// It is an error.
    Error,
}

impl WarningLevel {
    const TABLE: [(&str, WarningLevel); 3] =
        [("off", WarningLevel::Off), ("warn", WarningLevel::Warn), ("error", WarningLevel::Error)];
}

/// What becomes of the warnings of one code, or of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WarningRule {
    /// The code; without one the rule is for all that no other rule names.
    pub code: Option<Code>,
    /// What becomes of them.
    pub level: WarningLevel,
}

/// `E0315=off`, `all=error`, or `error` for all.
impl FromStr for WarningRule {
    type Err = String;

    fn from_str(text: &str) -> Result<WarningRule, String> {
        let (code, level) = text.split_once('=').unwrap_or(("all", text));
        let (code, level) = (code.trim(), level.trim());
        let Some((_, level)) = WarningLevel::TABLE.iter().find(|(name, _)| *name == level).copied() else {
            return Err(format!("`{level}` is not what becomes of a warning; there are off, warn, error"));
        };
        let code = if code == "all" { None } else { Some(parse_code(code)?) };
        Ok(WarningRule { code, level })
    }
}

/// A code that there is.
fn parse_code(text: &str) -> Result<Code, String> {
    let known = || codes::TABLE.iter().map(|(code, ..)| (code.to_string(), *code));
    if let Some((_, code)) = known().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Ok(code);
    }
    let near = known().map(|(name, _)| (edit_distance(&text.to_ascii_uppercase(), &name), name)).min();
    Err(match near.filter(|(distance, _)| *distance <= 2) {
        Some((_, near)) => format!("`{text}` is no code; there is {near}"),
        None => format!("`{text}` is no code, such as E0315, and not `all`"),
    })
}

/// Applies rules to what was found. Errors stay errors. Of two rules for one code the later one holds. Gives whether a warning
/// became an error.
pub fn apply(rules: &[WarningRule], diagnostics: &mut Vec<Diagnostic>) -> bool {
    let level = |code: Code| {
        let of = |wanted: Option<Code>| rules.iter().rev().find(|rule| rule.code == wanted);
        of(Some(code)).or_else(|| of(None)).map_or(WarningLevel::Warn, |rule| rule.level)
    };
    let mut raised = false;
    diagnostics.retain_mut(|diagnostic| match (diagnostic.severity, level(diagnostic.code)) {
        (Severity::Error | Severity::Note, _) | (Severity::Warning, WarningLevel::Warn) => true,
        (Severity::Warning, WarningLevel::Off) => false,
        (Severity::Warning, WarningLevel::Error) => {
            diagnostic.severity = Severity::Error;
            raised = true;
            true
        }
    });
    raised
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn applied(rules: &[&str]) -> (Vec<String>, bool) {
        let rules: Vec<WarningRule> = rules.iter().map(|rule| rule.parse().expect("a rule")).collect();
        let make = [Diagnostic::warning, Diagnostic::warning, Diagnostic::error];
        let codes = [Code::BAD_ATTRIBUTE, Code::BAD_STATEMENT, Code::BAD_ATTRIBUTE];
        let all = make.iter().zip(codes).map(|(make, code)| make(code, Span::default(), code.to_string()));
        let mut list: Vec<Diagnostic> = all.collect();
        let raised = apply(&rules, &mut list);
        (list.iter().map(|d| format!("{} {}", d.severity.word(), d.code)).collect(), raised)
    }

    #[test]
    fn rules_are_about_warnings() {
        let shown = |rules: &[&str]| applied(rules).0.join(", ");
        assert_eq!(shown(&[]), "warning E0315, warning E0317, error E0315");
        assert_eq!(shown(&["E0315=off"]), "warning E0317, error E0315");
        assert_eq!(shown(&["error"]), "error E0315, error E0317, error E0315");
        assert_eq!(shown(&["e0317=warn", "all=off"]), "warning E0317, error E0315");
        assert_eq!(shown(&["E0317=off", "E0317=error"]), "warning E0315, error E0317, error E0315");
        assert!(applied(&["E0317=error"]).1 && !applied(&["E0101=error"]).1);
    }

    #[test]
    fn wrong_rules_say_what_would_be_right() {
        for (text, said) in [
            ("E03015=off", "`E03015` is no code; there is E0301"),
            ("E315=off", "`E315` is no code; there is E0315"),
            ("unused=off", "not `all`"),
            ("E0315=no", "there are off, warn, error"),
            ("E0315", "there are off, warn, error"),
        ] {
            let fault = text.parse::<WarningRule>().expect_err(text);
            assert!(fault.contains(said), "{fault}");
        }
    }
}
