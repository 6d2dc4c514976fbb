//! Which entities there are, where their records lie and what about them is unique.
//!
//! The numbers of kinds and indexes are part of the file format: none is ever reused.

use crate::key::{Kind, RecordKey, UniqueKey};
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::auth_policy::{self, AuthPolicy};
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::ca::Ca;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::enrollment::{Enrollment, Method};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{AuthPolicyId, Number, SignerId};
use portcullis_domain::mfa::Mfa;
use portcullis_domain::session_certificate::SessionCertificate;
use portcullis_domain::signer::Signer;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Identities; a root.
pub const IDENTITY: Kind = Kind::of::<1>();
/// Authentication policies; a root.
pub const AUTH_POLICY: Kind = Kind::of::<2>();
/// Enrollments, under their identity.
pub const ENROLLMENT: Kind = Kind::of::<3>();
/// Authenticators, under their identity.
pub const AUTHENTICATOR: Kind = Kind::of::<4>();
/// API sessions, under their identity.
pub const API_SESSION: Kind = Kind::of::<5>();
/// Third-party certificate authorities; a root.
pub const CA: Kind = Kind::of::<6>();
/// External JWT signers; a root.
pub const SIGNER: Kind = Kind::of::<7>();

/// Certificates of API sessions, under the identity of their session.
pub const SESSION_CERTIFICATE: Kind = Kind::of::<8>();

/// TOTP enrollments, under their identity.
pub const MFA: Kind = Kind::of::<9>();

/// The kinds whose records lie under no other.
pub const ROOTS: [Kind; 4] = [IDENTITY, AUTH_POLICY, CA, SIGNER];

/// What is unique over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Index {
    /// Id of an identity.
    IdentityId = 1,
    /// Name of an identity.
    IdentityName = 2,
    /// External id of an identity, when it has one.
    IdentityExternalId = 3,
    /// Id of an enrollment.
    EnrollmentId = 4,
    /// Keyed hash of an enrollment's token.
    EnrollmentToken = 5,
    /// Id of an authenticator.
    AuthenticatorId = 6,
    /// Fingerprint of a certificate.
    AuthenticatorFingerprint = 7,
    /// Username of a password.
    AuthenticatorUsername = 8,
    /// Keyed hash of a session's token.
    ApiSessionToken = 9,
    /// Id of an authentication policy.
    AuthPolicyId = 10,
    /// Name of an authentication policy.
    AuthPolicyName = 11,
    /// That there is an administrator by birth; the value is empty, so there is one at most.
    DefaultAdministrator = 12,
    /// Id of a third-party authority.
    CaId = 13,
    /// Name of a third-party authority.
    CaName = 14,
    /// Fingerprint of a third-party authority's certificate.
    CaFingerprint = 15,
    /// Id of an external signer.
    SignerId = 16,
    /// Name of an external signer.
    SignerName = 17,
    /// Issuer of an external signer.
    SignerIssuer = 18,
    /// Key id of an external signer, when it has one.
    SignerKid = 19,
    /// Fingerprint of an external signer's certificate, when it has one.
    SignerFingerprint = 20,
    /// Id of a certificate of an API session.
    SessionCertificateId = 21,
}

/// A unique value of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueValue {
    /// What it is.
    pub index: Index,
    /// Its bytes.
    pub value: Vec<u8>,
}

impl UniqueValue {
    /// A value of `index`.
    pub fn new(index: Index, value: impl Into<Vec<u8>>) -> Self {
        Self {
            index,
            value: value.into(),
        }
    }

    /// The key of the row that carries its uniqueness.
    pub(super) fn key(&self) -> UniqueKey {
        UniqueKey::new(self.index as u8, &self.value)
    }
}

/// An entity that has a table.
pub trait Entity: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its kind.
    const KIND: Kind;

    /// What about it is unique.
    fn unique_values(&self) -> Vec<UniqueValue>;

    /// What it refers to, by the target's id: what has to exist as long as it does, or goes with
    /// what it refers to.
    fn references(&self) -> Vec<UniqueValue> {
        Vec::new()
    }

    /// The kinds whose records go with what they refer to, if that is one of these entities; such
    /// records refer to nothing else.
    const TAKES_ALONG: &'static [Kind] = &[];

    /// The change that says what became of it.
    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change;
}

impl Entity for Identity {
    const KIND: Kind = IDENTITY;

    fn unique_values(&self) -> Vec<UniqueValue> {
        // The mark of the administrator comes first: whoever tries to make a second one is to hear
        // of that, not of a name.
        let mut values = Vec::with_capacity(4);
        if self.is_default_admin {
            values.push(UniqueValue::new(Index::DefaultAdministrator, ""));
        }
        values.push(UniqueValue::new(Index::IdentityId, self.id.as_str()));
        values.push(UniqueValue::new(Index::IdentityName, self.name()));
        if let Some(external_id) = &self.spec.external_id {
            values.push(UniqueValue::new(
                Index::IdentityExternalId,
                external_id.as_str(),
            ));
        }
        values
    }

    fn references(&self) -> Vec<UniqueValue> {
        policy_reference(&self.spec.auth_policy)
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::Identity(entity_change(owner, number, now))
    }
}

impl Entity for AuthPolicy {
    const KIND: Kind = AUTH_POLICY;

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![
            UniqueValue::new(Index::AuthPolicyId, self.id.as_str()),
            UniqueValue::new(Index::AuthPolicyName, self.name.as_str()),
        ]
    }

    fn references(&self) -> Vec<UniqueValue> {
        let mut signers = self.primary.ext_jwt.allowed_signers.clone();
        signers.extend(self.secondary.require_ext_jwt_signer.clone());
        signers.iter().map(signer_reference).collect()
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::AuthPolicy(entity_change(owner, number, now))
    }
}

impl Entity for Authenticator {
    const KIND: Kind = AUTHENTICATOR;

    fn unique_values(&self) -> Vec<UniqueValue> {
        let credential = match &self.credential {
            Credential::Cert(cert) => {
                UniqueValue::new(Index::AuthenticatorFingerprint, cert.fingerprint.as_str())
            },
            Credential::Updb(updb) => {
                UniqueValue::new(Index::AuthenticatorUsername, updb.username.as_str())
            },
        };
        vec![
            UniqueValue::new(Index::AuthenticatorId, self.id.as_str()),
            credential,
        ]
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::Authenticator(entity_change(owner, number, now))
    }
}

impl Entity for ApiSession {
    const KIND: Kind = API_SESSION;
    const TAKES_ALONG: &'static [Kind] = &[SESSION_CERTIFICATE];

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![UniqueValue::new(Index::ApiSessionToken, self.token_hash.0)]
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::ApiSession(entity_change(owner, number, now))
    }
}

impl Entity for SessionCertificate {
    const KIND: Kind = SESSION_CERTIFICATE;

    fn unique_values(&self) -> Vec<UniqueValue> {
        let id = self.id.as_str();
        vec![UniqueValue::new(Index::SessionCertificateId, id)]
    }

    fn references(&self) -> Vec<UniqueValue> {
        vec![UniqueValue::new(Index::ApiSessionToken, self.session.0)]
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::SessionCertificate(entity_change(owner, number, now))
    }
}

/// An enrollment as it is stored: what redeems it is sealed, and found by its hash.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredEnrollment {
    /// The enrollment.
    pub enrollment: Enrollment,
    /// The token, sealed by the vault as the field `token`.
    pub token: String,
    /// The JWT, sealed by the vault as the field `jwt`.
    pub jwt: String,
    /// Keyed hash of the token.
    pub token_hash: TokenHash,
}

impl Entity for StoredEnrollment {
    const KIND: Kind = ENROLLMENT;

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![
            UniqueValue::new(Index::EnrollmentId, self.enrollment.id.as_str()),
            UniqueValue::new(Index::EnrollmentToken, self.token_hash.0),
        ]
    }

    fn references(&self) -> Vec<UniqueValue> {
        match &self.enrollment.method {
            Method::OttCa { ca } => vec![UniqueValue::new(Index::CaId, ca.as_str())],
            Method::Ott | Method::Updb { .. } => Vec::new(),
        }
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::Enrollment(entity_change(
            owner,
            number,
            now.map(|stored| &stored.enrollment),
        ))
    }
}

/// A TOTP enrollment as it is stored: what codes are checked by is sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMfa {
    /// The enrollment.
    pub mfa: Mfa,
    /// The secret, sealed by the vault as the field `secret`.
    pub secret: String,
    /// The recovery codes, spent ones among them, sealed by the vault as the field `recovery codes`.
    pub recovery_codes: String,
}

impl Entity for StoredMfa {
    const KIND: Kind = MFA;

    fn unique_values(&self) -> Vec<UniqueValue> {
        // It is found by its identity alone.
        Vec::new()
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::Mfa(entity_change(owner, number, now.map(|stored| &stored.mfa)))
    }
}

impl Entity for Ca {
    const KIND: Kind = CA;

    fn unique_values(&self) -> Vec<UniqueValue> {
        vec![
            UniqueValue::new(Index::CaId, self.id.as_str()),
            UniqueValue::new(Index::CaName, self.spec.name.as_str()),
            UniqueValue::new(Index::CaFingerprint, self.fingerprint.as_str()),
        ]
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::Ca(entity_change(owner, number, now))
    }
}

impl Entity for Signer {
    const KIND: Kind = SIGNER;

    fn unique_values(&self) -> Vec<UniqueValue> {
        let mut values = vec![
            UniqueValue::new(Index::SignerId, self.id.as_str()),
            UniqueValue::new(Index::SignerName, self.spec.name.as_str()),
            UniqueValue::new(Index::SignerIssuer, self.spec.issuer.as_str()),
        ];
        if let Some(kid) = &self.spec.kid {
            values.push(UniqueValue::new(Index::SignerKid, kid.as_str()));
        }
        if let Some(certificate) = self.keys.certificate() {
            let fingerprint = certificate.fingerprint.as_str();
            values.push(UniqueValue::new(Index::SignerFingerprint, fingerprint));
        }
        values
    }

    fn references(&self) -> Vec<UniqueValue> {
        policy_reference(&self.spec.enrollment.auth_policy)
    }

    fn change(owner: Option<Number>, number: Number, now: Option<&Self>) -> Change {
        Change::Signer(entity_change(owner, number, now))
    }
}

/// The default policy cannot be deleted, so nothing has to guard it.
fn policy_reference(policy: &AuthPolicyId) -> Vec<UniqueValue> {
    if policy.as_str() == auth_policy::DEFAULT_ID {
        Vec::new()
    } else {
        vec![UniqueValue::new(Index::AuthPolicyId, policy.as_str())]
    }
}

fn signer_reference(signer: &SignerId) -> UniqueValue {
    UniqueValue::new(Index::SignerId, signer.as_str())
}

fn entity_change<E: Clone>(
    owner: Option<Number>,
    number: Number,
    now: Option<&E>,
) -> EntityChange<E> {
    EntityChange {
        owner,
        number,
        now: now.cloned().map(Arc::new),
    }
}

/// The key of an identity's record.
pub fn identity_key(number: Number) -> RecordKey {
    RecordKey::root(IDENTITY, number.0)
}
