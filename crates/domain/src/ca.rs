//! Third-party certificate authorities that enroll and authenticate identities.
//!
//! An authority is *unverified* until somebody presents a certificate that it signed for its
//! verification token, which proves possession of its key. An unverified authority admits nobody.

mod claim;
mod naming;
mod patch;

pub use claim::{ClaimLocation, ClaimMatcher, ClaimParser, ExternalIdClaim};
pub use naming::{NameVariables, with_counter};
pub use patch::{CaSpecPatch, ClaimPatch, name_format_or_default};

use crate::FieldError;
use crate::clock::Timestamp;
use crate::ids::CaId;
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use crate::trust_generation::TrustGeneration;
use serde::{Deserialize, Serialize};

/// Default name format of auto-enrolled identities.
pub const DEFAULT_NAME_FORMAT: &str = "[caName]-[commonName]";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ca {
    pub id: CaId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// PEM of its certificate; immutable.
    pub pem: String,
    /// Lower-case hex SHA-1 of the certificate's DER.
    pub fingerprint: String,
    /// Common name that a verification certificate must carry.
    pub verification_token: String,
    #[serde(default)]
    pub is_verified: bool,
    /// Trust generation of the external id claim.
    #[serde(default, skip_serializing_if = "TrustGeneration::is_first")]
    pub claim_terms: TrustGeneration,
    pub spec: CaSpec,
}

/// Editable members of an authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaSpec {
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

impl Ca {
    /// Replaces all editable members.
    pub fn replace(&mut self, spec: CaSpec, now: Timestamp) {
        let before = std::mem::replace(&mut self.spec, spec);
        self.update_claim_generation(&before);
        self.updated_at = now;
    }

    /// Changes the members that `patch` sets. A patch without effect leaves `updated_at` as it is.
    ///
    /// # Errors
    ///
    /// [`FieldError`] when the resulting claim is invalid; nothing is changed then.
    pub fn patch(&mut self, patch: CaSpecPatch, now: Timestamp) -> Result<(), FieldError> {
        let before = self.spec.clone();
        patch.apply(&mut self.spec)?;
        if self.spec != before {
            self.updated_at = now;
        }
        self.update_claim_generation(&before);
        Ok(())
    }

    fn update_claim_generation(&mut self, before: &CaSpec) {
        let has_changed = self.spec.external_id_claim != before.external_id_claim;
        self.claim_terms = self.claim_terms.next_if(has_changed);
    }

    /// Whether its certificates authenticate identities.
    pub fn can_authenticate(&self) -> bool {
        self.is_verified && self.spec.is_auth_enabled
    }

    /// Whether its certificates redeem enrollments; requires verification too.
    pub fn can_enroll(&self) -> bool {
        self.is_verified && self.spec.is_ott_enrollment_enabled
    }

    /// Whether holders of its certificates are enrolled automatically.
    pub fn can_auto_enroll(&self) -> bool {
        self.is_verified && self.spec.is_auto_enrollment_enabled
    }
}
