//! `completions` and `man`: what shells and readers of manuals want to know of the command line.

use super::{Cli, Outcome, say, show};
use crate::diagnostic::Code;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// `shaderport completions`.
pub fn completions(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    show(&String::from_utf8_lossy(&script))
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The command that the page is about, such as build; without it the program.
    command: Option<String>,
}

/// `shaderport man`.
pub fn man(args: &ManArgs) -> Outcome {
    let mut program = Cli::command();
    program.build();
    let found = match &args.command {
        None => Some(program),
        Some(name) => program.find_subcommand(name).cloned(),
    };
    let Some(command) = found else {
        let name = args.command.as_deref().unwrap_or_default();
        say(&format!("error[{}]: there is no command `{name}`; `shaderport help` lists them\n", Code::BAD_OPTION));
        return Outcome::Usage;
    };
    let mut page = Vec::new();
    match clap_mangen::Man::new(command).render(&mut page) {
        Ok(()) => show(&String::from_utf8_lossy(&page)),
        Err(e) => {
            say(&format!("error[{}]: cannot write the page: {e}\n", Code::OUTPUT));
            Outcome::InputErrors
        }
    }
}
