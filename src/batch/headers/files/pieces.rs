//! A struct in a header: its members, and the functions that programs have in it, in the order of the source.
//!
//! Before: `struct S { float x; float f() {...} };` in one text, `struct S { float x; float g() {...} };` in another
//! After:  `struct S { float x; float f() {...} float g() {...} };`

use super::TreeFiles;
use crate::batch::headers::units::TextUnit;
use std::ops::Range;

/// Parts of flat texts.
pub(super) struct StructPieces {
    /// Each with the number of its text, in their order: the head, members and the end.
    pub ranges: Vec<(usize, Range<usize>)>,
    /// Whether each stands apart from the one before it.
    apart: Vec<bool>,
    /// The comments before the head.
    comments: Range<usize>,
}

impl StructPieces {
    /// The pieces as one text.
    pub fn text(&self, texts: &[&str]) -> String {
        let mut whole = String::new();
        let part = |number: usize, range: &Range<usize>| texts.get(number)?.get(range.clone());
        if let Some((number, _)) = self.ranges.first() {
            whole.push_str(part(*number, &self.comments).unwrap_or_default());
        }
        for ((number, range), is_apart) in self.ranges.iter().zip(&self.apart) {
            whole.push_str(if *is_apart { "\n" } else { "" });
            whole.push_str(part(*number, range).unwrap_or_default());
        }
        whole
    }
}

impl TreeFiles<'_> {
    /// The flat texts, by their numbers.
    pub(super) fn flat_texts(&self) -> Vec<&str> {
        self.flat.iter().map(|flat| flat.read.text.as_str()).collect()
    }

    /// The pieces of a struct in a header, if it has members that its own text does not have there.
    pub(super) fn pieces(&self, id: usize) -> Option<StructPieces> {
        let (text, at) = self.sharing.unit(id)?.at;
        let flat = self.flat.get(text)?;
        let unit = &flat.read.units.get(at)?.0;
        let body = unit.body.as_ref()?;
        let members = self.sharing.members(id);
        let is_own = |member: &usize| self.sharing.unit(*member).is_some_and(|shared| shared.at.0 == text);
        let own = flat.read.units.iter().filter(|(unit, _)| unit.member.as_ref().is_some_and(|m| m.of == at)).count();
        if members.iter().all(is_own) && members.len() == own {
            return None;
        }
        let mut made = StructPieces {
            ranges: vec![(text, unit.code.start..body.lines.start)],
            apart: vec![false],
            comments: unit.range.start..unit.code.start,
        };
        let placed = members.iter().filter_map(|id| Some((self.sharing.unit(*id)?.at.0, self.unit(*id)?.1)));
        let placed: Vec<(usize, &TextUnit)> = placed.collect();
        let mut is_behind_function = false;
        let mut before: Option<&Range<usize>> = None;
        for (number, field) in body.fields.iter().map(Some).chain([None]).enumerate() {
            let here = placed.iter().filter(|(_, unit)| unit.member.as_ref().is_some_and(|m| m.behind == number));
            for (text, unit) in here {
                let is_function = unit.tokens.last().is_some_and(|token| token == "}");
                let is_first = made.ranges.len() == 1;
                made.apart.push(!is_first && (is_function || is_behind_function));
                made.ranges.push((*text, self.whole_lines(*text, unit)));
                is_behind_function = is_function;
                before = None;
            }
            let Some(field) = field else { continue };
            let gap = before.and_then(|before| flat.read.text.get(before.end..field.start));
            made.apart.push(is_behind_function || gap.is_some_and(|gap| gap.contains('\n')));
            made.ranges.push((text, field.clone()));
            (is_behind_function, before) = (false, Some(field));
        }
        // Comments behind the last member.
        let last = flat.read.units.iter().filter(|(unit, _)| unit.member.as_ref().is_some_and(|m| m.of == at));
        let ends =
            last.map(|(unit, _)| self.whole_lines(text, unit).end).chain(body.fields.last().map(|field| field.end));
        let end = ends.max().unwrap_or(body.lines.start);
        let rest = flat.read.text.get(end..body.lines.end)?;
        let end = if rest.trim().is_empty() { body.lines.end } else { end };
        made.apart.push(false);
        made.ranges.push((text, end..unit.range.end));
        Some(made)
    }

    /// The lines of a unit in a struct.
    fn whole_lines(&self, text: usize, unit: &TextUnit) -> Range<usize> {
        let flat = self.flat.get(text).map_or("", |flat| flat.read.text.as_str());
        let start = flat.get(..unit.range.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let behind = flat.get(unit.range.end..).and_then(|rest| rest.find('\n'));
        start..behind.map_or(flat.len(), |at| unit.range.end + at + 1)
    }
}
