//! Policies about the use of services.

use crate::FieldError;
use crate::ids::{IdentityId, PostureCheckId, ServiceId, ServicePolicyId};
use crate::managed::{Managed, Spec};
use crate::name::check_name;
use crate::patch::assign;
use crate::roles::{Roles, Semantic};
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// Grants identities the use of services, if they pass the posture checks that it names.
pub type ServicePolicy = Managed<ServicePolicyId, ServicePolicySpec>;

/// What may be done with a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ServiceGrant {
    /// Connect to it.
    Dial,
    /// Offer it.
    Bind,
}

/// What administrators decide about a service policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServicePolicySpec {
    /// Its name, unique among service policies.
    pub name: String,
    /// What it grants.
    #[serde(rename = "type")]
    pub grant: ServiceGrant,
    /// How many of the attributes of a list an entity has to carry.
    pub semantic: Semantic,
    /// To whom it is granted.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub identity_roles: Roles<IdentityId>,
    /// The use of which services.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub service_roles: Roles<ServiceId>,
    /// What has to be passed for it; empty for nothing.
    #[serde(default, skip_serializing_if = "Roles::is_empty")]
    pub posture_check_roles: Roles<PostureCheckId>,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// The members of a service policy to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServicePolicyPatch {
    /// New name.
    pub name: Option<String>,
    /// What it is to grant.
    pub grant: Option<ServiceGrant>,
    /// New semantic.
    pub semantic: Option<Semantic>,
    /// New list of identities.
    pub identity_roles: Option<Roles<IdentityId>>,
    /// New list of services.
    pub service_roles: Option<Roles<ServiceId>>,
    /// New list of posture checks.
    pub posture_check_roles: Option<Roles<PostureCheckId>>,
    /// New tags, all of them.
    pub tags: Option<Tags>,
}

impl ServiceGrant {
    /// Every grant.
    pub const ALL: [Self; 2] = [Self::Dial, Self::Bind];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dial => "Dial",
            Self::Bind => "Bind",
        }
    }

    /// Reads the member `field`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when `name` is none, in exactly this case.
    pub fn from_name(field: &str, name: &str) -> Result<Self, FieldError> {
        Self::ALL
            .into_iter()
            .find(|grant| grant.name() == name)
            .ok_or_else(|| FieldError::new(field, "must be one of Dial, Bind", name))
    }
}

impl Spec for ServicePolicySpec {
    type Patch = ServicePolicyPatch;

    fn apply(&mut self, patch: ServicePolicyPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.grant, patch.grant);
        assign(&mut self.semantic, patch.semantic);
        assign(&mut self.identity_roles, patch.identity_roles);
        assign(&mut self.service_roles, patch.service_roles);
        assign(&mut self.posture_check_roles, patch.posture_check_roles);
        assign(&mut self.tags, patch.tags);
    }

    fn settle(&mut self, _before: Option<&Self>) -> Result<(), FieldError> {
        check_name(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_read_by_their_words() {
        for (word, grant) in [("Dial", ServiceGrant::Dial), ("Bind", ServiceGrant::Bind)] {
            assert_eq!(ServiceGrant::from_name("type", word), Ok(grant));
        }
        let error = ServiceGrant::from_name("type", "dial").unwrap_err();
        assert_eq!((&*error.field, &*error.value), ("type", "dial"));
    }
}
