//! Service policies.

use crate::FieldError;
use crate::ids::{IdentityId, PostureCheckId, ServiceId, ServicePolicyId};
use crate::managed::{Managed, Spec};
use crate::name::validate_name;
use crate::patch::assign;
use crate::roles::{RoleSelectors, Semantic};
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// Grants identities the use of services, if they pass the posture checks that it names.
pub type ServicePolicy = Managed<ServicePolicyId, ServicePolicySpec>;

/// What a policy grants on a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ServiceGrant {
    /// Connect to it.
    Dial,
    /// Offer it.
    Bind,
}

/// Editable members of a service policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServicePolicySpec {
    /// Unique among service policies.
    pub name: String,
    #[serde(rename = "type")]
    pub grant: ServiceGrant,
    /// Whether all attributes of a list have to match, or any.
    pub semantic: Semantic,
    #[serde(default, skip_serializing_if = "RoleSelectors::is_empty")]
    pub identity_roles: RoleSelectors<IdentityId>,
    #[serde(default, skip_serializing_if = "RoleSelectors::is_empty")]
    pub service_roles: RoleSelectors<ServiceId>,
    /// Posture checks that have to pass; empty for none.
    #[serde(default, skip_serializing_if = "RoleSelectors::is_empty")]
    pub posture_check_roles: RoleSelectors<PostureCheckId>,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Members of a service policy to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServicePolicySpecPatch {
    pub name: Option<String>,
    pub grant: Option<ServiceGrant>,
    pub semantic: Option<Semantic>,
    pub identity_roles: Option<RoleSelectors<IdentityId>>,
    pub service_roles: Option<RoleSelectors<ServiceId>>,
    pub posture_check_roles: Option<RoleSelectors<PostureCheckId>>,
    pub tags: Option<Tags>,
}

impl ServiceGrant {
    pub const ALL: [Self; 2] = [Self::Dial, Self::Bind];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dial => "Dial",
            Self::Bind => "Bind",
        }
    }

    /// Parses the member `field`.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` for an unknown name; names are case-sensitive.
    pub fn from_name(field: &str, name: &str) -> Result<Self, FieldError> {
        Self::ALL
            .into_iter()
            .find(|grant| grant.name() == name)
            .ok_or_else(|| FieldError::new(field, "must be one of Dial, Bind", name))
    }
}

impl ServicePolicySpec {
    /// A policy with this name that selects nobody and nothing yet, by any of the attributes in its lists.
    pub fn new(name: impl Into<String>, grant: ServiceGrant) -> Self {
        Self {
            name: name.into(),
            grant,
            semantic: Semantic::AnyOf,
            identity_roles: RoleSelectors::default(),
            service_roles: RoleSelectors::default(),
            posture_check_roles: RoleSelectors::default(),
            tags: Tags::default(),
        }
    }
}

impl Spec for ServicePolicySpec {
    type Patch = ServicePolicySpecPatch;

    fn apply(&mut self, patch: ServicePolicySpecPatch) {
        assign(&mut self.name, patch.name);
        assign(&mut self.grant, patch.grant);
        assign(&mut self.semantic, patch.semantic);
        assign(&mut self.identity_roles, patch.identity_roles);
        assign(&mut self.service_roles, patch.service_roles);
        assign(&mut self.posture_check_roles, patch.posture_check_roles);
        assign(&mut self.tags, patch.tags);
    }

    fn normalize(&mut self, _before: Option<&Self>) -> Result<(), FieldError> {
        validate_name(&self.name)
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

    #[test]
    fn patch_changes_the_given_members() {
        let id = |text: &str| IdentityId::from_wire(text);
        let mut spec = ServicePolicySpec {
            identity_roles: RoleSelectors::from_id(id("a")),
            ..ServicePolicySpec::new("p", ServiceGrant::Dial)
        };
        let before = spec.clone();
        spec.apply(ServicePolicySpecPatch::default());
        assert_eq!(spec, before);
        spec.apply(ServicePolicySpecPatch {
            grant: Some(ServiceGrant::Bind),
            identity_roles: Some(RoleSelectors::from_id(id("b"))),
            ..ServicePolicySpecPatch::default()
        });
        let changed = ServicePolicySpec {
            grant: ServiceGrant::Bind,
            identity_roles: RoleSelectors::from_id(id("b")),
            ..before
        };
        assert_eq!(spec, changed);
        assert_eq!(spec.normalize(None), Ok(()));
        spec.name.clear();
        assert_eq!(spec.normalize(None).unwrap_err().field, "name");
    }
}
