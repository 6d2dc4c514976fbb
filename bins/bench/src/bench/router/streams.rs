//! Throughput of one and of several streams.

use super::MEBIBYTE;
use super::server::{COUNT, Server};
use super::way::{Way, Ways};
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::scale::Scale;
use crate::testbed::statistics::float;
use anyhow::Context as _;
use std::ops::AddAssign;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How much is written at a time.
static PIECE: [u8; 64 * 1024] = [b'.'; 64 * 1024];

/// Until windows have grown.
const WARM_UP: Duration = Duration::from_millis(500);

/// What streams have left on a good way has arrived if nothing does for so long.
pub(super) const QUIET: Duration = Duration::from_millis(200);

/// How long streams carry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    /// Until what they carry is counted.
    pub(super) warm_up: Duration,
    pub(super) time: Duration,
    /// What they have left on the way has arrived if nothing does for so long.
    pub(super) quiet: Duration,
}

/// What was carried.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Carried {
    bytes: f64,
    time: Duration,
    processor_time: Duration,
    /// The share of the slowest stream, where all equal ones are 1, weighted by bytes.
    least: f64,
}

impl AddAssign for Carried {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.time += other.time;
        self.processor_time += other.processor_time;
        self.least = if self.least == 0.0 {
            other.least
        } else {
            self.least.min(other.least)
        };
    }
}

impl Carried {
    pub(super) fn rate(&self) -> f64 {
        self.bytes / MEBIBYTE / self.time.as_secs_f64().max(1e-9)
    }

    /// The share of the slowest stream, where all equal ones are 1.
    pub(super) const fn least(&self) -> f64 {
        self.least
    }

    /// Of all processes of the way, for 10^9 bytes.
    fn processor_seconds(&self) -> f64 {
        self.processor_time.as_secs_f64() * 1e9 / self.bytes.max(1.0)
    }

    fn processor_rate(&self) -> f64 {
        self.bytes / MEBIBYTE / self.processor_time.as_secs_f64().max(1e-9)
    }
}

/// Measures so many streams at a time, first of all one, in turns with what they stand beside.
pub(in crate::bench) async fn measure(
    server: &Server,
    ways: &Ways,
    counts: &[u8],
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut single = 0.0;
    let turn = Turn {
        warm_up: WARM_UP,
        time: scale.turn().time,
        quiet: QUIET,
    };
    for &streams in counts {
        let (mut ours, mut bare, mut others) = <(Carried, Carried, Carried)>::default();
        for _ in 0..scale.turns {
            bare += carry(server, ways.relays, streams, turn).await?;
            ours += carry(server, ways.ours, streams, turn).await?;
            if let Some(way) = ways.others {
                others += carry(server, way, streams, turn).await?;
            }
        }
        let plural = if streams == 1 { "" } else { "s" };
        let name = ways.name(&format!("throughput, {streams} stream{plural}"));
        let figure = Figure::new(name, ours.rate(), Unit::MebibytesPerSecond)
            .per_processor_second(ours.processor_rate())
            .beside("bare relays", bare.rate());
        report.add(ways.judge(figure, Target::RatioAtLeast(0.5)));
        let time = Unit::SecondsPerGigabyte;
        let figure = Figure::new("  processor time", ours.processor_seconds(), time);
        report.add(figure.beside("bare relays", bare.processor_seconds()));
        if ways.others.is_some() {
            let count = match streams {
                1 => String::new(),
                _ => format!(" {streams} streams,"),
            };
            let name = format!("  beside other routers,{count} per CPU-s");
            let figure = Figure::new(name, ours.processor_rate(), Unit::MebibytesPerSecond);
            let figure = figure.beside("other routers", others.processor_rate());
            report.add(figure.target(Target::RatioAtLeast(2.0)));
        }
        if streams == 1 {
            single = ours.rate();
            continue;
        }
        let figure = Figure::new("  of one stream", ours.rate() / single, Unit::Times);
        report.add(ways.judge(figure, Target::AtLeast(0.97)));
        let figure = Figure::new("  share of the slowest", ours.least, Unit::Times);
        let figure = figure.beside("bare relays", bare.least);
        report.add(ways.judge(figure, Target::AtLeast(0.25)));
    }
    Ok(())
}

/// Has streams carry as much as they can for a while.
pub(super) async fn carry(
    server: &Server,
    way: Way,
    streams: u8,
    turn: Turn,
) -> anyhow::Result<Carried> {
    let mut writers = JoinSet::new();
    for number in 0..streams {
        let mut stream = way.connect().await?;
        stream.write_all(&[COUNT, number]).await?;
        writers.spawn(async move { while stream.write_all(&PIECE).await.is_ok() {} });
    }
    sleep(turn.warm_up).await;
    let counted = || (0..streams).map(|number| server.counted(number));
    let (start, used, first) = (
        Instant::now(),
        way.processor_time()?,
        counted().collect::<Vec<_>>(),
    );
    sleep(turn.time).await;
    let elapsed = start.elapsed();
    let carried: Vec<f64> = counted()
        .zip(&first)
        .map(|(last, first)| float(last.saturating_sub(*first)))
        .collect();
    let processor_time = way.processor_time()?.saturating_sub(used);
    writers.shutdown().await;
    while {
        let before: u64 = counted().sum();
        sleep(turn.quiet).await;
        counted().sum::<u64>() > before
    } {}
    let bytes: f64 = carried.iter().sum();
    let least = carried.iter().copied().reduce(f64::min);
    let least = least.context("there is a stream")? * f64::from(streams) / bytes.max(1.0);
    Ok(Carried {
        bytes,
        time: elapsed,
        processor_time,
        least,
    })
}
