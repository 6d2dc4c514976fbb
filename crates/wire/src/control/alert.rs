//! What routers want an administrator to know.

use crate::protobuf::message;
use std::collections::BTreeMap;

message! {
    pub struct Alerts {
        pub alerts: Vec<Alert> = 1,
    }

    pub struct Alert {
        /// A kind of entity; [`SELF`](Alert::SELF) for the router that sends it.
        pub source_type: String = 1,
        pub source_id: String = 2,
        /// Milliseconds since 1970.
        pub time_millis: i64 = 3,
        pub severity: String = 4,
        /// A text for people.
        pub text: String = 5,
        pub details: Vec<String> = 6,
        /// Id by kind of entity; the kind [`SELF`](Alert::SELF) is the router that sends it.
        pub related_entities: BTreeMap<String, String> = 7,
    }
}

impl Alert {
    /// Stands for the router that sends the alert.
    pub const SELF: &'static str = "self";
}
