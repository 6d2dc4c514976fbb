//! Service policies on the wire.

mod kind;
mod request;

pub use kind::PolicyType;
pub use request::{ServicePolicyBody, ServicePolicyMerge};

use crate::entity::Base;
use crate::link::Links;
use crate::role::{NamedRole, shown};
use crate::schema;
use portcullis_domain::ids::{IdentityId, PostureCheckId, ServiceId, ServicePolicyId};
use portcullis_domain::roles::{Roles, Semantic};
use portcullis_domain::view::ServicePolicyView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A service policy. Lists of selectors are `null` when they are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServicePolicyDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ServicePolicyId>,
    /// To whom it is granted.
    #[schemars(with = "Option<Vec<String>>")]
    pub identity_roles: Option<Roles<IdentityId>>,
    /// The same, as it is shown to people.
    pub identity_roles_display: Vec<NamedRole>,
    /// Its unique name.
    pub name: String,
    /// What has to be passed for it.
    #[schemars(with = "Option<Vec<String>>")]
    pub posture_check_roles: Option<Roles<PostureCheckId>>,
    /// The same, as it is shown to people.
    pub posture_check_roles_display: Vec<NamedRole>,
    /// How many of the attributes of a list an entity has to carry.
    #[schemars(with = "schema::word::Semantic")]
    pub semantic: Semantic,
    /// The use of which services.
    #[schemars(with = "Option<Vec<String>>")]
    pub service_roles: Option<Roles<ServiceId>>,
    /// The same, as it is shown to people.
    pub service_roles_display: Vec<NamedRole>,
    /// What it grants.
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
            identity_roles: shown(spec.identity_roles),
            name: spec.name,
            posture_check_roles_display: NamedRole::list(
                &spec.posture_check_roles,
                &view.posture_checks,
            ),
            posture_check_roles: shown(spec.posture_check_roles),
            semantic: spec.semantic,
            service_roles_display: NamedRole::list(&spec.service_roles, &view.services),
            service_roles: shown(spec.service_roles),
            kind: spec.grant.into(),
        }
    }
}
