//! What can be said of a signer.

use super::SignerSpec;
use crate::FieldError;
use std::collections::BTreeSet;

/// Most bytes of a text of a signer.
const LONGEST: usize = 2048;

/// Most bytes of a scope.
const LONGEST_SCOPE: usize = 256;

/// Most scopes of a signer.
const MOST_SCOPES: usize = 64;

impl SignerSpec {
    /// Checks that the members that have to say something do, and that none says too much.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on the first that is blank, or longer than 2048 bytes, and on scopes that are
    /// more than 64 or longer than 256 bytes.
    pub fn check(&self) -> Result<(), FieldError> {
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
            check_length(field, text.map_or("", String::as_str))?;
        }
        check_scopes(&self.scopes)
    }
}

/// Checks that a text of a signer is not too long.
///
/// # Errors
///
/// [`FieldError`] on `field`, without the text, when it has more than 2048 bytes.
pub fn check_length(field: &str, text: &str) -> Result<(), FieldError> {
    check_bytes(field, text, LONGEST)
}

fn check_bytes(field: &str, text: &str, most: usize) -> Result<(), FieldError> {
    if text.len() > most {
        let reason = format!("must be at most {most} bytes long");
        Err(FieldError::new(field, reason, ""))
    } else {
        Ok(())
    }
}

fn check_scopes(scopes: &BTreeSet<String>) -> Result<(), FieldError> {
    if scopes.len() > MOST_SCOPES {
        let reason = format!("must not have more than {MOST_SCOPES} entries");
        return Err(FieldError::new("scopes", reason, ""));
    }
    scopes
        .iter()
        .try_for_each(|scope| check_bytes("scopes", scope, LONGEST_SCOPE))
}
