//! Bodies of external JWT signer requests.

use crate::decode::{Decode, DecodeError, Members, non_blank};
use portcullis_domain::auth_policy;
use portcullis_domain::ids::AuthPolicyId;
use portcullis_domain::signer::{
    DEFAULT_CLAIM_POINTER, KeySourcePatch, SignerEnrollmentPatch, SignerSettings,
    SignerSettingsPatch, TargetToken,
};
use portcullis_domain::tags::Tags;
use serde::Serialize;
use std::collections::BTreeSet;

/// Values of `targetToken`; the empty string means the first.
const TARGETS: [&str; 3] = ["ACCESS", "ID", ""];

/// The body of POST `/external-jwt-signers` and PUT `/external-jwt-signers/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExternalJwtSignerCreate {
    pub name: String,
    /// Whether its tokens are accepted.
    pub enabled: bool,
    pub issuer: String,
    pub audience: String,
    /// Optional members.
    #[serde(flatten)]
    pub members: ExternalJwtSignerOptions,
}

/// The body of PATCH `/external-jwt-signers/{id}`. Members that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ExternalJwtSignerPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether its tokens are accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Optional members.
    #[serde(flatten)]
    pub members: ExternalJwtSignerOptions,
}

/// Optional members of a signer. An empty string clears the member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalJwtSignerOptions {
    /// Its certificate, PEM; a signer has either this or a key set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert_pem: Option<String>,
    /// URL of its key set (JWKS).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_endpoint: Option<String>,
    /// Key id (`kid`) in its tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// JSON pointer to the claim that identifies the identity, or the name of a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims_property: Option<String>,
    /// Whether that claim holds the external id of the identity instead of its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_external_id: Option<bool>,
    /// URL at which users log in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_auth_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<BTreeSet<String>>,
    /// Token that clients have to present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_token: Option<TargetToken>,
    /// Whether holders of its tokens may enroll for a client certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_to_cert_enabled: Option<bool>,
    /// Whether holders of its tokens may enroll as identities that authenticate by token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_to_token_enabled: Option<bool>,
    /// JSON pointer to the claim that provides the role attributes of new identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_attribute_claims_selector: Option<String>,
    /// JSON pointer to the claim that provides the name of new identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_name_claims_selector: Option<String>,
    /// Authentication policy of newly enrolled identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_auth_policy_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl ExternalJwtSignerCreate {
    /// A signer whose tokens are accepted, with defaults for everything else. It needs a certificate or
    /// the address of a key set among its members.
    pub fn new(
        name: impl Into<String>,
        issuer: impl Into<String>,
        audience: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            enabled: true,
            issuer: issuer.into(),
            audience: audience.into(),
            members: ExternalJwtSignerOptions::default(),
        }
    }

    /// The settings with defaults for absent members, and the source of the keys.
    pub fn into_parts(self) -> (SignerSettings, KeySourcePatch) {
        let mut settings = SignerSettings::new(self.name, self.issuer, self.audience, self.enabled);
        let (patch, keys) = self.members.into_parts();
        patch.apply(&mut settings);
        (settings, keys)
    }
}

impl ExternalJwtSignerPatch {
    /// The changes to the settings, and to the source of the keys.
    pub fn into_parts(self) -> (SignerSettingsPatch, KeySourcePatch) {
        let (patch, keys) = self.members.into_parts();
        let patch = SignerSettingsPatch {
            name: self.name,
            enabled: self.enabled,
            issuer: self.issuer,
            audience: self.audience,
            ..patch
        };
        (patch, keys)
    }
}

impl ExternalJwtSignerOptions {
    fn into_parts(self) -> (SignerSettingsPatch, KeySourcePatch) {
        let policy = self
            .enroll_auth_policy_id
            .map(|id| non_blank(id).map_or_else(auth_policy::default_id, AuthPolicyId::from_wire));
        let patch = SignerSettingsPatch {
            kid: self.kid.map(non_blank),
            claims_property: self.claims_property.map(or_default_claim),
            use_external_id: self.use_external_id,
            external_auth_url: self.external_auth_url.map(non_blank),
            client_id: self.client_id.map(non_blank),
            scopes: self.scopes,
            target_token: self.target_token,
            enrollment: SignerEnrollmentPatch {
                to_cert: self.enroll_to_cert_enabled,
                to_token: self.enroll_to_token_enabled,
                auth_policy: policy,
                name_selector: self.enroll_name_claims_selector.map(or_default_claim),
                attribute_selector: self.enroll_attribute_claims_selector.map(non_blank),
            },
            tags: self.tags,
            ..SignerSettingsPatch::default()
        };
        let keys = KeySourcePatch {
            certificate: self.cert_pem.map(non_blank),
            endpoint: self.jwks_endpoint.map(non_blank),
        };
        (patch, keys)
    }

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let scopes = members.string_list("scopes")?;
        let target = members.optional_choice("targetToken", &TARGETS)?;
        Ok(Self {
            cert_pem: members.optional_string("certPem")?,
            jwks_endpoint: members.optional_string("jwksEndpoint")?,
            kid: members.optional_string("kid")?,
            claims_property: members.optional_string("claimsProperty")?,
            use_external_id: members.optional_bool("useExternalId")?,
            external_auth_url: members.optional_string("externalAuthUrl")?,
            client_id: members.optional_string("clientId")?,
            scopes: scopes.map(|scopes| scopes.into_iter().collect()),
            target_token: target.map(parse_target_token),
            enroll_to_cert_enabled: members.optional_bool("enrollToCertEnabled")?,
            enroll_to_token_enabled: members.optional_bool("enrollToTokenEnabled")?,
            enroll_attribute_claims_selector: members
                .optional_string("enrollAttributeClaimsSelector")?,
            enroll_name_claims_selector: members.optional_string("enrollNameClaimsSelector")?,
            enroll_auth_policy_id: members.optional_string("enrollAuthPolicyId")?,
            tags: members.tags()?,
        })
    }
}

impl Decode for ExternalJwtSignerCreate {
    const BODY_NAME: &'static str = "externalJwtSigner";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            audience: members.required_string("audience")?,
            enabled: members.required_bool("enabled")?,
            issuer: members.required_string("issuer")?,
            name: members.required_string("name")?,
            members: ExternalJwtSignerOptions::decode(members)?,
        })
    }
}

impl Decode for ExternalJwtSignerPatch {
    const BODY_NAME: &'static str = "externalJwtSigner";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            name: members.optional_string("name")?,
            enabled: members.optional_bool("enabled")?,
            issuer: members.optional_string("issuer")?,
            audience: members.optional_string("audience")?,
            members: ExternalJwtSignerOptions::decode(members)?,
        })
    }
}

fn parse_target_token(name: &str) -> TargetToken {
    let named = |target: &TargetToken| target.name() == name;
    TargetToken::ALL.into_iter().find(named).unwrap_or_default()
}

fn or_default_claim(selector: String) -> String {
    non_blank(selector).unwrap_or_else(|| DEFAULT_CLAIM_POINTER.to_owned())
}

#[cfg(test)]
mod tests;
