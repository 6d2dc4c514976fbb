//! Commands for a router that runs on this computer.

use crate::cli::OrderArgs;
use portcullis_program::output;
use portcullis_router_io::{Order, ask};
use std::process::ExitCode;

/// Asks the router for something, and shows what it says.
pub(super) fn run(order: Order, arguments: &OrderArgs) -> anyhow::Result<ExitCode> {
    let text = ask(&arguments.config, order)?;
    output::print_line(output::one_line(&text));
    Ok(ExitCode::SUCCESS)
}
