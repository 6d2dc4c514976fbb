//! Where messages of circuits go.

mod counters;
#[cfg(test)]
mod tests;
mod timeouts;
mod view;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::{Mutex, RwLock};
use portcullis_channel::Moment;
use portcullis_forwarding::{
    Activity, Faults, Forwarder, ForwardingOptions, Hop, Passage, RouteRefusal, TraceStep,
    trace_step,
};
use portcullis_memory_budget::MemoryBudget;
use portcullis_router::edge::{ControllerId, Recipient};
use portcullis_router::metrics::{Traffic, Usage};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{Fault, FaultSubject};
use portcullis_wire::control::route::{Route, Unroute};
use portcullis_xgress::{Side, Stats};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::circuit_message::CircuitMessage;
use crate::circuit_note::CircuitNote;
use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::relay::counters::Counters;
use crate::sdk_channels::SdkEnd;

pub(crate) use crate::relay::counters::RelayCounts;
pub(crate) use crate::relay::view::CarriedCircuit;

/// What messages of circuits are handed to: a link, or an end of a circuit at this router.
pub(crate) trait Destination: Send + Sync {
    /// Takes a message, or gives it back if there is no room. It never waits, and is called while locks are
    /// held.
    fn deliver(&self, message: CircuitMessage) -> Result<(), CircuitMessage>;

    /// Completes when there may be room for a message that was given back.
    fn room(&self, message: &CircuitMessage) -> BoxFuture<'static, ()>;

    /// A message that was given back is dropped: nobody waits for room for it.
    fn dropped(&self, _message: &CircuitMessage) {}

    /// A circuit is no longer carried: its end has to go, without telling the controller. Links ignore it.
    fn unrouted(&self, circuit: &str);

    /// What it is, for inspections.
    fn kind(&self) -> &'static str {
        "xgress"
    }

    /// The SDK that it is an end of a circuit for, wherever payloads are numbered.
    fn sdk_end(&self) -> Option<SdkEnd> {
        None
    }

    /// What an end in this router is doing, for inspections. Links and SDKs have nothing to say.
    fn end_view(&self) -> BoxFuture<'static, Option<EndView>> {
        Box::pin(std::future::ready(None))
    }
}

/// An end of a circuit in this router, for inspections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EndView {
    pub(crate) side: Side,
    /// Such as `xgress/edge`.
    pub(crate) kind: &'static str,
    /// Time since something came from the other end.
    pub(crate) silent_for: Duration,
    /// Time since a payload was last sent again.
    pub(crate) retransmitted_before: Option<Duration>,
    pub(crate) stats: Stats,
}

/// Why a message was not forwarded.
pub(crate) enum NotForwarded {
    /// It leads nowhere. The controller of the circuit is told, if it was a payload.
    NoWay,
    /// There is no room in what it leads to now.
    Full(CircuitMessage, Arc<dyn Destination>),
}

/// The circuits of controllers, what they lead to, and what each has carried.
type Circuits = Forwarder<ControllerId, Arc<dyn Destination>, CircuitNote>;

/// The circuits of a router: what comes from one hop goes to another.
///
/// What carries a message takes one lock for reading, and nothing that waits.
pub(crate) struct Relay {
    router: Arc<str>,
    clock: RouterClock,
    options: ForwardingOptions,
    controllers: Arc<Controllers>,
    forwarder: RwLock<Circuits>,
    usage: Usage,
    faults: Mutex<Faults<ControllerId>>,
    counters: Counters,
    /// What ends, links and channels of SDKs share.
    memory: Arc<MemoryBudget>,
    /// Wakes [`run`](Self::run) when there is a deadline where there was none.
    deadline_set: Notify,
    /// Cancelled under the lock of the forwarder: what comes later ends at once.
    stopping: CancellationToken,
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
            options,
            controllers,
            forwarder: RwLock::new(Forwarder::with_notes(options)),
            usage: Usage::new(clock.timestamp()),
            faults: Mutex::new(Faults::new(&options)),
            counters: Counters::default(),
            memory: Arc::new(MemoryBudget::unlimited()),
            deadline_set: Notify::new(),
            stopping: CancellationToken::new(),
        }
    }

    /// Bounds the memory of everything that messages of circuits wait in.
    pub(crate) fn within(self, memory: Arc<MemoryBudget>) -> Self {
        Self { memory, ..self }
    }

    pub(crate) const fn memory(&self) -> &Arc<MemoryBudget> {
        &self.memory
    }

    /// The id of this router.
    pub(crate) fn router(&self) -> &Arc<str> {
        &self.router
    }

    pub(crate) const fn clock(&self) -> &RouterClock {
        &self.clock
    }

    /// What circuits have carried.
    pub(crate) const fn usage(&self) -> &Usage {
        &self.usage
    }

    pub(crate) fn counts(&self) -> RelayCounts {
        self.counters.get()
    }

    /// Forwards a message, or drops it: for links and SDKs, whose payloads are repeated end to end. Returns
    /// whether there was room.
    pub(crate) fn forward_or_drop(&self, from: Hop, message: CircuitMessage) -> bool {
        let forwarded = self.forward(from, message, Activity::Shown);
        let Err(NotForwarded::Full(message, destination)) = forwarded else {
            return true;
        };
        self.counters.no_room();
        destination.dropped(&message);
        false
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
        match forwarder.pass(message.circuit(), from, activity, now) {
            Ok(passage) => {
                let bytes = message.data_len();
                let first = passage.note.carries(&message);
                self.hand_over(message, passage.destination)?;
                count_on_links(&passage, bytes);
                drop(forwarder);
                if let Some(first) = first {
                    first.log();
                }
                Ok(())
            },
            Err(why) => {
                self.counters.no_way(why);
                let owner = forwarder.owner(message.circuit()).cloned();
                drop(forwarder);
                if let CircuitMessage::Payload(payload) = message {
                    self.add_fault(&payload.circuit_id, owner.as_ref());
                }
                Err(NotForwarded::NoWay)
            },
        }
    }

    fn hand_over(
        &self,
        message: CircuitMessage,
        destination: &Arc<dyn Destination>,
    ) -> Result<(), NotForwarded> {
        let bytes = message.data_len();
        match destination.deliver(message) {
            Ok(()) => {
                self.counters.forwarded(bytes);
                Ok(())
            },
            Err(message) => Err(NotForwarded::Full(message, Arc::clone(destination))),
        }
    }

    fn add_fault(&self, circuit: &str, owner: Option<&ControllerId>) {
        let mut faults = self.faults.lock();
        let before = faults.poll_timeout();
        faults.add(circuit, owner, self.clock.moment());
        let after = faults.poll_timeout();
        drop(faults);
        self.note_deadline(before, after);
    }

    fn send_to(&self, hop: Hop, message: CircuitMessage) -> Result<(), NotForwarded> {
        let forwarder = self.forwarder.read();
        let destination = forwarder.destination(hop).ok_or(NotForwarded::NoWay)?;
        self.hand_over(message, destination)
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

    pub(crate) fn route(&self, route: &Route, owner: &ControllerId) -> Result<(), RouteRefusal> {
        let now = self.clock.moment();
        let usage = self.usage.circuit(&route.circuit_id);
        usage.tag(&route.tags);
        let mut forwarder = self.forwarder.write();
        let note = || CircuitNote::new(usage);
        let result = forwarder.route_with(route, owner, note, now);
        if result.is_ok()
            && let Some(note) = forwarder.note(&route.circuit_id)
        {
            note.trace(route);
        }
        drop(forwarder);
        if self.is_stopping() {
            self.end_all();
        }
        self.end_circuits();
        result
    }

    pub(crate) fn unroute(&self, unroute: &Unroute) {
        let now = self.clock.moment();
        let mut forwarder = self.forwarder.write();
        let before = forwarder.poll_timeout();
        if let Some(note) = forwarder.note(&unroute.circuit_id) {
            note.ends_because("the controller has taken it away");
        }
        forwarder.unroute(unroute, now);
        let after = forwarder.poll_timeout();
        drop(forwarder);
        self.note_deadline(before, after);
        self.end_circuits();
    }

    /// Wakes [`run`](Self::run) if there is a deadline where there was none: all others come later.
    fn note_deadline(&self, before: Option<Moment>, after: Option<Moment>) {
        if before.is_none() && after.is_some() {
            self.deadline_set.notify_one();
        }
    }

    /// An end of a circuit goes: it is detached, and the circuit [ends](Self::end), unless it leads to another end
    /// since a later attempt to dial.
    pub(crate) fn leave(
        &self,
        (circuit, side): (&str, Side),
        hop: Hop,
        destination: &Arc<dyn Destination>,
    ) {
        let is_current = self.forwarder.read().is_end(circuit, hop);
        self.detach(hop, destination);
        if is_current {
            self.end(circuit, side);
        }
    }

    /// The end of a circuit at this router is gone, and with it the circuit. Its controller is told, unless
    /// the circuit is not carried any more.
    pub(crate) fn end(&self, circuit: &str, side: Side) {
        let mut forwarder = self.forwarder.write();
        let owner = forwarder.owner(circuit).cloned();
        if let Some(note) = forwarder.note(circuit) {
            note.ends_because(match side {
                Side::Initiator => "its end at the client is gone",
                Side::Terminator => "its end at the host is gone",
            });
        }
        forwarder.end(circuit);
        drop(forwarder);
        self.end_circuits();
        let Some(owner) = owner else {
            return;
        };
        let fault = Fault {
            subject: match side {
                Side::Initiator => FaultSubject::Ingress,
                Side::Terminator => FaultSubject::Egress,
            },
            id: circuit.to_owned(),
            iteration: 0,
        };
        // A controller that is away asks about idle circuits once it is back.
        let message = ControlMessage::Fault(fault);
        let _is_away = self.controllers.tell(&Recipient::Only(owner), &message);
    }

    /// Tells the ends of circuits that are no longer carried, without holding the lock.
    fn end_circuits(&self) {
        let mut gone = Vec::new();
        let mut forwarder = self.forwarder.write();
        while let Some(ended) = forwarder.poll_ended() {
            let destinations = ended.ends.iter();
            let destinations = destinations.filter_map(|hop| forwarder.destination(*hop).cloned());
            let destinations: Vec<_> = destinations.collect();
            gone.push((ended.circuit, destinations, ended.note));
        }
        drop(forwarder);
        for (circuit, destinations, note) in gone {
            note.log_end(&circuit);
            for destination in destinations {
                destination.unrouted(&circuit);
            }
        }
    }
}

/// Counts what a circuit carries over links.
fn count_on_links(passage: &Passage<'_, Arc<dyn Destination>, CircuitNote>, bytes: usize) {
    if bytes == 0 {
        return;
    }
    if !passage.is_from_end {
        let usage = &passage.note.usage;
        usage.count(Traffic::FabricReceived, bytes);
    }
    if !passage.is_to_end {
        let usage = &passage.note.usage;
        usage.count(Traffic::FabricSent, bytes);
    }
}
