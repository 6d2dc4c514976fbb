//! Speed and size of the programs in release form, beside what the machine can do at all.
//!
//! A figure alone says as much about the machine as about the program. Most are therefore measured
//! beside a bare rate, taken in turns with it: handshakes of a server that does nothing else,
//! password hashes without a login around them, commits of the engine without requests. Everything
//! goes over loopback, on the same cores that the load itself is made on.
//!
//! One file per noun; [`plan`] has the order.

mod allocations;
mod baseline;
mod codes;
mod creates;
mod crowd;
mod current_identity;
mod enrollments;
mod fixture;
mod lists;
mod load;
mod logins;
mod memory;
mod network;
mod oidc;
mod password_refusals;
mod passwords;
mod peer;
mod plan;
mod refusals;
mod report;
mod router;
mod router_config;
mod scale;
mod seed;
mod services;
mod slow_readers;
mod starts;
mod tokens;
mod tunnel;
mod work;

use crate::testbed::build;
use anyhow::Context as _;
use clap::Args;
use plan::{Noun, Programs, wants};
use router::{RouterProgram, Routers};
use scale::Scale;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::runtime::Runtime;

/// What to measure, and where to.
#[derive(Debug, Clone, Args)]
pub(crate) struct Arguments {
    /// Measure for about eighty seconds instead of seven minutes; the figures are rough
    #[arg(long)]
    quick: bool,
    /// Measure this alone; can be given several times
    #[arg(long, value_enum, value_name = "NOUN")]
    only: Vec<Noun>,
    /// Also write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail if a target of the design is missed, once the figures are written
    #[arg(long)]
    strict: bool,
    /// Folder for the stores that are measured, removed at the end [default: beside the program]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Measure this program instead of building one
    #[arg(long, value_name = "FILE")]
    controller: Option<PathBuf>,
    /// Measure this command-line client [default: `portcullis` beside the controller]
    #[arg(long, value_name = "FILE", requires = "controller")]
    cli: Option<PathBuf>,
    /// Measure allocations in this program [default: `examples/counted` beside the controller]
    #[arg(long, value_name = "FILE", requires = "controller")]
    counted: Option<PathBuf>,
    /// Measure this router [default: `portcullis-router` beside the controller]
    #[arg(long, value_name = "FILE", requires = "controller")]
    router: Option<PathBuf>,
    /// Measure this tunneler [default: `portcullis-tunnel` beside the controller]
    #[arg(long, value_name = "FILE", requires = "controller")]
    tunnel: Option<PathBuf>,
    /// Measure the routers of OpenZiti beside it, which this `ziti` runs
    #[arg(long, value_name = "FILE")]
    ziti: Option<PathBuf>,
    /// Be one of the bare relays that routers are measured beside
    #[arg(long, hide = true, value_enum, requires_all = ["relay_next", "directory"])]
    relay: Option<router::Hop>,
    /// Where the relay leads
    #[arg(long, hide = true)]
    relay_next: Option<SocketAddr>,
    /// The address of this computer at which the relay is reached
    #[arg(long, hide = true, default_value_t = Ipv4Addr::LOCALHOST)]
    relay_host: Ipv4Addr,
    /// Measure what takes a network namespace, in the one that this process is in
    #[arg(long, hide = true, requires = "controller")]
    isolated: bool,
    /// Be the bare server that the controller is measured beside
    #[arg(long, hide = true, value_name = "DIR")]
    peer: Option<PathBuf>,
}

/// Measures and prints the figures; without a program to measure, builds it first.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(directory) = &arguments.peer {
        runtime()?.block_on(peer::serve(directory))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(hop), Some(next)) = (arguments.relay, arguments.relay_next) {
        let directory = arguments.directory.as_deref();
        let directory = directory.unwrap_or_else(|| Path::new("."));
        runtime()?.block_on(router::serve(directory, hop, arguments.relay_host, next))?;
        return Ok(ExitCode::SUCCESS);
    }
    let controller = match &arguments.controller {
        Some(controller) => controller.clone(),
        None => build::build(wants(&arguments.only, Noun::Allocations))?,
    };
    let scale = if arguments.quick {
        Scale::QUICK
    } else {
        Scale::FULL
    };
    let beside = controller.parent().unwrap_or_else(|| Path::new("."));
    let directory = arguments.directory.as_deref().unwrap_or(beside);
    let scratch = tempfile::Builder::new()
        .prefix("portcullis-bench-")
        .tempdir_in(directory)
        .with_context(|| format!("no folder can be made in {}", directory.display()))?;
    let (cli, counted) = (beside.join("portcullis"), beside.join("examples/counted"));
    let router = beside.join("portcullis-router");
    let tunnel = beside.join("portcullis-tunnel");
    let router = RouterProgram::ours(arguments.router.as_deref().unwrap_or(&router));
    let ziti = arguments.ziti.as_deref().map(RouterProgram::openziti);
    let programs = Programs {
        controller: &controller,
        counted: arguments.counted.as_deref().unwrap_or(&counted),
        cli: arguments.cli.as_deref().unwrap_or(&cli),
        routers: Routers {
            ours: &router,
            other: ziti.as_ref(),
        },
        tunnel: arguments.tunnel.as_deref().unwrap_or(&tunnel),
    };
    let report = if arguments.isolated {
        runtime()?.block_on(tunnel::isolated(programs, scratch.path(), scale))?
    } else {
        let measuring = plan::measure(programs, scratch.path(), scale, &arguments.only);
        let report = runtime()?.block_on(measuring)?;
        report.print()?;
        report
    };
    if let Some(file) = &arguments.json {
        report.write(file)?;
    }
    if arguments.strict {
        report.require_targets()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("no runtime can be started")
}
