//! The ends of a channel's circuits.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use portcullis_domain::policies::ServiceGrant;
use portcullis_forwarding::{Activity, Hop};
use portcullis_router::access::{Usage, UsageSubject, UsedService};
use portcullis_router::edge::{
    ChannelId, CircuitData, CircuitEnd, CircuitId, Closing, Flow, FromSdk, Side,
};
use portcullis_wire::Secret;
use portcullis_xgress as xgress;
use tokio::sync::mpsc;

use super::destination::SdkDestination;
use super::local_side::SdkSide;
use crate::circuit_message::CircuitMessage;
use crate::ends::{EndHandle, EndTerms, Ends, Start};
use crate::relay::{Destination, Relay};
use crate::sdk_channels::SdkHandle;

/// Up to this length, data is copied out of the buffer that it was read into: that may be much longer, and
/// would stay in memory until the last of it is acknowledged.
const COPIED: usize = 16 * 1024;

/// The circuits that end at a channel.
pub(super) struct Circuits {
    ends: Ends,
    options: Arc<xgress::Options>,
    sdk: Arc<SdkHandle>,
    taken: mpsc::UnboundedSender<(CircuitId, usize)>,
    open: BTreeMap<CircuitId, OpenCircuit>,
}

/// An end of a circuit.
struct OpenCircuit {
    side: Side,
    at: At,
}

/// Where a circuit ends.
enum At {
    Router {
        end: EndHandle,
        input: mpsc::UnboundedSender<CircuitData>,
    },
    Sdk {
        hop: Hop,
        destination: Arc<dyn Destination>,
    },
}

impl Circuits {
    /// What circuits have taken of what was put into them comes out of `taken`.
    pub(super) const fn new(
        ends: Ends,
        options: Arc<xgress::Options>,
        sdk: Arc<SdkHandle>,
        taken: mpsc::UnboundedSender<(CircuitId, usize)>,
    ) -> Self {
        Self {
            ends,
            options,
            sdk,
            taken,
            open: BTreeMap::new(),
        }
    }

    fn relay(&self) -> &Relay {
        self.ends.relay()
    }

    /// Attaches the end of a circuit to the relay.
    pub(super) fn open(&mut self, end: &CircuitEnd) {
        let at = match end.flow {
            Flow::Router => self.open_in_router(end),
            Flow::Sdk => self.open_in_sdk(end),
        };
        let circuit = OpenCircuit { side: end.side, at };
        self.open.insert(end.circuit.clone(), circuit);
    }

    fn open_in_router(&self, end: &CircuitEnd) -> At {
        let (input, receiver) = mpsc::unbounded_channel();
        let side = SdkSide::new(
            end.circuit.clone(),
            end.connection,
            Arc::clone(&self.sdk),
            receiver,
            self.taken.clone(),
        );
        let (side_of_end, start) = match end.side {
            // Nothing comes before the SDK knows of the circuit.
            Side::Initiator => (xgress::Side::Initiator, Start::WhenTold),
            Side::Terminator => (xgress::Side::Terminator, Start::AtOnce),
        };
        let terms = EndTerms {
            circuit: end.circuit.clone(),
            address: end.address.clone(),
            side: side_of_end,
            options: Arc::clone(&self.options),
            start,
        };
        let end = self.ends.open(&terms, side);
        At::Router { end, input }
    }

    fn open_in_sdk(&self, end: &CircuitEnd) -> At {
        let destination: Arc<dyn Destination> = Arc::new(SdkDestination {
            circuit: end.circuit.clone(),
            connection: end.connection,
            sdk: Arc::clone(&self.sdk),
        });
        let (hop, replaced) = self.relay().attach(&end.address, Arc::clone(&destination));
        if let Some(replaced) = replaced {
            replaced.unrouted(end.circuit.as_str());
        }
        At::Sdk { hop, destination }
    }

    /// The SDK knows of the circuit.
    pub(super) fn start(&self, circuit: &CircuitId) {
        if let Some(At::Router { end, .. }) = self.open.get(circuit).map(|open| &open.at) {
            end.start();
        }
    }

    pub(super) fn put(&self, circuit: &CircuitId, content: FromSdk) {
        let Some(open) = self.open.get(circuit) else {
            return;
        };
        let message = match content {
            FromSdk::Data(data) => {
                if let At::Router { input, .. } = &open.at {
                    let _is_over = input.send(compact(data));
                }
                return;
            },
            FromSdk::Payload(payload) => CircuitMessage::Payload(Box::new(payload)),
            FromSdk::Acknowledgement(acknowledgement) => {
                CircuitMessage::Acknowledgement(Box::new(acknowledgement))
            },
            FromSdk::Control(control) => CircuitMessage::Control(Box::new(control)),
        };
        match &open.at {
            // Not by an SDK's own payloads, so it does not show that the circuit is in use.
            At::Router { end, .. } => {
                let _may_be_lost = self.relay().forward(end.hop(), message, Activity::NotShown);
            },
            At::Sdk { hop, .. } => self.relay().forward_or_drop(*hop, message),
        }
    }

    /// Ends a circuit. Its controller is told.
    pub(super) fn close(&mut self, circuit: &CircuitId, closing: Closing) -> Option<Side> {
        let OpenCircuit { side, at } = self.open.remove(circuit)?;
        match at {
            At::Router { end, input } => {
                drop(input);
                if closing == Closing::AtOnce {
                    end.abort();
                }
            },
            At::Sdk { hop, destination } => {
                self.relay().detach(hop, &destination);
                let side = match side {
                    Side::Initiator => xgress::Side::Initiator,
                    Side::Terminator => xgress::Side::Terminator,
                };
                self.relay().end(circuit.as_str(), side);
            },
        }
        Some(side)
    }

    /// Forgets a circuit that has ended by itself.
    pub(super) fn forget(&mut self, circuit: &CircuitId) -> Option<Side> {
        let OpenCircuit { side, at } = self.open.remove(circuit)?;
        if let At::Sdk { hop, destination } = at {
            self.relay().detach(hop, &destination);
        }
        Some(side)
    }
}

/// For what a circuit needs a right.
pub(super) fn usage(channel: ChannelId, circuit: CircuitId, side: Side) -> Usage {
    Usage {
        channel,
        grant: match side {
            Side::Initiator => ServiceGrant::Dial,
            Side::Terminator => ServiceGrant::Bind,
        },
        subject: UsageSubject::Circuit(circuit),
    }
}

pub(super) fn used(end: &CircuitEnd) -> UsedService {
    UsedService {
        service: end.service.clone(),
        session: end.session.clone(),
    }
}

/// Data without what was read together with it.
fn compact(data: CircuitData) -> CircuitData {
    if data.data.expose().len() > COPIED {
        return data;
    }
    let copied = |bytes: &Bytes| Bytes::copy_from_slice(bytes);
    let headers = data.headers.iter();
    CircuitData {
        headers: headers.map(|(key, value)| (*key, copied(value))).collect(),
        data: Secret::new(copied(data.data.expose())),
    }
}
