//! Requests about authorities, read by the server and written by clients.

use super::ClaimChange;
use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::FieldError;
use portcullis_domain::ca::{CaPatch, CaSpec, name_format};
use portcullis_domain::name::check_name;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::tags::Tags;
use serde::Serialize;
use std::ops::RangeInclusive;

/// Longest certificate, in characters: many times the size of one with a key of 16384 bits.
const PEM_LENGTH: RangeInclusive<usize> = 0..=64 * 1024;

/// The body of POST `/cas`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaCreate {
    /// The certificate, PEM; what follows the first one is passed over.
    pub cert_pem: String,
    /// Members shared with a replacement.
    #[serde(flatten)]
    pub replace: CaReplace,
}

/// The body of PUT `/cas/{id}`. What is left out is set back to its default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaReplace {
    /// The role attributes of identities that it enrolls by itself.
    pub identity_roles: RoleAttributes,
    /// Whether its certificates are a way in.
    pub is_auth_enabled: bool,
    /// Whether whoever holds one of its certificates becomes an identity.
    pub is_auto_ca_enrollment_enabled: bool,
    /// Whether enrollments may be redeemed with its certificates.
    pub is_ott_ca_enrollment_enabled: bool,
    /// The name.
    pub name: String,
    /// How identities that it enrolls by itself are named; the empty text stands for the default.
    pub identity_name_format: String,
    /// Where its certificates name the external id of their holder, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<ClaimChange>,
    /// What users attach to it.
    pub tags: Tags,
}

impl CaReplace {
    /// What administrators decide by it.
    ///
    /// # Errors
    ///
    /// [`FieldError`] when the claim is none. It is reported under
    /// [`Code::InvalidField`](crate::code::Code::InvalidField).
    pub fn spec(self) -> Result<CaSpec, FieldError> {
        let claim = self.external_id_claim.map(|claim| {
            let patch = portcullis_domain::ca::ClaimPatch::from(claim);
            patch.complete()
        });
        Ok(CaSpec {
            name: self.name,
            is_auto_enrollment_enabled: self.is_auto_ca_enrollment_enabled,
            is_ott_enrollment_enabled: self.is_ott_ca_enrollment_enabled,
            is_auth_enabled: self.is_auth_enabled,
            identity_roles: self.identity_roles,
            identity_name_format: name_format(self.identity_name_format),
            external_id_claim: claim.transpose()?,
            tags: self.tags,
        })
    }

    /// Reads everything but the format of names, which a creation may leave out.
    fn read(
        members: &mut Members,
        format: impl FnOnce(&mut Members) -> Result<String, DecodeError>,
    ) -> Result<Self, DecodeError> {
        let roles = members.required_string_list("identityRoles")?;
        Ok(Self {
            identity_roles: identity_roles(roles)?,
            is_auth_enabled: members.required_bool("isAuthEnabled")?,
            is_auto_ca_enrollment_enabled: members.required_bool("isAutoCaEnrollmentEnabled")?,
            is_ott_ca_enrollment_enabled: members.required_bool("isOttCaEnrollmentEnabled")?,
            name: checked(members.required_string("name")?)?,
            identity_name_format: format(members)?,
            external_id_claim: ClaimChange::read(members)?,
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

impl Decode for CaCreate {
    const PARAMETER: &'static str = "ca";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            cert_pem: members.required_bounded_string("certPem", PEM_LENGTH)?,
            replace: CaReplace::read(members, |members| {
                Ok(members
                    .optional_string("identityNameFormat")?
                    .unwrap_or_default())
            })?,
        })
    }
}

impl Decode for CaReplace {
    const PARAMETER: &'static str = "ca";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Self::read(members, |members| {
            members.required_string("identityNameFormat")
        })
    }
}

/// The body of PATCH `/cas/{id}`. What is `None` stays as it is, but for the claim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaMerge {
    /// New role attributes of identities that it enrolls by itself, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_roles: Option<RoleAttributes>,
    /// Whether its certificates are a way in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_auth_enabled: Option<bool>,
    /// Whether whoever holds one of its certificates becomes an identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_auto_ca_enrollment_enabled: Option<bool>,
    /// Whether enrollments may be redeemed with its certificates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_ott_ca_enrollment_enabled: Option<bool>,
    /// A new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How identities that it enrolls by itself are named; the empty text stands for the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_name_format: Option<String>,
    /// What of the claim changes. `None` takes the claim away; without members set it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<ClaimChange>,
    /// New tags, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl Decode for CaMerge {
    const PARAMETER: &'static str = "ca";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let roles = members.string_list("identityRoles")?;
        Ok(Self {
            identity_roles: roles.map(identity_roles).transpose()?,
            is_auth_enabled: members.optional_bool("isAuthEnabled")?,
            is_auto_ca_enrollment_enabled: members.optional_bool("isAutoCaEnrollmentEnabled")?,
            is_ott_ca_enrollment_enabled: members.optional_bool("isOttCaEnrollmentEnabled")?,
            name: members.optional_string("name")?.map(checked).transpose()?,
            identity_name_format: members.optional_string("identityNameFormat")?,
            external_id_claim: ClaimChange::read(members)?,
            tags: members.tags()?,
        })
    }
}

impl From<CaMerge> for CaPatch {
    fn from(merge: CaMerge) -> Self {
        Self {
            name: merge.name,
            is_auto_enrollment_enabled: merge.is_auto_ca_enrollment_enabled,
            is_ott_enrollment_enabled: merge.is_ott_ca_enrollment_enabled,
            is_auth_enabled: merge.is_auth_enabled,
            identity_roles: merge.identity_roles,
            identity_name_format: merge.identity_name_format,
            external_id_claim: merge.external_id_claim.map(Into::into),
            tags: merge.tags,
        }
    }
}

fn checked(name: String) -> Result<String, FieldError> {
    check_name(&name)?;
    Ok(name)
}

fn identity_roles(given: Vec<String>) -> Result<RoleAttributes, FieldError> {
    RoleAttributes::new(given).map_err(|error| FieldError {
        field: "identityRoles".to_owned(),
        ..error
    })
}
