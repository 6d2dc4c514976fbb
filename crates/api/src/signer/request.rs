//! Requests about external JWT signers, read by the server and written by clients.

use crate::decode::{Decode, DecodeError, Members};
use portcullis_domain::auth_policy;
use portcullis_domain::ids::AuthPolicyId;
use portcullis_domain::signer::{
    EnrollmentPatch, KeyPatch, SUBJECT, SignerPatch, SignerSpec, TargetToken,
};
use portcullis_domain::tags::Tags;
use serde::Serialize;
use std::collections::BTreeSet;

/// Words for the token to present; the empty one stands for the first.
const TARGETS: [&str; 3] = ["ACCESS", "ID", ""];

/// The body of POST `/external-jwt-signers` and PUT `/external-jwt-signers/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignerCreate {
    /// Its unique name.
    pub name: String,
    /// Whether its tokens count.
    pub enabled: bool,
    /// Its unique issuer.
    pub issuer: String,
    /// What has to be among the audiences of its tokens.
    pub audience: String,
    /// What may be left out.
    #[serde(flatten)]
    pub members: SignerMembers,
}

/// The body of PATCH `/external-jwt-signers/{id}`; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SignerUpdate {
    /// New name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether its tokens count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// New issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// New audience.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Everything else.
    #[serde(flatten)]
    pub members: SignerMembers,
}

/// The members of a signer that nobody has to give. The empty text takes away what was there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignerMembers {
    /// Its certificate, PEM; a signer has either this or a key set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert_pem: Option<String>,
    /// The address of its key set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_endpoint: Option<String>,
    /// The key id that its tokens name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    /// JSON pointer to the claim that names the identity, or the name of a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims_property: Option<String>,
    /// Whether that claim is the external id of the identity, not its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_external_id: Option<bool>,
    /// Where people log in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_auth_url: Option<String>,
    /// The OAuth client id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The OAuth scopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<BTreeSet<String>>,
    /// Which token clients are to present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_token: Option<TargetToken>,
    /// Whether holders of its tokens may ask for a certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_to_cert_enabled: Option<bool>,
    /// Whether holders of its tokens may become identities that go on with tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_to_token_enabled: Option<bool>,
    /// JSON pointer to the claim that becomes the role attributes of new identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_attribute_claims_selector: Option<String>,
    /// JSON pointer to the claim that becomes the name of new identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_name_claims_selector: Option<String>,
    /// The policy of new identities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enroll_auth_policy_id: Option<String>,
    /// What users attach to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Tags>,
}

impl SignerCreate {
    /// What it asks for, with everything that is left out at its default; and where the keys come
    /// from.
    pub fn into_parts(self) -> (SignerSpec, KeyPatch) {
        let mut spec = SignerSpec::new(self.name, self.issuer, self.audience, self.enabled);
        let (patch, keys) = self.members.into_parts();
        patch.apply(&mut spec);
        (spec, keys)
    }
}

impl SignerUpdate {
    /// The changes that it asks for.
    pub fn into_parts(self) -> (SignerPatch, KeyPatch) {
        let (patch, keys) = self.members.into_parts();
        let patch = SignerPatch {
            name: self.name,
            enabled: self.enabled,
            issuer: self.issuer,
            audience: self.audience,
            ..patch
        };
        (patch, keys)
    }
}

impl SignerMembers {
    fn into_parts(self) -> (SignerPatch, KeyPatch) {
        let policy = self.enroll_auth_policy_id.map(|id| {
            unless_blank(id).map_or_else(auth_policy::default_id, AuthPolicyId::from_wire)
        });
        let patch = SignerPatch {
            kid: self.kid.map(unless_blank),
            claims_property: self.claims_property.map(or_subject),
            use_external_id: self.use_external_id,
            external_auth_url: self.external_auth_url.map(unless_blank),
            client_id: self.client_id.map(unless_blank),
            scopes: self.scopes,
            target_token: self.target_token,
            enrollment: EnrollmentPatch {
                to_cert: self.enroll_to_cert_enabled,
                to_token: self.enroll_to_token_enabled,
                auth_policy: policy,
                name_selector: self.enroll_name_claims_selector.map(or_subject),
                attribute_selector: self.enroll_attribute_claims_selector.map(unless_blank),
            },
            tags: self.tags,
            ..SignerPatch::default()
        };
        let keys = KeyPatch {
            certificate: self.cert_pem.map(unless_blank),
            endpoint: self.jwks_endpoint.map(unless_blank),
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
            target_token: target.map(to_target),
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

impl Decode for SignerCreate {
    const PARAMETER: &'static str = "externalJwtSigner";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            audience: members.required_string("audience")?,
            enabled: members.required_bool("enabled")?,
            issuer: members.required_string("issuer")?,
            name: members.required_string("name")?,
            members: SignerMembers::decode(members)?,
        })
    }
}

impl Decode for SignerUpdate {
    const PARAMETER: &'static str = "externalJwtSigner";

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            name: members.optional_string("name")?,
            enabled: members.optional_bool("enabled")?,
            issuer: members.optional_string("issuer")?,
            audience: members.optional_string("audience")?,
            members: SignerMembers::decode(members)?,
        })
    }
}

fn to_target(name: &str) -> TargetToken {
    let named = |target: &TargetToken| target.name() == name;
    TargetToken::ALL.into_iter().find(named).unwrap_or_default()
}

fn or_subject(selector: String) -> String {
    unless_blank(selector).unwrap_or_else(|| SUBJECT.to_owned())
}

fn unless_blank(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests;
