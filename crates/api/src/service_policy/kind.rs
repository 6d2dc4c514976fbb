//! What service policies grant, in the words of the wire.

use crate::decode::{DecodeError, Members};
use portcullis_domain::FieldError;
use portcullis_domain::policies::ServiceGrant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a service policy grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum PolicyType {
    /// To connect to a service.
    Dial,
    /// To offer a service.
    Bind,
    /// Nothing: stands in answers where nothing is granted, and is in no request.
    Invalid,
}

impl PolicyType {
    /// The words, in the order in which they are listed.
    const NAMES: [&'static str; 3] = ["Dial", "Bind", "Invalid"];

    /// Takes out the member `type` of a policy.
    pub(crate) fn take(members: &mut Members) -> Result<Option<Self>, DecodeError> {
        let name = members.optional_choice("type", &Self::NAMES)?;
        Ok(name.map(Self::from_name))
    }

    /// Takes out the member `type` of a policy, which must be there.
    pub(crate) fn take_required(members: &mut Members) -> Result<Self, DecodeError> {
        let name = members.required_choice("type", &Self::NAMES)?;
        Ok(Self::from_name(name))
    }

    fn from_name(name: &str) -> Self {
        match name {
            "Dial" => Self::Dial,
            "Bind" => Self::Bind,
            _ => Self::Invalid,
        }
    }

    /// What it grants; the member `field` is at fault when that is nothing.
    pub(crate) fn grant(self, field: &str) -> Result<ServiceGrant, FieldError> {
        match self {
            Self::Dial => Ok(ServiceGrant::Dial),
            Self::Bind => Ok(ServiceGrant::Bind),
            Self::Invalid => Err(FieldError::new(field, "must be Dial or Bind", "Invalid")),
        }
    }
}

impl From<ServiceGrant> for PolicyType {
    fn from(grant: ServiceGrant) -> Self {
        match grant {
            ServiceGrant::Dial => Self::Dial,
            ServiceGrant::Bind => Self::Bind,
        }
    }
}
