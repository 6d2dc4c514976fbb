//! What controller and edge router tell each other after the hello of the channel.

use crate::headers::header_message;
use crate::protobuf::message;
use bytes::Bytes;
use std::collections::BTreeMap;

header_message! {
    /// The first message to an edge router. Answered by [`ClientHello`].
    pub struct ServerHello {
        pub hello: ServerHelloBody = body,
        pub has_data_model: bool = 1024 or default,
    }

    /// What an edge router offers to SDKs.
    pub struct ClientHello {
        pub hello: ClientHelloBody = body,
        pub has_data_model: bool = 1024 or default,
        /// Of the data model that it has; 0 for none.
        pub model_index: Option<u64> = 1025,
    }
}

message! {
    pub struct ServerHelloBody {
        /// Such as `v2.1.0`.
        pub version: String = 1,
        /// `instant` and `routerModel`, both `true`.
        pub data: BTreeMap<String, String> = 2,
        pub byte_data: BTreeMap<String, Bytes> = 3,
    }

    pub struct ClientHelloBody {
        /// Such as `v2.1.0`.
        pub version: String = 1,
        /// Advertised host of its last edge listener.
        pub hostname: String = 2,
        /// Replaced by `listeners`.
        pub protocols: Vec<String> = 3,
        pub data: BTreeMap<String, String> = 4,
        /// Replaced by `listeners`.
        pub protocol_ports: Vec<String> = 5,
        pub listeners: Vec<EdgeListener> = 10,
    }

    /// Where a router listens for SDKs.
    pub struct EdgeListener {
        pub address: Option<EdgeAddress> = 10,
        /// The address that SDKs are told.
        pub advertised: Option<EdgeAddress> = 20,
    }

    pub struct EdgeAddress {
        /// Such as `tls:router.example.com:3022`.
        pub value: String = 10,
        pub protocol: String = 20,
        pub hostname: String = 30,
        pub port: i32 = 40,
    }
}
