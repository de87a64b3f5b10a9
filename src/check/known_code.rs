//! Code that nothing reaches and that was checked in another variant of the program, without diagnostics: it is not checked again.
//!
//! Diagnostics of a body follow from its tokens and from what is declared around it. Between variants most headers are the same,
//! and a program reaches few of their functions.

use super::{Checker, Input};
use crate::ast;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

/// Bodies without diagnostics of the variants of a program that were checked with the same options: each as the hash of all
/// that is declared, and the hash of the body.
#[derive(Debug, Default)]
pub struct KnownCode(Mutex<FxHashSet<(u64, u64)>>);

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
        let mut hasher = FxHasher::default();
        for unit in input.units.iter().chain(&input.modules) {
            unit.name.hash(&mut hasher);
            unit.files.iter().for_each(|file| file.declared.hash(&mut hasher));
        }
        Some(DeclaredCode { declared: hasher.finish(), code })
    }
}

impl<'a> Checker<'a> {
    /// Whether a function was checked in another variant, without diagnostics.
    pub(super) fn is_known(&self, function: &ast::FunctionDecl) -> bool {
        self.known.is_some_and(|DeclaredCode { declared, code }| {
            code.0.lock().unwrap_or_else(|e| e.into_inner()).contains(&(declared, function.code))
        })
    }

    /// Checks a function, and notes if there are no diagnostics of it.
    pub(super) fn check_knowing(&mut self, function: &ast::FunctionDecl, check: impl FnOnce(&mut Self)) {
        let found = self.faults();
        check(self);
        if let Some(DeclaredCode { declared, code }) = self.known.filter(|_| self.faults() == found) {
            code.0.lock().unwrap_or_else(|e| e.into_inner()).insert((declared, function.code));
        }
    }

    /// How many diagnostics there are, and reasons for some that come later.
    pub(super) fn faults(&self) -> usize {
        self.diags.list().len() + self.lasting.len() + self.endless.len()
    }
}
