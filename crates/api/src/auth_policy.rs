//! Wire types of authentication policies.

mod request;

pub use request::{AuthPolicyCreate, AuthPolicyPatch};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use portcullis_domain::auth_policy::{self as domain, AuthPolicy};
use portcullis_domain::ids::{AuthPolicyId, SignerId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An authentication policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuthPolicyDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<AuthPolicyId>,
    /// Unique name.
    pub name: String,
    /// Rules for primary authentication methods.
    pub primary: Primary,
    /// Rules for secondary factors.
    pub secondary: Secondary,
}

/// Rules for primary authentication methods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuthPolicyPrimary")]
#[serde(rename_all = "camelCase")]
pub struct Primary {
    /// Client certificates.
    pub cert: CertRules,
    /// JWTs of external signers.
    pub ext_jwt: ExtJwtRules,
    /// Username and password.
    pub updb: UpdbRules,
}

/// Rules for client certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuthPolicyCertRules")]
#[serde(rename_all = "camelCase")]
pub struct CertRules {
    /// Whether expired certificates are accepted.
    pub allow_expired_certs: bool,
    /// Whether certificates may be used to authenticate.
    pub allowed: bool,
}

/// Rules for JWTs of external signers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuthPolicyExtJwtRules")]
#[serde(rename_all = "camelCase")]
pub struct ExtJwtRules {
    /// Whether JWTs of external signers may be used to authenticate.
    pub allowed: bool,
    /// Ids of the allowed signers; if empty, every enabled signer is allowed.
    #[schemars(with = "BTreeSet<String>")]
    pub allowed_signers: BTreeSet<SignerId>,
}

/// Rules for username and password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuthPolicyUpdbRules")]
#[serde(rename_all = "camelCase")]
pub struct UpdbRules {
    /// Whether passwords may be used to authenticate.
    pub allowed: bool,
    /// How long the identity stays locked; 0 until an administrator unlocks it.
    pub lockout_duration_minutes: u32,
    /// Consecutive wrong passwords that lock the identity; 0 for no limit.
    pub max_attempts: u32,
    /// Minimum password length in characters.
    pub min_password_length: u32,
    /// Whether a password needs both upper-case and lower-case letters.
    pub require_mixed_case: bool,
    /// Whether a password needs a digit.
    pub require_number_char: bool,
    /// Whether a password needs a character that is neither letter nor digit.
    pub require_special_char: bool,
}

/// Rules for secondary factors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuthPolicySecondary")]
#[serde(rename_all = "camelCase")]
pub struct Secondary {
    /// Signer of the JWT that is required with every request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub require_ext_jwt_signer: Option<SignerId>,
    /// Whether a TOTP code is required.
    pub require_totp: bool,
}

impl From<AuthPolicy> for AuthPolicyDetail {
    fn from(policy: AuthPolicy) -> Self {
        Self {
            base: Base {
                links: Links::with_self(format!("auth-policies/{}", policy.id)),
                created_at: policy.created_at.into(),
                id: policy.id,
                tags: policy.spec.tags,
                updated_at: policy.updated_at.into(),
            },
            name: policy.spec.name,
            primary: policy.spec.primary.into(),
            secondary: policy.spec.secondary.into(),
        }
    }
}

impl From<domain::SecondaryRules> for Secondary {
    fn from(rules: domain::SecondaryRules) -> Self {
        Self {
            require_ext_jwt_signer: rules.require_ext_jwt_signer,
            require_totp: rules.require_totp,
        }
    }
}

impl From<domain::PrimaryRules> for Primary {
    fn from(rules: domain::PrimaryRules) -> Self {
        Self {
            cert: CertRules {
                allow_expired_certs: rules.cert.allow_expired_certs,
                allowed: rules.cert.allowed,
            },
            ext_jwt: ExtJwtRules {
                allowed: rules.ext_jwt.allowed,
                allowed_signers: rules.ext_jwt.allowed_signers,
            },
            updb: UpdbRules {
                allowed: rules.updb.allowed,
                lockout_duration_minutes: rules.updb.lockout_duration_minutes,
                max_attempts: rules.updb.max_attempts,
                min_password_length: rules.updb.min_password_length,
                require_mixed_case: rules.updb.require_mixed_case,
                require_number_char: rules.updb.require_number_char,
                require_special_char: rules.updb.require_special_char,
            },
        }
    }
}
