//! Which identities are connected to a router.

use crate::protobuf::message;

message! {
    /// Identities that connected or disconnected.
    pub struct ConnectEvents {
        pub events: Vec<ConnectEvent> = 1,
        /// These are all connections of the router.
        pub is_full_state: bool = 2,
    }

    pub struct ConnectEvent {
        pub identity_id: String = 1,
        pub is_connected: bool = 2,
        pub connections: Vec<ConnectTime> = 3,
    }

    pub struct ConnectTime {
        /// Milliseconds since 1970.
        pub time_millis: i64 = 1,
        pub source_address: String = 2,
        pub destination_address: String = 3,
    }
}
