//! The threads of asynchronous commands.

use anyhow::Context as _;
use std::process::ExitCode;
use std::time::Duration;

/// How long an idle blocking thread is kept. Threads take turns, so with a longer time a few requests
/// per second would keep the maximum number of threads ever used, and their memory.
const BLOCKING_THREAD_KEEP_ALIVE: Duration = Duration::from_secs(1);

/// Runs an asynchronous command to completion, with at most so many threads for blocking work; further work
/// waits for a thread. Tasks that are still running then are abandoned.
pub fn block_on(
    max_blocking_threads: usize,
    command: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("worker")
        .max_blocking_threads(max_blocking_threads)
        .thread_keep_alive(BLOCKING_THREAD_KEEP_ALIVE)
        .build()
        .context("the runtime threads could not be started")?;
    let outcome = runtime.block_on(command);
    runtime.shutdown_background();
    outcome.map(|()| ExitCode::SUCCESS)
}
