//! Throughput over a line that loses packets.

use super::Routers;
use super::between::Between;
use super::server::Server;
use super::streams::{Carried, Turn, carry};
use crate::bench::plan::say;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::scale::Scale;
use portcullis_bad_line::{Mirror, Quality};
use std::path::Path;
use std::time::Duration;

const QUALITY: Quality = Quality {
    delay: Duration::from_millis(25),
    loss: 1,
    reorder: 0,
};

/// TCP meets its first losses.
const WARM_UP: Duration = Duration::from_secs(3);
/// Time in which some thousand packets get through, so that what chance loses evens out.
const LEAST_TIME: Duration = Duration::from_secs(8);
/// Longer than TCP waits for what is lost.
const QUIET: Duration = Duration::from_secs(2);

/// Measures one stream through the routers, whose link is one TCP connection, in turns with one through bare
/// relays, which is TCP itself.
pub(super) async fn measure(
    controller: &Path,
    routers: Routers<'_>,
    scratch: &Path,
    server: &Server,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let _mirror = match Mirror::start(QUALITY) {
        Ok(mirror) => mirror,
        Err(problem) => {
            say(&format!("no line that loses packets: {problem}"))?;
            return Ok(());
        },
    };
    say("throughput over a line that loses packets")?;
    let directory = scratch.join("bad-line");
    let starting = Between::BadLine.start(controller, routers.ours, &directory, server.address());
    let (network, relays) = starting.await?;
    let turn = Turn {
        warm_up: WARM_UP,
        time: scale.turn().time.max(LEAST_TIME),
        quiet: QUIET,
    };
    let (mut ours, mut bare) = <(Carried, Carried)>::default();
    for _ in 0..scale.turns {
        bare += carry(server, relays.way(), 1, turn).await?;
        ours += carry(server, network.way(), 1, turn).await?;
    }
    network.stop().await?;
    let figure = Figure::new(
        "1 stream, 50 ms away, 1 % lost",
        ours.rate(),
        Unit::MebibytesPerSecond,
    );
    let figure = figure.beside("bare relays", bare.rate());
    report.add(figure.target(Target::RatioAtLeast(0.5)));
    Ok(())
}
