//! Routes of circuits.

mod result;

pub use result::{RouteFailure, RouteOutcome, RouteResult};

use crate::peer_data::PeerData;
use crate::protobuf::{enumeration, message};
use std::collections::BTreeMap;

/// The attempt of every route that replaces another one of a living circuit.
pub const REROUTE_ATTEMPT: u32 = 99_969_996;

message! {
    /// A router's part of the path of a circuit. It is answered by a [`RouteResult`]; a router that is
    /// too busy drops it.
    pub struct Route {
        pub circuit_id: String = 1,
        /// From 0; [`REROUTE_ATTEMPT`] for a new path of a living circuit.
        pub attempt: u32 = 2,
        /// For the last router of the path: what it dials.
        pub egress: Option<Egress> = 3,
        pub forwards: Vec<Forward> = 4,
        /// For logs.
        pub context: Option<RouteContext> = 5,
        /// Time that is left for the circuit.
        pub timeout_nanos: u64 = 6,
        /// For events of usage.
        pub tags: BTreeMap<String, String> = 7,
    }

    /// The terminating end of a circuit.
    pub struct Egress {
        /// Of the terminator, such as `edge` or `transport`.
        pub binding: String = 1,
        /// Address of the terminating end.
        pub address: String = 2,
        /// Address of the terminator.
        pub destination: String = 3,
        /// Of the initiating end.
        pub peer_data: PeerData = 4,
    }

    /// Where a router sends what comes from an address: an end of the circuit, or a link.
    pub struct Forward {
        pub source: String = 1,
        pub destination: String = 2,
        pub destination_kind: DestinationKind = 3,
    }

    pub struct RouteContext {
        pub fields: BTreeMap<String, String> = 1,
        pub channel_mask: u32 = 2,
    }

    /// Ends a circuit at a router.
    pub struct Unroute {
        pub circuit_id: String = 1,
        /// Without waiting for what is under way.
        pub is_immediate: bool = 2,
    }
}

enumeration! {
    /// What an address leads to.
    pub enum DestinationKind: i32 {
        /// The initiating end.
        Start = 0,
        /// The terminating end.
        End = 1,
        Link = 2,
    }
}
