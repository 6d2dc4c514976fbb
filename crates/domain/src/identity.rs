//! Identities: the security principals of the network.
//!
//! An identity is *created*, obtains credentials by *enrolling*, may be *disabled* for a time or
//! for good, and is *deleted* with everything that belongs to it alone.

mod hosting;
mod patch;
mod references;

pub use crate::mfa::TotpState;
pub use hosting::{Hosting, Precedence};
pub use patch::IdentitySpecPatch;

use crate::FieldError;
use crate::auth_policy::{self, UpdbRules};
use crate::client_info::{EnvInfo, SdkInfo};
use crate::clock::{self, SignedDuration, Timestamp};
use crate::default_value::is_default;
use crate::ids::{AuthPolicyId, ConfigId, IdentityId, ServiceId};
use crate::mfa::WrongCodes;
use crate::name::validate_name;
use crate::permission::PermissionSet;
use crate::roles::RoleAttributes;
use crate::tags::{AppData, Tags};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A security principal that may bind or dial services.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub id: IdentityId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: IdentityType,
    /// The administrator created by `init`; cannot be deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_default_admin: bool,
    pub spec: IdentitySpec,
    /// Set while it is disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<Disabled>,
    /// Reported by the client at the last login.
    #[serde(default, skip_serializing_if = "EnvInfo::is_empty")]
    pub env_info: EnvInfo,
    /// Reported by the client at the last login.
    #[serde(default, skip_serializing_if = "SdkInfo::is_empty")]
    pub sdk_info: SdkInfo,
    /// Consecutive wrong passwords; 0 unless its policy limits them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub wrong_passwords: u32,
    /// Consecutive wrong TOTP and recovery codes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong_codes: Option<WrongCodes>,
    /// Credentials that must exist besides this record.
    #[serde(default)]
    pub attached: ExpectedCredentials,
    /// Configurations that override those of a service for this identity, at most one of each type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub service_configs: BTreeMap<ServiceId, BTreeSet<ConfigId>>,
}

/// Editable members of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentitySpec {
    /// Unique.
    pub name: IdentityName,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_admin: bool,
    #[serde(default, skip_serializing_if = "RoleAttributes::is_empty")]
    pub role_attributes: RoleAttributes,
    #[serde(
        default = "auth_policy::default_id",
        skip_serializing_if = "is_default_policy"
    )]
    pub auth_policy: AuthPolicyId,
    /// Subject in tokens or certificates of third parties; unique when set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Permissions on the management API; shown as `null` until set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionSet>,
    #[serde(default, skip_serializing_if = "AppData::is_empty")]
    pub app_data: AppData,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    #[serde(default, skip_serializing_if = "is_default")]
    pub hosting: Hosting,
}

/// The name of an identity: not blank, compared byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdentityName(String);

impl IdentityName {
    /// Validates a name.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `name` when it is blank.
    pub fn new(name: impl Into<String>) -> Result<Self, FieldError> {
        let name = name.into();
        validate_name(&name)?;
        Ok(Self(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The type of an identity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IdentityType {
    /// A person, device, application or set of them.
    #[default]
    Default,
    /// An edge router that hosts or dials services itself; created with the router.
    Router,
}

impl IdentityType {
    pub const ALL: [Self; 2] = [Self::Default, Self::Router];

    /// Id and name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "Default",
            Self::Router => "Router",
        }
    }
}

/// The period for which an identity is disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disabled {
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub at: Timestamp,
    /// Exclusive end; `None` until enabled again.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "jiff::fmt::serde::timestamp::millisecond::optional"
    )]
    pub until: Option<Timestamp>,
}

/// Credentials that must exist besides the record of an identity. Absence is never permission: a
/// login that does not find them is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectedCredentials {
    #[serde(default)]
    pub authenticators: u32,
    #[serde(default)]
    pub totp: TotpState,
}

impl Identity {
    /// Creates an identity without authenticators or enrollments.
    pub fn new(id: IdentityId, spec: IdentitySpec, now: Timestamp) -> Self {
        Self {
            id,
            created_at: now,
            updated_at: now,
            kind: IdentityType::Default,
            is_default_admin: false,
            spec,
            disabled: None,
            env_info: EnvInfo::default(),
            sdk_info: SdkInfo::default(),
            wrong_passwords: 0,
            wrong_codes: None,
            attached: ExpectedCredentials::default(),
            service_configs: BTreeMap::new(),
        }
    }

    pub fn name(&self) -> &str {
        self.spec.name.as_str()
    }

    /// Whether it has administrator rights: by `is_admin`, or as the default administrator, which
    /// an update cannot revoke.
    pub fn has_admin_rights(&self) -> bool {
        self.spec.is_admin || self.is_default_admin
    }

    /// Whether it is disabled at `now`.
    pub fn is_disabled(&self, now: Timestamp) -> bool {
        self.disabled
            .is_some_and(|disabled| disabled.until.is_none_or(|until| now < until))
    }

    /// Replaces all editable members. The disabled state and the client information are kept.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `name` for the identity of a router, which has the router's name; on
    /// `typeId` when `kind` differs from its type, which is immutable.
    pub fn replace(
        &mut self,
        spec: IdentitySpec,
        kind: IdentityType,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        if kind != self.kind {
            let reason = "cannot be changed after creation";
            return Err(FieldError::new("typeId", reason, kind.name()));
        }
        self.validate_name(&spec.name)?;
        self.spec = spec;
        self.updated_at = now;
        Ok(())
    }

    /// Changes the members that `patch` sets.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `name` for the identity of a router.
    pub fn patch(&mut self, patch: IdentitySpecPatch, now: Timestamp) -> Result<(), FieldError> {
        if let Some(name) = &patch.name {
            self.validate_name(name)?;
        }
        patch.apply(&mut self.spec);
        self.updated_at = now;
        Ok(())
    }

    /// Disables it until `until`, or until it is enabled again.
    pub fn disable(&mut self, until: Option<Timestamp>, now: Timestamp) {
        self.disabled = Some(Disabled { at: now, until });
        self.wrong_passwords = 0;
        self.updated_at = now;
    }

    pub fn enable(&mut self, now: Timestamp) {
        self.disabled = None;
        self.wrong_passwords = 0;
        self.updated_at = now;
    }

    /// Counts a wrong password under the rules of its policy and disables it when the limit is
    /// reached; returns whether it did. Without a limit, nothing is counted.
    pub fn record_wrong_password(&mut self, rules: &UpdbRules, now: Timestamp) -> bool {
        if rules.max_attempts == 0 {
            return false;
        }
        self.wrong_passwords = self.wrong_passwords.saturating_add(1);
        let is_locked = self.wrong_passwords >= rules.max_attempts;
        if is_locked {
            let minutes = i64::from(rules.lockout_duration_minutes);
            let until = (minutes > 0)
                .then(|| clock::saturating_add(now, SignedDuration::from_mins(minutes)));
            self.disable(until, now);
        }
        is_locked
    }

    fn validate_name(&self, name: &IdentityName) -> Result<(), FieldError> {
        if self.kind == IdentityType::Router && *name != self.spec.name {
            return Err(FieldError::new(
                "name",
                "must be the name of its router; rename the router instead",
                name.as_str(),
            ));
        }
        Ok(())
    }
}

impl IdentitySpec {
    /// A specification with this name and defaults for everything else.
    pub fn named(name: IdentityName) -> Self {
        Self {
            name,
            is_admin: false,
            role_attributes: RoleAttributes::default(),
            auth_policy: auth_policy::default_id(),
            external_id: None,
            permissions: None,
            app_data: AppData::default(),
            tags: Tags::default(),
            hosting: Hosting::default(),
        }
    }
}

fn is_default_policy(id: &AuthPolicyId) -> bool {
    id.as_str() == auth_policy::DEFAULT_ID
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        let spec = IdentitySpec::named(IdentityName::new("laptop").unwrap());
        Identity::new(IdentityId::from_wire("i"), spec, Timestamp::UNIX_EPOCH)
    }

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn blank_names_are_refused() {
        for blank in ["", " ", "\t\n"] {
            assert_eq!(IdentityName::new(blank).unwrap_err().field, "name");
        }
    }

    #[test]
    fn disabled_ends_by_itself_or_when_enabled() {
        let mut identity = identity();
        identity.disable(Some(second(100)), second(40));
        assert!(identity.is_disabled(second(99)));
        assert!(!identity.is_disabled(second(100)));
        identity.disable(None, second(200));
        assert!(identity.is_disabled(second(1_000_000)));
        identity.enable(second(201));
        assert!(!identity.is_disabled(second(201)));
    }

    #[test]
    fn one_wrong_password_too_many_shuts_it_out() {
        let mut rules = auth_policy::AuthPolicy::default_policy(second(0))
            .spec
            .primary
            .updb;
        let mut identity = identity();
        assert!(!identity.record_wrong_password(&rules, second(1)));
        assert_eq!(identity.wrong_passwords, 0);
        rules.max_attempts = 2;
        rules.lockout_duration_minutes = 1;
        assert!(!identity.record_wrong_password(&rules, second(2)));
        assert!(!identity.is_disabled(second(2)));
        assert!(identity.record_wrong_password(&rules, second(3)));
        assert!(identity.is_disabled(second(62)) && !identity.is_disabled(second(63)));
        assert_eq!(identity.wrong_passwords, 0);
        rules.lockout_duration_minutes = 0;
        rules.max_attempts = 1;
        assert!(identity.record_wrong_password(&rules, second(70)));
        assert!(identity.is_disabled(second(1_000_000)));
    }

    #[test]
    fn replacement_keeps_it_disabled() {
        let mut identity = identity();
        identity.disable(None, second(1));
        let spec = IdentitySpec::named(IdentityName::new("other").unwrap());
        identity
            .replace(spec, IdentityType::Default, second(2))
            .unwrap();
        assert!(identity.is_disabled(second(3)));
        assert_eq!(identity.name(), "other");
    }

    #[test]
    fn router_identity_keeps_its_name_and_type() {
        let mut identity = identity();
        identity.kind = IdentityType::Router;
        let spec = IdentitySpec::named(IdentityName::new("other").unwrap());
        let refused = |identity: &mut Identity, kind| {
            identity
                .replace(spec.clone(), kind, second(2))
                .unwrap_err()
                .field
        };
        assert_eq!(refused(&mut identity, IdentityType::Router), "name");
        assert_eq!(refused(&mut identity, IdentityType::Default), "typeId");
        assert_eq!(identity.name(), "laptop");
    }

    #[test]
    fn record_survives_storage_and_stays_small() {
        let text = serde_json::to_string(&identity()).unwrap();
        assert!(text.len() < 140, "{text}");
        assert_eq!(serde_json::from_str::<Identity>(&text).unwrap(), identity());
    }
}
