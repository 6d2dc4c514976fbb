//! What was found about links, circuits, models and dialers.

use crate::protobuf::{enumeration, message};
use std::collections::BTreeMap;

message! {
    /// The links of a router.
    pub struct LinkDetails {
        pub router_id: String = 1,
        pub router_name: String = 2,
        /// The router could be asked.
        pub is_success: bool = 3,
        /// A text for people.
        pub text: String = 4,
        pub links: Vec<LinkDetail> = 5,
    }

    pub struct LinkDetail {
        pub link_id: String = 1,
        /// To the controller.
        pub controller_state: LinkValidity = 2,
        /// To the router.
        pub router_state: LinkValidity = 3,
        pub is_destination_connected: bool = 4,
        pub is_valid: bool = 5,
        pub destination: String = 6,
        /// The router dialed it.
        pub is_dialed: bool = 7,
        /// Texts for people.
        pub texts: Vec<String> = 8,
    }

    /// The circuits of a router of which one side does not know.
    pub struct RouterCircuits {
        pub router_id: String = 1,
        pub router_name: String = 2,
        /// The router could be asked.
        pub is_success: bool = 3,
        /// A text for people.
        pub text: String = 4,
        /// By id.
        pub circuits: BTreeMap<String, CircuitDetail> = 5,
    }

    pub struct CircuitDetail {
        pub circuit_id: String = 1,
        pub is_missing_in_controller: bool = 2,
        pub is_missing_in_forwarder: bool = 3,
        pub is_missing_in_edge: bool = 4,
        pub is_missing_in_sdk: bool = 5,
        /// Kind by address.
        pub destinations: BTreeMap<String, String> = 6,
    }

    /// What a router or controller says of its model or of the identities that are connected.
    pub struct ComponentDetails {
        /// `router` or `controller`.
        pub component_type: String = 1,
        pub component_id: String = 2,
        pub component_name: String = 3,
        pub is_success: bool = 4,
        /// Texts for people.
        pub errors: Vec<String> = 5,
    }

    /// What is wrong with the dialing of a router by the controller.
    pub struct DialerDetails {
        pub component_id: String = 1,
        pub component_name: String = 2,
        pub is_success: bool = 3,
        /// Texts for people.
        pub errors: Vec<String> = 4,
    }
}

enumeration! {
    /// State of a link to one side.
    pub enum LinkValidity: i32 {
        Unknown = 0,
        Established = 1,
        Pending = 2,
        Dialing = 3,
    }
}
