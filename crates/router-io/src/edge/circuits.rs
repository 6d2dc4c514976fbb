//! The ends of a channel's circuits.

use std::collections::BTreeMap;
use std::sync::Arc;

use portcullis_domain::policies::ServiceGrant;
use portcullis_forwarding::{Activity, Hop};
use portcullis_memory_budget::Account;
use portcullis_router::access::{Usage, UsageSubject, UsedService};
use portcullis_router::edge::{ChannelId, CircuitEnd, Closing, EndId, Flow, FromSdk};
use portcullis_xgress::{Options, Side};
use tokio::sync::mpsc;

use super::destination::SdkDestination;
use super::input::{Input, InputSender};
use super::local_side::SdkSide;
use crate::circuit_message::CircuitMessage;
use crate::ends::{BorderMeter, EndHandle, EndTerms, Ends, Start, first_time_bytes};
use crate::relay::{Destination, Relay};
use crate::sdk_channels::SdkHandle;

/// What an end in an SDK takes of the router's memory, in bytes: its connection, its place in the relay, and what
/// is counted of it.
const IN_SDK: usize = 2 << 10;

/// The circuits that end at a channel.
pub(super) struct Circuits {
    ends: Ends,
    options: Arc<Options>,
    sdk: Arc<SdkHandle>,
    taken: mpsc::UnboundedSender<(EndId, usize)>,
    open: BTreeMap<EndId, OpenEnd>,
}

/// An end of a circuit, and where that is.
enum OpenEnd {
    InRouter {
        end: EndHandle,
        input: InputSender,
    },
    InSdk {
        hop: Hop,
        destination: Arc<dyn Destination>,
        meter: BorderMeter,
        _memory: Account,
    },
}

impl Circuits {
    /// What circuits have taken of what was put into them comes out of `taken`.
    pub(super) const fn new(
        ends: Ends,
        options: Arc<Options>,
        sdk: Arc<SdkHandle>,
        taken: mpsc::UnboundedSender<(EndId, usize)>,
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
        let open = match end.flow {
            Flow::Router => self.open_in_router(end),
            Flow::Sdk => self.open_in_sdk(end),
        };
        self.open.insert(end.id.clone(), open);
    }

    fn open_in_router(&self, end: &CircuitEnd) -> OpenEnd {
        let (input, receiver) = Input::open();
        let side = SdkSide::new(
            end.id.clone(),
            end.connection,
            Arc::clone(&self.sdk),
            receiver,
            self.taken.clone(),
        );
        let terms = EndTerms {
            circuit: end.id.circuit.clone(),
            address: end.address.clone(),
            side: end.id.side,
            options: Arc::clone(&self.options),
            start: match end.id.side {
                // Nothing comes before the SDK knows of the circuit.
                Side::Initiator => Start::WhenTold,
                Side::Terminator => Start::AtOnce,
            },
            identity: Some(self.sdk.identity.clone()),
        };
        let end = self.ends.open(&terms, side);
        OpenEnd::InRouter { end, input }
    }

    fn open_in_sdk(&self, end: &CircuitEnd) -> OpenEnd {
        let meter = self.ends.meter(&end.id.circuit, end.id.side);
        let destination: Arc<dyn Destination> = Arc::new(SdkDestination {
            end: end.id.clone(),
            connection: end.connection,
            sdk: Arc::clone(&self.sdk),
            meter: meter.clone(),
        });
        let (hop, replaced) = self.relay().attach(&end.address, Arc::clone(&destination));
        if let Some(replaced) = replaced {
            replaced.unrouted(end.id.circuit.as_str());
        }
        let mut memory = Account::new(&self.ends.memory_of(&self.sdk.identity));
        memory.set(IN_SDK);
        OpenEnd::InSdk {
            hop,
            destination,
            meter,
            _memory: memory,
        }
    }

    /// The SDK knows of the circuit.
    pub(super) fn start(&self, end: &EndId) {
        if let Some(OpenEnd::InRouter { end, .. }) = self.open.get(end) {
            end.start();
        }
    }

    pub(super) fn put(&self, end: &EndId, content: FromSdk) {
        let Some(open) = self.open.get(end) else {
            return;
        };
        let message = match content {
            FromSdk::Data(data) => {
                if let OpenEnd::InRouter { input, .. } = open {
                    input.send(data);
                }
                return;
            },
            FromSdk::Payload(payload) => CircuitMessage::Payload(Box::new(payload)),
            FromSdk::Acknowledgement(acknowledgement) => {
                CircuitMessage::Acknowledgement(Box::new(acknowledgement))
            },
            FromSdk::Control(control) => CircuitMessage::Control(Box::new(control)),
        };
        match open {
            // Not by an SDK's own payloads, so it does not show that the circuit is in use.
            OpenEnd::InRouter { end, .. } => {
                let _may_be_lost = self.relay().forward(end.hop(), message, Activity::NotShown);
            },
            OpenEnd::InSdk { hop, meter, .. } => {
                if let CircuitMessage::Payload(payload) = &message
                    && let Some(bytes) = first_time_bytes(payload)
                {
                    meter.received(bytes);
                }
                let _may_be_lost = self.relay().forward_or_drop(*hop, message);
            },
        }
    }

    /// Ends a circuit at this end. Its controller is told.
    pub(super) fn close(&mut self, end: &EndId, closing: Closing) {
        match self.open.remove(end) {
            Some(OpenEnd::InRouter { end, input }) => {
                drop(input);
                if closing == Closing::AtOnce {
                    end.abort();
                }
            },
            Some(OpenEnd::InSdk {
                hop, destination, ..
            }) => {
                let circuit = (end.circuit.as_str(), end.side);
                self.relay().leave(circuit, hop, &destination);
            },
            None => {},
        }
    }

    /// Forgets the end of a circuit that has ended by itself.
    pub(super) fn forget(&mut self, end: &EndId) {
        if let Some(OpenEnd::InSdk {
            hop, destination, ..
        }) = self.open.remove(end)
        {
            self.relay().detach(hop, &destination);
        }
    }
}

/// For what the end of a circuit needs a right.
pub(super) fn usage(channel: ChannelId, end: &EndId) -> Usage {
    Usage {
        channel,
        grant: match end.side {
            Side::Initiator => ServiceGrant::Dial,
            Side::Terminator => ServiceGrant::Bind,
        },
        subject: UsageSubject::Circuit(end.circuit.clone()),
    }
}

pub(super) fn used(end: &CircuitEnd) -> UsedService {
    UsedService {
        service: end.service.clone(),
        session: end.session.clone(),
    }
}
