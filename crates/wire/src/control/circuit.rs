//! Circuits: requests of routers for them, and reports about idle ones.

use crate::headers::header_message;
use crate::protobuf::message;
use crate::secret::{Secret, Token};
use bytes::Bytes;
use std::collections::BTreeMap;

/// What the ends of a circuit tell each other, by the number of the header that it travels in.
pub type PeerData = BTreeMap<u32, Secret<Bytes>>;

/// Numbers of [`PeerData`].
pub mod peer_data {
    /// Public key for encryption between the ends.
    pub const PUBLIC_KEY: u32 = 1003;
    /// Text: who dials, by default the name of the identity.
    pub const CALLER_ID: u32 = 1008;
    /// Data of the dialing program for the hosting one.
    pub const APP_DATA: u32 = 1011;
    /// Text: names the connection in logs of both ends.
    pub const CONNECTION_MARKER: u32 = 1025;
    /// Text: address of the terminating end of the hosting router. Not for SDKs.
    pub const LOCAL_ADDRESS: u32 = 1110;
    /// Text: address that the hosting router dialed. Not for SDKs.
    pub const REMOTE_ADDRESS: u32 = 1111;
    /// Text: local address at a tunneler that dials.
    pub const INITIATOR_LOCAL_ADDRESS: u32 = 1112;
    /// Text: remote address at a tunneler that dials.
    pub const INITIATOR_REMOTE_ADDRESS: u32 = 1113;
    /// Leads to the terminator of an earlier circuit.
    pub const STICKINESS_TOKEN: u32 = 1114;
    /// Text: id of the identity that dials.
    pub const DIALER_IDENTITY_ID: u32 = 1115;
    /// Text: name of the identity that dials.
    pub const DIALER_IDENTITY_NAME: u32 = 1116;
}

message! {
    /// A circuit for a listener of a router that knows no identities, such as `proxy`.
    pub struct CircuitRequest {
        /// Address of the initiating end.
        pub ingress: String = 1,
        /// Id or name, perhaps with an instance: `instance@service`.
        pub service: String = 2,
        pub peer_data: PeerData = 3,
    }

    /// Circuits that have been idle for long.
    pub struct CircuitConfirmation {
        pub circuit_ids: Vec<String> = 1,
        /// For how long, in nanoseconds.
        pub idle_nanos: BTreeMap<String, i64> = 2,
    }

    /// A circuit for an SDK, as routers asked before 1.5.
    pub struct CreateCircuitV1 {
        pub session_token: Token = 1,
        pub fingerprints: Vec<String> = 2,
        pub instance_id: String = 3,
        pub peer_data: PeerData = 4,
        pub api_session_token: Token = 5,
    }

    pub struct CreateCircuitAnswerV1 {
        pub circuit_id: String = 1,
        /// Address of the initiating end.
        pub address: String = 2,
        pub peer_data: PeerData = 3,
        pub tags: BTreeMap<String, String> = 4,
    }
}

header_message! {
    /// Why there is no circuit for a [`CircuitRequest`].
    pub struct CircuitFailed {
        pub reason: String = text,
    }

    /// A circuit for an SDK with a session for the service.
    pub struct CreateCircuitV2 {
        /// JWT of the service session.
        pub session_token: Token = 11,
        /// UUID of a legacy session, or JWT.
        pub api_session_token: Token = 14 or default,
        /// Of the SDK's certificates, leaf first.
        pub fingerprints: Vec<String> = 12 or default,
        /// Which of the terminators; those without instance if it is empty.
        pub instance_id: String = 13 or default,
        pub peer_data: PeerData = 10 or default,
    }

    /// A circuit for an SDK that names the service, without a session for it.
    pub struct CreateCircuitV3 {
        /// JWT. It says who dials, whatever `identity_id` says.
        pub api_session_token: Token = 14,
        pub identity_id: String = 15 or default,
        pub service_id: String = 16,
        /// Empty unless the router chooses the id.
        pub circuit_id: String = 17 or default,
        pub fingerprints: Vec<String> = 12 or default,
        pub instance_id: String = 13 or default,
        pub peer_data: PeerData = 10 or default,
    }

    /// The circuit that was asked for, once its route stands.
    pub struct CreateCircuitAnswer {
        pub circuit_id: String = 11,
        /// Address of the initiating end.
        pub address: String = 12,
        /// Of the hosting end.
        pub peer_data: PeerData = 10 or default,
        /// `clientId`, `hostId` and `serviceId`, for events of usage.
        pub tags: BTreeMap<String, String> = 13 or default,
    }
}

mod created;
pub use created::CircuitCreated;
