//! Makes a program that shows a fault smaller for as long as it shows the same one.

use super::judge::{Case, Fault, Runner, faults, source};
use super::routes::{Route, is_program};
use std::time::{Duration, Instant};

/// The smallest form found within a time.
pub fn reduced(runner: &mut Runner, case: &Case, fault: &Fault, limit: Duration) -> Case {
    let started = Instant::now();
    let routes = routes_for(runner, case, fault);
    let mut best = case.clone();
    // Only our own refusals are faults of programs that we do not take.
    let checked = !matches!(fault, Fault::Refused(..) | Fault::Crash(..));
    runner.quick = !matches!(fault, Fault::Illegal(..));
    // In the interpreter where it shows the fault: that is much faster.
    let before = std::mem::replace(&mut runner.on_device, false);
    runner.on_device = !shows(runner, case, fault, &routes);
    let mut progress = true;
    while progress && started.elapsed() <= limit {
        progress = false;
        // Edits are made anew after each one that worked; those before it did not work and are not tried again at once.
        let mut next = 0;
        loop {
            let edits = best.tree.edits();
            let Some(edit) = edits.get(next) else { break };
            if started.elapsed() > limit {
                break;
            }
            next += 1;
            let Some(tree) = best.tree.edited(edit) else { continue };
            let candidate = best.with_tree(tree);
            if checked && !is_program(&source(std::slice::from_ref(&candidate)), runner.settings) {
                continue;
            }
            if shows(runner, &candidate, fault, &routes) {
                best = candidate;
                next = next.saturating_sub(1);
                progress = true;
            }
        }
    }
    (runner.quick, runner.on_device) = (false, before);
    best
}

/// The routes that are needed to see the fault: those of it, and those that say what is right.
fn routes_for(runner: &mut Runner, case: &Case, fault: &Fault) -> Vec<Route> {
    let dialect = runner.settings.dialect;
    let peers = [Route::Dxc, Route::Slangc].into_iter().filter(|r| r.takes(dialect));
    let mut routes = fault.routes();
    match fault {
        Fault::Driver(_) | Fault::Peer(_) | Fault::PeerRefused(..) => routes.extend(Route::ALL),
        // One peer that takes the program is enough.
        Fault::Ours(_) | Fault::Undefined(_) | Fault::Refused(..) | Fault::Illegal(..) | Fault::Crash(..) => {
            let accepted = peers.into_iter().find(|r| runner.outcomes(*r, std::slice::from_ref(case))[0].is_ok());
            routes.extend(accepted);
        }
    }
    routes.retain(|r| r.takes(dialect));
    routes.sort();
    routes.dedup();
    routes
}

fn shows(runner: &mut Runner, case: &Case, fault: &Fault, routes: &[Route]) -> bool {
    let mut outcomes = Vec::new();
    for route in routes {
        outcomes.push((*route, runner.outcomes(*route, std::slice::from_ref(case)).remove(0)));
    }
    faults(runner, case, &outcomes).iter().any(|found| match (found, fault) {
        // Part of the routes is enough: a smaller program may be wrong in fewer ways.
        (Fault::Ours(found), Fault::Ours(wanted) | Fault::Undefined(wanted)) => {
            found.iter().any(|r| wanted.contains(r))
        }
        _ => found == fault,
    })
}
