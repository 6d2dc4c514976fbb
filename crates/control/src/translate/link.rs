//! Links: reports, faults, latencies.

use portcullis_domain::ids::RouterId;
use portcullis_fabric::{
    CircuitFault, CircuitId, FaultKind, ForwardFault, LinkConnection, LinkConnections, LinkFault,
    LinkId, LinkReport, LinkState,
};
use portcullis_wire::control::link as wire;
use portcullis_wire::control::metrics::{Histogram, Metrics};
use std::time::Duration;

/// What a fault is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReportedFault {
    Link(LinkFault),
    Circuit(CircuitId, CircuitFault),
    Forward(Vec<CircuitId>, ForwardFault),
}

/// The links that a router has dialed.
pub(crate) fn link_reports(links: Vec<wire::RouterLink>) -> Vec<LinkReport> {
    links.into_iter().filter_map(link_report).collect()
}

fn link_report(link: wire::RouterLink) -> Option<LinkReport> {
    Some(LinkReport {
        id: LinkId::new(&link.id).ok()?,
        destination: RouterId::from_wire(link.destination),
        protocol: link.protocol,
        dial_address: link.dial_address,
        iteration: link.iteration,
        connections: connections(link.connections),
    })
}

/// The connections of a link as they are now.
pub(crate) fn link_state(state: wire::LinkState) -> Option<LinkState> {
    Some(LinkState {
        id: LinkId::new(&state.link_id).ok()?,
        link_iteration: state.link_iteration,
        connections: connections(state.connections),
    })
}

fn connections(connections: Option<wire::LinkConnections>) -> LinkConnections {
    let connections = connections.unwrap_or_default();
    let list = connections.connections.into_iter();
    LinkConnections {
        iteration: connections.iteration,
        list: list
            .map(|connection| LinkConnection {
                kind: connection.kind,
                local_address: connection.local_address,
                remote_address: connection.remote_address,
            })
            .collect(),
    }
}

/// What a fault means; `None` for one about nothing that exists.
pub(crate) fn fault(fault: &wire::Fault) -> Option<ReportedFault> {
    let link = |kind| {
        let id = LinkId::new(&fault.id).ok()?;
        let iteration = fault.iteration;
        Some(ReportedFault::Link(LinkFault {
            id,
            iteration,
            kind,
        }))
    };
    let circuit = |end| {
        let id = CircuitId::new(&fault.id).ok()?;
        Some(ReportedFault::Circuit(id, end))
    };
    let forward = |kind| {
        let circuits = fault.circuits().filter_map(|id| CircuitId::new(id).ok());
        ReportedFault::Forward(circuits.collect(), kind)
    };
    match fault.subject {
        wire::FaultSubject::Ingress => circuit(CircuitFault::Ingress),
        wire::FaultSubject::Egress => circuit(CircuitFault::Egress),
        wire::FaultSubject::Link => link(FaultKind::Fault),
        wire::FaultSubject::LinkDuplicate => link(FaultKind::Duplicate),
        wire::FaultSubject::Forward => Some(forward(ForwardFault::Own)),
        wire::FaultSubject::ForwardUnknownOwner => Some(forward(ForwardFault::UnknownOwner)),
        wire::FaultSubject::Unrecognized(_) => None,
    }
}

/// Tells a router to close a link.
pub(crate) fn close_link(link: &LinkId, iteration: u32) -> wire::Fault {
    wire::Fault {
        subject: wire::FaultSubject::Link,
        id: link.as_str().to_owned(),
        iteration,
    }
}

/// The latencies of links as a router has measured them, time in its queues included.
pub(crate) fn latencies(metrics: &Metrics) -> impl Iterator<Item = (LinkId, Duration)> {
    let histograms = &metrics.histograms;
    histograms.iter().filter_map(|(name, latency)| {
        let id = name.strip_prefix("link.")?.strip_suffix(".latency")?;
        let queued = histograms.get(&format!("link.{id}.queue_time"));
        let total = mean(latency)? + queued.and_then(mean).unwrap_or_default();
        Some((LinkId::new(id).ok()?, total))
    })
}

/// The mean of durations in nanoseconds; `None` if there were none.
fn mean(histogram: &Histogram) -> Option<Duration> {
    let is_measured = histogram.count > 0 && histogram.mean.is_finite() && histogram.mean >= 0.0;
    let seconds = histogram.mean / 1e9;
    is_measured
        .then(|| Duration::try_from_secs_f64(seconds).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(count: i64, mean: f64) -> Histogram {
        Histogram {
            count,
            mean,
            ..Histogram::default()
        }
    }

    fn fault_about(subject: wire::FaultSubject, id: &str) -> Option<ReportedFault> {
        fault(&wire::Fault {
            subject,
            id: id.to_owned(),
            iteration: 3,
        })
    }

    #[test]
    fn link_without_an_id_is_left_out_of_a_report() {
        let named = |id: &str| wire::RouterLink {
            id: id.to_owned(),
            destination: "r2".to_owned(),
            ..wire::RouterLink::default()
        };
        let reports = link_reports(vec![named(""), named("l1"), named(&"x".repeat(129))]);
        assert_eq!(reports.len(), 1);
        assert_eq!(reports[0].id.as_str(), "l1");
        assert_eq!(reports[0].destination.as_str(), "r2");
    }

    #[test]
    fn faults_are_about_links_circuits_or_what_could_not_be_forwarded() {
        let link = LinkFault {
            id: LinkId::new("a").unwrap(),
            iteration: 3,
            kind: FaultKind::Duplicate,
        };
        let duplicate = fault_about(wire::FaultSubject::LinkDuplicate, "a");
        assert_eq!(duplicate, Some(ReportedFault::Link(link)));
        let circuit = CircuitId::new("a").unwrap();
        let egress = fault_about(wire::FaultSubject::Egress, "a");
        let expected = ReportedFault::Circuit(circuit.clone(), CircuitFault::Egress);
        assert_eq!(egress, Some(expected));
        let both = vec![circuit, CircuitId::new("b").unwrap()];
        let forward = fault_about(wire::FaultSubject::Forward, " a  b ");
        assert_eq!(
            forward,
            Some(ReportedFault::Forward(both, ForwardFault::Own))
        );
        assert_eq!(fault_about(wire::FaultSubject::Unrecognized(9), "a"), None);
        assert_eq!(fault_about(wire::FaultSubject::Ingress, ""), None);
    }

    #[test]
    fn latency_is_the_mean_of_round_trips_and_of_the_time_in_queues() {
        let mut metrics = Metrics::default();
        let histograms = &mut metrics.histograms;
        histograms.insert("link.a.latency".to_owned(), measured(2, 3e6));
        histograms.insert("link.a.queue_time".to_owned(), measured(2, 1e6));
        histograms.insert("link.b.latency".to_owned(), measured(0, 5e6));
        histograms.insert("link.c.latency".to_owned(), measured(1, f64::NAN));
        histograms.insert("link.d.latency".to_owned(), measured(1, -1.0));
        histograms.insert("other.latency".to_owned(), measured(1, 1e6));
        let found: Vec<_> = latencies(&metrics).collect();
        let expected = (LinkId::new("a").unwrap(), Duration::from_millis(4));
        assert_eq!(found, [expected]);
    }
}
