//! Ends of circuits in this router.
//!
//! ```text
//! Relay -> EndHandle (inbox) -> task: xgress::Endpoint <-> LocalSide: socket, datagrams, SDK
//!   ^                            |
//!   +----------------------------+
//! ```
//!
//! An end is one task around an [`Endpoint`](portcullis_xgress::Endpoint). What is on its way to an end waits
//! in its inbox; a full inbox refuses, and the other end of the circuit repeats. The other way round, an
//! end that finds no room in its next hop waits for it, and takes nothing from its local side meanwhile.
//!
//! Memory of an end: what [`Options`](portcullis_xgress::Options) say, as much as `receive_buffer` in the
//! inbox, and what the local side holds; less if the memory that all ends share is scarce, or what the identity has
//! of it. Idle, an end takes some 2 KiB and has no deadline.

mod datagrams;
mod handle;
mod inbox;
mod local_side;
mod metrics;
mod socket;
mod task;
#[cfg(test)]
mod tests;
mod timer;

use std::sync::Arc;

use portcullis_memory_budget::MemoryBudget;
use portcullis_metrics::MetricRegistry;
use portcullis_router::edge::{CircuitId, IdentityId};
use portcullis_xgress::{Endpoint, Options, Side};
use tokio_util::task::TaskTracker;

use crate::identity_memory::IdentityMemory;
use crate::relay::{Destination, Relay};

pub(crate) use crate::ends::datagrams::{DatagramSide, Datagrams};
pub(crate) use crate::ends::handle::EndHandle;
pub(crate) use crate::ends::local_side::{FromLocal, LocalSide};
pub(crate) use crate::ends::metrics::{BorderMeter, first_time_bytes};
pub(crate) use crate::ends::socket::SocketSide;

use crate::ends::inbox::Inbox;
use crate::ends::metrics::{EndMeter, EndMetrics};
use crate::ends::task::End;

/// Opens ends of circuits in this router.
#[derive(Clone)]
pub(crate) struct Ends {
    relay: Arc<Relay>,
    identities: Arc<IdentityMemory>,
    metrics: Arc<EndMetrics>,
    tasks: TaskTracker,
}

/// What an end is to be.
#[derive(Debug, Clone)]
pub(crate) struct EndTerms {
    pub(crate) circuit: CircuitId,
    /// By which routes name it.
    pub(crate) address: String,
    pub(crate) side: Side,
    pub(crate) options: Arc<Options>,
    pub(crate) start: Start,
    /// Whose memory it takes, if that is known.
    pub(crate) identity: Option<IdentityId>,
}

/// When an end may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    AtOnce,
    /// When [`EndHandle::start`] says so. The other end is silent until then, too, if this is the
    /// initiating one.
    WhenTold,
}

impl Ends {
    pub(crate) fn new(relay: Arc<Relay>, registry: &MetricRegistry, tasks: TaskTracker) -> Self {
        Self {
            identities: Arc::new(IdentityMemory::new(relay.memory())),
            relay,
            metrics: EndMetrics::new(registry),
            tasks,
        }
    }

    pub(crate) const fn relay(&self) -> &Arc<Relay> {
        &self.relay
    }

    /// The memory that an identity shares among its channels and circuits.
    pub(crate) fn memory_of(&self, identity: &IdentityId) -> Arc<MemoryBudget> {
        self.identities.of(identity)
    }

    /// The memory for an end: what its identity has, or the whole if it is not known whose it is.
    pub(crate) fn memory_for(&self, identity: Option<&IdentityId>) -> Arc<MemoryBudget> {
        let whole = || Arc::clone(self.relay.memory());
        identity.map_or_else(whole, |identity| self.memory_of(identity))
    }

    /// Counts what passes between an end of a circuit and whatever it ends at: also for those ends that SDKs
    /// are themselves.
    pub(crate) fn meter(&self, circuit: &CircuitId, side: Side) -> BorderMeter {
        let usage = self.relay.usage().circuit(circuit.as_str());
        BorderMeter::new(Arc::clone(&self.metrics), usage, side)
    }

    /// Opens an end: attaches it to the relay at its address, and carries between the circuit and the local
    /// side until either is over. Then the controller of the circuit is told, unless it is the one who has
    /// ended the circuit.
    pub(crate) fn open<L: LocalSide>(&self, terms: &EndTerms, local: L) -> EndHandle {
        let memory = self.memory_for(terms.identity.as_ref());
        let inbox = Arc::new(Inbox::new(terms, local.sdk_end(), &memory));
        let destination: Arc<dyn Destination> = inbox.clone();
        let (hop, replaced) = self.relay.attach(&terms.address, Arc::clone(&destination));
        if let Some(replaced) = replaced {
            replaced.unrouted(terms.circuit.as_str());
        }
        let circuit = terms.circuit.as_str().to_owned();
        let now = self.relay.clock().now();
        let endpoint = Endpoint::new(terms.side, circuit, terms.options.clone(), now);
        let end = End::new(
            Arc::clone(&self.relay),
            hop,
            Arc::clone(&inbox),
            endpoint,
            EndMeter::new(self.meter(&terms.circuit, terms.side)),
            terms.options.max_close_wait,
            local,
        );
        self.tasks.spawn(end);
        let handle = EndHandle::new(inbox, hop);
        // Nobody would take it away any more.
        if self.relay.is_stopping() {
            handle.abort();
        }
        handle
    }
}
