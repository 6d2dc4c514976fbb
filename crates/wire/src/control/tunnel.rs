//! Circuits and terminators of tunneler routers, which act for their own identity.

use super::terminator::CreateTerminatorResult;
use crate::error_code::{ErrorCode, RetryHint};
use crate::headers::header_message;
use crate::peer_data::PeerData;
use crate::precedence::Precedence;
use crate::protobuf::message;
use crate::secret::Secret;
use bytes::Bytes;
use std::collections::BTreeMap;

message! {
    pub struct CreateTunnelTerminator {
        pub service_id: String = 1,
        /// Chosen by the router: becomes address and id of the terminator. The same one again succeeds.
        pub address: String = 2,
        pub peer_data: PeerData = 3,
        /// At most 65535.
        pub cost: u32 = 4,
        pub precedence: Precedence = 5,
        pub instance_id: String = 6,
        pub instance_secret: Secret<Bytes> = 7,
        /// Milliseconds since 1970 by the router's clock; comes back in the answer.
        pub start_millis: i64 = 8,
    }

    /// The answer, whether it succeeded or not.
    pub struct CreateTunnelTerminatorAnswer {
        /// The address that was asked for, also on failure.
        pub terminator_id: String = 1,
        pub start_millis: i64 = 2,
        pub result: CreateTerminatorResult = 3,
        /// A text for people.
        pub reason: String = 4,
        pub code: ErrorCode = 5,
        pub retry_hint: RetryHint = 6,
    }

    pub struct UpdateTunnelTerminator {
        pub terminator_id: String = 1,
        pub cost: u32 = 2,
        pub precedence: Precedence = 3,
        pub updates_precedence: bool = 4,
        pub updates_cost: bool = 5,
    }

    pub struct CreateTunnelCircuit {
        pub service_name: String = 1,
        pub instance_id: String = 2,
        pub peer_data: PeerData = 3,
    }

    /// The circuit that was asked for, once its route stands.
    pub struct CreateTunnelCircuitAnswer {
        pub circuit_id: String = 1,
        /// Address of the initiating end.
        pub address: String = 2,
        pub peer_data: PeerData = 3,
        pub tags: BTreeMap<String, String> = 4,
    }
}

header_message! {
    /// Routers since 2.0 send [`RemoveTerminators`](super::terminator::RemoveTerminators) instead.
    pub struct RemoveTunnelTerminator {
        pub terminator_id: String = body,
    }

    /// The outcome of a health check of a host.
    pub struct TunnelHealthEvent {
        pub terminator_id: String = 1022,
        pub has_passed: bool = 1023 or default,
    }
}
