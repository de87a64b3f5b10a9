//! `measure REPEAT PROGRAM ARGUMENTS...`: runs a command and prints what it costs, as JSON.
//!
//! A program of its own, because of how peak memory is counted: for all children of a process together, so each measurement
//! needs a process; and from what the process had before it became the command, so that process has to be small.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a development tool")]

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [repeat, program, arguments @ ..] = arguments.as_slice() else { return ExitCode::from(2) };
    let repeat = repeat.to_str().and_then(|n| n.parse().ok()).unwrap_or(1).max(1);
    match measure(repeat, Command::new(program).args(arguments)) {
        Ok(cost) => println!("{cost}"),
        Err(message) => {
            eprintln!("{}: {message}", program.to_string_lossy());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn measure(repeat: u32, command: &mut Command) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let (mut times, mut ok) = (Vec::new(), true);
    for _ in 0..repeat {
        let started = Instant::now();
        ok &= command.status().map_err(|e| e.to_string())?.success();
        times.push(started.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let seconds = times.get(times.len() / 2).copied().unwrap_or(0.0);
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| e.to_string())?;
    let (cpu, kibibytes) = (cpu_seconds(&usage) / f64::from(repeat), usage.max_rss());
    Ok(format!("{{\"seconds\":{seconds},\"cpu_seconds\":{cpu},\"kibibytes\":{kibibytes},\"ok\":{ok}}}"))
}

fn cpu_seconds(usage: &Usage) -> f64 {
    (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
}
