//! Attacks of every known kind on one controller, beside honest clients that should not notice.
//!
//! Each attack comes from an address of its own in 127.0.0.0/8, so that the controller takes it for
//! another client, and goes on until the end whatever the controller does about it. Honest clients log
//! in, ask, list and create meanwhile. Before and after it they are alone: what they got then, and what
//! the controller took then, is what the rest is held against.

mod attack;
mod honest;
mod journal;
mod log;
mod sample;
mod scene;
mod table;
mod verdict;

use crate::testbed::build;
use crate::testbed::controller::Program;
use crate::testbed::request;
use anyhow::Context as _;
use attack::Attack;
use clap::Args;
use journal::Journal;
use log::Log;
use sample::{Phase, Sampler, Slice};
use scene::Scene;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// Shortest and longest slice of time that has a row of its own.
const SLICES: (Duration, Duration) = (Duration::from_secs(10), Duration::from_mins(1));
/// Slices of a run that is neither short nor long.
const COUNT: u32 = 12;
/// How long attackers are gone before the honest clients are watched again: all deadlines of
/// connections have passed by then.
const AFTERMATH: Duration = Duration::from_secs(80);

/// How long and what to attack.
#[derive(Debug, Clone, Args)]
pub(crate) struct Arguments {
    /// Minutes that the attacks last
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=10_080))]
    minutes: u32,
    /// Make this attack alone; can be given several times
    #[arg(long, value_enum, value_name = "ATTACK")]
    only: Vec<Attack>,
    /// Descriptors that the controller may open: the fewer, the sooner connections run out
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(256..))]
    descriptors: u32,
    /// Folder for the store, removed at the end [default: beside the program]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Attack this program instead of building one
    #[arg(long, value_name = "FILE")]
    controller: Option<PathBuf>,
}

/// Attacks and prints the tables; fails if a limit is not kept. Without a program, builds it first.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let controller = match &arguments.controller {
        Some(controller) => controller.clone(),
        None => build::build(false)?,
    };
    let beside = controller.parent().unwrap_or_else(|| Path::new("."));
    let directory = arguments.directory.as_deref().unwrap_or(beside);
    let scratch = tempfile::Builder::new()
        .prefix("portcullis-siege-")
        .tempdir_in(directory)
        .with_context(|| format!("no folder can be made in {}", directory.display()))?;
    let program = Program::new(&controller, scratch.path(), "home")
        .with_piped_log()
        .with_descriptors(arguments.descriptors);
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("no runtime can be started")?
        .block_on(besiege(&program, arguments))
}

async fn besiege(program: &Program, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut controller = program.start().await?;
    let log = Log::follow(controller.take_log().context("the log is not piped")?);
    let scene = Arc::new(Scene::prepare(&controller).await?);
    let journal = Arc::new(Journal::default());
    let clients = honest::begin(&scene, &journal);
    let sampler = Sampler::new(controller.process, &program.home, &log, &journal);
    let length = slice(Duration::from_mins(arguments.minutes.into()));
    let mut slices = vec![];

    // Nobody's first requests count.
    sleep(length / 2).await;
    sampler.discard();
    slices.push(sampler.watch(Phase::Before, length).await?);
    tell(&slices)?;
    let attacks = attack::begin(&arguments.only, &scene);
    let end = Instant::now() + Duration::from_mins(arguments.minutes.into());
    while Instant::now() + length / 2 < end {
        if Attack::StalledLog.is_wanted(&arguments.only) {
            log.stall(length / 3);
        }
        slices.push(sampler.watch(Phase::Siege, length).await?);
        tell(&slices)?;
    }
    let attackers = attacks.end().await;
    sleep_until(Instant::now() + AFTERMATH).await;
    sampler.discard();
    slices.push(sampler.watch(Phase::After, length).await?);
    tell(&slices)?;
    drop(clients);

    let verdict = verdict::judge(&slices, log.faults());
    table::print(&slices, &attackers, &verdict)?;
    controller.stop().await?;
    Ok(verdict.code())
}

/// The length of a slice of a run that lasts so long.
fn slice(whole: Duration) -> Duration {
    (whole / COUNT).clamp(SLICES.0, SLICES.1)
}

/// Says how the last slice went, where it is not taken for the result: a run may be long.
fn tell(slices: &[Slice]) -> std::io::Result<()> {
    slices.last().map_or(Ok(()), |slice| {
        writeln!(std::io::stderr(), "{}", slice.line())
    })
}

/// The path of the client API's description, the largest answer that everybody gets.
fn largest_answer() -> String {
    format!("{}/specs/edge-management/spec", request::MANAGEMENT)
}

/// The address of the `number`th attacker.
fn attackers_address(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, number.saturating_add(2))
}

/// The address of the `number`th honest client.
fn honest_address(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 1, number.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_neither_too_short_nor_too_long() {
        for (minutes, seconds) in [(1, 10), (4, 20), (60, 60)] {
            assert_eq!(slice(Duration::from_mins(minutes)).as_secs(), seconds);
        }
    }

    #[test]
    fn attackers_and_honest_clients_have_different_addresses() {
        for number in [0, 1, 40] {
            assert_ne!(attackers_address(number), honest_address(number));
            assert_ne!(attackers_address(number), Ipv4Addr::LOCALHOST);
        }
    }
}
