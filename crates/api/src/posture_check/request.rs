//! Requests about posture checks, read by the server and written by clients.

use super::body::CheckBody;
use super::definition;
use super::patch_body::PatchBody;
use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::posture_check::{
    Check, CheckKind, CheckPatch, PostureCheckPatch, PostureCheckSpec,
};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::tags::Tags;
use serde::{Serialize, Serializer};

/// Name of the body in errors.
const PARAMETER: &str = "postureCheck";

/// The body of POST `/posture-checks` and PUT `/posture-checks/{id}`. What is left out is set back to
/// its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PostureCheckBody {
    /// The name.
    pub name: String,
    /// The words by which policies select it.
    pub role_attributes: RoleAttributes,
    /// What users attach to it.
    pub tags: Tags,
    /// What it asks.
    #[serde(flatten, serialize_with = "write_check")]
    pub check: Check,
}

/// The body of PATCH `/posture-checks/{id}`. What is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PostureCheckMerge {
    /// A new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New words, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_attributes: Option<RoleAttributes>,
    /// New tags, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
    /// The type that the check has, and what it is to ask.
    #[serde(flatten, serialize_with = "write_patch")]
    pub check: CheckPatch,
}

impl Decode for PostureCheckBody {
    const PARAMETER: &'static str = PARAMETER;
    const WORDS: &'static [(&'static str, &'static str)] = &[("typeId", "What it asks about.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let kind = members.kind(&CheckKind::ALL, CheckKind::name)?;
        Ok(Self {
            name: members.required_string("name")?,
            role_attributes: members.role_attributes()?.unwrap_or_default(),
            tags: members.tags()?.unwrap_or_default(),
            check: definition::check(kind, members)?,
        })
    }
}

impl Decode for PostureCheckMerge {
    const PARAMETER: &'static str = PARAMETER;
    const WORDS: &'static [(&'static str, &'static str)] = &[("typeId", "What it asks about.")];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let kind = members.kind(&CheckKind::ALL, CheckKind::name)?;
        Ok(Self {
            name: members.optional_string("name")?,
            role_attributes: members.role_attributes()?,
            tags: members.tags()?,
            check: definition::patch(kind, members)?,
        })
    }
}

impl From<PostureCheckBody> for PostureCheckSpec {
    fn from(body: PostureCheckBody) -> Self {
        Self {
            name: body.name,
            role_attributes: body.role_attributes,
            check: body.check,
            tags: body.tags,
        }
    }
}

impl From<PostureCheckMerge> for PostureCheckPatch {
    fn from(merge: PostureCheckMerge) -> Self {
        Self {
            name: merge.name,
            role_attributes: merge.role_attributes,
            check: Some(merge.check),
            tags: merge.tags,
        }
    }
}

fn write_check<S: Serializer>(check: &Check, serializer: S) -> Result<S::Ok, S::Error> {
    CheckBody::to_ask_for(check).serialize(serializer)
}

fn write_patch<S: Serializer>(patch: &CheckPatch, serializer: S) -> Result<S::Ok, S::Error> {
    PatchBody::from(patch).serialize(serializer)
}
