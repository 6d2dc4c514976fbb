//! What was found about terminators.

use crate::protobuf::{enumeration, message};

message! {
    pub struct ValidateTerminators {
        /// In the language of lists. Empty for all.
        pub filter: String = 1,
        /// The controller deletes those that are invalid.
        pub fixes_invalid: bool = 2,
        /// Of the hosts that are counted; empty for all but administrators.
        pub identities_filter: String = 3,
        /// How many terminators a host should have of each of its services; 0 for any number.
        pub expected_per_service_and_host: u32 = 4,
        /// How many terminators a host should have; 0 for any number.
        pub expected_per_host: u32 = 5,
    }

    pub struct TerminatorDetail {
        pub terminator_id: String = 1,
        pub service_id: String = 2,
        pub service_name: String = 3,
        pub router_id: String = 4,
        pub router_name: String = 5,
        pub binding: String = 6,
        pub address: String = 7,
        pub host_id: String = 8,
        /// RFC 3339, in seconds.
        pub created_at: String = 9,
        pub state: TerminatorValidity = 10,
        /// It was deleted.
        pub is_fixed: bool = 11,
        /// A text for people.
        pub detail: String = 12,
    }

    /// A host with another number of terminators than expected.
    pub struct HostState {
        pub identity_id: String = 1,
        /// Empty if those of all services were counted.
        pub service_id: String = 2,
        /// A text for people.
        pub text: String = 3,
    }

    /// The terminators of SDKs at a router.
    pub struct SdkTerminatorDetails {
        pub router_id: String = 1,
        pub router_name: String = 2,
        /// The router could be asked.
        pub is_success: bool = 3,
        /// A text for people.
        pub text: String = 4,
        pub terminators: Vec<SdkTerminatorDetail> = 5,
    }

    pub struct SdkTerminatorDetail {
        pub terminator_id: String = 1,
        /// To the controller.
        pub controller_state: TerminatorValidity = 2,
        /// In words of the router, such as `established`.
        pub router_state: String = 3,
        pub is_valid: bool = 4,
        /// The router is creating or deleting it.
        pub is_operation_active: bool = 5,
        /// Like `2006-01-02 15:04:05`.
        pub created_at: String = 6,
        /// Like `2006-01-02 15:04:05`.
        pub last_attempt: String = 7,
    }

    /// The terminators of a router that is a tunneler itself.
    pub struct ErtTerminatorDetails {
        pub router_id: String = 1,
        pub router_name: String = 2,
        /// The router could be asked.
        pub is_success: bool = 3,
        /// A text for people.
        pub text: String = 4,
        pub terminators: Vec<ErtTerminatorDetail> = 5,
    }

    pub struct ErtTerminatorDetail {
        pub terminator_id: String = 1,
        /// To the controller.
        pub controller_state: TerminatorValidity = 2,
        /// In words of the router, such as `established`.
        pub router_state: String = 3,
        pub is_valid: bool = 4,
    }
}

enumeration! {
    /// State of a terminator to the controller, once its router was asked.
    pub enum TerminatorValidity: i32 {
        Valid = 0,
        Unknown = 1,
        InvalidBinding = 2,
        InvalidTerminator = 3,
        InvalidState = 4,
    }
}
