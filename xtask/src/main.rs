//! Development tasks: `cargo xtask TASK`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a development tool")]

mod bench;
mod conformance;
mod dxc;
mod filling;
mod fuzz;
mod interpreter;
mod layout;
mod meaning;
mod opengl;
mod peers;
mod porting;
mod process;
#[path = "../../tests/random.rs"]
mod random;
mod readme;
mod trace;
mod words;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Development tasks of shaderport.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compile every entry point of a shader tree with shaderport and a peer, and judge what they emit.
    Conformance(conformance::Options),
    /// Compile mutants of sources, and judge what comes out.
    Fuzz(fuzz::Options),
    /// Time and memory of shaderport and slangc, as ratios.
    Bench(bench::Options),
    /// Install the peer compilers (slangc, DXC) from PyPI packages.
    Peers(peers::Options),
    /// Compare the layouts of recorded cases with ours.
    LayoutCases(layout::CasesOptions),
    /// Write recorded cases as pages that the tests compare.
    LayoutRecord(layout::RecordOptions),
    /// Compare the layouts of generated programs with ours.
    LayoutFuzz(layout::FuzzOptions),
    /// Compare the bytes that other tools find in emitted texts with those of the sidecar.
    LayoutReadback(layout::ReadbackOptions),
    /// Edit generated programs under a bindings lock: nothing that it records may move.
    LayoutLocks(layout::LocksOptions),
    /// Run generated programs through our texts and through the peers: they must mean the same.
    Meaning(meaning::Options),
    /// Compile and link the GLSL of a tree in Mesa, for each OpenGL profile.
    Opengl(opengl::Options),
    /// Measure how much of its sources the outputs of a tree still have: names, comments, macros, spellings, order.
    Porting(porting::Options),
    /// Write the generated parts of README.md and the guide.
    Readme(readme::Options),
    /// Put errors into the texts of a tree: source maps have to lead to the lines that they come from.
    Trace(trace::Options),
    /// Compile programs in which the words of the target languages are names, and judge what is emitted.
    Words(words::Options),
    /// Time the library in this process.
    #[command(hide = true)]
    MeasureInProcess(bench::InProcessOptions),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().task {
        Task::Conformance(options) => conformance::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Peers(options) => peers::run(&options),
        Task::LayoutCases(options) => layout::cases(&options),
        Task::LayoutRecord(options) => layout::record(&options),
        Task::LayoutFuzz(options) => layout::fuzz(&options),
        Task::LayoutReadback(options) => layout::readback(&options),
        Task::LayoutLocks(options) => layout::locks(&options),
        Task::Meaning(options) => meaning::run(&options),
        Task::Opengl(options) => opengl::run(&options),
        Task::Porting(options) => porting::run(&options),
        Task::Readme(options) => readme::run(&options),
        Task::Trace(options) => trace::run(&options),
        Task::Words(options) => words::run(&options),
        Task::MeasureInProcess(options) => bench::in_process(&options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
