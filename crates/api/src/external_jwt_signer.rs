//! Wire types of external JWT signers.

mod request;

pub use request::{ExternalJwtSignerCreate, ExternalJwtSignerOptions, ExternalJwtSignerPatch};

use crate::describe::JsonSchema;
use crate::entity::Base;
use crate::link::Links;
use crate::time::WireTime;
use jiff::civil::date;
use jiff::tz::Offset;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{AuthPolicyId, SignerId};
use portcullis_domain::signer::{Signer, SignerSpec};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// An external JWT signer, as shown to administrators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalJwtSignerDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<SignerId>,
    /// Audience that its tokens have to name.
    pub audience: String,
    /// Certificate with its public key, PEM, if it has one.
    pub cert_pem: Option<String>,
    /// JSON pointer to the claim that identifies the identity.
    pub claims_property: String,
    /// The OAuth client id.
    pub client_id: Option<String>,
    /// Common name of the certificate; empty when there is none.
    pub common_name: String,
    /// Whether its tokens are accepted.
    pub enabled: bool,
    /// JSON pointer to the claim that provides the role attributes of new identities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enroll_attribute_claims_selector: Option<String>,
    /// Authentication policy of newly enrolled identities.
    #[schemars(with = "String")]
    pub enroll_auth_policy_id: AuthPolicyId,
    /// JSON pointer to the claim that provides the name of new identities.
    pub enroll_name_claims_selector: String,
    /// Whether holders of its tokens may enroll for a client certificate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enroll_to_cert_enabled: bool,
    /// Whether holders of its tokens may enroll as identities that authenticate by token.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enroll_to_token_enabled: bool,
    /// URL at which users log in.
    pub external_auth_url: Option<String>,
    /// Lower-case hex SHA-1 of the certificate.
    pub fingerprint: Option<String>,
    /// Issuer of its tokens.
    pub issuer: String,
    /// URL of its key set (JWKS), if it has one.
    pub jwks_endpoint: Option<String>,
    /// Key id (`kid`) in its tokens.
    pub kid: Option<String>,
    /// Unique name.
    pub name: String,
    /// Last second of validity of the certificate; year 1 if there is none.
    pub not_after: WireTime,
    /// First second of validity of the certificate; year 1 if there is none.
    pub not_before: WireTime,
    /// The OAuth scopes.
    pub scopes: Option<BTreeSet<String>>,
    /// Token that clients have to present: `ACCESS` or `ID`.
    pub target_token: String,
    /// Whether the claim holds the external id of the identity instead of its id.
    pub use_external_id: bool,
}

/// An external JWT signer, as shown to clients before they log in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientExternalJwtSignerDetail {
    /// Members common to all entities.
    #[serde(flatten)]
    #[schemars(with = "Base<String>")]
    pub base: Base<SignerId>,
    /// Audience that its tokens have to name.
    pub audience: String,
    /// The OAuth client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Whether holders of its tokens may enroll for a client certificate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enroll_to_cert_enabled: bool,
    /// Whether holders of its tokens may enroll as identities that authenticate by token.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enroll_to_token_enabled: bool,
    /// URL at which users log in.
    pub external_auth_url: Option<String>,
    /// Unique name.
    pub name: String,
    /// The OAuth scopes.
    pub scopes: Option<BTreeSet<String>>,
    /// Token that clients have to present: `ACCESS` or `ID`.
    pub target_token: String,
}

/// The instant that stands for none: Go's zero time.
fn zero_time() -> Timestamp {
    let year_one = date(1, 1, 1).at(0, 0, 0, 0);
    Offset::UTC.to_timestamp(year_one).unwrap_or(Timestamp::MIN)
}

fn base(signer: &Signer) -> Base<SignerId> {
    Base {
        links: Links::with_self(format!("external-jwt-signers/{}", signer.id)),
        created_at: signer.created_at.into(),
        id: signer.id.clone(),
        tags: signer.spec.settings.tags.clone(),
        updated_at: signer.updated_at.into(),
    }
}

impl From<Signer> for ExternalJwtSignerDetail {
    fn from(signer: Signer) -> Self {
        let base = base(&signer);
        let SignerSpec { keys, settings, .. } = signer.spec;
        let certificate = keys.certificate().cloned();
        let (not_before, not_after) = match &certificate {
            Some(certificate) => (certificate.not_before, certificate.not_after),
            None => (zero_time(), zero_time()),
        };
        let (fingerprint, cert_pem, common_name) = match certificate {
            Some(one) => (Some(one.fingerprint), Some(one.pem), one.common_name),
            None => (None, None, String::new()),
        };
        Self {
            base,
            audience: settings.audience,
            cert_pem,
            claims_property: settings.claims_property,
            client_id: settings.client_id,
            common_name,
            enabled: settings.enabled,
            enroll_attribute_claims_selector: settings.enrollment.attribute_selector,
            enroll_auth_policy_id: settings.enrollment.auth_policy,
            enroll_name_claims_selector: settings.enrollment.name_selector,
            enroll_to_cert_enabled: settings.enrollment.to_cert,
            enroll_to_token_enabled: settings.enrollment.to_token,
            external_auth_url: settings.external_auth_url,
            fingerprint,
            issuer: settings.issuer,
            jwks_endpoint: keys.endpoint().map(str::to_owned),
            kid: settings.kid,
            name: settings.name,
            not_after: not_after.into(),
            not_before: not_before.into(),
            scopes: Some(settings.scopes).filter(|scopes| !scopes.is_empty()),
            target_token: settings.target_token.name().to_owned(),
            use_external_id: settings.use_external_id,
        }
    }
}

impl From<Signer> for ClientExternalJwtSignerDetail {
    fn from(signer: Signer) -> Self {
        let base = base(&signer);
        let settings = signer.spec.settings;
        Self {
            base,
            audience: settings.audience,
            client_id: settings.client_id,
            enroll_to_cert_enabled: settings.enrollment.to_cert,
            enroll_to_token_enabled: settings.enrollment.to_token,
            external_auth_url: settings.external_auth_url,
            name: settings.name,
            scopes: Some(settings.scopes).filter(|scopes| !scopes.is_empty()),
            target_token: settings.target_token.name().to_owned(),
        }
    }
}
