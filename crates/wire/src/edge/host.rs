//! An SDK hosts a service.

use super::ConnectionId;
use super::key::{
    CONNECTION, COST, CRYPTO_METHOD, HEALTH_STATUS, INSTANCE_ID, INSTANCE_SECRET, LISTENER_ID,
    PRECEDENCE, PUBLIC_KEY, ROUTER_PROVIDED_CONNECTION, SEQUENCE, SUPPORTS_BIND_SUCCESS,
    SUPPORTS_INSPECT, USES_XGRESS,
};
use crate::headers::header_message;
use crate::precedence::Precedence;
use crate::secret::{Secret, Token};
use bytes::Bytes;

header_message! {
    /// Hosts the service that a session is for. Answered by [`StateConnected`](super::StateConnected) or
    /// [`StateClosed`](super::StateClosed).
    pub struct Bind {
        /// JWT of the service session.
        pub session_token: Token = body,
        /// Chosen by the SDK.
        pub connection: ConnectionId = CONNECTION,
        /// Same for all binds of one listener, at all routers. A later bind takes the place of an earlier
        /// one.
        pub listener_id: Option<Bytes> = LISTENER_ID,
        /// The router chooses the ids of connections to the host.
        pub router_provides_connections: bool = ROUTER_PROVIDED_CONNECTION or default,
        /// The SDK answers [`ConnectionInspectRequest`](super::ConnectionInspectRequest).
        pub supports_inspect: bool = SUPPORTS_INSPECT or default,
        /// The SDK waits for [`BindSuccess`].
        pub supports_bind_success: bool = SUPPORTS_BIND_SUCCESS or default,
        /// The SDK is the end of circuits; else the router is.
        pub uses_xgress: bool = USES_XGRESS or default,
        /// If the service is encrypted from end to end.
        pub public_key: Option<Bytes> = PUBLIC_KEY,
        /// A byte or a text, depending on the SDK; not for others.
        pub crypto_method: Option<Bytes> = CRYPTO_METHOD,
        pub cost: Option<u16> = COST,
        pub precedence: Option<Precedence> = PRECEDENCE,
        /// Name by which dialers choose among the terminators of the service.
        pub instance_id: Option<String> = INSTANCE_ID,
        pub instance_secret: Option<Secret<Bytes>> = INSTANCE_SECRET,
        /// Counted by SDKs, read by nobody.
        pub sequence: Option<u32> = SEQUENCE,
    }

    /// The controller has the terminator.
    pub struct BindSuccess {
        pub connection: ConnectionId = CONNECTION,
    }

    /// Ends a bind. Not answered.
    pub struct Unbind {
        /// Of the bind.
        pub session_token: Token = body,
        pub connection: ConnectionId = CONNECTION,
        /// Counted by SDKs, read by nobody.
        pub sequence: Option<u32> = SEQUENCE,
    }

    /// Changes a bind. Not answered.
    pub struct UpdateBind {
        /// Of the bind.
        pub session_token: Token = body,
        pub connection: ConnectionId = CONNECTION,
        /// `None` leaves it as it is.
        pub cost: Option<u16> = COST,
        /// `None` leaves it as it is.
        pub precedence: Option<Precedence> = PRECEDENCE,
        /// Counted by SDKs, read by nobody.
        pub sequence: Option<u32> = SEQUENCE,
    }

    /// The outcome of a health check of the host. Not answered.
    pub struct HealthEvent {
        /// Of the bind.
        pub session_token: Token = body,
        pub connection: ConnectionId = CONNECTION,
        pub has_passed: bool = HEALTH_STATUS or default,
        /// Counted by SDKs, read by nobody.
        pub sequence: Option<u32> = SEQUENCE,
    }
}
