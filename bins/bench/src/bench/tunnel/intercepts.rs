//! Many services that are intercepted: from what the controller says to the rules of the kernel.

use super::names;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::testbed::statistics::{milliseconds, percentile};
use portcullis_channel::Moment;
use portcullis_tproxy::{Instance, Intercepted, Interceptor, InterceptorOptions};
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::{Command, InterceptOptions, Mode, Service, Tunneler};
use serde_json::json;
use std::time::Instant;

/// Services, each with ten ranges of ports of its own.
pub(super) const SERVICES: u32 = 2_000;
const RANGES: u32 = 10;
/// The first port of all ranges, which do not touch each other.
const FIRST: u32 = 1_024;

/// Services that change, one after another.
const CHANGES: u32 = 20;

/// Milliseconds until all are intercepted.
const START: f64 = 2_000.0;
/// Milliseconds until a change of one counts.
const CHANGE: f64 = 100.0;

/// What services are intercepted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Names,
    /// Each has a network of its own, and so rules of its own in the kernel.
    Networks,
}

/// How the ranges of a service are.
#[derive(Debug, Clone, Copy)]
enum Version {
    First,
    Changed,
}

/// The services, and the kernel if it has a part in it.
struct Interception {
    tunneler: Tunneler,
    kernel: Option<(Interceptor, Intercepted)>,
}

/// A tunneler for all services.
pub(super) fn tunneler(kind: Kind) -> Tunneler {
    let mode = Mode::Intercept(InterceptOptions::default());
    let mut tunneler = Tunneler::new(TunnelerIdentity::default(), mode);
    tunneler.set_services(services(kind), Moment::ZERO);
    tunneler
}

/// Measures what a tunneler takes to say the rules.
pub(super) async fn measure_decisions(report: &mut Report) -> anyhow::Result<()> {
    let one = "  of one that changes";
    measure(
        Kind::Names,
        ["2 000 names, rules decided", one],
        None,
        report,
    )
    .await?;
    measure(
        Kind::Networks,
        ["2 000 networks, rules decided", one],
        None,
        report,
    )
    .await
}

/// Measures the same until the kernel of this network namespace has them.
pub(super) async fn measure_rules(report: &mut Report) -> anyhow::Result<()> {
    let one = "  one of them changed";
    for (kind, all) in [
        (Kind::Names, "2 000 names, intercepted"),
        (Kind::Networks, "2 000 networks, intercepted"),
    ] {
        let instance: Instance = "bench".parse()?;
        let options = InterceptorOptions::new(instance);
        measure(kind, [all, one], Some(options), report).await?;
    }
    Ok(())
}

async fn measure(
    kind: Kind,
    [all, one]: [&'static str; 2],
    kernel: Option<InterceptorOptions>,
    report: &mut Report,
) -> anyhow::Result<()> {
    let services = services(kind);
    let start = Instant::now();
    let mut interception = Interception::start(kernel).await?;
    let tunneler = &mut interception.tunneler;
    tunneler.set_services(services, Moment::ZERO);
    interception.settle().await?;
    let started = start.elapsed();
    let mut changes = Vec::new();
    for number in 0..CHANGES {
        let other = service(number, kind, Version::Changed);
        let start = Instant::now();
        interception.tunneler.set_service(other, Moment::ZERO);
        interception.settle().await?;
        changes.push(start.elapsed());
    }
    interception.stop().await;
    changes.sort_unstable();
    for (name, time, limit) in [
        (all, started, START),
        (one, percentile(&changes, 50), CHANGE),
    ] {
        let figure = Figure::new(name, milliseconds(time), Unit::Milliseconds);
        report.add(figure.target(Target::Below(limit)));
    }
    Ok(())
}

fn services(kind: Kind) -> Vec<Service> {
    let services = 0..SERVICES;
    services
        .map(|number| service(number, kind, Version::First))
        .collect()
}

fn service(number: u32, kind: Kind, version: Version) -> Service {
    let ranges = (0..RANGES).map(|range| {
        let low = FIRST + 3 * (RANGES * number + range);
        let high = match version {
            Version::First => low + 1,
            Version::Changed => low,
        };
        json!({ "low": low, "high": high })
    });
    let address = match kind {
        Kind::Names => names::name(number),
        Kind::Networks => {
            let [_, _, high, low] = number.to_be_bytes();
            format!("10.{high}.{low}.0/24")
        },
    };
    let config = json!({
        "protocols": ["tcp"],
        "addresses": [address],
        "portRanges": ranges.collect::<Vec<_>>(),
    });
    Service {
        may_dial: true,
        configs: [("intercept.v1".to_owned(), config)].into(),
        ..Service::new(number.to_string(), format!("service-{number}"))
    }
}

impl Interception {
    async fn start(kernel: Option<InterceptorOptions>) -> anyhow::Result<Self> {
        let mode = Mode::Intercept(InterceptOptions::default());
        let kernel = match kernel {
            Some(options) => Some(Interceptor::start(options).await?),
            None => None,
        };
        Ok(Self {
            tunneler: Tunneler::new(TunnelerIdentity::default(), mode),
            kernel,
        })
    }

    /// Does what the tunneler wants done.
    async fn settle(&mut self) -> anyhow::Result<()> {
        while let Some(command) = self.tunneler.poll_command() {
            if let (Command::Intercept(change), Some((interceptor, _))) = (command, &self.kernel) {
                interceptor.apply(change).await?;
            }
        }
        while self.tunneler.poll_event().is_some() {}
        Ok(())
    }

    async fn stop(self) {
        if let Some((interceptor, _)) = self.kernel {
            interceptor.stop().await;
        }
    }
}
