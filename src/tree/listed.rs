//! A list of declarations that changes at many places at once.
//!
//! Passes put declarations beside others and take some away, one for each of thousands. Such changes are noted, and made
//! by one walk over the list ([`Listed::settle`]), so that the time is that of the list and not its square.

use super::analyses::Tracked;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use std::ops::{Deref, DerefMut};

/// A list, and changes that are not made yet. It reads as the list without them.
#[derive(Clone, Debug)]
pub struct Listed<T> {
    list: Tracked<Vec<T>>,
    changes: Option<Box<Changes<T>>>,
}

/// Changes of a list, by what they stand beside.
#[derive(Clone, Debug)]
struct Changes<T> {
    before: FxHashMap<T, Vec<T>>,
    after: FxHashMap<T, Vec<T>>,
    removed: FxHashSet<T>,
    /// What was put beside others, in the order in which it came.
    added: Vec<T>,
}

impl<T> Default for Changes<T> {
    fn default() -> Changes<T> {
        Changes {
            before: FxHashMap::default(),
            after: FxHashMap::default(),
            removed: FxHashSet::default(),
            added: Vec::new(),
        }
    }
}

impl<T> Listed<T> {
    /// The stamp of the list without the changes that are not made.
    pub(super) fn stamp(&self) -> u64 {
        self.list.stamp()
    }
}

impl<T: Copy + Eq + Hash> Listed<T> {
    fn changes(&mut self) -> &mut Changes<T> {
        self.changes.get_or_insert_default()
    }

    /// Puts `item` in front of `anchor`, behind what was put there before; without one, or if the list lacks it, at the end.
    pub fn put_before(&mut self, anchor: Option<T>, item: T) {
        let changes = self.changes();
        changes.added.push(item);
        if let Some(anchor) = anchor {
            changes.before.entry(anchor).or_default().push(item);
        }
    }

    /// Puts `item` behind `anchor`, behind what was put there before; at the end if the list lacks it.
    pub fn put_after(&mut self, anchor: T, item: T) {
        let changes = self.changes();
        changes.added.push(item);
        changes.after.entry(anchor).or_default().push(item);
    }

    /// Takes `item` away; what is put beside it stays there.
    pub fn remove(&mut self, item: T) {
        self.changes().removed.insert(item);
    }

    /// Whether there are changes that are not made.
    pub fn is_settled(&self) -> bool {
        self.changes.is_none()
    }

    /// Makes the changes.
    pub fn settle(&mut self) {
        let Some(mut changes) = self.changes.take() else { return };
        let mut out = Vec::with_capacity(self.list.len() + changes.added.len());
        let mut listed: FxHashSet<T> = FxHashSet::default();
        let old = std::mem::take(&mut *self.list);
        for item in old {
            changes.place(item, &mut out, &mut listed);
        }
        for item in std::mem::take(&mut changes.added) {
            if !listed.contains(&item) {
                changes.place(item, &mut out, &mut listed);
            }
        }
        self.list = out.into();
    }
}

impl<T: Copy + Eq + Hash> Changes<T> {
    /// Lists an item between what stands before and behind it; these may have neighbours of their own.
    fn place(&mut self, item: T, out: &mut Vec<T>, listed: &mut FxHashSet<T>) {
        // What is to be listed, the next last; `true` if its neighbours are in the stack already.
        let mut stack = vec![(item, false)];
        while let Some((item, ready)) = stack.pop() {
            if ready {
                if !self.removed.contains(&item) {
                    out.push(item);
                }
                continue;
            }
            listed.insert(item);
            let after = self.after.remove(&item).unwrap_or_default();
            stack.extend(after.into_iter().rev().map(|i| (i, false)));
            stack.push((item, true));
            let before = self.before.remove(&item).unwrap_or_default();
            stack.extend(before.into_iter().rev().map(|i| (i, false)));
        }
    }
}

impl<T> Default for Listed<T> {
    fn default() -> Listed<T> {
        Listed { list: Vec::new().into(), changes: None }
    }
}

impl<T> From<Vec<T>> for Listed<T> {
    fn from(list: Vec<T>) -> Listed<T> {
        Listed { list: list.into(), changes: None }
    }
}

impl<T> FromIterator<T> for Listed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Listed<T> {
        Listed::from(Vec::from_iter(items))
    }
}

impl<T> Deref for Listed<T> {
    type Target = Vec<T>;
    fn deref(&self) -> &Vec<T> {
        &self.list
    }
}

impl<T> DerefMut for Listed<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.list
    }
}

impl<T> IntoIterator for Listed<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.into_value().into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Listed<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::Listed;

    #[test]
    fn changes_are_made_beside_their_anchors() {
        let mut list: Listed<u32> = Listed::from(vec![1, 2, 3]);
        list.put_before(Some(2), 20);
        list.put_before(Some(2), 21);
        // Beside one that is new itself.
        list.put_before(Some(21), 210);
        list.put_after(2, 22);
        list.remove(2);
        list.put_before(None, 9);
        list.put_before(Some(77), 10);
        assert_eq!((list.to_vec(), list.is_settled()), (vec![1, 2, 3], false));
        list.settle();
        assert_eq!((list.to_vec(), list.is_settled()), (vec![1, 20, 210, 21, 22, 3, 9, 10], true));
    }
}
