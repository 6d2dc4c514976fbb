//! External JWT signers: whose tokens are a way in, or a second factor.

mod check;
mod patch;

pub use check::check_length;
pub use patch::{EnrollmentPatch, KeyPatch, SignerPatch};

use crate::FieldError;
use crate::auth_policy;
use crate::clock::Timestamp;
use crate::ids::{AuthPolicyId, SignerId};
use crate::tags::Tags;
use crate::terms::Terms;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The claim that names the holder of a token when a signer does not say another one.
pub const SUBJECT: &str = "/sub";

/// An external JWT signer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signer {
    /// Its id.
    pub id: SignerId,
    /// When it was created.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub created_at: Timestamp,
    /// When it last changed.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub updated_at: Timestamp,
    /// The terms under which its tokens are good and name somebody.
    #[serde(default, skip_serializing_if = "Terms::are_first")]
    pub terms: Terms,
    /// Whether it has never been enabled: nobody came in by it, and nobody expects to. Not known of
    /// signers that were made before this was remembered, which count as in use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_draft: bool,
    /// Where its keys come from.
    pub keys: KeySource,
    /// What its administrators decide about it besides.
    pub spec: SignerSpec,
}

/// What administrators decide about a signer, apart from its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerSpec {
    /// Its unique name.
    pub name: String,
    /// Whether its tokens count.
    pub enabled: bool,
    /// Its unique issuer, compared byte for byte with the claim `iss`.
    pub issuer: String,
    /// What has to be among the audiences of its tokens.
    pub audience: String,
    /// The key id that its tokens name; unique when set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// JSON pointer to the claim that names the identity; a bare name is a claim of the top level.
    pub claims_property: String,
    /// Whether that claim is the external id of the identity, not its id.
    #[serde(default)]
    pub use_external_id: bool,
    /// Where people log in; handed to clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_auth_url: Option<String>,
    /// The OAuth client id; handed to clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The OAuth scopes, a set; handed to clients.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub scopes: BTreeSet<String>,
    /// Which token clients are to present.
    #[serde(default)]
    pub target_token: TargetToken,
    /// Whether and how holders of its tokens become identities.
    #[serde(default)]
    pub enrollment: SignerEnrollment,
    /// What users attached to it.
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
}

/// Where the keys of a signer come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    /// A certificate.
    Certificate(SignerCertificate),
    /// The address of a JSON Web Key Set (RFC 7517).
    KeySet(String),
}

/// The certificate of a signer, and what is shown of it.
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

/// Which token clients are to present.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TargetToken {
    /// The access token.
    #[default]
    Access,
    /// The id token.
    Id,
}

/// Whether and how holders of a signer's tokens become identities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerEnrollment {
    /// Whether they may ask for a certificate.
    #[serde(default)]
    pub to_cert: bool,
    /// Whether they may go on with tokens.
    #[serde(default)]
    pub to_token: bool,
    /// The policy of the identities made.
    #[serde(default = "auth_policy::default_id")]
    pub auth_policy: AuthPolicyId,
    /// JSON pointer to the claim that becomes the name.
    pub name_selector: String,
    /// JSON pointer to the claim that becomes the role attributes, if any does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute_selector: Option<String>,
}

impl Default for SignerEnrollment {
    fn default() -> Self {
        Self {
            to_cert: false,
            to_token: false,
            auth_policy: auth_policy::default_id(),
            name_selector: SUBJECT.to_owned(),
            attribute_selector: None,
        }
    }
}

impl Signer {
    /// Makes a signer.
    ///
    /// # Errors
    ///
    /// As [`SignerSpec::check`].
    pub fn new(
        id: SignerId,
        keys: KeySource,
        spec: SignerSpec,
        now: Timestamp,
    ) -> Result<Self, FieldError> {
        spec.check()?;
        Ok(Self {
            id,
            created_at: now,
            updated_at: now,
            terms: Terms::default(),
            is_draft: !spec.enabled,
            keys,
            spec,
        })
    }

    /// Replaces what administrators decide about it.
    ///
    /// # Errors
    ///
    /// As [`SignerSpec::check`].
    pub fn replace(
        &mut self,
        keys: KeySource,
        spec: SignerSpec,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        let after = Self::new(self.id.clone(), keys, spec, now)?;
        *self = Self {
            created_at: self.created_at,
            terms: self.terms.followed(!self.judges_like(&after)),
            is_draft: self.is_draft && after.is_draft,
            ..after
        };
        Ok(())
    }

    /// Whether the same tokens are good as of another one, and name the same identities.
    fn judges_like(&self, other: &Self) -> bool {
        let (own, others) = (&self.spec, &other.spec);
        self.keys == other.keys
            && own.issuer == others.issuer
            && own.audience == others.audience
            && own.kid == others.kid
            && own.claims_property == others.claims_property
            && own.use_external_id == others.use_external_id
    }

    /// Changes the members that `patch` sets; from now on its keys come from `keys`.
    ///
    /// # Errors
    ///
    /// As [`SignerSpec::check`].
    pub fn merge(
        &mut self,
        keys: KeySource,
        patch: SignerPatch,
        now: Timestamp,
    ) -> Result<(), FieldError> {
        let mut spec = self.spec.clone();
        patch.apply(&mut spec);
        self.replace(keys, spec, now)
    }
}

impl SignerSpec {
    /// A signer of which no more is said than has to be; everything else is at its default.
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
            claims_property: SUBJECT.to_owned(),
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
    /// Every choice.
    pub const ALL: [Self; 2] = [Self::Access, Self::Id];

    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Access => "ACCESS",
            Self::Id => "ID",
        }
    }
}

impl KeySource {
    /// The certificate, if that is the source.
    pub fn certificate(&self) -> Option<&SignerCertificate> {
        match self {
            Self::Certificate(certificate) => Some(certificate),
            Self::KeySet(_) => None,
        }
    }

    /// The address of the key set, if that is the source.
    pub fn endpoint(&self) -> Option<&str> {
        match self {
            Self::Certificate(_) => None,
            Self::KeySet(address) => Some(address),
        }
    }
}
