//! Numbers that are given, and who has them: kept so that thousands of parameters are placed without looking at all of the
//! others for each.

use super::{Owner, Placement};
use std::collections::BTreeMap;

/// A set of numbers: the start of each run, and one past its end. Runs that meet are one.
#[derive(Default)]
pub struct Numbers {
    runs: BTreeMap<u64, u64>,
}

impl Numbers {
    /// Adds the numbers from `start` up to `end`.
    pub fn add(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let (mut from, mut to) = (start, end);
        while let Some((s, e)) = self.runs.range(..=to).next_back().map(|(s, e)| (*s, *e)).filter(|(_, e)| *e >= from) {
            self.runs.remove(&s);
            (from, to) = (from.min(s), to.max(e));
        }
        self.runs.insert(from, to);
    }

    /// Adds one number.
    pub(super) fn insert(&mut self, number: u64) {
        self.add(number, number.saturating_add(1));
    }

    /// The end of the last run that has any of the numbers from `start` up to `end`.
    pub(super) fn met(&self, start: u64, end: u64) -> Option<u64> {
        self.runs.range(..end).next_back().map(|(_, e)| *e).filter(|e| *e > start)
    }

    /// The lowest `count` neighbours from `start` on that none of the sets has.
    pub(super) fn first_free(sets: &[&Numbers], start: u64, count: u64) -> u64 {
        let mut start = start;
        let past = |from: u64| {
            let first = |set: &&Numbers| {
                let covers = set.met(from, from.saturating_add(1));
                let next = || set.runs.range(from..from.saturating_add(count)).next().map(|(_, e)| *e);
                covers.or_else(next)
            };
            sets.iter().filter_map(first).max()
        };
        while let Some(end) = past(start) {
            start = end;
        }
        start
    }

    /// Adds the lowest `count` neighbours from `from` on, and gives the first of them.
    pub fn give(&mut self, from: u64, count: u64) -> u64 {
        let start = Numbers::first_free(&[self], from, count);
        self.add(start, start.saturating_add(count));
        start
    }

    /// One past the last.
    pub(super) fn end(&self) -> Option<u64> {
        self.runs.last_key_value().map(|(_, end)| *end)
    }
}

/// Ranges with their owners, in the order in which they were given.
#[derive(Default)]
pub(super) struct Ranges {
    list: Vec<Placement>,
    numbers: Numbers,
}

impl Ranges {
    pub(super) fn push(&mut self, range: Placement) {
        self.numbers.add(range.start, range.end);
        self.list.push(range);
    }

    /// The numbers of all of them.
    pub(super) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    pub(super) fn as_slice(&self) -> &[Placement] {
        &self.list
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Placement> {
        self.list.iter()
    }

    /// Those that have a part of a range.
    pub(super) fn meeting(&self, range: &Placement) -> impl Iterator<Item = &Placement> {
        let (start, end) = (range.start, range.end);
        let any = self.numbers.met(start, end).is_some();
        let list = if any { self.list.as_slice() } else { &[] };
        list.iter().filter(move |r| r.start < end && start < r.end)
    }

    /// Takes out those of an owner.
    pub(super) fn take(&mut self, owner: Owner) -> Vec<Placement> {
        let taken = self.list.extract_if(.., |r| r.owner == owner).collect();
        self.numbers = Numbers::default();
        self.list.iter().for_each(|r| self.numbers.add(r.start, r.end));
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against one bit a number.
    #[test]
    fn runs_are_what_bits_are() {
        let mut seed = 1_u64;
        let mut next = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for _ in 0..200 {
            let (mut bits, mut set) = ([false; 256], Numbers::default());
            for _ in 0..20 {
                let (start, count) = (next(200), next(8));
                set.add(start, start + count);
                (start..start + count).for_each(|n| bits[n as usize] = true);
                let (from, want) = (next(40), 1 + next(6));
                let free = |at: u64| (at..at + want).all(|n| !bits[n as usize]);
                assert_eq!(Numbers::first_free(&[&set], from, want), (from..).find(|at| free(*at)).unwrap_or(0));
                assert_eq!(set.met(from, from + want).is_some(), !free(from));
                assert_eq!(set.end(), (0..256).rev().find(|n| bits[*n as usize]).map(|n| n + 1));
            }
        }
    }
}
