//! Commands of the program.

mod enroll;
mod order;
mod run;

use crate::cli::{Cli, Command};
use crate::console::ConfigConsole;
use portcullis_program::block_on;
use portcullis_router_config_commands as router_config;
use portcullis_router_io::{BLOCKING_THREADS, Order};
use std::process::ExitCode;

/// Runs a command.
pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Enroll(arguments) => block_on(BLOCKING_THREADS, enroll::run(arguments)),
        Command::Run(arguments) => block_on(BLOCKING_THREADS, run::run(arguments)),
        Command::Quiesce(arguments) => order::run(Order::Quiesce, &arguments),
        Command::Dequiesce(arguments) => order::run(Order::Dequiesce, &arguments),
        Command::Renew(arguments) => order::run(Order::Renew, &arguments),
        Command::Decommission(arguments) => order::run(Order::Decommission, &arguments.router),
        Command::Config(arguments) => {
            let console = ConfigConsole::new(arguments.output);
            ConfigConsole::exit_code(router_config::run(&console, &arguments.command))
        },
        Command::About(command) => command.run::<Cli>(),
    }
}
