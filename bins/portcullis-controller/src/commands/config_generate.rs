//! `config generate`: the file and the certificates of a network that stays.

mod answers;
mod own_pki;
mod questions;
mod summary;

use crate::cli::ConfigGenerateArgs;
use crate::{home, output, signals};
use answers::Answers;
use anyhow::{Context as _, ensure};
use tokio_util::sync::CancellationToken;

pub(super) async fn run(arguments: ConfigGenerateArgs) -> anyhow::Result<()> {
    // A signal must not cut the program short while files are put in place.
    let stop = signals::listen_as_command()?;
    let answers = tokio::select! {
        answers = questions::ask(&arguments) => answers?,
        () = stop.cancelled() => return stopped(&stop),
    };
    let work = move || create(&answers, &arguments, &stop);
    let summary = tokio::task::spawn_blocking(work).await;
    output::print_line(summary.context("the files could not be created")??);
    Ok(())
}

/// Creates the files and returns what is said about them.
fn create(
    answers: &Answers,
    arguments: &ConfigGenerateArgs,
    stop: &CancellationToken,
) -> anyhow::Result<String> {
    if let Some(paths) = own_pki::paths(&arguments.own_pki)? {
        let config = own_pki::write(answers, paths)?;
        return Ok(summary::of_file(&config));
    }
    let plan = answers.network_plan(arguments)?;
    let created = home::create_network(&plan, &portcullis_system::env(), || stopped(stop))?;
    Ok(summary::of_network(&created))
}

/// Ends the command if it was stopped before anything was put in place.
fn stopped(stop: &CancellationToken) -> anyhow::Result<()> {
    ensure!(!stop.is_cancelled(), "stopped before anything was created");
    Ok(())
}
