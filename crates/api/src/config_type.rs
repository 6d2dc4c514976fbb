//! Wire types of configuration types.

mod request;

pub use request::{ConfigTypeCreate, ConfigTypePatch, ConfigTypeUpdate};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use portcullis_domain::config::{ConfigTarget, ConfigType, JsonObject};
use portcullis_domain::ids::ConfigTypeId;
use serde::{Deserialize, Serialize};

/// A configuration type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigTypeDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<ConfigTypeId>,
    /// Unique name.
    pub name: String,
    /// JSON Schema of its configurations; `null` if any object is valid.
    #[schemars(with = "Option<crate::schema::Object>")]
    pub schema: Option<JsonObject>,
    /// What its configurations apply to.
    #[serde(default)]
    #[schemars(with = "crate::schema::word::Target")]
    pub target: ConfigTarget,
}

impl From<ConfigType> for ConfigTypeDetail {
    fn from(kind: ConfigType) -> Self {
        Self {
            base: Base {
                links: Links::with_self(format!("config-types/{}", kind.id)),
                created_at: kind.created_at.into(),
                id: kind.id,
                tags: kind.spec.tags,
                updated_at: kind.updated_at.into(),
            },
            name: kind.spec.name,
            schema: kind.spec.schema,
            target: kind.spec.target,
        }
    }
}
