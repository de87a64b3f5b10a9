//! The command line: options to calls of the library, results to text and exit codes.
//!
//! Exit codes: 0 done, 1 errors in the input, 2 wrong usage (also clap's own), 3 internal fault, 130 interrupted.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "an outer layer: it is the program")]

mod action;
mod arguments;
mod build;
mod cache;
mod check;
mod compile;
mod depfile;
mod diff;
mod differences;
mod foreign;
mod forward;
mod host;
mod interrupt;
mod lock;
mod maps;
mod messages;
mod options;
mod pages;
mod plan;
mod port;
mod remote;
mod stdin;
mod trace;
mod tree;
mod usage;
mod validate;
mod watch;

use crate::batch::Fate;
use crate::diagnostic::Code;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Ports Slang and HLSL shaders to readable, legal HLSL, GLSL and WGSL.
#[derive(Parser, Debug)]
#[command(
    version,
    about,
    max_term_width = 100,
    after_help = "An argument @FILE stands for the lines of a file, an argument each."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Convert a tree of shaders, or all that a `shaderport.toml` names.
    Build(build::BuildArgs),
    /// Port a tree by the build description that it has, with a report; or merge what is new in it into an edited port.
    Port(port::PortArgs),
    /// Write the actions of a build, for Ninja, Bazel or another program to run.
    Plan(plan::PlanArgs),
    /// Tell where a place of an output comes from, by its source map: through macros, includes and passes.
    Trace(trace::TraceArgs),
    /// Check texts that were written before with other compilers: naga in process, and DXC, glslang, spirv-val, tint where found.
    Validate(validate::ValidateArgs),
    /// Compile one program from one or several files.
    Compile(Box<compile::CompileArgs>),
    /// Report what is wrong with a program or a tree, and write nothing.
    Check(check::CheckArgs),
    /// Show the bindings and layouts of a program.
    Reflect(compile::ReflectArgs),
    /// Compare two sidecars as interfaces; exit code 1 when something that both have has moved.
    Diff(diff::DiffArgs),
    /// Show or clean the cache that builds share.
    Cache(cache::CacheArgs),
    /// Explain an error code, a rule or a page of the guide, or the position of a parameter.
    Explain(compile::ExplainArgs),
    /// Print a script that completes the command line in a shell.
    Completions(pages::CompletionsArgs),
    /// Print the manual page of the program or of a command, for `man`.
    Man(pages::ManArgs),
}

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All is done.
    Done,
    /// The input has errors, or a validator refused what was emitted.
    InputErrors,
    /// Options do not fit.
    Usage,
    /// A fault of ours.
    Internal,
    /// The user has ended it.
    Interrupted,
}

impl From<Fate> for Outcome {
    fn from(fate: Fate) -> Outcome {
        match fate {
            Fate::Done | Fate::Library => Outcome::Done,
            Fate::Failed => Outcome::InputErrors,
            Fate::Misused => Outcome::Usage,
            Fate::Internal => Outcome::Internal,
        }
    }
}

impl Outcome {
    /// How a command ends that a fault of this code ends.
    fn of_fault(code: Code) -> Outcome {
        match code {
            Code::BAD_OPTION => Outcome::Usage,
            Code::INTERNAL => Outcome::Internal,
            _ => Outcome::InputErrors,
        }
    }

    /// The exit code.
    pub fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Outcome::Done => 0,
            Outcome::InputErrors => 1,
            Outcome::Usage => 2,
            Outcome::Internal => 3,
            Outcome::Interrupted => interrupt::CODE,
        })
    }

    /// The worse of two.
    pub fn and(self, other: Outcome) -> Outcome {
        if other as u8 > self as u8 { other } else { self }
    }
}

/// Whether texts on the standard error have colors: it is a terminal, and nobody has asked for none (no-color.org).
fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes to the standard error. That its reader went away is no fault, and there is nobody to tell.
fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes to the standard output. That its reader went away is no fault of the input.
fn show(text: &str) -> Outcome {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            say(&format!("error[{}]: cannot write to the standard output: {e}\n", Code::OUTPUT));
            Outcome::InputErrors
        }
        _ => Outcome::Done,
    }
}

/// Runs the program.
pub fn run() -> ExitCode {
    let arguments = match arguments::arguments(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(text) => return usage::unread(&text, &std::env::args_os().collect::<Vec<_>>()).code(),
    };
    let parsed = Cli::command().try_get_matches_from(arguments.iter().cloned().map(depfile::spelled));
    let parsed = parsed.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(fault) => return usage::report(&fault, &arguments).code(),
    };
    let given = matches.subcommand().map(|(_, given)| given);
    let outcome = match cli.command {
        Command::Build(args) => build::build(&args, &forward::Given::of("build", given)),
        Command::Port(args) => port::port(&args),
        Command::Plan(args) => plan::plan(&args, &forward::Given::of("plan", given)),
        Command::Trace(args) => trace::trace(&args),
        Command::Validate(args) => validate::validate(&args),
        Command::Compile(args) => compile::compile(*args),
        Command::Check(args) => check::check(&args),
        Command::Reflect(args) => compile::reflect(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Cache(args) => cache::cache(&args),
        Command::Explain(args) => compile::explain(&args),
        Command::Completions(args) => pages::completions(&args),
        Command::Man(args) => pages::man(&args),
    };
    outcome.code()
}
