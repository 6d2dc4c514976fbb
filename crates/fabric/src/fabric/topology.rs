//! What changes of the network mean for circuits.

use super::{Fabric, FabricEvent};
use crate::circuits::{Action, Circuit, EndReason, FailureCause, State};
use crate::{CircuitId, LinkId, NetworkOutput, Path, RouterSession, RouterSlot};
use portcullis_channel::Moment;

impl Fabric {
    /// Does what follows from changes of the network.
    pub(super) fn follow_network(&mut self, now: Moment) {
        let mut has_more_paths = false;
        while let Some(output) = self.network.poll_output() {
            match output {
                NetworkOutput::CloseLink {
                    to,
                    link,
                    iteration,
                } => self.actions.push_back(Action::CloseLink {
                    to,
                    link,
                    iteration,
                }),
                NetworkOutput::SessionEnded(session) => self.follow_session_end(session, now),
                NetworkOutput::Connected(session) => self.follow_connect(session, now),
                NetworkOutput::LinkLost(link) => self.follow_link_loss(&link, now),
                NetworkOutput::RouterLost(router) => self.follow_router_loss(router, now),
                NetworkOutput::PathsAdded => has_more_paths = true,
                NetworkOutput::Router(event) => self.events.push_back(FabricEvent::Router(event)),
                NetworkOutput::Link(event) => self.events.push_back(FabricEvent::Link(event)),
            }
        }
        if has_more_paths {
            self.adopt_all(now);
            let is_stranded = |circuit: &Circuit| matches!(circuit.state, State::Stranded(_));
            let stranded = self.circuits.find(is_stranded);
            self.each(stranded, |fabric, circuit| fabric.reroute(circuit, now));
        }
    }

    fn each(&mut self, circuits: Vec<CircuitId>, mut then: impl FnMut(&mut Self, Circuit)) {
        for id in circuits {
            if let Some(circuit) = self.circuits.take(&id) {
                then(self, circuit);
            }
        }
    }

    fn follow_connect(&mut self, session: RouterSession, now: Moment) {
        for circuit in self.owed.take(session.router()) {
            // Should the circuit be there again, the router has a new route for it.
            self.send_unroute(session, circuit, true);
        }
        self.ask_first(session, now);
    }

    /// Nobody will answer what was sent in the session.
    fn follow_session_end(&mut self, session: RouterSession, now: Moment) {
        let is_concerned = |circuit: &Circuit| match &circuit.state {
            State::Dialing(dialing) => {
                dialing.dial.from == session || dialing.pending.awaits(session)
            },
            State::Rerouting(rerouting) => rerouting.pending.awaits(session),
            State::Open | State::Stranded(_) => false,
        };
        // It is asked again when it comes back.
        self.forget_carrier(session.router());
        self.orphans.forget(session.router());
        let circuits = self.circuits.find(is_concerned);
        self.each(circuits, |fabric, circuit| match &circuit.state {
            State::Dialing(dialing) if dialing.dial.from == session => {
                fabric.end(circuit, EndReason::RouterLost, true);
            },
            _ => fabric.leave(circuit, FailureCause::RouterLost, now),
        });
    }

    fn follow_link_loss(&mut self, link: &LinkId, now: Moment) {
        let circuits = self
            .circuits
            .find(|circuit| is_broken(circuit, |path| path.uses(link)));
        self.each(circuits, |fabric, circuit| {
            fabric.leave(circuit, FailureCause::LinkLost, now);
        });
    }

    fn follow_router_loss(&mut self, router: RouterSlot, now: Moment) {
        if self.network.router_id(router).is_none() {
            self.owed.take(router);
            self.questions.forget(router);
        }
        let ending = self
            .circuits
            .find(|circuit| !matches!(circuit.state, State::Dialing(_)) && circuit.is_end(router));
        self.end_all(ending, EndReason::RouterLost);
        let broken = self
            .circuits
            .find(|circuit| is_broken(circuit, |path| path.passes(router)));
        self.each(broken, |fabric, circuit| {
            fabric.leave(circuit, FailureCause::RouterLost, now);
        });
    }

    /// Leaves a path that does not work.
    fn leave(&mut self, circuit: Circuit, cause: FailureCause, now: Moment) {
        match &circuit.state {
            State::Dialing(_) => self.retry(circuit, cause, String::new(), now),
            State::Rerouting(_) => self.retry_reroute(circuit, now),
            State::Open => self.reroute(circuit, now),
            State::Stranded(_) => self.circuits.put(circuit),
        }
    }
}

/// Whether the path that a circuit has, or is about to get, is of this kind.
fn is_broken(circuit: &Circuit, is_bad: impl Fn(&Path) -> bool) -> bool {
    !matches!(circuit.state, State::Stranded(_)) && is_bad(circuit.newest_path())
}
