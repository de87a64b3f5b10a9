//! The `shaderport` program.
#![forbid(unsafe_code)]

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    shaderport::run_command_line()
}
