//! Authenticators: the credentials by which an identity proves itself.

use crate::clock::Timestamp;
use crate::ids::{AuthenticatorId, IdentityId};
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A credential of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authenticator {
    /// Its id.
    pub id: AuthenticatorId,
    /// When it was created.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    /// The identity that it proves.
    pub identity: IdentityId,
    /// The credential itself.
    pub credential: Credential,
}

/// What is presented, and how it is checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Credential {
    /// A client certificate.
    Cert(CertCredential),
    /// A username and password.
    Updb(UpdbCredential),
}

/// A client certificate, known by its fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertCredential {
    /// Lower-case hex SHA-1 of the leaf's DER.
    pub fingerprint: String,
    /// The leaf and its intermediates, PEM.
    pub pem: String,
    /// Whether the network's own authority issued it.
    pub is_issued_by_network: bool,
}

/// A username and what is kept of its password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdbCredential {
    /// The username, unique over the network.
    pub username: String,
    /// The hash of the password.
    pub password: PasswordHash,
}

/// An argon2id hash with everything that is needed to check a password against it (RFC 9106).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasswordHash {
    /// Memory, KiB.
    pub memory: u32,
    /// Passes over the memory.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
    /// Salt, standard base64.
    pub salt: String,
    /// Hash, standard base64.
    pub hash: String,
}

impl std::fmt::Debug for PasswordHash {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PasswordHash")
            .field("memory", &self.memory)
            .field("passes", &self.passes)
            .field("lanes", &self.lanes)
            .finish_non_exhaustive()
    }
}

impl Authenticator {
    /// The word on the wire for the kind of credential.
    pub fn method(&self) -> &'static str {
        match self.credential {
            Credential::Cert(_) => "cert",
            Credential::Updb(_) => "updb",
        }
    }
}
