//! A router: its tables, and what it does with what arrives.

use super::wire::Packet;
use portcullis_channel::Moment;
use portcullis_forwarding::{
    Activity, FaultReport, Faults, Forwarder, ForwardingOptions, Hop, IdleScan,
};
use portcullis_wire::control::route::{Route, RouteFailure, Unroute};
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) const OWNER: &str = "controller";

/// Where a router sends to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    /// A link, and which dial of it.
    Link { number: usize, iteration: u32 },
    /// The end of the circuit that is here.
    End,
}

pub(super) struct Router {
    forwarder: Forwarder<&'static str, Destination>,
    faults: Faults<&'static str>,
    idle: IdleScan,
    hops: BTreeMap<String, Hop>,
}

impl Router {
    pub(super) fn new(now: Moment) -> Self {
        let options = ForwardingOptions {
            // So that what is missing is noticed within a run.
            fault_interval: Some(Duration::from_millis(500)),
            ..ForwardingOptions::default()
        };
        Self {
            forwarder: Forwarder::new(options),
            faults: Faults::new(&options),
            idle: IdleScan::new(&options, now),
            hops: BTreeMap::new(),
        }
    }

    pub(super) fn attach(&mut self, address: &str, destination: Destination) {
        let (hop, _) = self.forwarder.attach(address, destination);
        self.hops.insert(address.to_owned(), hop);
    }

    pub(super) fn detach(&mut self, address: &str, destination: Destination) {
        if let Some(hop) = self.hops.get(address) {
            let _detached = self
                .forwarder
                .detach(*hop, |attached| *attached == destination);
        }
    }

    pub(super) fn route(&mut self, route: &Route, now: Moment) -> Result<(), RouteFailure> {
        let taken = self.forwarder.route(route, &OWNER, now);
        taken.map_err(|refusal| refusal.failure())
    }

    pub(super) fn unroute(&mut self, circuit: &str, is_immediate: bool, now: Moment) {
        let unroute = Unroute {
            circuit_id: circuit.to_owned(),
            is_immediate,
        };
        self.forwarder.unroute(&unroute, now);
    }

    /// Where something goes that comes from an address, if anywhere.
    pub(super) fn forward(
        &mut self,
        from: &str,
        packet: &Packet,
        activity: Activity,
        now: Moment,
    ) -> Option<Destination> {
        let hop = *self.hops.get(from)?;
        let circuit = packet.circuit();
        let way = self.forwarder.forward(circuit, hop, activity, now);
        if way.is_err() && matches!(packet, Packet::Payload(_)) {
            self.faults.add(circuit, self.forwarder.owner(circuit), now);
        }
        way.ok().copied()
    }

    pub(super) fn poll_timeout(&self) -> Option<Moment> {
        let faults = self.faults.poll_timeout();
        let forwarder = self.forwarder.poll_timeout();
        faults
            .into_iter()
            .chain(forwarder)
            .chain(self.idle.poll_timeout())
            .min()
    }

    /// What the controller is told and asked. The circuits about which it is asked are counted.
    pub(super) fn handle_timeout(
        &mut self,
        now: Moment,
    ) -> (Vec<FaultReport<&'static str>>, usize) {
        self.faults.handle_timeout(now);
        self.forwarder.handle_timeout(now);
        let reports = std::iter::from_fn(|| self.faults.poll_report()).collect();
        let idle = self.idle.find(&self.forwarder, now).into_confirmations();
        let idle = idle.iter().map(|asked| asked.message.circuit_ids.len());
        (reports, idle.sum())
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.forwarder.poll_ended().is_some()
    }

    pub(super) fn circuits(&self) -> usize {
        self.forwarder.len()
    }
}
