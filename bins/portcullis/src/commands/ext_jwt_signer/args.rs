//! Settings of external signers, as arguments.

use crate::credential;
use crate::error::CliError;
use crate::resolve;
use crate::text::split_commas;
use clap::{Args, ValueEnum};
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::external_jwt_signer::ExternalJwtSignerOptions;
use portcullis_client::Client;
use portcullis_domain::signer::TargetToken;
use std::path::PathBuf;

/// Settings of an external signer.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct SignerArgs {
    /// PEM file with the certificate whose key signs its JWTs
    #[arg(long, value_name = "FILE", group = "keys")]
    cert: Option<PathBuf>,

    /// URL of the key set that verifies its JWTs (JWKS, RFC 7517)
    #[arg(long, value_name = "URL", group = "keys")]
    jwks_endpoint: Option<String>,

    /// Key id in its JWTs (`kid`), for --cert (default: the fingerprint of the certificate)
    #[arg(long, value_name = "ID")]
    kid: Option<String>,

    /// Claim that identifies the identity, as a name or a JSON pointer (default: `/sub`)
    #[arg(long, value_name = "CLAIM")]
    claims_property: Option<String>,

    /// Whether that claim contains the external id of the identity instead of its id
    #[arg(long, value_name = "true|false")]
    use_external_id: Option<bool>,

    /// Login URL, for clients that show it
    #[arg(long, value_name = "URL")]
    external_auth_url: Option<String>,

    /// OAuth client id, for clients that log users in
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,

    /// Comma-separated OAuth scopes, for clients that log users in
    #[arg(long, value_name = "WORDS")]
    scopes: Option<String>,

    /// Token that clients must present
    #[arg(long, value_name = "TOKEN", value_enum)]
    target_token: Option<TargetTokenArg>,

    #[command(flatten)]
    enrollment: EnrollmentArgs,
}

/// Settings for enrollment with JWTs.
#[derive(Debug, Clone, Default, Args)]
struct EnrollmentArgs {
    /// Whether holders of its JWTs may enroll for a certificate
    #[arg(long = "enroll-to-cert", value_name = "true|false")]
    to_cert: Option<bool>,

    /// Whether holders of its JWTs may enroll to log in with JWTs
    #[arg(long = "enroll-to-token", value_name = "true|false")]
    to_token: Option<bool>,

    /// Id or name of the authentication policy for identities that are created this way
    #[arg(long = "enroll-auth-policy", value_name = "POLICY")]
    policy: Option<String>,

    /// Claim with the name of such identities (default: `/sub`)
    #[arg(long = "enroll-name-claim", value_name = "CLAIM")]
    name_claim: Option<String>,

    /// Claim with the role attributes of such identities
    #[arg(long = "enroll-attribute-claim", value_name = "CLAIM")]
    attributes: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TargetTokenArg {
    /// The access token
    Access,
    /// The id token
    Id,
}

impl From<TargetTokenArg> for TargetToken {
    fn from(target: TargetTokenArg) -> Self {
        match target {
            TargetTokenArg::Access => Self::Access,
            TargetTokenArg::Id => Self::Id,
        }
    }
}

impl SignerArgs {
    /// Resolves the arguments into a request; absent ones are omitted.
    pub(super) async fn resolve(
        &self,
        client: &Client,
    ) -> Result<ExternalJwtSignerOptions, CliError> {
        let mut members = self.to_members();
        if let Some(path) = &self.cert {
            members.cert_pem = Some(credential::read_certificates_pem(path)?);
        }
        if let Some(policy) = &self.enrollment.policy {
            let policy: AuthPolicyDetail = resolve::by_id_or_name(client, policy).await?;
            members.enroll_auth_policy_id = Some(policy.base.id.to_string());
        }
        Ok(members)
    }

    /// Members that need neither files nor the controller.
    fn to_members(&self) -> ExternalJwtSignerOptions {
        let scopes = self.scopes.as_deref().map(split_commas);
        let enrollment = &self.enrollment;
        ExternalJwtSignerOptions {
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
            ..ExternalJwtSignerOptions::default()
        }
    }

    /// Whether no argument is given.
    pub(super) fn is_empty(&self) -> bool {
        let is_read = self.cert.is_some() || self.enrollment.policy.is_some();
        !is_read && self.to_members() == ExternalJwtSignerOptions::default()
    }
}
