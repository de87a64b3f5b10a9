//! Option values as text: the same words on the command line and in the manifest.

use crate::check::EntryRequest;
use crate::compile::{BufferLayout, Target};
use crate::layout::{self, Policy, Shift};
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

/// `b=N,t=N,u=N,s=N`, any of them.
pub fn shift(text: &str) -> Result<Shift, String> {
    let mut shift = Shift::NONE;
    for part in text.split(',') {
        let parsed = part.split_once('=').and_then(|(class, start)| {
            let mut letters = class.trim().chars();
            let class = letters.next().filter(|_| letters.next().is_none())?;
            Some((class, start.trim().parse::<u32>().ok()?))
        });
        if !parsed.is_some_and(|(class, start)| shift.set(class, start)) {
            return Err(format!("`{part}` is not like t=100; the classes are b, t, u and s"));
        }
    }
    Ok(shift)
}

/// `BINDING` or `BINDING,SET`.
pub fn binding(text: &str) -> Result<(u32, u32), String> {
    let number = |s: &str| s.trim().parse::<u32>().map_err(|e| format!("`{s}`: {e}"));
    match text.split_once(',') {
        Some((index, set)) => Ok((number(index)?, number(set)?)),
        None => Ok((number(text)?, 0)),
    }
}

/// Rules for the bytes of buffers, by name.
pub fn buffer_layout(text: &str) -> Result<BufferLayout, String> {
    let known: Vec<&str> = BufferLayout::TABLE.iter().map(|(n, _)| *n).collect();
    let found = BufferLayout::TABLE.iter().find(|(n, _)| *n == text).map(|(_, l)| *l);
    found.ok_or_else(|| format!("not a layout of buffers; there are {}", known.join(", ")))
}
