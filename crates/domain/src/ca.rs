//! Third-party certificate authorities: whose certificates may enroll and authenticate identities.
//!
//! An authority is *unverified* until somebody shows a certificate that it signed for its own
//! verification token, which proves that they hold its key. Before that it lets nobody in.

mod claim;
mod naming;
mod patch;

pub use claim::{ExternalIdClaim, Location, Matcher, Parser};
pub use naming::{NameParts, numbered};
pub use patch::{CaPatch, ClaimPatch, name_format};

use crate::FieldError;
use crate::clock::Timestamp;
use crate::ids::CaId;
use crate::roles::RoleAttributes;
use crate::tags::Tags;
use crate::terms::Terms;
use serde::{Deserialize, Serialize};

/// How new identities are named when nobody says otherwise.
pub const DEFAULT_NAME_FORMAT: &str = "[caName]-[commonName]";

/// A third-party certificate authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ca {
    /// Its id.
    pub id: CaId,
    /// When it was created.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// Its certificate, PEM; never changes.
    pub pem: String,
    /// Lower-case hex SHA-1 of the certificate's DER.
    pub fingerprint: String,
    /// The common name that proves, in a certificate signed by it, that its key is held.
    pub verification_token: String,
    /// Whether that proof was given.
    #[serde(default)]
    pub is_verified: bool,
    /// The terms under which its certificates name external ids.
    #[serde(default, skip_serializing_if = "Terms::are_first")]
    pub claim_terms: Terms,
    /// What its administrators decide about it.
    pub spec: CaSpec,
}

/// What administrators decide about an authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaSpec {
    /// Its unique name.
    pub name: String,
    /// Whether whoever holds one of its certificates becomes an identity.
    pub is_auto_enrollment_enabled: bool,
    /// Whether enrollments may be redeemed with its certificates.
    pub is_ott_enrollment_enabled: bool,
    /// Whether its certificates are a way in.
    pub is_auth_enabled: bool,
    /// The role attributes of identities that it enrolls by itself.
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub identity_roles: RoleAttributes,
    /// How identities that it enrolls by itself are named.
    pub identity_name_format: String,
    /// Where its certificates name the external id of their holder, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<ExternalIdClaim>,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

impl Ca {
    /// Replaces what administrators decide about it.
    pub fn replace(&mut self, spec: CaSpec, now: Timestamp) {
        let before = std::mem::replace(&mut self.spec, spec);
        self.follow(&before);
        self.updated_at = now;
    }

    /// Changes the members that `patch` sets. One that changes nothing leaves no trace.
    ///
    /// # Errors
    ///
    /// [`FieldError`] when the claim that results is none; nothing is changed then.
    pub fn merge(&mut self, patch: CaPatch, now: Timestamp) -> Result<(), FieldError> {
        let before = self.spec.clone();
        patch.apply(&mut self.spec)?;
        if self.spec != before {
            self.updated_at = now;
        }
        self.follow(&before);
        Ok(())
    }

    fn follow(&mut self, before: &CaSpec) {
        let has_changed = self.spec.external_id_claim != before.external_id_claim;
        self.claim_terms = self.claim_terms.followed(has_changed);
    }

    /// Whether certificates of this authority let anybody in.
    pub fn vouches_for_logins(&self) -> bool {
        self.is_verified && self.spec.is_auth_enabled
    }

    /// Whether enrollments are redeemed with certificates of this authority. That its key is held
    /// by whom it was added for counts here too.
    pub fn vouches_for_enrollments(&self) -> bool {
        self.is_verified && self.spec.is_ott_enrollment_enabled
    }

    /// Whether whoever holds a certificate of this authority becomes an identity.
    pub fn vouches_for_strangers(&self) -> bool {
        self.is_verified && self.spec.is_auto_enrollment_enabled
    }
}
