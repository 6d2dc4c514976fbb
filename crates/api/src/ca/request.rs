//! Bodies of CA requests.

use super::ExternalIdClaimPatch;
use crate::decode::{Decode, DecodeError, Members, PEM_LENGTH};
use portcullis_domain::FieldError;
use portcullis_domain::ca::{CaSettings, CaSettingsPatch, name_format_or_default};
use portcullis_domain::name::validate_name;
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::tags::Tags;
use serde::Serialize;

/// The body of POST `/cas`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaCreate {
    /// The certificate, PEM; anything after the first one is ignored.
    pub cert_pem: String,
    /// Members shared with the body of PUT.
    #[serde(flatten)]
    pub replace: CaUpdate,
}

/// The body of PUT `/cas/{id}`. Absent members are reset to their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaUpdate {
    /// Role attributes of automatically enrolled identities.
    pub identity_roles: RoleAttributes,
    /// Whether its certificates may be used to authenticate.
    pub is_auth_enabled: bool,
    /// Whether the holder of one of its certificates may enroll as a new identity.
    pub is_auto_ca_enrollment_enabled: bool,
    /// Whether its certificates may be used to complete `ottca` enrollments.
    pub is_ott_ca_enrollment_enabled: bool,
    pub name: String,
    /// Name format of automatically enrolled identities; an empty string selects the default.
    pub identity_name_format: String,
    /// Location of the external id in its certificates, if they carry one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<ExternalIdClaimPatch>,
    pub tags: Tags,
}

impl CaCreate {
    /// An authority with this name, by which nobody is enrolled or authenticated, and defaults for
    /// everything else. Its certificate is PEM.
    pub fn new(name: impl Into<String>, cert_pem: impl Into<String>) -> Self {
        Self {
            cert_pem: cert_pem.into(),
            replace: CaUpdate::named(name),
        }
    }
}

impl CaUpdate {
    /// Settings with this name, by which nobody is enrolled or authenticated, and defaults for everything
    /// else.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            identity_roles: RoleAttributes::default(),
            is_auth_enabled: false,
            is_auto_ca_enrollment_enabled: false,
            is_ott_ca_enrollment_enabled: false,
            name: name.into(),
            identity_name_format: String::new(),
            external_id_claim: None,
            tags: Tags::default(),
        }
    }

    /// Validates the claim and converts to settings.
    ///
    /// # Errors
    ///
    /// [`FieldError`] when the claim is incomplete or invalid. It is reported as
    /// [`Code::InvalidField`](crate::code::Code::InvalidField).
    pub fn settings(self) -> Result<CaSettings, FieldError> {
        let claim = self.external_id_claim.map(|claim| {
            let patch = portcullis_domain::ca::ClaimPatch::from(claim);
            patch.into_claim()
        });
        Ok(CaSettings {
            name: self.name,
            is_auto_enrollment_enabled: self.is_auto_ca_enrollment_enabled,
            is_ott_enrollment_enabled: self.is_ott_ca_enrollment_enabled,
            is_auth_enabled: self.is_auth_enabled,
            identity_roles: self.identity_roles,
            identity_name_format: name_format_or_default(self.identity_name_format),
            external_id_claim: claim.transpose()?,
            tags: self.tags,
        })
    }

    /// Decodes all members; `format` decodes the name format, which is optional in POST only.
    fn decode_with(
        members: &mut Members,
        format: impl FnOnce(&mut Members) -> Result<String, DecodeError>,
    ) -> Result<Self, DecodeError> {
        let roles = members.required_string_list("identityRoles")?;
        Ok(Self {
            identity_roles: identity_roles(roles)?,
            is_auth_enabled: members.required_bool("isAuthEnabled")?,
            is_auto_ca_enrollment_enabled: members.required_bool("isAutoCaEnrollmentEnabled")?,
            is_ott_ca_enrollment_enabled: members.required_bool("isOttCaEnrollmentEnabled")?,
            name: validated_name(members.required_string("name")?)?,
            identity_name_format: format(members)?,
            external_id_claim: ExternalIdClaimPatch::decode(members)?,
            tags: members.tags()?.unwrap_or_default(),
        })
    }
}

impl Decode for CaCreate {
    const BODY_NAME: &'static str = "ca";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            cert_pem: members.required_bounded_string("certPem", PEM_LENGTH)?,
            replace: CaUpdate::decode_with(members, |members| {
                Ok(members
                    .optional_string("identityNameFormat")?
                    .unwrap_or_default())
            })?,
        })
    }
}

impl Decode for CaUpdate {
    const BODY_NAME: &'static str = "ca";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Self::decode_with(members, |members| {
            members.required_string("identityNameFormat")
        })
    }
}

/// The body of PATCH `/cas/{id}`. Members that are `None` stay unchanged, except the claim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaPatch {
    /// Replaces the role attributes of automatically enrolled identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_roles: Option<RoleAttributes>,
    /// Whether its certificates may be used to authenticate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_auth_enabled: Option<bool>,
    /// Whether the holder of one of its certificates may enroll as a new identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_auto_ca_enrollment_enabled: Option<bool>,
    /// Whether its certificates may be used to complete `ottca` enrollments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_ott_ca_enrollment_enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name format of automatically enrolled identities; an empty string selects the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_name_format: Option<String>,
    /// Changes to the claim. `None` removes the claim; a value without members keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<ExternalIdClaimPatch>,
    /// Replaces all tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl Decode for CaPatch {
    const BODY_NAME: &'static str = "ca";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let roles = members.string_list("identityRoles")?;
        Ok(Self {
            identity_roles: roles.map(identity_roles).transpose()?,
            is_auth_enabled: members.optional_bool("isAuthEnabled")?,
            is_auto_ca_enrollment_enabled: members.optional_bool("isAutoCaEnrollmentEnabled")?,
            is_ott_ca_enrollment_enabled: members.optional_bool("isOttCaEnrollmentEnabled")?,
            name: members
                .optional_string("name")?
                .map(validated_name)
                .transpose()?,
            identity_name_format: members.optional_string("identityNameFormat")?,
            external_id_claim: ExternalIdClaimPatch::decode(members)?,
            tags: members.tags()?,
        })
    }
}

impl From<CaPatch> for CaSettingsPatch {
    fn from(patch: CaPatch) -> Self {
        Self {
            name: patch.name,
            is_auto_enrollment_enabled: patch.is_auto_ca_enrollment_enabled,
            is_ott_enrollment_enabled: patch.is_ott_ca_enrollment_enabled,
            is_auth_enabled: patch.is_auth_enabled,
            identity_roles: patch.identity_roles,
            identity_name_format: patch.identity_name_format,
            external_id_claim: patch.external_id_claim.map(Into::into),
            tags: patch.tags,
        }
    }
}

fn validated_name(name: String) -> Result<String, FieldError> {
    validate_name(&name)?;
    Ok(name)
}

fn identity_roles(given: Vec<String>) -> Result<RoleAttributes, FieldError> {
    RoleAttributes::new(given).map_err(|error| FieldError {
        field: "identityRoles".to_owned(),
        ..error
    })
}
