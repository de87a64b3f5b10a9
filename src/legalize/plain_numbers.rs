//! Numbers in attributes are written as such where the target takes no names for them, or has no such attributes.
//!
//! Before: `static const uint ROWS = 4;   [numthreads(8, ROWS, 1)] void main() {}`
//! After:  `[numthreads(8, 4, 1)] void main() {}`
//!
//! What names nothing keeps no constant.

use super::needs::Find;
use super::{Context, Pass};
use crate::source::Span;
use crate::target::{Capability, Profile};
use crate::tree::{Function, NumberOf, Program};
use std::sync::Arc;

pub(super) const PASS: Pass = Pass {
    name: "plain_numbers",
    removes: &[
        (Capability::NamedGroupSizes, Find::Function(|p, f| has_name(p, f, NumberOf::Group))),
        (Capability::NamedArguments, Find::Function(|p, f| has_name(p, f, NumberOf::Attribute))),
    ],
    run,
    ..Pass::ROW
};

fn run(cx: &mut Context) {
    let mut plain: Vec<Span> = Vec::new();
    for (_, function) in cx.program.functions.iter() {
        cx.program.each_number(function, &function.code, &mut |of, place, _| {
            if !takes_names(cx.profile, of) {
                plain.push(place.0);
            }
        });
    }
    let numbers = Arc::make_mut(&mut cx.program.written_numbers);
    plain.into_iter().for_each(|name| numbers.forget_names(name));
}

/// Whether a target takes names in such numbers.
fn takes_names(profile: &Profile, of: NumberOf) -> bool {
    profile.has(match of {
        NumberOf::Group => Capability::NamedGroupSizes,
        NumberOf::Attribute => Capability::NamedArguments,
    })
}

/// Whether a number of a function is written with the name of a constant or of a case of an enum.
fn has_name(program: &Program, function: &Function, wanted: NumberOf) -> bool {
    let mut found = false;
    if program.written_numbers.has_names() {
        program.each_number(function, &function.code, &mut |of, place, number| {
            found |= of == wanted && program.written_numbers.is_named(place, number);
        });
    }
    found
}
