//! A router offers a connection to a host.

use super::ConnectionId;
use super::key::{
    APP_DATA, CALLER_ID, CIRCUIT_ID, CONNECTION, CONNECTION_MARKER, CONTROLLER_ID,
    DIALER_IDENTITY_ID, DIALER_IDENTITY_NAME, PUBLIC_KEY, ROUTER_PROVIDED_CONNECTION, SEQUENCE,
    USES_XGRESS, XGRESS_ADDRESS,
};
use crate::content::DecodeError;
use crate::headers::{Body, header_message};
use crate::secret::{Secret, Token};
use bytes::Bytes;

header_message! {
    /// A connection to a host. Answered by [`DialSuccess`] or [`DialFailed`].
    pub struct Dial {
        /// Of the bind.
        pub connection: ConnectionId = CONNECTION,
        /// Of the bind, unchanged.
        pub session_token: Token = body,
        /// Id of the new connection, from 2³¹; `None` if the host chooses it.
        pub new_connection: Option<ConnectionId> = ROUTER_PROVIDED_CONNECTION,
        pub circuit_id: Option<String> = CIRCUIT_ID,
        /// Of the dialing end.
        pub public_key: Option<Bytes> = PUBLIC_KEY,
        pub caller_id: Option<String> = CALLER_ID,
        /// Of the dialing program.
        pub app_data: Option<Secret<Bytes>> = APP_DATA,
        pub connection_marker: Option<String> = CONNECTION_MARKER,
        pub dialer_identity_id: Option<String> = DIALER_IDENTITY_ID,
        pub dialer_identity_name: Option<String> = DIALER_IDENTITY_NAME,
        /// As the bind asked for: the host is the end of the circuit.
        pub uses_xgress: bool = USES_XGRESS or default,
        /// If it is: the controller that the circuit belongs to.
        pub controller_id: Option<String> = CONTROLLER_ID,
        /// If it is: its address.
        pub xgress_address: Option<String> = XGRESS_ADDRESS,
    }

    pub struct DialSuccess {
        /// Of the bind.
        pub connection: ConnectionId = CONNECTION,
        /// Id of the new connection.
        pub new_connection: ConnectionId = body,
        /// Of the hosting end, if it is not that of the bind.
        pub public_key: Option<Bytes> = PUBLIC_KEY,
        /// Counted by SDKs, read by nobody.
        pub sequence: Option<u32> = SEQUENCE,
    }

    pub struct DialFailed {
        /// Of the bind.
        pub connection: ConnectionId = CONNECTION,
        /// A text for people. What contains `rejected by application` is reported as such.
        pub reason: String = text,
        /// Counted by SDKs, read by nobody.
        pub sequence: Option<u32> = SEQUENCE,
    }
}

/// Little-endian, as in headers.
impl Body for ConnectionId {
    fn read(message: &'static str, field: &'static str, body: &Bytes) -> Result<Self, DecodeError> {
        let bytes = body[..].try_into().map_err(|_length| DecodeError::Body {
            message,
            field,
            expected: "a 32-bit number",
        })?;
        Ok(Self(u32::from_le_bytes(bytes)))
    }

    fn write(&self) -> Bytes {
        Bytes::copy_from_slice(&self.0.to_le_bytes())
    }
}
