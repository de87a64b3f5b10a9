//! The table of passes holds together.

use super::PASSES;
use super::needs::{NATIVE, scalar_need};
use crate::target::{Capability, Profile};
use crate::tree::Scalar;

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
            let ever = PASSES.iter().any(|p| p.removes(*capability));
            let removed = from.iter().any(|p| p.removes(*capability));
            let had = |p: &Profile| p.has(*capability) || pass.removes.iter().all(|(c, _)| p.has(*c));
            let needless = Profile::all().iter().all(had);
            assert!(removed || !ever || needless, "nothing removes {capability:?}, which `{}` adds", pass.name);
        }
        assert!(pass.always.is_some() || pass.removes.len() + pass.lessens.len() > 0, "`{}` never runs", pass.name);
    }
}

/// What every profile has tells nothing.
#[test]
fn capabilities_tell_profiles_apart() {
    for capability in Capability::ALL {
        let lacked = Profile::all().iter().any(|p| !p.has(*capability));
        assert!(lacked, "every profile has {capability:?}");
    }
}

/// What a pass takes some of away is found by another pass or without one, or is a kind of number.
#[test]
fn needs_that_are_lessened_are_found() {
    for pass in PASSES {
        for capability in pass.lessens {
            let number = SCALARS.iter().any(|s| scalar_need(*s) == Some(*capability));
            let alone = NATIVE.iter().any(|(native, _)| native == capability);
            let found = number || alone || PASSES.iter().any(|p| p.removes(*capability));
            assert!(found, "nothing finds {capability:?}, which `{}` lessens", pass.name);
        }
    }
}

const SCALARS: &[Scalar] = &[Scalar::F64, Scalar::I64, Scalar::I16, Scalar::I8];
