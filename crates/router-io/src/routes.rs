//! Routes of circuits: what is dialed for them, and what controllers are answered.

mod dialing;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use portcullis_channel::ReplyTo;
use portcullis_forwarding::RouteRefusal;
use portcullis_router::circuits::ForwarderSettings;
use portcullis_router::edge::{CircuitId, ControllerId};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::route::{Route, RouteFailure, RouteOutcome, RouteResult, Unroute};
use portcullis_wire::peer_data::PeerData;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use self::dialing::Dialing;
use crate::circuit_note;
use crate::controllers::Controllers;
use crate::refusal_log::RefusalLog;
use crate::relay::Relay;

/// Dials what a terminator leads to, for circuits that end at this router: one for each binding.
pub(crate) trait Dialer: Send + Sync {
    /// Dials, and attaches the terminating end to the relay at [`DialRequest::address`]. Returns what the
    /// initiating end is told.
    ///
    /// The future is dropped when the time is over or the circuit is taken away. An end that it has
    /// attached by then is told that it is unrouted; anything else has to go with the future.
    fn dial(&self, request: DialRequest) -> BoxFuture<'static, Result<PeerData, DialFailure>>;
}

/// What a route asks to be dialed.
#[derive(Debug, Clone)]
pub(crate) struct DialRequest {
    pub(crate) circuit: CircuitId,
    /// Of the route.
    pub(crate) attempt: u32,
    /// The controller that the circuit belongs to.
    pub(crate) controller: ControllerId,
    /// Address of the terminating end.
    pub(crate) address: String,
    /// Address of the terminator.
    pub(crate) destination: String,
    /// Of the initiating end.
    pub(crate) peer_data: PeerData,
    /// When the controller gives up.
    pub(crate) deadline: Instant,
}

/// Why something could not be dialed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct DialFailure {
    /// A text for people.
    pub(crate) reason: String,
    pub(crate) failure: RouteFailure,
}

/// The dialers of a router, by the binding of the terminators that they dial.
pub(crate) type Dialers = BTreeMap<String, Arc<dyn Dialer>>;

/// What controllers want of circuits.
///
/// Routes that need no dial are taken at once, in the order in which they come. The others wait for a dial in
/// a queue; what finds no room in it is refused at once. Every route is answered.
pub(crate) struct Routes {
    relay: Arc<Relay>,
    controllers: Arc<Controllers>,
    dialers: Dialers,
    /// `xgressDialDwellTime`.
    pause: Duration,
    dialing: Mutex<Dialing>,
    failures: RefusalLog,
    tasks: TaskTracker,
}

/// Whom to answer about a route.
#[derive(Debug)]
struct Asking {
    controller: ControllerId,
    request: ReplyTo,
}

impl Routes {
    pub(crate) fn new(
        relay: Arc<Relay>,
        controllers: Arc<Controllers>,
        dialers: Dialers,
        settings: &ForwarderSettings,
        tasks: TaskTracker,
    ) -> Arc<Self> {
        Arc::new(Self {
            controllers,
            dialers,
            pause: settings.service_dial_pause,
            dialing: Mutex::new(Dialing::new(settings.service_dials)),
            failures: RefusalLog::of_routes(*relay.clock()),
            relay,
            tasks,
        })
    }

    /// Takes a route, at once or after a dial.
    pub(crate) fn route(self: &Arc<Self>, from: &ControllerId, request: ReplyTo, route: Route) {
        let asking = Asking {
            controller: from.clone(),
            request,
        };
        if self.has_to_dial(&route) {
            self.dial_later(asking, route);
        } else {
            let outcome = self.apply(&route, from, PeerData::new());
            self.answer(&asking, &route, outcome);
        }
    }

    /// Takes a circuit away, also from a dial that waits or is under way.
    pub(crate) fn unroute(&self, unroute: &Unroute) {
        self.dialing.lock().cancel(&unroute.circuit_id);
        self.relay.unroute(unroute);
    }

    /// Dials that wait, and dials that are under way.
    #[cfg(test)]
    pub(crate) fn dials(&self) -> (usize, usize) {
        self.dialing.lock().counts()
    }

    /// A route for which something was dialed before, perhaps another way to it, needs no dial.
    fn has_to_dial(&self, route: &Route) -> bool {
        let egress = route.egress.as_ref();
        egress.is_some_and(|egress| self.relay.find(&egress.address).is_none())
    }

    fn apply(&self, route: &Route, owner: &ControllerId, peer_data: PeerData) -> RouteOutcome {
        match self.relay.route(route, owner) {
            Ok(()) => RouteOutcome::Routed(peer_data),
            Err(refusal) => {
                self.tell_of_lost_link(&refusal);
                RouteOutcome::Failed {
                    reason: refusal.to_string(),
                    failure: refusal.failure(),
                }
            },
        }
    }

    /// One of the controllers believes in a link that is not there.
    fn tell_of_lost_link(&self, refusal: &RouteRefusal) {
        if let Some(fault) = refusal.link_fault() {
            self.controllers.tell_all(&ControlMessage::Fault(fault));
        }
    }

    fn answer(&self, asking: &Asking, route: &Route, outcome: RouteOutcome) {
        circuit_note::log_route(route, &outcome);
        if let RouteOutcome::Failed { reason, .. } = &outcome
            && self.failures.admits_route()
        {
            tracing::info!(
                circuit = route.circuit_id,
                attempt = route.attempt,
                controller = %asking.controller,
                reason,
                "route of a circuit failed"
            );
        }
        let result = RouteResult {
            circuit_id: route.circuit_id.clone(),
            attempt: route.attempt,
            outcome,
        };
        let message = ControlMessage::RouteResult(result);
        self.controllers
            .reply(&asking.controller, &asking.request, &message);
    }
}

impl From<DialFailure> for RouteOutcome {
    fn from(failure: DialFailure) -> Self {
        let DialFailure { reason, failure } = failure;
        Self::Failed { reason, failure }
    }
}
