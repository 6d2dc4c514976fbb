//! External JWT signers, whose tokens are primary or secondary factors.

mod patch;
mod validate;

pub use patch::{KeySourcePatch, SignerEnrollmentPatch, SignerSpecPatch};
pub use validate::validate_length;

use crate::FieldError;
use crate::auth_policy;
use crate::clock::Timestamp;
use crate::ids::{AuthPolicyId, SignerId};
use crate::tags::Tags;
use crate::trust_generation::TrustGeneration;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Default claim that names the holder of a token.
pub const DEFAULT_CLAIM_POINTER: &str = "/sub";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signer {
    pub id: SignerId,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// Trust generation: incremented when the rules for valid tokens or their holders change.
    #[serde(default, skip_serializing_if = "TrustGeneration::is_first")]
    pub terms: TrustGeneration,
    /// Whether it has never been enabled, so that nobody has logged in with it. Signers from before
    /// this was recorded count as in use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_draft: bool,
    pub keys: KeySource,
    pub spec: SignerSpec,
}

/// Editable members of a signer, except its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerSpec {
    /// Unique.
    pub name: String,
    /// Whether its tokens are accepted.
    pub enabled: bool,
    /// Unique; compared byte for byte with the claim `iss`.
    pub issuer: String,
    /// Required audience of its tokens.
    pub audience: String,
    /// Key id of its tokens; unique when set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// JSON pointer to the claim that names the identity; a bare name is a claim of the top level.
    pub claims_property: String,
    /// Whether that claim is the external id instead of the id.
    #[serde(default)]
    pub use_external_id: bool,
    /// Login URL, handed to clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_auth_url: Option<String>,
    /// OAuth client id, handed to clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// OAuth scopes, handed to clients.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub scopes: BTreeSet<String>,
    /// The token that clients present.
    #[serde(default)]
    pub target_token: TargetToken,
    /// Enrollment of token holders.
    #[serde(default)]
    pub enrollment: SignerEnrollment,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Source of the verification keys of a signer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    /// A certificate.
    Certificate(SignerCertificate),
    /// URL of a JSON Web Key Set (RFC 7517).
    KeySet(String),
}

/// The certificate of a signer with its displayed data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerCertificate {
    /// The certificate, PEM.
    pub pem: String,
    /// Lower-case hex SHA-1 of its DER; unique.
    pub fingerprint: String,
    /// Its common name.
    pub common_name: String,
    /// The first second of its validity.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub not_before: Timestamp,
    /// The last second of its validity.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub not_after: Timestamp,
}

/// The token that clients present.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TargetToken {
    /// The access token.
    #[default]
    Access,
    /// The id token.
    Id,
}

/// Enrollment of the token holders of a signer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerEnrollment {
    /// Whether they can enroll for a certificate.
    #[serde(default)]
    pub to_cert: bool,
    /// Whether they can enroll and keep authenticating with tokens.
    #[serde(default)]
    pub to_token: bool,
    /// Authentication policy of the new identities.
    #[serde(default = "auth_policy::default_id")]
    pub auth_policy: AuthPolicyId,
    /// JSON pointer to the claim that becomes the name.
    pub name_selector: String,
    /// JSON pointer to the claim that becomes the role attributes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute_selector: Option<String>,
}

impl Default for SignerEnrollment {
    fn default() -> Self {
        Self {
            to_cert: false,
            to_token: false,
            auth_policy: auth_policy::default_id(),
            name_selector: DEFAULT_CLAIM_POINTER.to_owned(),
            attribute_selector: None,
        }
    }
}

impl Signer {
    /// Creates a signer.
    ///
    /// # Errors
    ///
    /// See [`SignerSpec::validate`].
    pub fn new(
        id: SignerId,
        keys: KeySource,
        spec: SignerSpec,
        now: Timestamp,
    ) -> Result<Self, FieldError> {
        spec.validate()?;
        Ok(Self {
            id,
            created_at: now,
            updated_at: now,
            terms: TrustGeneration::default(),
            is_draft: !spec.enabled,
            keys,
            spec,
        })
    }

    /// Replaces all editable members.
    ///
    /// # Errors
    ///
    /// See [`SignerSpec::validate`].
    pub fn replace(
        &mut self,
        keys: KeySource,
        spec: SignerSpec,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        let after = Self::new(self.id.clone(), keys, spec, now)?;
        *self = Self {
            created_at: self.created_at,
            terms: self.terms.next_if(!self.has_same_trust(&after)),
            is_draft: self.is_draft && after.is_draft,
            ..after
        };
        Ok(())
    }

    /// Whether both accept the same tokens for the same identities.
    fn has_same_trust(&self, other: &Self) -> bool {
        let (own, others) = (&self.spec, &other.spec);
        self.keys == other.keys
            && own.issuer == others.issuer
            && own.audience == others.audience
            && own.kid == others.kid
            && own.claims_property == others.claims_property
            && own.use_external_id == others.use_external_id
    }

    /// Changes the members that `patch` sets, and replaces the key source.
    ///
    /// # Errors
    ///
    /// See [`SignerSpec::validate`].
    pub fn patch(
        &mut self,
        keys: KeySource,
        patch: SignerSpecPatch,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        let mut spec = self.spec.clone();
        patch.apply(&mut spec);
        self.replace(keys, spec, now)
    }
}

impl SignerSpec {
    /// A signer with the required members and defaults for everything else.
    pub fn new(
        name: impl Into<String>,
        issuer: impl Into<String>,
        audience: impl Into<String>,
        enabled: bool,
    ) -> Self {
        Self {
            name: name.into(),
            enabled,
            issuer: issuer.into(),
            audience: audience.into(),
            kid: None,
            claims_property: DEFAULT_CLAIM_POINTER.to_owned(),
            use_external_id: false,
            external_auth_url: None,
            client_id: None,
            scopes: BTreeSet::new(),
            target_token: TargetToken::default(),
            enrollment: SignerEnrollment::default(),
            tags: Tags::default(),
        }
    }
}

impl TargetToken {
    pub const ALL: [Self; 2] = [Self::Access, Self::Id];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Access => "ACCESS",
            Self::Id => "ID",
        }
    }
}

impl KeySource {
    pub fn certificate(&self) -> Option<&SignerCertificate> {
        match self {
            Self::Certificate(certificate) => Some(certificate),
            Self::KeySet(_) => None,
        }
    }

    pub fn endpoint(&self) -> Option<&str> {
        match self {
            Self::Certificate(_) => None,
            Self::KeySet(address) => Some(address),
        }
    }
}
