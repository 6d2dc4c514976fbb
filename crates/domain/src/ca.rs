//! Third-party certificate authorities that enroll and authenticate identities.
//!
//! An authority is *unverified* until somebody presents a certificate that it signed for its
//! verification token, which proves possession of its key. An unverified authority admits nobody.

mod claim;
mod naming;
mod patch;

pub use claim::{ClaimLocation, ClaimMatcher, ClaimParser, ExternalIdClaim};
pub use naming::{NameVariables, with_counter};
pub use patch::{CaSettingsPatch, ClaimPatch, name_format_or_default};

use crate::FieldError;
use crate::clock::Timestamp;
use crate::ids::CaId;
use crate::managed::{Managed, Spec};
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use crate::trust_generation::TrustGeneration;
use serde::{Deserialize, Serialize};

/// Default name format of auto-enrolled identities.
pub const DEFAULT_NAME_FORMAT: &str = "[caName]-[commonName]";

pub type Ca = Managed<CaId, CaSpec>;

/// Certificate and settings of an authority, and what has been found out about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaSpec {
    /// PEM of its certificate; immutable.
    pub pem: String,
    /// Lower-case hex SHA-1 of the certificate's DER; immutable.
    pub fingerprint: String,
    /// Common name that a verification certificate must carry; immutable.
    pub verification_token: String,
    /// Whether somebody has proved to hold its key; set by [`Ca::set_verified`] alone.
    #[serde(default)]
    pub is_verified: bool,
    /// Trust generation of the external id claim.
    #[serde(default, skip_serializing_if = "TrustGeneration::is_first")]
    pub claim_terms: TrustGeneration,
    #[serde(rename = "spec")]
    pub settings: CaSettings,
}

/// Editable members of an authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaSettings {
    /// Unique.
    pub name: String,
    /// Whether holders of its certificates are enrolled automatically.
    pub is_auto_enrollment_enabled: bool,
    pub is_ott_enrollment_enabled: bool,
    /// Whether its certificates authenticate identities.
    pub is_auth_enabled: bool,
    /// Role attributes of auto-enrolled identities.
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub identity_roles: RoleAttributes,
    /// Name format of auto-enrolled identities.
    pub identity_name_format: String,
    /// Where certificates carry the external id of their holder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<ExternalIdClaim>,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

impl CaSpec {
    /// An authority that is not verified yet. `certificate` is its PEM and the lower-case hex SHA-1 of its
    /// DER, `verification_token` what nobody can guess.
    pub fn new(
        settings: CaSettings,
        (pem, fingerprint): (impl Into<String>, impl Into<String>),
        verification_token: impl Into<String>,
    ) -> Self {
        Self {
            pem: pem.into(),
            fingerprint: fingerprint.into(),
            verification_token: verification_token.into(),
            is_verified: false,
            claim_terms: TrustGeneration::default(),
            settings,
        }
    }
}

impl CaSettings {
    /// Settings with this name, by which nobody is enrolled or authenticated, and defaults for everything
    /// else.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            is_auto_enrollment_enabled: false,
            is_ott_enrollment_enabled: false,
            is_auth_enabled: false,
            identity_roles: RoleAttributes::default(),
            identity_name_format: DEFAULT_NAME_FORMAT.to_owned(),
            external_id_claim: None,
            tags: Tags::default(),
        }
    }
}

impl Spec for CaSpec {
    /// Patches are applied by [`Ca::patch_settings`], which may fail.
    type Patch = ();

    const IS_STORED_FLAT: bool = true;

    fn apply(&mut self, (): ()) {}

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        let Some(before) = before else {
            self.is_verified = false;
            self.claim_terms = TrustGeneration::default();
            return Ok(());
        };
        self.pem.clone_from(&before.pem);
        self.fingerprint.clone_from(&before.fingerprint);
        self.verification_token
            .clone_from(&before.verification_token);
        self.is_verified = before.is_verified;
        let has_changed = self.settings.external_id_claim != before.settings.external_id_claim;
        self.claim_terms = before.claim_terms.next_if(has_changed);
        Ok(())
    }
}

impl Ca {
    /// Replaces all settings.
    ///
    /// # Errors
    ///
    /// As [`Managed::replace`].
    pub fn replace_settings(
        &mut self,
        settings: CaSettings,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        let spec = CaSpec {
            settings,
            ..self.spec.clone()
        };
        self.replace(spec, now)
    }

    /// Changes the settings that `patch` sets. A patch without effect leaves `updated_at` as it is.
    ///
    /// # Errors
    ///
    /// [`FieldError`] when the resulting claim is invalid; nothing is changed then.
    pub fn patch_settings(
        &mut self,
        patch: CaSettingsPatch,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        let mut settings = self.spec.settings.clone();
        patch.apply(&mut settings)?;
        if settings == self.spec.settings {
            return Ok(());
        }
        self.replace_settings(settings, now)
    }

    /// Records that somebody has proved to hold its key.
    pub fn set_verified(&mut self, now: Timestamp) {
        self.spec.is_verified = true;
        self.touch(now);
    }

    /// Whether its certificates authenticate identities.
    pub fn can_authenticate(&self) -> bool {
        self.spec.is_verified && self.spec.settings.is_auth_enabled
    }

    /// Whether its certificates redeem enrollments; requires verification too.
    pub fn can_enroll(&self) -> bool {
        self.spec.is_verified && self.spec.settings.is_ott_enrollment_enabled
    }

    /// Whether holders of its certificates are enrolled automatically.
    pub fn can_auto_enroll(&self) -> bool {
        self.spec.is_verified && self.spec.settings.is_auto_enrollment_enabled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> CaSpec {
        let settings = CaSettings {
            is_auth_enabled: true,
            ..CaSettings::named("partner")
        };
        CaSpec::new(settings, ("pem", "0b"), "token")
    }

    fn ca(spec: CaSpec) -> Ca {
        Ca::new(CaId::from_wire("c"), spec, Timestamp::UNIX_EPOCH).unwrap()
    }

    #[test]
    fn new_authority_is_unverified() {
        let proved = CaSpec {
            is_verified: true,
            claim_terms: TrustGeneration::default().next_if(true),
            ..spec()
        };
        assert_eq!(ca(proved), ca(spec()));
    }

    #[test]
    fn replacement_keeps_certificate_and_verification() {
        let mut settings = spec().settings;
        settings.name = "other".to_owned();
        let replacement = |is_verified| CaSpec {
            pem: "other".to_owned(),
            fingerprint: "0c".to_owned(),
            verification_token: "other".to_owned(),
            is_verified,
            claim_terms: TrustGeneration::default().next_if(true),
            settings: settings.clone(),
        };
        for is_verified in [false, true] {
            let mut after = ca(spec());
            if is_verified {
                after.set_verified(Timestamp::UNIX_EPOCH);
            }
            let mut expected = after.spec.clone();
            expected.settings = settings.clone();
            after
                .replace(replacement(!is_verified), Timestamp::UNIX_EPOCH)
                .unwrap();
            assert_eq!(after.spec, expected);
        }
    }

    #[test]
    fn records_have_the_form_of_the_first_ones() {
        let mut ca = ca(spec());
        ca.spec.is_verified = true;
        ca.spec.claim_terms = ca.spec.claim_terms.next_if(true);
        let stored = concat!(
            r#"{"id":"c","created_at":0,"updated_at":0,"pem":"pem","fingerprint":"0b","#,
            r#""verification_token":"token","is_verified":true,"claim_terms":1,"#,
            r#""spec":{"name":"partner","is_auto_enrollment_enabled":false,"#,
            r#""is_ott_enrollment_enabled":false,"is_auth_enabled":true,"#,
            r#""identity_name_format":"[caName]-[commonName]"}}"#,
        );
        assert_eq!(serde_json::to_string(&ca).unwrap(), stored);
        assert_eq!(serde_json::from_str::<Ca>(stored).unwrap(), ca);
    }

    #[test]
    fn record_without_optional_members_is_that_of_an_unverified_authority() {
        let stored = concat!(
            r#"{"id":"c","created_at":0,"updated_at":0,"pem":"pem","fingerprint":"0b","#,
            r#""verification_token":"token","spec":{"name":"partner","#,
            r#""is_auto_enrollment_enabled":false,"is_ott_enrollment_enabled":false,"#,
            r#""is_auth_enabled":true,"identity_name_format":"[caName]-[commonName]"}}"#,
        );
        assert_eq!(serde_json::from_str::<Ca>(stored).unwrap(), ca(spec()));
    }
}
