//! What the program can be asked to do, one module per command.

mod admin;
mod audit;
mod config_check;
mod init;
mod password;
mod quickstart;
mod run;

use crate::cli::{Audit, Command, Config};
use crate::{build, output};
use anyhow::Context as _;
use std::process::ExitCode;
use std::time::Duration;

/// Most threads for work that blocks: the places where lists and posture are worked out (24), lookups of
/// host names (32), and what the program does for itself. Work beyond that waits for one of them.
const BLOCKING_THREADS: usize = 64;

/// How long such a thread waits for more work. They take turns, so with a longer time a few requests per
/// second would keep as many threads as there ever were, and their memory.
const BLOCKING_THREAD_IDLE: Duration = Duration::from_secs(1);

/// Does what the command line asks.
pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Quickstart(arguments) => in_runtime(quickstart::run(arguments)),
        Command::Init(arguments) => in_runtime(init::run(arguments)),
        Command::Run(arguments) => in_runtime(run::run(arguments)),
        Command::Admin(command) => in_runtime(admin::run(command)),
        Command::Audit(Audit::Verify(arguments)) => audit::verify(&arguments),
        Command::Config(Config::Check(arguments)) => config_check::run(&arguments),
        Command::Version => {
            output::say(format_args!(
                "portcullis-controller {} ({}), API level {}",
                build::VERSION,
                build::BUILD.revision,
                portcullis_http::routes::API_LEVEL,
            ));
            Ok(ExitCode::SUCCESS)
        },
    }
}

/// Runs an asynchronous command to its end. What is still running then is left behind.
fn in_runtime(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("worker")
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(BLOCKING_THREAD_IDLE)
        .build()
        .context("the threads of the program could not be started")?;
    let outcome = runtime.block_on(command);
    runtime.shutdown_background();
    outcome.map(|()| ExitCode::SUCCESS)
}
