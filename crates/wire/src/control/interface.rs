//! Network interfaces of routers.

use crate::protobuf::message;

message! {
    /// The interfaces of a router, all of them. Answered by a Result.
    pub struct RouterInterfaces {
        pub interfaces: Vec<Interface> = 1,
    }

    pub struct Interface {
        pub name: String = 1,
        pub hardware_address: String = 2,
        pub mtu: i64 = 3,
        pub index: i64 = 4,
        pub flags: u64 = 5,
        /// In CIDR notation.
        pub addresses: Vec<String> = 6,
    }
}
