//! Bodies of cluster membership requests.

use crate::decode::{Decode, DecodeError, Members};

/// The body of POST `/cluster/add-member`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterMemberAdd {
    /// Address of the controller.
    pub address: String,
    /// Whether it is a voting member.
    pub is_voter: bool,
}

/// The body of POST `/cluster/remove-member`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterMemberRemove {
    /// Id of the controller.
    pub id: String,
}

/// The body of POST `/cluster/transfer-leadership`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterTransferLeadership {
    /// Id of the new leader; any other controller if absent.
    pub new_leader_id: Option<String>,
}

const PARAMETER: &str = "member";

impl Decode for ClusterMemberAdd {
    const BODY_NAME: &'static str = PARAMETER;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[
        ("address", "Address of the controller."),
        ("isVoter", "Whether it is a voting member."),
    ];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            address: members.required_string("address")?,
            is_voter: members.required_bool("isVoter")?,
        })
    }
}

impl Decode for ClusterMemberRemove {
    const BODY_NAME: &'static str = PARAMETER;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] =
        &[("id", "Id of the controller.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            id: members.required_string("id")?,
        })
    }
}

impl Decode for ClusterTransferLeadership {
    const BODY_NAME: &'static str = PARAMETER;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "newLeaderId",
        "Id of the new leader; any other controller if absent.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            new_leader_id: members.optional_string("newLeaderId")?,
        })
    }
}
