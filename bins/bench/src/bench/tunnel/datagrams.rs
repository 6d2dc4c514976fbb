//! Datagrams that come back, of one flow and of many.

use super::flow::{Flows, Passed, Shape};
use crate::bench::report::{Figure, Report, Unit};
use crate::bench::router::way::{Way, Ways};
use crate::bench::scale::Scale;
use std::time::Duration;

/// Flows, and the name of their figure. As many datagrams are under way with either.
const SHAPES: [(Shape, &str); 2] = [
    (
        Shape {
            flows: 1,
            lanes: 1,
            window: 64,
        },
        "datagrams, 1 flow",
    ),
    (
        Shape {
            flows: 1_000,
            lanes: 64,
            window: 1,
        },
        "datagrams, 1 000 flows",
    ),
];

/// Bytes of a datagram.
const LENGTH: usize = 256;

/// What is compared.
struct Sent {
    way: Way,
    flows: Flows,
    passed: Passed,
    processor_time: Duration,
}

/// Measures them in turns with those of bare relays.
pub(super) async fn measure(ways: &Ways, scale: Scale, report: &mut Report) -> anyhow::Result<()> {
    for (shape, name) in SHAPES {
        let mut bare = Sent::open(ways.relays, shape).await?;
        let mut ours = Sent::open(ways.ours, shape).await?;
        for _ in 0..scale.turns {
            bare.send(scale.turn().time).await?;
            ours.send(scale.turn().time).await?;
        }
        let figure = Figure::new(ways.name(name), ours.passed.rate(), Unit::PerSecond)
            .per_processor_second(ours.passed.per(ours.processor_time));
        report.add(figure.beside("bare relays", bare.passed.rate()));
        let lost = |name, sent: &Sent| Figure::new(name, sent.passed.lost(), Unit::Probability);
        report.add(lost("  lost", &ours));
        report.add(lost("  lost by bare relays", &bare));
    }
    Ok(())
}

fn write(identifier: u16, _number: u32) -> Vec<u8> {
    let mut datagram = identifier.to_be_bytes().to_vec();
    datagram.resize(LENGTH, b'.');
    datagram
}

impl Sent {
    async fn open(way: Way, shape: Shape) -> anyhow::Result<Self> {
        Ok(Self {
            way,
            flows: Flows::open(way.entry, shape, write).await?,
            passed: Passed::default(),
            processor_time: Duration::ZERO,
        })
    }

    async fn send(&mut self, time: Duration) -> anyhow::Result<()> {
        let before = self.way.processor_time()?;
        self.passed += self.flows.send(time).await?;
        self.processor_time += self.way.processor_time()?.saturating_sub(before);
        Ok(())
    }
}
