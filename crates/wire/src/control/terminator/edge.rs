//! Terminators that SDKs host, by the session that they show.

use super::CreateTerminatorResult;
use crate::error_code::{ErrorCode, RetryHint};
use crate::peer_data::PeerData;
use crate::precedence::Precedence;
use crate::protobuf::message;
use crate::secret::{Secret, Token};
use bytes::Bytes;

message! {
    pub struct CreateTerminatorV2 {
        /// Chosen by the router: becomes address and id of the terminator. The same one again succeeds.
        pub address: String = 1,
        /// JWT of the service session.
        pub session_token: Token = 2,
        /// Of the SDK's certificates, leaf first.
        pub fingerprints: Vec<String> = 3,
        pub peer_data: PeerData = 4,
        /// At most 65535.
        pub cost: u32 = 5,
        pub precedence: Precedence = 6,
        /// Name by which dialers choose among the terminators of a service.
        pub instance_id: String = 7,
        pub instance_secret: Secret<Bytes> = 8,
        /// UUID of a legacy session, or JWT.
        pub api_session_token: Token = 9,
    }

    /// The answer, whether it succeeded or not.
    pub struct CreateTerminatorAnswerV2 {
        /// The address that was asked for, also on failure: the router knows its terminator by it.
        pub terminator_id: String = 1,
        pub result: CreateTerminatorResult = 2,
        /// A text for people.
        pub reason: String = 3,
        pub code: ErrorCode = 4,
        pub retry_hint: RetryHint = 5,
    }

    pub struct UpdateEdgeTerminator {
        pub session_token: Token = 1,
        pub fingerprints: Vec<String> = 2,
        pub terminator_id: String = 3,
        pub cost: u32 = 4,
        pub precedence: Precedence = 5,
        pub updates_precedence: bool = 6,
        pub updates_cost: bool = 7,
        pub api_session_token: Token = 8,
    }

    /// Routers since 2.0 send [`RemoveTerminators`](super::RemoveTerminators) instead.
    pub struct RemoveEdgeTerminator {
        pub session_token: Token = 1,
        pub fingerprints: Vec<String> = 2,
        pub terminator_id: String = 3,
        pub api_session_token: Token = 4,
    }

    /// The outcome of a health check of a host.
    pub struct HealthEvent {
        pub session_token: Token = 1,
        pub fingerprints: Vec<String> = 2,
        pub terminator_id: String = 3,
        pub has_passed: bool = 4,
        pub api_session_token: Token = 5,
    }
}
