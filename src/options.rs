//! Option values as text: the same words on the command line and in the manifest.

use crate::check::EntryRequest;
use crate::compile::Target;
use crate::layout::{self, Policy};
use crate::tree::Stage;

/// A target, as an option's value.
pub fn target(text: &str) -> Result<Target, String> {
    let known: Vec<&str> = Target::TABLE.iter().map(|(n, _, _)| *n).collect();
    Target::parse(text).ok_or_else(|| format!("not a target; there are {}", known.join(", ")))
}

/// `NAME` or `NAME:STAGE`.
pub fn entry(text: &str) -> Result<EntryRequest, String> {
    match text.rsplit_once(':') {
        None => Ok(EntryRequest { name: text.to_owned(), stage: None }),
        Some((name, stage)) => match Stage::parse(stage) {
            Some(stage) => Ok(EntryRequest { name: name.to_owned(), stage: Some(stage) }),
            None => Err(format!("`{stage}` is no stage; there are vertex, fragment (pixel), compute, geometry, ...")),
        },
    }
}

/// `NAME` or `NAME=VALUE`.
pub fn define(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let legal =
        name.chars().enumerate().all(|(i, c)| c == '_' || c.is_ascii_alphabetic() || i > 0 && c.is_ascii_digit());
    if name.is_empty() || !legal { Err("a macro needs a name".to_owned()) } else { Ok((name.to_owned(), value)) }
}

/// A binding policy by name.
pub fn policy(text: &str) -> Result<Policy, String> {
    let known: Vec<&str> = layout::POLICIES.iter().map(|p| p.name).collect();
    let found = layout::POLICIES.iter().find(|p| p.name == text).copied();
    found.ok_or_else(|| format!("not a binding policy; there are {}", known.join(", ")))
}
