//! `portcullis ca verify`.

use super::show;
use crate::context::{Context, Session};
use crate::credential;
use crate::entropy::SystemEntropy;
use crate::error::CliError;
use crate::resolve;
use clap::{ArgGroup, Args};
use portcullis_api::ca::CaDetail;
use portcullis_pki::{Authority, SigningKey, certificates_from_pem};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The proof is a certificate that the CA issued and whose common name is the verification
token. With the key of the CA it is created here; the key is not sent anywhere. If the key cannot be
read here, create the certificate where the key is, and give that.

Examples:
  portcullis ca verify corporate --ca-key ca.key
  portcullis ca verify corporate --cert proof.pem";

/// Arguments of `ca verify`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("proof").required(true))]
pub(crate) struct VerifyArgs {
    /// Id or name of the authority
    ca: String,

    /// PEM file that holds a certificate with the verification token as its common name
    #[arg(long, value_name = "FILE", group = "proof")]
    cert: Option<PathBuf>,

    /// PEM file that holds the private key of the authority, unencrypted: ECDSA or RSA
    #[arg(long, value_name = "FILE", group = "proof")]
    ca_key: Option<PathBuf>,

    /// PEM file that holds the certificate of the authority; the one that was added if left out
    #[arg(long, value_name = "FILE", requires = "ca_key")]
    ca_cert: Option<PathBuf>,
}

impl VerifyArgs {
    fn proof(&self, context: &Context, ca: &CaDetail) -> Result<String, CliError> {
        if let Some(path) = &self.cert {
            return credential::certificates_pem(path);
        }
        let key = self.ca_key.as_deref().unwrap_or(Path::new("-"));
        let certificate = match &self.ca_cert {
            Some(path) => credential::certificates_pem(path)?,
            None => ca.cert_pem.clone(),
        };
        let authority = authority(&certificate, key)?;
        let proof = authority.issue_proof(&ca.verification_token, context.now(), &SystemEntropy);
        let proof = proof.map_err(|error| unprovable().because(error))?;
        Ok(proof.to_pem())
    }
}

/// Puts an authority together out of its certificate and the file of its key.
fn authority(certificate: &str, key: &Path) -> Result<Authority, CliError> {
    let text = credential::key_text(key)?;
    let key = SigningKey::from_pem(&text).map_err(|error| {
        unprovable()
            .because(error)
            .hint("create the certificate where the key is, and give it with `--cert`")
    })?;
    let chain = certificates_from_pem(certificate).map_err(|error| unprovable().because(error))?;
    Authority::new(chain, key).map_err(|error| unprovable().because(error))
}

fn unprovable() -> CliError {
    CliError::failed("the verification certificate could not be created")
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: VerifyArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let ca: CaDetail = resolve::one(client, &arguments.ca).await?;
    let proof = arguments.proof(context, &ca)?;
    client.verify_ca(&ca.base.id, &proof).await?;
    let ca = client.ca(&ca.base.id).await?;
    context.output.result(&ca, || show::table(&ca))
}
