//! Hosting of services by identities.

use crate::FieldError;
use crate::ids::ServiceId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Precedence of a terminator among those of a service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precedence {
    /// Neither preferred nor avoided.
    #[default]
    Default,
    /// Used before all others.
    Required,
    /// Used only when nothing else is left.
    Failed,
}

impl Precedence {
    pub const ALL: [Self; 3] = [Self::Default, Self::Required, Self::Failed];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Required => "required",
            Self::Failed => "failed",
        }
    }

    /// Parses the member `field`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` for an unknown name.
    pub fn from_name(field: &str, name: &str) -> Result<Self, FieldError> {
        Self::ALL
            .into_iter()
            .find(|precedence| precedence.name() == name)
            .ok_or_else(|| FieldError::new(field, "must be one of default, required, failed", name))
    }
}

/// Costs (0 to 65535) and precedences of the terminators of an identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hosting {
    /// For services without an entry.
    pub default_precedence: Precedence,
    /// For services without an entry.
    pub default_cost: u16,
    /// Precedence by service.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub precedences: BTreeMap<ServiceId, Precedence>,
    /// Cost by service.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub costs: BTreeMap<ServiceId, u16>,
}

impl Hosting {
    /// The distinct services in both maps.
    pub fn services(&self) -> impl Iterator<Item = &ServiceId> {
        self.precedences.keys().chain(
            self.costs
                .keys()
                .filter(|service| !self.precedences.contains_key(*service)),
        )
    }

    /// Removes a deleted service from both maps; returns whether it was present.
    pub fn unlink(&mut self, service: &ServiceId) -> bool {
        let had_cost = self.costs.remove(service).is_some();
        self.precedences.remove(service).is_some() || had_cost
    }
}
