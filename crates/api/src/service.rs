//! Services on the wire.

mod posture;
mod request;

pub use posture::{PostureQueries, PostureQuery, PostureQueryProcess};
pub use request::{ServiceCreate, ServiceMerge, ServiceReplace, UnknownStrategy};

use crate::entity::Base;
use crate::link::Links;
use crate::schema;
use crate::service_policy::PolicyType;
use portcullis_domain::config::Object;
use portcullis_domain::ids::{ConfigId, ServiceId};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::view::{ServiceGrants, ServiceView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceDetail {
    /// The members that every entity has.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ServiceId>,
    /// What its configurations say to the viewer, by the names of their types; `null` where none
    /// were asked for.
    #[schemars(with = "Option<BTreeMap<Arc<str>, Arc<schema::Object>>>")]
    pub config: Option<BTreeMap<Arc<str>, Arc<Object>>>,
    /// Ids of its configurations; `null` for none.
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Whether those who dial and those who bind it have to encrypt from end to end.
    pub encryption_required: bool,
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    #[serde(default)]
    pub max_idle_time_millis: i64,
    /// Its unique name.
    pub name: String,
    /// What the viewer may do with it; [`PolicyType::Invalid`] alone for nothing, `null` where that
    /// was not asked.
    pub permissions: Option<Vec<PolicyType>>,
    /// How the posture of the viewer stands with the policies that let it use the service.
    #[serde(default)]
    pub posture_queries: Vec<PostureQueries>,
    /// The words by which policies select it; `null` for none.
    #[schemars(with = "Option<Vec<String>>")]
    pub role_attributes: Option<RoleAttributes>,
    /// How one of its terminators is chosen.
    pub terminator_strategy: String,
}

impl From<ServiceView> for ServiceDetail {
    fn from(view: ServiceView) -> Self {
        let permissions = view.grants.map(permissions);
        let posture_queries = if view.posture.is_empty() {
            let shown = permissions.iter().flatten().copied();
            shown.map(PostureQueries::placeholder).collect()
        } else {
            view.posture.into_iter().map(Into::into).collect()
        };
        let service = view.service;
        let spec = service.spec;
        Self {
            base: Base {
                links: Links::of_service(&service.id),
                created_at: service.created_at.into(),
                id: service.id,
                tags: spec.tags,
                updated_at: service.updated_at.into(),
            },
            config: view.config,
            configs: Some(spec.configs).filter(|configs| !configs.is_empty()),
            encryption_required: spec.encryption_required,
            max_idle_time_millis: i64::try_from(spec.max_idle_time_millis).unwrap_or(i64::MAX),
            name: spec.name,
            permissions,
            posture_queries,
            role_attributes: Some(spec.role_attributes).filter(|roles| !roles.is_empty()),
            terminator_strategy: spec.terminator_strategy.name().to_owned(),
        }
    }
}

/// What may be done, in a list that is never empty: some clients take an empty one for an error.
fn permissions(grants: ServiceGrants) -> Vec<PolicyType> {
    if grants.is_empty() {
        vec![PolicyType::Invalid]
    } else {
        grants.iter().map(Into::into).collect()
    }
}
