//! Partial update of an authentication policy.

use super::AuthPolicySpec;
use crate::ids::SignerId;
use crate::patch::assign;
use crate::tags::Tags;
use std::collections::BTreeSet;

/// Members of a policy to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthPolicySpecPatch {
    pub name: Option<String>,
    /// New rules on primary mechanisms.
    pub primary: PrimaryPatch,
    /// New rules on secondary factors.
    pub secondary: SecondaryPatch,
    pub tags: Option<Tags>,
}

/// Rules on primary mechanisms to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrimaryPatch {
    /// Client certificates.
    pub cert: CertPatch,
    /// Username and password.
    pub updb: UpdbPatch,
    /// JWTs of external signers.
    pub ext_jwt: ExtJwtPatch,
}

/// Rules on client certificates to change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CertPatch {
    pub allowed: Option<bool>,
    /// Whether expired certificates are accepted.
    pub allow_expired_certs: Option<bool>,
}

/// Rules on username and password to change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UpdbPatch {
    pub allowed: Option<bool>,
    /// In characters.
    pub min_password_length: Option<u32>,
    /// Requires a character that is neither a letter nor a digit.
    pub require_special_char: Option<bool>,
    pub require_number_char: Option<bool>,
    /// Requires upper-case and lower-case letters.
    pub require_mixed_case: Option<bool>,
    /// Consecutive wrong passwords before lockout.
    pub max_attempts: Option<u32>,
    pub lockout_duration_minutes: Option<u32>,
}

/// Rules on JWTs of external signers to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtJwtPatch {
    pub allowed: Option<bool>,
    /// Replaces the whole set.
    pub allowed_signers: Option<BTreeSet<SignerId>>,
}

/// Rules on secondary factors to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecondaryPatch {
    pub require_totp: Option<bool>,
    /// `Some(None)` removes the requirement.
    pub require_ext_jwt_signer: Option<Option<SignerId>>,
}

impl AuthPolicySpecPatch {
    /// Writes the set members into `spec`.
    pub(super) fn apply(self, spec: &mut AuthPolicySpec) {
        assign(&mut spec.name, self.name);
        assign(&mut spec.tags, self.tags);
        let PrimaryPatch {
            cert,
            updb,
            ext_jwt,
        } = self.primary;
        assign(&mut spec.primary.cert.allowed, cert.allowed);
        assign(
            &mut spec.primary.cert.allow_expired_certs,
            cert.allow_expired_certs,
        );
        updb.apply(&mut spec.primary.updb);
        assign(&mut spec.primary.ext_jwt.allowed, ext_jwt.allowed);
        assign(
            &mut spec.primary.ext_jwt.allowed_signers,
            ext_jwt.allowed_signers,
        );
        let secondary = &mut spec.secondary;
        assign(&mut secondary.require_totp, self.secondary.require_totp);
        assign(
            &mut secondary.require_ext_jwt_signer,
            self.secondary.require_ext_jwt_signer,
        );
    }
}

impl UpdbPatch {
    fn apply(self, rules: &mut super::UpdbRules) {
        assign(&mut rules.allowed, self.allowed);
        assign(&mut rules.min_password_length, self.min_password_length);
        assign(&mut rules.require_special_char, self.require_special_char);
        assign(&mut rules.require_number_char, self.require_number_char);
        assign(&mut rules.require_mixed_case, self.require_mixed_case);
        assign(&mut rules.max_attempts, self.max_attempts);
        assign(
            &mut rules.lockout_duration_minutes,
            self.lockout_duration_minutes,
        );
    }
}
