//! Wire types of posture checks.

mod check_definition;
mod check_definition_patch;
mod decode_check;
mod request;

pub(crate) use check_definition::seconds;
pub use check_definition::{
    CheckDefinition, MfaProperties, OperatingSystem, ProcessDefinition, ProcessMultiDefinition,
};
pub use request::{PostureCheckCreate, PostureCheckPatch};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::roles::RoleAttributes;
use serde::{Deserialize, Serialize};

/// Version of every posture check, since versions are not counted.
const VERSION: i64 = 1;

/// A posture check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostureCheckDetail {
    /// Type and criteria of the check.
    #[serde(flatten)]
    pub check: CheckDefinition,
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<PostureCheckId>,
    /// Unique name.
    pub name: String,
    /// Role attributes, by which policies select it; an empty list if it has none.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub role_attributes: RoleAttributes,
    /// Always 1.
    #[serde(default)]
    pub version: i64,
}

impl From<PostureCheck> for PostureCheckDetail {
    fn from(check: PostureCheck) -> Self {
        let spec = check.spec;
        Self {
            check: CheckDefinition::from(&spec.check),
            base: Base {
                links: Links::of_posture_check(&check.id),
                created_at: check.created_at.into(),
                id: check.id,
                tags: spec.tags,
                updated_at: check.updated_at.into(),
            },
            name: spec.name,
            role_attributes: spec.role_attributes,
            version: VERSION,
        }
    }
}

#[cfg(test)]
mod tests;
