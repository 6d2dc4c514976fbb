//! What tunnelers carry for programs that know nothing of the network, beside relays that do nothing else.
//!
//! ```text
//! client -- TCP, UDP --> proxy == TLS ==> router == TLS ==> host -- TCP, UDP --> server
//! ```
//!
//! Tunnelers are programs of their own at both sides of one router, or parts of two routers with a link. Bare relays
//! are two processes: streams have TLS between them, datagrams have not. All of it shares the processors.

mod datagrams;
mod echo;
mod flow;
mod intercepts;
mod isolated;
mod names;
mod network;
mod program;

pub(super) use isolated::measure_here as isolated;

use super::plan::{Programs, say};
use super::report::{Figure, Report, Unit};
use super::router::between::Between;
use super::router::network::{self as routers, Binding, Site};
use super::router::relay::Relays;
use super::router::server::Server;
use super::router::way::Ways;
use super::router::{dials, held, round_trips, streams};
use super::scale::Scale;
use crate::testbed::controller::Program;
use crate::testbed::statistics::mebibytes;
use echo::Echo;
use network::{Network, Reach, Servers, Service};
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::time::sleep;

/// Time after which what a start needs only once was given back.
const CALM: Duration = Duration::from_secs(1);

const HELD: &str = "memory, each held stream, both tunnelers";

/// Measures all of it.
pub(super) async fn measure(
    programs: Programs<'_>,
    scratch: &Path,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let directory = scratch.join("tunnelers");
    fs::create_dir_all(&directory)?;
    let server = Server::start().await?;
    let echo = Echo::start().await?;
    let relays = Relays::start(&directory, server.address(), Between::Nothing).await?;
    Box::pin(of_programs(
        programs, &directory, &server, &echo, &relays, scale, report,
    ))
    .await?;
    Box::pin(of_routers(
        programs, scratch, &server, &relays, scale, report,
    ))
    .await?;
    say("names that are answered")?;
    names::measure(&echo, scale, report).await?;
    say("rules of services that are intercepted")?;
    intercepts::measure_decisions(report).await?;
    isolated::measure(programs, &directory, scale, report).await
}

/// Measures `portcullis-tunnel proxy` and `host`.
async fn of_programs(
    programs: Programs<'_>,
    directory: &Path,
    server: &Server,
    echo: &Echo,
    relays: &Relays,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    say("throughput of tunnelers")?;
    let servers = Servers {
        streams: server.address(),
        datagrams: echo.address(),
    };
    let network = Network::start(programs, directory, servers, Reach::Ports).await?;
    idle_memory(&network, report).await?;
    for (service, prefix) in [
        (Service::Plain, "tunneler, "),
        (Service::Encrypted, "tunneler, encrypted, "),
    ] {
        let ways = Ways::unjudged(prefix, network.way(service), relays.way());
        streams::measure(server, &ways, &[1, 8], scale, report).await?;
        round_trips::measure(&ways, scale, report).await?;
        dials::measure(&ways, scale, report).await?;
        held::measure(&ways, HELD, scale, report).await?;
    }
    say("datagrams through tunnelers")?;
    let bare = Relays::of_datagrams(directory, echo.address()).await?;
    let ways = Ways::unjudged("tunneler, ", network.way(Service::Datagrams), bare.way());
    datagrams::measure(&ways, scale, report).await?;
    network.stop().await
}

async fn idle_memory(network: &Network, report: &mut Report) -> anyhow::Result<()> {
    sleep(CALM).await;
    let [client, host] = network.way(Service::Plain).processes;
    for (name, process) in [
        ("tunneler, memory idle, proxy", client),
        ("tunneler, memory idle, host", host),
    ] {
        process.calm().await?;
        let resident = mebibytes(process.resident()?);
        report.add(Figure::new(name, resident, Unit::Mebibytes));
    }
    Ok(())
}

/// Measures the binding `tunnel` of two routers.
async fn of_routers(
    programs: Programs<'_>,
    scratch: &Path,
    server: &Server,
    relays: &Relays,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    say("throughput of routers' tunnelers")?;
    let directory = scratch.join("router-tunnelers");
    fs::create_dir_all(&directory)?;
    let program = Program::new(programs.controller, &directory, "controller");
    let site = Site {
        directory: &directory,
        server: server.address(),
        between: Between::Nothing,
        binding: Binding::Tunnel,
    };
    let network = routers::Network::start(&program, programs.routers.ours, site).await?;
    let ways = Ways::unjudged("routers' tunnelers, ", network.way(), relays.way());
    streams::measure(server, &ways, &[1, 8], scale, report).await?;
    round_trips::measure(&ways, scale, report).await?;
    dials::measure(&ways, scale, report).await?;
    network.stop().await
}
