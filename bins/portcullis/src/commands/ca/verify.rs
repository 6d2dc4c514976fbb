//! `portcullis ca verify`.

use crate::commands::entities;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::credential;
use crate::error::CliError;
use crate::resolve;
use clap::{ArgGroup, Args};
use portcullis_api::ca::CaDetail;
use portcullis_pki::{Authority, SigningKey, certificates_from_pem};
use portcullis_system::SystemEntropy;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The proof is a certificate issued by the CA whose common name is the verification token. Given the
key of the CA, this command creates it; the key is not sent anywhere. If the key is not available
here, create the certificate where it is, and pass it with --cert.

Examples:
  portcullis ca verify corporate --ca-key ca.key
  portcullis ca verify corporate --cert proof.pem";

/// Verify a CA by proving that you hold its key
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("proof").required(true))]
pub(crate) struct VerifyArgs {
    /// Id or name of the CA
    #[arg(add = Values::one::<CaDetail>())]
    ca: String,

    /// PEM file with a certificate whose common name is the verification token
    #[arg(long, value_name = "FILE", group = "proof")]
    cert: Option<PathBuf>,

    /// PEM file with the unencrypted private key of the CA, ECDSA or RSA
    #[arg(long, value_name = "FILE", group = "proof")]
    ca_key: Option<PathBuf>,

    /// PEM file with the certificate of the CA (default: the one that was added)
    #[arg(long, value_name = "FILE", requires = "ca_key")]
    ca_cert: Option<PathBuf>,
}

impl VerifyArgs {
    fn proof(&self, context: &Context, ca: &CaDetail) -> Result<String, CliError> {
        if let Some(path) = &self.cert {
            return credential::read_certificates_pem(path);
        }
        let key = self.ca_key.as_deref().unwrap_or(Path::new("-"));
        let certificate = match &self.ca_cert {
            Some(path) => credential::read_certificates_pem(path)?,
            None => ca.cert_pem.clone(),
        };
        let authority = load_authority(&certificate, key)?;
        let proof = authority.issue_verification_certificate(
            &ca.verification_token,
            context.now(),
            &SystemEntropy,
        );
        let proof = proof.map_err(|error| proof_error().with_source(error))?;
        Ok(proof.to_pem())
    }
}

/// Loads a CA from its certificate and key file.
fn load_authority(certificate: &str, key: &Path) -> Result<Authority, CliError> {
    let text = credential::read_key_pem(key)?;
    let key = SigningKey::from_pem(&text).map_err(|error| {
        proof_error()
            .with_source(error)
            .hint("create the certificate where the key is, and pass it with `--cert`")
    })?;
    let chain =
        certificates_from_pem(certificate).map_err(|error| proof_error().with_source(error))?;
    Authority::new(chain, key).map_err(|error| proof_error().with_source(error))
}

fn proof_error() -> CliError {
    CliError::failed("the verification certificate could not be created")
}

impl Verb for VerifyArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let ca: CaDetail = resolve::by_id_or_name(client, &self.ca).await?;
        let proof = self.proof(context, &ca)?;
        client.verify_ca(&ca.base.id, &proof).await?;
        entities::fetch_and_show::<CaDetail>(context, session, &ca.base.id).await
    }
}
