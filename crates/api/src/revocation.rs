//! Wire types of revocations.

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::time::WireTime;
use portcullis_domain::FieldError;
use portcullis_domain::ids::RevocationId;
use portcullis_domain::revocation::{Revocation, RevocationType};
use portcullis_domain::tags::Tags;
use serde::{Deserialize, Serialize};

/// Positions of the hyphens in a UUID.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// The body of POST `/revocations`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RevocationCreate {
    /// Id of what is revoked: an identity id, or else a UUID in lower case.
    pub id: RevocationId,
    /// Type of what is revoked.
    #[serde(rename = "type")]
    pub revoked: RevocationType,
    pub tags: Tags,
}

impl Decode for RevocationCreate {
    const BODY_NAME: &'static str = "revocation";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let mut id = members.required_string("id")?;
        let name =
            members.required_choice("type", &RevocationType::ALL.map(RevocationType::name))?;
        let tags = members.tags()?.unwrap_or_default();
        let known = RevocationType::ALL
            .into_iter()
            .find(|kind| kind.name() == name);
        let revoked = known.unwrap_or(RevocationType::Identity);
        if revoked != RevocationType::Identity {
            if !is_uuid(&id) {
                return Err(FieldError::new("id", "must be a UUID", id).into());
            }
            // Tokens carry it in lower case and are compared byte for byte.
            id.make_ascii_lowercase();
        }
        Ok(Self {
            id: RevocationId::from_wire(id),
            revoked,
            tags,
        })
    }
}

/// Whether a string is a UUID (RFC 9562 section 4).
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| {
            if HYPHENS.contains(&place) {
                byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        })
}

/// A revocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevocationDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<RevocationId>,
    /// When the revocation expires.
    pub expires_at: WireTime,
    /// Type of what is revoked.
    #[serde(rename = "type")]
    #[schemars(with = "crate::schema::word::Revoked")]
    pub revoked: RevocationType,
}

impl From<Revocation> for RevocationDetail {
    fn from(revocation: Revocation) -> Self {
        Self {
            base: Base {
                links: Links::with_self(format!("revocations/{}", revocation.id)),
                created_at: revocation.created_at.into(),
                id: revocation.id,
                tags: revocation.spec.tags,
                updated_at: revocation.updated_at.into(),
            },
            expires_at: revocation.spec.expires_at.into(),
            revoked: revocation.spec.revoked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_told_from_other_texts() {
        let uuid = "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";
        assert!(is_uuid(uuid) && is_uuid(&uuid.to_uppercase()));
        for text in [
            "",
            "nope",
            "6f0b6c9e1f634d0a9a550d5be1c0ffee",
            "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffe",
            "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffeg",
            "6f0b6c9e-1f63-4d0a-9a5-50d5be1c0ffee",
            "{6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee}",
        ] {
            assert!(!is_uuid(text), "{text}");
        }
    }
}
