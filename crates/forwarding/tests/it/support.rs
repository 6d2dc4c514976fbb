//! What several tests need.

use portcullis_channel::Moment;
use portcullis_forwarding::{Activity, Forwarder, ForwardingOptions, Hop, NoWay};
use portcullis_wire::control::route::{DestinationKind, Forward, Route, Unroute};

pub(crate) type Table = Forwarder<&'static str, &'static str>;

pub(crate) const OWNER: &str = "controller";

pub(crate) fn at(seconds: u64) -> Moment {
    Moment::from_micros(seconds * 1_000_000)
}

pub(crate) fn link(from: &str, to: &str) -> Forward {
    Forward {
        source: from.to_owned(),
        destination: to.to_owned(),
        destination_kind: DestinationKind::Link,
    }
}

pub(crate) fn start(from: &str, to: &str) -> Forward {
    Forward {
        destination_kind: DestinationKind::Start,
        ..link(from, to)
    }
}

pub(crate) fn end(from: &str, to: &str) -> Forward {
    Forward {
        destination_kind: DestinationKind::End,
        ..link(from, to)
    }
}

pub(crate) fn route(circuit: &str, forwards: &[Forward]) -> Route {
    Route {
        circuit_id: circuit.to_owned(),
        forwards: forwards.to_vec(),
        ..Route::default()
    }
}

pub(crate) fn unroute(circuit: &str, is_immediate: bool) -> Unroute {
    Unroute {
        circuit_id: circuit.to_owned(),
        is_immediate,
    }
}

/// A router with two links and a circuit between them.
pub(crate) fn relay() -> (Table, Hop, Hop) {
    let mut table = Forwarder::new(ForwardingOptions::default());
    let (one, _) = table.attach("l1", "to l1");
    let (two, _) = table.attach("l2", "to l2");
    let both = [link("l1", "l2"), link("l2", "l1")];
    table.route(&route("c", &both), &OWNER, at(0)).unwrap();
    (table, one, two)
}

/// Where a payload goes.
pub(crate) fn way(
    table: &Table,
    circuit: &str,
    from: Hop,
    now: Moment,
) -> Result<&'static str, NoWay> {
    table.forward(circuit, from, Activity::Shown, now).copied()
}

/// Circuits that have ended, with the number of their ends.
pub(crate) fn ended(table: &mut Table) -> Vec<(String, usize)> {
    std::iter::from_fn(|| table.poll_ended())
        .map(|ended| (ended.circuit.to_string(), ended.ends.len()))
        .collect()
}
