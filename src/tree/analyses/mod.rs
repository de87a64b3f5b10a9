//! What is computed from a program, each once for a version of it.
//!
//! | module | what it finds |
//! | --- | --- |
//! | [`calls`] | the call graph; what is reachable; what a property of callees makes of callers |
//! | [`effects`] | which functions and expressions do more than give a value; which expressions may be repeated |
//! | [`flow`] | whether control reaches the end of a block |
//! | [`uniformity`] | which barriers not all invocations may reach |
//! | [`ranges`] | which values integers may have |
//! | [`items`] | what a declaration uses, and an order in which each stands after that |
//!
//! No other module follows calls by itself (a test looks for that). Everything here is linear in the size of the program:
//! a property of callees is passed on to callers along the edges of the call graph ([`Analyses::callers_of`]), or found in
//! the order in which callees come first ([`Program::reachable_functions`]), never by recursion over calls.
//!
//! # Versions
//!
//! The functions, globals and entry points of a program are [`Tracked`]: borrowing them to change them gives them a new
//! stamp. What was computed is kept together with the stamps that it was computed for ([`Memo`]), and used as long as these
//! are the program's. A pass that takes bodies out of the program asks before it does so. The code of each function is tracked for
//! itself in the same way ([`CodeMemo`]): most passes look at all functions and change few.

pub mod bit_units;
pub mod calls;
pub mod effects;
pub mod first_use;
pub mod flow;
pub mod items;
pub mod ranges;
pub mod uniformity;
#[cfg(test)]
mod tests;

pub use calls::Uses;
pub use effects::{AT_VERTEX, Effects, is_pure, is_trivial};
pub use flow::{endless_loops, ends_flow, is_endless, may_complete, reached};
pub use ranges::Ranges;

use super::{Body, ExprId, FunctionId, GlobalId, Program, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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

    /// The stamp of what it is now.
    pub fn stamp(&self) -> u64 {
        match self.stamp.load(Ordering::Relaxed) {
            0 => {
                let new = new_stamp();
                self.stamp.compare_exchange(0, new, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|of| of, |_| new)
            }
            known => known,
        }
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

/// The stamps of a program's functions, globals and entry points. Equal ones mean equal contents.
type Version = [u64; 3];

/// What is known of a version of a program. A copy of a program knows the same until it is changed.
#[derive(Default)]
pub struct Memo {
    known: Mutex<Known>,
    /// How often the code of a function was run for the value of a constant.
    runs: AtomicU64,
}

/// What was computed, with the stamps that it was computed for.
#[derive(Clone, Default)]
struct Known {
    facts: Option<(Version, Arc<Facts>)>,
    /// The entry points by their functions, which do not depend on what is in a body.
    entries: Option<(u64, Arc<FxHashMap<FunctionId, usize>>)>,
}

impl Clone for Memo {
    fn clone(&self) -> Memo {
        Memo { known: Mutex::new(self.lock().clone()), runs: AtomicU64::new(self.runs()) }
    }
}

impl Memo {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the value of a constant follows from the code of a function.
    pub fn note_run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// How often that was.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Memo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memo")
    }
}

/// What is known of a body, with the stamps of its expressions, variables and statements that it was found for.
#[derive(Default)]
pub struct CodeMemo {
    known: Mutex<Option<([u64; 3], CodeFacts)>>,
}

/// What was found in a body.
#[derive(Clone, Default)]
struct CodeFacts {
    live: Option<Arc<[ExprId]>>,
    uses: Option<Arc<Uses>>,
}

impl Clone for CodeMemo {
    fn clone(&self) -> CodeMemo {
        CodeMemo { known: Mutex::new(self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()) }
    }
}

impl std::fmt::Debug for CodeMemo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CodeMemo")
    }
}

impl Body {
    /// What is known of the body as it is now, or else found.
    fn known<T: Clone>(&self, place: fn(&mut CodeFacts) -> &mut Option<T>, find: impl FnOnce(&Body) -> T) -> T {
        let stamps = [self.exprs.stamp(), self.locals.stamp(), self.block.stamp()];
        let lock = || self.memo.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, facts)) = &mut *lock()
            && *known == stamps
            && let Some(found) = place(facts)
        {
            return found.clone();
        }
        let found = find(self);
        let mut known = lock();
        let facts = match &mut *known {
            Some((known, facts)) if *known == stamps => facts,
            older => &mut older.insert((stamps, CodeFacts::default())).1,
        };
        *place(facts) = Some(found.clone());
        found
    }

    /// All live expressions: statement by statement, children before parents.
    pub fn live(&self) -> Arc<[ExprId]> {
        self.known(|facts| &mut facts.live, |body| body.find_live().into())
    }

    /// What it mentions.
    pub fn uses(&self) -> Arc<Uses> {
        self.known(|facts| &mut facts.uses, |body| Arc::new(Uses::of_body(body)))
    }
}

/// The results, each found when it is first asked for.
#[derive(Default)]
struct Facts {
    functions: Arc<[OnceLock<Arc<Uses>>]>,
    initializers: Arc<[OnceLock<Uses>]>,
    order: OnceLock<Arc<[FunctionId]>>,
    globals: OnceLock<Arc<[BTreeSet<GlobalId>]>>,
    effects: OnceLock<Arc<Effects>>,
    ranges: OnceLock<Arc<Ranges>>,
    /// The types of the members of each `cbuffer`.
    cbuffers: OnceLock<FxHashSet<TypeId>>,
}

/// The analyses of a program as it is now.
pub struct Analyses<'p> {
    program: &'p Program,
    facts: Arc<Facts>,
}

impl Program {
    /// The analyses of this version of the program.
    pub fn analyses(&self) -> Analyses<'_> {
        let version = [self.functions.stamp(), self.globals.stamp(), self.entry_points.stamp()];
        let mut memo = self.memo.lock();
        let facts = match &memo.facts {
            Some((known, facts)) if *known == version => facts.clone(),
            older => {
                // What functions mention is in them alone, and so it is with globals.
                let of = |stamp: usize| older.as_ref().filter(|(known, _)| known[stamp] == version[stamp]);
                let functions = || self.functions.ids().map(|_| OnceLock::new()).collect();
                let initializers = || self.globals.ids().map(|_| OnceLock::new()).collect();
                let facts = Arc::new(Facts {
                    functions: of(0).map_or_else(functions, |(_, facts)| facts.functions.clone()),
                    initializers: of(1).map_or_else(initializers, |(_, facts)| facts.initializers.clone()),
                    ..Facts::default()
                });
                memo.facts = Some((version, facts.clone()));
                facts
            }
        };
        Analyses { program: self, facts }
    }

    /// Which entry point a function is.
    pub fn entry_point_of(&self, function: FunctionId) -> Option<usize> {
        let stamp = self.entry_points.stamp();
        let mut memo = self.memo.lock();
        if let Some((known, entries)) = &memo.entries
            && *known == stamp
        {
            return entries.get(&function).copied();
        }
        // Of two of one function the first.
        let entries: FxHashMap<FunctionId, usize> =
            self.entry_points.iter().enumerate().rev().map(|(index, entry)| (entry.function, index)).collect();
        let found = entries.get(&function).copied();
        memo.entries = Some((stamp, Arc::new(entries)));
        found
    }

    /// The functions called, directly or through others, from the entry points and initializers, each once, callees
    /// before callers.
    pub fn reachable_functions(&self) -> Vec<FunctionId> {
        let analyses = self.analyses();
        analyses.facts.order.get_or_init(|| analyses.order()).to_vec()
    }

    /// For each entry point the globals that it can reach.
    pub fn reachable_globals(&self) -> Arc<[BTreeSet<GlobalId>]> {
        let analyses = self.analyses();
        let of_entry = |entry: &super::EntryPoint| analyses.reached_globals(entry.roots());
        let all = analyses.facts.globals.get_or_init(|| self.entry_points.iter().map(of_entry).collect());
        all.clone()
    }

    /// Whether a struct stands for the members of a `cbuffer`.
    pub fn is_members_of_cbuffer(&self, ty: TypeId) -> bool {
        let analyses = self.analyses();
        let blocks = || self.globals.iter().filter(|(_, g)| g.transparent);
        let members = analyses
            .facts
            .cbuffers
            .get_or_init(|| blocks().filter_map(|(_, g)| self.types.get(g.ty).element()).collect());
        members.contains(&ty)
    }

    /// Which functions have effects.
    pub fn effects(&self) -> Arc<Effects> {
        self.analyses().facts.effects.get_or_init(|| Arc::new(Effects::of(self))).clone()
    }

    /// Which values integers may have.
    pub fn ranges(&self) -> Arc<Ranges> {
        self.analyses().facts.ranges.get_or_init(|| Arc::new(Ranges::of_program(self))).clone()
    }
}
