//! What everybody else has of clients that ask for long lists and read a few bytes now and then.
//!
//! Honest clients ask for little, pausing between requests, by themselves and beside the slow ones.
//! These have little room for what they receive, so that what they do not read waits at the
//! controller. It is measured in turns, so that a change of the machine's mood concerns all of it.

mod honest;
mod slow;

use super::report::{Figure, Report, Unit};
use super::scale::Scale;
use super::seed::Seed;
use crate::testbed::calls::{log_in, wait_for_list};
use crate::testbed::controller::Program;
use crate::testbed::link::Endpoint;
use crate::testbed::process::Process;
use crate::testbed::request::{self, MANAGEMENT};
use crate::testbed::statistics::{float, mebibytes};
use honest::{Honest, Times};
use slow::{READERS, Slow};

/// Identities that there are.
const IDENTITIES: u64 = 20_000;

/// A measurement's names, and what the slow readers ask for meanwhile.
struct Phase {
    list: Option<&'static str>,
    own: [&'static str; 2],
    page: [&'static str; 2],
    memory: &'static str,
}

const ALONE: Phase = Phase {
    list: None,
    own: [
        "current identity, by themselves, median",
        "current identity, by themselves, p99",
    ],
    page: [
        "page of 10, by themselves, median",
        "page of 10, by themselves, p99",
    ],
    memory: "memory, by themselves",
};

/// Pages as long as a page may be, which are whole before they are sent.
const PAGES: Phase = Phase {
    list: Some("limit=500"),
    own: [
        "current identity, beside 64 slow pages of 500, median",
        "current identity, beside 64 slow pages of 500, p99",
    ],
    page: [
        "page of 10, beside 64 slow pages of 500, median",
        "page of 10, beside 64 slow pages of 500, p99",
    ],
    memory: "memory, with 64 slow pages of 500",
};

/// Lists that are sent while they are written.
const WHOLE: Phase = Phase {
    list: Some("limit=-1"),
    own: [
        "current identity, beside 64 slow whole lists, median",
        "current identity, beside 64 slow whole lists, p99",
    ],
    page: [
        "page of 10, beside 64 slow whole lists, median",
        "page of 10, beside 64 slow whole lists, p99",
    ],
    memory: "memory, with 64 slow whole lists",
};

/// What was measured in one phase, over all turns.
#[derive(Default)]
struct Measured {
    times: Times,
    /// The most memory that was resident, in bytes.
    memory: u64,
    /// Slow readers that were let read, and those that were refused; the others are in line.
    let_in: u64,
    refused: u64,
}

/// Measures all of it.
pub(super) async fn measure(
    program: &Program,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    program.start().await?.stop().await?;
    Seed::open(&program.home)?.write(0..IDENTITIES)?;
    let controller = program.start().await?;
    let endpoint = controller.endpoint(None)?;
    let admin = log_in(&mut endpoint.connect().await?).await?;
    wait_for_list(&controller, &identities("limit=10", &admin)).await?;
    let mut honest = Honest::connect(&endpoint, &admin).await?;
    let place = Place {
        endpoint,
        process: controller.process,
        admin,
    };
    // Nobody's first requests count.
    honest.ask(scale.turn()).await?;

    let phases = [&ALONE, &PAGES, &WHOLE];
    let mut measured = phases.map(|_| Measured::default());
    for _ in 0..scale.turns {
        for (phase, measured) in phases.iter().zip(&mut measured) {
            place.measure(phase, &mut honest, scale, measured).await?;
        }
    }
    place.process.calm().await?;
    let after = place.process.resident()?;
    let [alone, ..] = &measured;
    for (phase, measured) in phases.iter().zip(&measured) {
        measured.report(phase, alone, report);
    }
    report.add(memory("memory, after they left", after, alone.memory));
    controller.stop().await
}

/// Where it is measured.
struct Place {
    endpoint: Endpoint,
    process: Process,
    /// The token of the administrator's session.
    admin: String,
}

impl Place {
    /// Measures one phase for one turn.
    async fn measure(
        &self,
        phase: &Phase,
        honest: &mut Honest,
        scale: Scale,
        measured: &mut Measured,
    ) -> anyhow::Result<()> {
        self.process.calm().await?;
        self.process.forget_peak()?;
        let slow = match phase.list {
            Some(query) => {
                let request = identities(query, &self.admin);
                let slow = Slow::begin(&self.endpoint, &request).await?;
                self.process.calm().await?;
                Some(slow)
            },
            None => None,
        };
        let times = honest.ask(scale.turn()).await?;
        measured.times.add(times);
        // What slow readers once took may stay; without any, only the first turn counts.
        if phase.list.is_some() || measured.memory == 0 {
            measured.memory = measured.memory.max(self.process.peak()?);
        }
        if let Some(slow) = slow {
            measured.let_in = measured.let_in.max(slow.let_in());
            measured.refused = measured.refused.max(slow.refused());
            slow.leave().await;
        }
        Ok(())
    }
}

impl Measured {
    fn report(&self, phase: &Phase, alone: &Self, report: &mut Report) {
        let kinds = [
            (phase.own, &self.times.own, &alone.times.own),
            (phase.page, &self.times.page, &alone.times.page),
        ];
        for (names, times, alone) in kinds {
            for (name, of_hundred) in names.into_iter().zip([50, 99]) {
                let value = times.percentile(of_hundred);
                let figure = Figure::new(name, value, Unit::Milliseconds);
                report.add(match phase.list {
                    Some(_) => figure.beside("by themselves", alone.percentile(of_hundred)),
                    None => figure,
                });
            }
        }
        report.add(memory(phase.memory, self.memory, alone.memory));
        if phase.list.is_some() {
            let names = [
                ("  of them let read", self.let_in),
                ("  of them refused", self.refused),
            ];
            for (name, count) in names {
                report.add(
                    Figure::new(name, float(count), Unit::Clients)
                        .beside("that asked", float(READERS)),
                );
            }
        }
    }
}

fn memory(name: &'static str, bytes: u64, alone: u64) -> Figure {
    Figure::new(name, mebibytes(bytes), Unit::Mebibytes).beside("by themselves", mebibytes(alone))
}

/// Asks for identities.
fn identities(query: &str, session: &str) -> Vec<u8> {
    request::get(&format!("{MANAGEMENT}/identities?{query}"), Some(session))
}
