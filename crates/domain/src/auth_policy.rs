//! Authentication policies: permitted primary mechanisms and required secondary factors.

mod patch;

pub use patch::{
    AuthPolicySpecPatch, CertPatch, ExtJwtPatch, PrimaryPatch, SecondaryPatch, UpdbPatch,
};

use crate::FieldError;
use crate::clock::Timestamp;
use crate::ids::{AuthPolicyId, EntityId, SignerId};
use crate::managed::{Managed, Spec};
use crate::name::validate_name;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Id of the built-in policy, which cannot be deleted.
pub const DEFAULT_ID: &str = "default";

/// Lower bound for the minimum password length of any policy, in characters.
pub const MIN_PASSWORD_LENGTH: u32 = 5;

/// Maximum password length, in characters.
pub const MAX_PASSWORD_LENGTH: usize = 100;

pub type AuthPolicy = Managed<AuthPolicyId, AuthPolicySpec>;

/// Editable members of an authentication policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthPolicySpec {
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// Unique.
    pub name: String,
    /// Rules on primary mechanisms.
    pub primary: PrimaryRules,
    /// Rules on secondary factors.
    pub secondary: SecondaryRules,
}

/// Rules on primary mechanisms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrimaryRules {
    /// Client certificates.
    pub cert: CertRules,
    /// Username and password.
    pub updb: UpdbRules,
    /// JWTs of external signers.
    pub ext_jwt: ExtJwtRules,
}

/// Rules on client certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertRules {
    pub allowed: bool,
    /// Whether expired certificates are accepted.
    pub allow_expired_certs: bool,
}

/// Rules on username and password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdbRules {
    pub allowed: bool,
    /// In characters, at least [`MIN_PASSWORD_LENGTH`].
    pub min_password_length: u32,
    /// Requires a character that is neither a letter nor a digit.
    pub require_special_char: bool,
    pub require_number_char: bool,
    /// Requires upper-case and lower-case letters.
    pub require_mixed_case: bool,
    /// Consecutive wrong passwords before lockout; 0 disables lockout.
    pub max_attempts: u32,
    /// 0 locks until an administrator unlocks.
    pub lockout_duration_minutes: u32,
}

/// Rules on JWTs of external signers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtJwtRules {
    pub allowed: bool,
    /// Empty for every enabled signer.
    pub allowed_signers: BTreeSet<SignerId>,
}

/// Rules on secondary factors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondaryRules {
    pub require_totp: bool,
    /// The signer whose JWT is required with every request.
    pub require_ext_jwt_signer: Option<SignerId>,
}

impl ExtJwtRules {
    /// Whether tokens of `signer` are accepted.
    pub fn allows(&self, signer: &SignerId) -> bool {
        self.allowed && (self.allowed_signers.is_empty() || self.allowed_signers.contains(signer))
    }
}

impl UpdbRules {
    /// Validates a new password.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `password` with the violated rule, never the password itself.
    pub fn validate_password(&self, password: &str) -> Result<(), FieldError> {
        let shortest = self.min_password_length.max(MIN_PASSWORD_LENGTH);
        let length = password.chars().count();
        let has = |kind: fn(char) -> bool| password.chars().any(kind);
        let violation = if length < usize::try_from(shortest).unwrap_or(usize::MAX) {
            Some(format!("must be at least {shortest} characters long"))
        } else if length > MAX_PASSWORD_LENGTH {
            Some(format!(
                "must be at most {MAX_PASSWORD_LENGTH} characters long"
            ))
        } else if self.require_number_char && !has(char::is_numeric) {
            Some("must contain a digit".to_owned())
        } else if self.require_special_char && !has(|c| !c.is_alphanumeric()) {
            Some("must contain a special character (neither a letter nor a digit)".to_owned())
        } else if self.require_mixed_case && !(has(char::is_lowercase) && has(char::is_uppercase)) {
            Some("must contain both upper-case and lower-case letters".to_owned())
        } else {
            None
        };
        match violation {
            Some(reason) => Err(FieldError::new("password", reason, "")),
            None => Ok(()),
        }
    }
}

impl AuthPolicySpec {
    /// A policy with this name that accepts certificates (even expired), passwords and any enabled external
    /// signer, and requires no second factor.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            tags: Tags::default(),
            name: name.into(),
            primary: PrimaryRules {
                cert: CertRules {
                    allowed: true,
                    allow_expired_certs: true,
                },
                updb: UpdbRules {
                    allowed: true,
                    min_password_length: MIN_PASSWORD_LENGTH,
                    require_special_char: false,
                    require_number_char: false,
                    require_mixed_case: false,
                    max_attempts: 0,
                    lockout_duration_minutes: 0,
                },
                ext_jwt: ExtJwtRules {
                    allowed: true,
                    allowed_signers: BTreeSet::new(),
                },
            },
            secondary: SecondaryRules {
                require_totp: false,
                require_ext_jwt_signer: None,
            },
        }
    }
}

impl Spec for AuthPolicySpec {
    type Patch = AuthPolicySpecPatch;

    const IS_STORED_FLAT: bool = true;

    fn apply(&mut self, patch: AuthPolicySpecPatch) {
        patch.apply(self);
    }

    /// A `minPasswordLength` below [`MIN_PASSWORD_LENGTH`] is raised to it, as by OpenZiti.
    fn normalize(&mut self, _before: Option<&Self>) -> Result<(), FieldError> {
        validate_name(&self.name)?;
        let shortest = &mut self.primary.updb.min_password_length;
        *shortest = (*shortest).max(MIN_PASSWORD_LENGTH);
        if usize::try_from(*shortest).is_ok_and(|shortest| shortest > MAX_PASSWORD_LENGTH) {
            return Err(FieldError::new(
                "primary.updb.minPasswordLength",
                format!("must be at most {MAX_PASSWORD_LENGTH}, the longest password allowed"),
                shortest.to_string(),
            ));
        }
        Ok(())
    }
}

/// Id of the built-in policy.
pub fn default_id() -> AuthPolicyId {
    AuthPolicyId::from_wire(DEFAULT_ID)
}

impl AuthPolicy {
    /// The built-in policy, with the [least strict](AuthPolicySpec::named) rules.
    pub fn default_policy(now: Timestamp) -> Self {
        Self {
            id: default_id(),
            created_at: now,
            updated_at: now,
            spec: AuthPolicySpec::named("Default"),
        }
    }
}

impl<I: EntityId> Managed<I, AuthPolicySpec> {
    pub fn is_default(&self) -> bool {
        self.id.as_str() == DEFAULT_ID
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_nothing_satisfies_are_refused_and_too_weak_ones_raised() {
        let now = Timestamp::UNIX_EPOCH;
        let mut policy = AuthPolicy::default_policy(now);
        let length = |length| {
            let mut patch = AuthPolicySpecPatch::default();
            patch.primary.updb.min_password_length = Some(length);
            patch
        };
        for (given, kept) in [(0, 5), (4, 5), (5, 5), (100, 100)] {
            policy.patch(length(given), now).unwrap();
            assert_eq!(policy.spec.primary.updb.min_password_length, kept);
        }
        let error = policy.patch(length(101), now).unwrap_err();
        assert_eq!(error.field, "primary.updb.minPasswordLength");
        let blank = AuthPolicySpecPatch {
            name: Some(" ".to_owned()),
            ..AuthPolicySpecPatch::default()
        };
        assert_eq!(policy.patch(blank, now).unwrap_err().field, "name");
        assert_eq!(policy.spec.primary.updb.min_password_length, 100);
    }

    #[test]
    fn each_rule_refuses_what_breaks_it() {
        let plain = AuthPolicy::default_policy(Timestamp::UNIX_EPOCH)
            .spec
            .primary
            .updb;
        let long = UpdbRules {
            min_password_length: 10,
            ..plain
        };
        let number = UpdbRules {
            require_number_char: true,
            ..plain
        };
        let special = UpdbRules {
            require_special_char: true,
            ..plain
        };
        let mixed = UpdbRules {
            require_mixed_case: true,
            ..plain
        };
        for (rules, bad, good) in [
            (plain, "1234", "12345"),
            (long, "123456789", "1234567890"),
            (number, "abcdef", "abcde1"),
            (special, "abc123", "abc-123"),
            (mixed, "abcdef", "abcdeF"),
            (mixed, "ABCDEF", "ABCDEf"),
        ] {
            let error = rules.validate_password(bad).unwrap_err();
            assert_eq!(
                (error.field.as_str(), error.value.as_str()),
                ("password", "")
            );
            assert_eq!(rules.validate_password(good), Ok(()), "{good}");
        }
        assert_eq!(plain.validate_password(&"x".repeat(100)), Ok(()));
        assert!(plain.validate_password(&"x".repeat(101)).is_err());
    }

    #[test]
    fn signers_are_admitted_by_name_or_all_together() {
        let [named, other] = ["named", "other"].map(SignerId::from_wire);
        for (allowed, allowed_signers, admitted) in [
            (true, vec![], [true, true]),
            (true, vec![named.clone()], [true, false]),
            (false, vec![], [false, false]),
            (false, vec![named.clone()], [false, false]),
        ] {
            let rules = ExtJwtRules {
                allowed,
                allowed_signers: allowed_signers.into_iter().collect(),
            };
            let found = [&named, &other].map(|signer| rules.allows(signer));
            assert_eq!(found, admitted, "{rules:?}");
        }
    }

    #[test]
    fn records_have_the_form_of_the_first_ones() {
        let policy = AuthPolicy::default_policy(Timestamp::UNIX_EPOCH);
        let stored = concat!(
            r#"{"id":"default","created_at":0,"updated_at":0,"name":"Default","#,
            r#""primary":{"cert":{"allowed":true,"allow_expired_certs":true},"#,
            r#""updb":{"allowed":true,"min_password_length":5,"require_special_char":false,"#,
            r#""require_number_char":false,"require_mixed_case":false,"max_attempts":0,"#,
            r#""lockout_duration_minutes":0},"ext_jwt":{"allowed":true,"allowed_signers":[]}},"#,
            r#""secondary":{"require_totp":false,"require_ext_jwt_signer":null}}"#
        );
        assert_eq!(serde_json::to_string(&policy).unwrap(), stored);
        assert_eq!(serde_json::from_str::<AuthPolicy>(stored).unwrap(), policy);
    }

    #[test]
    fn one_policy_is_there_from_the_start() {
        let mut policy = AuthPolicy::default_policy(Timestamp::UNIX_EPOCH);
        assert!(policy.is_default());
        assert_eq!(policy.id, default_id());
        policy.id = AuthPolicyId::from_wire("another");
        assert!(!policy.is_default());
    }
}
