//! Code that was checked in another variant of the program, without diagnostics. What nothing reaches is not checked again; the
//! bodies of the rest are linked ([`super::link`]).
//!
//! Diagnostics of a body follow from its tokens and from what is declared around it. Between variants most headers are the same,
//! and a program reaches few of their functions.

use super::link::Known;
use super::{Checker, Input};
use crate::ast;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

/// What the variants of a program have checked without diagnostics, with the same options.
#[derive(Debug, Default)]
pub struct KnownCode {
    /// Functions: the hash of the tokens of all that is declared, and the hash of those of the body.
    functions: Mutex<FxHashSet<(u64, u64)>>,
    /// Bodies, by the hash of all that is declared with its places.
    bodies: Mutex<FxHashMap<u64, Arc<Known>>>,
}

impl KnownCode {
    /// The bodies of variants that declare the same as an input.
    pub(super) fn bodies(&self, input: &Input) -> Arc<Known> {
        let declared = declared(input, |unit| unit.declared.places);
        self.bodies.lock().unwrap_or_else(|e| e.into_inner()).entry(declared).or_default().clone()
    }
}

/// A hash of all that is declared, of those of the files.
fn declared(input: &Input, of: impl Fn(&ast::Unit) -> u64) -> u64 {
    let mut hasher = FxHasher::default();
    for unit in input.units.iter().chain(&input.modules) {
        unit.name.hash(&mut hasher);
        unit.files.iter().for_each(|file| (of(file), file.is_16_bit, file.is_versioned, file.is_old).hash(&mut hasher));
    }
    hasher.finish()
}

/// The memory of a program that has variants, with the hash of what this one declares.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclaredCode<'a> {
    declared: u64,
    code: &'a KnownCode,
}

impl<'a> DeclaredCode<'a> {
    /// Of an input; nothing if its program has no variants.
    pub(super) fn of(input: &'a Input) -> Option<DeclaredCode<'a>> {
        let code = input.known_code.as_deref()?;
        Some(DeclaredCode { declared: declared(input, |unit| unit.declared.tokens), code })
    }
}

impl<'a> Checker<'a> {
    /// Whether a function was checked in another variant, without diagnostics.
    pub(super) fn is_known(&self, function: &ast::FunctionDecl) -> bool {
        self.known.is_some_and(|DeclaredCode { declared, code }| {
            code.functions.lock().unwrap_or_else(|e| e.into_inner()).contains(&(declared, function.code.tokens))
        })
    }

    /// Checks a function, and notes if there are no diagnostics of it.
    pub(super) fn check_knowing(&mut self, function: &ast::FunctionDecl, check: impl FnOnce(&mut Self)) {
        let found = self.faults();
        check(self);
        if let Some(DeclaredCode { declared, code }) = self.known.filter(|_| self.faults() == found) {
            code.functions.lock().unwrap_or_else(|e| e.into_inner()).insert((declared, function.code.tokens));
        }
    }

    /// How many diagnostics there are, and reasons for some that come later.
    pub(super) fn faults(&self) -> usize {
        self.diags.list().len() + self.lasting.len() + self.endless.len()
    }
}
