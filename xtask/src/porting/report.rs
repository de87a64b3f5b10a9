//! The tables.

use super::Row;
use super::measure::{MEASURES, Measured};
use shaderport::Target;

/// How many lost names of an output are printed.
const SHOWN: usize = 12;

/// Prints a table for each target, and the outputs that lose most. The peer may compile no entry point: its texts are counted.
pub fn print(rows: &[Row], worst: usize, with_peer: bool) {
    for target in [Target::Hlsl, Target::Glsl, Target::Wgsl] {
        let of_target: Vec<&Row> = rows.iter().filter(|row| row.target == target).collect();
        if !of_target.is_empty() {
            print_target(target, &of_target, with_peer);
            print_worst(&of_target, worst);
        }
    }
}

fn print_target(target: Target, rows: &[&Row], with_peer: bool) {
    let mut ours = Measured::default();
    rows.iter().for_each(|row| ours.add(&row.ours));
    let peers: Vec<&Measured> = rows.iter().flat_map(|row| &row.peer).collect();
    let mut peer = Measured::default();
    peers.iter().for_each(|other| peer.add(other));
    let (matched, all) = ours.matched;
    println!("\n{}: {} outputs, {matched} of {all} live declarations are in them", target.name(), rows.len());
    let column = |text: String| if with_peer { text } else { String::new() };
    println!("{:42} {:>26}{}", "", "shaderport", column(format!(" {:>26}", format!("slangc ({} texts)", peers.len()))));
    for (at, name) in MEASURES.iter().enumerate() {
        println!("{name:42} {:>26}{}", value(at, &ours), column(format!(" {:>26}", value(at, &peer))));
    }
    let ratio = |m: &Measured| format!("{:.2}", m.lines as f64 / m.source_lines.max(1) as f64);
    println!(
        "{:42} {:>26}{}",
        "lines for each line of the source",
        ratio(&ours),
        column(format!(" {:>26}", ratio(&peer)))
    );
    let by_hand: Vec<(usize, usize)> = rows.iter().filter_map(|row| Some((row.ours.lines, row.hand?))).collect();
    if !by_hand.is_empty() {
        let (own, hand) = by_hand.iter().fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        let text = format!("{:.2} ({} texts)", own as f64 / hand.max(1) as f64, by_hand.len());
        println!("{:42} {text:>26}", "lines for each line written by hand");
    }
}

/// A measure as it is printed.
fn value(at: usize, of: &Measured) -> String {
    let count = of.counts()[at];
    let lost = count.all - count.good;
    let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    match MEASURES[at] {
        "new identifiers per 100 lines" | "of these invented" | "of these samplers of combined textures" => {
            format!("{:.2} ({lost})", share(lost, of.lines))
        }
        "moved declarations" => format!("{:.2}% ({lost})", share(lost, count.all)),
        "lines over 120 columns" => {
            let own = share(of.source_columns.0, of.source_columns.1);
            format!("{:.2}% (source {own:.2}%)", share(lost, count.all))
        }
        _ if count.all == 0 => "none".to_owned(),
        _ => format!("{:.2}% ({} of {})", share(count.good, count.all), count.good, count.all),
    }
}

fn print_worst(rows: &[&Row], worst: usize) {
    for (at, name) in MEASURES.iter().enumerate() {
        let lost = |row: &&&Row| row.ours.counts()[at].lost.len();
        let mut sorted: Vec<&&Row> = rows.iter().filter(|row| lost(row) > 0).collect();
        sorted.sort_by_key(|row| std::cmp::Reverse(lost(row)));
        if worst > 0 && !sorted.is_empty() {
            println!("\n{} worst: {name}", rows[0].target.name());
        }
        for row in sorted.iter().take(worst) {
            let count = row.ours.counts()[at];
            let shown: Vec<&str> = count.lost.iter().take(SHOWN).map(String::as_str).collect();
            let more = count.lost.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            println!("  {}: {} of {}: {}{more}", row.label, count.lost.len(), count.all, shown.join("; "));
        }
    }
}
