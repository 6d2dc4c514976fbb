//! Where controllers are found.

use crate::protobuf::message;
use bytes::Bytes;
use std::collections::BTreeMap;

message! {
    /// The controllers of the network, to every router.
    ///
    /// A router that never had one does not reconnect after it closed its channel by itself. The
    /// addresses replace those of its configuration, so routers must be able to reach them.
    pub struct ControllerAddresses {
        /// All addresses, for routers before 2.1.
        pub addresses: Vec<String> = 1,
        /// Version of the list. A router takes a list only if it is newer than its own.
        pub index: u64 = 2,
        pub is_leader: bool = 3,
        /// An empty list is ignored.
        pub controllers: Vec<Controller> = 4,
    }

    pub struct Controller {
        /// As in the answer to the hello.
        pub id: String = 1,
        pub endpoints: Vec<Endpoint> = 2,
    }

    /// Where a controller, or the control listener of a router, is reached.
    pub struct Endpoint {
        /// Such as `tls:controller.example.com:1280`.
        pub address: String = 1,
        pub groups: Vec<String> = 2,
    }

    /// The sender leads the cluster.
    pub struct ClusterLeader {
        pub index: u64 = 1,
    }

    /// Settings by number.
    pub struct Settings {
        pub values: BTreeMap<i32, Bytes> = 1,
    }
}

impl Settings {
    /// Text: the address that replaces those of the sender.
    pub const NEW_CONTROL_ADDRESS: i32 = 1;
}
