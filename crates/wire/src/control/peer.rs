//! The other routers, and where they listen for links.

use crate::protobuf::{enumeration, message};

message! {
    /// Changes of other routers, on which a router dials links.
    pub struct PeerStateChanges {
        pub changes: Vec<PeerStateChange> = 1,
    }

    /// What a router has to know of another one.
    pub struct PeerStateChange {
        pub id: String = 1,
        /// As in the hello; only if healthy.
        pub version: String = 2,
        pub state: PeerState = 3,
        /// Only if healthy. A link to a listener that is missing is closed.
        pub listeners: Vec<Listener> = 4,
    }

    /// Listeners of a router for links. A message of its own when they change.
    pub struct Listeners {
        pub listeners: Vec<Listener> = 1,
    }

    /// Where a router listens for links.
    pub struct Listener {
        /// Such as `tls:router.example.com:6262`.
        pub address: String = 1,
        pub protocol: String = 2,
        /// Dialers with a group in common dial.
        pub groups: Vec<String> = 4,
        /// Part of the key by which duplicates of a link are known.
        pub local_binding: String = 5,
    }
}

enumeration! {
    /// State of a router as others see it.
    pub enum PeerState: i32 {
        Healthy = 0,
        /// Not connected. Links to it stay, and are redialed more slowly.
        Unhealthy = 1,
        /// Deleted. Links to it are closed.
        Removed = 2,
    }
}
