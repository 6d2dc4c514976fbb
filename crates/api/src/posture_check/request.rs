//! Bodies of posture check requests.

use super::check_definition::CheckDefinition;
use super::check_definition_patch::CheckDefinitionPatch;
use super::decode_check;
use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::posture_check::{
    Check, CheckPatch, CheckType, PostureCheckSpec, PostureCheckSpecPatch,
};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::tags::Tags;
use serde::{Serialize, Serializer};

/// Name of the body in errors.
const PARAMETER: &str = "postureCheck";

/// The body of POST `/posture-checks` and PUT `/posture-checks/{id}`. Absent members are reset
/// to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PostureCheckCreate {
    pub name: String,
    /// Role attributes, by which policies select it.
    pub role_attributes: RoleAttributes,
    pub tags: Tags,
    #[serde(flatten, serialize_with = "write_check")]
    pub check: Check,
}

/// The body of PATCH `/posture-checks/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PostureCheckPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Replaces all role attributes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_attributes: Option<RoleAttributes>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
    /// Type of the check and its changes.
    #[serde(flatten, serialize_with = "write_patch")]
    pub check: CheckPatch,
}

impl PostureCheckCreate {
    /// A check with this name, without role attributes and tags.
    pub fn new(name: impl Into<String>, check: Check) -> Self {
        Self {
            name: name.into(),
            role_attributes: RoleAttributes::default(),
            tags: Tags::default(),
            check,
        }
    }
}

impl Decode for PostureCheckCreate {
    const BODY_NAME: &'static str = PARAMETER;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] =
        &[("typeId", "Type of the posture check.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let kind = members.type_id(&CheckType::ALL, CheckType::name)?;
        Ok(Self {
            name: members.required_string("name")?,
            role_attributes: members.role_attributes()?.unwrap_or_default(),
            tags: members.tags()?.unwrap_or_default(),
            check: decode_check::check(kind, members)?,
        })
    }
}

impl Decode for PostureCheckPatch {
    const BODY_NAME: &'static str = PARAMETER;
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] =
        &[("typeId", "Type of the posture check.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let kind = members.type_id(&CheckType::ALL, CheckType::name)?;
        Ok(Self {
            name: members.optional_string("name")?,
            role_attributes: members.role_attributes()?,
            tags: members.tags()?,
            check: decode_check::patch(kind, members)?,
        })
    }
}

impl From<PostureCheckCreate> for PostureCheckSpec {
    fn from(create: PostureCheckCreate) -> Self {
        Self {
            name: create.name,
            role_attributes: create.role_attributes,
            check: create.check,
            tags: create.tags,
        }
    }
}

impl From<PostureCheckPatch> for PostureCheckSpecPatch {
    fn from(patch: PostureCheckPatch) -> Self {
        Self {
            name: patch.name,
            role_attributes: patch.role_attributes,
            check: Some(patch.check),
            tags: patch.tags,
        }
    }
}

fn write_check<S: Serializer>(check: &Check, serializer: S) -> Result<S::Ok, S::Error> {
    CheckDefinition::for_request(check).serialize(serializer)
}

fn write_patch<S: Serializer>(patch: &CheckPatch, serializer: S) -> Result<S::Ok, S::Error> {
    CheckDefinitionPatch::from(patch).serialize(serializer)
}
