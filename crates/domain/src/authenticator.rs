//! Authenticators: the credentials by which an identity proves itself.

use crate::clock::Timestamp;
use crate::ids::{AuthenticatorId, IdentityId};
use crate::password_throttle::PasswordThrottle;
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
    /// The leaf and, as far as they are known, its intermediates, PEM.
    pub pem: String,
    /// Whether the network's own authority issued it.
    pub is_issued_by_network: bool,
    /// Whether the chain that was presented at the last login led to a root by itself.
    #[serde(default, skip_serializing_if = "is_false")]
    pub last_login_reached_root: bool,
    /// Set once an administrator has asked for another certificate in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<ExtensionRequest>,
    /// The certificate that is to take its place as soon as the client confirms that it has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewal: Option<Renewal>,
    /// Whether the certificate came with another key than the one before it; unknown for one that is
    /// no renewal, or was renewed before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_renewal_rolled_key: Option<bool>,
}

/// An administrator asked for another certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtensionRequest {
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub requested_at: Timestamp,
    /// Whether it is still to be done.
    pub is_open: bool,
    /// Whether the new certificate is to have another key.
    pub roll_key: bool,
}

/// A certificate that was issued and not confirmed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renewal {
    /// Lower-case hex SHA-1 of the leaf's DER.
    pub fingerprint: String,
    /// The leaf, PEM.
    pub pem: String,
    /// Whether its key is another one than that of the certificate before it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rolls_key: bool,
}

/// A certificate was not put in the place of the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotRenewed {
    /// None was issued that waits for it.
    #[error("no renewed certificate awaits confirmation")]
    NothingPending,
    /// Another one was issued.
    #[error("this is not the renewed certificate that awaits confirmation")]
    AnotherPending,
}

impl Credential {
    /// The word on the wire for its kind.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Cert(_) => "cert",
            Self::Updb(_) => "updb",
        }
    }
}

impl CertCredential {
    /// A certificate, known by the fingerprint of its leaf.
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

    /// Asks its holder for another certificate.
    pub fn request_extension(&mut self, roll_key: bool, now: Timestamp) {
        self.extension = Some(ExtensionRequest {
            requested_at: now,
            is_open: true,
            roll_key,
        });
    }

    /// Puts the certificate that was issued for it in its place. That meets the request for another
    /// one, unless the request was for another key and this one has the old key.
    ///
    /// # Errors
    ///
    /// [`NotRenewed`] when none was issued, or another one than that with this fingerprint.
    pub fn renew(&mut self, fingerprint: &str) -> Result<(), NotRenewed> {
        let renewal = self.renewal.as_ref().ok_or(NotRenewed::NothingPending)?;
        if renewal.fingerprint != fingerprint {
            return Err(NotRenewed::AnotherPending);
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

    /// Whether a request for another key is still to be met.
    pub fn must_roll_key(&self) -> bool {
        self.open_extension()
            .is_some_and(|request| request.roll_key)
    }

    /// The request for another certificate that is still to be met.
    pub fn open_extension(&self) -> Option<ExtensionRequest> {
        self.extension.filter(|request| request.is_open)
    }
}

/// A username and what is kept of its password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdbCredential {
    /// The username, unique over the network.
    pub username: String,
    /// The hash of the password.
    pub password: PasswordHash,
    /// How often the password was set anew. A hash that is renewed is that of the same password.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub generation: u32,
    /// The attempts to log in with it.
    #[serde(default, skip_serializing_if = "PasswordThrottle::is_empty")]
    pub throttle: PasswordThrottle,
}

impl UpdbCredential {
    /// A username with its first password.
    pub fn new(username: impl Into<String>, password: PasswordHash) -> Self {
        Self {
            username: username.into(),
            password,
            generation: 0,
            throttle: PasswordThrottle::default(),
        }
    }

    /// Sets another password that its owner chose. Guesses at the one before count no more.
    pub fn set_password(&mut self, password: PasswordHash) {
        self.password = password;
        self.throttle.forget_wrong();
        self.generation = self.generation.wrapping_add(1);
    }

    /// Sets another password for its owner. Nothing is known any more of where that one logs in:
    /// somebody else may have had the password before.
    pub fn reset_password(&mut self, password: PasswordHash) {
        self.set_password(password);
        self.throttle = PasswordThrottle::default();
    }
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

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Authenticator {
    /// Makes a credential of an identity.
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

    /// The hash of its password, if it has one.
    pub fn password(&self) -> Option<&PasswordHash> {
        self.updb().map(|updb| &updb.password)
    }

    /// Whether its password is still the one that `earlier` had, under whatever hash.
    pub fn has_password_of(&self, earlier: &Self) -> bool {
        match (self.updb(), earlier.updb()) {
            (Some(now), Some(then)) => now.generation == then.generation,
            _ => false,
        }
    }

    /// The username and password, if it has them.
    pub fn updb(&self) -> Option<&UpdbCredential> {
        match &self.credential {
            Credential::Updb(updb) => Some(updb),
            Credential::Cert(_) => None,
        }
    }

    /// The word on the wire for the kind of credential.
    pub fn method(&self) -> &'static str {
        self.credential.method()
    }
}
