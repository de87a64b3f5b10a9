//! The units of all variants in one sequence: what several have in common stands there once, with the variants that have it.
//!
//! Units of the same lines are one, and blocks with the same lines around them, whose insides are then merged in the same way. The
//! order is one that fits all variants. If there is none, because two variants have the same lines in another order, the variants
//! are added one after another, each by the longest common subsequence.

use super::set::Set;
use super::units::{Unit, UnitKind};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Sequences of which the product of the lengths is more than this are not aligned.
const MOST_CELLS: usize = 1 << 22;

/// A unit with the variants that have it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Those.
    pub set: Set,
    /// A blank line stands before it.
    pub blank: bool,
    /// What it is.
    pub kind: UnitKind,
    /// Its lines, if it has no blocks.
    pub lines: Vec<String>,
    /// The lines around its blocks.
    pub frames: Vec<Vec<String>>,
    /// What is in its blocks.
    pub bodies: Vec<Vec<Node>>,
}

/// The units of one text, or of a block of it, with its variants.
#[derive(Clone, Copy, Debug)]
pub struct List<'u> {
    /// The variants.
    pub set: &'u Set,
    /// The units.
    pub units: &'u [Unit],
}

/// Units that are one: the number of the list and that in the list.
type Members = Vec<(usize, usize)>;

/// The units of all lists. `None`: there is too much of them.
pub fn merged_lists(lists: &[List]) -> Option<Vec<Node>> {
    let classes = classes(lists)?;
    let all: Vec<usize> = (0..lists.len()).collect();
    let ordered = match order(lists, &classes) {
        Some(order) => order.into_iter().filter_map(|at| classes.get(at).cloned()).collect(),
        None => best_sequence(lists, &all, &|_| true)?,
    };
    ordered.iter().map(|members| node(lists, members)).collect()
}

fn unit_of<'u>(lists: &[List<'u>], (list, unit): (usize, usize)) -> Option<&'u Unit> {
    lists.get(list)?.units.get(unit)
}

fn set_of(lists: &[List], members: &Members) -> Set {
    members.iter().filter_map(|(list, _)| lists.get(*list)).fold(Set::default(), |set, list| set.or(list.set))
}

fn node(lists: &[List], members: &Members) -> Option<Node> {
    let units: Vec<(&Set, &Unit)> =
        members.iter().filter_map(|at| Some((lists.get(at.0)?.set, unit_of(lists, *at)?))).collect();
    let (_, first) = units.first()?;
    let body = |at: usize| {
        let bodies = units.iter().map(|(set, unit)| Some(List { set, units: unit.bodies.get(at)? }));
        merged_lists(&bodies.collect::<Option<Vec<_>>>()?)
    };
    Some(Node {
        set: set_of(lists, members),
        blank: units.iter().any(|(_, unit)| unit.blank),
        kind: first.kind,
        lines: first.lines.clone(),
        frames: first.frames.clone(),
        bodies: (0..first.bodies.len()).map(body).collect::<Option<_>>()?,
    })
}

/// What makes units one: the lines around blocks, or all lines.
fn key(unit: &Unit) -> (UnitKind, bool, Vec<&str>) {
    let has_blocks = !unit.frames.is_empty();
    let lines: Vec<&str> = match has_blocks {
        true => unit.frames.iter().flatten().map(|line| line.trim()).collect(),
        false => unit.lines.iter().map(|line| line.trim()).collect(),
    };
    (unit.kind, has_blocks, lines)
}

/// Which units are one.
fn classes(lists: &[List]) -> Option<Vec<Members>> {
    let mut by_key: BTreeMap<_, Members> = BTreeMap::new();
    for (of, list) in lists.iter().enumerate() {
        for (at, unit) in list.units.iter().enumerate() {
            by_key.entry(key(unit)).or_default().push((of, at));
        }
    }
    let mut classes = Vec::new();
    for ((_, has_blocks, _), members) in by_key {
        let is_once = members.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if a != b));
        if is_once {
            classes.push(members);
        } else if has_blocks {
            let own: BTreeSet<(usize, usize)> = members.iter().copied().collect();
            let of: BTreeSet<usize> = members.iter().map(|(list, _)| *list).collect();
            classes.extend(best_sequence(lists, &of.into_iter().collect::<Vec<_>>(), &|at| own.contains(&at))?);
        } else {
            classes.extend(by_occurrence(&members));
        }
    }
    Some(classes)
}

/// Of equal units, the first of each list are one, and the second, and so on.
fn by_occurrence(members: &Members) -> Vec<Members> {
    let mut classes: Vec<Members> = Vec::new();
    let (mut list, mut count) = (usize::MAX, 0);
    for member in members {
        count = if member.0 == list { count + 1 } else { 0 };
        list = member.0;
        match classes.get_mut(count) {
            Some(class) => class.push(*member),
            None => classes.push(vec![*member]),
        }
    }
    classes
}

/// Which classes stand right before which others in some list.
struct Precedence {
    after: Vec<BTreeSet<usize>>,
    before: Vec<BTreeSet<usize>>,
}

impl Precedence {
    fn of(lists: &[List], classes: &[Members]) -> Option<Precedence> {
        let mut class_of: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (class, members) in classes.iter().enumerate() {
            class_of.extend(members.iter().map(|member| (*member, class)));
        }
        let none = vec![BTreeSet::new(); classes.len()];
        let mut all = Precedence { after: none.clone(), before: none };
        for (of, list) in lists.iter().enumerate() {
            for at in 1..list.units.len() {
                let (first, second) = (*class_of.get(&(of, at - 1))?, *class_of.get(&(of, at))?);
                all.after.get_mut(first)?.insert(second);
                all.before.get_mut(second)?.insert(first);
            }
        }
        Some(all)
    }

    /// An order that fits: of those that may be next, `choose` takes one. `None`: there is no order.
    fn order(&self, mut choose: impl FnMut(&BTreeSet<usize>) -> Option<usize>) -> Option<Vec<usize>> {
        let mut waits: Vec<usize> = self.before.iter().map(BTreeSet::len).collect();
        let mut free: BTreeSet<usize> = (0..waits.len()).filter(|at| waits.get(*at) == Some(&0)).collect();
        let mut order = Vec::with_capacity(waits.len());
        while let Some(next) = choose(&free) {
            free.remove(&next);
            order.push(next);
            for at in self.after.get(next)? {
                let left = waits.get_mut(*at)?;
                *left = left.saturating_sub(1);
                if *left == 0 {
                    free.insert(*at);
                }
            }
        }
        (order.len() == waits.len()).then_some(order)
    }
}

/// An order of classes that is that of every list, if there is one. What has the same variants is kept together; else what most
/// changes of variants come behind is first, so that alternatives are not parted by what only some of them wait for.
fn order(lists: &[List], classes: &[Members]) -> Option<Vec<usize>> {
    let precedence = Precedence::of(lists, classes)?;
    let sets: Vec<Set> = classes.iter().map(|members| set_of(lists, members)).collect();
    let any = precedence.order(|free| free.first().copied())?;
    let mut changes: Vec<usize> = vec![0; classes.len()];
    for at in any.into_iter().rev() {
        let behind = precedence.after.get(at)?.iter();
        let count = |next: &usize| {
            let is_change = sets.get(*next) != sets.get(at);
            changes.get(*next).copied().unwrap_or(0) + usize::from(is_change)
        };
        *changes.get_mut(at)? = behind.map(count).max().unwrap_or(0);
    }
    let mut run = Set::default();
    precedence.order(|free| {
        let rank = |at: &usize| {
            let fit = sets.get(*at).map_or(Fit::No, |set| Fit::of(set, &run));
            let place = classes.get(*at).and_then(|members| members.first().copied());
            (Reverse(fit), Reverse(changes.get(*at).copied()), place)
        };
        let next = free.iter().copied().min_by_key(rank)?;
        let set = sets.get(next)?;
        if !set.is_in(&run) {
            run = set.clone();
        }
        Some(next)
    })
}

/// How well something follows what stands inside of one `#if`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// Inside of it, with a condition of its own.
    Inside,
    Same,
}

impl Fit {
    fn of(set: &Set, run: &Set) -> Fit {
        match set.is_in(run) {
            true if set == run => Fit::Same,
            true => Fit::Inside,
            false => Fit::No,
        }
    }
}

/// The lists one after another, by the way that gives fewest classes.
fn best_sequence(lists: &[List], of: &[usize], is_meant: &dyn Fn((usize, usize)) -> bool) -> Option<Vec<Members>> {
    let early = sequence(lists, of, is_meant, true)?;
    let late = sequence(lists, of, is_meant, false)?;
    Some(if early.len() < late.len() { early } else { late })
}

/// The lists one after another. What is new stands before what is at the same place already (`early`), or behind it.
fn sequence(
    lists: &[List],
    of: &[usize],
    is_meant: &dyn Fn((usize, usize)) -> bool,
    early: bool,
) -> Option<Vec<Members>> {
    let mut known: Vec<Members> = Vec::new();
    for list in of {
        let count = lists.get(*list)?.units.len();
        let units: Vec<(usize, usize)> = (0..count).map(|at| (*list, at)).filter(|at| is_meant(*at)).collect();
        let pairs = pairs(lists, &known, &units)?;
        let mut out: Vec<Members> = Vec::with_capacity(known.len());
        let (mut old, mut new) = (known.into_iter().enumerate().peekable(), units.into_iter().enumerate().peekable());
        for (class, unit) in pairs.into_iter().chain([(usize::MAX, usize::MAX)]) {
            let before: Vec<Members> =
                std::iter::from_fn(|| old.next_if(|(at, _)| *at < class)).map(|(_, m)| m).collect();
            let added: Vec<Members> =
                std::iter::from_fn(|| new.next_if(|(at, _)| *at < unit)).map(|(_, at)| vec![at]).collect();
            let both = if early { [added, before] } else { [before, added] };
            out.extend(both.into_iter().flatten());
            if let (Some((_, mut members)), Some((_, at))) = (old.next(), new.next()) {
                members.push(at);
                out.push(members);
            }
        }
        known = out;
    }
    Some(known)
}

/// How much it is worth to have a unit and others at one place; 0: they have nothing in common.
fn score(lists: &[List], members: &Members, unit: &Unit) -> u32 {
    let weight = |lines: &[String]| lines.iter().map(|line| 1 + line.trim().len().min(60) as u32).sum::<u32>();
    let mut others = members.iter().filter_map(|at| unit_of(lists, *at));
    let Some(first) = others.clone().next().filter(|first| key(first) == key(unit)) else { return 0 };
    if others.any(|other| other.lines == unit.lines) {
        return match first.kind {
            UnitKind::Comment => 1,
            UnitKind::Directive | UnitKind::Code => 2 * weight(&unit.lines),
        };
    }
    weight(&unit.frames.concat())
}

/// The pairs of the longest common subsequence, where pairs count by their scores.
fn pairs(lists: &[List], known: &[Members], units: &[(usize, usize)]) -> Option<Vec<(usize, usize)>> {
    let width = units.len() + 1;
    let cells = (known.len() + 1).checked_mul(width).filter(|cells| *cells <= MOST_CELLS)?;
    // The best of what is behind a place.
    let mut best = vec![0u32; cells];
    let mut scores = vec![0u32; cells];
    let get = |table: &[u32], node: usize, unit: usize| table.get(node * width + unit).copied().unwrap_or(0);
    for (at, members) in known.iter().enumerate().rev() {
        for (of, unit) in units.iter().enumerate().rev() {
            let score = unit_of(lists, *unit).map_or(0, |unit| score(lists, members, unit));
            let with = if score > 0 { score + get(&best, at + 1, of + 1) } else { 0 };
            let most = with.max(get(&best, at + 1, of)).max(get(&best, at, of + 1));
            if let (Some(best), Some(known)) = (best.get_mut(at * width + of), scores.get_mut(at * width + of)) {
                (*best, *known) = (most, score);
            }
        }
    }
    let (mut node, mut unit, mut pairs) = (0, 0, Vec::new());
    while node < known.len() && unit < units.len() {
        let (here, score) = (get(&best, node, unit), get(&scores, node, unit));
        if score > 0 && here == score + get(&best, node + 1, unit + 1) {
            pairs.push((node, unit));
            (node, unit) = (node + 1, unit + 1);
        } else if here == get(&best, node + 1, unit) {
            node += 1;
        } else {
            unit += 1;
        }
    }
    Some(pairs)
}
