//! Wire types of service policies.

mod policy_type;
mod request;

pub use policy_type::PolicyType;
pub use request::{ServicePolicyCreate, ServicePolicyPatch};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::role::{NamedRole, none_if_empty};
use portcullis_domain::ids::{IdentityId, PostureCheckId, ServiceId, ServicePolicyId};
use portcullis_domain::roles::{RoleSelectors, Semantic};
use portcullis_domain::view::ServicePolicyView;
use serde::{Deserialize, Serialize};

/// A service policy. Lists of selectors are `null` if they are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServicePolicyDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ServicePolicyId>,
    /// Selectors of the identities that the policy applies to.
    #[schemars(with = "Option<Vec<String>>")]
    pub identity_roles: Option<RoleSelectors<IdentityId>>,
    /// The same selectors with entity names, for display.
    pub identity_roles_display: Vec<NamedRole>,
    /// Unique name.
    pub name: String,
    /// Selectors of the posture checks that have to pass.
    #[schemars(with = "Option<Vec<String>>")]
    pub posture_check_roles: Option<RoleSelectors<PostureCheckId>>,
    /// The same selectors with entity names, for display.
    pub posture_check_roles_display: Vec<NamedRole>,
    /// Whether an entity needs all role attributes of a list (`AllOf`) or one of them (`AnyOf`).
    #[schemars(with = "crate::schema::word::Semantic")]
    pub semantic: Semantic,
    /// Selectors of the services that the policy applies to.
    #[schemars(with = "Option<Vec<String>>")]
    pub service_roles: Option<RoleSelectors<ServiceId>>,
    /// The same selectors with entity names, for display.
    pub service_roles_display: Vec<NamedRole>,
    /// What the policy grants: `Dial` or `Bind`.
    #[serde(rename = "type")]
    pub kind: PolicyType,
}

impl From<ServicePolicyView> for ServicePolicyDetail {
    fn from(view: ServicePolicyView) -> Self {
        let policy = view.policy;
        let spec = policy.spec;
        Self {
            base: Base {
                links: Links::of_service_policy(&policy.id),
                created_at: policy.created_at.into(),
                id: policy.id,
                tags: spec.tags,
                updated_at: policy.updated_at.into(),
            },
            identity_roles_display: NamedRole::list(&spec.identity_roles, &view.identities),
            identity_roles: none_if_empty(spec.identity_roles),
            name: spec.name,
            posture_check_roles_display: NamedRole::list(
                &spec.posture_check_roles,
                &view.posture_checks,
            ),
            posture_check_roles: none_if_empty(spec.posture_check_roles),
            semantic: spec.semantic,
            service_roles_display: NamedRole::list(&spec.service_roles, &view.services),
            service_roles: none_if_empty(spec.service_roles),
            kind: spec.grant.into(),
        }
    }
}
