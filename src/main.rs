//! The `shaderport` program.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    shaderport::run_command_line()
}
