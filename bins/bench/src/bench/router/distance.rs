//! Throughput where the routers are far from each other.

use super::Routers;
use super::between::Between;
use super::server::Server;
use super::streams::{Carried, QUIET, Turn, carry};
use super::way::Way;
use crate::bench::plan::say;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::scale::Scale;
use std::path::Path;
use std::time::Duration;

/// Windows have to grow, a round trip at a time.
const WARM_UP: Duration = Duration::from_secs(3);
/// Time in which each of sixteen streams carries some hundred payloads.
const LEAST_TIME: Duration = Duration::from_secs(2);

/// A distance, and the names of its figures.
struct Distance {
    /// One way.
    delay: Duration,
    single: &'static str,
    sum: &'static str,
    least: &'static str,
}

const DISTANCES: [Distance; 2] = [
    Distance {
        delay: Duration::from_millis(10),
        single: "1 stream, 20 ms and 24 MiB/s away",
        sum: "  least sum of 2 to 16, of one stream",
        least: "  share of the slowest of 2 to 16",
    },
    Distance {
        delay: Duration::from_millis(25),
        single: "1 stream, 50 ms and 24 MiB/s away",
        sum: "  least sum of 2 to 16, of one stream",
        least: "  share of the slowest of 2 to 16",
    },
];

/// What one and many streams carry over a line.
struct Outcome {
    single: f64,
    /// The least that 2 to 16 carry together, where one stream carries 1.
    sum: f64,
    least: f64,
}

/// Measures streams over each distance, and bare relays beside them.
pub(super) async fn measure(
    controller: &Path,
    routers: Routers<'_>,
    scratch: &Path,
    server: &Server,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    for distance in DISTANCES {
        say("throughput over a distance")?;
        let directory = scratch.join(format!("{}", distance.delay.as_millis()));
        let starting = Between::Distance(distance.delay).start(
            controller,
            routers.ours,
            &directory,
            server.address(),
        );
        let (network, relays) = starting.await?;
        let bare = over(server, relays.way(), scale).await?;
        let ours = over(server, network.way(), scale).await?;
        network.stop().await?;
        let figure = Figure::new(distance.single, ours.single, Unit::MebibytesPerSecond);
        let figure = figure.beside("bare relays", bare.single);
        report.add(figure.target(Target::RatioAtLeast(0.5)));
        let figure = Figure::new(distance.sum, ours.sum, Unit::Times);
        let figure = figure.beside("bare relays", bare.sum);
        report.add(figure.target(Target::AtLeast(0.97)));
        let figure = Figure::new(distance.least, ours.least, Unit::Times);
        let figure = figure.beside("bare relays", bare.least);
        report.add(figure.target(Target::AtLeast(0.25)));
    }
    Ok(())
}

async fn over(server: &Server, way: Way, scale: Scale) -> anyhow::Result<Outcome> {
    let turn = Turn {
        warm_up: WARM_UP,
        time: scale.turn().time.max(LEAST_TIME),
        quiet: QUIET,
    };
    let single = carry(server, way, 1, turn).await?.rate();
    let (mut sum, mut least) = (f64::MAX, f64::MAX);
    for streams in [2, 4, 8, 16] {
        let carried: Carried = carry(server, way, streams, turn).await?;
        sum = sum.min(carried.rate() / single);
        least = least.min(carried.least());
    }
    Ok(Outcome { single, sum, least })
}
