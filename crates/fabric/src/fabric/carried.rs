//! What routers carry, compared with what they should.

use super::Fabric;
use crate::circuits::{
    CarriedCircuit, CarriedCircuits, Circuit, EndReason, Forward, State, forwards,
};
use crate::{RouterSession, RouterSlot};
use portcullis_channel::Moment;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long after its routes the ends of a circuit may take to come up: the answer to the dial may be
/// slower than a question.
const SETTLING: Duration = Duration::from_secs(10);

/// What follows from a comparison.
enum Difference {
    /// An end was closed, and the controller has not heard of it.
    LacksEnd,
    LacksForwards,
}

impl Fabric {
    /// Handles what a router says about the circuits that it carries, in answer to
    /// [`Action::AskForCircuits`](crate::Action::AskForCircuits).
    pub fn handle_carried(&mut self, from: RouterSession, carried: CarriedCircuits, now: Moment) {
        if !self.network.is_current(from) {
            return;
        }
        let CarriedCircuits {
            asked,
            circuits,
            is_complete,
        } = carried;
        if is_complete {
            self.end_forgotten(from.router(), asked, &circuits, now);
        }
        self.begin_carried(from.router(), is_complete);
        for carried in circuits {
            let Some(circuit) = self.circuits.take(&carried.id) else {
                self.handle_unknown(from, carried, now);
                continue;
            };
            if !circuit.carriers().contains(&from.router()) {
                self.send_unroute(from, carried.id, true);
                self.circuits.put(circuit);
                continue;
            }
            match compare(&circuit, from.router(), asked, &carried.forwards) {
                Some(Difference::LacksEnd) => self.end(circuit, EndReason::Closed, true),
                Some(Difference::LacksForwards) => self.mend(circuit, now),
                None => self.circuits.put(circuit),
            }
        }
    }

    /// Circuits that a router does not have any more, because it was restarted.
    fn end_forgotten(
        &mut self,
        router: RouterSlot,
        asked: Moment,
        carried: &[CarriedCircuit],
        now: Moment,
    ) {
        let carried: BTreeSet<_> = carried.iter().map(|circuit| &circuit.id).collect();
        let forgotten = self.circuits.find(|circuit| {
            is_settled(circuit, asked)
                && circuit.path.passes(router)
                && !carried.contains(circuit.id())
        });
        for id in forgotten {
            let Some(circuit) = self.circuits.take(&id) else {
                continue;
            };
            if circuit.is_end(router) {
                self.end(circuit, EndReason::RouterLost, true);
            } else {
                self.reroute(circuit, now);
            }
        }
    }
}

/// Whether a circuit had its routes and ends for certain when a router was asked.
fn is_settled(circuit: &Circuit, asked: Moment) -> bool {
    let is_open = matches!(circuit.state, State::Open | State::Stranded(_));
    is_open && circuit.settled + SETTLING <= asked
}

fn compare(
    circuit: &Circuit,
    router: RouterSlot,
    asked: Moment,
    carried: &[Forward],
) -> Option<Difference> {
    if !is_settled(circuit, asked) {
        return None;
    }
    let (path, names) = (&circuit.path, &circuit.names);
    let ends = [(path.first(), &names.ingress), (path.last(), &names.egress)];
    let mut here = ends.iter().filter(|(at, _)| *at == Some(router));
    if here.any(|(_, end)| !carried.iter().any(|forward| forward.to == **end)) {
        return Some(Difference::LacksEnd);
    }
    let is_carried = |wanted: &Forward| {
        let mut carried = carried.iter();
        carried.any(|forward| forward.from == wanted.from && forward.to == wanted.to)
    };
    let mut wanted = forwards(path, names)
        .filter(|(at, _)| *at == router)
        .flat_map(|(_, forwards)| forwards);
    (!wanted.all(|forward| is_carried(&forward))).then_some(Difference::LacksForwards)
}
