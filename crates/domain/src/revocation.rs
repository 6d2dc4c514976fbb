//! Revocations of unexpired tokens.

use crate::FieldError;
use crate::clock::Timestamp;
use crate::ids::RevocationId;
use crate::managed::{Managed, Spec};
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A revocation. Its id is that of what is revoked.
pub type Revocation = Managed<RevocationId, RevocationSpec>;

/// The type of entity that a revocation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RevocationType {
    /// One token, by its claim `jti`.
    Jti,
    /// Everything issued to an identity before the revocation.
    Identity,
    /// Everything that belongs to an API session.
    ApiSession,
}

impl RevocationType {
    pub const ALL: [Self; 3] = [Self::Jti, Self::Identity, Self::ApiSession];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jti => "JTI",
            Self::Identity => "IDENTITY",
            Self::ApiSession => "API_SESSION",
        }
    }
}

/// Specification of a revocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevocationSpec {
    #[serde(rename = "type")]
    pub revoked: RevocationType,
    /// Later tokens stay valid.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub issued_before: Timestamp,
    /// When all affected tokens have expired and the record can be deleted.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub expires_at: Timestamp,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

impl Spec for RevocationSpec {
    /// Revocations cannot be patched.
    type Patch = ();

    fn apply(&mut self, (): ()) {}

    fn normalize(&mut self, _before: Option<&Self>) -> Result<(), FieldError> {
        Ok(())
    }
}
