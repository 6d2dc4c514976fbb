//! The edge, between an SDK and a router.

mod connect;
mod connection;
mod dial;
mod hello;
mod host;
mod inspection;
mod posture;
mod service;
mod trace;

pub use crate::xgress::ConnectionId;
pub use connect::{Connect, ConnectV2, ServiceIdentifier};
pub use connection::{Data, DataFlags, StateClosed, StateConnected};
pub use dial::{Dial, DialFailed, DialSuccess};
pub use hello::{RouterHello, SdkHello, UpdateToken, UpdateTokenFailure};
pub use host::{Bind, BindSuccess, HealthEvent, Unbind, UpdateBind};
pub use inspection::{
    ConnectionInspectRequest, ConnectionInspectResponse, ConnectionKind, InspectRequest,
    InspectResponse,
};
pub use posture::{
    Domain, MacAddresses, OperatingSystem, Posture, PostureResponse, PostureResponses, Process,
    Processes, SdkInfo, TotpToken, Unlocked, Woken,
};
pub use service::{
    ChangedPolicy, ChangedPostureCheck, ChangedService, CheckState, ConfigData, Operation,
    PolicyKind, PolicyState, PostureStateChange, RequiredProcess, ServiceChangeSet,
    ServiceSubscription,
};
pub use trace::{TraceRoute, TraceRouteResponse};

use crate::headers::header_message;
use crate::message_set::message_set;
use crate::xgress::{Acknowledgement, Control, Payload};
use portcullis_channel::{Message, Priority};

message_set! {
    /// A message between SDK and router. Latency probes are handled by the channel.
    pub enum EdgeMessage {
        1100 => Payload(Payload),
        1101 => Acknowledgement(Acknowledgement),
        1102 => Control(Control),
        1103 => CircuitClosed(CircuitClosed),
        10800 => PostureResponses(PostureResponses),
        10900 => ServiceSubscription(ServiceSubscription),
        10903 => ServiceChangeSet(ServiceChangeSet),
        10904 => PostureStateChange(PostureStateChange),
        60783 => Connect(Connect),
        60784 => StateConnected(StateConnected),
        60785 => StateClosed(StateClosed),
        60786 => Data(Data),
        60787 => Dial(Dial),
        60788 => DialSuccess(DialSuccess),
        60789 => DialFailed(DialFailed),
        60790 => Bind(Bind),
        60791 => Unbind(Unbind),
        60794 => UpdateBind(UpdateBind),
        60795 => HealthEvent(HealthEvent),
        60796 => TraceRoute(TraceRoute),
        60797 => TraceRouteResponse(TraceRouteResponse),
        60798 => ConnectionInspectRequest(ConnectionInspectRequest),
        60799 => ConnectionInspectResponse(ConnectionInspectResponse),
        60800 => BindSuccess(BindSuccess),
        60802 => UpdateTokenFailure(UpdateTokenFailure),
        60803 => UpdateToken(UpdateToken),
        60804 => InspectRequest(InspectRequest),
        60805 => InspectResponse(InspectResponse),
        60806 => ConnectV2(ConnectV2),
        empty:
        10901 => ServiceUnsubscription,
        /// Answered by [`PostureStateChange`](Self::PostureStateChange), not as a reply.
        10902 => ResyncPostureState,
        60801 => UpdateTokenSuccess,
    }
}

impl EdgeMessage {
    /// The connection that a message belongs to, if it names one.
    pub fn connection(message: &Message) -> Option<ConnectionId> {
        message.headers.u32(key::CONNECTION).map(ConnectionId)
    }

    /// The priority that peers send the message with: default for data, and for what has to keep its order
    /// with data.
    pub const fn priority(&self) -> Priority {
        match self {
            Self::Payload(_)
            | Self::Acknowledgement(_)
            | Self::Control(_)
            | Self::StateConnected(_)
            | Self::StateClosed(_)
            | Self::Data(_)
            | Self::Unknown(_) => Priority::Default,
            _ => Priority::High,
        }
    }
}

header_message! {
    /// An SDK that is the end of a circuit itself has closed it.
    pub struct CircuitClosed {
        pub circuit_id: String = body,
    }
}

/// Keys of the headers.
mod key {
    use portcullis_channel::HeaderKey;

    pub(super) const UUID: HeaderKey = HeaderKey(128);
    pub(super) const CONNECTION: HeaderKey = HeaderKey(1000);
    pub(super) const SEQUENCE: HeaderKey = HeaderKey(1001);
    pub(super) const SESSION_TOKEN: HeaderKey = HeaderKey(1002);
    pub(super) const PUBLIC_KEY: HeaderKey = HeaderKey(1003);
    pub(super) const COST: HeaderKey = HeaderKey(1004);
    pub(super) const PRECEDENCE: HeaderKey = HeaderKey(1005);
    pub(super) const INSTANCE_ID: HeaderKey = HeaderKey(1006);
    pub(super) const INSTANCE_SECRET: HeaderKey = HeaderKey(1007);
    pub(super) const CALLER_ID: HeaderKey = HeaderKey(1008);
    pub(super) const CRYPTO_METHOD: HeaderKey = HeaderKey(1009);
    pub(super) const FLAGS: HeaderKey = HeaderKey(1010);
    pub(super) const APP_DATA: HeaderKey = HeaderKey(1011);
    pub(super) const ROUTER_PROVIDED_CONNECTION: HeaderKey = HeaderKey(1012);
    pub(super) const HEALTH_STATUS: HeaderKey = HeaderKey(1013);
    pub(super) const ERROR_CODE: HeaderKey = HeaderKey(1014);
    pub(super) const TIMESTAMP: HeaderKey = HeaderKey(1015);
    pub(super) const TRACE_HOPS: HeaderKey = HeaderKey(1016);
    pub(super) const TRACE_HOP_KIND: HeaderKey = HeaderKey(1017);
    pub(super) const TRACE_HOP_ID: HeaderKey = HeaderKey(1018);
    pub(super) const TRACE_SOURCE_REQUEST: HeaderKey = HeaderKey(1019);
    pub(super) const TRACE_ERROR: HeaderKey = HeaderKey(1020);
    pub(super) const LISTENER_ID: HeaderKey = HeaderKey(1021);
    pub(super) const CONNECTION_KIND: HeaderKey = HeaderKey(1022);
    pub(super) const SUPPORTS_INSPECT: HeaderKey = HeaderKey(1023);
    pub(super) const SUPPORTS_BIND_SUCCESS: HeaderKey = HeaderKey(1024);
    pub(super) const CONNECTION_MARKER: HeaderKey = HeaderKey(1025);
    pub(super) const CIRCUIT_ID: HeaderKey = HeaderKey(1026);
    pub(super) const STICKINESS_TOKEN: HeaderKey = HeaderKey(1027);
    pub(super) const USES_XGRESS: HeaderKey = HeaderKey(1028);
    pub(super) const CONTROLLER_ID: HeaderKey = HeaderKey(1029);
    pub(super) const XGRESS_ADDRESS: HeaderKey = HeaderKey(1030);
    pub(super) const INSPECTED_NAMES: HeaderKey = HeaderKey(1031);
    pub(super) const SUPPORTS_POSTURE_CHECKS: HeaderKey = HeaderKey(1032);
    pub(super) const STRUCTURED_ERROR: HeaderKey = HeaderKey(1033);
    pub(super) const DIALER_IDENTITY_ID: HeaderKey = HeaderKey(1034);
    pub(super) const DIALER_IDENTITY_NAME: HeaderKey = HeaderKey(1035);
    pub(super) const SERVICE: HeaderKey = HeaderKey(1036);
    pub(super) const SERVICE_IDENTIFIER: HeaderKey = HeaderKey(1037);
    pub(super) const ROUTER_CAPABILITIES: HeaderKey = HeaderKey(1039);
}
