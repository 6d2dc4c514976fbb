//! Where messages of circuits go.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::{Mutex, RwLock};
use portcullis_forwarding::{
    Activity, Faults, Forwarder, ForwardingOptions, Hop, RouteRefusal, TraceStep, trace_step,
};
use portcullis_router::edge::ControllerId;
use portcullis_wire::control::route::{Route, Unroute};

use crate::circuit_message::CircuitMessage;
use crate::clock::RouterClock;
use crate::controllers::Controllers;

/// What messages of circuits are handed to: a link, or an end of a circuit at this router.
pub(crate) trait Destination: Send + Sync {
    /// Takes a message, or gives it back if there is no room. It never waits, and is called while locks are
    /// held.
    fn deliver(&self, message: CircuitMessage) -> Result<(), CircuitMessage>;

    /// Completes when there may be room again.
    fn room(&self) -> BoxFuture<'static, ()>;

    /// A circuit is no longer carried: its end has to go, without telling the controller. Links ignore it.
    fn unrouted(&self, circuit: &str);
}

/// Why a message was not forwarded.
pub(crate) enum NotForwarded {
    /// It leads nowhere. The controller of the circuit is told, if it was a payload.
    NoWay,
    /// There is no room in what it leads to now.
    Full(CircuitMessage, Arc<dyn Destination>),
}

/// The circuits of a router: what comes from one hop goes to another.
///
/// What carries a message takes one lock for reading, and nothing that waits.
pub(crate) struct Relay {
    router: Arc<str>,
    clock: RouterClock,
    controllers: Arc<Controllers>,
    forwarder: RwLock<Forwarder<ControllerId, Arc<dyn Destination>>>,
    faults: Mutex<Faults<ControllerId>>,
}

impl Relay {
    pub(crate) fn new(
        router: Arc<str>,
        options: ForwardingOptions,
        controllers: Arc<Controllers>,
        clock: RouterClock,
    ) -> Self {
        Self {
            router,
            clock,
            controllers,
            forwarder: RwLock::new(Forwarder::new(options)),
            faults: Mutex::new(Faults::new(&options)),
        }
    }

    /// Forwards a message that comes from a hop. Traces that end at this router are answered.
    pub(crate) fn forward(
        &self,
        from: Hop,
        message: CircuitMessage,
        activity: Activity,
    ) -> Result<(), NotForwarded> {
        let CircuitMessage::Control(control) = message else {
            return self.pass_on(from, message, activity);
        };
        match trace_step(*control, "forwarder", &self.router) {
            TraceStep::Forward(control) => {
                self.pass_on(from, CircuitMessage::Control(Box::new(control)), activity)
            },
            TraceStep::Answer(answer) => {
                self.send_to(from, CircuitMessage::Control(Box::new(answer)))
            },
        }
    }

    fn pass_on(
        &self,
        from: Hop,
        message: CircuitMessage,
        activity: Activity,
    ) -> Result<(), NotForwarded> {
        let now = self.clock.moment();
        let forwarder = self.forwarder.read();
        if let Ok(destination) = forwarder.forward(message.circuit(), from, activity, now) {
            return destination
                .deliver(message)
                .map_err(|message| NotForwarded::Full(message, Arc::clone(destination)));
        }
        let CircuitMessage::Payload(payload) = message else {
            return Err(NotForwarded::NoWay);
        };
        let owner = forwarder.owner(&payload.circuit_id).cloned();
        drop(forwarder);
        let mut faults = self.faults.lock();
        faults.add(&payload.circuit_id, owner.as_ref(), now);
        Err(NotForwarded::NoWay)
    }

    fn send_to(&self, hop: Hop, message: CircuitMessage) -> Result<(), NotForwarded> {
        let forwarder = self.forwarder.read();
        let destination = forwarder.destination(hop).ok_or(NotForwarded::NoWay)?;
        destination
            .deliver(message)
            .map_err(|message| NotForwarded::Full(message, Arc::clone(destination)))
    }

    /// Attaches a link, by its id, or an end, by its address. Returns its hop, and what it takes the place of.
    pub(crate) fn attach(
        &self,
        address: &str,
        destination: Arc<dyn Destination>,
    ) -> (Hop, Option<Arc<dyn Destination>>) {
        self.forwarder.write().attach(address, destination)
    }

    /// Detaches a link or an end, unless another one has taken its place.
    pub(crate) fn detach(&self, hop: Hop, destination: &Arc<dyn Destination>) {
        let is_meant = |attached: &Arc<dyn Destination>| Arc::ptr_eq(attached, destination);
        self.forwarder.write().detach(hop, is_meant);
    }

    /// What an address leads to, if anything is attached there.
    pub(crate) fn find(&self, address: &str) -> Option<(Hop, Arc<dyn Destination>)> {
        let forwarder = self.forwarder.read();
        let (hop, destination) = forwarder.find(address)?;
        Some((hop, Arc::clone(destination)))
    }

    /// The controller that a circuit belongs to.
    pub(crate) fn owner(&self, circuit: &str) -> Option<ControllerId> {
        self.forwarder.read().owner(circuit).cloned()
    }

    /// Says that a circuit is in use, of what does not pass through [`forward`](Self::forward).
    pub(crate) fn note_activity(&self, circuit: &str) {
        let now = self.clock.moment();
        self.forwarder.read().note_activity(circuit, now);
    }

    pub(crate) fn route(&self, route: &Route, owner: &ControllerId) -> Result<(), RouteRefusal> {
        let now = self.clock.moment();
        let result = self.forwarder.write().route(route, owner, now);
        self.end_circuits();
        result
    }

    pub(crate) fn unroute(&self, unroute: &Unroute) {
        let now = self.clock.moment();
        self.forwarder.write().unroute(unroute, now);
        self.end_circuits();
    }

    /// The end of a circuit at this router is gone, and with it the circuit.
    pub(crate) fn end(&self, circuit: &str) {
        self.forwarder.write().end(circuit);
        self.end_circuits();
    }

    /// Tells the ends of circuits that are no longer carried, without holding the lock.
    fn end_circuits(&self) {
        let mut gone = Vec::new();
        let mut forwarder = self.forwarder.write();
        while let Some(ended) = forwarder.poll_ended() {
            let destinations = ended.ends.iter();
            let destinations = destinations.filter_map(|hop| forwarder.destination(*hop).cloned());
            gone.push((Arc::clone(&ended.circuit), destinations.collect::<Vec<_>>()));
        }
        drop(forwarder);
        for (circuit, destinations) in gone {
            for destination in destinations {
                destination.unrouted(&circuit);
            }
        }
    }
}
