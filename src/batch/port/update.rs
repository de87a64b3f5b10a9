//! What becomes of the files of an output directory that people have edited, when new ones are to be written: of each the text
//! that was written before, the one that is there, and the new one.

use super::merge::{has_conflicts, merge};
use std::collections::{BTreeMap, BTreeSet};

/// What was done with a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Deed {
    /// Both have changed one place: a person decides.
    Conflict,
    /// A conflict of an update before is still there: the file is left alone.
    Unresolved,
    /// It cannot be merged by lines: the new one lies beside it.
    Beside,
    /// It was edited, and its source is gone: it stays.
    KeptOrphan,
    /// It was removed by hand and has changed since: it stays away.
    KeptAway,
    /// Its program has errors now: it stays as it is.
    KeptFailed,
    /// Edits and changes are both in it.
    Merged,
    /// Its edits were taken over into a file of another name.
    Moved,
    /// It was not edited, and is the new one now.
    Updated,
    /// It is new.
    Added,
    /// Its source is gone, and it was not edited.
    Removed,
    /// It was edited, and nothing new is to be written.
    Edited,
}

impl Deed {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Deed::Conflict => "conflict: resolve it in the file",
            Deed::Unresolved => "has conflicts of an update before; it was left alone",
            Deed::Beside => "edited and changed, and no text: the new one lies beside it as `.new`",
            Deed::KeptOrphan => "edited; nothing makes it any more; it was kept",
            Deed::KeptAway => "removed by hand; it has changed since and was not written",
            Deed::KeptFailed => "its program has errors now; it was kept",
            Deed::Merged => "edits and changes merged",
            Deed::Moved => "its edits were taken over under its new name",
            Deed::Updated => "updated",
            Deed::Added => "new",
            Deed::Removed => "nothing makes it any more; it was removed",
            Deed::Edited => "edited; nothing new",
        }
    }

    /// Whether a person has to do something.
    pub fn needs_person(self) -> bool {
        match self {
            Deed::Conflict | Deed::Unresolved | Deed::Beside | Deed::KeptOrphan | Deed::KeptAway => true,
            Deed::KeptFailed
            | Deed::Merged
            | Deed::Moved
            | Deed::Updated
            | Deed::Added
            | Deed::Removed
            | Deed::Edited => false,
        }
    }

    /// Whether the update is not whole without a person.
    pub fn is_conflict(self) -> bool {
        self.needs_person() && self <= Deed::Beside
    }
}

/// A file as it was written, as it is, and as it is to be.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreeWays<'a> {
    /// As it was written before.
    pub base: Option<&'a [u8]>,
    /// As it is.
    pub mine: Option<&'a [u8]>,
    /// As it would be written now.
    pub theirs: Option<&'a [u8]>,
}

/// What is to be done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The file's new bytes, if they change; `Some(None)`: it is removed.
    pub file: Option<Option<Vec<u8>>>,
    /// A new file beside it.
    pub beside: Option<Vec<u8>>,
    /// The base of the next update: `Some(None)`: there is none.
    pub base: Option<Option<Vec<u8>>>,
    /// What it is called.
    pub deed: Option<Deed>,
}

/// Names of the sides in conflicts.
const SIDES: [&str; 3] = ["edited", "before", "new"];

/// Decides on a file. Its program has errors where `has_failed`, so that nothing new is known of it.
pub fn step(ways: ThreeWays, has_failed: bool) -> Step {
    let ThreeWays { base, mine, theirs } = ways;
    let is_edited = mine != base;
    let new_base = (theirs != base).then(|| theirs.map(<[u8]>::to_vec));
    let with =
        |file: Option<Option<Vec<u8>>>, deed: Option<Deed>| Step { file, beside: None, base: new_base.clone(), deed };
    if theirs.is_none() && has_failed {
        let deed = mine.is_some().then_some(Deed::KeptFailed);
        return Step { deed, ..Step::default() };
    }
    if mine.is_some_and(is_marked) && theirs != mine {
        return Step { deed: Some(Deed::Unresolved), ..Step::default() };
    }
    match (mine, theirs) {
        (mine, theirs) if mine == theirs => with(None, None),
        (None, theirs) if theirs == base => with(None, None),
        (Some(_), theirs) if theirs == base => with(None, Some(Deed::Edited)),
        (Some(_), None) if is_edited => with(None, Some(Deed::KeptOrphan)),
        (Some(_), None) => with(Some(None), Some(Deed::Removed)),
        (None, None) => with(None, None),
        (None, Some(_)) if base.is_some() => with(None, Some(Deed::KeptAway)),
        (None, Some(new)) => with(Some(Some(new.to_vec())), Some(Deed::Added)),
        (Some(_), Some(new)) if !is_edited => with(Some(Some(new.to_vec())), Some(Deed::Updated)),
        (Some(mine), Some(new)) => {
            let texts = [base.unwrap_or_default(), mine, new].map(|bytes| std::str::from_utf8(bytes).ok());
            let [Some(base), Some(mine), Some(theirs)] = texts else {
                return Step { beside: Some(new.to_vec()), ..with(None, Some(Deed::Beside)) };
            };
            let merged = merge(base, mine, theirs, SIDES);
            let deed = if merged.conflicts > 0 { Deed::Conflict } else { Deed::Merged };
            with(Some(Some(merged.text.into_bytes())), Some(deed))
        }
    }
}

fn is_marked(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(has_conflicts)
}

/// NamedFiles by their names, with what is in them.
pub type NamedFiles = BTreeMap<String, Vec<u8>>;

/// The new names of edited files that nothing makes any more: of the new files with the same ending the one that is most like what was
/// written before, if half of its lines are.
pub fn renames(base: &NamedFiles, mine: &NamedFiles, theirs: &NamedFiles) -> BTreeMap<String, String> {
    let is_gone =
        |name: &&String| !theirs.contains_key(*name) && mine.get(*name).is_some_and(|m| base.get(*name) != Some(m));
    let is_new = |name: &&String| !base.contains_key(*name) && !mine.contains_key(*name);
    let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let mut pairs: Vec<(usize, &String, &String)> = Vec::new();
    for old in base.keys().filter(is_gone) {
        for new in theirs.keys().filter(is_new).filter(|new| ending(new) == ending(old)) {
            if let Some(likeness) = likeness(base.get(old), theirs.get(new)) {
                pairs.push((likeness, old, new));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut taken: BTreeSet<&String> = BTreeSet::new();
    for (_, old, new) in pairs {
        if !found.contains_key(old) && taken.insert(new) {
            found.insert(old.clone(), new.clone());
        }
    }
    found
}

/// How many thousandths of the lines of two texts are the same, if half are.
fn likeness(old: Option<&Vec<u8>>, new: Option<&Vec<u8>>) -> Option<usize> {
    let (old, new) = (std::str::from_utf8(old?).ok()?, std::str::from_utf8(new?).ok()?);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    old.lines().for_each(|line| *counts.entry(line).or_default() += 1);
    let mut same = 0;
    for line in new.lines() {
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            same += 1;
        }
    }
    let all = old.lines().count().max(new.lines().count()).max(1);
    let share = same * 1000 / all;
    (share >= 500).then_some(share)
}

/// All that is to be done, by names. `has_failed` tells whether the program of a file has errors.
pub fn steps(
    base: &NamedFiles,
    mine: &NamedFiles,
    theirs: &NamedFiles,
    has_failed: &dyn Fn(&str) -> bool,
) -> BTreeMap<String, Step> {
    let renames = renames(base, mine, theirs);
    let moved: BTreeSet<&String> = renames.values().collect();
    let mut steps = BTreeMap::new();
    let names: BTreeSet<&String> = base.keys().chain(theirs.keys()).collect();
    for name in names {
        let old = renames.get(name).filter(|_| !has_failed(name));
        if moved.contains(name) && renames.iter().any(|(old, new)| new == name && !has_failed(old)) {
            continue;
        }
        let of = |files: &'_ NamedFiles, name: &str| files.get(name).cloned();
        match old {
            Some(new) => {
                let (base, mine, theirs) = (of(base, name), of(mine, name), of(theirs, new));
                let ways = ThreeWays { base: base.as_deref(), mine: mine.as_deref(), theirs: theirs.as_deref() };
                let step = step(ways, false);
                if step.deed == Some(Deed::Merged)
                    || step.deed == Some(Deed::Conflict)
                    || step.deed == Some(Deed::Edited)
                {
                    let file = step.file.or(Some(mine));
                    let deed = if step.deed == Some(Deed::Edited) { Some(Deed::Merged) } else { step.deed };
                    steps.insert(new.clone(), Step { file, base: Some(theirs), deed, beside: None });
                    let gone = Step { file: Some(None), base: Some(None), deed: Some(Deed::Moved), beside: None };
                    steps.insert(name.clone(), gone);
                } else {
                    let added = theirs.clone();
                    steps.insert(
                        new.clone(),
                        Step { file: Some(added), base: Some(theirs), deed: Some(Deed::Added), beside: None },
                    );
                    let kept = Step { base: Some(None), deed: Some(Deed::KeptOrphan), ..Step::default() };
                    steps.insert(name.clone(), kept);
                }
            }
            None => {
                let get = |files: &'_ NamedFiles| files.get(name).cloned();
                let (base, mine, theirs) = (get(base), get(mine), get(theirs));
                let ways = ThreeWays { base: base.as_deref(), mine: mine.as_deref(), theirs: theirs.as_deref() };
                steps.insert(name.clone(), step(ways, has_failed(name)));
            }
        }
    }
    steps
}
