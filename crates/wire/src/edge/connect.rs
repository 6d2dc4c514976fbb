//! An SDK dials a service.

use super::ConnectionId;
use super::key::{
    APP_DATA, CALLER_ID, CONNECTION, CONNECTION_MARKER, CRYPTO_METHOD, INSTANCE_ID, PUBLIC_KEY,
    SERVICE, SERVICE_IDENTIFIER, STICKINESS_TOKEN, USES_XGRESS,
};
use crate::headers::header_message;
use crate::protobuf::enumeration;
use crate::secret::{Secret, Token};
use bytes::Bytes;

header_message! {
    /// A connection to the service that a session is for. Answered by
    /// [`StateConnected`](super::StateConnected) or [`StateClosed`](super::StateClosed).
    pub struct Connect {
        /// JWT of the service session.
        pub session_token: Token = body,
        /// Chosen by the SDK.
        pub connection: ConnectionId = CONNECTION,
        /// If the service is encrypted from end to end.
        pub public_key: Option<Bytes> = PUBLIC_KEY,
        /// A byte or a text, depending on the SDK; not for others.
        pub crypto_method: Option<Bytes> = CRYPTO_METHOD,
        /// Which of the terminators.
        pub instance_id: Option<String> = INSTANCE_ID,
        /// By default the name of the identity.
        pub caller_id: Option<String> = CALLER_ID,
        /// For the hosting program.
        pub app_data: Option<Secret<Bytes>> = APP_DATA,
        /// Names the connection in logs of both ends.
        pub connection_marker: Option<String> = CONNECTION_MARKER,
        /// Of an earlier connection, to reach the same terminator.
        pub stickiness_token: Option<Bytes> = STICKINESS_TOKEN,
        /// The SDK is the end of the circuit; else the router is.
        pub uses_xgress: bool = USES_XGRESS or default,
    }

    /// The same without a session for the service, if the API session is a JWT.
    pub struct ConnectV2 {
        /// Chosen by the SDK.
        pub connection: ConnectionId = CONNECTION,
        pub service: String = SERVICE,
        /// What `service` is; `None` counts as an id.
        pub service_identifier: Option<ServiceIdentifier> = SERVICE_IDENTIFIER,
        /// If the service is encrypted from end to end.
        pub public_key: Option<Bytes> = PUBLIC_KEY,
        /// A byte or a text, depending on the SDK; not for others.
        pub crypto_method: Option<Bytes> = CRYPTO_METHOD,
        /// Which of the terminators.
        pub instance_id: Option<String> = INSTANCE_ID,
        /// By default the name of the identity.
        pub caller_id: Option<String> = CALLER_ID,
        /// For the hosting program.
        pub app_data: Option<Secret<Bytes>> = APP_DATA,
        /// Names the connection in logs of both ends.
        pub connection_marker: Option<String> = CONNECTION_MARKER,
        /// Of an earlier connection, to reach the same terminator.
        pub stickiness_token: Option<Bytes> = STICKINESS_TOKEN,
        /// The SDK is the end of the circuit; else the router is.
        pub uses_xgress: bool = USES_XGRESS or default,
    }
}

enumeration! {
    /// How a service is named.
    pub enum ServiceIdentifier: u32, header u8 {
        Id = 0,
        Name = 1,
    }
}
