//! Terminators: where routers reach services.

mod edge;
mod validation;

pub use edge::{
    CreateTerminatorAnswerV2, CreateTerminatorV2, HealthEvent, RemoveEdgeTerminator,
    UpdateEdgeTerminator,
};
pub use validation::{
    InvalidReason, TerminatorState, TerminatorToValidate, ValidateTerminators,
    ValidateTerminatorsV1, ValidatedTerminators,
};

use crate::peer_data::PeerData;
use crate::precedence::Precedence;
use crate::protobuf::{enumeration, message};
use crate::secret::Secret;
use bytes::Bytes;

message! {
    /// Creates a terminator of a router itself. The Result has its id as text. Routers since 2.0 do not
    /// send it.
    pub struct CreateTerminatorV1 {
        pub service_id: String = 2,
        pub binding: String = 3,
        pub address: String = 4,
        pub peer_data: PeerData = 5,
        pub cost: u32 = 6,
        pub precedence: Precedence = 7,
        pub instance_id: String = 8,
        pub instance_secret: Secret<Bytes> = 9,
    }

    /// Routers since 2.0 send [`RemoveTerminators`] instead.
    pub struct RemoveTerminator {
        pub terminator_id: String = 1,
    }

    /// Removes terminators of the sender; others and unknown ones are passed over. Answered by a Result.
    pub struct RemoveTerminators {
        /// Of edge and tunnel, at most 50.
        pub terminator_ids: Vec<String> = 1,
    }

    pub struct UpdateTerminator {
        pub terminator_id: String = 1,
        pub updates_precedence: bool = 2,
        pub updates_cost: bool = 3,
        pub precedence: Precedence = 4,
        pub cost: u32 = 5,
    }
}

enumeration! {
    /// What became of a terminator to be created.
    pub enum CreateTerminatorResult: i32 {
        Success = 0,
        FailedIdConflict = 1,
        Failed = 2,
        /// Another attempt is worthwhile.
        FailedBusy = 3,
        FailedInvalidSession = 4,
    }
}
