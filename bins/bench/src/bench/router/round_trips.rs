//! Round trips of one byte.

use super::server::ECHO;
use super::way::{Way, Ways};
use crate::bench::load::Pace;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::scale::Scale;
use crate::testbed::statistics::{milliseconds, percentile};
use std::borrow::Cow;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Measures them in turns with those of what they stand beside.
pub(in crate::bench) async fn measure(
    ways: &Ways,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (mut ours, mut bare, mut others) = <(Vec<_>, Vec<_>, Vec<_>)>::default();
    for _ in 0..scale.turns {
        bare.extend(round_trips(ways.relays, scale).await?);
        ours.extend(round_trips(ways.ours, scale).await?);
        if let Some(way) = ways.others {
            others.extend(round_trips(way, scale).await?);
        }
    }
    for times in [&mut ours, &mut bare, &mut others] {
        times.sort_unstable();
    }
    for (name, share) in [("round trip, median", 50), ("round trip, p99", 99)] {
        let beside = milliseconds(percentile(&bare, share));
        let figure = figure(ways.name(name), &ours, share).beside("bare relays", beside);
        report.add(ways.judge(figure, Target::RatioAtMost(1.3)));
    }
    if !others.is_empty() {
        report.add(figure("  of other routers, median", &others, 50));
        report.add(figure("  of other routers, p99", &others, 99));
    }
    Ok(())
}

fn figure(name: impl Into<Cow<'static, str>>, sorted: &[Duration], share: usize) -> Figure {
    let value = milliseconds(percentile(sorted, share));
    Figure::new(name, value, Unit::Milliseconds)
}

async fn round_trips(way: Way, scale: Scale) -> anyhow::Result<Vec<Duration>> {
    let mut stream = way.connect().await?;
    stream.write_all(&[ECHO]).await?;
    let (pace, mut times) = (Pace::new(scale.turn()), Vec::new());
    while pace.next().is_some() {
        let start = Instant::now();
        stream.write_u8(b'.').await?;
        stream.read_u8().await?;
        times.push(start.elapsed());
    }
    Ok(times)
}
