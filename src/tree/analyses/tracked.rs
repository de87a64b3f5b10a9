//! Changes are noticed: what may be changed has a stamp, which a borrow to change it takes away.
//!
//! Passes look at all code and change little of it. Code that is lent out ([`Program::lend_code`], [`Program::each_exprs_mut`]) and comes
//! back unchanged leaves the program as it was, with all that is known of it.

use super::Version;
use crate::tree::{Body, ExprArena, ExprId, ExprTree, FunctionId, GlobalId, MatrixOrder, Program, Types};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// A part of a program whose changes are noticed: a mutable borrow takes its stamp away, and the next that asks gives it a new
/// one. Equal stamps mean equal contents.
#[derive(Default)]
pub struct Tracked<T> {
    value: T,
    /// 0: none since the last change.
    stamp: AtomicU64,
}

impl<T> Tracked<T> {
    /// The part alone.
    pub fn into_value(self) -> T {
        self.value
    }

    /// The stamp, which another one has only if its contents are the same.
    pub fn stamp(&self) -> u64 {
        match self.stamp.load(Ordering::Relaxed) {
            0 => {
                let new = new_stamp();
                self.stamp.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|of| of, |_| new)
            }
            known => known,
        }
    }

    /// Gives it the stamp that it had when its contents were what they are again.
    fn restore(&mut self, stamp: u64) {
        *self.stamp.get_mut() = stamp;
    }
}

/// A number that was not given before. Each thread takes many at once.
fn new_stamp() -> u64 {
    const MANY: u64 = 1 << 16;
    static NEXT: AtomicU64 = AtomicU64::new(MANY);
    thread_local! {
        static LAST: Cell<u64> = const { Cell::new(MANY - 1) };
    }
    let mut next = LAST.get() + 1;
    if next.is_multiple_of(MANY) {
        next = NEXT.fetch_add(MANY, Ordering::Relaxed);
    }
    LAST.set(next);
    next
}

impl<T> std::ops::Deref for Tracked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> std::ops::DerefMut for Tracked<T> {
    fn deref_mut(&mut self) -> &mut T {
        *self.stamp.get_mut() = 0;
        &mut self.value
    }
}

impl<T: Clone> Clone for Tracked<T> {
    fn clone(&self) -> Self {
        // In this order: a stamp that is given meanwhile would be that of the same contents.
        Tracked { stamp: AtomicU64::new(self.stamp()), value: self.value.clone() }
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Tracked<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value.fmt(f)
    }
}

impl<T> From<T> for Tracked<T> {
    fn from(value: T) -> Tracked<T> {
        Tracked { value, stamp: AtomicU64::new(0) }
    }
}

impl<A, T: FromIterator<A>> FromIterator<A> for Tracked<T> {
    fn from_iter<I: IntoIterator<Item = A>>(items: I) -> Tracked<T> {
        T::from_iter(items).into()
    }
}

impl<T: IntoIterator> IntoIterator for Tracked<T> {
    type Item = T::Item;
    type IntoIter = T::IntoIter;
    fn into_iter(self) -> T::IntoIter {
        self.value.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Tracked<T>
where
    &'a T: IntoIterator,
{
    type Item = <&'a T as IntoIterator>::Item;
    type IntoIter = <&'a T as IntoIterator>::IntoIter;
    fn into_iter(self) -> Self::IntoIter {
        self.value.into_iter()
    }
}

/// The expressions of a body.
pub type TrackedExprs = Tracked<ExprArena>;

/// The stamps of all that is declared in a program. Equal ones mean that declarations, types and code are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramStamp {
    version: Version,
    structs: u64,
    enums: u64,
    items: u64,
    parameters: u64,
    /// Types are added and never changed.
    types: usize,
    order: MatrixOrder,
}

impl Program {
    /// What says whether the program was changed, if it is compared with that of another time.
    pub fn stamp(&self) -> ProgramStamp {
        ProgramStamp {
            version: self.version(),
            structs: self.structs.stamp(),
            enums: self.enums.stamp(),
            items: self.items.stamp(),
            parameters: self.parameters.stamp(),
            types: self.types.len(),
            order: self.default_matrix_order,
        }
    }

    /// Lends the code of a function out; the program is without it meanwhile. Functions of which nothing was changed are as they
    /// were.
    pub fn lend_code<R>(&mut self, id: FunctionId, f: impl FnOnce(&mut Program, &mut Body) -> R) -> R {
        let (before, stamps) = (self.functions.stamp(), self.functions[id].code.stamps());
        let mut body = std::mem::take(&mut self.functions[id].code);
        let without = self.functions.stamp();
        let result = f(self, &mut body);
        let is_same = self.functions.stamp() == without && body.stamps() == stamps;
        self.functions[id].code = body;
        if is_same {
            self.functions.restore(before);
        }
        result
    }

    /// Runs `f` on the live expressions of every function with code and of every first value, to change them; types are lent out
    /// beside. What it does not change counts as unchanged.
    pub fn each_exprs_mut(&mut self, f: &mut dyn FnMut(&mut Types, &mut TrackedExprs, &[ExprId])) {
        for id in self.functions_with_code() {
            let before = self.functions.stamp();
            let code = &mut self.functions[id].code;
            let stamps = code.stamps();
            let live = code.live();
            f(&mut self.types, &mut code.exprs, &live);
            if code.stamps() == stamps {
                self.functions.restore(before);
            }
        }
        for id in self.globals_with_values() {
            let before = self.globals.stamp();
            let Some(tree) = &mut self.globals[id].init else { continue };
            let live = tree.exprs.post_order(tree.root);
            let mut exprs = Tracked::from(std::mem::take(&mut tree.exprs));
            let stamp = exprs.stamp();
            f(&mut self.types, &mut exprs, &live);
            let is_same = exprs.stamp() == stamp;
            tree.exprs = exprs.into_value();
            if is_same {
                self.globals.restore(before);
            }
        }
    }

    /// Lends the first value of a global out; the program is without it meanwhile. Globals of which nothing was changed are as they
    /// were.
    pub fn lend_value(&mut self, id: GlobalId, f: impl FnOnce(&mut Program, &mut TrackedExprs, ExprId)) {
        let before = self.globals.stamp();
        let Some(ExprTree { root, exprs }) = self.globals[id].init.take() else { return };
        let without = self.globals.stamp();
        let mut exprs = Tracked::from(exprs);
        let stamp = exprs.stamp();
        f(self, &mut exprs, root);
        let is_same = self.globals.stamp() == without && exprs.stamp() == stamp;
        self.globals[id].init = Some(ExprTree { root, exprs: exprs.into_value() });
        if is_same {
            self.globals.restore(before);
        }
    }

    /// The globals with first values.
    pub fn globals_with_values(&self) -> Vec<GlobalId> {
        self.globals.iter().filter_map(|(id, global)| global.init.is_some().then_some(id)).collect()
    }
}
