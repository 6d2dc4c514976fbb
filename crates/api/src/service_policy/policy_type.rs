//! Type of service policies: `Dial` or `Bind`.

use crate::decode::{DecodeError, Members};
use crate::describe::JsonSchema;
use portcullis_domain::FieldError;
use portcullis_domain::policies::ServiceGrant;
use serde::{Deserialize, Serialize};

/// Grant of a service policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum PolicyType {
    /// Dial: connect to a service.
    Dial,
    /// Bind: host a service.
    Bind,
    /// No grant; used in responses only.
    Invalid,
}

impl PolicyType {
    /// Wire names, in the order in which errors list them.
    const NAMES: [&'static str; 3] = ["Dial", "Bind", "Invalid"];

    /// Decodes the optional member `type`.
    pub(crate) fn take(members: &mut Members) -> Result<Option<Self>, DecodeError> {
        let name = members.optional_choice("type", &Self::NAMES)?;
        Ok(name.map(Self::from_name))
    }

    /// Decodes the required member `type`.
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

    /// Converts to a grant; [`Self::Invalid`] is reported for the member `field`.
    pub(crate) fn to_grant(self, field: &str) -> Result<ServiceGrant, FieldError> {
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
