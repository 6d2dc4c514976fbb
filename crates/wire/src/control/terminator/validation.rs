//! Asking a router which of its terminators it still has.

use crate::protobuf::{enumeration, message};
use std::collections::BTreeMap;

message! {
    /// Asks a router about terminators. Answered within 30 seconds.
    pub struct ValidateTerminators {
        pub terminators: Vec<TerminatorToValidate> = 1,
        /// The router may remove its part of those that are invalid.
        pub fixes_invalid: bool = 2,
        /// Not because an administrator asks.
        pub is_after_creation: bool = 3,
    }

    /// The same for routers before 1.5, which answer by removing what they do not know.
    pub struct ValidateTerminatorsV1 {
        pub terminators: Vec<TerminatorToValidate> = 1,
    }

    pub struct TerminatorToValidate {
        pub id: String = 1,
        pub binding: String = 2,
        pub address: String = 3,
        /// Comes back in the answer, so that it is known for which question it is; 0 for any.
        pub marker: u64 = 4,
    }

    pub struct ValidatedTerminators {
        /// By id of the terminator.
        pub states: BTreeMap<String, TerminatorState> = 1,
    }

    pub struct TerminatorState {
        pub is_valid: bool = 1,
        /// Only if it is invalid.
        pub reason: InvalidReason = 2,
        /// A text for people.
        pub detail: String = 3,
        pub marker: u64 = 4,
    }
}

enumeration! {
    /// Why a terminator is invalid.
    pub enum InvalidReason: i32 {
        UnknownBinding = 0,
        UnknownTerminator = 1,
        BadState = 2,
    }
}
