//! The diagnostics of the programs of a build as one list. Programs share headers, and what is wrong in one is said once,
//! with the number of programs that say it.
//!
//! ```text
//! common.hlsli:3:1: error[E0301]: `albdo` is not declared
//!   --> common.hlsli:3:1
//!   |
//! 3 | albdo
//!   | ^^^^^
//!   = in 296 programs: a.hlsl, b.hlsl, c.hlsl and 293 others
//! ```

use super::message::Programs;
use super::{Code, Message};
use rustc_hash::FxHashMap;

/// As many programs are named.
const NAMED: usize = 3;

/// What is the same in several programs: code, file with the first and the last byte, words.
type Same = (Option<Code>, Option<(String, usize, usize)>, String);

/// Collects the messages of programs, without their sources. The order is that in which programs are added: those that are
/// compiled in parallel are added in the order of the build.
#[derive(Debug, Default)]
pub struct Merged {
    list: Vec<Entry>,
    known: FxHashMap<Same, usize>,
}

#[derive(Debug)]
struct Entry {
    message: Message,
    programs: Programs,
    /// The program that said it last.
    last: String,
}

impl Merged {
    /// Adds what one program says ([`Message::of`]).
    pub fn add(&mut self, program: &str, messages: Vec<Message>) {
        messages.into_iter().for_each(|message| self.add_one(program, message));
    }

    fn add_one(&mut self, program: &str, message: Message) {
        let place = message.location.as_ref().map(|l| (l.file.clone(), l.byte_start, l.byte_end));
        let same = (message.code, place, message.message.clone());
        let Some(entry) = self.known.get(&same).and_then(|at| self.list.get_mut(*at)) else {
            self.known.insert(same, self.list.len());
            let programs = Programs { count: 1, first: vec![program.to_owned()] };
            self.list.push(Entry { message, programs, last: program.to_owned() });
            return;
        };
        // What is a warning in one program may be an error in another one.
        if message.severity > entry.message.severity {
            entry.message = message;
        }
        if entry.last != program {
            program.clone_into(&mut entry.last);
            entry.programs.count += 1;
            if entry.programs.first.len() < NAMED {
                entry.programs.first.push(program.to_owned());
            }
        }
    }

    /// The list.
    pub fn finish(self) -> Vec<Message> {
        let finished = |entry: Entry| {
            let mut message = entry.message;
            if entry.programs.count > 1 {
                message.add_note(&note(&entry.programs));
            }
            message.programs = Some(entry.programs);
            message
        };
        self.list.into_iter().map(finished).collect()
    }
}

fn note(programs: &Programs) -> String {
    let named = programs.first.join(", ");
    match programs.count - programs.first.len() {
        0 => format!("in {} programs: {named}", programs.count),
        1 => format!("in {} programs: {named} and 1 other", programs.count),
        others => format!("in {} programs: {named} and {others} others", programs.count),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Diagnostic, Severity};
    use super::*;
    use crate::source::{Sources, Span};
    use std::sync::Arc;

    fn add(merged: &mut Merged, program: &str, is_error: bool) {
        let mut sources = Sources::default();
        let own = sources.add(program, Arc::from("int x;\n"));
        let header = sources.add("common.hlsli", Arc::from("albdo\n"));
        sources.set_included_from(header, Span { file: own, start: 0, end: 3 });
        let make = if is_error { Diagnostic::error } else { Diagnostic::warning };
        let shared = make(Code::UNDECLARED, Span { file: header, start: 0, end: 5 }, "`albdo`".to_owned());
        let of_it = Diagnostic::error(Code::SYNTAX, Span { file: own, start: 0, end: 3 }, "int");
        merged.add(program, Message::of(&[shared, of_it], &sources, false));
    }

    #[test]
    fn what_programs_share_is_said_once() {
        let mut merged = Merged::default();
        ["a.hlsl", "b.hlsl", "c.hlsl", "d.hlsl", "e.hlsl"].iter().for_each(|program| add(&mut merged, program, true));
        let list = merged.finish();
        let shown: Vec<(&str, usize)> =
            list.iter().map(|m| (m.message.as_str(), m.programs.as_ref().map_or(0, |p| p.count))).collect();
        assert_eq!(shown, [("`albdo`", 5), ("int", 1), ("int", 1), ("int", 1), ("int", 1), ("int", 1)]);
        let note = "  = included from a.hlsl:1:1\n  = in 5 programs: a.hlsl, b.hlsl, c.hlsl and 2 others\n\n";
        assert!(list[0].rendered.ends_with(note), "{}", list[0].rendered);
        assert!(!list[1].rendered.contains("programs"), "{}", list[1].rendered);
    }

    #[test]
    fn the_worst_is_said() {
        let mut merged = Merged::default();
        add(&mut merged, "a.hlsl", false);
        add(&mut merged, "b.hlsl", true);
        add(&mut merged, "c.hlsl", false);
        let list = merged.finish();
        assert_eq!(list[0].severity, Severity::Error);
        assert!(list[0].rendered.contains("error[E0301]"), "{}", list[0].rendered);
        assert!(list[0].rendered.contains("in 3 programs: a.hlsl, b.hlsl, c.hlsl\n"), "{}", list[0].rendered);
    }
}
