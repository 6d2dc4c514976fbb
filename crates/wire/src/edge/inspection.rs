//! Questions of routers about the insides of an SDK.

use super::ConnectionId;
use super::key::{CONNECTION, CONNECTION_KIND, INSPECTED_NAMES};
use crate::headers::header_message;
use crate::protobuf::enumeration;
use crate::secret::Secret;

header_message! {
    /// Asks what a connection is.
    pub struct ConnectionInspectRequest {
        pub connection: ConnectionId = CONNECTION,
    }

    pub struct ConnectionInspectResponse {
        pub connection: ConnectionId = CONNECTION,
        pub kind: ConnectionKind = CONNECTION_KIND,
        /// A text for people.
        pub detail: String = text,
    }

    /// Asks for values of the SDK, or of a connection.
    pub struct InspectRequest {
        pub connection: Option<ConnectionId> = CONNECTION,
        /// `circuits` and `context`; of a connection, `circuit:<id>` and `circuitAndStacks:<id>`.
        pub names: Vec<String> = INSPECTED_NAMES,
    }

    /// Go SDKs from 1.1 to 1.5.3 answer [`ConnectionInspectRequest`] with this content type.
    pub struct InspectResponse {
        /// JSON: `{"success": bool, "errors": [text], "values": [...]}`.
        pub json: Secret<String> = text,
        pub connection: Option<ConnectionId> = CONNECTION,
        pub kind: Option<ConnectionKind> = CONNECTION_KIND,
    }
}

enumeration! {
    /// What a connection is to the SDK.
    pub enum ConnectionKind: u32, header u8 {
        /// It does not exist.
        Invalid = 0,
        Dial = 1,
        Bind = 2,
        Unknown = 3,
    }
}
