//! Enrolling with a certificate of a third-party CA.

use super::issuer::Issuer;
use super::output_file::OutputFile;
use crate::credential::Credential;
use crate::error::CliError;
use crate::identity_file::IdentityFile;
use portcullis_api::enroll::EnrollmentResult;
use portcullis_client::Client;

/// Enrolls by calling `ask` with a client that presents the certificate, and writes the identity
/// file. The input files stay unchanged.
pub(super) async fn run(
    issuer: &Issuer,
    out: OutputFile,
    credential: &Credential,
    enroll: impl AsyncFnOnce(Client) -> Result<EnrollmentResult, CliError>,
) -> Result<(), CliError> {
    let client = issuer
        .builder()
        .certificate(credential.to_client_certificate())
        .build()?;
    let key = credential.key_pem();
    let identity = IdentityFile::new(&issuer.url, &key, &credential.chain, &issuer.authorities);
    let file = out.prepare(&identity)?;
    enroll(client).await?;
    file.finish_or_preserve(&identity.to_json()?)
        .map_err(|error| {
            error.hint(
                "the identity is enrolled; its certificate and key are in the files that you gave",
            )
        })
}
