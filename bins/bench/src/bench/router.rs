//! What two routers with a link between them carry, beside a relay that does nothing else.
//!
//! ```text
//! client -- TCP --> entry == TLS ==> exit -- TCP --> server
//! ```
//!
//! Entry and exit are routers, of which the first has a `proxy` listener and the second dials; or bare
//! relays, which have a TLS connection for each stream. All of it shares the processors.

mod bad_line;
pub(super) mod between;
pub(super) mod dials;
mod distance;
pub(super) mod founding;
pub(super) mod held;
mod held_by_sdks;
mod line;
pub(super) mod network;
pub(super) mod ports;
pub(super) mod program;
pub(super) mod relay;
pub(super) mod round_trips;
pub(super) mod server;
pub(super) mod streams;
pub(super) mod way;

pub(super) use program::RouterProgram;
pub(super) use relay::{Hop, serve};

use super::plan::say;
use super::report::{Figure, Report, Target, Unit};
use super::scale::Scale;
use crate::testbed::controller::Program;
use crate::testbed::statistics::float;
use between::Between;
use network::{Binding, Network, Site};
use relay::Relays;
use server::Server;
use std::path::Path;
use std::time::Duration;

const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// Numbers of streams whose throughput is measured.
const STREAMS: [u8; 5] = [1, 2, 4, 8, 16];

const HELD: &str = "memory, each circuit to a server, both routers";

/// What is measured: the routers, and others beside them if there are any.
#[derive(Debug, Clone, Copy)]
pub(super) struct Routers<'p> {
    pub(super) ours: &'p RouterProgram,
    pub(super) other: Option<&'p RouterProgram>,
}

/// Measures all of it.
pub(super) async fn measure(
    controller: &Path,
    routers: Routers<'_>,
    scratch: &Path,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let server = Server::start().await?;
    let relays = Relays::start(scratch, server.address(), Between::Nothing).await?;
    let program = Program::new(controller, scratch, "routers");
    let site = Site {
        directory: scratch,
        server: server.address(),
        between: Between::Nothing,
        binding: Binding::Proxy,
    };
    let network = Network::start(&program, routers.ours, site).await?;
    start_and_memory(&network, report).await?;
    let other = match routers.other {
        Some(other) => {
            let program = Program::new(controller, scratch, "other-routers");
            Some(Network::start(&program, other, site).await?)
        },
        None => None,
    };
    let ways = way::Ways {
        prefix: "",
        ours: network.way(),
        relays: relays.way(),
        others: other.as_ref().map(Network::way),
        is_judged: true,
    };
    say("throughput of routers")?;
    streams::measure(&server, &ways, &STREAMS, scale, report).await?;
    say("round trips through routers")?;
    round_trips::measure(&ways, scale, report).await?;
    say("dials through routers")?;
    dials::measure(&ways, scale, report).await?;
    say("idle circuits at routers")?;
    held::measure(&ways, HELD, scale, report).await?;
    say("idle circuits between SDKs")?;
    held_by_sdks::measure(&network, scale, report).await?;
    if let Some(other) = other {
        other.stop().await?;
    }
    network.stop().await?;
    drop(relays);
    distance::measure(controller, routers, scratch, &server, scale, report).await?;
    bad_line::measure(controller, routers, scratch, &server, scale, report).await
}

async fn start_and_memory(network: &Network, report: &mut Report) -> anyhow::Result<()> {
    let online = network.online.as_secs_f64() * 1e3;
    let figure = Figure::new("router, start to online", online, Unit::Milliseconds);
    report.add(figure.target(Target::Below(200.0)));
    let process = network.entry();
    tokio::time::sleep(Duration::from_secs(1)).await;
    process.calm().await?;
    let resident = float(process.resident()?) / MEBIBYTE;
    let figure = Figure::new("router, memory idle", resident, Unit::Mebibytes);
    report.add(figure.target(Target::Below(15.0)));
    Ok(())
}
