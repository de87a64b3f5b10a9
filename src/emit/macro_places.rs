//! Where the macros of a text are declared: before the declaration that follows them in the source.
//!
//! The files of a program are one text, in which a file stands where it is included. What follows a macro there may be printed
//! nowhere, or behind what uses the macro: then it is declared before the next thing that is printed, or that uses it.

use super::named::marked_names;
use super::writer::Slot;
use crate::source::{FileId, Sources, Span};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A macro that is to be declared.
pub(super) struct Placed<'a> {
    pub name: &'a str,
    /// Its name in its definition.
    pub definition: Span,
    /// What it stands for, with the names of other macros.
    pub value: &'a str,
    /// The name of what has to be declared before it.
    pub behind: Option<Span>,
}

/// For each macro the number of the slot that it is declared in.
pub(super) fn of(macros: &[Placed], (text, slots): (&str, &[Slot]), sources: &Sources) -> Vec<usize> {
    let declared = Declared::of(slots, sources);
    let first_uses = first_uses(text, slots);
    let last = slots.len().saturating_sub(1);
    let wanted = |of: &Placed| {
        let use_place = first_uses.get(of.name).copied().unwrap_or(last);
        let place = following(of.definition, &declared, sources).map_or(use_place, |place| place.min(use_place));
        let before = of.behind.and_then(|name| slots.iter().rposition(|slot| slot.before == name));
        before.map_or(place, |before| place.max(before + 1).min(last))
    };
    let mut chosen: Vec<usize> = macros.iter().map(wanted).collect();
    let numbers: FxHashMap<&str, usize> = macros.iter().enumerate().map(|(at, of)| (of.name, at)).collect();
    // A macro is declared before those that use it. Each is looked at once for each time that it moves up.
    let mut open: Vec<usize> = (0..macros.len()).collect();
    while let Some(user) = open.pop() {
        let Some((of, place)) = macros.get(user).zip(chosen.get(user).copied()) else { continue };
        for used in marked_names(of.value).filter_map(|(_, name)| numbers.get(name)) {
            if let Some(before) = chosen.get_mut(*used).filter(|before| **before > place) {
                *before = place;
                open.push(*used);
            }
        }
    }
    chosen
}

/// Sorts what is in the source as if included files stood where they are included.
pub(super) fn source_order(place: Span, sources: &Sources) -> (Option<usize>, Vec<u32>) {
    let Span { mut file, start, .. } = place;
    let mut starts = vec![start];
    // Files are loaded behind those that include them, so this ends.
    while let Some(include) = sources.file(file).and_then(|of| of.included_from()).map(|span| sources.use_site(span)) {
        starts.push(include.start);
        file = include.file;
    }
    starts.reverse();
    (sources.files().position(|(id, _)| id == file), starts)
}

/// Where the declaration behind a slot is in the source.
fn place_of(slot: &Slot, sources: &Sources) -> Option<Span> {
    let span = slot.before;
    (span != Span::default() && !span.file.is_library()).then(|| sources.use_site(span))
}

/// Where the declarations of a text are in the source.
struct Declared {
    /// Of each slot that of the declaration behind it.
    places: Vec<Option<Span>>,
    /// The slots by these places.
    slots: BTreeMap<(FileId, u32), usize>,
}

impl Declared {
    fn of(slots: &[Slot], sources: &Sources) -> Declared {
        let places: Vec<Option<Span>> = slots.iter().map(|slot| place_of(slot, sources)).collect();
        let mut slots = BTreeMap::new();
        let known = places.iter().enumerate().filter_map(|(slot, place)| Some((slot, (*place)?)));
        for (slot, Span { file, start, .. }) in known {
            slots.entry((file, start)).or_insert(slot);
        }
        Declared { places, slots }
    }
}

/// The slot before what follows a place in the source.
fn following(place: Span, declared: &Declared, sources: &Sources) -> Option<usize> {
    let mut place = place;
    loop {
        let Span { file, start, .. } = place;
        if let Some((_, slot)) = declared.slots.range((file, start)..=(file, u32::MAX)).next() {
            return Some(first_of_run(*slot, place, &declared.places));
        }
        let of = sources.file(file)?;
        match of.included_from() {
            // Files are loaded behind those that include them, so this ends.
            Some(include) => place = sources.use_site(include),
            // The definitions of the command line come before everything.
            None => return of.name.starts_with('<').then_some(0),
        }
    }
}

/// The first slot of those up to one that have nothing but followers of a place between them: what a function receives and returns
/// may be declared before it.
fn first_of_run(slot: usize, place: Span, places: &[Option<Span>]) -> usize {
    let follows = |of: Span| of.file == place.file && of.start >= place.start;
    let known = places.iter().enumerate().take(slot).rev().filter_map(|(slot, of)| Some((slot, (*of)?)));
    known.take_while(|(_, of)| follows(*of)).last().map_or(slot, |(slot, _)| slot)
}

/// The slots before the first uses of the macros in a text.
fn first_uses<'t>(text: &'t str, slots: &[Slot]) -> FxHashMap<&'t str, usize> {
    let mut uses = FxHashMap::default();
    for (at, name) in marked_names(text) {
        let slot = slots.partition_point(|slot| slot.at <= at).saturating_sub(1);
        uses.entry(name).or_insert(slot);
    }
    uses
}
