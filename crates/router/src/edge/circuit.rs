//! Circuits as far as an SDK's channel knows them.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use portcullis_wire::Secret;
use portcullis_wire::edge::{ConnectionId, Data, DataFlags};
use portcullis_wire::peer_data::PeerData;
use portcullis_wire::xgress::{Acknowledgement, Control, Payload, payload_header};
use portcullis_xgress::Side;

use super::host_exchange::BindKey;
use super::names::{CircuitId, ControllerId, ServiceId, ServiceSessionId};

/// Names an end of a circuit: an SDK that dials what it hosts itself has both ends at one channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndId {
    pub circuit: CircuitId,
    pub side: Side,
}

/// The end of a circuit at an SDK's channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircuitEnd {
    pub id: EndId,
    /// Address of this end, by which routes name it.
    pub address: String,
    pub flow: Flow,
    /// Id of the connection within the channel.
    pub connection: ConnectionId,
    /// Also known at the end that serves, so that a lost right ends what it has carried.
    pub service: ServiceId,
    /// The session for the service; `None` if the SDK named the service itself.
    pub session: Option<ServiceSessionId>,
    /// The controller that the circuit belongs to.
    pub controller: ControllerId,
}

/// A circuit that the SDK has dialed, and is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialed {
    pub end: EndId,
    /// Id of the connection within the channel.
    pub connection: ConnectionId,
    pub message: DialMessage,
    /// From the SDK's message to its answer.
    pub took: Duration,
}

/// A message by which an SDK asks for a circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialMessage {
    Connect,
    ConnectV2,
}

/// Where the circuit ends: who numbers, acknowledges and repeats its payloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// In the router; [`Data`] goes to and from the SDK.
    Router,
    /// In the SDK; the router forwards its payloads.
    Sdk,
}

/// A connection that a route offers to a host.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    pub circuit: CircuitId,
    /// Of the route; comes back with the outcome.
    pub attempt: u32,
    /// Address of the terminating end.
    pub address: String,
    /// The bind, as [`Hosting::find`](super::Hosting::find) has found it.
    pub bind: BindKey,
    /// The controller that the circuit belongs to.
    pub controller: ControllerId,
    /// Of the initiating end.
    pub peer_data: PeerData,
    /// What is left for the route.
    pub time_left: Duration,
}

/// What an SDK puts into a circuit.
#[derive(Debug, Clone, PartialEq)]
pub enum FromSdk {
    /// To be numbered and sent by the end in the router.
    Data(CircuitData),
    /// To be forwarded as it is.
    Payload(Payload),
    /// To be forwarded as it is.
    Acknowledgement(Acknowledgement),
    /// To be forwarded as it is.
    Control(Control),
}

/// What comes out of a circuit at an SDK.
#[derive(Debug, Clone, PartialEq)]
pub enum ToSdk {
    /// In order, from the end in the router.
    Data(CircuitData),
    /// The other side sends no more data.
    EndOfData,
    Payload(Payload),
    Acknowledgement(Acknowledgement),
    Control(Control),
    /// The circuit has ended. Nothing follows.
    Ended(CircuitEnded),
}

/// Why a circuit has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitEnded {
    /// The other side has closed it.
    Closed,
    /// A controller has taken its route away.
    Unrouted,
}

/// How the end of a circuit is to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// The SDK has closed its side: what it has sent is still delivered.
    Gracefully,
    AtOnce,
}

/// Data with the headers that travel from end to end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CircuitData {
    /// By [`payload_header`].
    pub headers: BTreeMap<u8, Bytes>,
    pub data: Secret<Bytes>,
}

impl CircuitEnded {
    /// The text that SDKs are told.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Closed => "close called",
            Self::Unrouted => "xgress unrouted",
        }
    }
}

impl DialMessage {
    /// As traces of channels call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "Connect",
            Self::ConnectV2 => "ConnectV2",
        }
    }
}

impl Flow {
    pub(super) const fn of(uses_xgress: bool) -> Self {
        if uses_xgress { Self::Sdk } else { Self::Router }
    }
}

impl CircuitData {
    /// Longest UUID that is passed on. Those of SDKs have 16 bytes.
    const MAX_UUID: usize = 64;

    /// How much it counts among what a circuit has not taken: the memory that it takes.
    pub fn weight(&self) -> usize {
        portcullis_xgress::weight(&self.headers, &self.data)
    }

    /// What is left of a message: flags and UUID; its other headers end here. It keeps none of what the message
    /// was read into.
    pub(super) fn from_message(data: Data) -> Self {
        let mut headers = BTreeMap::new();
        if data.flags != DataFlags::default() {
            let flags = Bytes::copy_from_slice(&data.flags.bits().to_le_bytes());
            headers.insert(payload_header::DATA_FLAGS, flags);
        }
        if let Some(uuid) = data.uuid.filter(|uuid| uuid.len() <= Self::MAX_UUID) {
            headers.insert(payload_header::UUID, uuid);
        }
        let mut data = data.data;
        portcullis_xgress::compact(&mut headers, &mut data);
        Self { headers, data }
    }

    /// The message to the SDK whose connection this is.
    pub fn into_message(mut self, connection: ConnectionId) -> Data {
        let flags = self.headers.remove(&payload_header::DATA_FLAGS);
        let flags = flags.and_then(|flags| flags[..].try_into().ok());
        Data {
            connection,
            flags: DataFlags::from_bits(flags.map_or(0, u32::from_le_bytes)),
            uuid: self.headers.remove(&payload_header::UUID),
            sequence: None,
            data: self.data,
        }
    }
}
