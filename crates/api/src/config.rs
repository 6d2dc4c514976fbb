//! Wire types of configurations of services and routers.

mod request;

pub use request::{ConfigCreate, ConfigPatch, ConfigUpdate};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::{EntityRef, Links};
use portcullis_domain::config::JsonObject;
use portcullis_domain::ids::{ConfigId, ConfigTypeId};
use portcullis_domain::view::ConfigView;
use serde::{Deserialize, Serialize};

/// A configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ConfigId>,
    /// Its type.
    pub config_type: EntityRef,
    /// Id of its type.
    #[schemars(with = "String")]
    pub config_type_id: ConfigTypeId,
    /// JSON document, valid against the schema of its type.
    #[schemars(with = "crate::schema::Object")]
    pub data: JsonObject,
    /// Unique name.
    pub name: String,
}

impl From<ConfigView> for ConfigDetail {
    fn from(view: ConfigView) -> Self {
        let config = view.config;
        Self {
            base: Base {
                links: Links::with_self(format!("configs/{}", config.id)),
                created_at: config.created_at.into(),
                id: config.id,
                tags: config.spec.tags,
                updated_at: config.updated_at.into(),
            },
            config_type: view.config_type.into(),
            config_type_id: config.spec.config_type,
            data: config.spec.data,
            name: config.spec.name,
        }
    }
}
