//! What an external signer is, as arguments.

use crate::credential;
use crate::error::CliError;
use crate::resolve;
use crate::words::between_commas;
use clap::{Args, ValueEnum};
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::signer::SignerMembers;
use portcullis_client::Client;
use portcullis_domain::signer::TargetToken;
use std::path::PathBuf;

/// What may be said of every signer.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct MemberArgs {
    /// PEM file with the certificate whose key signs its JWTs
    #[arg(long, value_name = "FILE", group = "keys")]
    cert: Option<PathBuf>,

    /// Address of the key set that verifies its JWTs (JWKS, RFC 7517)
    #[arg(long, value_name = "URL", group = "keys")]
    jwks_endpoint: Option<String>,

    /// Key id that its JWTs name, with --cert; the fingerprint of the certificate if left out
    #[arg(long, value_name = "ID")]
    kid: Option<String>,

    /// Claim that names the identity, as a name or a JSON pointer; `/sub` if left out
    #[arg(long, value_name = "CLAIM")]
    claims_property: Option<String>,

    /// Whether that claim contains the external id of the identity instead of its id
    #[arg(long, value_name = "true|false")]
    use_external_id: Option<bool>,

    /// Where people log in, for clients that show it
    #[arg(long, value_name = "URL")]
    external_auth_url: Option<String>,

    /// OAuth client id, for clients that log people in
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,

    /// OAuth scopes for the same, separated by commas
    #[arg(long, value_name = "WORDS")]
    scopes: Option<String>,

    /// Which token clients are to present
    #[arg(long, value_name = "TOKEN", value_enum)]
    target_token: Option<Target>,

    #[command(flatten)]
    enrollment: EnrollmentArgs,
}

/// Whether and how holders of JWTs become identities.
#[derive(Debug, Clone, Default, Args)]
struct EnrollmentArgs {
    /// Whether holders of its JWTs may enroll for a certificate
    #[arg(long = "enroll-to-cert", value_name = "true|false")]
    to_cert: Option<bool>,

    /// Whether holders of its JWTs may become identities that log in with JWTs
    #[arg(long = "enroll-to-token", value_name = "true|false")]
    to_token: Option<bool>,

    /// Authentication policy, by id or name, of identities that are created this way
    #[arg(long = "enroll-auth-policy", value_name = "POLICY")]
    policy: Option<String>,

    /// Claim that such identities are named by; `/sub` if left out
    #[arg(long = "enroll-name-claim", value_name = "CLAIM")]
    name_claim: Option<String>,

    /// Claim that holds their role attributes
    #[arg(long = "enroll-attribute-claim", value_name = "CLAIM")]
    attributes: Option<String>,
}

/// Which token clients are to present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// The access token
    Access,
    /// The id token
    Id,
}

impl From<Target> for TargetToken {
    fn from(target: Target) -> Self {
        match target {
            Target::Access => Self::Access,
            Target::Id => Self::Id,
        }
    }
}

impl MemberArgs {
    /// The members as they are sent. What is not given is left out.
    pub(super) async fn members(&self, client: &Client) -> Result<SignerMembers, CliError> {
        let mut members = self.offline();
        if let Some(path) = &self.cert {
            members.cert_pem = Some(credential::certificates_pem(path)?);
        }
        if let Some(policy) = &self.enrollment.policy {
            let policy: AuthPolicyDetail = resolve::one(client, policy).await?;
            members.enroll_auth_policy_id = Some(policy.base.id.to_string());
        }
        Ok(members)
    }

    /// Those that need a look neither at files nor at the controller.
    fn offline(&self) -> SignerMembers {
        let scopes = self.scopes.as_deref().map(between_commas);
        let enrollment = &self.enrollment;
        SignerMembers {
            jwks_endpoint: self.jwks_endpoint.clone(),
            kid: self.kid.clone(),
            claims_property: self.claims_property.clone(),
            use_external_id: self.use_external_id,
            external_auth_url: self.external_auth_url.clone(),
            client_id: self.client_id.clone(),
            scopes: scopes.map(|scopes| scopes.into_iter().collect()),
            target_token: self.target_token.map(TargetToken::from),
            enroll_to_cert_enabled: enrollment.to_cert,
            enroll_to_token_enabled: enrollment.to_token,
            enroll_name_claims_selector: enrollment.name_claim.clone(),
            enroll_attribute_claims_selector: enrollment.attributes.clone(),
            ..SignerMembers::default()
        }
    }

    /// Whether nothing is said.
    pub(super) fn is_empty(&self) -> bool {
        let is_read = self.cert.is_some() || self.enrollment.policy.is_some();
        !is_read && self.offline() == SignerMembers::default()
    }
}
