//! The table of passes holds together.

use super::PASSES;
use crate::target::{Capability, Profile};

/// The order of the table is the one that its rows ask for.
#[test]
fn passes_stand_after_those_they_rely_on() {
    for (at, pass) in PASSES.iter().enumerate() {
        let (before, from) = PASSES.split_at(at);
        for name in pass.after {
            let found = match *name {
                "*" => from.len() == 1,
                name => before.iter().any(|p| p.name == name),
            };
            assert!(found, "`{}` does not stand after `{name}`", pass.name);
        }
        for capability in pass.adds.iter().filter(|_| pass.adds.len() < Capability::ALL.len()) {
            // What no pass removes is an error wherever it comes from.
            let ever = PASSES.iter().any(|p| p.removes.contains(capability));
            let removed = from.iter().any(|p| p.removes.contains(capability));
            let had = |p: &Profile| p.has(*capability) || pass.removes.iter().all(|c| p.has(*c));
            let needless = Profile::all().iter().all(had);
            assert!(removed || !ever || needless, "nothing removes {capability:?}, which `{}` adds", pass.name);
        }
        assert!(pass.always.is_some() || pass.removes.len() + pass.lessens.len() > 0, "`{}` never runs", pass.name);
    }
}
