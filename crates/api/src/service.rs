//! Wire types of services.

mod posture;
mod request;

pub use posture::{PostureQueries, PostureQuery, PostureQueryProcess};
pub use request::{ServiceCreate, ServicePatch, ServiceUpdate, UnknownStrategyError};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::service_policy::PolicyType;
use portcullis_domain::config::JsonObject;
use portcullis_domain::ids::{ConfigId, ServiceId};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::view::{ServiceGrants, ServiceView};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ServiceId>,
    /// Configuration data for the viewer, by the names of the configuration types; `null` if none were
    /// requested.
    #[schemars(with = "Option<BTreeMap<Arc<str>, Arc<crate::schema::Object>>>")]
    pub config: Option<BTreeMap<Arc<str>, Arc<JsonObject>>>,
    /// Ids of its configurations; `null` if it has none.
    #[schemars(with = "Option<BTreeSet<String>>")]
    pub configs: Option<BTreeSet<ConfigId>>,
    /// Whether dialing and hosting clients have to use end-to-end encryption.
    pub encryption_required: bool,
    /// Milliseconds after which an idle circuit is closed; 0 for never.
    #[serde(default)]
    pub max_idle_time_millis: i64,
    /// Unique name.
    pub name: String,
    /// Access of the viewer; [`PolicyType::Invalid`] alone for no access, `null` if not requested.
    pub permissions: Option<Vec<PolicyType>>,
    /// Posture checks of the policies that grant the service to the viewer.
    #[serde(default)]
    pub posture_queries: Vec<PostureQueries>,
    /// Role attributes, by which policies select it; `null` if it has none.
    #[schemars(with = "Option<Vec<String>>")]
    pub role_attributes: Option<RoleAttributes>,
    /// Strategy by which a terminator is chosen.
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

/// The granted access as a list that is never empty: some clients treat an empty one as an error.
fn permissions(grants: ServiceGrants) -> Vec<PolicyType> {
    if grants.is_empty() {
        vec![PolicyType::Invalid]
    } else {
        grants.iter().map(Into::into).collect()
    }
}
