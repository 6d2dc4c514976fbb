//! Validation of signers.

use super::SignerSettings;
use crate::FieldError;
use std::collections::BTreeSet;

const MAX_TEXT_BYTES: usize = 2048;

const MAX_SCOPE_BYTES: usize = 256;

const MAX_SCOPES: usize = 64;

impl SignerSettings {
    /// Validates that required members are not blank and that none is too long.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on the first member that is blank or longer than 2048 bytes, and on more than
    /// 64 scopes or scopes longer than 256 bytes.
    pub fn validate(&self) -> Result<(), FieldError> {
        let members = [
            ("name", &self.name),
            ("issuer", &self.issuer),
            ("audience", &self.audience),
        ];
        if let Some((field, text)) = members.into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(FieldError::new(field, "must not be blank", text));
        }
        let rules = &self.enrollment;
        for (field, text) in [
            ("issuer", Some(&self.issuer)),
            ("audience", Some(&self.audience)),
            ("kid", self.kid.as_ref()),
            ("claimsProperty", Some(&self.claims_property)),
            ("externalAuthUrl", self.external_auth_url.as_ref()),
            ("clientId", self.client_id.as_ref()),
            ("enrollNameClaimsSelector", Some(&rules.name_selector)),
            (
                "enrollAttributeClaimsSelector",
                rules.attribute_selector.as_ref(),
            ),
        ] {
            validate_length(field, text.map_or("", String::as_str))?;
        }
        validate_scopes(&self.scopes)
    }
}

/// Validates the length of a text member.
///
/// # Errors
///
/// [`FieldError`] on `field`, without the text, when it exceeds 2048 bytes.
pub fn validate_length(field: &str, text: &str) -> Result<(), FieldError> {
    validate_bytes(field, text, MAX_TEXT_BYTES)
}

fn validate_bytes(field: &str, text: &str, max: usize) -> Result<(), FieldError> {
    if text.len() > max {
        let reason = format!("must be at most {max} bytes long");
        Err(FieldError::new(field, reason, ""))
    } else {
        Ok(())
    }
}

fn validate_scopes(scopes: &BTreeSet<String>) -> Result<(), FieldError> {
    if scopes.len() > MAX_SCOPES {
        let reason = format!("must not have more than {MAX_SCOPES} entries");
        return Err(FieldError::new("scopes", reason, ""));
    }
    scopes
        .iter()
        .try_for_each(|scope| validate_bytes("scopes", scope, MAX_SCOPE_BYTES))
}
