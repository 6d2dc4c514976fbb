//! Circuits: requests of routers for them, and reports about idle ones.

use crate::headers::header_message;
use crate::peer_data::PeerData;
use crate::protobuf::message;
use crate::secret::Token;
use std::collections::BTreeMap;

message! {
    /// A circuit for a listener of a router that knows no identities, such as `proxy`.
    pub struct CircuitRequest {
        /// What the client calls itself, which may be nothing.
        pub client: String = 1,
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
