//! The `shaderport` program; see [`shaderport::cli`].
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    shaderport::cli::run()
}
