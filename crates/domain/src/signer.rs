//! External JWT signers, whose tokens are primary or secondary factors.

mod patch;
mod validate;

pub use patch::{KeySourcePatch, SignerEnrollmentPatch, SignerSettingsPatch};
pub use validate::validate_length;

use crate::FieldError;
use crate::auth_policy;
use crate::clock::Timestamp;
use crate::ids::{AuthPolicyId, SignerId};
use crate::managed::{Managed, Spec};
use crate::tags::Tags;
use crate::trust_generation::TrustGeneration;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Default claim that names the holder of a token.
pub const DEFAULT_CLAIM_POINTER: &str = "/sub";

pub type Signer = Managed<SignerId, SignerSpec>;

/// Settings and keys of a signer, and what depends on their history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerSpec {
    /// Trust generation: incremented when the rules for valid tokens or their holders change.
    #[serde(default, skip_serializing_if = "TrustGeneration::is_first")]
    pub terms: TrustGeneration,
    /// Whether it has never been enabled, so that nobody has logged in with it. Signers from before
    /// this was recorded count as in use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_draft: bool,
    pub keys: KeySource,
    #[serde(rename = "spec")]
    pub settings: SignerSettings,
}

/// Editable members of a signer, except its keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignerSettings {
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

impl SignerSpec {
    /// The specification of a new signer.
    pub fn new(keys: KeySource, settings: SignerSettings) -> Self {
        Self {
            terms: TrustGeneration::default(),
            is_draft: !settings.enabled,
            keys,
            settings,
        }
    }

    /// Whether both accept the same tokens for the same identities.
    fn has_same_trust(&self, other: &Self) -> bool {
        let (own, others) = (&self.settings, &other.settings);
        self.keys == other.keys
            && own.issuer == others.issuer
            && own.audience == others.audience
            && own.kid == others.kid
            && own.claims_property == others.claims_property
            && own.use_external_id == others.use_external_id
    }
}

impl Spec for SignerSpec {
    type Patch = SignerSettingsPatch;

    const IS_STORED_FLAT: bool = true;

    fn apply(&mut self, patch: SignerSettingsPatch) {
        patch.apply(&mut self.settings);
    }

    fn normalize(&mut self, before: Option<&Self>) -> Result<(), FieldError> {
        self.settings.validate()?;
        self.is_draft = !self.settings.enabled && before.is_none_or(|before| before.is_draft);
        self.terms = before.map_or_else(TrustGeneration::default, |before| {
            before.terms.next_if(!self.has_same_trust(before))
        });
        Ok(())
    }
}

impl SignerSettings {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_the_form_of_the_first_ones() {
        let keys = KeySource::KeySet("https://idp.example.test/keys".to_owned());
        let settings = SignerSettings::new("idp", "https://idp.example.test", "network", false);
        let spec = SignerSpec::new(keys, settings);
        let id = SignerId::from_wire("s");
        let mut signer = Signer::new(id, spec, Timestamp::UNIX_EPOCH).unwrap();
        signer.spec.terms = signer.spec.terms.next_if(true);
        let stored = concat!(
            r#"{"id":"s","created_at":0,"updated_at":0,"terms":1,"is_draft":true,"#,
            r#""keys":{"key_set":"https://idp.example.test/keys"},"#,
            r#""spec":{"name":"idp","enabled":false,"issuer":"https://idp.example.test","#,
            r#""audience":"network","claims_property":"/sub","use_external_id":false,"#,
            r#""target_token":"ACCESS","enrollment":{"to_cert":false,"to_token":false,"#,
            r#""auth_policy":"default","name_selector":"/sub"}}}"#,
        );
        assert_eq!(serde_json::to_string(&signer).unwrap(), stored);
        assert_eq!(serde_json::from_str::<Signer>(stored).unwrap(), signer);
    }

    #[test]
    fn record_with_a_certificate_has_the_form_of_the_first_ones() {
        let certificate = SignerCertificate {
            pem: "pem".to_owned(),
            fingerprint: "0b".to_owned(),
            common_name: "idp".to_owned(),
            not_before: Timestamp::UNIX_EPOCH,
            not_after: Timestamp::from_second(1_000_000_000).unwrap(),
        };
        let keys = KeySource::Certificate(certificate);
        let settings = SignerSettings::new("idp", "https://idp.example.test", "network", true);
        let id = SignerId::from_wire("s");
        let now = Timestamp::from_millisecond(1_500).unwrap();
        let signer = Signer::new(id, SignerSpec::new(keys, settings), now).unwrap();
        let stored = concat!(
            r#"{"id":"s","created_at":1500,"updated_at":1500,"keys":{"certificate":{"pem":"pem","#,
            r#""fingerprint":"0b","common_name":"idp","not_before":0,"not_after":1000000000}},"#,
            r#""spec":{"name":"idp","enabled":true,"issuer":"https://idp.example.test","#,
            r#""audience":"network","claims_property":"/sub","use_external_id":false,"#,
            r#""target_token":"ACCESS","enrollment":{"to_cert":false,"to_token":false,"#,
            r#""auth_policy":"default","name_selector":"/sub"}}}"#,
        );
        assert_eq!(serde_json::to_string(&signer).unwrap(), stored);
        assert_eq!(serde_json::from_str::<Signer>(stored).unwrap(), signer);
    }

    #[test]
    fn record_without_optional_members_is_that_of_a_signer_in_use() {
        let stored = concat!(
            r#"{"id":"s","created_at":0,"updated_at":0,"#,
            r#""keys":{"key_set":"https://idp.example.test"},"#,
            r#""spec":{"name":"idp","enabled":false,"issuer":"https://idp.example.test","#,
            r#""audience":"network","claims_property":"/sub"}}"#,
        );
        let keys = KeySource::KeySet("https://idp.example.test".to_owned());
        let settings = SignerSettings::new("idp", "https://idp.example.test", "network", false);
        let mut spec = SignerSpec::new(keys, settings);
        spec.is_draft = false;
        assert_eq!(serde_json::from_str::<Signer>(stored).unwrap().spec, spec);
    }
}
