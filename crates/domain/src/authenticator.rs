//! Authenticators: credentials of identities.

use crate::clock::Timestamp;
use crate::default_value::is_default;
use crate::ids::{AuthenticatorId, IdentityId};
use crate::password_throttle::PasswordThrottle;
use crate::tags::Tags;
use serde::{Deserialize, Serialize};

/// A credential of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authenticator {
    pub id: AuthenticatorId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    pub identity: IdentityId,
    pub credential: Credential,
}

/// Credential data by method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Credential {
    /// A client certificate.
    Cert(CertCredential),
    /// A username and password.
    Updb(UpdbCredential),
}

/// A client certificate, identified by its fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertCredential {
    /// Lower-case hex SHA-1 of the leaf's DER.
    pub fingerprint: String,
    /// PEM of the leaf and its known intermediates.
    pub pem: String,
    pub is_issued_by_network: bool,
    /// Whether the chain presented at the last login was complete.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_login_reached_root: bool,
    /// Set when an administrator has requested a replacement certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<ExtensionRequest>,
    /// Issued replacement that the client has not confirmed yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewal: Option<Renewal>,
    /// Whether the last renewal changed the key; unknown for certificates never renewed, or renewed
    /// before this was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_renewal_rolled_key: Option<bool>,
}

/// An administrator's request for a replacement certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtensionRequest {
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub requested_at: Timestamp,
    pub is_open: bool,
    /// Whether a new key is required.
    pub roll_key: bool,
}

/// An issued, unconfirmed replacement certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renewal {
    /// Lower-case hex SHA-1 of the leaf's DER.
    pub fingerprint: String,
    /// PEM of the leaf.
    pub pem: String,
    /// Whether its key differs from the current certificate's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rolls_key: bool,
}

/// A certificate renewal could not be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RenewalError {
    #[error("no renewed certificate awaits confirmation")]
    NothingPending,
    #[error("this is not the renewed certificate that awaits confirmation")]
    AnotherPending,
}

impl Credential {
    /// Method name on the wire.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Cert(_) => "cert",
            Self::Updb(_) => "updb",
        }
    }
}

impl CertCredential {
    pub fn new(fingerprint: String, pem: String, is_issued_by_network: bool) -> Self {
        Self {
            fingerprint,
            pem,
            is_issued_by_network,
            last_login_reached_root: false,
            extension: None,
            renewal: None,
            last_renewal_rolled_key: None,
        }
    }

    /// Requests a replacement certificate from its holder.
    pub fn request_extension(&mut self, roll_key: bool, now: Timestamp) {
        self.extension = Some(ExtensionRequest {
            requested_at: now,
            is_open: true,
            roll_key,
        });
    }

    /// Confirms the pending renewal. This fulfills the extension request, unless the request
    /// requires a new key and the renewal kept the old one.
    ///
    /// # Errors
    ///
    /// [`RenewalError`] when no renewal is pending, or its fingerprint differs.
    pub fn renew(&mut self, fingerprint: &str) -> Result<(), RenewalError> {
        let renewal = self.renewal.as_ref().ok_or(RenewalError::NothingPending)?;
        if renewal.fingerprint != fingerprint {
            return Err(RenewalError::AnotherPending);
        }
        if let Some(renewal) = self.renewal.take() {
            let is_met = renewal.rolls_key || !self.must_roll_key();
            self.fingerprint = renewal.fingerprint;
            self.pem = renewal.pem;
            self.last_renewal_rolled_key = Some(renewal.rolls_key);
            if let Some(request) = self.extension.as_mut().filter(|_request| is_met) {
                request.is_open = false;
            }
        }
        Ok(())
    }

    /// Whether an open request requires a new key.
    pub fn must_roll_key(&self) -> bool {
        self.open_extension()
            .is_some_and(|request| request.roll_key)
    }

    /// The open extension request.
    pub fn open_extension(&self) -> Option<ExtensionRequest> {
        self.extension.filter(|request| request.is_open)
    }
}

/// A username with the hash of its password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdbCredential {
    /// The username, unique over the network.
    pub username: String,
    /// The hash of the password.
    pub password: PasswordHash,
    /// Number of password changes; rehashing the same password does not count.
    #[serde(default, skip_serializing_if = "is_default")]
    pub generation: u32,
    /// Login attempts.
    #[serde(default, skip_serializing_if = "PasswordThrottle::is_empty")]
    pub throttle: PasswordThrottle,
}

impl UpdbCredential {
    pub fn new(username: impl Into<String>, password: PasswordHash) -> Self {
        Self {
            username: username.into(),
            password,
            generation: 0,
            throttle: PasswordThrottle::default(),
        }
    }

    /// Sets a password chosen by the owner and clears failed attempts.
    pub fn set_password(&mut self, password: PasswordHash) {
        self.password = password;
        self.throttle.clear_failures();
        self.generation = self.generation.wrapping_add(1);
    }

    /// Sets a password on the owner's behalf and forgets all known sources: somebody else may have
    /// known the old password.
    pub fn reset_password(&mut self, password: PasswordHash) {
        self.set_password(password);
        self.throttle = PasswordThrottle::default();
    }
}

/// An argon2id hash with its parameters (RFC 9106).
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
    pub fn new(
        id: AuthenticatorId,
        identity: IdentityId,
        credential: Credential,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            created_at: now,
            updated_at: now,
            tags: Tags::default(),
            identity,
            credential,
        }
    }

    /// The password hash, if any.
    pub fn password(&self) -> Option<&PasswordHash> {
        self.updb().map(|updb| &updb.password)
    }

    /// Whether the password is unchanged since `earlier`, regardless of rehashing.
    pub fn has_same_password(&self, earlier: &Self) -> bool {
        match (self.updb(), earlier.updb()) {
            (Some(now), Some(then)) => now.generation == then.generation,
            _ => false,
        }
    }

    /// The username and password, if any.
    pub fn updb(&self) -> Option<&UpdbCredential> {
        match &self.credential {
            Credential::Updb(updb) => Some(updb),
            Credential::Cert(_) => None,
        }
    }

    /// Method name on the wire.
    pub fn method(&self) -> &'static str {
        self.credential.method()
    }
}
