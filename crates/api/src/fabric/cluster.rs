//! Requests about the members of a cluster of controllers.

use crate::decode::{Decode, DecodeError, Members};

/// The body of POST `/cluster/add-member`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddMember {
    /// Where the controller is reached.
    pub address: String,
    /// Whether it is to have a vote.
    pub is_voter: bool,
}

/// The body of POST `/cluster/remove-member`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoveMember {
    /// The controller.
    pub id: String,
}

/// The body of POST `/cluster/transfer-leadership`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferLeadership {
    /// The controller that is to lead; any other where it is left out.
    pub new_leader_id: Option<String>,
}

const PARAMETER: &str = "member";

impl Decode for AddMember {
    const PARAMETER: &'static str = PARAMETER;
    const WORDS: &'static [(&'static str, &'static str)] = &[
        ("address", "Where the controller is reached."),
        ("isVoter", "Whether it is to have a vote."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            address: members.required_string("address")?,
            is_voter: members.required_bool("isVoter")?,
        })
    }
}

impl Decode for RemoveMember {
    const PARAMETER: &'static str = PARAMETER;
    const WORDS: &'static [(&'static str, &'static str)] = &[("id", "The controller.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            id: members.required_string("id")?,
        })
    }
}

impl Decode for TransferLeadership {
    const PARAMETER: &'static str = PARAMETER;
    const WORDS: &'static [(&'static str, &'static str)] = &[(
        "newLeaderId",
        "The controller that is to lead; any other where it is left out.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            new_leader_id: members.optional_string("newLeaderId")?,
        })
    }
}
