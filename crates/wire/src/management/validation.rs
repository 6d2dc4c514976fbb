//! Comparison of what the controller knows with what routers know.

mod details;
mod terminators;

pub use details::{
    CircuitDetail, ComponentDetails, DialerDetails, LinkDetail, LinkDetails, LinkValidity,
    RouterCircuits,
};
pub use terminators::{
    ErtTerminatorDetail, ErtTerminatorDetails, HostState, SdkTerminatorDetail,
    SdkTerminatorDetails, TerminatorDetail, TerminatorValidity, ValidateTerminators,
};

use crate::protobuf::message;

message! {
    /// Which routers to ask.
    pub struct RouterFilter {
        /// In the language of lists. Empty for the first ten.
        pub filter: String = 1,
    }

    pub struct ValidateDataModel {
        /// As in [`RouterFilter`].
        pub filter: String = 1,
        /// The controller's own too.
        pub includes_controller: bool = 2,
        /// Routers whose model differs are to take the controller's.
        pub fixes: bool = 3,
    }

    /// How many there are, each of which will have its details.
    pub struct Found {
        pub is_success: bool = 1,
        /// A text for people; the cause of a failure.
        pub text: String = 2,
        /// Of terminators, routers, or routers and controllers.
        pub count: u64 = 3,
    }
}
