//! Commands of the program, one module each.

mod admin;
mod audit;
mod backup;
mod config_check;
mod config_explain;
mod config_generate;
mod config_schema;
mod config_show;
mod doctor;
mod fingerprint;
mod init;
mod password;
mod quickstart;
mod run;
mod summary_rows;

use crate::cli::{AuditCommand, Cli, Command, ConfigCommand};
use std::process::ExitCode;

/// Maximum number of threads for blocking work: lists and posture (24), lookups of host names (32), and
/// internal tasks. Further work waits for a thread.
const MAX_BLOCKING_THREADS: usize = 64;

/// The same with a router in the process.
const MAX_WITH_A_ROUTER: usize = MAX_BLOCKING_THREADS + portcullis_router_io::BLOCKING_THREADS;

/// Runs a command.
pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Quickstart(arguments) => {
            portcullis_program::block_on(MAX_WITH_A_ROUTER, quickstart::run(arguments))
        },
        Command::Init(arguments) => block_on(init::run(arguments)),
        Command::Run(arguments) => block_on(run::run(arguments)),
        Command::Admin(command) => block_on(admin::run(command)),
        Command::Audit(AuditCommand::Verify(arguments)) => audit::verify(&arguments),
        Command::Backup(command) => backup::run(&command),
        Command::Config(command) => run_config(command),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Fingerprint(arguments) => fingerprint::run(&arguments),
        Command::About(command) => command.run::<Cli>(),
    }
}

fn run_config(command: ConfigCommand) -> anyhow::Result<ExitCode> {
    match command {
        ConfigCommand::Generate(arguments) => block_on(config_generate::run(*arguments)),
        ConfigCommand::Check(arguments) => config_check::run(&arguments),
        ConfigCommand::Show(arguments) => config_show::run(&arguments),
        ConfigCommand::Explain(arguments) => config_explain::run(&arguments),
        ConfigCommand::Schema => config_schema::run(),
    }
}

/// Runs an asynchronous command to completion.
fn block_on(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<ExitCode> {
    portcullis_program::block_on(MAX_BLOCKING_THREADS, command)
}
