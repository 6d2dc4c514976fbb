//! Bodies of authentication policy requests, as clients write them.

use super::{Primary, Secondary};
use portcullis_domain::auth_policy::{AuthPolicy, AuthPolicySpecPatch};
use portcullis_domain::ids::SignerId;
use portcullis_domain::tags::Tags;
use serde::Serialize;
use std::collections::BTreeSet;

/// The body of POST `/auth-policies` and PUT `/auth-policies/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuthPolicyCreate {
    pub name: String,
    /// Rules for primary authentication methods.
    pub primary: Primary,
    /// Rules for secondary factors.
    pub secondary: Secondary,
    pub tags: Tags,
}

/// The body of PATCH `/auth-policies/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AuthPolicyPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    primary: PrimaryPatch,
    #[serde(skip_serializing_if = "is_default")]
    secondary: SecondaryPatch,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Tags>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct PrimaryPatch {
    #[serde(skip_serializing_if = "is_default")]
    cert: CertPatch,
    #[serde(skip_serializing_if = "is_default")]
    ext_jwt: ExtJwtPatch,
    #[serde(skip_serializing_if = "is_default")]
    updb: UpdbPatch,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct CertPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_expired_certs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<bool>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExtJwtPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_signers: Option<BTreeSet<SignerId>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct UpdbPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lockout_duration_minutes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_password_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    require_mixed_case: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    require_number_char: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    require_special_char: Option<bool>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct SecondaryPatch {
    /// An empty string removes the requirement.
    #[serde(skip_serializing_if = "Option::is_none")]
    require_ext_jwt_signer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    require_totp: Option<bool>,
}

impl From<AuthPolicy> for AuthPolicyCreate {
    fn from(policy: AuthPolicy) -> Self {
        Self {
            name: policy.spec.name,
            primary: policy.spec.primary.into(),
            secondary: policy.spec.secondary.into(),
            tags: policy.spec.tags,
        }
    }
}

impl From<AuthPolicySpecPatch> for AuthPolicyPatch {
    fn from(patch: AuthPolicySpecPatch) -> Self {
        let signer = patch.secondary.require_ext_jwt_signer;
        let (cert, updb) = (patch.primary.cert, patch.primary.updb);
        Self {
            name: patch.name,
            primary: PrimaryPatch {
                cert: CertPatch {
                    allow_expired_certs: cert.allow_expired_certs,
                    allowed: cert.allowed,
                },
                ext_jwt: ExtJwtPatch {
                    allowed: patch.primary.ext_jwt.allowed,
                    allowed_signers: patch.primary.ext_jwt.allowed_signers,
                },
                updb: UpdbPatch {
                    allowed: updb.allowed,
                    lockout_duration_minutes: updb.lockout_duration_minutes,
                    max_attempts: updb.max_attempts,
                    min_password_length: updb.min_password_length,
                    require_mixed_case: updb.require_mixed_case,
                    require_number_char: updb.require_number_char,
                    require_special_char: updb.require_special_char,
                },
            },
            secondary: SecondaryPatch {
                require_ext_jwt_signer: signer
                    .map(|signer| signer.map(|id| id.to_string()).unwrap_or_default()),
                require_totp: patch.secondary.require_totp,
            },
            tags: patch.tags,
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth_policy::{AuthPolicyCreateRequest, AuthPolicyPatchRequest};
    use crate::decode::Decode as _;
    use portcullis_domain::clock::Timestamp;

    #[test]
    fn whole_policy_is_read_back_as_it_was() {
        let policy = AuthPolicy::default_policy(Timestamp::UNIX_EPOCH);
        let body = serde_json::to_vec(&AuthPolicyCreate::from(policy.clone())).unwrap();
        let AuthPolicyCreateRequest { spec } = AuthPolicyCreateRequest::from_body(&body).unwrap();
        assert_eq!((spec.name, spec.tags), (policy.spec.name, policy.spec.tags));
        assert_eq!(spec.primary, policy.spec.primary);
        assert_eq!(spec.secondary, policy.spec.secondary);
    }

    #[test]
    fn changes_are_read_back_as_they_were() {
        let mut patch = AuthPolicySpecPatch::default();
        let written = |patch: &AuthPolicySpecPatch| {
            let update = AuthPolicyPatch::from(patch.clone());
            serde_json::to_string(&update).unwrap()
        };
        assert_eq!(written(&patch), "{}");
        patch.primary.updb.max_attempts = Some(3);
        let expected = r#"{"primary":{"updb":{"maxAttempts":3}}}"#;
        assert_eq!(written(&patch), expected);
        patch.name = Some("p".to_owned());
        patch.primary.cert.allowed = Some(false);
        patch.primary.ext_jwt.allowed_signers = Some(BTreeSet::from([SignerId::from_wire("s")]));
        patch.secondary.require_ext_jwt_signer = Some(None);
        let read = AuthPolicyPatchRequest::from_body(written(&patch).as_bytes()).unwrap();
        assert_eq!(read.patch, patch);
    }
}
