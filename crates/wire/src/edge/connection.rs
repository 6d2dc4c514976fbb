//! Life of a connection: it is connected, has data, is closed.

use super::ConnectionId;
use super::key::{
    CIRCUIT_ID, CONNECTION, CONTROLLER_ID, ERROR_CODE, FLAGS, PUBLIC_KEY,
    ROUTER_PROVIDED_CONNECTION, SEQUENCE, STICKINESS_TOKEN, STRUCTURED_ERROR, USES_XGRESS, UUID,
    XGRESS_ADDRESS,
};
use crate::error_code::ErrorCode;
use crate::flags::flags;
use crate::headers::header_message;
use crate::secret::Secret;
use bytes::Bytes;

header_message! {
    /// Success of [`Connect`](super::Connect), [`ConnectV2`](super::ConnectV2) or
    /// [`Bind`](super::Bind).
    pub struct StateConnected {
        pub connection: ConnectionId = CONNECTION,
        pub circuit_id: Option<String> = CIRCUIT_ID,
        /// Of the hosting end.
        pub public_key: Option<Bytes> = PUBLIC_KEY,
        pub stickiness_token: Option<Bytes> = STICKINESS_TOKEN,
        pub uses_xgress: bool = USES_XGRESS or default,
        /// If the SDK is the end of the circuit: the controller that the circuit belongs to.
        pub controller_id: Option<String> = CONTROLLER_ID,
        /// If the SDK is the end of the circuit: its address.
        pub xgress_address: Option<String> = XGRESS_ADDRESS,
        /// To a bind: as asked for, the router chooses the ids of connections to the host.
        pub router_provides_connections: bool = ROUTER_PROVIDED_CONNECTION or default,
    }

    /// The end of a connection, or failure of a request about it.
    pub struct StateClosed {
        /// `None` if the message that it is about cannot be read.
        pub connection: Option<ConnectionId> = CONNECTION,
        /// A text for people. The C SDK renews its session on `Invalid Session`, exactly.
        pub reason: String = text,
        pub code: Option<ErrorCode> = ERROR_CODE,
        /// JSON: `{"message": text, "code": number, "retryHint": number, "failingPostureCheckIds": [id]}`,
        /// the last perhaps missing.
        pub structured_error: Option<String> = STRUCTURED_ERROR,
        /// If the request got as far as a circuit.
        pub circuit_id: Option<String> = CIRCUIT_ID,
        /// Counted by SDKs, read by nobody.
        pub sequence: Option<u32> = SEQUENCE,
    }

    /// Data of a connection whose circuit ends in the router.
    pub struct Data {
        pub connection: ConnectionId = CONNECTION,
        pub flags: DataFlags = FLAGS or default,
        /// Names the data in traces.
        pub uuid: Option<Bytes> = UUID,
        /// Counted by SDKs, read by nobody.
        pub sequence: Option<u32> = SEQUENCE,
        pub data: Secret<Bytes> = body,
    }
}

flags! {
    /// What [`Data`] is; from SDK to SDK.
    pub struct DataFlags {
        /// This direction ends.
        FIN = 1,
        /// The sender names its data by structured UUIDs.
        TRACE_UUID = 2,
        /// The sender can receive several messages in one.
        MULTIPART = 4,
        /// What is sent may be joined.
        STREAM = 8,
        /// Several messages in one, each behind its length of 16 bits.
        MULTIPART_MESSAGE = 16,
    }
}
