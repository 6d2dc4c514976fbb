//! Streams that are opened, carry one byte there and back, and are closed.

use super::server::ECHO;
use super::way::{Way, Ways};
use crate::bench::load::{Pace, Tally, drive};
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::scale::Scale;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// How many are opened at a time.
const AT_A_TIME: usize = 8;

/// Measures them in turns with those of what they stand beside.
pub(in crate::bench) async fn measure(
    ways: &Ways,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (mut ours, mut bare, mut others) = <(Tally, Tally, Tally)>::default();
    for _ in 0..scale.turns {
        bare += dials(ways.relays, scale).await?;
        ours += dials(ways.ours, scale).await?;
        if let Some(way) = ways.others {
            others += dials(way, scale).await?;
        }
    }
    let figure = Figure::new(ways.name("dials"), ours.rate(), Unit::PerSecond);
    report.add(figure.beside("bare relays", bare.rate()));
    if ways.others.is_some() {
        report.add(Figure::new(
            "  of other routers",
            others.rate(),
            Unit::PerSecond,
        ));
    }
    Ok(())
}

async fn dials(way: Way, scale: Scale) -> anyhow::Result<Tally> {
    let (tally, _) = drive(vec![way; AT_A_TIME], scale.turn(), dial).await?;
    Ok(tally)
}

async fn dial(way: Way, pace: Arc<Pace>) -> anyhow::Result<Way> {
    while pace.next().is_some() {
        let mut stream = way.connect().await?;
        stream.write_all(&[ECHO, b'.']).await?;
        stream.read_u8().await?;
    }
    Ok(way)
}
