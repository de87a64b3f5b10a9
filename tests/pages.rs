//! All tests that are pages or sources, a test each: `cargo test fixtures/array_bindings` runs one page, `cargo test peers/`
//! a kind. They are found when this program runs, so a new page needs no new build.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read pages and run programs")]
#![allow(clippy::iter_over_hash_type, reason = "nothing is written")]

mod decided;
mod errors;
mod fixtures;
mod page;
mod peer_leaves;
mod peer_options;
mod peer_rows;
mod peers;
#[allow(dead_code, reason = "running the program is for the tests that are functions")]
mod support;

use libtest_mimic::{Arguments, Trial, run};
use std::process::ExitCode;

/// Options of libtest that have a value.
const VALUED: &[&str] = &["--test-threads", "--logfile", "--skip", "--color", "--format", "-Z"];

/// The arguments of this program, and its filters: as in libtest there may be several, of which libtest-mimic knows one.
fn arguments() -> (Arguments, Vec<String>) {
    let (mut options, mut filters) = (Vec::new(), Vec::new());
    for argument in std::env::args() {
        let is_value = options.last().is_some_and(|last: &String| VALUED.contains(&last.as_str()));
        if options.is_empty() || is_value || argument.starts_with('-') {
            options.push(argument);
        } else {
            filters.push(argument);
        }
    }
    (Arguments::from_iter(options), filters)
}

fn main() -> ExitCode {
    let (arguments, filters) = arguments();
    let matches = |trial: &Trial, filter: &String| match arguments.exact {
        true => trial.name() == filter,
        false => trial.name().contains(filter.as_str()),
    };
    let trials = fixtures::trials().into_iter().chain(errors::trials()).chain(peers::trials());
    let chosen = trials.filter(|trial| filters.is_empty() || filters.iter().any(|filter| matches(trial, filter)));
    run(&arguments, chosen.collect()).exit_code()
}
