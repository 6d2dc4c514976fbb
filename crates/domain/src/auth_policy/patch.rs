//! Partial update of an authentication policy.

use super::AuthPolicySpec;
use crate::ids::SignerId;
use crate::patch::assign;
use crate::tags::Tags;
use std::collections::BTreeSet;

/// The members of a policy to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthPolicyPatch {
    /// New name.
    pub name: Option<String>,
    /// New rules on primary mechanisms.
    pub primary: PrimaryPatch,
    /// New rules on secondary factors.
    pub secondary: SecondaryPatch,
    /// New tags, all of them.
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
    /// Whether certificates are a way in.
    pub allowed: Option<bool>,
    /// Whether one whose time is over still is.
    pub allow_expired_certs: Option<bool>,
}

/// Rules on username and password to change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UpdbPatch {
    /// Whether passwords are a way in.
    pub allowed: Option<bool>,
    /// Fewest characters of a password.
    pub min_password_length: Option<u32>,
    /// Whether a password needs a character that is neither letter nor digit.
    pub require_special_char: Option<bool>,
    /// Whether a password needs a digit.
    pub require_number_char: Option<bool>,
    /// Whether a password needs letters of both cases.
    pub require_mixed_case: Option<bool>,
    /// Wrong passwords in a row until the identity is locked.
    pub max_attempts: Option<u32>,
    /// Minutes for which it is locked.
    pub lockout_duration_minutes: Option<u32>,
}

/// Rules on JWTs of external signers to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtJwtPatch {
    /// Whether such JWTs are a way in.
    pub allowed: Option<bool>,
    /// The signers allowed, all of them.
    pub allowed_signers: Option<BTreeSet<SignerId>>,
}

/// Rules on secondary factors to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecondaryPatch {
    /// Whether a TOTP code is demanded.
    pub require_totp: Option<bool>,
    /// The signer of a JWT that is demanded; `Some(None)` demands none any more.
    pub require_ext_jwt_signer: Option<Option<SignerId>>,
}

impl AuthPolicyPatch {
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
