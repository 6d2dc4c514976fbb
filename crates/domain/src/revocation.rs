//! Revocations: tokens that are refused although they have not expired.

use crate::FieldError;
use crate::clock::Timestamp;
use crate::ids::RevocationId;
use crate::managed::{Managed, Spec};
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A revocation. Its id is that of what is revoked.
pub type Revocation = Managed<RevocationId, RevocationSpec>;

/// What the id of a revocation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Revoked {
    /// One token, by its claim `jti`.
    Jti,
    /// Whatever was issued to an identity until it was revoked.
    Identity,
    /// Whatever belongs to an API session that tokens carry.
    ApiSession,
}

impl Revoked {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Jti, Self::Identity, Self::ApiSession];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jti => "JTI",
            Self::Identity => "IDENTITY",
            Self::ApiSession => "API_SESSION",
        }
    }
}

/// What is decided about a revocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevocationSpec {
    /// What is revoked.
    #[serde(rename = "type")]
    pub revoked: Revoked,
    /// What was issued later is not revoked.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub issued_before: Timestamp,
    /// When it is no longer needed, since whatever it concerns has expired.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub expires_at: Timestamp,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

impl Spec for RevocationSpec {
    /// Nothing of it is changed by itself.
    type Patch = ();

    fn apply(&mut self, (): ()) {}

    fn settle(&mut self, _before: Option<&Self>) -> Result<(), FieldError> {
        Ok(())
    }
}
